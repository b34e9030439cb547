//! The schemas: every event, receipt and record that the tools print fits them, and so do the captures.

use crate::scratch::{STOP, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// As much of JSON Schema as ours use: type, enum, const, pattern (a few), required, properties, items, $ref to $defs.
fn fits(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(root, &root["$defs"][name.trim_start_matches("#/$defs/")], value, at);
    }
    if let Some(wanted) = schema.get("const") {
        return if wanted == value { Ok(()) } else { Err(format!("{at}: {value} is not {wanted}")) };
    }
    if let Some(words) = schema["enum"].as_array() {
        return if words.contains(value) { Ok(()) } else { Err(format!("{at}: {value} is none of {words:?}")) };
    }
    let is = match schema["type"].as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{at}: type {other}"),
    };
    if !is {
        return Err(format!("{at}: {value} is not {}", schema["type"]));
    }
    let text = value.as_str().unwrap_or("");
    match schema["pattern"].as_str() {
        Some("^[0-9a-f]{64}$") if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) => {
            return Err(format!("{at}: {text:?} is no digest"));
        }
        Some("Z$") if !text.ends_with('Z') => return Err(format!("{at}: {text:?} is no moment")),
        _ => {}
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            return Err(format!("{at}: {name} is missing"));
        }
    }
    let properties = schema["properties"].as_object();
    for (name, inner) in value.as_object().into_iter().flatten() {
        match properties.and_then(|known| known.get(name)) {
            Some(known) => fits(root, known, inner, &format!("{at}.{name}"))?,
            None if schema["additionalProperties"] == json!(false) => return Err(format!("{at}: unknown {name}")),
            None => {}
        }
    }
    for (n, inner) in value.as_array().into_iter().flatten().enumerate() {
        if schema.get("items").is_some() {
            fits(root, &schema["items"], inner, &format!("{at}[{n}]"))?;
        }
    }
    Ok(())
}

fn assert_fits(name: &str, value: &Value) {
    let schema = schema(name);
    fits(&schema, &schema, value, name).unwrap_or_else(|why| panic!("{why}: {value}"));
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

#[test]
fn reviews_and_decisions_fit_their_schemas() {
    let mut session = crate::desk::Session::with("");
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    assert_fits("receipt", &session.scratch.receipt());
    let given = session.review("a1");
    let message = crate::desk::approval(&given, &["src.txt"]);
    let object = message.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    assert_fits("decision", &serde_json::from_str(object).unwrap());
    session.says("a1", &message);
    session.stop();
    assert_fits("receipt", &session.scratch.receipt());
    assert!(!fits_decision(json!({"decision": "fine", "packet": "p", "nonce": "n", "summary": "s", "reviewed": []})));
}

fn fits_decision(value: Value) -> bool {
    let schema = schema("decision");
    fits(&schema, &schema, &value, "decision").is_ok()
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

#[test]
fn a_schema_refuses_what_is_wrong() {
    let event = schema("event");
    for wrong in [json!({}), json!({"v": 2}), json!([])] {
        assert!(fits(&event, &event, &wrong, "event").is_err());
    }
}
