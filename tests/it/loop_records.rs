//! Laws of rg-loop's records: which sessions they concern, when they expire, and damaged, missing and concurrent ones.

use crate::loops::{frames, iterate, prompt, stop};
use crate::scratch::{Said, Scratch};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

fn journal(scratch: &Scratch) -> PathBuf {
    fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path()
}

fn damage(scratch: &Scratch, how: impl Fn(String) -> String) {
    let path = journal(scratch);
    fs::write(&path, how(fs::read_to_string(&path).unwrap())).unwrap();
}

fn start(scratch: &Scratch, session: &str, source: &str) -> Said {
    let payload = scratch.payload(session, json!({"hook_event_name": "SessionStart", "source": source}));
    scratch.sh("rg-event --client claude | rg-anchor | rg-answer --client claude --kind session-start", &payload)
}

/// A repository without a judge.
fn unjudged() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("git init -q && git commit -q --allow-empty -m start");
    scratch
}

#[test]
fn a_loop_without_activity_for_two_hours_ends_at_any_event() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop rewrite everything");
    iterate(&scratch, 2);
    scratch.later(15.0 * 3600.0);
    let said = start(&scratch, "s", "resume");
    assert!(!said.out.contains("loop: iteration"), "the context restores a loop that has ended: {said:?}");
    let said = prompt(&scratch, "s", "what time is it?");
    assert!(said.told().contains("the loop ended, and its task may be unfinished: no activity for 15 h"), "{said:?}");
    assert_eq!(frames(&scratch).last().unwrap(), "end: stale");
    assert!(!stop(&scratch, "s", "It is nine.").out.contains("iteration"));
    // The same if no stage saw the prompt: the records show the gap.
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop rewrite everything");
    scratch.later(15.0 * 3600.0);
    scratch.prompt("s", "what time is it?");
    let said = stop(&scratch, "s", "It is nine.");
    assert!(said.told().contains("no activity") && !said.out.contains("[iteration"), "{said:?}");
    // A new prompt starts a new loop.
    assert!(prompt(&scratch, "s", "#loop rewrite everything").told().contains("a loop of at most 10"));
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
}

#[test]
fn tool_calls_keep_a_loop_alive() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    for _ in 0..3 {
        scratch.later(5_000.0);
        let tool = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "ok"});
        scratch.sh("rg-trace --hook", &scratch.payload("s", tool));
    }
    scratch.later(5_000.0);
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
}

#[test]
fn after_damage_a_new_loop_can_start() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    iterate(&scratch, 2);
    damage(&scratch, |text| text.replace("\"max\":10", "\"max\":99"));
    assert!(iterate(&scratch, 3).told().contains("are now ignored"));
    prompt(&scratch, "s", "#loop go again");
    for n in 2..=3 {
        assert!(iterate(&scratch, n).reason().starts_with(&format!("[iteration {n} of 10]")));
    }
    // An edit before the loop started does not prevent it.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "look around");
    prompt(&scratch, "s", "and further");
    damage(&scratch, |text| text.replace("look around", "look away"));
    prompt(&scratch, "s", "#loop go");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2 of 10]"));
    // A set-aside record with a wrong chain is ignored.
    damage(&scratch, |text| {
        text + "{\"v\":1,\"kind\":\"frame\",\"id\":\"x\",\"at\":\"2026-11-21T12:00:00.000Z\",\"by_tool\":\"x\",\"state\":\"set-aside\"}\n"
    });
    assert!(iterate(&scratch, 3).told().contains("are now ignored"));
}

#[test]
fn damaged_or_missing_records_are_always_reported() {
    let broken = |text: String| text.replacen("{\"v\":1", "{\"v\":x", 1);
    type Damage<'a> = &'a dyn Fn(&Scratch);
    let damages: [(&str, Damage); 4] = [
        ("the first line", &|scratch| damage(scratch, broken)),
        ("the frame's line", &|scratch| {
            let of_frame = |line: &str| line.contains("\"kind\":\"frame\"");
            let line = |line: &str| if of_frame(line) { broken(line.to_string()) } else { line.to_string() };
            damage(scratch, |text| text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n");
        }),
        ("all of it", &|scratch| fs::remove_file(journal(scratch)).unwrap()),
        ("an end that nobody locked for", &|scratch| {
            let frame = scratch.records("frame")[0]["frame"].as_str().unwrap().to_string();
            let end = json!({"v": 1, "kind": "frame", "id": "x", "at": "2026-11-21T12:00:00.000Z", "by_tool": "rg-loop",
                "prev": null, "unlocked": true, "state": "end", "frame": frame, "why": "complete"});
            damage(scratch, |text| format!("{text}{end}\n"));
        }),
    ];
    for (what, damage) in damages {
        for judged in [false, true] {
            let mut scratch = if judged { Scratch::repo() } else { unjudged() };
            prompt(&scratch, "s", "#loop go");
            damage(&scratch);
            scratch.later(1.0);
            let said = iterate(&scratch, 2);
            assert!(said.told().contains("loop"), "{what}: {said:?}");
            assert!(!said.out.contains("[iteration"), "{what}: {said:?}");
            let notices = fs::read_to_string(scratch.state().join("notices.jsonl")).unwrap();
            assert!(notices.contains("loop"), "{what}: {notices}");
            let told = iterate(&scratch, 3).told();
            assert!(!told.contains("are now ignored") && !told.contains("missing or damaged"), "{what}: once: {told}");
        }
    }
    // It is reported at a prompt, too, and a loop that starts then is valid.
    let scratch = unjudged();
    prompt(&scratch, "s", "#loop go");
    fs::remove_file(journal(&scratch)).unwrap();
    assert!(prompt(&scratch, "s", "#loop again").told().contains("missing or damaged"));
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
}

#[test]
fn an_end_during_a_step_counts() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "Hm."}));
    // The step has read the journal and waits for the lock; the user ends the loop in the meantime.
    let event = scratch.sh("rg-event --client claude", &payload).out;
    let frame = scratch.records("frame")[0]["frame"].as_str().unwrap().to_string();
    let holder = format!(
        "exec 9>>\"$RG_STATE/lock\"; flock 9; rg-loop mark >../marked & sleep 0.5; \
         printf '{{\"v\":1,\"kind\":\"frame\",\"id\":\"x\",\"at\":\"2026-11-21T12:00:00.000Z\",\"by_tool\":\"rg-loop\",\"prev\":\"%s\",\"state\":\"end\",\"frame\":\"{frame}\",\"why\":\"stopped\"}}\\n' \
         \"$(tail -n1 \"$1\" | tr -d '\\n' | sha256sum | cut -d' ' -f1)\" >>\"$1\"; flock -u 9; wait"
    );
    fs::write(scratch.top().join("line"), &event).unwrap();
    let holder = holder.replace("rg-loop mark >", "rg-loop mark <../line 9>&- >");
    let mut command = scratch.command("sh");
    command.args(["-c", &holder, "sh"]).arg(journal(&scratch));
    crate::scratch::feed(&mut command, b"");
    let marked = fs::read_to_string(scratch.top().join("marked")).unwrap();
    assert!(!marked.contains("\"block\"") && marked.contains("the loop was ended in the meantime"), "{marked}");
    assert_eq!(frames(&scratch), ["begin of 10", "end: stopped"]);
}

#[test]
fn simultaneous_stops_are_one_step() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "Hm."}));
    fs::write(scratch.top().join("payload"), payload).unwrap();
    let one = "(rg-event --client claude <../payload | rg-loop mark >/dev/null) &";
    scratch.ok(&format!("{one} {one} {one} wait"));
    let steps = frames(&scratch);
    let wanted: Vec<String> =
        std::iter::once("begin of 10".to_string()).chain((2..=steps.len()).map(|n| format!("next {n}"))).collect();
    assert_eq!(steps, wanted);
    let next = steps.len() + 1;
    assert!(iterate(&scratch, 9).reason().starts_with(&format!("[iteration {next} of 10]")));
}

#[test]
fn a_loop_does_not_bounce_a_fork_of_its_session() {
    let scratch = Scratch::repo();
    let log = |name: &str| {
        let path = scratch.top().join(name);
        let first = json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": "#loop go"}});
        fs::write(&path, format!("{first}\n")).unwrap();
        path
    };
    let at = |session: &str, mut fields: serde_json::Value| {
        fields["transcript_path"] = json!(log(session));
        scratch.payload(session, fields)
    };
    let begin = |session: &str, source: &str| {
        let start = json!({"hook_event_name": "SessionStart", "source": source});
        scratch.sh("rg-event --client claude | rg-answer --client claude --kind session-start", &at(session, start));
    };
    let stops = |session: &str, message: &str| {
        let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false, "background_tasks": [], "session_crons": [], "last_assistant_message": message});
        scratch.sh(crate::loops::STOP, &at(session, stop))
    };
    begin("s", "startup");
    prompt(&scratch, "s", "#loop go");
    begin("f", "fork");
    prompt(&scratch, "f", "just tell me the time");
    let said = stops("f", "noon");
    assert!(!said.out.contains("iteration"), "{said:?}");
    stops("f", "<loop-done>STUCK</loop-done>");
    assert_eq!(frames(&scratch), ["begin of 10"]);
    scratch.append("src.txt", "more\n");
    assert!(stops("s", "Some.").reason().starts_with("[iteration 2"));
    // The fork may have its own loop.
    prompt(&scratch, "f", "#loop another thing");
    scratch.append("src.txt", "more\n");
    assert!(stops("f", "Some.").reason().ends_with("another thing"));
    assert!(stops("s", "Some.").reason().starts_with("[iteration 3"));
    // A cleared session is still bounced.
    begin("t", "clear");
    scratch.append("src.txt", "more\n");
    let reason = stops("t", "Where was I?").reason();
    assert!(reason.starts_with("[iteration "), "{reason}");
}
