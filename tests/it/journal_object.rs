//! Tests of journals and receipts with the programs: how often they are read, other files in their place, and the effect of damage.

use crate::scratch::{Scratch, skipped, stop_stages};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

fn journal(scratch: &Scratch) -> PathBuf {
    fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path()
}

fn failing() -> Scratch {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    scratch
}

#[test]
fn no_stage_reads_a_tasks_journal_more_than_twice() {
    if Command::new("strace").arg("-V").output().is_err() {
        return skipped("no strace");
    }
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nreview:\n  when: always\n");
    scratch.prompt("s", "#loop go");
    scratch.append("src.txt", "fixed\n");
    let logs = scratch.top().join("opens");
    fs::create_dir(&logs).unwrap();
    let traced = stop_stages()
        .into_iter()
        .enumerate()
        .map(|(at, stage)| format!("strace -f -qq -e trace=openat -o {}/{at:02} {stage}", logs.display()));
    let line = traced.collect::<Vec<_>>().join(" | ");
    let said = scratch
        .sh(&line, &scratch.stop_payload("s", json!({"last_assistant_message": "<loop-done>COMPLETE</loop-done>"})));
    if said.err.contains("ptrace") {
        return skipped("no ptrace");
    }
    let name = journal(&scratch).file_name().unwrap().to_string_lossy().into_owned();
    for (at, stage) in stop_stages().iter().enumerate() {
        let log = fs::read_to_string(logs.join(format!("{at:02}"))).unwrap();
        let opens = log.lines().filter(|line| line.contains(&name) && line.contains("O_RDONLY")).count();
        assert!(opens <= 2, "{stage} reads it {opens} times:\n{log}");
        let is_deep =
            ["rg-tamper", "rg-check", "rg-review-state", "rg-receipt"].iter().any(|deep| stage.starts_with(deep));
        assert!(opens > 0 || !is_deep, "{stage} does not read it at all: does this test look right?\n{said:?}");
    }
}

#[test]
fn a_journal_that_is_no_file_is_an_immediate_error() {
    for (what, make) in [("a FIFO", "mkfifo"), ("a directory", "mkdir"), ("a symbolic link", "ln -s /dev/zero")] {
        let scratch = failing();
        let journal = journal(&scratch);
        fs::remove_file(&journal).unwrap();
        scratch.ok(&format!("{make} {}", journal.display()));
        let said = scratch.stop("s");
        assert!(said.took < Duration::from_secs(20), "{what}: {:?}", said.took);
        assert!(said.err.contains(what) && said.err.contains("rg-event"), "{what}: {said:?}");
        assert!(said.told().contains("unverified"), "{what}: {said:?}");
        let shown = scratch.run("rg-receipt", &["list"], b"");
        assert_eq!(shown.status, 0, "{shown:?}");
    }
}

#[test]
fn a_frame_without_its_fields_causes_no_panic() {
    let scratch = failing();
    let path = journal(&scratch);
    let line = r#"{"v":1,"kind":"frame","id":"x","at":"2026-11-21T12:00:00.000Z","by_tool":"rg-loop","prev":null,"state":"next"}"#;
    fs::write(&path, fs::read_to_string(&path).unwrap() + line + "\n").unwrap();
    let said = scratch.stop("s");
    assert!(!said.err.contains("panicked"), "{said:?}");
    assert!(scratch.sh("rg-loop show", b"").err.contains("are inconsistent"));
}

#[test]
fn an_unreadable_receipt_refills_no_budget() {
    let mut scratch = failing();
    let words = |scratch: &mut Scratch, damage: bool| {
        let mut all = Vec::new();
        for _ in 0..5 {
            scratch.later(60.0);
            let said = scratch.stop("s");
            all.push(if said.out.contains("\"block\"") { "block" } else { "end" });
            if damage {
                let path = journal(scratch);
                let text = fs::read_to_string(&path).unwrap();
                fs::write(&path, text.replace("\"outcome\":\"not-done\"", "\"outcome\":7")).unwrap();
            }
        }
        all
    };
    let whole = words(&mut scratch, false);
    assert_eq!(whole, ["block", "block", "block", "end", "end"]);
    let mut scratch = failing();
    let damaged = words(&mut scratch, true);
    let bounces = |all: &[&str]| all.iter().filter(|word| **word == "block").count();
    assert!(bounces(&damaged) <= bounces(&whole), "{damaged:?}");
}

#[test]
fn an_edited_receipt_is_shown_with_the_journals_outcome() {
    let scratch = failing();
    scratch.stop("s");
    let receipt = scratch.receipt();
    let id = receipt["id"].as_str().unwrap();
    let file = scratch.state().join(format!("receipts/{id}.json"));
    let whole = scratch.run("rg-receipt", &["show", id], b"").out;
    assert!(whole.contains("not-done"), "{whole}");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"not-done\"", "\"done\"").replace("\"why\": \"", "\"why\": \"all is well; "))
        .unwrap();
    let shown = scratch.run("rg-receipt", &["show", id], b"");
    assert!(
        shown.out.contains("was edited after it was sealed") && shown.out.contains("outcome not-done"),
        "{shown:?}"
    );
    assert!(!shown.out.contains("all is well"), "{shown:?}");
    let listed = scratch.run("rg-receipt", &["list"], b"").out;
    assert!(listed.contains("not-done") && listed.contains("edited after it was sealed"), "{listed}");
    assert_eq!(scratch.run("rg-receipt", &["verify", id], b"").status, 1);
}
