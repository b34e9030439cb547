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
