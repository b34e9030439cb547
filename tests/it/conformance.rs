//! The published replies: review-gate writes each of them, for a call that the client made.

use crate::scratch::{Scratch, bin_dir};
use review_gate::dialect::{self, ReplyParts};
use review_gate::event::{Client, Kind};
use serde_json::{Value, json};
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
                if decision == "message" {
                    parts.tell = "MESSAGE".into();
                }
                if decision == "replace" {
                    parts.instead = json!({"command": "INSTEAD"});
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
        for decision in ["block", "deny", "context", "replace", "allow"] {
            assert!(has(name, decision), "{name} {decision}");
        }
    }
}

/// The events of hooks.json, with the verdicts that mean something there.
const VERDICTS: [(&str, &[&str]); 9] = [
    ("SessionStart", &["context", "message"]),
    ("UserPromptSubmit", &["context", "message"]),
    ("PreToolUse", &["deny", "ask", "replace", "message"]),
    ("PostToolUse", &["context", "message"]),
    ("PostToolUseFailure", &["context", "message"]),
    ("SubagentStart", &["context", "message"]),
    ("SubagentStop", &["block", "message"]),
    ("PreCompact", &["context", "message"]),
    ("Stop", &["block", "message"]),
];

/// Whether a client's reply to an event carries a verdict.
fn carries(client: Client, kind: &Kind, verdict: &str) -> bool {
    let text = "REASON".to_string();
    let of_parts = |block, parts| dialect::reply(client, kind, block, parts);
    match verdict {
        "block" => of_parts(true, ReplyParts { reason: text, ..ReplyParts::default() }).contains("REASON"),
        "context" => of_parts(false, ReplyParts { context: text, ..ReplyParts::default() }).contains("REASON"),
        "message" => of_parts(false, ReplyParts { tell: text, ..ReplyParts::default() }).contains("REASON"),
        "replace" => {
            of_parts(false, ReplyParts { instead: json!({"x": text}), ..ReplyParts::default() }).contains("REASON")
        }
        word => dialect::refusal(client, word == "ask", &text).contains(&format!("\"{word}\"")),
    }
}

/// The client's names of an event of hooks.json: of its own events, those that are wired and become the same kind.
fn names(client: Client, kind: &Kind, scratch: &Scratch) -> Vec<String> {
    let printed = scratch.run("rg-install", &["--dry-run", client.word()], b"").out;
    let mut names: Vec<String> = Vec::new();
    for line in printed.lines() {
        let Some(name) = line.trim_start_matches('+').trim().strip_suffix(": [") else { continue };
        let name = name.trim_matches('"').to_string();
        let call = json!({"hook_event_name": name, "session_id": "s", "conversation_id": "s"}).to_string();
        let is_same = dialect::decode(Some(client), call.as_bytes(), &scratch.work()).is_ok_and(|it| it.kind == *kind);
        if is_same && !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// docs/clients.md holds exactly what the clients' protocols can carry, and each cell says how it is tested.
#[test]
fn the_matrix_of_the_clients_is_what_their_replies_can_carry() {
    let page = fs::read_to_string(tests().join("../docs/clients.md")).unwrap();
    let published: BTreeSet<String> = rows()
        .iter()
        .filter(|row| !row["reply"].is_null())
        .map(|row| ["client", "event", "decision"].map(|field| row[field].as_str().unwrap()).join(" "))
        .collect();
    let sources: String = ["clients", "other_clients"]
        .map(|file| fs::read_to_string(tests().join(format!("it/{file}.rs"))).unwrap())
        .concat();
    let scratch = Scratch::repo();
    let mut want = Vec::new();
    let has: Vec<Vec<String>> = page.lines().filter(|line| line.starts_with("| `")).map(cells).collect();
    let clients = [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor];
    for (event, verdicts) in VERDICTS {
        let (_, kind) = dialect::claude::KINDS.iter().find(|(name, _)| *name == event).unwrap();
        let names = clients.map(|client| names(client, kind, &scratch));
        for verdict in verdicts {
            let can = |at: usize| !names[at].is_empty() && carries(clients[at], kind, verdict);
            if !(0..4).any(can) {
                continue;
            }
            let (event, verdict) = (format!("`{event}`"), (*verdict).to_string());
            let row = has.iter().find(|row| row[0] == event && row[1] == verdict);
            let mut line = vec![event, verdict.clone()];
            for at in 0..4 {
                let cell = row.map_or("", |row| row[at + 2].as_str());
                let shown = names[at].iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
                let is_published = names[at]
                    .iter()
                    .all(|name| published.contains(&format!("{} {name} {verdict}", clients[at].word())));
                let how = match cell.strip_prefix(&format!("{shown} `")).and_then(|rest| rest.strip_suffix('`')) {
                    _ if !can(at) => None,
                    _ if clients[at] == Client::Cursor => Some("documented".to_string()),
                    Some(test) if sources.contains(&format!("fn {}(", test.rsplit("::").next().unwrap())) => {
                        Some(format!("`{test}`"))
                    }
                    _ if is_published => Some("replies".into()),
                    _ => Some("MISSING".into()),
                };
                line.push(how.map_or("–".into(), |how| format!("{shown} {how}")));
            }
            want.push(line);
        }
    }
    let text = |rows: &[Vec<String>]| rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect::<String>();
    assert!(!text(&want).contains("MISSING"), "{}", text(&want));
    assert_eq!(has, want, "the table has to be:\n{}", text(&want));
}

/// A scenario that the page names was played: each test exists.
#[test]
fn every_test_that_the_page_of_clients_names_exists() {
    let page = fs::read_to_string(tests().join("../docs/clients.md")).unwrap();
    let names: Vec<&str> = page.split('`').skip(1).step_by(2).filter(|name| name.contains("::")).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let (module, test) = name.rsplit_once("::").unwrap();
        let source = fs::read_to_string(tests().join(format!("it/{module}.rs"))).unwrap();
        assert!(source.contains(&format!("fn {test}(")), "{name}");
    }
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
}
