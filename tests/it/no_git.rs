//! Programs that start git, where git is not installed: each one names what is missing, and nothing counts as judged.

use crate::scratch::Scratch;
use serde_json::json;

const MISSING: &str = "git is not on PATH: install git";

/// A repository with a change, where no program is on PATH except those of review-gate.
fn bare() -> Scratch {
    let mut scratch = Scratch::repo();
    scratch.ok("git checkout -q -b work && echo fixed >src.txt && git commit -qam fixed && echo more >>src.txt");
    let bin = crate::scratch::bin_dir().display().to_string();
    scratch.set("PATH", &bin);
    scratch
}

#[test]
fn a_program_that_needs_git_names_it_where_it_is_missing() {
    let scratch = bare();
    for line in [
        "rg-check --now --against main",
        "rg-event stop --against main",
        "rg-receipt verify --commit HEAD",
        "rg-rescue list",
        "rg-review-state --now --against main",
        "rg-tamper --now --against main",
        "rg-worktree list",
        "rg-worktree create feature",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let said = scratch.run(words[0], &words[1..], b"");
        assert!(!matches!(said.status, 0 | 1), "{line}: {said:?}");
        assert!(said.err.contains(MISSING) && said.err.lines().count() == 1, "{line}: {said:?}");
    }
}

#[test]
fn a_verdict_that_needs_git_is_inconclusive_and_names_it() {
    let scratch = bare();
    for program in ["rg-tamper", "rg-check", "rg-review"] {
        let said = scratch.run(program, &["--now"], b"");
        assert!(said.out.starts_with("unverified") && said.out.contains(MISSING), "{program}: {said:?}");
        assert_ne!(said.status, 0, "{program}: {said:?}");
    }
}

/// Without a shell no check runs either; the stop is not done, and the user reads why.
#[test]
fn a_stop_where_no_program_can_be_found_is_never_done() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    let bin = crate::scratch::bin_dir().display().to_string();
    scratch.set("PATH", &bin);
    let mut line = scratch.stop_payload("s", json!({}));
    for (program, args) in [
        ("rg-event", ["--client", "claude"].as_slice()),
        ("rg-tamper", &[]),
        ("rg-check", &[]),
        ("rg-bounce", &[]),
        ("rg-receipt", &[]),
        ("rg-answer", &["--client", "claude", "--kind", "stop"]),
    ] {
        line = scratch.run(program, args, &line).out.into_bytes();
    }
    let told = String::from_utf8(line).unwrap();
    assert!(told.contains("unverified") && told.contains("sh is not on PATH: install sh"), "{told}");
    assert_eq!(scratch.receipt()["outcome"], "unverified");
}
