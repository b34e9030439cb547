//! What the reports of real runners say: `tests/data/evidence` holds reports, `expected.txt` what is read from each.
//! `BLESS=1 cargo test evidence` replaces that file.

use review_gate::evidence::{Ending, Evidence, OutputReader, read_report};
use std::fs;
use std::path::{Path, PathBuf};

fn dir(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// What an output says.
fn of_output(bytes: &[u8]) -> Option<Evidence> {
    let mut reader = OutputReader::default();
    // The pieces of a pipe end anywhere.
    bytes.chunks(7).for_each(|piece| reader.take(piece));
    reader.finish(|| bytes.to_vec())
}

/// Evidence on one line.
fn line(evidence: &Evidence) -> String {
    let run = &evidence.run;
    let end = if run.incomplete { ", incomplete" } else { "" };
    let counts = format!("{} executed, {} failed, {} skipped{end}", run.executed, run.failed, run.skipped);
    let names = evidence.tests.as_ref().map_or("unnamed".to_string(), |tests| {
        let of = |ending| tests.named(ending).collect::<Vec<_>>().join(" | ");
        format!("ran [{}] failed [{}] skipped [{}]", of(Ending::Passed), of(Ending::Failed), of(Ending::Skipped))
    });
    format!("{}: {counts}; {names}", run.runners.join(", "))
}

#[test]
fn each_runners_report_is_read() {
    let expected = dir("data/evidence/expected.txt");
    let mut reports: Vec<PathBuf> = ["data/evidence", "excerpts"]
        .iter()
        .flat_map(|name| fs::read_dir(dir(name)).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|end| end != "exp") && *path != expected)
        .collect();
    reports.sort();
    let mut got = String::new();
    for path in &reports {
        let bytes = fs::read(path).unwrap();
        let said = match path.extension().is_some_and(|end| end == "xml") {
            true => line(&read_report(&bytes).unwrap()),
            false => of_output(&bytes).map_or("no test run".to_string(), |evidence| line(&evidence)),
        };
        got.push_str(&format!("{}: {said}\n", path.file_name().unwrap().to_string_lossy()));
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&expected, &got).unwrap();
    }
    assert_eq!(got, fs::read_to_string(&expected).unwrap());
}

/// The reports of runners that cannot run here, in the form that their documentation shows.
#[test]
fn reports_of_dotnet_and_maven_are_read() {
    let trx = r#"<?xml version="1.0"?><TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
        <Results><UnitTestResult testName="Sum.Adds" outcome="Passed" /><UnitTestResult testName="Sum.Later" outcome="NotExecuted" />
        <UnitTestResult testName="Sum.Breaks" outcome="Failed"><Output><StdOut>a &lt; b</StdOut></Output></UnitTestResult></Results></TestRun>"#;
    let said = line(&read_report(trx.as_bytes()).unwrap());
    assert_eq!(said, "trx: 2 executed, 1 failed, 1 skipped; ran [Sum.Adds] failed [Sum.Breaks] skipped [Sum.Later]");
    let dotnet =
        "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - sum.dll (net8.0)\n";
    assert!(line(&of_output(dotnet.as_bytes()).unwrap()).starts_with("dotnet: 3 executed, 0 failed, 1 skipped;"));
    let maven = "[INFO]  T E S T S\n[INFO] Running SumTest\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in SumTest\n\
        [INFO] Results:\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1\n";
    assert!(line(&of_output(maven.as_bytes()).unwrap()).starts_with("maven: 1 executed, 0 failed, 1 skipped;"));
    let begun = of_output(b"[INFO]  T E S T S\n[INFO] Running SumTest\n").unwrap();
    assert!(begun.run.incomplete);
}

#[test]
fn output_of_other_programs_is_no_test_run() {
    for text in [
        "3 warnings in 0.5s\n",
        "All checks passed!\n",
        "Found 3 errors in 2 files\n",
        "    Finished `dev` profile in 0.02s\n",
        "Tests are described in TESTS.md\n",
        "ok\n- a list\n- of things\n",
        "Passed 3 of 4\n",
        "Success: no issues found in 3 source files\n",
        "ok 1 - a result without a plan\n",
        "{\"name\": \"package\"}\n",
        "12 problems (0 errors, 12 warnings)\n",
    ] {
        assert_eq!(of_output(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn what_a_test_prints_without_a_newline_hides_no_result() {
    let go =
        "=== RUN   TestA\nadding--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- x: y\n--- FAIL: TestB (0.01s)\nFAIL\n";
    assert_eq!(
        line(&of_output(go.as_bytes()).unwrap()),
        "go: 2 executed, 1 failed, 0 skipped; ran [TestA] failed [TestB] skipped []"
    );
}

/// tape prints the counts of node with its own blanks.
#[test]
fn the_counts_of_tape_are_read() {
    let tape = "TAP version 13\n# adds\nok 1 should be strictly equal\nnot ok 2 should be strictly equal\n\n1..2\n# tests 2\n# pass  1\n# fail  1\n";
    assert!(line(&of_output(tape.as_bytes()).unwrap()).starts_with("node: 2 executed, 1 failed, 0 skipped;"));
}

#[test]
fn a_runner_that_stops_early_has_no_closing_line() {
    for text in [
        "running 3 tests\ntest a ... ok\n",
        "============ test session starts ============\ncollected 3 items\n",
        "=== RUN   TestA\n",
        "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestA\"}\n",
        "1..3\nok 1 - a\n",
        "    Starting 3 tests across 1 binary\n        PASS [   0.1s] a b\n",
        "Ran 3 tests in 0.001s\n",
        "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\nrunning 2 tests\n",
    ] {
        assert!(of_output(text.as_bytes()).is_some_and(|evidence| evidence.run.incomplete), "{text}");
    }
}

#[test]
fn a_hostile_report_is_refused() {
    let case = "<testcase name='a'/>";
    let deep = format!("<testsuite>{}", "<a>".repeat(100_000));
    for (text, why) in [
        ("", "empty"),
        ("   \n", "empty"),
        ("<testsuites><testsuite>", "ends too early"),
        ("<testsuites><testcase name='a'", "ends too early"),
        ("<testsuites><!-- ", "ends too early"),
        ("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><testsuites>&b;</testsuites>", "document type"),
        ("<html><body/></html>", "<html>"),
        (deep.as_str(), "too deeply"),
        ("<testsuite></testsuites>", "do not match"),
        ("<testsuite/><testsuite/>", "two roots"),
        ("{\"numTotalTests\": 3, \"testResults\": [", "incomplete JSON"),
        ("{\"a\": 1}", "not known"),
        ("all is well\n", "no format that is known"),
        ("\u{feff}<?xml version='1.0'?>", "no element"),
    ] {
        let error = read_report(text.as_bytes()).map(|found| line(&found)).unwrap_err();
        assert!(error.contains(why), "{text:?}: {error}");
    }
    assert!(read_report(b"\xff\xfe").unwrap_err().contains("UTF-8"));
    let entity = "<testsuite><testcase name='&lt;a&gt; &b;'/></testsuite>";
    assert_eq!(
        line(&read_report(entity.as_bytes()).unwrap()),
        "junit: 1 executed, 0 failed, 0 skipped; ran [<a> &b;] failed [] skipped []"
    );
    // Many tests are counted, and not all are named.
    let many = format!("<testsuite>{}</testsuite>", case.repeat(60_000));
    assert_eq!(line(&read_report(many.as_bytes()).unwrap()), "junit: 60000 executed, 0 failed, 0 skipped; unnamed");
}

#[test]
fn no_output_makes_the_reader_panic_or_wait() {
    let pieces: [&[u8]; 22] = [
        b"test result: ok. ",
        b"18446744073709551615 passed; ",
        b"1 failed; 0 ignored;",
        b"Tests: ",
        b"Tests  ",
        b"1..99999999999999999999",
        b"1..18446744073709551615\n",
        b"ok 1 - a\n",
        b"=== ",
        b" in 0.1s",
        b"\n",
        b"\x1b[31m",
        b"\xff",
        b"Ran 1 test in 1s\n",
        b"OK (skipped=18446744073709551615)\n",
        b"18446744073709551615 passing\n",
        b"9 failing\n",
        "\u{2139} pass 18446744073709551615\n".as_bytes(),
        b"\r",
        b"Summary [ 1s] 1/2 tests run: 1 passed (",
        b"(",
        "\u{2713} \n".as_bytes(),
    ];
    let mut state = 11u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for _ in 0..2_000 {
        let output: Vec<u8> = (0..next() % 40).flat_map(|_| pieces[next() % pieces.len()].to_vec()).collect();
        let _ = of_output(&output);
        let _ = read_report(&output);
    }
    let began = std::time::Instant::now();
    for text in [
        "ok 1 - a\n",
        "PASSED a::b\n",
        "\u{2713} adds\n",
        "((((((((((",
        "<a ",
        "{\"Action\":\"pass\",\"Test\":\"a\"}\n",
        "test a ... ok\n",
    ] {
        let _ = of_output(text.repeat(200_000).as_bytes());
        let _ = read_report(text.repeat(200_000).as_bytes());
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}
