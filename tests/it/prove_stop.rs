//! Laws of rg-prove as a stage: the key `proof` of DONE.md, the levels of its findings, landings.

use crate::prove::{UNTESTED, repository};
use crate::scratch::Scratch;
use serde_json::{Value, json};

const TESTS: &str = "{name: tests, run: sh tests/price.sh}";

/// The event after a manual stop, compared with HEAD.
fn stop(scratch: &Scratch, prove: &str) -> Value {
    let line = format!("rg-event stop --against HEAD | rg-tamper | rg-check | {prove}");
    let said = scratch.sh(&line, b"");
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err))
}

/// The verdict of rg-prove.
fn verdict(event: &Value) -> Option<&str> {
    let all = event["verdicts"].as_array().unwrap();
    all.iter().find(|judged| judged["by"] == "rg-prove").map(|judged| judged["verdict"].as_str().unwrap())
}

/// The levels of its findings.
fn levels(event: &Value) -> Vec<(&str, &str)> {
    let all = event["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = all.iter().filter(|found| found["by"] == "rg-prove");
    own.map(|found| (found["rule"].as_str().unwrap(), found["level"].as_str().unwrap())).collect()
}

#[test]
fn by_default_nothing_is_proved_and_done_md_says_when() {
    let attended = "CLAUDE_CODE_SESSION_ATTENDED=1";
    for (proof, env, option, is_proved) in [
        ("", "", "", false),
        ("proof: {when: never}\n", "", "--land", false),
        ("proof: {when: land}\n", "", "", false),
        ("proof: {when: land}\n", "", "--land", true),
        ("proof: {when: unattended}\n", "CLAUDE_CODE_SESSION_ATTENDED=0", "", true),
        ("proof: {when: unattended}\n", attended, "", false),
        ("proof: {when: unattended}\n", attended, "--land", true),
        ("proof: {when: always}\n", attended, "", true),
    ] {
        let scratch = repository(TESTS, proof);
        scratch.append("shop.sh", UNTESTED);
        let event = stop(&scratch, &format!("env {env} rg-prove {option}"));
        assert_eq!(verdict(&event), is_proved.then_some("pass"), "{proof} {env} {option}: {event}");
        let expected: &[(&str, &str)] = if is_proved { &[("change-not-tested", "warning")] } else { &[] };
        assert_eq!(levels(&event), expected, "{proof} {env} {option}");
    }
}

#[test]
fn done_md_gives_the_level_of_each_finding() {
    for (level, verdicts, found) in [
        ("warn", "pass", vec![("change-not-tested", "warning")]),
        ("fail", "fail", vec![("change-not-tested", "error")]),
        ("off", "pass", vec![]),
    ] {
        let scratch = repository(TESTS, &format!("proof: {{when: always, undone: {level}}}\n"));
        scratch.append("shop.sh", UNTESTED);
        let event = stop(&scratch, "rg-prove");
        assert_eq!((verdict(&event), levels(&event)), (Some(verdicts), found), "{level}: {event}");
    }
}

#[test]
fn only_work_that_is_done_otherwise_is_proved() {
    let scratch = repository(TESTS, "proof: {when: always, undone: fail}\n");
    scratch.write("shop.sh", "price() { echo 0; }\n");
    let event = stop(&scratch, "rg-prove");
    assert_eq!((verdict(&event), levels(&event)), (None, vec![]), "{event}");
    // A stop that changed nothing.
    scratch.ok("git checkout -q .");
    let event = stop(&scratch, "rg-prove");
    assert_eq!(verdict(&event), None, "{event}");
}

#[test]
fn what_cannot_be_compared_is_unverified_only_where_a_finding_would_count() {
    for (level, word) in [("warn", "pass"), ("fail", "inconclusive")] {
        let check = "{name: tests, run: \"case $PWD in */prove/copy/*) exit 1;; esac; sh tests/price.sh\"}";
        let scratch = repository(check, &format!("proof: {{when: always, undone: {level}}}\n"));
        scratch.append("shop.sh", UNTESTED);
        let event = stop(&scratch, "rg-prove");
        assert_eq!((verdict(&event), levels(&event)), (Some(word), vec![]), "{level}: {event}");
    }
}

#[test]
fn tests_that_do_not_run_in_a_copy_are_not_comparable() {
    let tap = "case $PWD in */prove/copy/*) echo 1..1; echo 'ok 1 - a';; *) echo 1..2; echo 'ok 1 - a'; echo 'ok 2 - b';; esac";
    let scratch = repository(
        &format!("{{name: tests, run: \"{tap}\", kind: test, report: tap}}"),
        "proof: {when: always, undone: fail}\n",
    );
    scratch.append("shop.sh", UNTESTED);
    let event = stop(&scratch, "rg-prove");
    assert_eq!((verdict(&event), levels(&event)), (Some("inconclusive"), vec![]), "{event}");
    assert!(event["verdicts"].to_string().contains("runs 1 test in a copy of the files, and 2"), "{event}");
}

#[test]
fn a_stop_of_a_session_is_proved_against_its_begin_and_blocked() {
    let scratch = repository(TESTS, "proof: {when: always, undone: fail}\n");
    scratch.append("shop.sh", "before() { :; }\n");
    scratch.prompt("s", "add more");
    // What was there when the task began, and what the agent committed.
    scratch.append("shop.sh", "price 1 >/dev/null\n# x\n\n\n\nmore() { :; }\n");
    scratch.ok("git commit -qam work");
    let line = crate::scratch::stop_stages().join(" | ");
    let said = scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    let reply = said.json();
    assert_eq!(reply["decision"], "block", "{}{}", said.out, said.err);
    let reason = reply["reason"].as_str().unwrap();
    assert!(reason.contains("no test notices the lines shop.sh:3-"), "{reason}");
    assert!(!reason.contains("shop.sh:2"), "{reason}");
}

/// A branch whose change nothing tests.
fn branch(proof: &str) -> (Scratch, std::path::PathBuf) {
    let scratch = crate::land::shared_with(proof);
    let tree = crate::land::work(&scratch, "a", "code.sh", "x=1\n");
    (scratch, tree)
}

#[test]
fn a_landing_is_proved_where_done_md_says_so() {
    for (proof, is_landed) in [
        ("", true),
        ("proof: {when: never, undone: fail}\n", true),
        ("proof: {when: land}\n", true),
        ("proof: {when: land, undone: fail}\n", false),
        ("proof: {when: unattended, undone: fail}\n", false),
    ] {
        let (scratch, _) = branch(proof);
        let said = crate::land::land(&scratch, &["rg/a"]);
        assert_eq!(said.status == 0, is_landed, "{proof}: {said:?}");
        assert_eq!(said.err.contains("no test notices the lines code.sh:1"), !is_landed, "{proof}: {said:?}");
        assert!(!scratch.state().join("prove/copy").exists());
    }
}

#[test]
fn a_dry_run_prints_the_command_that_proves_the_change() {
    let (scratch, _) = branch("");
    let said = crate::land::land(&scratch, &["--dry-run", "rg/a"]);
    let line = said.out.lines().find(|line| line.contains("rg-prove")).unwrap_or_else(|| panic!("{said:?}"));
    let command = line.split('`').nth(1).unwrap();
    let proved = scratch.sh(command, b"");
    assert_eq!(proved.status, 1, "{command}: {proved:?}");
    assert!(proved.out.contains("no test notices the lines code.sh:1"), "{proved:?}");
}
