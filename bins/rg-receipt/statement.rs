//! The statement about a commit: an in-toto Statement whose subject is a tree and a snapshot, and whose predicate is a receipt without
//! what concerns only this machine.

use crate::strict_json;
use review_gate::event::{Kind, Outcome, Waiver};
use review_gate::sys::clock::Time;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/receipt/v1");

/// Fields of a receipt that name sessions, tasks and directories of one machine.
const LOCAL: [&str; 14] = [
    "agent",
    "budget_owner",
    "client",
    "event",
    "head",
    "not_judged",
    "reply",
    "root",
    "row",
    "run",
    "session",
    "task",
    "tell",
    "turn",
];

/// The files that a statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The id of git's tree.
    pub tree: String,
    /// The snapshot of its clean checkout.
    pub snapshot: String,
}

/// What a reader needs of a statement.
pub struct Statement {
    /// The files.
    pub subject: Subject,
    /// The decision about them.
    pub decision: Decision,
}

/// The fields of the predicate that decide.
#[derive(Deserialize)]
pub struct Decision {
    /// The id of the receipt.
    pub id: String,
    /// When it was sealed.
    pub at: Time,
    /// The program that sealed it.
    pub by_tool: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Why.
    pub why: String,
    /// Whether a session's own stop was judged.
    pub kind: Kind,
    /// Whether a judge covered only a part.
    pub partial: bool,
    /// The waivers.
    #[serde(default)]
    pub waivers: Vec<Waiver>,
}

/// The bytes of the statement about a receipt, which is given by the bytes of its file.
pub fn of_receipt(receipt: &[u8], subject: &Subject) -> Result<Vec<u8>> {
    let failed = |error| Error::stream("write the statement", error);
    let mut predicate: Map<String, Value> = serde_json::from_slice(receipt).map_err(failed)?;
    predicate.retain(|name, _| !LOCAL.contains(&name.as_str()));
    for check in predicate.get_mut("checks").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(check) = check.as_object_mut() {
            check.shift_remove("log");
        }
    }
    predicate.insert("receipt_sha256".to_string(), sha256(receipt).into());
    let statement = json!({
        "_type": TYPE,
        "subject": [
            {"name": "tree", "digest": {"gitTree": subject.tree}},
            {"name": "snapshot", "digest": {"sha256": subject.snapshot}},
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    });
    serde_json::to_vec(&statement).map_err(failed)
}

impl Statement {
    /// Parses the bytes of a statement. The error is the reason why it is none about a receipt.
    pub fn parse(bytes: &[u8]) -> std::result::Result<Statement, String> {
        let value = strict_json::parse(bytes)?;
        for (name, expected) in [("_type", TYPE), ("predicateType", PREDICATE_TYPE)] {
            if value[name] != expected {
                return Err(format!("its {name} is not {expected:?}"));
            }
        }
        let subjects = value["subject"].as_array().filter(|all| all.len() == 2).ok_or("it has not two subjects")?;
        let digest = |name: &str, kind: &str| {
            let subject = subjects.iter().find(|subject| subject["name"] == name);
            let text = subject.and_then(|subject| subject["digest"][kind].as_str()).map(str::to_string);
            text.ok_or_else(|| format!("its subject has no {kind} of a {name}"))
        };
        let subject = Subject { tree: digest("tree", "gitTree")?, snapshot: digest("snapshot", "sha256")? };
        let decision = Decision::deserialize(&value["predicate"]).map_err(|error| error.to_string())?;
        Ok(Statement { subject, decision })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_holds_the_evidence_and_nothing_of_the_machine() {
        let receipt = json!({
            "id": "R", "at": "2026-11-21T12:00:00.000Z", "by_tool": "rg-receipt/1", "outcome": "done", "why": "1 check passed",
            "kind": "stop", "partial": false, "root": "/home/ada/x", "session": "s", "proof": {"kept": true},
            "checks": [{"name": "t", "log": "/home/ada/log", "tail": "ok"}],
        });
        let subject = Subject { tree: "1".repeat(40), snapshot: "2".repeat(64) };
        let bytes = of_receipt(receipt.to_string().as_bytes(), &subject).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains("/home/ada") && !text.contains("session"), "{text}");
        assert!(text.contains("\"tail\":\"ok\"") && text.contains("\"kept\":true"), "{text}");
        let statement = Statement::parse(&bytes).unwrap();
        assert_eq!((statement.subject, statement.decision.outcome), (subject, Outcome::Done));
        for (old, new) in [
            ("Statement/v1", "Statement/v2"),
            ("/receipt/v1", "/receipt/v9"),
            ("gitTree", "gitBlob"),
            ("\"outcome\":\"done\"", "\"outcome\":\"Done\""),
            ("\"partial\":false", "\"partial\":false,\"partial\":false"),
        ] {
            assert!(text.contains(old), "{old}");
            assert!(Statement::parse(text.replace(old, new).as_bytes()).is_err(), "{new}");
        }
    }
}
