//! Laws of rg-install: the workflow of CI runs and is never taken from the user; a preview shows only what changes; local settings.

use crate::scratch::{Said, Scratch, skipped};
use std::fs;

const WORKFLOW: &str = ".github/workflows/review-gate.yml";

fn install(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-install", args, b"")
}

fn workflow(scratch: &Scratch) -> Option<String> {
    fs::read_to_string(scratch.work().join(WORKFLOW)).ok()
}

#[test]
fn the_workflow_is_written_once_and_removed_unless_someone_changed_it() {
    let scratch = Scratch::repo();
    let dry = install(&scratch, &["ci", "--dry-run"]);
    assert!(dry.out.starts_with("--- /dev/null\n+++ .github/workflows/review-gate.yml\n@@ -0,0 +1,"), "{dry:?}");
    assert!(workflow(&scratch).is_none());
    assert!(install(&scratch, &["ci"]).out.starts_with("wrote "));
    let text = workflow(&scratch).unwrap();
    assert!(text.contains("fetch-depth: 0") && !text.contains("VERSION") && !text.contains("REPOSITORY"));
    assert!(install(&scratch, &["ci"]).out.starts_with("already there: "));
    assert_eq!(install(&scratch, &["ci", "--dry-run"]).out, "");
    assert!(install(&scratch, &["ci", "--uninstall"]).out.starts_with("removed "));
    assert!(!scratch.work().join(".github").exists());
    assert!(install(&scratch, &["ci", "--uninstall"]).out.starts_with("no workflow of review-gate: "));
    for other in [format!("{text}# mine\n"), "on: push\n".to_string()] {
        scratch.write(WORKFLOW, &other);
        for args in [&["ci"][..], &["ci", "--uninstall"]] {
            let said = install(&scratch, args);
            assert!(said.status == 100 && said.err.contains("was changed since. Move it away"), "{said:?}");
        }
        assert_eq!(workflow(&scratch).unwrap(), other);
    }
    assert_eq!(install(&scratch, &["ci", "--global"]).status, 100);
}

#[test]
fn the_step_that_judges_runs_as_it_stands_there() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'exit 4'}\n");
    install(&scratch, &["ci"]);
    scratch.ok("git add -A && git commit -qm base && git update-ref refs/remotes/origin/main HEAD");
    scratch.append("src.txt", "more\n");
    scratch.ok("git add -A && git commit -qm change");
    let text = workflow(&scratch).unwrap();
    let step = text.split("- name: Judge").nth(1).and_then(|rest| rest.split("run: |\n").nth(1)).unwrap();
    let script: String = step
        .lines()
        .take_while(|line| line.starts_with("          "))
        .map(|line| format!("{}\n", &line[10..]))
        .collect();
    scratch.ok("mkdir ../runner");
    scratch.write("../runner/step.sh", &script);
    let said = scratch.sh(
        "BASE=origin/main RUNNER_TEMP=$PWD/../runner GITHUB_STEP_SUMMARY=$PWD/../runner/summary.md bash -e ../runner/step.sh",
        b"",
    );
    assert_eq!(said.status, 1, "{said:?}");
    assert!(
        said.out.contains("::error file=DONE.md,title=review-gate check-failed::")
            || said.out.contains("::error title=review-gate check-failed::"),
        "{said:?}"
    );
    assert!(scratch.ok("cat ../runner/summary.md").out.starts_with("**review-gate: not-done**"));
    assert!(scratch.ok("cat ../runner/review-gate.sarif").out.contains("\"ruleId\":\"check-failed\""));
}

#[test]
fn the_workflow_is_yaml() {
    let scratch = Scratch::repo();
    install(&scratch, &["ci"]);
    if scratch.sh("python3 -c 'import yaml'", b"").status != 0 {
        return skipped("python3-yaml");
    }
    let said = scratch.ok(&format!("python3 -c 'import yaml; w=yaml.safe_load(open(\"{WORKFLOW}\")); print(sorted(w[\"jobs\"][\"judge\"]), len(w[\"jobs\"][\"judge\"][\"steps\"]))'"));
    assert_eq!(said.out, "['runs-on', 'steps', 'timeout-minutes'] 5\n");
}

#[test]
fn a_preview_shows_what_changes_and_nothing_else() {
    let scratch = Scratch::repo();
    let theirs =
        "{\n  // mine\n  \"model\": \"opus\",\n  \"x\": 1,\n  \"y\": 2,\n  \"z\": 3,\n  \"permissions\": {}\n}\n";
    scratch.write(".claude/settings.json", theirs);
    let shown = install(&scratch, &["claude", "--dry-run"]).out;
    assert_eq!(fs::read_to_string(scratch.work().join(".claude/settings.json")).unwrap(), theirs);
    assert!(shown.starts_with("--- ") && shown.contains("/.claude/settings.json\n@@ -"), "{shown}");
    assert!(shown.contains("+  \"hooks\": {") && !shown.contains("// mine"), "{shown}");
    install(&scratch, &["claude"]);
    assert!(install(&scratch, &["claude", "--dry-run"]).out.starts_with("already wired: "));
    let removed = install(&scratch, &["claude", "--uninstall", "--dry-run"]).out;
    assert!(removed.contains("-  \"hooks\": {"), "{removed}");
}

#[test]
fn local_settings_of_claude_can_be_edited_and_no_others() {
    let scratch = Scratch::repo();
    assert_eq!(install(&scratch, &["claude", "--local"]).status, 0);
    let local = scratch.work().join(".claude/settings.local.json");
    assert!(fs::read_to_string(&local).unwrap().contains("rg-event --client claude"));
    assert!(!scratch.work().join(".claude/settings.json").exists());
    assert_eq!(install(&scratch, &["claude", "--local", "--uninstall"]).status, 0);
    assert!(!scratch.work().join(".claude").exists());
    for args in [&["codex", "--local"][..], &["claude", "--local", "--global"], &["ci", "--local"]] {
        let said = install(&scratch, args);
        assert!(said.status == 100 && said.err.contains("--local"), "{args:?} {said:?}");
    }
}
