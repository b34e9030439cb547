//! Laws of rg-trace: events are recorded in order of arrival, without secrets, and never change an outcome.

use crate::scratch::{STOP, Scratch, lines_of};
use serde_json::{Value, json};
use std::fs;

fn hook(scratch: &Scratch, fields: Value) -> crate::scratch::Said {
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload("s", fields))
}

fn traced(scratch: &Scratch) -> Vec<Value> {
    lines_of(&scratch.state().join("trace/s.jsonl"))
}

fn bash(command: &str, output: &str) -> Value {
    json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": output}})
}

#[test]
fn a_session_is_recorded_in_order() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "fix it");
    hook(&scratch, bash("ls", "src.txt"));
    scratch.append("src.txt", "x\n");
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    hook(&scratch, json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    let events: Vec<Value> = traced(&scratch).iter().map(|record| record["event"].clone()).collect();
    assert_eq!(events, ["tool-after", "stop", "session-end"]);
    let stop = &traced(&scratch)[1];
    assert_eq!((&stop["outcome"], &stop["bounce"]), (&json!("not-done"), &json!("1 of 3")));
    let journal = fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path();
    let head = serde_json::to_value(review_gate::store::journal::head(&journal).unwrap()).unwrap();
    assert_eq!(stop["journal"], head, "a truncated journal shows here");
    let shown = scratch.run("rg-trace", &["show"], b"").out;
    assert_eq!(shown.lines().next().unwrap(), "12:00:00 tool-after    Bash {\"command\":\"ls\"}", "{shown}");
    assert!(shown.contains("stop          not-done (bounce 1 of 3): check \"tests\" failed"), "{shown}");
    assert_eq!(scratch.run("rg-trace", &["show", "nope"], b"").status, 100);
}

#[test]
fn tool_output_is_cut_and_redacted() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    hook(&scratch, bash("export TOKEN=abcdefgh12345678", &"ü".repeat(100_000)));
    let tool = &traced(&scratch)[0]["tool"];
    assert!(tool["output"].as_str().unwrap().len() <= 8 << 10 && tool["output"].as_str().unwrap().contains("left out"));
    assert!(!tool.to_string().contains("abcdefgh12345678"));
}

#[test]
fn off_writes_nothing_and_full_more() {
    for (level, records, least) in [("off", 0, 0), ("events", 1, 7_000), ("full", 1, 60_000)] {
        let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: a, run: \"true\"}}\ntrace: {level}\n"));
        scratch.prompt("s", "go");
        hook(&scratch, bash("x", &"y".repeat(65_000)));
        assert_eq!(traced(&scratch).len(), records, "{level}");
        let size = traced(&scratch).first().map_or(0, |record| record.to_string().len());
        assert!(size >= least, "{level}: {size}");
    }
}

#[test]
fn failures_never_block() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    for input in [&b"garbage"[..], b"", b"{}"] {
        assert_eq!(scratch.run("rg-trace", &["--hook"], input).status, 0);
    }
    fs::write(scratch.state().join("trace"), "in the way").unwrap();
    assert_eq!(hook(&scratch, bash("x", "y")).status, 0);
    scratch.append("src.txt", "x\n");
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    let said = scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    let notices = fs::read_to_string(scratch.state().join("notices.jsonl")).unwrap();
    assert!(notices.contains("rg-trace failed"), "{notices}");
}

#[test]
fn a_held_lock_costs_the_chain_not_the_record() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    hook(&scratch, bash("x", "y"));
    let lock = review_gate::sys::lock::take(&scratch.state().join("lock"), std::time::Duration::from_secs(1)).unwrap();
    hook(&scratch, bash("x", "y"));
    drop(lock);
    hook(&scratch, bash("x", "y"));
    let records = traced(&scratch);
    assert_eq!((records.len(), &records[1]["unlocked"], &records[1]["prev"]), (3, &json!(true), &Value::Null));
    let trace = review_gate::store::journal::Journal::open(&scratch.state().join("trace/s.jsonl")).unwrap();
    assert!(trace.chain().broken.is_empty(), "{:?}", trace.chain());
}

#[test]
fn old_traces_are_removed_when_a_session_ends() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: \"true\"}\ntrace: {level: events, keep: 2}\n");
    scratch.prompt("s", "go");
    fs::create_dir_all(scratch.state().join("trace")).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(scratch.state().join(format!("trace/{name}.jsonl")), "{}\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(15));
    }
    hook(&scratch, json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    let mut left: Vec<_> =
        fs::read_dir(scratch.state().join("trace")).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["c.jsonl", "s.jsonl"]);
}

#[test]
fn a_stop_that_requires_nothing_is_not_recorded() {
    let scratch = Scratch::new();
    scratch.prompt("s", "go");
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    assert_eq!(scratch.sh(&line, &scratch.stop_payload("s", json!({}))).out, "");
    assert!(traced(&scratch).is_empty());
    // A stop without changed files is not recorded; a deferred, waived or judged one is.
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    assert!(traced(&scratch).is_empty());
    let running = json!({"background_tasks": [{"id": "a", "type": "subagent", "status": "running"}]});
    scratch.sh(&line, &scratch.stop_payload("s", running));
    assert_eq!(traced(&scratch).len(), 1);
}

/// Two sessions: `s` with two calls, one of which failed, and a bounce; `t` with one call.
fn two_sessions() -> Scratch {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "fix it");
    hook(&scratch, bash("make parser", "ok"));
    scratch.later(60.0);
    let failed = json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "false"}, "error": "exit 1"});
    hook(&scratch, failed);
    scratch.append("src.txt", "x\n");
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    scratch.sh(&line, &scratch.stop_payload("s", json!({"last_assistant_message": "The lexer is done."})));
    let call = scratch.payload("t", bash("make lexer", "fine"));
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &call);
    scratch
}

#[test]
fn events_of_all_sessions_are_searched_and_counted() {
    let scratch = two_sessions();
    let search = |words: &[&str]| scratch.run("rg-trace", &[&["search"], words].concat(), b"");
    let said = search(&["LEXER"]);
    let sessions: Vec<&str> = said.out.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!((said.status, sessions), (0, vec!["s", "t"]), "{said:?}");
    assert_eq!(search(&["\"make par*\""]).out, "s 12:00:00 tool-after    Bash {\"command\":\"make parser\"}\n");
    assert!(search(&[]).out.lines().count() > 2, "without a word every event fits");
    for words in [&["nowhere"][..], &["***"], &[""], &["\""], &["(", ")"]] {
        let said = search(words);
        assert_eq!(
            (said.status, said.out.as_str(), said.err.as_str()),
            (0, "", "rg-trace: no event fits\n"),
            "{words:?}"
        );
    }
    let stats = |args: &[&str]| scratch.run("rg-trace", &[&["stats"], args].concat(), b"");
    let all = stats(&["--json"]).json();
    let wanted = json!({"sessions": 2, "events": 4, "seconds": 60.0, "tools": {"Bash": {"calls": 3, "failed": 1}},
        "denied": 0, "stops": 1, "outcomes": {"not-done": 1}, "bounces": 1});
    assert_eq!(all, wanted);
    assert_eq!(
        stats(&["s"]).out,
        "sessions: 1, with 3 events, in 60 s\ntool calls: Bash 2 (1 failed)\ndenied calls: 0\nstops: 1, of them judged: 1 not-done\nbounces: 1\n"
    );
    assert_eq!(stats(&["nope"]).status, 100);
    let shown = scratch.run("rg-trace", &["show", "s", "--json"], b"");
    let events: Vec<Value> = shown.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let recorded = traced(&scratch);
    assert_eq!(events.len(), recorded.len());
    for (event, record) in events.iter().zip(&recorded) {
        for (name, value) in event.as_object().unwrap().iter().filter(|(name, _)| name.as_str() != "at") {
            assert_eq!(value, &record[name.as_str()], "{name}");
        }
    }
    // A damaged trace hides no other one.
    fs::remove_file(scratch.state().join("trace/t.jsonl")).unwrap();
    fs::create_dir(scratch.state().join("trace/t.jsonl")).unwrap();
    let said = search(&["lexer"]);
    assert!(said.status == 0 && said.out.starts_with("s ") && said.out.lines().count() == 1, "{said:?}");
}

#[test]
fn only_a_user_at_a_terminal_forgets_a_session_and_the_others_stay_verifiable() {
    let scratch = two_sessions();
    let trace = scratch.state().join("trace/t.jsonl");
    let said = scratch.run("rg-trace", &["forget", "t"], b"");
    assert!(said.status == 100 && said.err.contains("only for the user") && trace.exists(), "{said:?}");
    let said = scratch.sh("CLAUDECODE=1 script -qec 'rg-trace forget t' /dev/null </dev/null", b"");
    assert!(trace.exists(), "{said:?}");
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return crate::scratch::skipped("no script");
    }
    let said = scratch.sh("script -qec 'rg-trace forget t' /dev/null </dev/null", b"");
    assert!(said.out.contains("forgot session t") && !trace.exists(), "{said:?}");
    assert_eq!(traced(&scratch).len(), 3);
    let said = scratch.run("rg-receipt", &["verify"], b"");
    assert!(said.status == 0, "{said:?}");
    assert_eq!(scratch.run("rg-trace", &["forget"], b"").status, 100);
}

#[test]
fn a_warning_is_no_reason() {
    let scratch = Scratch::repo_with(
        "checks:\n  - {name: tests, run: sh test.sh}\n  - {name: net, run: exit 1}\nquarantine:\n  - {check: net, until: 2026-12-01, why: the server moves}\n",
    );
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    let permitted = "warning: check \"net\" failed, which DONE.md permits";
    for (text, shown) in
        [("broken again\n", " not-done (bounce 1 of 3): check \"tests\" failed"), ("fixed\n", " done: ")]
    {
        scratch.prompt("s", "fix it");
        scratch.write("src.txt", text);
        scratch.sh(&line, &scratch.stop_payload("s", json!({})));
        let out = scratch.run("rg-trace", &["show"], b"").out;
        let last = out.lines().last().unwrap();
        assert!(last.contains(shown) && last.contains(permitted), "{out}");
    }
}

#[test]
fn times_are_the_users_and_those_of_records_are_in_utc() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "fix it");
    scratch.append("src.txt", "x\n");
    scratch.sh(&STOP.replace("| rg-answer", "| rg-trace | rg-answer"), &scratch.stop_payload("s", json!({})));
    scratch.ok("rg-rescue save; rg-msg post plan -m hello; rg-issue new 'a bug'; rg-issue comment \"$(rg-issue list --quiet)\" -m why");
    let lines = [
        ("rg-trace show", "13:00:00 stop", None),
        ("rg-trace list", " 2026-11-21 13:00+01:00 ", Some("rg-trace list --json")),
        ("rg-receipt list", " 2026-11-21 13:00+01:00 ", Some("rg-receipt list --json")),
        ("rg-receipt show", "2026-11-21T13:00:00.000+01:00", Some("rg-receipt show --json")),
        ("rg-rescue list", " 2026-11-21 13:00+01:00 ", Some("rg-rescue list --json")),
        ("rg-msg read plan", " 2026-11-21T13:00:00.000+01:00 ", Some("rg-msg read plan --json")),
        ("rg-issue show \"$(rg-issue list --quiet)\"", "2026-11-21T13:00:00.000+01:00 ", None),
    ];
    for (line, local, json) in lines {
        scratch.set("TZ", "CET-1");
        let said = scratch.ok(line);
        assert!(said.out.contains(local), "{line}: {said:?}");
        if let Some(json) = json {
            let in_json = scratch.ok(json).out;
            assert!(in_json.contains("2026-11-21T12:00:00.000Z") && !in_json.contains("+01:00"), "{json}: {in_json}");
        }
        scratch.set("TZ", "/dev/zero");
        let in_utc = local.replace("13:00", "12:00").replace("+01:00", "Z");
        assert!(scratch.ok(line).out.contains(&in_utc), "{line}: {in_utc:?}");
    }
    let records = fs::read_to_string(scratch.state().join("trace/s.jsonl")).unwrap();
    assert!(records.contains("2026-11-21T12:00:00.000Z") && !records.contains("+01:00"));
}
