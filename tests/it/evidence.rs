//! Laws of runner evidence: a check that runs tests reports them, and its report is compared with the base's.

use crate::scratch::{Said, Scratch};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

pub(crate) const HEAD: &str = "============ test session starts ============\n";

/// What pytest prints for tests of one file: those that ran, and those that it skipped.
pub(crate) fn pytest(ran: &[&str], skipped: &[&str]) -> String {
    let mut out = HEAD.to_string();
    ran.iter().for_each(|name| out.push_str(&format!("tests/test_x.py::{name} PASSED [ 50%]\n")));
    skipped.iter().for_each(|name| out.push_str(&format!("tests/test_x.py::{name} SKIPPED (later) [ 50%]\n")));
    match (ran.len(), skipped.len()) {
        (0, 0) => out.push_str("==== no tests ran in 0.01s ====\n"),
        (n, 0) => out.push_str(&format!("==== {n} passed in 0.01s ====\n")),
        (n, m) => out.push_str(&format!("==== {n} passed, {m} skipped in 0.01s ====\n")),
    }
    out
}

pub(crate) const SIX: [&str; 6] = ["test_a", "test_b", "test_c", "test_d", "test_e", "test_f"];

/// A repository whose check prints `../out`. The files define the tests of `SIX`.
fn repository(more: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: tests, run: sh run.sh{more}}}\n"));
    scratch.write("run.sh", "cat ../out\n");
    let defined: String = SIX.iter().map(|name| format!("def {name}():\n    assert {name}\n\n")).collect();
    scratch.write("tests/test_x.py", &defined);
    scratch.ok("git add -A && git commit -qm tests");
    scratch
}

pub(crate) fn print(scratch: &Scratch, output: &str) {
    fs::write(scratch.top().join("out"), output).unwrap();
}

fn now(scratch: &Scratch) -> Said {
    scratch.run("rg-check", &["--now", "--fresh"], b"")
}

/// A repository with a recorded run on the files with which the task `s` began.
pub(crate) fn begun(more: &str, output: &str) -> Scratch {
    let scratch = repository(more);
    print(&scratch, output);
    assert_eq!(now(&scratch).status, 0);
    scratch.prompt("s", "go");
    scratch
}

/// The findings of the next stop, after a change: rule, level, text.
pub(crate) fn findings(scratch: &Scratch, output: &str) -> Vec<(String, String, String)> {
    print(scratch, output);
    scratch.append("notes.txt", "x\n");
    scratch.stop("s");
    let receipt = scratch.receipt();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_string();
    let all = receipt["findings"].as_array().cloned().unwrap_or_default();
    all.iter().map(|finding| (text(finding, "rule"), text(finding, "level"), text(finding, "text"))).collect()
}

pub(crate) fn levels(found: &[(String, String, String)]) -> Vec<(&str, &str)> {
    found.iter().map(|(rule, level, _)| (rule.as_str(), level.as_str())).collect()
}

#[test]
fn a_check_of_tests_without_a_report_is_unverified() {
    let scratch = repository(", kind: test");
    print(&scratch, "all is well\n");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("no closing line of a test runner"), "{said:?}");
    print(&scratch, &pytest(&[], &[]));
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("without executing a test"), "{said:?}");
    print(&scratch, &format!("{HEAD}tests/test_x.py::test_a PASSED\n"));
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("pytest ended before its closing line"), "{said:?}");
    // A green run without evidence is not used again.
    print(&scratch, &pytest(&SIX, &["test_g"]));
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 0 && said.out.contains("; 6 tests, 1 skipped"), "{said:?}");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 0 && said.out.contains("; 6 tests, 1 skipped; cached"), "{said:?}");
}

#[test]
fn a_check_that_is_not_declared_as_tests_owes_no_report() {
    let scratch = repository("");
    for output in ["all is well\n", &pytest(&[], &[]), "running 3 tests\n", ""] {
        print(&scratch, output);
        let said = now(&scratch);
        assert_eq!(said.status, 0, "{said:?}");
    }
}

#[test]
fn a_run_without_tests_is_tampering_if_the_base_had_some() {
    for more in ["", ", kind: test"] {
        let scratch = begun(more, &pytest(&SIX, &[]));
        assert_eq!(levels(&findings(&scratch, &pytest(&[], &[]))), [("no-tests-ran", "tampered")]);
        assert_eq!(scratch.words().last().unwrap(), "not-done");
        assert_eq!(levels(&findings(&scratch, &pytest(&SIX, &[]))), []);
        assert_eq!(scratch.words().last().unwrap(), "done");
    }
}

#[test]
fn a_lost_closing_line_is_tampering_where_the_base_had_one() {
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    assert_eq!(levels(&findings(&scratch, "all is well\n")), [("no-test-report", "tampered")]);
    let early = format!("{HEAD}tests/test_x.py::test_a PASSED\n");
    assert_eq!(levels(&findings(&scratch, &early)), [("no-test-report", "tampered")]);
    // The output of a wrapper may differ, for example if it has nothing to do.
    let scratch = begun("", &pytest(&SIX, &[]));
    assert_eq!(levels(&findings(&scratch, "make: nothing to be done\n")), [("no-test-report", "warning")]);
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn a_test_that_the_files_still_have_must_run() {
    let scratch = begun("", &pytest(&SIX, &[]));
    let found = findings(&scratch, &pytest(&SIX[..5], &[]));
    assert_eq!(levels(&found), [("tests-not-run", "tampered")]);
    assert!(found[0].2.contains("tests/test_x.py::test_f") && !found[0].2.contains("test_e"), "{found:?}");
    assert_eq!(scratch.words().last().unwrap(), "not-done");
}

#[test]
fn a_test_that_was_removed_renamed_or_moved_is_no_tampering() {
    let mut scratch = begun("", &pytest(&SIX, &[]));
    // rg-tamper judges removed tests; this is about what ran.
    scratch.set("RG_NOW", crate::scratch::NOW);
    let kept: String = SIX[..5].iter().map(|name| format!("def {name}():\n    assert {name}\n\n")).collect();
    scratch.write("tests/test_x.py", &kept);
    let found = findings(&scratch, &pytest(&SIX[..5], &[]));
    let own: Vec<_> = found.iter().filter(|(rule, _, _)| rule == "tests-not-run").collect();
    assert!(own.len() == 1 && own[0].1 == "warning" && own[0].2.contains("removed or renamed"), "{found:?}");
    let scratch = begun("", &pytest(&SIX, &[]));
    let moved = pytest(&SIX, &[]).replace("tests/test_x.py::test_f", "tests/test_y.py::Sum::test_f");
    assert_eq!(levels(&findings(&scratch, &moved)), []);
    let renamed = |text: &str| text.replace("test_f", "test_g");
    let file = scratch.work().join("tests/test_x.py");
    fs::write(&file, renamed(&fs::read_to_string(&file).unwrap())).unwrap();
    let found = findings(&scratch, &renamed(&pytest(&SIX, &[])));
    assert!(!found.iter().any(|(rule, _, _)| rule == "tests-not-run"), "as many tests ran: {found:?}");
}

#[test]
fn a_test_that_is_skipped_now_is_named() {
    let scratch = begun("", &pytest(&SIX, &[]));
    let found = findings(&scratch, &pytest(&SIX[..4], &SIX[4..]));
    assert_eq!(levels(&found), [("tests-not-run", "warning")]);
    assert!(found[0].2.contains("skipped 2 tests") && found[0].2.contains("test_f"), "{found:?}");
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn without_names_the_counts_are_compared() {
    let quiet = |n: usize, skipped: usize| format!("......\n{n} passed, {skipped} skipped in 0.01s\n");
    let scratch = begun("", &quiet(6, 1));
    let found = findings(&scratch, &quiet(4, 1));
    assert!(
        levels(&found) == [("tests-not-run", "warning")] && found[0].2.contains("executed 4 tests, and 6"),
        "{found:?}"
    );
    assert_eq!(levels(&findings(&scratch, &quiet(6, 2))), [("tests-not-run", "warning")]);
    assert_eq!(levels(&findings(&scratch, &quiet(9, 1))), []);
}

#[test]
fn a_closing_line_alone_is_told_where_the_base_named_its_tests() {
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    let found = findings(&scratch, "==== 250 passed in 0.01s ====\n");
    assert!(levels(&found) == [("no-test-report", "warning")] && found[0].2.contains("names none"), "{found:?}");
    // A base that named none owes none.
    let scratch = begun(", kind: test", "==== 6 passed in 0.01s ====\n");
    assert_eq!(levels(&findings(&scratch, "==== 250 passed in 0.01s ====\n")), []);
}

#[test]
fn a_report_of_other_tests_is_tampering() {
    let scratch = begun(", kind: test", &pytest(&SIX, &[]));
    let other: Vec<String> = SIX.iter().map(|name| format!("test_other_{name}")).collect();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    let found = findings(&scratch, &pytest(&other, &[]));
    assert!(levels(&found) == [("no-test-report", "tampered")] && found[0].2.contains("other tests"), "{found:?}");
}

#[test]
fn failures_that_the_command_hides_are_reported() {
    let output = format!("{HEAD}tests/test_x.py::test_a FAILED\n==== 1 failed, 2 passed in 0.01s ====\n");
    let scratch = repository(", kind: test");
    print(&scratch, &output);
    let said = now(&scratch);
    assert!(said.status == 1 && said.out.contains("exits 0, but 1 of its 3 tests failed"), "{said:?}");
    let scratch = repository("");
    print(&scratch, &output);
    let said = now(&scratch);
    assert!(said.status == 0 && said.out.contains("failures-hidden"), "{said:?}");
}

#[test]
fn a_command_that_selects_tests_by_itself_is_not_compared() {
    let scratch = repository("");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: sh run.sh --changed}\n```\n");
    print(&scratch, &pytest(&SIX, &[]));
    assert_eq!(now(&scratch).status, 0);
    scratch.prompt("s", "go");
    assert_eq!(levels(&findings(&scratch, &pytest(&SIX[..2], &[]))), []);
}

#[test]
fn the_list_of_tests_has_no_secrets_and_is_in_a_blob() {
    let scratch = repository("");
    print(&scratch, &pytest(&["test_a", "test_token[password=hunter2hunter2]"], &[]));
    now(&scratch);
    let said = scratch.ok("cat ../state/blobs/*; cat ../state/checks/*.jsonl");
    assert!(said.out.contains("passed tests/test_x.py::test_a\n") && !said.out.contains("hunter2"), "{said:?}");
}

/// A repository whose check makes a report and prints nothing.
fn reporting(report: &str, run: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: tests, run: sh run.sh, report: '{report}'}}\n"));
    scratch.write("run.sh", run);
    scratch.write(".gitignore", "out/\n");
    scratch.write("out/kept", "");
    scratch.ok("git add -A && git commit -qm tests");
    scratch
}

const CASE: &str = "<testsuite><testcase classname=\"tests.test_x\" name=\"test_a\"/></testsuite>";

#[test]
fn a_report_file_of_this_run_is_evidence() {
    for (report, run) in [
        ("out/junit.xml", "cat ../report > out/junit.xml"),
        ("junit:out/junit.xml", "cat ../report > out/junit.xml"),
        ("out/*.xml", "cat ../report > out/a.xml"),
        ("out/**/TEST-*.xml", "mkdir -p out/x/y; cat ../report > out/x/y/TEST-a.xml"),
        // A declared report need not be ignored.
        ("junit.xml", "cat ../report > junit.xml"),
    ] {
        let scratch = reporting(report, run);
        fs::write(scratch.top().join("report"), CASE).unwrap();
        let said = now(&scratch);
        assert!(said.status == 0 && said.out.contains("; 1 test"), "{report}: {said:?}");
        // A second run writes it anew.
        assert_eq!(now(&scratch).status, 0, "{report}");
    }
    let scratch = reporting("out/*.xml", "for n in a b; do cat ../report > out/$n.xml; done");
    fs::write(scratch.top().join("report"), CASE).unwrap();
    assert!(now(&scratch).out.contains("; 2 tests"));
}

#[test]
fn a_report_that_this_run_did_not_write_is_refused() {
    let scratch = reporting("out/junit.xml", "true");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("there is no file out/junit.xml"), "{said:?}");
    scratch.write("out/junit.xml", CASE);
    std::thread::sleep(Duration::from_millis(50));
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("older than the start of the check"), "{said:?}");
    // A copy keeps the time of a file.
    scratch.write("run.sh", "cp -p out/junit.xml out/x; mv out/x out/junit.xml");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("older than the start"), "{said:?}");
    let outside = scratch.top().join("outside.xml");
    fs::write(&outside, CASE).unwrap();
    fs::remove_file(scratch.work().join("out/junit.xml")).unwrap();
    symlink(&outside, scratch.work().join("out/junit.xml")).unwrap();
    scratch.write("run.sh", "printf '%s' \"$(cat ../outside.xml)\" > ../outside.xml");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("symbolic link"), "{said:?}");
    // Through a directory that is a link.
    let scratch = reporting("out/far/junit.xml", "cat ../report > ../far/junit.xml");
    fs::create_dir(scratch.top().join("far")).unwrap();
    fs::write(scratch.top().join("report"), CASE).unwrap();
    symlink(scratch.top().join("far"), scratch.work().join("out/far")).unwrap();
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("symbolic link"), "{said:?}");
}

#[test]
fn an_old_report_with_a_new_time_is_refused_and_the_same_bytes_written_anew_are_not() {
    let old = |run: &str| {
        let scratch = reporting("out/junit.xml", run);
        fs::write(scratch.top().join("report"), CASE).unwrap();
        scratch.write("out/junit.xml", CASE);
        now(&scratch)
    };
    for run in [
        "touch out/junit.xml",
        "touch -d '+1 hour' out/junit.xml",
        ": >> out/junit.xml; touch out/junit.xml",
        "chmod 600 out/junit.xml; touch out/junit.xml",
        "mv out/junit.xml out/x; touch out/x; mv out/x out/junit.xml",
        "ln out/junit.xml out/x; rm out/junit.xml; ln out/x out/junit.xml; touch out/junit.xml",
        "mv out away; touch away/junit.xml; mv away out",
    ] {
        let said = old(run);
        assert!(said.status == 111 && said.out.contains("with the same bytes"), "{run}: {said:?}");
    }
    for run in [
        "cat ../report > out/junit.xml",
        "cp ../report out/junit.xml",
        "rm out/junit.xml; cat ../report > out/junit.xml",
        "cat ../report > out/x; mv out/x out/junit.xml",
        "rm -r out; mkdir out; cat ../report > out/junit.xml",
    ] {
        let said = old(run);
        assert!(said.status == 0 && said.out.contains("; 1 test"), "{run}: {said:?}");
    }
    // Beside a report of this run, an old one counts nothing.
    let scratch = reporting("out/*.xml", "touch out/old.xml; cat ../report > out/new.xml");
    fs::write(scratch.top().join("report"), CASE).unwrap();
    scratch.write("out/old.xml", CASE);
    let said = now(&scratch);
    assert!(said.status == 0 && said.out.contains("; 1 test"), "{said:?}");
}

#[test]
fn a_report_that_is_committed_is_of_no_run() {
    let scratch = reporting("junit.xml", "git checkout -q HEAD -- junit.xml");
    scratch.write("junit.xml", CASE);
    scratch.ok("git add -A && git commit -qm report && rm junit.xml");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("committed"), "{said:?}");
    // A run with a time of its own.
    scratch.write("run.sh", "echo '<testsuite><testcase name=\"test_a\" time=\"0.02\"/></testsuite>' > junit.xml");
    let said = now(&scratch);
    assert!(said.status == 0 && said.out.contains("; 1 test"), "{said:?}");
}

#[test]
fn what_lies_at_the_place_of_the_report_before_the_check_stops_nothing() {
    for before in [
        "mkfifo out/junit.xml",
        "mkdir out/junit.xml",
        "ln -s /dev/zero out/junit.xml",
        "truncate -s 100M out/junit.xml",
        "printf '\\377' > out/junit.xml",
        "echo a > out/junit.xml; chmod 000 out/junit.xml",
    ] {
        let scratch = reporting("out/junit.xml", "rm -rf out/junit.xml; cat ../report > out/junit.xml");
        fs::write(scratch.top().join("report"), CASE).unwrap();
        scratch.ok(before);
        let said = now(&scratch);
        assert!(said.status == 0 && said.out.contains("; 1 test"), "{before}: {said:?}");
        assert!(said.took < Duration::from_secs(20), "{before}: {:?}", said.took);
    }
}

#[test]
fn a_hostile_report_is_refused_visibly_and_soon() {
    for (run, why) in [
        ("printf '<testsuite><testcase name=\"a\"' > out/r.xml", "ends too early"),
        ("printf '<!DOCTYPE a [<!ENTITY b \"b\">]><testsuite>&b;</testsuite>' > out/r.xml", "document type"),
        ("truncate -s 100M out/r.xml", "too large"),
        ("mkfifo out/r.xml", "FIFO"),
        ("mkdir out/r.xml", "directory"),
        ("printf '\\377\\376' > out/r.xml", "UTF-8"),
        (": > out/r.xml", "empty"),
        ("printf '{\"numTotalTests\": 3' > out/r.xml", "incomplete JSON"),
        ("ln -s /dev/zero out/r.xml", "symbolic link"),
    ] {
        let scratch = reporting("out/r.xml", run);
        let said = now(&scratch);
        assert!(said.status == 111 && said.out.contains(why), "{run}: {said:?}");
        assert!(said.took < Duration::from_secs(20), "{run}: {:?}", said.took);
    }
    let scratch = reporting("out/*.xml", "for n in $(seq 2100); do echo '<testsuite/>' > out/$n.xml; done");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("too large"), "{said:?}");
}

#[test]
fn a_named_runner_must_close_its_run() {
    let scratch = repository(", report: pytest");
    print(&scratch, &pytest(&SIX, &[]));
    assert_eq!(now(&scratch).status, 0);
    print(&scratch, "3 examples, 0 failures\n");
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("no closing line of pytest"), "{said:?}");
}

#[test]
fn a_document_in_the_output_is_read() {
    let scratch = repository(", report: jest");
    print(
        &scratch,
        "> npm test\n{\"numTotalTests\":1,\"testResults\":[{\"assertionResults\":[{\"fullName\":\"sum adds\",\"status\":\"passed\"}]}]}\n",
    );
    let said = now(&scratch);
    assert!(said.status == 0 && said.out.contains("; 1 test"), "{said:?}");
}

#[test]
fn wrong_values_of_report_retries_and_quarantine_are_errors() {
    for (yaml, why) in [
        ("checks: [{name: a, run: x, report: nothing}]", "must be a path, a glob, or one of"),
        ("checks: [{name: a, run: x, report: ../a.xml}]", "leaves the root"),
        ("checks: [{name: a, run: x, report: /a.xml}]", "leaves the root"),
        ("checks: [{name: a, run: x, report: 3}]", "must be a text"),
        ("checks: [{name: a, run: x, retries: 6}]", "from 0 to 5"),
        ("checks: [{name: a, run: x, retries: 0.5}]", "from 0 to 5"),
        ("checks: [{name: a, run: x, retries: often}]", "from 0 to 5"),
        ("checks: [{name: a, run: x}]\nquarantine: {test: a}", "must be a list"),
        ("checks: [{name: a, run: x}]\nquarantine: [{test: a, why: b}]", "needs an end"),
        ("checks: [{name: a, run: x}]\nquarantine: [{test: a, until: 2027-01-01}]", "needs a reason"),
        ("checks: [{name: a, run: x}]\nquarantine: [{until: 2027-01-01, why: b}]", "needs a test or a check"),
        ("checks: [{name: a, run: x}]\nquarantine: [{check: b, until: 2027-01-01, why: b}]", "is no check"),
        ("checks: [{name: a, run: x}]\nquarantine: [{test: a, until: soon, why: b}]", "must be a date"),
        ("checks: [{name: a, run: x}]\nquarantine: [{test: a, until: 2027-02-30, why: b}]", "must be a date"),
    ] {
        let scratch = Scratch::repo_with(&format!("{yaml}\n"));
        let said = scratch.run("rg-check", &["--validate"], b"");
        assert!(said.status == 100 && (said.err.clone() + &said.out).contains(why), "{yaml}: {said:?}");
    }
}

#[test]
fn a_report_of_another_project_is_unverified_without_a_base() {
    let strange = ["Kasse.rechnet", "Kasse.rundet", "Kasse.zieht_ab", "Kasse.storniert", "Kasse.bucht"];
    let scratch = repository(", kind: test");
    // Each project has these words in its paths.
    scratch.append("tests/test_x.py", "# tests of test_x\n");
    print(&scratch, &pytest(&strange, &[]));
    let said = now(&scratch);
    assert!(said.status == 111 && said.out.contains("no file of tests names"), "{said:?}");
    // One test that is known is enough, and so is one whose name is generated below a known suite.
    print(&scratch, &pytest(&[&strange[..], &["test_a[1-2]"]].concat(), &[]));
    assert_eq!(now(&scratch).status, 0);
    scratch.write("tests/test_x.py", "class Kasse:\n    pass\n");
    print(&scratch, &pytest(&strange, &[]));
    assert_eq!(now(&scratch).status, 0);
    // Where no file is known to have tests, nothing is known about names.
    scratch.ok("git rm -rq -f tests");
    assert_eq!(now(&scratch).status, 0);
}
