//! Laws of the reports for other programs: SARIF and JUnit's XML hold each finding once, with its place, and escape what is hostile.

use crate::person::at_a_terminal;
use crate::scratch::{Said, Scratch, skipped};
use serde_json::{Value, json};

const CHECKS: &str = "checks:\n  - {name: 'tests <&>', run: 'printf \"\\033[31mno \\\"way\\\" ]]>\\n\"; exit 3'}\n  - {name: lint, run: 'true'}\n";

fn report(scratch: &Scratch, format: &str) -> Said {
    scratch.sh(
        &format!("rg-event stop --against main | rg-tamper | rg-check | rg-receipt | rg-answer --format {format}"),
        b"",
    )
}

/// A repository whose change skips a test and adds a file with an odd name.
fn tampered() -> Scratch {
    let scratch = Scratch::repo_with(CHECKS);
    scratch.write("test/a b.test.js", "test('a', () => {\n  expect(1 + x).toBe(2);\n});\n");
    scratch.ok("git add -A && git commit -qm code && git checkout -qb work");
    scratch.write("test/a b.test.js", "test.skip('a', () => {\n  expect(1 + x).toBe(2);\n});\n");
    scratch
}

#[test]
fn sarif_has_a_result_for_each_finding_with_its_rule_and_place() {
    let said = report(&tampered(), "sarif");
    assert_eq!(said.status, 1, "{said:?}");
    let log = said.json();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "review-gate");
    assert_eq!(
        run["invocations"][0],
        json!({"executionSuccessful": true, "exitCode": 1, "exitCodeDescription": "not-done"})
    );
    assert!(run["originalUriBaseIds"]["SRCROOT"]["uri"].as_str().unwrap().starts_with("file:///"));
    let results = run["results"].as_array().unwrap();
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["partialFingerprints"]["reviewGateKey/v1"].is_string());
    }
    let of = |rule: &str| results.iter().find(|result| result["ruleId"] == rule).unwrap();
    let skip = &of("no_new_skips")["locations"][0]["physicalLocation"];
    assert_eq!(skip["artifactLocation"], json!({"uri": "test/a%20b.test.js", "uriBaseId": "SRCROOT"}));
    assert_eq!(skip["region"]["startLine"], 1);
    let failed = &of("check-failed")["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(failed, "DONE.md", "a scanner shows no result without a place");
}

#[test]
fn a_waived_finding_is_suppressed_with_its_reason() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'false'}\n");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    if at_a_terminal(&scratch, "rg-bounce waive --why 'the registry is down' --scope rule:check-failed --for 2h")
        .is_none()
    {
        return;
    }
    let event = scratch.stop_payload("s", json!({}));
    let said =
        scratch.sh("rg-event --client claude | rg-tamper | rg-check | rg-bounce | rg-answer --format sarif", &event);
    let log = said.json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let failed = results.iter().find(|result| result["ruleId"] == "check-failed").unwrap();
    let why = failed["suppressions"][0]["justification"].as_str().unwrap();
    assert!(why.starts_with("the registry is down ("), "{why}");
}

#[test]
fn junit_is_xml_that_a_parser_reads() {
    let said = report(&tampered(), "junit");
    assert_eq!(said.status, 1);
    if Scratch::new().sh("python3 -c 'import xml.etree.ElementTree'", b"").status != 0 {
        return skipped("python3");
    }
    let program = "import sys,json,xml.etree.ElementTree as E\n\
        r=E.fromstring(sys.stdin.buffer.read())\n\
        print(json.dumps([[s.get('name'),s.get('tests'),s.get('failures'),s.get('skipped'),[[c.get('name'),[e.tag for e in c],[e.text for e in c]] for c in s]] for s in r]))";
    let scratch = Scratch::new();
    scratch.write("read.py", program);
    let read: Value = scratch.sh("python3 read.py", said.out.as_bytes()).json();
    assert_eq!(read[0].as_array().unwrap()[..4], [json!("checks"), json!("2"), json!("1"), json!("0")]);
    assert_eq!(read[0][4][0][0], "tests <&>");
    assert_eq!(read[0][4][0][1], json!(["failure"]));
    assert!(read[0][4][0][2][0].as_str().unwrap().contains("no \"way\" ]]>"), "{read}");
    assert_eq!(read[1][4][0][0], "no_new_skips test/a b.test.js:1");
    assert_eq!(read[2][1], "0", "what failed is named above");
}

#[test]
fn what_was_not_judged_is_an_error_of_its_own() {
    let scratch = Scratch::repo();
    let said = scratch.sh("rg-event stop | rg-answer --format junit", b"");
    assert_eq!(said.status, 111);
    assert!(said.out.contains("<error message="), "{said:?}");
    let log = scratch.sh("rg-event stop | rg-answer --format sarif", b"").json();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}
