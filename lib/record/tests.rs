//! The envelope and the table of kinds.

use super::*;
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

/// Whatever a body says, the envelope's fields are its own: a landing's, a trace's, a packet's.
#[test]
fn no_body_overwrites_its_envelope() {
    let packet =
        Packet { id: "forged".into(), snapshot: "s".into(), base: None, files: 1, findings: vec![], at: Time(7) };
    let bytes = encode(&envelope(Kind::Packet), &Body::from(packet)).unwrap();
    let Entry::Record(Record { body: Body::Packet(read), .. }) = Entry::read(bytes.trim_ascii_end()) else {
        panic!("no packet")
    };
    assert_eq!((read.id.as_str(), read.at), ("01M", Time::default()));
    // A field that stands twice is no record at all.
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
fn what_is_of_a_later_release_is_unknown() {
    let Entry::Unknown(unknown) = Entry::read(&line("hologram", json!({"x": 1}))) else { panic!("known") };
    assert!(unknown.envelope.is_some());
    let Entry::Unknown(unknown) = Entry::read(br#"{"v":2,"kind":"receipt"}"#) else { panic!("known") };
    assert!(unknown.may_be(Kind::Receipt) && unknown.envelope.is_none());
}

#[test]
fn damage_names_what_it_may_have_been() {
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
fn names_of_kinds_are_told_apart() {
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.word()), Some(*kind));
    }
    assert_eq!(Kind::named("Close"), None);
}
