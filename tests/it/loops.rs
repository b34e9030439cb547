//! Laws of rg-loop: a loop bounces its own task until it is done or stuck, and always ends.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::{Value, json};
use std::fs;

pub const COMPLETE: &str = "All of it.\n<loop-done>COMPLETE</loop-done>";

pub const STOP: &str = "rg-event --client claude --within 3560 | rg-loop mark | rg-tamper | rg-check | rg-review-state | rg-bounce | rg-loop next | rg-receipt | rg-answer --client claude --kind stop";

pub fn prompt(scratch: &Scratch, session: &str, text: &str) -> Said {
    let line =
        "rg-event --client claude --within 290 | rg-tamper | rg-loop mark | rg-answer --client claude --kind prompt";
    scratch.sh(line, &scratch.payload(session, json!({"hook_event_name": "UserPromptSubmit", "prompt": text})))
}

pub fn stop(scratch: &Scratch, session: &str, message: &str) -> Said {
    scratch.sh(STOP, &scratch.stop_payload(session, json!({"last_assistant_message": message})))
}

/// The frame records, as their `state` and its main value.
pub fn frames(scratch: &Scratch) -> Vec<String> {
    let word = |record: &Value| match record["state"].as_str().unwrap() {
        "next" => format!("next {}", record["iteration"]),
        "begin" => format!("begin of {}", record["max"]),
        state => format!("{state}: {}", record["why"].as_str().unwrap_or("")),
    };
    scratch.records("frame").iter().map(word).collect()
}

pub fn runs(scratch: &Scratch) -> usize {
    let entries = fs::read_dir(scratch.state().join("checks")).into_iter().flatten().flatten();
    let journals = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    journals.flat_map(|path| lines_of(&path)).filter(|record| record["kind"] == "run").count()
}

/// One iteration with a changed file.
pub fn iterate(scratch: &Scratch, n: u32) -> Said {
    scratch.append("src.txt", &format!("step {n}\n"));
    stop(scratch, "s", "I did some of it.")
}

#[test]
fn it_continues_until_the_mark_and_then_the_judges_decide() {
    let scratch = Scratch::repo();
    let said = prompt(&scratch, "s", "#loop make src.txt say fixed\nand mean it");
    assert!(said.told().contains("a loop of at most 10 iterations"), "{said:?}");
    let context = said.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_string();
    assert!(context.contains("<loop-done>COMPLETE</loop-done>") && context.contains("after 8 answers"), "{context}");
    for n in 2..=3 {
        let reason = iterate(&scratch, n).reason();
        assert!(reason.starts_with(&format!("[iteration {n} of 10] ")), "{reason}");
        assert!(reason.ends_with("The task:\nmake src.txt say fixed\nand mean it"), "{reason}");
        assert!(reason.contains(&format!("Worktree: {}, branch main, from ", scratch.work().display())), "{reason}");
    }
    assert_eq!((runs(&scratch), scratch.words().len()), (0, 0), "no judge was asked");
    // The mark only lets the judges run.
    let reason = stop(&scratch, "s", COMPLETE).reason();
    assert!(reason.contains("src.txt:1: not fixed") && scratch.words() == ["not-done"], "{reason}");
    let reason = iterate(&scratch, 4).reason();
    assert!(reason.contains("1 open finding when the work was last judged"), "{reason}");
    assert!(reason.contains("Open findings (1):\n- check \"tests\" failed"), "{reason}");
    scratch.append("src.txt", "fixed\n");
    let said = stop(&scratch, "s", COMPLETE);
    assert!(said.told().contains("the loop is done at iteration 4"), "{said:?}");
    assert_eq!(scratch.words(), ["not-done", "done"]);
    assert_eq!(frames(&scratch), ["begin of 10", "next 2", "next 3", "next 4", "end: complete"]);
    let unclosed = scratch.records("open").len() - scratch.records("close").len() - scratch.records("receipt").len();
    assert_eq!(unclosed, 0, "each stop that was opened is closed");
    assert_eq!(stop(&scratch, "s", "Bye.").out, "", "nobody is held any more");
}

#[test]
fn without_a_definition_of_done_the_mark_alone_ends_it() {
    let scratch = Scratch::new();
    scratch.ok("git init -q && git commit -q --allow-empty -m start");
    prompt(&scratch, "s", "/review-gate:loop write a poem");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2 of 10]"));
    let said = stop(&scratch, "s", COMPLETE);
    assert!(said.out.contains("the loop is done"), "{said:?}");
    assert_eq!((frames(&scratch).last().unwrap().as_str(), scratch.words().len()), ("end: complete", 0));
    assert_eq!(stop(&scratch, "s", "Bye.").out, "");
    assert_eq!(scratch.records("open").len(), scratch.records("close").len());
}

#[test]
fn a_quiet_stop_without_a_loop_writes_nothing() {
    let scratch = Scratch::new();
    scratch.ok("git init -q && git commit -q --allow-empty -m start");
    let said = stop(&scratch, "s", COMPLETE);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    assert!(!scratch.state().exists());
}

#[test]
fn marks_and_reasons_that_give_up_end_it() {
    for (message, text) in [
        ("<loop-done>STUCK</loop-done>", "stuck"),
        ("<loop-done>MAX_ITERATIONS</loop-done>", "iterations are used up"),
        ("CANNOT: there is no network", "there is no network"),
    ] {
        for gated in [true, false] {
            let scratch = if gated { Scratch::repo() } else { Scratch::new() };
            scratch.ok("git init -q && git commit -q --allow-empty -m more");
            prompt(&scratch, "s", "#loop go");
            // The loop is given up even if the judges pass or nothing is required.
            scratch.append("src.txt", "fixed\n");
            let said = stop(&scratch, "s", message);
            assert!(said.told().contains("abandoned") && said.told().contains(text), "{message}: {said:?}");
            assert_eq!(scratch.words(), ["abandoned"], "{message}");
            assert!(frames(&scratch)[1].starts_with("end: "), "{message}");
            assert_eq!(scratch.receipt()["ended"]["why"], if text.contains("network") { "cannot" } else { "stuck" });
        }
    }
}

#[test]
fn it_is_given_up_after_its_last_iteration() {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop:\n  max: 2\n");
    prompt(&scratch, "s", "#loop go");
    let reason = iterate(&scratch, 2).reason();
    assert!(reason.starts_with("[iteration 2 of 2]") && reason.contains("This is the last iteration."), "{reason}");
    let said = iterate(&scratch, 3);
    assert!(said.told().contains("abandoned: 2 iterations without COMPLETE"), "{said:?}");
    assert_eq!(scratch.words(), ["abandoned"]);
    // A mark in the last iteration counts.
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop: {max: 1}\n");
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "fixed\n");
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn three_iterations_without_a_change_are_stuck() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    assert!(stop(&scratch, "s", "Hm.").reason().contains("nothing changed in 1 iteration; after three"));
    iterate(&scratch, 2);
    for n in 1..=2 {
        let reason = stop(&scratch, "s", "Hm.").reason();
        assert!(reason.contains(&format!("nothing changed in {n} iteration")), "{reason}");
    }
    let said = stop(&scratch, "s", "Hm.");
    assert!(said.told().contains("stuck: nothing changed in 3 iterations"), "{said:?}");
    assert_eq!(
        (scratch.words(), scratch.receipt()["ended"]["why"].as_str()),
        (vec!["abandoned".into()], Some("stuck"))
    );
}

#[test]
fn complete_without_work_is_not_done() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    let reason = stop(&scratch, "s", COMPLETE).reason();
    assert!(reason.contains("src.txt:1: not fixed"), "{reason}");
    assert_eq!(scratch.words(), ["not-done"]);
}

#[test]
fn contradictory_marks_are_ignored() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    let reason = stop(&scratch, "s", &format!("{COMPLETE}\n<loop-done>STUCK</loop-done>")).reason();
    assert!(reason.starts_with("Your marks contradict each other"), "{reason}");
    let reason = stop(&scratch, "s", "```\n<loop-done>COMPLETE</loop-done>\n```").reason();
    assert!(reason.starts_with("[iteration 3 of 10]"), "{reason}");
}

#[test]
fn it_bounces_only_its_own_task() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    prompt(&scratch, "other", "just look");
    let said = stop(&scratch, "other", "I looked.");
    assert!(!said.out.contains("iteration"), "another session in the same directory: {said:?}");
    let said = stop(&scratch, "unseen", "I am new.");
    assert!(!said.out.contains("iteration"), "{said:?}");
    // The loop ignores a subagent's stop and a made-up one.
    let sub = json!({"hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": "helper"});
    let line = "rg-event --client claude | rg-loop mark | rg-bounce | rg-loop next | rg-receipt | rg-answer --client claude --kind subagent-stop";
    assert_eq!(scratch.sh(line, &scratch.payload("s", sub)).out, "");
    assert!(stop(&scratch, "s", "Some.").reason().starts_with("[iteration 2 of 10]"));
}

#[test]
fn a_forged_event_line_changes_no_loop() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    // The line of a real stop, sent again with another message.
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "Hm."}));
    let line =
        scratch.sh("rg-event --client claude | tee ../line | rg-loop mark | rg-loop next | rg-receipt", &payload);
    assert!(line.out.contains("[iteration 2 of 10]"), "{line:?}");
    let line = fs::read_to_string(scratch.top().join("line")).unwrap();
    let forged = line.replace("\"Hm.\"", "\"<loop-done>COMPLETE</loop-done>\"").replace("\"required\"", "\"old\"");
    for stages in ["rg-loop mark", "rg-loop next", "rg-loop mark | rg-loop next"] {
        for line in [&line, &forged, &forged.replace("\"budget_owner\":\"main\"", "\"budget_owner\":\"agent:x\"")] {
            scratch.sh(stages, line.as_bytes());
        }
    }
    assert_eq!(frames(&scratch), ["begin of 10", "next 2"]);
    // A manual line in the client's form changes nothing, either.
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    scratch.sh("rg-event --client claude | rg-answer", &scratch.payload("t", start));
    prompt(&scratch, "t", "#loop go");
    let payload = scratch.stop_payload("t", json!({"last_assistant_message": COMPLETE}));
    let mut by_hand = scratch.command("sh");
    by_hand.env("CLAUDE_PID", "7").args(["-c", STOP]);
    crate::scratch::feed(&mut by_hand, &payload);
    assert_eq!(frames(&scratch).last().unwrap(), "begin of 10");
}

#[test]
fn a_long_task_is_kept_word_for_word() {
    let mut scratch = Scratch::repo();
    let text = format!("Start \"here\".\n{}\nEnd <here>.", "word\\ \u{fc} ".repeat(5_000));
    prompt(&scratch, "s", &format!("#loop {text}"));
    let said = iterate(&scratch, 2);
    let reason = said.reason();
    assert!(reason.contains("rg-loop show --prompt") && reason.contains("Start \"here\"."), "{reason}");
    let quoted = said.out.chars().count();
    assert!(quoted < 3_900, "{quoted}");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    assert_eq!(scratch.run("rg-loop", &["show", "--prompt"], b"").out.trim_end(), text.trim_end());
}

#[test]
fn two_hours_without_an_event_end_it() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.later(7_000.0);
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
    scratch.later(7_201.0);
    let said = stop(&scratch, "s", "Hm.");
    assert!(said.told().contains("the loop ended, and its task may be unfinished: no activity for 2 h"), "{said:?}");
    assert_eq!(frames(&scratch).last().unwrap(), "end: stale");
    assert!(!said.out.contains("iteration"), "the gate judges as without a loop: {said:?}");
    let notices = fs::read_to_string(scratch.state().join("notices.jsonl")).unwrap();
    assert!(notices.contains("no activity"), "{notices}");
}

#[test]
fn inconsistent_records_are_set_aside_and_bounce_nothing() {
    let of = |scratch: &Scratch| {
        let mut tasks = fs::read_dir(scratch.state().join("tasks")).unwrap();
        tasks.next().unwrap().unwrap().path()
    };
    type Damage = fn(String) -> String;
    let edits: [(&str, Damage); 5] = [
        ("an iteration that does not follow", |text| text.replace("\"iteration\":2", "\"iteration\":9")),
        ("another limit", |text| text.replace("\"max\":10", "\"max\":99")),
        ("no number", |text| text.replace("\"max\":10", "\"max\":\"ten\"")),
        ("a foreign frame", |text| {
            text + "{\"v\":1,\"kind\":\"frame\",\"id\":\"x\",\"at\":\"2026-11-21T12:00:00.000Z\",\"by_tool\":\"x\",\"state\":\"end\",\"frame\":\"of another\"}\n"
        }),
        ("half a frame", |text| {
            text + "{\"v\":1,\"kind\":\"frame\",\"id\":\"x\",\"at\":\"2026-11-21T12:00:00.000Z\",\"by_tool\":\"x\",\"state\":\"begin\"}\n"
        }),
    ];
    for (what, damage) in edits {
        let scratch = Scratch::repo();
        prompt(&scratch, "s", "#loop go");
        iterate(&scratch, 2);
        let path = of(&scratch);
        fs::write(&path, damage(fs::read_to_string(&path).unwrap())).unwrap();
        let said = stop(&scratch, "s", "Hm.");
        assert!(
            said.told().contains("are inconsistent") && said.told().contains("are now ignored"),
            "{what}: {said:?}"
        );
        assert!(!said.out.contains("[iteration"), "{what}: {said:?}");
        let said = stop(&scratch, "s", "Hm.");
        assert!(!said.told().contains("are now ignored"), "{what}: once: {said:?}");
    }
    // The text of the task is missing.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    fs::remove_dir_all(scratch.state().join("blobs")).unwrap();
    let said = stop(&scratch, "s", "Hm.");
    assert!(said.told().contains("are now ignored"), "{said:?}");
    // A torn line is no edit: the loop continues.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    let path = of(&scratch);
    fs::write(&path, fs::read_to_string(&path).unwrap() + "{\"v\":1,\"kind\":\"fra").unwrap();
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
}

#[test]
fn killed_at_a_write_it_continues_where_it_was() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    let line = STOP.replace("rg-loop mark", "env RG_CRASH=1 rg-loop mark");
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "Some."}));
    let said = scratch.sh(&line, &payload);
    assert!(said.told().contains("unverified"), "{said:?}");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2 of 10]"));
    scratch.append("src.txt", "fixed\n");
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn an_inner_loop_returns_to_the_outer_loop() {
    let mut scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop the whole");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    scratch.set("CLAUDECODE", "1");
    let start = |text: &str, max: &str| scratch.run("rg-loop", &["start", "--max", max, text], b"");
    let said = start("a part", "3");
    assert!(said.status == 0 && said.out.contains("a loop of at most 3 iterations"), "{said:?}");
    assert_eq!(start("a part", "3").status, 0, "the same again is the same");
    let said = scratch.run("rg-loop", &["start", "--max", "0", "b"], b"");
    assert_eq!(said.status, 100);
    assert_eq!(frames(&scratch), ["begin of 10", "begin of 3"]);
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2 of 3]"));
    let status = scratch.run("rg-loop", &["show"], b"").out;
    assert!(status.contains("2 nested loops") && status.contains("iteration 2 of 3, by agent"), "{status}");
    // The inner loop is done: judged, and the outer one continues. No receipt has the outcome done.
    scratch.append("src.txt", "fixed\n");
    let reason = stop(&scratch, "s", COMPLETE).reason();
    assert!(reason.starts_with("The inner loop is done.\n[iteration 2 of 10]") && reason.ends_with("the whole"));
    assert_eq!((runs(&scratch), scratch.words().len()), (1, 0));
    // The inner loop is given up: the same.
    start("another part", "2");
    let reason = stop(&scratch, "s", "<loop-done>STUCK</loop-done>").reason();
    assert!(
        reason.starts_with("The inner loop was given up: the agent reports that it is stuck.\n[iteration 3 of 10]")
    );
    // At most four loops nest, and an agent ends one only with a mark.
    for n in 2..=4 {
        assert_eq!(start(&format!("part {n}"), "2").status, 0);
    }
    let said = start("part 5", "2");
    assert!(said.status == 1 && said.err.contains("4 loops are nested already"), "{said:?}");
    assert_eq!(scratch.run("rg-loop", &["stop"], b"").status, 100);
    assert_eq!(scratch.run("rg-loop", &["off"], b"").status, 100);
    for n in 0..3 {
        scratch.append("src.txt", "x\n");
        let said = stop(&scratch, "s", COMPLETE);
        assert!(said.reason().starts_with("The inner loop is done."), "{n}: {said:?}");
    }
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn an_agent_gets_no_more_iterations_than_the_user_gave() {
    let mut scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop: {max: 4}\n");
    prompt(&scratch, "s", "#loop the whole");
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return crate::scratch::skipped("no script");
    }
    let line = "rg-loop start --max 50 \"a person's\"";
    assert_eq!(scratch.run("script", &["-qec", line, "/dev/null"], b"").status, 0);
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    assert_eq!(scratch.run("rg-loop", &["start", "--max", "50", "an agent's"], b"").status, 0);
    assert_eq!(frames(&scratch), ["begin of 4", "begin of 50", "begin of 4"]);
}

#[test]
fn an_outer_loop_without_iterations_left_is_given_up() {
    for message in [COMPLETE, "<loop-done>STUCK</loop-done>"] {
        let mut scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop: {max: 1}\n");
        prompt(&scratch, "s", "#loop the whole");
        scratch.set("CLAUDE_CODE_SESSION_ID", "s");
        assert_eq!(scratch.run("rg-loop", &["start", "a part"], b"").status, 0);
        scratch.append("src.txt", "fixed\n");
        let said = stop(&scratch, "s", message);
        assert!(said.told().contains("abandoned"), "{said:?}");
        assert_eq!(scratch.words(), ["abandoned"]);
        assert_eq!(stop(&scratch, "s", "Bye.").out.matches("iteration").count(), 0);
    }
}

#[test]
fn the_user_ends_it_at_any_time() {
    for word in ["#loop:stop", "/review-gate:cancel"] {
        let scratch = Scratch::repo();
        prompt(&scratch, "s", "#loop go");
        iterate(&scratch, 2);
        let said = prompt(&scratch, "s", word);
        assert!(said.told().contains("ended the loop at iteration 2"), "{said:?}");
        let said = stop(&scratch, "s", "Fine.");
        assert!(!said.out.contains("iteration"), "the definition of done still holds: {said:?}");
        assert_eq!(frames(&scratch).last().unwrap(), "end: cancelled");
        assert!(prompt(&scratch, "s", word).told().contains("no loop to end"));
    }
    // At a terminal or from a script.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    let said = scratch.run("rg-loop", &["stop"], b"");
    assert!(said.status == 0 && said.out.ends_with("1 loop ended\n"), "{said:?}");
    assert_eq!(scratch.run("rg-loop", &["stop"], b"").status, 1);
    assert_eq!(scratch.run("rg-loop", &["show"], b"").status, 1);
    // A waiver of the whole gate includes the loop.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    prompt(&scratch, "s", "#gate:off");
    assert!(!stop(&scratch, "s", "Fine.").out.contains("iteration"));
}

#[test]
fn only_the_users_prompts_start_and_end_it() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "go");
    for text in [
        "<task-notification>\n#loop x\n</task-notification>",
        "<agent-message from=\"a\">\n#loop x\n</agent-message>",
        "please #loop x",
        "#loops",
    ] {
        prompt(&scratch, "s", text);
        assert!(frames(&scratch).is_empty(), "{text}");
    }
    let bare = prompt(&scratch, "s", "#loop");
    assert!(bare.told().contains("the task is missing"), "{bare:?}");
    // A prompt that the agent scheduled itself.
    let crons = json!([{"id": "c", "schedule": "* * * * *", "recurring": false, "prompt": "#loop:stop"}]);
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "Hm.", "session_crons": crons}));
    scratch.sh(STOP, &payload);
    prompt(&scratch, "s", "#loop:stop");
    assert_eq!(frames(&scratch), ["begin of 10", "next 2"], "it was scheduled, not typed");
}

#[test]
fn a_user_who_starts_a_loop_is_told_which_session_gets_it() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "go");
    let Some(said) = crate::person::at_a_terminal(&scratch, "rg-loop start 'do it'") else { return };
    let task = scratch.records("begin")[0]["id"].clone();
    assert!(
        said.out.starts_with("task ") && said.out.contains(": started a loop of at most 10 iterations in session s. "),
        "{task}: {said:?}"
    );
    assert!(!said.out.contains("your stops"), "{said:?}");
    let shown = crate::person::at_a_terminal(&scratch, "rg-loop show").unwrap();
    assert_eq!(shown.out.split(':').next(), said.out.split(':').next(), "{shown:?}");
    at_a_terminal_stop(&scratch);
}

/// Ends the loop as the user, and asks once more.
fn at_a_terminal_stop(scratch: &Scratch) {
    let ended = crate::person::at_a_terminal(scratch, "rg-loop stop").unwrap();
    assert!(ended.status == 0 && ended.out.trim_end().ends_with("1 loop ended"), "{ended:?}");
    let none = crate::person::at_a_terminal(scratch, "rg-loop show").unwrap();
    assert!(none.status == 1 && !none.out.trim_end().ends_with('.'), "{none:?}");
}

#[test]
fn what_turns_loops_off() {
    let at_a_terminal = |scratch: &Scratch, line: &str| scratch.run("script", &["-qec", line, "/dev/null"], b"");
    if std::process::Command::new("script").arg("--version").output().is_err() {
        crate::scratch::skipped("no script");
    } else {
        let scratch = Scratch::repo();
        prompt(&scratch, "s", "#loop go");
        let said = at_a_terminal(&scratch, "rg-loop off");
        assert!(said.status == 0 && said.out.contains("loops are off"), "{said:?}");
        let said = stop(&scratch, "s", "Hm.");
        assert!(said.told().contains("loops are off") && !said.out.contains("[iteration"), "{said:?}");
        let said = prompt(&scratch, "s", "#loop again");
        assert!(said.told().contains("no loop started: loops are off. Turn them on with `rg-loop on`"), "{said:?}");
        at_a_terminal(&scratch, "rg-loop on");
        prompt(&scratch, "s", "#loop again");
        assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
    }
    // Refused to a script and to an agent.
    let scratch = Scratch::repo();
    assert_eq!(scratch.run("rg-loop", &["off"], b"").status, 100);
    // DONE.md as the task began with it.
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop: {disabled: true}\n");
    let said = prompt(&scratch, "s", "#loop go");
    assert!(said.told().contains("no loop started: `loop.disabled` is set in DONE.md"), "{said:?}");
    // A file that existed before the task.
    let scratch = Scratch::repo();
    scratch.write(".review-gate-disabled", "");
    let said = prompt(&scratch, "s", "#loop go");
    assert!(said.told().contains("no loop started: the file .review-gate-disabled exists"), "{said:?}");
    assert!(frames(&scratch).is_empty());
    // It still counts after it was touched, or removed and created again.
    fs::remove_file(scratch.work().join(".review-gate-disabled")).unwrap();
    prompt(&scratch, "s", "#loop go");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
    scratch.write(".review-gate-disabled", "");
    let said = iterate(&scratch, 3);
    assert!(said.told().contains("the loop ended") && said.told().contains("when the task began"), "{said:?}");
    assert!(!said.out.contains("was created during the task"), "{said:?}");
    assert!(prompt(&scratch, "s", "#loop go").told().contains("no loop started: the file"));
    // A file that was created during the task does not turn loops off.
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "look around");
    scratch.write(".review-gate-disabled", "");
    prompt(&scratch, "s", "#loop go");
    assert!(iterate(&scratch, 2).reason().contains("was created during the task"));
}

#[test]
fn a_file_that_turns_loops_off_during_the_task_is_tampering() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "fixed\n");
    scratch.write(".review-gate-disabled", "");
    let reason = stop(&scratch, "s", "Hm.").reason();
    assert!(reason.starts_with("[iteration 2 of 10]") && reason.contains("was created during the task"));
    stop(&scratch, "s", COMPLETE).reason();
    assert_eq!(scratch.words(), ["not-done"]);
    let found = scratch.receipt()["findings"].clone();
    let found = found.as_array().unwrap().iter().find(|found| found["rule"] == "loop-disabled").cloned();
    assert_eq!(found.unwrap()["level"], "tampered");
    fs::remove_file(scratch.work().join(".review-gate-disabled")).unwrap();
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words(), ["not-done", "done"]);
}

#[test]
fn a_checkpoint_is_judged_and_the_loop_continues() {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nloop:\n  checkpoint: 2\n");
    prompt(&scratch, "s", "#loop go");
    assert!(iterate(&scratch, 2).reason().starts_with("[iteration 2"));
    assert_eq!(runs(&scratch), 0);
    let reason = iterate(&scratch, 3).reason();
    assert!(reason.contains("| src.txt:1: not fixed") && reason.contains("\n[iteration 3 of 10]"), "red: {reason}");
    assert!(reason.contains("1 open finding when the work was last judged"), "{reason}");
    let reason = iterate(&scratch, 4).reason();
    assert!(reason.starts_with("[iteration 4 of 10]") && reason.contains("- check \"tests\" failed"), "{reason}");
    scratch.append("src.txt", "fixed\n");
    let reason = stop(&scratch, "s", "Mended.").reason();
    assert!(reason.starts_with("[iteration 5 of 10]") && !reason.contains("open finding"), "green: {reason}");
    assert_eq!((runs(&scratch), scratch.words().len()), (2, 0), "a checkpoint ends no task, and spends no round");
    stop(&scratch, "s", COMPLETE);
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn it_waits_for_agents_and_survives_resume_and_clear() {
    let scratch = Scratch::repo();
    let start = |session: &str, source: &str| {
        let payload = scratch.payload(session, json!({"hook_event_name": "SessionStart", "source": source}));
        scratch.sh("rg-event --client claude | rg-anchor | rg-answer --client claude --kind session-start", &payload)
    };
    start("s", "startup");
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "more\n");
    let running = json!([{"id": "a", "type": "subagent", "status": "running", "description": "look"}]);
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "I wait.", "background_tasks": running}));
    assert!(!scratch.sh(STOP, &payload).out.contains("block"), "deferred");
    assert!(stop(&scratch, "s", "It came.").reason().starts_with("[iteration 2"));
    let said = start("s", "resume");
    assert!(said.out.contains("loop: iteration 2 of 10"), "the context names the loop: {said:?}");
    start("t", "clear");
    scratch.append("src.txt", "more\n");
    assert!(stop(&scratch, "t", "Where was I?").reason().starts_with("[iteration 3"));
}

#[test]
fn usage_errors_are_named() {
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "go");
    for (args, status) in [
        (&["start"] as &[&str], 1),
        (&["start", " "], 100),
        (&["start", "--max", "0", "x"], 100),
        (&["start", "--max", "101", "x"], 100),
        (&["start", "--max", "many", "x"], 100),
        (&["start", "--task", "nobody", "x"], 100),
        (&["start", "a", "b"], 100),
        (&["show", "--task", "nobody"], 100),
        (&["burn"], 100),
        (&[], 100),
        (&["show"], 1),
        (&["start", "x"], 0),
        (&["show"], 0),
    ] {
        let said = scratch.run("rg-loop", args, b"");
        assert_eq!((said.status, said.err.lines().count()), (status, usize::from(status > 0)), "{args:?}: {said:?}");
    }
    for yaml in [
        "loop: 3",
        "loop: {max: 0}",
        "loop: {max: 101}",
        "loop: {checkpoint: x}",
        "loop: {disabled: 1}",
        "loop: {often: 1}",
    ] {
        let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: tests, run: sh test.sh}}\n{yaml}\n"));
        let said = scratch.run("rg-check", &["--now"], b"");
        assert!(
            said.status == 100 && said.err.contains("DONE.md:6") || said.out.contains("DONE.md:6"),
            "{yaml}: {said:?}"
        );
    }
}

#[test]
fn a_mark_is_read_from_the_whole_message() {
    let line = "a line of words\n";
    // The message is longer than its recorded part, and the fence starts outside of that part.
    let quoted = |mark: &str| format!("{}```\n{}{mark}\n```\nI go on.", line.repeat(2500), "out\n".repeat(9000));
    let said = |mark: &str| format!("```\n{}```\n{}{mark}", line.repeat(3000), "prose\n".repeat(6000));
    for mark in ["<loop-done>STUCK</loop-done>", "CANNOT: there is no network"] {
        let scratch = Scratch::repo();
        prompt(&scratch, "s", "#loop go");
        scratch.append("src.txt", "more\n");
        let reason = stop(&scratch, "s", &quoted(mark)).reason();
        assert!(reason.starts_with("[iteration 2 of 10]"), "{mark}: {reason}");
        stop(&scratch, "s", &said(mark));
        assert_eq!((scratch.words(), frames(&scratch).len()), (vec!["abandoned".to_string()], 3), "{mark}");
    }
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    scratch.append("src.txt", "fixed\n");
    assert!(stop(&scratch, "s", &quoted("<loop-done>COMPLETE</loop-done>")).reason().starts_with("[iteration 2"));
    stop(&scratch, "s", &said("<loop-done>COMPLETE</loop-done>"));
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn a_quoted_or_commented_mark_is_ignored() {
    let stuck = "<loop-done>STUCK</loop-done>";
    let scratch = Scratch::repo();
    prompt(&scratch, "s", "#loop go");
    let quotations = [format!("> The manual says to end with\n{stuck}"), format!("<!--\n{stuck}\n-->")];
    for (n, message) in quotations.into_iter().enumerate() {
        scratch.append("src.txt", "more\n");
        let reason = stop(&scratch, "s", &message).reason();
        assert!(reason.starts_with(&format!("[iteration {} of 10]", n + 2)), "{message}: {reason}");
    }
    // Text that only looks like a fence does not hide a mark.
    scratch.append("src.txt", "fixed\n");
    stop(&scratch, "s", &format!("    ```\n``` ```x``` is what it prints ```\n{COMPLETE}"));
    assert_eq!(scratch.words(), ["done"]);
}
