//! Laws of tests that the files still have and that no run executes: beside another runner, behind others, in quarantine, in another check.

use crate::evidence::{HEAD, SIX, begun, findings, levels, print, pytest};
use crate::scratch::Scratch;
use serde_json::Value;
use std::fs;

#[test]
fn another_runner_does_not_excuse_the_tests_of_the_base() {
    let one = pytest(&SIX[..1], &[]);
    for (output, rule) in [
        (one.clone() + "1..1\nok 1 - x\n", "tests-not-run"),
        ("1..1\nok 1 - x\n".to_string(), "no-test-report"),
        ("Tests:       1 passed, 1 total\n".to_string(), "tests-not-run"),
        ((1..=9).map(|n| format!("ok {n} - x{n}\n")).collect::<String>() + "1..9\n", "no-test-report"),
    ] {
        let scratch = begun(", kind: test", &pytest(&SIX, &[]));
        let found = findings(&scratch, &output);
        assert!(levels(&found).contains(&(rule, "tampered")), "{output}: {found:?}");
    }
    // One of two runners says nothing any more.
    let both = |rest: &str| format!("Tests:       1 passed, 1 total\n{rest}");
    let scratch = begun(", kind: test", &both(&pytest(&SIX, &[])));
    let found = findings(&scratch, &both(""));
    assert!(levels(&found).contains(&("no-test-report", "tampered")), "{found:?}");
    assert!(found[0].2.contains("pytest reports nothing any more"), "{found:?}");
}

#[test]
fn a_runner_that_was_replaced_is_compared_by_what_ran() {
    let unittest: String = SIX.iter().map(|name| format!("{name} (tests.test_x.Sum.{name}) ... ok\n")).collect();
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    assert_eq!(levels(&findings(&scratch, &format!("{unittest}\nRan 6 tests in 0.01s\n\nOK\n"))), []);
    // Its names are other ones, and the files have them.
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    scratch.write("tests/x.test.js", "it('adds one', f);\nit('adds two', f);\n");
    let jest: String = (1..=6).map(|_| "  \u{2713} adds one (1 ms)\n").collect();
    let found = findings(&scratch, &format!("{jest}Tests:       6 passed, 6 total\n"));
    assert!(!levels(&found).iter().any(|(rule, _)| ["tests-not-run", "no-test-report"].contains(rule)), "{found:?}");
}

#[test]
fn other_tests_do_not_stand_for_those_that_did_not_run() {
    let padded = [&SIX[..1], &["test_p", "test_q", "test_r", "test_s", "test_t", "test_u"]].concat();
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    let found = findings(&scratch, &pytest(&padded, &[]));
    assert!(levels(&found) == [("tests-not-run", "tampered")] && found[0].2.contains("5 tests"), "{found:?}");
}

#[test]
fn names_that_are_gone_are_not_excused_by_fewer_counts() {
    let scratch = begun("", &pytest(&SIX, &[]));
    let found = findings(&scratch, "==== 2 passed in 0.01s ====\n");
    assert!(found[0].2.contains("names none of them, and the files still have 6"), "{found:?}");
    assert_eq!(levels(&found)[0], ("tests-not-run", "inconclusive"), "a script may print less");
}

/// A check whose test `test_f` is in quarantine and fails, with these commands.
fn quarantined(commands: &str) -> Scratch {
    let entry = "quarantine: [{test: test_f, until: 2026-12-01, why: waits}]";
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: c, run: '{commands}', kind: test}}\n{entry}\n"));
    let defined: String = SIX.iter().map(|name| format!("def {name}():\n    assert {name}\n\n")).collect();
    scratch.write("tests/test_x.py", &defined);
    scratch.write("run.sh", "cat ../out; exit 1\n");
    scratch.ok("git add -A && git commit -qm tests");
    print(&scratch, &failing(&SIX[..5]));
    scratch
}

/// What pytest prints if `test_f` fails beside those that pass.
fn failing(passed: &[&str]) -> String {
    let lines: String = passed.iter().map(|name| format!("tests/test_x.py::{name} PASSED\n")).collect();
    let count = passed.len();
    format!("{HEAD}{lines}tests/test_x.py::test_f FAILED\n==== 1 failed, {count} passed in 0.01s ====\n")
}

#[test]
fn a_failure_in_quarantine_hides_no_test_that_did_not_run() {
    let scratch = quarantined("sh run.sh");
    assert_eq!(scratch.run("rg-check", &["--now", "--fresh"], b"").status, 0);
    scratch.prompt("s", "go");
    let found = findings(&scratch, &failing(&SIX[..5]));
    assert!(!levels(&found).iter().any(|(rule, _)| *rule == "tests-not-run"), "{found:?}");
    let found = findings(&scratch, &failing(&[]));
    let lost = found.iter().find(|(rule, _, _)| rule == "tests-not-run").unwrap();
    assert!(lost.1 == "inconclusive" && lost.2.contains("must not end the run"), "{found:?}");
    assert_eq!(scratch.words().last().unwrap(), "unverified");
}

#[test]
fn a_failure_in_quarantine_hides_no_command_after_it() {
    let scratch = quarantined("sh run.sh; sh lint.sh");
    let said = scratch.run("rg-check", &["--now", "--fresh"], b"");
    assert_eq!(said.status, 1, "{said:?}");
    let said = scratch.run("rg-check", &["--validate"], b"");
    assert!(said.out.contains("not of tests in \"c\": it runs several commands"), "{said:?}");
    assert_eq!(quarantined("cd . && sh run.sh").run("rg-check", &["--now", "--fresh"], b"").status, 0);
}

#[test]
fn a_test_that_runs_in_another_check_has_moved() {
    let scratch = Scratch::repo_with(
        "checks:\n  - {name: api, run: sh run.sh api, kind: test}\n  - {name: web, run: sh run.sh web, kind: test}\n",
    );
    scratch.write("run.sh", "cat ../out-$1\n");
    let write = |of: &str, names: &[&str]| {
        let text: String = names.iter().map(|name| format!("def {name}():\n    assert {name}\n\n")).collect();
        scratch.write(&format!("{of}/tests/test_x.py"), &text);
        fs::write(scratch.top().join(format!("out-{of}")), pytest(names, &[])).unwrap();
    };
    write("api", &SIX[..4]);
    write("web", &SIX[4..]);
    scratch.ok("git add -A && git commit -qm tests");
    assert_eq!(scratch.run("rg-check", &["--now", "--fresh"], b"").status, 0);
    scratch.prompt("s", "go");
    write("api", &SIX[..3]);
    write("web", &SIX[3..]);
    scratch.stop("s");
    let found = scratch.receipt()["findings"].to_string();
    assert!(!found.contains("tests-not-run"), "{found}");
    // Where it ran before, it does not stand for the one that is lost.
    write("api", &SIX[..2]);
    fs::write(scratch.top().join("out-web"), pytest(&SIX[3..], &[])).unwrap();
    scratch.append("api/tests/test_x.py", "def test_c():\n    assert test_c\n");
    scratch.stop("s");
    let found = scratch.receipt()["findings"].to_string();
    assert!(found.contains("tests-not-run") && found.contains("::test_c"), "{found}");
}

#[test]
fn a_quoted_word_is_not_a_test_of_that_name() {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: cat ../out, kind: test}\n");
    let spinner = "it('loading', () => {\n  expect(spinner()).toBe('spin');\n});\n";
    scratch.write("spinner.test.js", spinner);
    scratch.write("state.test.js", "it('begins', () => {\n  expect(state()).toBe('loading');\n});\n");
    scratch.ok("git add -A && git commit -qm tests");
    print(&scratch, "  \u{2713} loading (1 ms)\n  \u{2713} begins (1 ms)\nTests:       2 passed, 2 total\n");
    assert_eq!(scratch.run("rg-check", &["--now", "--fresh"], b"").status, 0);
    scratch.prompt("s", "go");
    scratch.ok("git rm -q spinner.test.js");
    let found = findings(&scratch, "  \u{2713} begins (1 ms)\nTests:       1 passed, 1 total\n");
    let own: Vec<_> = found.iter().filter(|(rule, _, _)| rule == "tests-not-run").collect();
    assert!(own.len() == 1 && own[0].1 == "warning", "{found:?}");
}

#[test]
fn a_waiver_of_one_lost_test_covers_no_other() {
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    let key = |names: &[&str]| {
        findings(&scratch, &pytest(names, &[]));
        let receipt = scratch.receipt();
        let all = receipt["findings"].as_array().unwrap();
        all.iter().find(|finding| finding["rule"] == "tests-not-run").map(|finding| finding["key"].clone()).unwrap()
    };
    let one: Value = key(&SIX[..5]);
    assert_eq!(key(&SIX[..5]), one, "the same finding has the same key");
    assert_ne!(key(&SIX[..4]), one);
    assert_ne!(key(&SIX[1..]), one);
}
