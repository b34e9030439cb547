//! The judges of one line with `--against`: they read each file once and start git at most three times.

use crate::scratch::Scratch;
use crate::tamper::{repo, verdict};
use review_gate::snapshot::{self, Cache, Rules, What};
use review_gate::store::state::State;
use std::fs;
use std::time::Duration;

const LINE: &str = "rg-event stop --against main | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer";

/// A branch with a commit whose base has a new commit, so that the reference commit and the merge base differ.
fn branch() -> Scratch {
    let mut scratch = repo("");
    scratch.append("src/a.js", "export const three = () => 3;\n");
    scratch.append("test/a.test.js", "it('three', () => { expect(3).toBe(3); });\n");
    scratch.write("deep/er/.gitignore", "*.log\n");
    scratch.ok(
        "git add -A && git commit -qm change && git checkout -q main && git commit -q --allow-empty -m on && git checkout -q work",
    );
    std::thread::sleep(Duration::from_millis(30));
    scratch.set("NO_COLOR", "1");
    scratch
}

/// Puts a git first on PATH that writes each call to a file, which is returned.
fn count_git(scratch: &mut Scratch) -> std::path::PathBuf {
    let log = scratch.top().join("calls");
    let real = scratch.ok("command -v git").out.trim().to_string();
    scratch.write("../bin/git", &format!("#!/bin/sh\necho \"$*\" >>{}\nexec {real} \"$@\"\n", log.display()));
    scratch.ok("chmod +x ../bin/git");
    let path = format!("{}:{}", scratch.top().join("bin").display(), scratch.ok("printf %s \"$PATH\"").out);
    scratch.set("PATH", &path);
    log
}

#[test]
fn a_whole_line_against_a_commit_starts_git_at_most_three_times() {
    let mut scratch = branch();
    let log = count_git(&mut scratch);
    let said = scratch.ok(LINE);
    let calls = fs::read_to_string(&log).unwrap();
    assert!(said.out.contains("done") && calls.lines().count() <= 3, "{}\n{calls}", said.out);
}

#[test]
fn rg_check_sees_a_file_that_changed_after_rg_tamper_read_it() {
    let scratch = branch();
    let line = scratch.ok("rg-event stop --against main | rg-tamper").out;
    let same = scratch.run("rg-check", &[], line.as_bytes()).json();
    let length = fs::metadata(scratch.work().join("src/b.py")).unwrap().len();
    scratch.write("src/b.py", &"x".repeat(length as usize));
    let changed = scratch.run("rg-check", &[], line.as_bytes()).json();
    assert_eq!(verdict(&same), "pass", "{same}");
    assert!(same["handover"].is_string() && same["snapshot"] != changed["snapshot"], "{changed}");
}

#[test]
fn a_handover_of_another_line_or_with_other_bytes_is_not_used() {
    let scratch = branch();
    let line = scratch.ok("rg-event stop --against main | rg-tamper").out;
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    let state = State::at(scratch.state());
    let path = state.handover(&scratch.work());
    let load = || snapshot::handover::Handover::load(&state, &scratch.work(), event["handover"].as_str().unwrap());
    assert!(load().is_some());
    let real = fs::read(&path).unwrap();
    for at in [0, 60, real.len() / 2, real.len() - 1] {
        let mut forged = real.clone();
        forged[at] ^= 1;
        fs::write(&path, forged).unwrap();
        assert!(load().is_none(), "{at}");
    }
    scratch.append("src/b.py", "\n");
    scratch.ok("rg-event stop --against main | rg-tamper >/dev/null");
    assert!(load().is_none());
    let judged = scratch.run("rg-check", &[], line.as_bytes()).json();
    assert_ne!(judged["snapshot"], event["snapshot"]);
}

#[test]
fn only_a_file_that_has_not_changed_since_the_walk_is_taken_over() {
    let scratch = branch();
    let (state, top) = (State::at(scratch.state()), scratch.work());
    let take = |read: Option<&Cache>| snapshot::take_fresh(&top, &Rules::Today, &state, read).unwrap();
    let (mut first, began) = take(None);
    // Another digest than that of the bytes shows which files were read.
    first.files.iter_mut().for_each(|file| file.entry.sha256 = [7; 32]);
    let is_read = |began: i64, path: &str| {
        let read = Cache::of(&top, &first, began);
        let entry = *take(Some(&read)).0.get(path.as_ref()).unwrap();
        assert_eq!(entry.what, What::File);
        entry.sha256 != [7; 32]
    };
    assert!(!is_read(began, "src/a.js") && !is_read(began, "src/b.py"));
    // The walk began before the file's clock went on.
    assert!(is_read(began - 3_600_000_000_000, "src/a.js"));
    let bytes = fs::read(top.join("src/b.py")).unwrap();
    fs::write(top.join("src/b.py"), bytes).unwrap();
    assert!(is_read(began, "src/b.py") && !is_read(began, "src/a.js"));
}
