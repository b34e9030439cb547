//! Records that are cut off the end of a task's journal: the trace shows it, and nothing in that journal counts any more.

use crate::scratch::{Scratch, lines_of};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// A time after the start of any machine that runs the tests.
const LATER: &str = "2099-01-01T00:00:00.000Z";

fn repo(yaml: &str) -> Scratch {
    let mut scratch = Scratch::repo_with(yaml);
    scratch.set("RG_NOW", LATER);
    scratch
}

const CHECKS: &str = "checks:\n  - {name: tests, run: sh test.sh}\n";

/// A tool call of the session, as the trace records it.
fn tool_call(scratch: &Scratch) {
    let call = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}});
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload("s", call));
}

fn journal(scratch: &Scratch) -> PathBuf {
    fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path()
}

/// Cuts the task's journal after its first `lines` lines.
fn cut(scratch: &Scratch, lines: usize) {
    let path = journal(scratch);
    let text = fs::read_to_string(&path).unwrap();
    let kept: String = text.split_inclusive('\n').take(lines).collect();
    assert!(kept.len() < text.len(), "{text}");
    fs::write(path, kept).unwrap();
}

/// A session with a requested review and a bounce on record, both cut off.
fn cut_session(scratch: &Scratch) {
    scratch.prompt("s", "fix it");
    let begun = lines_of(&journal(scratch)).len();
    scratch.append("src.txt", "x\n");
    scratch.prompt("s", "#review");
    assert!(scratch.stop("s").reason().contains("not fixed"));
    tool_call(scratch);
    cut(scratch, begun);
}

#[test]
fn records_cut_off_the_end_of_a_journal_are_tampering() {
    let scratch = repo(CHECKS);
    cut_session(&scratch);
    scratch.write("src.txt", "fixed\n");
    assert!(scratch.stop("s").reason().contains("the journal of this task was edited before record 5"));
    assert_eq!(scratch.words().last().unwrap(), "not-done");
    let kinds: Vec<_> = lines_of(&journal(&scratch)).iter().map(|line| line["kind"].clone()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == json!("cut")).count(), 1, "{kinds:?}");
}

#[test]
fn a_tool_call_after_the_cut_hides_nothing() {
    let scratch = repo(CHECKS);
    cut_session(&scratch);
    tool_call(&scratch);
    tool_call(&scratch);
    scratch.write("src.txt", "fixed\n");
    assert!(scratch.stop("s").reason().contains("the journal of this task was edited"));
}

#[test]
fn in_a_cut_journal_nothing_is_waived_and_the_prompt_tells_it() {
    let scratch = repo(CHECKS);
    scratch.prompt("s", "fix it");
    let begun = lines_of(&journal(&scratch)).len();
    scratch.prompt("s", "#gate:off");
    scratch.prompt("s", "#gate:on");
    tool_call(&scratch);
    // What is left switches the gate off.
    cut(&scratch, begun + 2);
    let told = scratch.prompt("s", "go on").told();
    assert!(told.contains("the journal of this task was edited before record"), "{told}");
    scratch.append("src.txt", "x\n");
    assert!(scratch.stop("s").reason().contains("the journal of this task was edited"));
    let told = scratch.prompt("s", "#gate:off").told();
    assert!(told.contains("#gate:off refused: the journal of this task was edited"), "{told}");
}

#[test]
fn what_a_crash_of_the_machine_cut_off_is_no_edit() {
    // The pinned time is before the start of this machine.
    let scratch = Scratch::repo_with(CHECKS);
    if !std::path::Path::new("/proc/stat").exists() {
        return crate::scratch::skipped("no /proc");
    }
    cut_session(&scratch);
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn a_torn_line_and_later_records_are_no_cut() {
    let scratch = repo(CHECKS);
    scratch.prompt("s", "fix it");
    scratch.append("src.txt", "x\n");
    tool_call(&scratch);
    let path = journal(&scratch);
    let torn = fs::read_to_string(&path).unwrap() + "{\"v\":1,\"kind\":\"waive\",\"id";
    fs::write(&path, torn).unwrap();
    tool_call(&scratch);
    assert!(!scratch.stop("s").reason().contains("edited"));
    tool_call(&scratch);
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
}

/// Named in the threat model: the records of the session agree with each other.
#[test]
fn records_that_are_cut_off_together_with_the_trace_are_not_seen() {
    let scratch = repo(CHECKS);
    cut_session(&scratch);
    fs::remove_file(scratch.state().join("trace/s.jsonl")).unwrap();
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
}
