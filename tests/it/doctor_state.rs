//! rg-doctor and what it needs: records that can be written, git, and reviewers that are no interpreters.

use crate::scratch::{Scratch, bin_dir, skipped};
use serde_json::Value;
use std::fs;

/// A repository with a definition of done, the hooks of Claude Code and a state directory.
fn healthy() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    scratch.ok("rg-install claude >/dev/null 2>&1; mkdir -p -m 700 \"$RG_STATE\"/tasks");
    scratch
}

fn report(scratch: &Scratch) -> Value {
    scratch.run("rg-doctor", &["--json"], b"").json()
}

/// The only problem: its name, text and mend.
fn problem(report: &Value) -> [&str; 3] {
    assert_eq!(report["problems"].as_array().unwrap().len(), 1, "{report}");
    ["name", "text", "mend"].map(|name| report["problems"][0][name].as_str().unwrap())
}

#[test]
fn records_that_cannot_be_written_are_a_problem() {
    let mut scratch = healthy();
    for place in ["file", "file/below"] {
        scratch.ok("touch ../file");
        let place = scratch.top().join(place);
        scratch.set("RG_STATE", place.to_str().unwrap());
        let report = report(&scratch);
        let [name, text, mend] = problem(&report);
        assert_eq!(name, "state-unwritable");
        assert!(text.contains(place.to_str().unwrap()) && text.contains("is not a directory"), "{text}");
        scratch.ok(mend);
        assert_eq!(self::report(&scratch)["problems"], serde_json::json!([]), "{mend}");
    }
}

/// The answer of statfs(2): a type of ext4, blocks of 4096 bytes, and then how many are free for users.
fn statfs(free: u64, flags: u64) -> String {
    let fields = [0xef53, 4096, 1 << 20, free, free, 1000, 1000, 0, 255, 4096, flags];
    let bytes = fields.iter().flat_map(|field: &u64| field.to_le_bytes());
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// strace(1) makes the kernel answer so about the state directory.
#[test]
fn a_disk_that_is_full_or_read_only_is_a_problem() {
    let scratch = healthy();
    let traced = |options: &[&str], what: &str| {
        let args = [&["-f", "-qq", "-o", "/dev/null"], options, &["sh", "-c", what]].concat();
        scratch.run("strace", &args, b"")
    };
    let answer = |answer: String| format!("inject=statfs:poke_exit=@arg2={answer}");
    let place = scratch.state();
    let of_state =
        |inject: &str| ["-P", place.to_str().unwrap(), "-e", "trace=statfs", "-e", inject].map(str::to_string);
    let run = |inject: String, what: &str| {
        let options = of_state(&inject);
        traced(&options.iter().map(String::as_str).collect::<Vec<_>>(), what)
    };
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) || run(answer(statfs(9, 0)), "true").status != 0 {
        skipped("no strace that can change a result");
        return;
    }
    for (free, flags, why) in [(9, 0x20, "the disk is full"), (1 << 19, 0x21, "the file system is read-only")] {
        let report = run(answer(statfs(free, flags)), "rg-doctor --json").json();
        let [name, text, mend] = problem(&report);
        assert_eq!(name, "state-unwritable");
        assert!(text.contains(why) && text.contains(place.to_str().unwrap()), "{text}");
        assert!(mend.contains("set RG_STATE to a directory"), "{mend}");
    }
    assert_eq!(run(answer(statfs(1 << 19, 0x20)), "rg-doctor --json").json()["problems"], serde_json::json!([]));
    // A directory in it that this user may not write.
    let denied = place.join("tasks");
    let words = ["-P", denied.to_str().unwrap(), "-e", "trace=faccessat,faccessat2,access", "-e"];
    let report =
        traced(&[&words[..], &["inject=faccessat,faccessat2,access:error=EACCES"]].concat(), "rg-doctor --json").json();
    let [name, text, mend] = problem(&report);
    assert!(name == "state-unwritable" && text.contains("you may not write"), "{report}");
    assert_eq!(mend, format!("chmod u+rwx '{}'", denied.display()));
}

#[test]
fn git_that_is_missing_is_a_problem_in_a_repository() {
    let mut scratch = healthy();
    assert_eq!(report(&scratch)["problems"], serde_json::json!([]));
    scratch.set("PATH", bin_dir().to_str().unwrap());
    let report = report(&scratch);
    let [name, text, mend] = problem(&report);
    assert_eq!((name, mend), ("no-git", "install git, or add it to PATH"));
    assert!(text.starts_with("git is not on PATH"), "{text}");
    fs::remove_dir_all(scratch.work().join(".git")).unwrap();
    assert_eq!(self::report(&scratch)["problems"], serde_json::json!([]), "a plain directory needs no git");
}

#[test]
fn the_interpreter_of_a_reviewer_is_no_reviewer() {
    let mut scratch = healthy();
    scratch.ok(
        "mkdir ../client-bin && printf '#!/usr/bin/env node\\n' >../client-bin/gemini && printf '#!/bin/sh\\n' >../client-bin/node && chmod +x ../client-bin/*",
    );
    let path = format!("{}:{}", scratch.top().join("client-bin").display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    let reviewers = |scratch: &Scratch| {
        let report = report(scratch);
        let names = report["definition"]["reviewers"].as_array().unwrap().clone();
        names.iter().map(|name| name.as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let found = reviewers(&scratch);
    assert!(found.contains(&"gemini".to_string()) && !found.contains(&"node".to_string()), "{found:?}");
    // A program that DONE.md names is one.
    scratch.write("DONE.md", "```yaml\nchecks: [{name: t, run: 'true'}]\nreview: {command: [node, review.js]}\n```\n");
    assert!(reviewers(&scratch).contains(&"node".to_string()));
}

#[test]
fn a_notice_is_shown_with_its_mend() {
    let scratch = healthy();
    let payload = scratch.payload("s", serde_json::json!({"hook_event_name": "Stop"}));
    scratch.sh("rg-event --client claude | rg-answer --client claude", &payload);
    let report = report(&scratch);
    let [name, text, mend] = problem(&report);
    assert_eq!((name, mend), ("unread-notices", "start a session here: it shows them"));
    assert!(text.starts_with("1 notice that no session start has shown: review-gate: unverified"), "{text}");
}

#[test]
fn settings_of_the_home_directory_are_listed_once() {
    let mut scratch = healthy();
    let home = scratch.work().to_str().unwrap().to_string();
    scratch.set("HOME", &home);
    assert_eq!(report(&scratch)["wired"].as_array().unwrap().len(), 1);
}
