//! The JSON that programs print has the fields that their manuals name.

use crate::review_session::{Session, approval};
use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The literal words of a manual between two lines.
fn words(manual: &str, from: &str, to: &[&str]) -> BTreeSet<String> {
    let text = read(&format!("man/{manual}"));
    let part = text.split(from).nth(1).unwrap_or_else(|| panic!("{manual} has no {from:?}"));
    let end = to.iter().filter_map(|to| part.find(to)).min().unwrap_or(part.len());
    let lines =
        part[..end].lines().filter_map(|line| line.strip_prefix(".Li ").or_else(|| line.strip_prefix(".It Li ")));
    let words = lines.flat_map(|line| line.split([' ', ',']));
    words.filter(|word| !matches!(*word, "" | ".")).map(str::to_string).collect()
}

/// The fields that a manual names for `--json`.
fn named(manual: &str) -> BTreeSet<String> {
    words(manual, ".It Fl -json\n", &[".It Fl ", ".Sh "])
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().cloned().collect()
}

fn objects(said: &Said) -> Vec<Value> {
    let lines = said.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {said:?}")));
    let found: Vec<Value> = lines.collect();
    assert!(!found.is_empty(), "{said:?}");
    found
}

/// The fields of a kind of record in schema/record.json, in one state of it if it has several.
fn of_record(kind: &str, state: Option<&str>) -> BTreeSet<String> {
    let schema: Value = serde_json::from_str(&read("schema/record.json")).unwrap();
    let found = &schema["$defs"][kind];
    let body = match state {
        None => found,
        Some(state) => {
            let states = found["oneOf"].as_array().unwrap();
            states.iter().find(|one| one["properties"]["state"]["const"] == state).unwrap()
        }
    };
    keys(&body["properties"])
}

#[test]
fn backups_have_the_fields_of_the_manual() {
    let scratch = Scratch::repo();
    scratch.append("src.txt", "more\n");
    scratch.ok("rg-rescue save --why first && echo x >>src.txt && rg-rescue save && rg-rescue restore");
    let named = named("rg-rescue.1");
    let optional = set(&["branch", "head", "undo", "under_way", "index_at"]);
    for line in ["rg-rescue list --json", "rg-rescue show --json"] {
        for backup in objects(&scratch.ok(line)) {
            let has = keys(&backup);
            assert!(
                has.is_subset(&named) && named.difference(&optional).all(|name| has.contains(name)),
                "{line}: {backup}"
            );
        }
    }
}

#[test]
fn worktrees_have_the_fields_of_the_manual() {
    let scratch = Scratch::repo();
    scratch.ok("rg-worktree create a && rg-worktree create b && rm -r .worktrees/b");
    for tree in objects(&scratch.ok("rg-worktree list --json")) {
        assert_eq!(keys(&tree), named("rg-worktree.1"));
    }
}

#[test]
fn decisions_receipts_and_traces_have_the_fields_of_the_manual() {
    let mut session = Session::with("");
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    let given = session.review("a1");
    session.says("a1", &approval(&given, &["src.txt"]));
    session.stop();
    let scratch = &session.scratch;
    let task = format!("--task {}", scratch.receipt()["task"].as_str().unwrap());
    let mut decided = of_record("review", Some("decided"));
    decided.insert("at".into());
    for decision in objects(&scratch.ok(&format!("rg-review-state list --json {task}"))) {
        assert!(keys(&decision).is_subset(&decided), "{decision}");
    }
    let named = named("rg-review-state.1");
    for reviewer in objects(&scratch.ok(&format!("rg-review-state list --reviewers --json {task}"))) {
        let has: BTreeSet<String> = &keys(&reviewer) | &keys(&reviewer["decisions"]);
        assert_eq!(has, named.iter().filter(|name| *name != "at").cloned().collect());
    }
    let schema: Value = serde_json::from_str(&read("schema/receipt.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let listed = objects(&scratch.ok("rg-receipt list --json"));
    let shown = scratch.ok("rg-receipt show --json").json();
    listed.iter().chain([&shown]).for_each(|receipt| assert!(validator.is_valid(receipt), "{receipt}"));
    fs::write(scratch.state().join("receipts/01M7YZMHG06NHK6RSN6DK38DHR.json"), "{").unwrap();
    let listed = objects(&scratch.sh("rg-receipt list --json", b""));
    assert!(listed.iter().any(|receipt| keys(receipt) == set(&["damaged", "id"])), "{listed:?}");
    let fields = self::named("rg-trace.1");
    let readable: BTreeSet<String> = fields.into_iter().filter(|name| name != "error").collect();
    assert_eq!(keys(&objects(&scratch.ok("rg-trace list --json"))[0]), readable);
}

#[test]
fn verdicts_and_decisions_of_the_guard_have_the_fields_of_the_manuals() {
    let scratch = Scratch::repo();
    scratch.append("src.txt", "more\n");
    let fields = words("review-gate.7", ".Fl -now Fl -json\n", &["\n.El\n"]);
    for tool in ["rg-tamper", "rg-check", "rg-review-state", "rg-review"] {
        let said = scratch.sh(&format!("{tool} --now --json"), b"");
        assert_eq!(keys(&objects(&said)[0]), fields, "{tool}: {said:?}");
    }
    scratch.write("cases", &format!("{}\n", json!({"cmd": "rm -rf /", "expect": "allow", "family": "rm"})));
    let said = scratch.sh("rg-guard test --json cases", b"");
    assert_eq!(keys(&objects(&said)[0]), named("rg-guard.1"), "{said:?}");
}

#[test]
fn answers_of_other_models_have_the_fields_of_the_manual() {
    let mut scratch = Scratch::repo();
    let path = format!("{}:/usr/bin:/bin", scratch.top().display());
    scratch.ok("printf '#!/bin/sh\\ncat >/dev/null; echo Yes.\\n' >../codex && chmod +x ../codex");
    let own = format!("{path}:{}", crate::scratch::bin_dir().display());
    scratch.set("PATH", &own);
    let check = objects(&scratch.sh("rg-ask --check --json --to codex", b""));
    let fields = named("rg-ask.1");
    assert_eq!(keys(&check[0]), fields.iter().filter(|name| *name != "answer").cloned().collect());
    let mut record = of_record("ask", None);
    record.insert("answer".into());
    let answer = objects(&scratch.sh("rg-ask --json --to codex", b"Is it good?"));
    assert!(keys(&answer[0]).is_subset(&record) && answer[0]["answer"] == "Yes.", "{answer:?}");
}

#[test]
fn every_list_has_a_json_form() {
    let scratch = Scratch::repo();
    for tool in crate::tidy::tools() {
        let help = scratch.run(&tool, &["--help"], b"").out;
        if help.lines().any(|line| line.split_whitespace().take(2).eq([tool.as_str(), "list"])) {
            let said = scratch.run(&tool, &["list", "--json"], b"");
            assert!(said.status == 0 || !said.err.contains("--json"), "{tool}: {said:?}");
        }
    }
}
