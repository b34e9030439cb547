//! Laws of `rg-install vscode`: the tasks run, their matcher finds each finding, and the file of the user is restored.

use crate::scratch::{Said, Scratch};
use serde_json::Value;
use std::fs;

const THEIRS: &str = "{\n  // mine\n  \"version\": \"2.0.0\",\n  \"tasks\": [\n    { \"label\": \"build\", \"command\": \"make\" }, // first\n  ],\n}\n";

fn install(scratch: &Scratch, args: &[&str]) -> Said {
    let mut all = vec!["vscode"];
    all.extend(args);
    scratch.run("rg-install", &all, b"")
}

fn tasks(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.work().join(".vscode/tasks.json")).unwrap_or_default()
}

#[test]
fn the_file_of_the_user_is_kept_and_restored() {
    for theirs in [THEIRS, "{}", "{\"tasks\": []}", "{\"tasks\": [{\"label\": \"review-gate\"}]}", ""] {
        let scratch = Scratch::repo();
        if !theirs.is_empty() {
            scratch.write(".vscode/tasks.json", theirs);
        }
        let dry = install(&scratch, &["--dry-run"]);
        assert!(dry.out.contains("review-gate: run the checks") && tasks(&scratch) == theirs, "{dry:?}");
        assert_eq!(install(&scratch, &[]).status, 0, "{theirs}");
        let wired = tasks(&scratch);
        assert_eq!(wired.matches("\"label\": \"review-gate: ").count(), 4, "{wired}");
        for part in ["// mine", "// first", "\"build\""] {
            assert_eq!(theirs.contains(part), wired.contains(part), "{wired}");
        }
        assert!(install(&scratch, &[]).out.starts_with("already there: ") && tasks(&scratch) == wired);
        assert_eq!(install(&scratch, &["--uninstall"]).status, 0);
        assert_eq!(tasks(&scratch), theirs);
        assert_eq!(scratch.work().join(".vscode").exists(), !theirs.is_empty());
        assert!(install(&scratch, &["--uninstall"]).out.starts_with("no tasks of review-gate"));
    }
    // What the user adds later stays.
    let scratch = Scratch::repo();
    install(&scratch, &[]);
    let more = tasks(&scratch).replacen("\"tasks\": [", "\"tasks\": [\n    {\"label\": \"own\"}, // mine", 1);
    scratch.write(".vscode/tasks.json", &more);
    install(&scratch, &["--uninstall"]);
    let left = tasks(&scratch);
    assert!(left.contains("own") && left.contains("// mine") && !left.contains("review-gate"), "{left}");
    // A task of an earlier version is replaced.
    scratch.write(
        ".vscode/tasks.json",
        "{\"tasks\": [{\"label\": \"review-gate: run the checks\", \"command\": \"/old/rg-check\" /* x */}]}",
    );
    install(&scratch, &[]);
    assert!(!tasks(&scratch).contains("/old/") && tasks(&scratch).matches("run the checks").count() == 1);
}

#[test]
fn a_file_that_cannot_be_read_is_refused_and_unchanged() {
    for text in ["{\"tasks\": ", "[]", "{\"tasks\": {}}", "{\"tasks\": 1}", "{\"tasks\": [], \"tasks\": []}"] {
        let scratch = Scratch::repo();
        scratch.write(".vscode/tasks.json", text);
        let said = install(&scratch, &[]);
        assert!(said.status == 100 && said.err.contains("Fix the file first"), "{text}: {said:?}");
        assert_eq!(tasks(&scratch), text);
    }
    assert_eq!(install(&Scratch::repo(), &["--global"]).status, 100);
}

#[test]
fn the_tasks_run_and_their_matcher_finds_each_finding() {
    let scratch = Scratch::repo();
    scratch.write("a.test.js", "it('adds', () => { expect(1 + 1).toBe(2) })\n");
    scratch.write("src.txt", "fixed\n");
    scratch.ok("git add -A && git commit -qm tests");
    scratch.write("a.test.js", "it.skip('adds', () => { expect(1 + 1).toBe(2) })\n");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: 'true'}\n```\n");
    install(&scratch, &[]);
    let all: Value = serde_json::from_str(&tasks(&scratch)).unwrap();
    let all = all["tasks"].as_array().unwrap();
    let line = |label: &str| all.iter().find(|task| task["label"] == label).unwrap()["command"].as_str().unwrap();
    let judged = scratch.sh(line("review-gate: judge the changes"), b"");
    assert_eq!(judged.status, 3, "{judged:?}");
    let text = judged.out + &judged.err;
    let mut found = Vec::new();
    for matcher in all[0]["problemMatcher"].as_array().unwrap() {
        let pattern = &matcher["pattern"][0];
        let regex = regex::Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
        for line in text.lines() {
            let Some(parts) = regex.captures(line) else { continue };
            let part = |name: &str| {
                let group = pattern[name].as_u64()? as usize;
                Some(parts.get(group)?.as_str().to_string())
            };
            found.push((part("file").unwrap(), part("line"), part("code").unwrap()));
        }
    }
    found.sort();
    let want = [
        ("DONE.md".to_string(), None, "no_done_edits".to_string()),
        ("a.test.js".to_string(), Some("1".to_string()), "no_new_skips".to_string()),
    ];
    assert_eq!(found, want, "{text}");
    for label in ["run the checks", "show the last receipt", "show the last session"] {
        let said = scratch.sh(line(&format!("review-gate: {label}")), b"");
        assert!(matches!(said.status, 0 | 1 | 100 | 111) && !said.err.contains("not found"), "{label}: {said:?}");
    }
    let checks = scratch.sh(line("review-gate: run the checks"), b"");
    assert_eq!((checks.status, checks.out.contains("ok   tests: passed")), (0, true), "{checks:?}");
}
