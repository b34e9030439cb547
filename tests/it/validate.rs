//! `rg-check --validate`: reads a definition of done, runs nothing and writes nothing.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn validate(scratch: &Scratch, args: &[&str]) -> Said {
    let mut all = vec!["--validate"];
    all.extend(args);
    scratch.run("rg-check", &all, b"")
}

/// The object of `--json`, which must fit its schema.
fn object(said: &Said) -> Value {
    assert_eq!(said.out.lines().count(), 1, "{said:?}");
    let value = said.json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/definition.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}: {value}");
    value
}

const FULL: &str = "checks:
  - {name: tests, run: touch ran, timeout: 90, kind: test, writes: [dist/], env: {CI: 'secret'}}
  - name: lint
    cwd: web
    timeout: 7200
    run: |
      true
      touch ran
gate: {max_bounces: 5, on_error: block}
review: {when: always, by: command, floor: strict, paths: [src/auth/]}
commands: {preset: strict, deny: [npm install], allow: [git stash drop]}
land: {require: [tests, docs], retries: 1}
guards: {protect: ['ci/**']}
notify: {x: y}
";

#[test]
fn a_valid_definition_is_printed_and_nothing_runs() {
    let scratch = Scratch::repo_with(FULL);
    scratch.ok("mkdir web");
    let said = validate(&scratch, &[]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let work = scratch.work();
    let want = format!(
        "DONE.md is valid: 2 checks. They run in {}
check     tests: at most 90 s, kind test, sets CI, may write dist/
            touch ran
check     lint: at most 3600 s, in web
            true
            touch ran
gate      max_bounces 5, max_minutes 120, on_error block
review    when always, floor strict, rounds 3, by command, paths src/auth/
commands  preset strict, deny 1, ask 0, allow 1
land      require tests, docs, retries 1
proof     when never, old_tests warn, new_tests warn, undone warn, changes 10, minutes 10, jobs 2
protect   ci/**
warning: check \"lint\": `timeout` is cut to 3600 seconds, the maximum
warning: land.require names \"docs\", which is no check: nothing can land
warning: without effect in this release: notify
",
        work.display()
    );
    assert_eq!(said.out, want);
    let value = object(&validate(&scratch, &["--json"]));
    assert_eq!((&value["valid"], &value["checks"][0]["kind"]), (&json!(true), &json!("test")));
    assert_eq!((&value["checks"][1]["cwd"], &value["land"]["require"]), (&json!("web"), &json!(["tests", "docs"])));
    assert_eq!(value["warnings"].as_array().unwrap().len(), 3, "{value}");
    assert!(!work.join("ran").exists() && !work.join("web/ran").exists());
    assert!(!scratch.state().exists(), "nothing is recorded");
}

#[test]
fn the_file_may_be_named_or_is_the_one_that_applies() {
    let scratch = Scratch::repo();
    scratch.write("a b/.donegate/done.yml", "checks:\n  - {name: inner, run: x}\n");
    let said = validate(&scratch, &["a b/.donegate/done.yml"]);
    let root = format!("They run in {}\n", scratch.work().join("a b").display());
    assert!(said.status == 0 && said.out.contains(&root) && said.out.contains("inner"), "{said:?}");
    scratch.ok("mkdir c");
    for args in [&["-C", "c"][..], &["-C", "c", "../DONE.md"]] {
        let said = validate(&scratch, args);
        assert!(said.status == 0 && said.out.contains("sh test.sh"), "{said:?}");
    }
}

#[test]
fn the_first_error_is_printed_with_its_line() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: x}\nchekcs: 1\n");
    let said = validate(&scratch, &[]);
    let want = "rg-check: DONE.md:6: unknown key \"chekcs\" (did you mean \"checks\"?). DONE.md(5) lists every key and its values\n";
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (100, "", want));
    let said = validate(&scratch, &["--json"]);
    let value = object(&said);
    assert_eq!((said.status, &value["valid"], &value["line"]), (100, &json!(false), &json!(6)));
    assert!(value["error"].as_str().unwrap().starts_with("unknown key"), "{value}");
}

#[test]
fn a_mistake_in_the_yaml_names_its_line_and_what_to_write() {
    let yaml = |lines: &[&str]| format!("# Done\n\n```yaml\n{}\n```\n", lines.join("\n"));
    let scratch = Scratch::repo();
    for (lines, want) in [
        (&["checks", "  - name: tests", "    run: x"][..], "4: no colon in `checks`: write `checks:`"),
        (&["checks:", "  - name tests", "    run: x"], "5: no colon in `- name tests`: write `- name: tests`"),
        (&["checks:", "  - name: a", "    run \"true\""], "6: no colon in `run \"true\"`: write `run: \"true\"`"),
        (&["checks:", "  - name: a", "    run:\"true\""], "6: no space after the colon in `run:\"true\"`: write"),
        (&["checks:", "  - {name: a, run: x", "  - {name: b, run: y}"], "5: `{` is not closed in `- {name: a, run: x`"),
        (&["checks:", "  - {name: a, run: x}", "land: {require: [a}", ""], "6: "),
        (&["checks:", "  - name: a", "    run: \"true", "    timeout: 3"], "6: the quotation is not closed in"),
        (&["checks:", "\t- name: a", "\t  run: x"], "5: a tab indents `- name: a`: indent with spaces"),
        (&["checks:", "  - name: a", "   run: x"], "6: not valid YAML: `run: x` ("),
        (
            &["checks:", "  - name: a", "    run: |", "      name x", "    retries 1"],
            "8: no colon in `retries 1`: write",
        ),
    ] {
        scratch.write("DONE.md", &yaml(lines));
        let said = validate(&scratch, &[]);
        let want = format!("rg-check: DONE.md:{want}");
        assert!(said.status == 100 && said.err.starts_with(&want), "{lines:?}: {said:?}");
    }
    scratch.write("DONE.md", "# Done\n\n```yaml\nchecks:\n");
    assert!(validate(&scratch, &[]).err.contains("DONE.md:3: the yaml block that begins here is not closed"));
    scratch.write("DONE.md", "");
    assert!(validate(&scratch, &[]).err.contains("DONE.md: the file is empty: `rg-init --force`"));
    scratch.write("DONE.md", &yaml(&["checks:", "  - {name: a, run: x, timeout: 0}"]));
    assert!(validate(&scratch, &[]).err.contains("\"timeout\" must be a number of seconds above 0. DONE.md(5)"));
}

#[test]
fn hostile_files_are_errors_of_one_line() {
    let scratch = Scratch::new();
    scratch.ok("mkfifo pipe; mkdir dir.md; ln -s gone.md link.md; printf 'a\\377' >bytes.md; : >empty.yml; printf '# x\\n' >no.md");
    fs::write(scratch.work().join("large.md"), vec![b'x'; (1 << 20) + 1]).unwrap();
    for (args, status, text) in [
        (&[][..], 100, "no DONE.md in "),
        (&["gone.md"], 100, "no such file: gone.md"),
        (&["link.md"], 100, "no such file: link.md"),
        (&["pipe"], 111, "pipe"),
        (&["dir.md"], 111, "dir.md"),
        (&["large.md"], 111, "larger than 1 MiB"),
        (&["bytes.md"], 100, "bytes.md:1: not UTF-8"),
        (&["empty.yml"], 100, "it needs a list of checks"),
        (&["no.md"], 100, "no fenced yaml block"),
        (&["a", "b"], 100, "unexpected operand \"b\""),
        (&["--now"], 100, "--validate runs no check"),
        (&["--fresh"], 100, "--validate runs no check"),
        (&["--only", "a"], 100, "--validate runs no check"),
        (&["--against", "HEAD"], 100, "--validate runs no check"),
    ] {
        let said = validate(&scratch, args);
        assert_eq!((said.status, said.err.lines().count()), (status, 1), "{args:?}: {said:?}");
        assert!(said.err.contains(text), "{args:?}: {said:?}");
    }
    let said = scratch.run("rg-check", &["DONE.md"], b"");
    assert!(said.status == 100 && said.err.contains("unexpected operand \"DONE.md\""), "{said:?}");
}
