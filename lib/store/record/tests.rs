//! Tests of the envelope and of the table of kinds.

use super::*;
use crate::store::field_names;
use crate::store::journal::JournalPath;
use serde_json::json;

fn line(kind: &str, body: Value) -> Vec<u8> {
    let mut record =
        json!({"v": 1, "kind": kind, "id": "01M", "at": "2026-11-21T00:00:00.000Z", "by_tool": "t", "prev": null});
    record.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    serde_json::to_vec(&record).unwrap()
}

fn envelope(kind: Kind) -> Envelope {
    Envelope {
        v: VERSION,
        kind: kind.word().to_string(),
        id: "01M".to_string(),
        at: Time::default(),
        by_tool: "t".to_string(),
        prev: None,
        pid: Some(7),
        unlocked: false,
    }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let body = Body::from(Close { event: "e".into(), why: "w".into() });
    let envelope = envelope(Kind::Close);
    let bytes = encode(&envelope, &body).unwrap();
    let Entry::Record(read) = Entry::read(bytes.trim_ascii_end()) else { panic!("no record") };
    assert_eq!((read.envelope, read.body), (envelope, body));
}

/// No body may have a field of the envelope.
#[test]
fn no_body_overwrites_its_envelope() {
    let request = ReviewRequest {
        id: "forged".into(),
        snapshot: "s".into(),
        base: None,
        files: 1,
        findings: vec![],
        at: Time(7),
    };
    let bytes = encode(&envelope(Kind::ReviewRequest), &Body::from(request)).unwrap();
    let Entry::Record(Record { body: Body::ReviewRequest(read), .. }) = Entry::read(bytes.trim_ascii_end()) else {
        panic!("no request")
    };
    assert_eq!((read.id.as_str(), read.at), ("01M", Time::default()));
    // A line with the same field twice is no record.
    let twice = br#"{"v":1,"kind":"close","id":"a","at":"2026-11-21T00:00:00.000Z","by_tool":"t","prev":null,"event":"e","why":"w","id":"b"}"#;
    assert!(matches!(Entry::read(twice), Entry::Damaged(_)));
}

#[test]
fn an_absent_field_is_damage_and_never_empty() {
    for (kind, body) in [
        ("frame", json!({})),
        ("frame", json!({"state": "next", "frame": "f"})),
        ("receipt", json!({"event": "e"})),
        ("prompt", json!({"by": "user"})),
        ("waive", json!({"scope": "gate"})),
        ("review", json!({"state": "decided"})),
        ("begin", json!({"session": "s"})),
    ] {
        let Entry::Damaged(damaged) = Entry::read(&line(kind, body.clone())) else { panic!("{kind} {body}") };
        assert_eq!((damaged.kind.as_deref(), damaged.is_torn), (Some(kind), false));
    }
}

#[test]
fn a_record_of_a_later_release_is_unknown() {
    let Entry::Unknown(unknown) = Entry::read(&line("hologram", json!({"x": 1}))) else { panic!("known") };
    assert!(unknown.envelope.is_some());
    let Entry::Unknown(unknown) = Entry::read(br#"{"v":2,"kind":"receipt"}"#) else { panic!("known") };
    assert!(unknown.may_be(Kind::Receipt) && unknown.envelope.is_none());
}

#[test]
fn a_damaged_line_names_its_possible_kind() {
    for (bytes, may_be, torn) in [
        (&br#"{"v":1,"kind":"receipt","id"#[..], true, true),
        (br#"{"v":1,"kind":"prompt","x":1}"#, false, false),
        (br#"{"v":1,"garbage}"#, true, false),
        (b"half a li", false, true),
        (b"", false, true),
        (b"[1,2]", false, true),
        (b"\xff\xfe}", true, false),
    ] {
        let Entry::Damaged(damaged) = Entry::read(bytes) else { panic!("{bytes:?}") };
        assert_eq!((damaged.may_be(Kind::Receipt), damaged.is_torn), (may_be, torn), "{bytes:?}");
    }
}

#[test]
fn names_of_kinds_are_unique() {
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.word()), Some(*kind));
    }
    assert_eq!(Kind::named("Close"), None);
}

/// The fields of a body, without those of its envelope.
fn fields_of<T: serde::de::DeserializeOwned>() -> Vec<&'static str> {
    field_names::of::<T>().into_iter().filter(|name| !ENVELOPE.contains(name)).collect()
}

/// The forms of a kind: the fields of each, with its state if there are several. A new kind does not compile without a row here.
fn forms(kind: Kind) -> Vec<(Option<&'static str>, Vec<&'static str>)> {
    fn one<T: serde::de::DeserializeOwned>() -> Vec<(Option<&'static str>, Vec<&'static str>)> {
        vec![(None, fields_of::<T>())]
    }
    match kind {
        Kind::Begin => one::<Begin>(),
        Kind::Prompt => one::<Prompt>(),
        Kind::Open => one::<Open>(),
        Kind::Close => one::<Close>(),
        Kind::GateOff => one::<GateOff>(),
        Kind::GateOn => one::<GateOn>(),
        Kind::Receipt => one::<SealedReceipt>(),
        Kind::Waive => one::<Waive>(),
        Kind::Baseline => one::<Baseline>(),
        Kind::Bless => one::<Bless>(),
        Kind::ReviewRequest => one::<ReviewRequest>(),
        Kind::Review | Kind::Asked => vec![
            (Some("pinned"), vec!["definition"]),
            (Some("opened"), fields_of::<OpenedCall>()),
            (Some("began"), fields_of::<StartedReviewer>()),
            (Some("uninvited"), vec!["agent", "why"]),
            (Some("sent-back"), fields_of::<FollowUpRequest>()),
            (Some("decided"), fields_of::<CheckedDecision>()),
        ],
        Kind::Approve => one::<Approval>(),
        Kind::Frame => vec![
            (Some("begin"), fields_of::<FrameBegin>()),
            (Some("next"), fields_of::<FrameNext>()),
            (Some("end"), vec!["frame", "why"]),
            (Some("set-aside"), vec!["why"]),
        ],
        Kind::Anchor => one::<Anchor>(),
        Kind::Denied => one::<DeniedCall>(),
        Kind::Rescued => one::<CallBackup>(),
        Kind::Start => one::<Start>(),
        Kind::Alias => one::<Alias>(),
        Kind::Gone => one::<RecordsGone>(),
        Kind::Scheduled => one::<ScheduledPrompts>(),
        Kind::Looked => one::<ForkCheck>(),
        Kind::RunBegin => one::<RunBegin>(),
        Kind::Run => one::<Run>(),
        Kind::Ask => one::<Ask>(),
        Kind::CreatedWorktree => one::<CreatedWorktree>(),
        Kind::Removed => one::<RemovedWorktree>(),
        Kind::Landing => one::<Landing>(),
        Kind::Landed => one::<Landed>(),
        Kind::LoopsOff => one::<LoopsOff>(),
        Kind::LoopsOn => one::<LoopsOn>(),
        Kind::Notice => one::<Notice>(),
        Kind::Seen => one::<ShownNotices>(),
        Kind::Event => one::<TracedEvent>(),
        Kind::Install => one::<Install>(),
        Kind::Uninstall => one::<Uninstall>(),
    }
}

fn file(name: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(str::to_string).collect();
    names.sort();
    names
}

#[test]
fn the_schema_has_every_kind_with_every_field() {
    let schema: Value = serde_json::from_str(&file("schema/record.json")).unwrap();
    let kinds = schema["properties"]["kind"]["enum"].as_array().unwrap();
    assert_eq!(
        sorted(kinds.iter().map(|kind| kind.as_str().unwrap())),
        sorted(Kind::ALL.iter().map(|kind| kind.word()))
    );
    for kind in Kind::ALL {
        for (at, (state, fields)) in forms(*kind).into_iter().enumerate() {
            let definition = &schema["$defs"][kind.word()];
            let form = if state.is_some() { &definition["oneOf"][at] } else { definition };
            let known =
                form["properties"].as_object().unwrap().keys().map(String::as_str).filter(|name| *name != "state");
            // The field `state` of a task's begin record is not a form.
            let known = known.chain((state.is_none() && fields.contains(&"state")).then_some("state"));
            assert_eq!(sorted(known), sorted(fields), "{} {state:?}", kind.word());
            assert_eq!(form["properties"]["state"]["const"].as_str(), state);
        }
    }
}

#[test]
fn the_manual_has_every_kind_with_every_field_and_its_writers() {
    let page = file("man/review-gate-state.5");
    let meanings = page.split(".Sh FIELDS OF RECORDS\n").nth(1).unwrap();
    for kind in Kind::ALL {
        for (state, fields) in forms(*kind) {
            let word = kind.word();
            let head =
                state.map_or(format!(".It Li {word}\n"), |state| format!(".It Li {word} Pq Li state: {state}\n"));
            let item = page.split(&head).nth(1).unwrap_or_else(|| panic!("{head} is missing"));
            let item = item.split("\n.It").next().unwrap().split("\n.El").next().unwrap();
            let known = item
                .lines()
                .filter_map(|line| line.strip_prefix(".Li "))
                .map(|line| line.trim_end_matches([' ', ',', '.']));
            assert_eq!(sorted(known), sorted(fields.iter().copied()), "{head}");
            for tool in kind.writers() {
                assert!(item.contains(&format!(".Xr {tool} 1")), "{head} is written by {tool}");
            }
            for field in fields {
                assert!(meanings.contains(&format!(".It Li {field} Pq ")), "{head}: the meaning of {field} is missing");
            }
        }
    }
    for name in ENVELOPE {
        assert!(page.contains(&format!(".It Li {name}\n")), "{name}");
    }
}

const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const AT: &str = "2026-11-21T00:00:00.000Z";

/// A body of each form of a kind, with every field. A new kind does not compile without a row here.
fn samples(kind: Kind) -> Vec<Value> {
    let finding = json!({"by": "rg-tamper", "rule": "no_new_skips", "level": "tampered", "path": "a", "line": 3, "text": "t", "key": "k"});
    let waiver = json!({"id": "w", "scope": "rule:check-failed", "why": "y", "who": "u", "until": AT});
    let listed = |name: &str| json!({"count": 1, "first": [name]});
    let landing = json!({
        "branch": "b", "tip": "c1", "base": "main", "remote": "origin", "old": "c2", "new": "c3", "receipt": "r",
        "snapshot": DIGEST,
    });
    let install =
        json!({"path": "/s.json", "client": "claude", "before": "{}", "after_sha256": DIGEST, "version": "0.1.0"});
    let steps = || {
        let issue =
            json!({"severity": "major", "path": "a", "line": 3, "description": "d", "how_to_verify": "h", "key": "k"});
        vec![
            json!({"state": "pinned", "definition": DIGEST}),
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
                    "key": "k", "severity": "major", "path": "a", "line": 3, "description": "d", "how_to_verify": "h",
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
            "worktrees": ["/w"], "before": "t", "off_file": true, "waivers": [waiver],
        })],
        Kind::Prompt => vec![json!({
            "by": "user", "turn": "1", "sha256": DIGEST, "text": "t", "blob": DIGEST, "review": "on", "loop": "off",
            "loops": ["l"], "loop_ends": true, "from": "t0",
        })],
        Kind::Open => vec![json!({"event": "e", "budget_owner": "agent:a1", "turn": "1", "until": AT})],
        Kind::Close => vec![json!({"event": "e", "why": "y"})],
        Kind::GateOff => vec![json!({"who": "u", "until": AT})],
        Kind::GateOn => vec![json!({"who": "u"})],
        Kind::Receipt => vec![json!({
            "event": "e", "budget_owner": "main", "outcome": "not-done", "reply": "block", "reason_sha256": DIGEST,
            "bounce": {
                "n": 1, "of": 3, "score": {"judge": "rg-check", "open": 2, "round": 1}, "before": ["k0"],
                "now": ["k"], "same_as": 1, "unchanged": true, "progress": true,
            },
            "keys": ["k"], "snapshot": DIGEST, "receipt": "r", "file": "receipts/r.json", "sha256": DIGEST,
            "ended": {"by": "rg-loop", "why": "stuck", "text": "t"}, "deferred": true,
        })],
        Kind::Waive => vec![json!({"scope": "key:k", "why": "y", "who": "u", "until": AT})],
        Kind::Baseline => vec![json!({
            "budget_owner": "main", "snapshot": DIGEST, "ids": DIGEST, "head": "c", "donefile": DIGEST, "copied": 2,
            "pinned": {"settings": {"a": "b"}, "protected": {"c": "d"}, "unlooked": ["u"], "replaced": ["o"]},
            "left_out": ["big"], "from": "t0",
        })],
        Kind::Bless => vec![json!({"why": "y", "who": "u"})],
        Kind::ReviewRequest => vec![json!({
            "snapshot": DIGEST, "files": 2, "findings": [finding],
            "base": {"kind": "merge-base", "ref": "main", "commit": "c", "blessed": [{"who": "u", "why": "y", "at": AT}]},
        })],
        Kind::Review | Kind::Asked => steps(),
        Kind::Approve => vec![json!({"snapshot": DIGEST, "why": "y", "who": "u"})],
        Kind::Frame => vec![
            json!({
                "state": "begin", "frame": "f", "mode": "task", "max": 10, "prompt": "p", "worktree": "/r",
                "branch": "b", "base": "c", "snapshot": DIGEST, "by": "user", "session": "s",
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
            "calling": {"pid": 8, "stdin": "pipe", "parent": "p"},
        })],
        Kind::Alias => {
            vec![json!({"session": "s", "client": "text", "task": "t", "dir": "/d", "why": "y", "from": "s0"})]
        }
        Kind::Gone => vec![json!({"session": "s", "task": "t"})],
        Kind::Scheduled => vec![json!({"digests": [DIGEST], "all": true})],
        Kind::Looked => vec![json!({"session": "s", "fork_of": "s0"})],
        Kind::RunBegin => vec![json!({"key": DIGEST})],
        Kind::Run => vec![json!({
            "key": DIGEST, "snapshot": DIGEST, "writes": ["out"], "wrote": ["out/a"],
            "checks": [{
                "name": "n", "run": "r", "ended": "failed", "exit": 1, "seconds": 0.5, "tail": "t", "log": "/l",
                "sha256": DIGEST, "replayed_at": AT, "partial": true, "red_before": true,
            }],
        })],
        Kind::Ask => vec![json!({
            "to": "codex", "argv": ["codex"], "prompt_sha256": DIGEST, "answer_sha256": DIGEST, "request": "p",
            "snapshot": DIGEST, "seconds": 0.5, "exit": 0, "decision": "approve", "unavailable": "u",
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
            "findings": [{"by": "rg-check", "rule": "check-failed", "text": "t"}], "tell": ["x"],
            "journal": {"length": 9, "head": DIGEST},
        })],
        Kind::Install | Kind::Uninstall => vec![install],
    }
}

/// A record of that kind with those fields.
fn record(kind: Kind, fields: &Value) -> Record {
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

/// Writing refuses a kind from another program or into another journal.
#[test]
fn a_kind_is_written_by_its_writers_into_its_journal_only() {
    let dir = tempfile::tempdir().unwrap();
    let journals: std::collections::BTreeSet<JournalKind> = Kind::ALL.iter().map(|kind| kind.journal()).collect();
    let tools: std::collections::BTreeSet<&str> = Kind::ALL.iter().flat_map(|kind| kind.writers()).copied().collect();
    for kind in Kind::ALL {
        let body = record(*kind, &samples(*kind)[0]).body;
        for journal in &journals {
            let path = JournalPath::new(dir.path().join(format!("{journal:?}.jsonl")), *journal);
            for tool in &tools {
                let may = *journal == kind.journal() && (kind.writers().is_empty() || kind.writers().contains(tool));
                let written = crate::store::journal::append(&path, tool, NewRecord::new(body.clone()));
                assert_eq!(written.is_ok(), may, "{tool}: {} into {journal:?}", kind.word());
            }
        }
    }
}

/// A record is written under the name of the program that writes it.
#[test]
fn every_record_names_the_program_that_writes_it() {
    let bins = walkdir::WalkDir::new(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("bins"));
    let mut calls = 0;
    for entry in bins.into_iter().flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "rs")) {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for call in shipped.split(".append(").skip(1) {
            let call = call.split(';').next().unwrap();
            let names_itself = call.split(',').map(str::trim).any(|part| ["TOOL.name", "NAME"].contains(&part));
            assert!(names_itself, "{}: .append({call}", entry.path().display());
            calls += 1;
        }
    }
    assert!(calls > 20, "{calls}");
}

/// The sources of each writer in the table construct the body, or the library does.
#[test]
fn every_writer_of_the_table_makes_the_record() {
    let table = file("lib/store/record/kinds.rs");
    let sources = |dir: &str| -> String {
        let walk = walkdir::WalkDir::new(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(dir));
        let files = walk.into_iter().flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "rs"));
        files.map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect()
    };
    for kind in Kind::ALL {
        let row = table.split(&format!("    {kind:?}(")).nth(1).unwrap();
        let name = row.split(')').next().unwrap();
        let makes_it = |text: &str| {
            let mut words = text.split(|c: char| c != '_' && !c.is_alphanumeric());
            words.any(|word| word == name) && text.contains(".append")
        };
        for tool in kind.writers() {
            let own = sources(&format!("bins/{tool}"));
            // The library constructs the record of an ask.
            let own = if *kind == Kind::Ask { own + &file("lib/review/ask.rs") } else { own };
            assert!(makes_it(&own), "{tool} never writes a {}", kind.word());
        }
    }
}
