//! Laws of the short messages of every day: what is cut, waited for, kept or wrong is said once.

use crate::person::at_a_terminal;
use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::process::Stdio;

#[test]
fn garbage_on_standard_input_is_reported_by_one_program() {
    let scratch = Scratch::repo();
    let stages = "rg-tamper | rg-check | rg-review-state | rg-bounce | rg-receipt | rg-trace | rg-answer";
    let said = scratch.sh(&format!("rg-event --client claude | {stages} --client claude --kind stop"), b"garbage\n");
    assert!(said.err.starts_with("rg-event: hook call on standard input is not a JSON object"), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(said.out.contains("no event line"), "the reply says that nothing was judged: {said:?}");
    let said = scratch.sh(&format!("cat | {stages}"), b"garbage\n");
    assert_eq!((said.err.lines().count(), said.err.starts_with("rg-tamper: ")), (1, true), "{said:?}");
    assert!(said.status != 0 && said.out.starts_with("unverified: "), "{said:?}");
}

#[test]
fn a_filter_that_is_not_between_two_stages_reports_a_missing_event_line() {
    let scratch = Scratch::repo();
    let said = scratch.sh("rg-check </dev/null", b"");
    assert!(said.status == 111 && said.err.contains("no event line"), "{said:?}");
    assert_eq!(scratch.sh("true | rg-check | cat; true | rg-check", b"").status, 111);
}

#[test]
fn a_timeout_above_an_hour_is_cut_and_that_is_said() {
    let said =
        Scratch::repo_with("checks:\n  - {name: a, run: 'true', timeout: 7200}\n").run("rg-check", &["--now"], b"");
    assert_eq!(
        (said.status, said.err.as_str()),
        (0, "rg-check: check \"a\": `timeout` is cut to 3600 seconds, the maximum\n")
    );
    let said =
        Scratch::repo_with("checks:\n  - {name: a, run: 'true', timeout: 3600}\n").run("rg-check", &["--now"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""));
}

#[test]
fn a_timeout_with_a_unit_is_an_error_that_names_the_form() {
    for (value, want) in [
        ("5m", "DONE.md:5: inconclusive: \"timeout\" must be a number of seconds: write 300, not 5m"),
        ("soon", "DONE.md:5: inconclusive: \"timeout\" must be a number of seconds"),
    ] {
        let yaml = format!("checks:\n  - {{name: a, run: x, timeout: {value}}}\n");
        let said = Scratch::repo_with(&yaml).run("rg-check", &["--now"], b"");
        assert!(said.status == 100 && said.out.contains(want), "{said:?}");
    }
}

#[test]
fn a_run_that_waits_for_another_names_its_process_and_begin() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: 'touch began; sleep 2; rm began'}\n");
    let mut first = scratch.command(crate::scratch::bin_dir().join("rg-check"));
    let mut first = first.args(["--now", "--fresh"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !scratch.work().join("began").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let said = scratch.run("rg-check", &["--now", "--fresh"], b"");
    let want = format!("rg-check: waiting for another run of the checks: process {}, since 2026-", first.id());
    assert!(said.err.starts_with(&want) && said.err.lines().count() == 1, "{want}: {said:?}");
    first.wait().unwrap();
}

#[test]
fn a_lock_that_cannot_be_opened_is_not_another_run() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: 'true'}\n");
    assert_eq!(scratch.run("rg-check", &["--now", "--fresh"], b"").status, 0);
    scratch.ok("lock=$(find \"$RG_STATE\" -name '*.lock' -path '*checks*') && rm \"$lock\" && mkdir \"$lock\"");
    let said = scratch.run("rg-check", &["--now", "--fresh"], b"");
    assert!(said.status == 111 && !said.err.contains("waiting"), "{said:?}");
}

#[test]
fn a_check_that_a_signal_killed_names_the_signal() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: 'kill -KILL $$'}\n");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 1 && said.out.contains("fail a: was killed by signal 9 (KILL) ("), "{said:?}");
    let said = scratch.run("rg-check", &["--now", "--json"], b"").json();
    assert_eq!((&said["checks"][0]["signal"], &said["checks"][0]["exit"]), (&Value::from(9), &Value::Null));
}

#[test]
fn a_user_at_a_terminal_without_a_definition_sees_an_example() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    assert_eq!(scratch.run("rg-check", &["--now"], b"").out.lines().count(), 1, "a pipe gets one line");
    let Some(said) = at_a_terminal(&scratch, "rg-check --now") else { return };
    let out = said.out.replace('\r', "");
    let (line, example) = out.split_once('\n').unwrap();
    assert!(line.contains("no DONE.md in"), "{said:?}");
    assert!(example.starts_with("# Done\n\n```yaml\nchecks:\n"), "{said:?}");
    scratch.write("DONE.md", &example.replace("make test", "exit 0"));
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 0, "the example is valid");
}

#[test]
fn a_gate_without_a_definition_says_so_at_install_and_at_the_first_session_start() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    let said = scratch.run("rg-install", &["claude"], b"").out;
    let want =
        format!("no DONE.md in {}: the hooks check nothing yet. Write one with `rg-init`", scratch.work().display());
    assert!(said.lines().any(|line| line == want), "{said}");
    let start = |session: &str| {
        let fields = json!({"hook_event_name": "SessionStart", "source": "startup"});
        let line = "rg-event --client claude | rg-answer --client claude --kind session-start";
        scratch.sh(line, &scratch.payload(session, fields)).told()
    };
    let told = start("a");
    assert!(told.contains("no DONE.md in") && told.lines().count() <= 2, "{told}");
    assert_eq!(start("b"), "", "it is said once");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: a, run: exit 0}\n```\n");
    scratch.ok("rg-install claude --uninstall");
    let said = scratch.run("rg-install", &["claude"], b"").out;
    assert!(!said.contains("no DONE.md"), "{said}");
}

#[test]
fn prune_says_how_many_backups_it_keeps_and_why() {
    let mut scratch = Scratch::repo();
    assert_eq!(scratch.ok("rg-rescue prune --dry-run").out, "kept no backup\n");
    for n in 0..3 {
        scratch.ok(&format!("rg-rescue save --why 'number {n}'"));
        scratch.later(3600.0);
    }
    let kept = |words: &str| scratch.ok(&format!("rg-rescue prune --dry-run {words} | tail -n 1")).out;
    assert_eq!(kept(""), "kept 3 backups: 3 not older than 14 days\n");
    assert_eq!(
        kept("--keep 2 --older 90m"),
        "kept 2 backups: 1 not older than 90 min, 1 among the last 2 of its worktree\n"
    );
}

#[test]
fn denied_calls_stand_in_the_trace_of_their_session() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let bash = |scratch: &Scratch, event: &str, session: &str, command: &str| {
        let fields = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}});
        scratch.payload(session, fields)
    };
    let guard = ["--hook", "--client", "claude"];
    scratch.run("rg-trace", &guard, &bash(&scratch, "PostToolUse", "s", "ls"));
    scratch.later(1.0);
    scratch.run("rg-guard", &guard, &bash(&scratch, "PreToolUse", "s", "git reset --hard"));
    scratch.later(1.0);
    scratch.run("rg-trace", &guard, &bash(&scratch, "PostToolUse", "s", "pwd"));
    let shown = scratch.ok("rg-trace show s").out;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[1].starts_with("12:00:01 denied        Bash "), "{shown}");
    assert!(lines[1].contains("git reset --hard") && lines[1].contains(": git-reset-hard: "), "{shown}");
    scratch.prompt("t", "other");
    scratch.run("rg-trace", &guard, &bash(&scratch, "PostToolUse", "t", "ls"));
    assert_eq!(scratch.ok("rg-trace show t").out.lines().count(), 1, "another session has none");
}

#[test]
fn a_judge_whose_output_is_closed_has_not_judged() {
    let scratch = Scratch::repo();
    scratch.append("src.txt", "more\n");
    let call = b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git reset --hard\"}}";
    for (line, stdin) in [("rg-event stop --against HEAD | rg-check", &b""[..]), ("rg-guard --hook", call)] {
        let said = scratch.sh(&format!("{line} >&-"), stdin);
        assert!(said.status == 111 && said.err.contains("standard output is closed"), "{line}: {said:?}");
        assert_eq!(scratch.sh(&format!("{line} >/dev/null"), stdin).status, 0, "{line}");
    }
    let said = scratch.sh("rg-guard --help >/dev/full", b"");
    assert!(said.status == 111 && said.err.contains("unable to write standard output"), "{said:?}");
    let said = scratch.run("rg-check", &["wrongverb"], b"");
    assert!(said.status == 100 && said.err.contains("unexpected operand \"wrongverb\". Verbs: flaky"), "{said:?}");
}

#[test]
fn a_definition_that_is_not_committed_or_a_broken_link_is_named() {
    let scratch = Scratch::repo();
    scratch.ok("git rm -q --cached DONE.md && git commit -qm without");
    let line = "rg-event stop --against HEAD | rg-tamper | rg-check | rg-receipt | rg-answer";
    let said = scratch.sh(line, b"");
    let told = "nothing to judge: DONE.md is not committed in HEAD. Commit it: `git add DONE.md && git commit`\n";
    assert_eq!((said.status, said.out.as_str()), (100, told));
    scratch.ok("rm DONE.md && ln -s gone DONE.md");
    let path = scratch.work().join("DONE.md");
    let told = format!("{} is a link to gone, which is no file", path.display());
    let said = scratch.run("rg-check", &["--validate"], b"");
    assert!(said.status == 100 && said.err.contains(&told), "{said:?}");
    assert!(scratch.run("rg-check", &["--now"], b"").out.contains(&told));
    let report = scratch.run("rg-doctor", &["--json"], b"").json();
    let problems = report["problems"].as_array().unwrap();
    let found = problems.iter().find(|problem| problem["name"] == "no-definition").unwrap();
    assert!(found["text"].as_str().unwrap().contains(&told), "{found}");
    // A link to another place is a definition.
    scratch.ok("printf '```yaml\\nchecks: [{name: t, run: \"true\"}]\\n```\\n' >gone");
    assert_eq!(scratch.run("rg-check", &["--validate"], b"").status, 0);
}
