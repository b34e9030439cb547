//! Laws of rg-loop's iterations: checkpoints, open findings, waiting for other agents.

use crate::loops::{COMPLETE, STOP, frames, iterate, prompt, stop};
use crate::scratch::{Said, Scratch};
use serde_json::json;

fn with(of_loop: &str) -> Scratch {
    Scratch::repo_with(&format!("checks:\n  - {{name: tests, run: sh test.sh}}\nloop: {of_loop}\n"))
}

/// A stop while another agent runs.
fn waiting(scratch: &Scratch, message: &str) -> Said {
    let running = json!([{"id": "a", "type": "subagent", "status": "running", "description": "look"}]);
    scratch
        .sh(STOP, &scratch.stop_payload("s", json!({"last_assistant_message": message, "background_tasks": running})))
}

#[test]
fn waiting_for_other_agents_is_not_stuck() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    assert!(!waiting(&scratch, "I wait.").out.contains("block"), "deferred");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
    // Each iteration may wait once; a later bounce of the same iteration does not mention unchanged files.
    for n in 3..=7 {
        assert!(!waiting(&scratch, "I wait.").out.contains("block"), "deferred, iteration {n}");
        let said = waiting(&scratch, "I still wait.");
        assert!(said.reason().starts_with(&format!("[iteration {n} of 10]")), "{said:?}");
        assert!(!said.reason().contains("nothing changed"), "{said:?}");
    }
    // Without other agents it is stuck.
    let told = (0..4).map(|_| stop(&scratch, "s", "Hm.").told()).collect::<String>();
    assert!(told.contains("stuck: nothing changed in 3 iterations"), "{told}");
}

#[test]
fn after_a_pass_no_finding_is_listed_as_open() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop the whole");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    scratch.run("rg-loop", &["start", "--max", "3", "a part"], b"");
    scratch.append("src.txt", "more\n");
    assert!(stop(&scratch, "s", COMPLETE).reason().contains("not fixed"));
    scratch.append("src.txt", "fixed\n");
    let reason = stop(&scratch, "s", COMPLETE).reason();
    assert!(reason.starts_with("The inner loop is done.") && !reason.contains("open finding"), "{reason}");
    assert!(!iterate(&scratch, 3).reason().contains("open finding"));
    let thread = scratch.run("rg-anchor", &["show"], b"").out;
    assert!(!thread.contains("tests") && !thread.contains("not-done"), "{thread}");
}

#[test]
fn failed_checkpoints_do_not_end_it() {
    let scratch = with("{checkpoint: 1}");
    prompt(&scratch, "s", "#loop go");
    for n in 2..=10 {
        let reason = iterate(&scratch, n).reason();
        assert!(reason.contains(&format!("\n[iteration {n} of 10]")) && reason.contains("not fixed"), "{reason}");
    }
    assert!(iterate(&scratch, 11).told().contains("abandoned: 10 iterations"));
    // Tampering is reported in the same way, and CANNOT counts.
    let scratch = with("{checkpoint: 1}");
    prompt(&scratch, "s", "#loop go");
    scratch.write("DONE.md", "nothing\n");
    let reason = stop(&scratch, "s", "Hm.").reason();
    assert!(reason.contains("DONE.md") && reason.contains("[iteration 2 of 10]"), "{reason}");
    assert!(stop(&scratch, "s", "CANNOT: no network").told().contains("abandoned"));
}

#[test]
fn next_does_not_decide_if_mark_failed() {
    for (spec, message) in [("{max: 1}", "Hm."), ("{max: 5}", "<loop-done>STUCK</loop-done>")] {
        let scratch = with(spec);
        prompt(&scratch, "s", "#loop go");
        scratch.append("src.txt", "fixed\n");
        let (begin, rest) = STOP.split_once(" | rg-loop mark | ").unwrap();
        let locked = "flock \"$RG_STATE/lock\" rg-loop mark <../opened >../marked";
        let line = format!("{begin} >../opened; {locked}; <../marked {rest}");
        let before = frames(&scratch);
        let said = scratch.sh(&line, &scratch.stop_payload("s", json!({"last_assistant_message": message})));
        assert!(said.told().contains("unverified") && !said.out.contains("[iteration"), "{spec}: {said:?}");
        assert_eq!(frames(&scratch), before);
        assert!(stop(&scratch, "s", message).told().contains("abandoned"), "{spec}");
    }
}

#[test]
fn bounces_of_an_inner_loop_do_not_end_the_outer_loop() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop the whole");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    scratch.run("rg-loop", &["start", "a part"], b"");
    for n in 0..3 {
        scratch.append("src.txt", "more\n");
        assert!(stop(&scratch, "s", COMPLETE).reason().contains("not fixed"), "{n}");
    }
    scratch.append("src.txt", "more\n");
    let reason = stop(&scratch, "s", COMPLETE).reason();
    assert!(
        reason.starts_with("The inner loop was given up: bounced 3 times without progress.\n[iteration 2 of 10]"),
        "{reason}"
    );
    scratch.append("src.txt", "fixed\n");
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words(), ["not-done", "not-done", "not-done", "done"]);
}

#[test]
fn a_mark_ends_only_the_loop_it_was_written_in() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "fixed\n");
    let (begin, rest) = STOP.split_once(" | rg-loop next").unwrap();
    let judged = format!("{begin} >../judged");
    scratch.sh(&judged, &scratch.stop_payload("s", json!({"last_assistant_message": COMPLETE})));
    prompt(&scratch, "s", "#loop:stop\n#loop another thing");
    let said = scratch.sh(&format!("<../judged rg-loop next{rest}"), b"");
    assert!(!said.told().contains("the loop is done"), "{said:?}");
    assert_eq!(frames(&scratch), ["begin of 10", "end: cancelled", "begin of 10"]);
}
