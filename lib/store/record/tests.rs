//! Tests of the envelope and of the table of kinds.

use super::samples::{record, samples};
use super::*;
use crate::store::field_names;
use crate::store::journal::JournalPath;
use serde_json::json;

pub(super) fn line(kind: &str, body: Value) -> Vec<u8> {
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
    let body = Body::from(Close { event: "e".into(), why: "w".into(), snapshot: None });
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
pub(super) fn forms(kind: Kind) -> Vec<(Option<&'static str>, Vec<&'static str>)> {
    fn one<T: serde::de::DeserializeOwned>() -> Vec<(Option<&'static str>, Vec<&'static str>)> {
        vec![(None, fields_of::<T>())]
    }
    match kind {
        Kind::Begin => one::<Begin>(),
        Kind::Prompt => one::<Prompt>(),
        Kind::Open => one::<Open>(),
        Kind::Cut => one::<CutRecords>(),
        Kind::Close => one::<Close>(),
        Kind::GateOff => one::<GateOff>(),
        Kind::GateOn => one::<GateOn>(),
        Kind::Receipt => one::<SealedReceipt>(),
        Kind::Waive => one::<Waive>(),
        Kind::Baseline => one::<Baseline>(),
        Kind::Bless => one::<Bless>(),
        Kind::ReviewRequest => one::<ReviewRequest>(),
        Kind::Review | Kind::Asked => vec![
            (Some("pinned"), fields_of::<ReviewPins>()),
            (Some("opened"), fields_of::<OpenedCall>()),
            (Some("began"), fields_of::<StartedReviewer>()),
            (Some("uninvited"), vec!["agent", "why"]),
            (Some("sent-back"), fields_of::<FollowUpRequest>()),
            (Some("decided"), fields_of::<CheckedDecision>()),
        ],
        Kind::Settled => one::<Settled>(),
        Kind::Approve => one::<Approval>(),
        Kind::RunStep => vec![
            (Some("begin"), fields_of::<RunStart>()),
            (Some("agent"), fields_of::<RunAgent>()),
            (Some("turn"), fields_of::<RunAnswer>()),
            (Some("judged"), fields_of::<RunVerdict>()),
            (Some("lost"), fields_of::<RunLost>()),
            (Some("waits"), fields_of::<RunWait>()),
            (Some("interrupted"), fields_of::<RunInterrupted>()),
            (Some("resumed"), fields_of::<RunResumed>()),
            (Some("end"), fields_of::<RunEnd>()),
            (Some("batch"), fields_of::<RunBatch>()),
            (Some("item"), fields_of::<RunItem>()),
            (Some("summary"), fields_of::<RunSummary>()),
        ],
        Kind::ModelCall => {
            vec![(Some("asked"), fields_of::<AskedModel>()), (Some("answered"), fields_of::<AnsweredModel>())]
        }
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
        Kind::Unwritten => one::<Unwritten>(),
        Kind::Guarded => one::<Guarded>(),
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

pub(super) fn file(name: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

pub(super) fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
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
            // The library constructs the record of an ask, and writes those of a call.
            let own = match kind {
                Kind::Ask => own + &file("lib/review/ask.rs"),
                Kind::ModelCall if own.contains("model_call::ask(") => own + &file("lib/review/model_call.rs"),
                _ => own,
            };
            assert!(makes_it(&own), "{tool} never writes a {}", kind.word());
        }
    }
}

/// Only notices may come from any program.
#[test]
fn every_kind_but_notices_has_its_writers() {
    let open: Vec<&Kind> = Kind::ALL.iter().filter(|kind| kind.writers().is_empty()).collect();
    assert_eq!(open, [&Kind::Notice]);
}
