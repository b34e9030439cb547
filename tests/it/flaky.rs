//! Laws of flaky checks and of the quarantine.

use crate::scratch::{Said, Scratch};
use std::fs;

/// A command that fails so many times, and prints how often it ran. It counts outside of the tree.
fn failing(times: usize) -> String {
    format!("n=$(cat ../n 2>/dev/null || echo 0); echo $((n + 1)) > ../n; echo try $n; [ $n -ge {times} ]")
}

fn repository(times: usize, more: &str) -> Scratch {
    let run = serde_json::to_string(&failing(times)).unwrap();
    Scratch::repo_with(&format!("checks:\n  - name: c\n    run: {run}\n{more}"))
}

fn now(scratch: &Scratch) -> Said {
    scratch.run("rg-check", &["--now"], b"")
}

fn flaky(scratch: &Scratch) -> String {
    scratch.run("rg-check", &["flaky"], b"").out
}

#[test]
fn red_then_green_on_the_same_files_is_flaky_and_both_outputs_are_kept() {
    let scratch = repository(1, "    retries: 2\n");
    scratch.prompt("s", "go");
    scratch.append("notes.txt", "x\n");
    scratch.stop("s");
    let receipt = scratch.receipt();
    assert_eq!(receipt["outcome"], "done");
    let check = &receipt["checks"][0];
    assert_eq!((&check["ended"], &check["failed_tries"][0]["ended"]), (&"passed".into(), &"failed".into()));
    assert_eq!(check["failed_tries"].as_array().unwrap().len(), 1);
    let output = |check: &serde_json::Value| {
        (
            check["tail"].as_str().unwrap().trim().to_string(),
            fs::read_to_string(check["log"].as_str().unwrap()).unwrap(),
        )
    };
    assert_eq!(output(check), ("try 1".into(), "try 1\n".into()));
    assert_eq!(output(&check["failed_tries"][0]), ("try 0".into(), "try 0\n".into()));
    let rules: Vec<&str> =
        receipt["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["check-flaky"]);
    let shown = scratch.run("rg-receipt", &["show"], b"").out;
    assert!(shown.contains("after 1 failed try") && shown.contains("| try 0") && shown.contains("is flaky"), "{shown}");
    let said = flaky(&scratch);
    assert!(said.starts_with("c: flaky in 1 of 1 run, last 2026-11-21 12:00Z"), "{said}");
    let json = scratch.run("rg-check", &["flaky", "--json"], b"").json();
    assert_eq!((&json["check"], &json["flaky"], json["logs"].as_array().unwrap().len()), (&"c".into(), &1.into(), 2));
    // The recorded run is still flaky when it is used again.
    let again = now(&scratch);
    assert!(again.status == 0 && again.out.contains("cached") && again.out.contains("check-flaky"), "{again:?}");
}

#[test]
fn a_check_that_fails_each_time_is_red() {
    let scratch = repository(9, "    retries: 2\n");
    let said = now(&scratch);
    assert!(said.status == 1 && said.out.contains("after 2 failed tries"), "{said:?}");
    assert_eq!(fs::read_to_string(scratch.top().join("n")).unwrap().trim(), "3");
    assert_eq!(flaky(&scratch), "");
}

#[test]
fn without_retries_a_check_runs_once() {
    let scratch = repository(1, "");
    assert_eq!(now(&scratch).status, 1);
    assert_eq!(fs::read_to_string(scratch.top().join("n")).unwrap().trim(), "1");
    // Another run of the same files shows the flake.
    assert_eq!(now(&scratch).status, 0);
    assert!(flaky(&scratch).starts_with("c: flaky in 1 of 2 runs"), "{}", flaky(&scratch));
}

#[test]
fn a_red_check_that_a_change_repairs_is_not_flaky() {
    let scratch = Scratch::repo();
    assert_eq!(now(&scratch).status, 1);
    scratch.append("src.txt", "fixed\n");
    assert_eq!(now(&scratch).status, 0);
    assert_eq!(flaky(&scratch), "");
}

/// A repository whose check prints `../out` and fails.
fn red(quarantine: &str, failed: &[&str]) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: c, run: cat ../out; exit 1}}\n{quarantine}"));
    let mut out = "============ test session starts ============\ntests/a.py::test_fine PASSED\n".to_string();
    failed.iter().for_each(|name| out.push_str(&format!("tests/a.py::{name} FAILED\n")));
    out.push_str(&format!("==== {} failed, 1 passed in 0.01s ====\n", failed.len()));
    fs::write(scratch.top().join("out"), out).unwrap();
    scratch
}

#[test]
fn a_failed_test_in_quarantine_is_permitted_until_the_date() {
    let entry = "quarantine:\n  - {test: test_slow, until: 2026-12-01, why: waits for the new server}\n";
    let mut scratch = red(entry, &["test_slow"]);
    let said = now(&scratch);
    assert!(said.status == 0 && said.out.contains("failed in quarantine (exit 1"), "{said:?}");
    assert!(said.out.contains("check-quarantined") && said.out.contains("waits for the new server"), "{said:?}");
    scratch.set("RG_NOW", "2026-12-01T00:00:01.000Z");
    let said = now(&scratch);
    assert!(said.status == 1, "{said:?}");
}

#[test]
fn quarantine_covers_no_other_failure() {
    let entry = "quarantine:\n  - {test: test_slow, until: 2026-12-01, why: waits}\n";
    for failed in [vec!["test_slow", "test_other"], vec!["test_very_slow"], vec!["test_slow_too"], vec![]] {
        let said = now(&red(entry, &failed));
        assert_eq!(said.status, 1, "{failed:?}: {said:?}");
    }
    // A failure that the report does not name may be of any test.
    let scratch = red(entry, &["test_slow"]);
    fs::write(scratch.top().join("out"), "tests/a.py::test_slow FAILED\n==== 2 failed in 0.01s ====\n").unwrap();
    assert_eq!(now(&scratch).status, 1);
    let elsewhere = entry.replace("test: test_slow", "test: test_slow, check: d");
    let scratch = red(&elsewhere, &["test_slow"]);
    scratch.write(
        "DONE.md",
        &format!("```yaml\nchecks: [{{name: c, run: cat ../out; exit 1}}, {{name: d, run: 'true'}}]\n{elsewhere}```\n"),
    );
    assert_eq!(now(&scratch).status, 1);
}

#[test]
fn a_whole_check_can_be_in_quarantine_and_a_timeout_cannot() {
    let entry = "quarantine: [{check: c, until: 2026-12-01, why: the server is down}]\n";
    assert_eq!(now(&red(entry, &[])).status, 0);
    let scratch = Scratch::repo_with(&format!("checks: [{{name: c, run: sleep 9, timeout: 0.2}}]\n{entry}"));
    assert_eq!(now(&scratch).status, 1);
}

#[test]
fn an_entry_that_the_agent_adds_has_no_effect_on_its_task() {
    let scratch = red("", &["test_slow"]);
    scratch.prompt("s", "go");
    let entry = "quarantine: [{check: c, until: 2026-12-01, why: x}]\n";
    scratch.write("DONE.md", &format!("```yaml\nchecks:\n  - {{name: c, run: cat ../out; exit 1}}\n{entry}```\n"));
    scratch.stop("s");
    let receipt = scratch.receipt();
    assert_eq!(receipt["outcome"], "not-done");
    assert!(receipt["checks"][0].get("quarantined").is_none(), "{receipt}");
}

#[test]
fn work_in_quarantine_can_be_done_and_its_receipt_says_so() {
    let scratch = red("quarantine: [{test: test_slow, until: 2026-12-01, why: waits}]\n", &["test_slow"]);
    scratch.prompt("s", "go");
    scratch.append("notes.txt", "x\n");
    scratch.stop("s");
    let receipt = scratch.receipt();
    assert_eq!(receipt["outcome"], "done", "{receipt}");
    assert!(receipt["checks"][0]["quarantined"].as_str().unwrap().contains("2026-12-01"), "{receipt}");
    assert_eq!(receipt["findings"][0]["rule"], "check-quarantined");
}
