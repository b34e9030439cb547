//! The published replies: review-gate writes each of them, for a call that the client made.

use crate::scratch::{Scratch, bin_dir};
use review_gate::dialect::{self, ReplyParts};
use review_gate::event::Client;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn rows() -> Vec<Value> {
    serde_json::from_slice(&fs::read(tests().join("conformance/replies.json")).unwrap()).unwrap()
}

fn client(row: &Value) -> Client {
    let clients = [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor];
    clients.into_iter().find(|client| client.word() == row["client"]).unwrap()
}

/// A captured call of the row's event, with real paths.
fn call(row: &Value, scratch: &Scratch) -> Vec<u8> {
    let text = |name: &str| row[name].as_str().unwrap().to_string();
    let path = tests().join("captures").join(text("client")).join(text("event") + ".json");
    let capture: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let call = capture["variants"][0]["stdin"].to_string();
    call.replace("<project>", scratch.work().to_str().unwrap()).into_bytes()
}

#[test]
fn each_published_reply_is_the_one_that_is_written() {
    let scratch = Scratch::repo();
    for row in rows() {
        let source = dialect::decode(Some(client(&row)), &call(&row, &scratch), &scratch.work()).unwrap();
        let mut parts = ReplyParts::default();
        let decision = row["decision"].as_str().unwrap();
        let reply = match decision {
            "deny" | "ask" => dialect::refusal(client(&row), decision == "ask", "REASON"),
            _ => {
                if decision == "block" {
                    parts.reason = "REASON".into();
                }
                if decision == "context" {
                    parts.context = "CONTEXT".into();
                }
                dialect::reply(client(&row), &source.kind, decision == "block", parts)
            }
        };
        let written = if reply.is_empty() { Value::Null } else { serde_json::from_str(&reply).unwrap() };
        assert_eq!(written, row["reply"], "{row}");
    }
}

/// The same from the outside, where a captured call can be given to a program as it is: a dangerous command is denied.
#[test]
fn a_captured_call_with_a_dangerous_command_gets_the_published_reply() {
    let mut tried = BTreeSet::new();
    for row in rows().iter().filter(|row| row["decision"] == "deny") {
        let scratch = Scratch::repo();
        let text = String::from_utf8(call(row, &scratch)).unwrap();
        let input = text.replace("rm -rf forbidden-one", "rm -rf /");
        assert_ne!(input, text, "{row}");
        let name = row["client"].as_str().unwrap();
        let guard = bin_dir().join("rg-guard").display().to_string();
        let said = scratch.run(&guard, &["--hook", "--client", name], input.as_bytes());
        assert_eq!(said.status, 0, "{said:?}");
        assert_eq!(shape(&said.json()), shape(&row["reply"]), "{row}: {said:?}");
        tried.insert(name.to_string());
    }
    assert_eq!(tried.len(), 4, "{tried:?}");
}

/// The fields of a reply, and its words; the text of a reason is left out.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        Value::String(word) if ["block", "deny", "ask", "PreToolUse"].contains(&word.as_str()) => value.clone(),
        _ => Value::String("TEXT".into()),
    }
}

#[test]
fn every_client_has_a_row_for_each_decision_that_it_can_show() {
    let has =
        |client: &str, decision: &str| rows().iter().any(|row| row["client"] == client && row["decision"] == decision);
    for name in ["claude", "codex", "gemini", "cursor"] {
        for decision in ["block", "deny", "context", "allow"] {
            assert!(has(name, decision), "{name} {decision}");
        }
    }
}
