//! One sample of each record, and what is tested with all of them: reading, writing, the schema.

use super::tests::{file, forms, line, sorted};
use super::*;
use serde_json::json;

const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const AT: &str = "2026-11-21T00:00:00.000Z";

/// A body of each form of a kind, with every field. A new kind does not compile without a row here.
pub(super) fn samples(kind: Kind) -> Vec<Value> {
    let finding = json!({"by": "rg-tamper", "rule": "no_new_skips", "level": "tampered", "path": "a", "line": 3, "text": "t", "key": "k"});
    let waiver = json!({"id": "w", "scope": "rule:check-failed", "why": "y", "who": "u", "at": AT, "origin": "client", "until": AT});
    let listed = |name: &str| json!({"count": 1, "first": [name]});
    let landing = json!({
        "branch": "b", "tip": "c1", "base": "main", "remote": "origin", "old": "c2", "new": "c3", "receipt": "r",
        "snapshot": DIGEST,
    });
    let install = json!({"path": "/s.json", "client": "claude", "before": "{}", "after_sha256": DIGEST, "made_dir": "/d", "version": "0.1.0",
        "programs": {"/b/rg-check": {"sha256": DIGEST, "inode": 1, "size": 2, "changed_nanos": 3}}});
    let steps = || {
        let issue = json!({"severity": "major", "confidence": "low", "path": "a", "line": 3, "description": "d", "how_to_verify": "h", "key": "k"});
        vec![
            json!({
                "state": "pinned", "definition": DIGEST, "files": {"Makefile": DIGEST}, "instructions": {"CLAUDE.md": DIGEST},
                "programs": {"claude": {"path": "/c", "real": "/d", "id": DIGEST, "interpreter": "/sh"}},
                "absent": ["codex"],
            }),
            json!({
                "state": "opened", "request": "p", "call": "c", "prompt_sha256": DIGEST, "claims_sha256": DIGEST,
                "session": "s", "origin": "manual",
            }),
            json!({
                "state": "began", "request": "p", "opened": "o", "agent": "a1", "nonce_sha256": DIGEST,
                "definition": DIGEST, "file_nanos": 5, "origin": "client",
            }),
            json!({"state": "uninvited", "agent": "a1", "why": "y"}),
            json!({"state": "sent-back", "agent": "a1", "request": "p", "about": "x"}),
            json!({
                "state": "decided", "request": "p", "snapshot": DIGEST, "session": "s", "by": "a1", "trust": "client",
                "standing": "rejected", "why": "y", "summary": "s", "message": "m", "settled": ["k0"],
                "second_opinion": "o", "definition": DIGEST,
                "issues": [{
                    "key": "k", "severity": "major", "confidence": "low", "path": "a", "line": 3, "description": "d", "how_to_verify": "h",
                    "blocks": true, "why_not": "n",
                }],
                "decision": {
                    "word": "issues", "summary": "s", "reasoning": "r", "message_to_agent": "m", "issues": [issue],
                    "reviewed": ["a"], "second_opinions": ["o"], "diagnostics": ["d"], "suggested_patch": "p",
                    "extra_tests": ["e"],
                },
            }),
        ]
    };
    match kind {
        Kind::Begin => vec![json!({
            "session": "s", "client": "claude", "root": "/r", "worktree": "/r", "head": "c", "snapshot": DIGEST,
            "donefile": {"path": "DONE.md", "sha256": DIGEST, "is_link": true, "valid": true},
            "ignore": [{"path": ".gitignore", "sha256": DIGEST}], "forced": ["f"], "state": "missing",
            "worktrees": ["/w"], "before": "t", "unfinished": "t", "previous": {"task": "t", "snapshot": DIGEST, "quiet": "t1"},
            "repaired": true, "off_file": true, "waivers": [waiver],
        })],
        Kind::Prompt => vec![json!({
            "by": "user", "turn": "1", "sha256": DIGEST, "text": "t", "blob": DIGEST, "review": "on", "loop": "off",
            "loops": ["l"], "loop_ends": true, "limit": "nested", "from": "t0",
        })],
        Kind::Open => {
            vec![json!({"event": "e", "budget_owner": "agent:a1", "turn": "1", "until": AT, "deferred_for": ["a1"]})]
        }
        Kind::Cut => vec![json!({"journal": {"length": 7, "head": DIGEST}})],
        Kind::Close => vec![json!({"event": "e", "why": "y", "snapshot": DIGEST})],
        Kind::GateOff => vec![json!({"who": "u", "origin": "client", "until": AT})],
        Kind::GateOn => vec![json!({"who": "u"})],
        Kind::Receipt => vec![json!({
            "event": "e", "budget_owner": "main", "outcome": "not-done", "reply": "block", "reason_sha256": DIGEST,
            "bounce": {
                "n": 1, "of": 3, "score": {"judge": "rg-check", "open": 2, "round": 1}, "before": ["k0"],
                "now": ["k"], "same_as": 1, "unchanged": true, "progress": true,
            },
            "keys": ["k"], "snapshot": DIGEST, "receipt": "r", "file": "receipts/r.json", "sha256": DIGEST,
            "ended": {"by": "rg-loop", "why": "stuck", "text": "t"}, "deferred": true,
            "awaits_user": true,
        })],
        Kind::Waive => vec![json!({"scope": "key:k", "why": "y", "who": "u", "until": AT})],
        Kind::Baseline => vec![json!({
            "budget_owner": "main", "snapshot": DIGEST, "ids": DIGEST, "head": "c", "donefile": DIGEST, "copied": 2,
            "pinned": {"settings": {"a": "b"}, "protected": {"c": "d"}, "unlooked": ["u"], "replaced": ["o"]},
            "left_out": ["big"], "from": "t0", "history": DIGEST,
            "between_tasks": {
                "count": 1, "first": ["a"], "guarded": [{"path": "a", "text": "t", "then": DIGEST, "now": ""}],
            },
        })],
        Kind::Bless => vec![json!({
            "why": "y", "who": "u",
            "donefile": {"path": "DONE.md", "sha256": DIGEST, "is_link": true, "valid": true},
        })],
        Kind::ReviewRequest => vec![json!({
            "snapshot": DIGEST, "files": 2, "findings": [finding],
            "base": {"kind": "merge-base", "ref": "main", "commit": "c", "blessed": [{"who": "u", "why": "y", "at": AT}]},
        })],
        Kind::Review | Kind::Asked => steps(),
        Kind::Settled => vec![json!({
            "about": "arbiter", "ruled": "confirmed", "by": "a1", "why": "y", "snapshot": DIGEST, "keys": ["k"],
            "files": {"tests/a.sh": DIGEST},
            "proof": {"check": "c", "test": "t", "test_patch": "p", "control_patch": "q"},
        })],
        Kind::Approve => vec![json!({"snapshot": DIGEST, "why": "y", "who": "u"})],
        Kind::RunStep => vec![
            json!({
                "state": "begin", "run": "r", "root": "/r", "request": DIGEST, "agent": ["claude"], "model": "m",
                "effort": "high", "reviewer": "codex", "reviewer_model": "n", "reviewer_effort": "low", "patch": true, "base": "c",
                "argument": true, "rounds": 3, "minutes": 60.0, "tokens": 1000, "cost": 2.5, "tokens_per_day": 5000,
                "cost_per_day": 9.5, "step": true, "strict": true, "branch": "rg/a", "land": true, "home": "/h", "programs": "d", "batch": "b", "item": "1",
            }),
            json!({"state": "agent", "run": "r", "round": 1, "group": 7, "ticks": 8, "journals": [{"length": 9, "head": "d"}], "runner": {"pid": 6, "ticks": 5}}),
            json!({
                "state": "turn", "run": "r", "round": 1, "how": "exit 0", "exit": 0, "seconds": 1.5, "tokens": 10,
                "cost": 0.5, "message": DIGEST, "refusal": "y",
            }),
            json!({
                "state": "judged", "run": "r", "round": 1, "outcome": "not-done", "receipt": "c", "reason": DIGEST,
                "summary": "s", "models": {"calls": 2, "tokens": 10, "cost": 0.5}, "journals": [{"length": 9, "head": "d"}],
                "ending": {
                    "run": "r", "outcome": "done", "status": 0, "receipt": "c", "why": "y", "commit": "c", "landed": false,
                },
            }),
            json!({"state": "lost", "run": "r", "round": 1}),
            json!({"state": "waits", "run": "r", "round": 1, "why": "y"}),
            json!({"state": "interrupted", "run": "r"}),
            json!({"state": "resumed", "run": "r", "runner": {"pid": 6, "ticks": 5}, "seconds": 1.5}),
            json!({
                "state": "end", "run": "r", "outcome": "done", "status": 0, "receipt": "c", "why": "y", "commit": "c",
                "landed": true,
            }),
            json!({
                "state": "batch", "run": "b", "each": "issue", "parallel": 2, "start": {
                    "run": "b", "root": "/r", "request": DIGEST, "agent": ["claude"], "model": "m", "effort": "high",
                    "reviewer": "codex", "reviewer_model": "n", "reviewer_effort": "low", "patch": true, "base": "c",
                    "argument": true, "rounds": 3, "minutes": 60.0, "tokens": 1000, "cost": 2.5, "tokens_per_day": 5000,
                    "cost_per_day": 9.5, "step": true, "strict": true, "branch": "rg/a", "land": true, "home": "/h", "programs": "d",
                    "batch": "b", "item": "1",
                },
            }),
            json!({
                "state": "item", "run": "b", "item": "1", "title": "t", "of": "r", "outcome": "done", "status": 0, "why": "y",
                "branch": "rg/a", "landed": true,
            }),
            json!({"state": "summary", "run": "b", "items": 2, "done": 1, "landed": 1, "later": 1, "status": 1}),
        ],
        Kind::ModelCall => vec![
            json!({"state": "asked", "call": "c", "run": "r", "role": "reviewer", "to": "codex"}),
            json!({"state": "answered", "call": "c", "run": "r", "tokens": 10, "cost": 0.5}),
        ],
        Kind::Frame => vec![
            json!({
                "state": "begin", "frame": "f", "mode": "task", "max": 10, "prompt": "p", "worktree": "/r",
                "branch": "b", "base": "c", "snapshot": DIGEST, "by": "user", "session": "s", "issue": "i",
            }),
            json!({
                "state": "next", "frame": "f", "iteration": 2, "snapshot": DIGEST, "keys": ["k"], "has_helpers": true,
                "open": [{"key": "k", "text": "t"}],
            }),
            json!({"state": "end", "frame": "f", "why": "y"}),
            json!({"state": "set-aside", "why": "y"}),
        ],
        Kind::Anchor => vec![json!({
            "trigger": "auto",
            "tree": {
                "top": "/r", "branch": "b", "head": "c", "commits": ["c x"], "staged": listed("a"),
                "unstaged": listed("b"), "untracked": listed("d"),
            },
        })],
        Kind::Denied => vec![json!({
            "session": "s", "agent": "a1", "tool": "Bash", "rule": "r", "level": "ask", "reason": "y", "input": "i",
        })],
        Kind::Rescued => vec![json!({
            "session": "s", "agent": "a1", "tool": "Bash", "backup": "b", "worktree": "/r", "input": "i",
        })],
        Kind::Start => vec![json!({
            "session": "s", "client": "claude", "source": "resume", "transcript": "/t", "nested": true,
            "calling": {"pid": 8, "ticks": 9, "stdin": "pipe", "parent": "p"},
        })],
        Kind::Alias => {
            vec![json!({"session": "s", "client": "text", "task": "t", "dir": "/d", "why": "y", "from": "s0"})]
        }
        Kind::Gone => vec![json!({"session": "s", "task": "t"})],
        Kind::Scheduled => vec![json!({"digests": [DIGEST], "all": true, "lasting": true})],
        Kind::Looked => vec![json!({"session": "s", "fork_of": "s0"})],
        Kind::Unwritten => vec![json!({"session": "s", "inode": 7, "changed_nanos": 8})],
        Kind::Guarded => vec![json!({
            "session": "s", "process": {"pid": 8, "ticks": 9, "stdin": "pipe", "parent": "p"},
        })],
        Kind::RunBegin => vec![json!({"key": DIGEST})],
        Kind::Run => vec![json!({
            "key": DIGEST, "snapshot": DIGEST, "writes": ["out"], "wrote": ["out/a"], "leftovers": ["*.log"],
            "checks": [{
                "name": "n", "run": "r", "ended": "failed", "exit": 1, "signal": 9, "seconds": 0.5, "tail": "t", "log": "/l",
                "excerpt": {"failures": [["f"]], "left_out": 1, "marked": ["m"]},
                "sha256": DIGEST, "replayed_at": AT, "partial": true, "red_before": true,
            }],
        })],
        Kind::Ask => vec![json!({
            "to": "codex", "argv": ["codex"], "prompt_sha256": DIGEST, "answer_sha256": DIGEST, "request": "p",
            "snapshot": DIGEST, "seconds": 0.5, "exit": 0, "decision": "approve", "tokens": 10, "cost": 0.5, "unavailable": "u",
            "issues": [{"severity": "major", "confidence": "low", "path": "a", "line": 3, "description": "d", "how_to_verify": "h", "key": "k"}],
        })],
        Kind::CreatedWorktree => vec![json!({"name": "n", "path": "/w", "branch": "b", "base": "main", "fork": "c"})],
        Kind::Removed => {
            vec![json!({"path": "/w", "branch": "b", "head": "c", "kept": "k", "branch_kept": true})]
        }
        Kind::Landing | Kind::Landed => vec![landing],
        Kind::LoopsOff | Kind::LoopsOn => vec![json!({"who": "u"})],
        Kind::Notice => vec![json!({"task": "t", "text": "x", "receipt": "r"})],
        Kind::Seen => vec![json!({"ids": ["n"]})],
        Kind::Event => vec![json!({
            "event": "stop", "event_id": "e", "by": "agent", "budget_owner": "manual", "turn": "1", "task": "t",
            "source": "s", "prompt": "p", "message": "m", "outcome": "done", "bounce": "1 of 3", "receipt": "r",
            "tool": {"name": "Bash", "input": "i", "output": "o", "error": "e"},
            "reply": {"action": "allow", "reason": "y", "by": "rg-receipt"},
            "findings": [{"by": "rg-check", "rule": "check-failed", "level": "error", "text": "t"}], "tell": ["x"],
            "journal": {"length": 9, "head": DIGEST},
        })],
        Kind::Install | Kind::Uninstall => vec![install],
    }
}

/// A record of that kind with those fields.
pub(super) fn record(kind: Kind, fields: &Value) -> Record {
    match Entry::read(&line(kind.word(), fields.clone())) {
        Entry::Record(record) => record,
        other => panic!("{}: {fields}: {other:?}", kind.word()),
    }
}

/// Every kind can be written with all its fields; writing refuses fields of the envelope.
#[test]
fn every_kind_is_read_as_it_was_written() {
    for kind in Kind::ALL {
        let samples = samples(*kind);
        assert_eq!(samples.len(), forms(*kind).len(), "{}", kind.word());
        for (fields, (state, names)) in samples.iter().zip(forms(*kind)) {
            let object = fields.as_object().unwrap();
            let given = object.keys().map(String::as_str).filter(|name| state.is_none() || *name != "state");
            assert_eq!(sorted(given), sorted(names), "{} {state:?}", kind.word());
            assert_eq!(
                state,
                object.get("state").and_then(Value::as_str).filter(|_| state.is_some()),
                "{}",
                kind.word()
            );
            let Record { envelope, body } = record(*kind, fields);
            let bytes = encode(&envelope, &body).unwrap();
            let mut written: Map<String, Value> = serde_json::from_slice(&bytes).unwrap();
            written.retain(|name, _| !ENVELOPE.contains(&name.as_str()));
            assert_eq!(Value::Object(written), *fields, "{}", kind.word());
            let Entry::Record(read) = Entry::read(bytes.trim_ascii_end()) else { panic!("{}", kind.word()) };
            assert_eq!((read.envelope, read.body), (envelope, body));
        }
    }
}

/// A body may read a field of the envelope. It never writes one, even one that most records do not have.
#[test]
fn no_body_writes_a_field_of_its_envelope() {
    for kind in Kind::ALL {
        for mut fields in samples(*kind) {
            let all = json!({"prev": DIGEST, "pid": 7, "unlocked": true});
            fields.as_object_mut().unwrap().extend(all.as_object().unwrap().clone());
            let Record { envelope, body } = record(*kind, &fields);
            encode(&envelope, &body).unwrap();
        }
    }
}

/// The schema refuses a record without a field exactly if the field cannot be absent when it is read.
#[test]
fn the_schema_requires_the_fields_that_reading_requires() {
    let validator = jsonschema::validator_for(&serde_json::from_str(&file("schema/record.json")).unwrap()).unwrap();
    let mut wrong = Vec::new();
    let mut compare = |kind: Kind, fields: &Value, what: &str| {
        let line = line(kind.word(), fields.clone());
        let is_read = matches!(Entry::read(&line), Entry::Record(_));
        let fits = validator.is_valid(&serde_json::from_slice(&line).unwrap());
        if is_read != fits {
            wrong.push(format!("{} {what}: read: {is_read}, fits: {fits}", kind.word()));
        }
    };
    for kind in Kind::ALL {
        for sample in samples(*kind) {
            compare(*kind, &sample, "with every field");
            for name in sample.as_object().unwrap().keys() {
                let mut without = sample.clone();
                without.as_object_mut().unwrap().remove(name);
                compare(*kind, &without, &format!("without {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
