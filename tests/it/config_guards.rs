//! The guards of configuration, scripts and CI through real files: in a session and against a commit alike.

use crate::scratch::Scratch;
use crate::tamper::{against, found, repo, session, want};

type Edit<'a> = &'a dyn Fn(&Scratch);
type Rows<'a> = &'a [(&'a str, &'a str, &'a str)];

const PACKAGE: &str = r#"{"name": "a", "scripts": {"test": "jest --ci", "lint": "eslint ."}}
"#;
const WORKFLOW: &str =
    "on: [push, pull_request]\njobs:\n  test:\n    steps:\n      - run: npm run lint\n      - run: npm test\n";

/// A repository with scripts, configuration and a workflow.
fn configured(guards: &str) -> Scratch {
    let scratch = repo(guards);
    scratch.write("package.json", PACKAGE);
    scratch.write("jest.config.js", "module.exports = {\n  coverageThreshold: { global: { lines: 80 } },\n};\n");
    scratch.write(
        "tsconfig.json",
        "{\n  // strict\n  \"compilerOptions\": {\"strict\": true},\n  \"exclude\": [\"dist\"],\n}\n",
    );
    scratch.write(".github/workflows/ci.yml", WORKFLOW);
    scratch.ok("git add -A && git commit -qm configuration && git branch -f main");
    scratch
}

/// Makes each edit in a repository of its own, and compares the findings in a session and against a commit.
fn judge(cases: &[(&str, Edit<'_>, Rows<'_>)]) {
    for (what, edit, rows) in cases {
        let scratch = configured("");
        scratch.prompt("s", "go");
        edit(&scratch);
        assert_eq!(found(&session(&scratch)), want(rows), "{what}, session");
        assert_eq!(found(&against(&scratch)), want(rows), "{what}, commit");
    }
}

#[test]
fn a_check_that_looks_at_less_or_fails_less_is_tampering() {
    judge(&[
        (
            "each guard",
            &|s| {
                s.write("package.json", &PACKAGE.replace("jest --ci", "exit 0"));
                s.write("jest.config.js", "module.exports = {\n  coverageThreshold: { global: { lines: 8 } },\n};\n");
                s.write(
                    "tsconfig.json",
                    "{\"compilerOptions\": {\"strict\": true}, \"exclude\": [\"dist\", \"src\"]}\n",
                );
                s.write(".github/workflows/ci.yml", &WORKFLOW.replace("      - run: npm run lint\n", ""));
                s.write(".npmrc", "script-shell=./sh\n");
            },
            &[
                ("no_script_gutting", "tampered", "package.json"),
                ("no_lowered_coverage", "tampered", "jest.config.js"),
                ("no_config_loosening", "tampered", "tsconfig.json"),
                ("no_ci_gutting", "tampered", ".github/workflows/ci.yml"),
                ("no_runner_hooks", "tampered", ".npmrc"),
            ],
        ),
        (
            "files that are gone or broken",
            &|s| {
                s.ok("rm -r .github");
                s.write("tsconfig.json", "{\"compilerOptions\": ");
            },
            &[
                ("no_ci_gutting", "tampered", ".github/workflows/ci.yml"),
                ("no_config_loosening", "warning", "tsconfig.json"),
            ],
        ),
    ]);
}

#[test]
fn honest_edits_of_configuration_scripts_and_ci_are_clean() {
    judge(&[(
        "stricter, newer, more",
        &|s| {
            s.write(
                    "package.json",
                    "{\r\n  \"name\": \"a\",\r\n  \"scripts\": {\r\n    \"lint\": \"npm run lint:js\",\r\n    \"lint:js\": \"eslint .\",\r\n    \"test\": \"jest --ci --coverage\"\r\n  },\r\n  \"dependencies\": {\"b\": \"2\"}\r\n}\r\n",
                );
            s.write(
                "jest.config.js",
                "module.exports = {\n  verbose: true,\n  coverageThreshold: { global: { lines: 90 } },\n};\n",
            );
            s.write("tsconfig.json", "{\"compilerOptions\": {\"strict\": true, \"noUnusedLocals\": true}, \"exclude\": [\"dist\", \"out\"]}\n");
            s.ok("git mv .github/workflows/ci.yml .github/workflows/tests.yml");
            s.write("vendor/x/package.json", "{\"scripts\": {\"test\": \"exit 0\"}}\n");
        },
        &[],
    )]);
}

#[test]
fn the_finding_names_the_key_and_both_values() {
    let scratch = configured("");
    scratch.prompt("s", "go");
    scratch.write("package.json", &PACKAGE.replace("jest --ci", "exit 0"));
    let event = session(&scratch);
    assert_eq!(event["findings"][0]["text"], "scripts.test was replaced: \"jest --ci\" -> \"exit 0\"");
}

#[test]
fn a_waiver_of_one_value_covers_no_lower_one() {
    let scratch = configured("");
    scratch.prompt("s", "go");
    let key = |lines: u32| {
        let text = format!("module.exports = {{\n  coverageThreshold: {{ global: {{ lines: {lines} }} }},\n}};\n");
        scratch.write("jest.config.js", &text);
        session(&scratch)["findings"][0]["key"].clone()
    };
    let first = key(79);
    assert!(first.is_string() && key(79) == first);
    assert_ne!(key(0), first);
}

#[test]
fn levels_exclusions_and_the_preset_of_donegate_apply_to_these_guards() {
    for (guards, rows) in [
        ("  no_script_gutting: warn\n", &[("no_script_gutting", "warning", "package.json")][..]),
        ("  no_script_gutting: off\n", &[]),
        ("  exclude: [package.json]\n", &[]),
        ("  preset: donegate\n", &[]),
    ] {
        let scratch = configured(guards);
        scratch.prompt("s", "go");
        scratch.write("package.json", &PACKAGE.replace("jest --ci", "exit 0"));
        assert_eq!(found(&session(&scratch)), want(rows), "{guards}");
        assert_eq!(found(&against(&scratch)), want(rows), "{guards}");
    }
}
