//! The schemas: every event, receipt and record of the tools is valid, and so are the events from the captures.

use crate::scratch::{STOP, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn fits(name: &str, value: &Value) -> Result<(), String> {
    let schema = schema(name);
    let validator = jsonschema::validator_for(&schema).unwrap_or_else(|why| panic!("schema/{name}.json: {why}"));
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{name}{}: {error}", error.instance_path())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

pub fn assert_fits(name: &str, value: &Value) {
    fits(name, value).unwrap_or_else(|why| panic!("{why}\n{value}"));
}

#[test]
fn events_and_receipts_fit_their_schemas() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    let half = STOP.split(" | rg-answer").next().unwrap();
    for (n, message) in ["done", "done", "done", "done", "CANNOT: x"].iter().enumerate() {
        scratch.later(60.0);
        let said = scratch.sh(half, &scratch.stop_payload("s", json!({"last_assistant_message": message})));
        assert_fits("event", &said.json());
        assert_fits("receipt", &scratch.receipt());
        if n == 3 {
            scratch.prompt("s", "again");
        }
    }
    scratch.append("src.txt", "fixed\n");
    scratch.stop("s");
    assert_fits("receipt", &scratch.receipt());
    let hand = scratch.sh("rg-event stop | rg-tamper | rg-check", b"");
    assert_fits("event", &hand.json());
}

/// Every line of every journal below the state directory.
fn assert_records_fit(scratch: &Scratch) {
    let mut kinds = std::collections::BTreeSet::new();
    for entry in walkdir::WalkDir::new(scratch.state()).into_iter().flatten() {
        if entry.path().extension().is_some_and(|end| end == "jsonl") {
            for record in crate::scratch::lines_of(entry.path()) {
                assert_fits("record", &record);
                kinds.insert(record["kind"].as_str().unwrap().to_string());
            }
        }
    }
    assert!(kinds.len() > 8, "{kinds:?}");
}

#[test]
fn records_fit_their_schema() {
    let mut session = crate::review_session::Session::with("");
    session.prompt("#review #loop go");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    let given = session.review("a1");
    session.says("a1", &crate::review_session::approval(&given, &["src.txt"]));
    session.stop();
    session.prompt("#gate:off");
    session.prompt("#gate:on");
    session.scratch.sh("rg-worktree create x && rg-worktree remove x; rg-rescue save", b"");
    assert_records_fit(&session.scratch);
    let wrong = json!({"v": 1, "kind": "frame", "id": "a", "at": "2026-11-21T12:00:00.000Z", "by_tool": "rg-loop", "prev": null});
    assert!(fits("record", &wrong).is_err());
}

#[test]
fn reviews_and_decisions_fit_their_schemas() {
    let mut session = crate::review_session::Session::with("");
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    assert_fits("receipt", &session.scratch.receipt());
    let given = session.review("a1");
    let message = crate::review_session::approval(&given, &["src.txt"]);
    let object = message.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    assert_fits("decision", &serde_json::from_str(object).unwrap());
    session.says("a1", &message);
    session.stop();
    assert_fits("receipt", &session.scratch.receipt());
    let unknown = json!({"decision": "fine", "request": "p", "nonce": "n", "summary": "s", "reviewed": []});
    assert!(fits("decision", &unknown).is_err());
}

#[test]
fn steps_of_a_run_fit_their_schema() {
    assert_eq!(schema("run")["oneOf"], schema("record")["$defs"]["step"]["oneOf"]);
    let scratch = crate::run::with_agent("[ $n = 2 ] && echo fixed >src.txt || echo try >src.txt");
    let said = crate::run::run(&scratch, &["--rounds", "3", "--budget", "1k", "--budget", "2usd"]);
    assert_eq!(said.out.lines().count(), 4, "{said:?}");
    for line in said.out.lines() {
        assert_fits("run", &serde_json::from_str(line).unwrap());
    }
    assert_records_fit(&scratch);
    assert_fits("receipt", &scratch.receipt());
}

#[test]
fn captures_become_events_that_fit() {
    let scratch = Scratch::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/claude");
    for entry in fs::read_dir(dir).unwrap() {
        let capture: Value = serde_json::from_str(&fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        for variant in capture["variants"].as_array().unwrap() {
            let said = scratch.run("rg-event", &["--client", "claude"], variant["stdin"].to_string().as_bytes());
            assert_fits("event", &said.json());
        }
    }
}

/// The expected outlines of all languages, and an outline that has every field of the model.
#[test]
fn outlines_fit_their_schema_and_its_fields_are_those_of_the_model() {
    use review_gate::outline::{Assert, Function, Helper, Mark, Note, Outline, Suppression, Test};
    let mut count = 0;
    for entry in
        walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outline")).into_iter().flatten()
    {
        if entry.path().extension().is_some_and(|end| end == "json") {
            assert_fits("outline", &serde_json::from_str(&fs::read_to_string(entry.path()).unwrap()).unwrap());
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
    let text = || Some("x".to_string());
    let mark = || Some(Mark { condition: text(), ..Mark::default() });
    let all = |texts: &str| vec![texts.to_string()];
    let asserts = || vec![Assert { subject: "x".into(), expected: "y".into(), ..Assert::default() }];
    let test = Test {
        suite: all("s"),
        rows: Some(vec![]),
        skip: mark(),
        focus: mark(),
        asserts: asserts(),
        calls: all("f"),
        ..Test::default()
    };
    let outline = Outline {
        path: "a".into(),
        language: text(),
        unread: text(),
        errors: vec![1],
        generated: true,
        tests: vec![test],
        helpers: vec![Helper { asserts: asserts(), calls: all("f"), skip: mark(), ..Helper::default() }],
        functions: vec![Function { name: "setup".into(), line: 9, skip: mark(), calls: vec!["open".into()] }],
        names: all("f"),
        suppressions: vec![Suppression { rules: all("r"), ..Suppression::default() }],
        debug: vec![Note::default()],
        todos: vec![Note::default()],
    };
    let value = serde_json::to_value(&outline).unwrap();
    assert_fits("outline", &value);
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(names(&schema("outline")["properties"]), names(&value));
    for (part, at) in [
        ("test", "/tests/0"),
        ("helper", "/helpers/0"),
        ("mark", "/tests/0/skip"),
        ("note", "/debug/0"),
        ("assert", "/tests/0/asserts/0"),
        ("suppression", "/suppressions/0"),
    ] {
        assert_eq!(names(&schema("outline")["$defs"][part]["properties"]), names(value.pointer(at).unwrap()), "{part}");
    }
    assert_eq!(serde_json::from_value::<Outline>(value).unwrap(), outline);
    assert!(fits("outline", &json!({"path": "a", "tests": [{"name": "t"}]})).is_err());
}

#[test]
fn a_schema_refuses_wrong_values() {
    let scratch = Scratch::repo();
    let good = scratch.sh("rg-event stop | rg-tamper | rg-check", b"").json();
    assert_fits("event", &good);
    for wrong in [json!({}), json!({"v": 2}), json!([]), json!(null)] {
        assert!(fits("event", &wrong).is_err());
    }
    let names = schema("event")["required"].as_array().unwrap().clone();
    assert!(!names.is_empty());
    for name in names.iter().map(|name| name.as_str().unwrap()) {
        let mut without = good.clone();
        without.as_object_mut().unwrap().remove(name);
        assert!(fits("event", &without).is_err(), "without {name}");
    }
    // Each property gets a wrong value: no property is a list of lists.
    for name in schema("event")["properties"].as_object().unwrap().keys() {
        let mut with = good.clone();
        with[name] = json!([[]]);
        assert!(fits("event", &with).is_err(), "with a wrong {name}");
    }
}

/// A misspelt keyword has no effect, and validators do not report it.
#[test]
fn schemas_use_only_known_keywords() {
    let known = [
        "$schema",
        "title",
        "description",
        "$defs",
        "$ref",
        "type",
        "required",
        "properties",
        "items",
        "enum",
        "const",
        "pattern",
        "additionalProperties",
    ];
    fn walk(at: &str, schema: &Value, known: &[&str]) {
        for (word, inner) in schema.as_object().unwrap_or_else(|| panic!("{at} is no schema: {schema}")) {
            assert!(known.contains(&word.as_str()), "{at}: {word}");
            match (word.as_str(), inner) {
                ("properties" | "$defs", inner) => {
                    inner
                        .as_object()
                        .unwrap()
                        .iter()
                        .for_each(|(name, inner)| walk(&format!("{at}.{name}"), inner, known));
                }
                ("items", inner) => walk(&format!("{at}[]"), inner, known),
                ("additionalProperties", inner) if !inner.is_boolean() => walk(&format!("{at}.*"), inner, known),
                _ => {}
            }
        }
    }
    for name in ["event", "receipt", "decision", "outline"] {
        let schema = schema(name);
        assert!(jsonschema::meta::is_valid(&schema), "schema/{name}.json");
        walk(name, &schema, &known);
    }
}

/// A property without a type accepts every value.
#[test]
fn each_property_of_a_schema_has_a_type() {
    fn walk(at: &str, schema: &Value) {
        match schema {
            Value::Object(words) => {
                for (name, property) in words.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    let is_typed = ["type", "enum", "const", "$ref"].iter().any(|word| property.get(word).is_some());
                    assert!(is_typed, "{at}.{name}: {property}");
                }
                words.iter().for_each(|(word, inner)| walk(&format!("{at}.{word}"), inner));
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(at, inner)),
            _ => {}
        }
    }
    for name in ["event", "receipt", "record", "decision", "outline"] {
        walk(name, &schema(name));
    }
}
