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

/// Lists the fields of a struct: those that its `Deserialize` asks for.
struct FieldLister<'a>(&'a mut Vec<&'static str>);

impl<'de> serde::Deserializer<'de> for FieldLister<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, _: V) -> std::result::Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("no struct"))
    }

    fn deserialize_struct<V: serde::de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> std::result::Result<V::Value, Self::Error> {
        self.0.extend(fields.iter().filter(|name| !ENVELOPE.contains(name)));
        Err(serde::de::Error::custom("listed"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields_of<T: serde::de::DeserializeOwned>() -> Vec<&'static str> {
    let mut fields = Vec::new();
    assert!(T::deserialize(FieldLister(&mut fields)).is_err());
    fields
}

/// The forms of a kind: the state where it has several, and the fields of each. A new kind does not compile without its row.
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
        Kind::Receipt => one::<Sealed>(),
        Kind::Waive => one::<Waive>(),
        Kind::Baseline => one::<Baseline>(),
        Kind::Bless => one::<Bless>(),
        Kind::Packet => one::<Packet>(),
        Kind::Review | Kind::Asked => vec![
            (Some("pinned"), vec!["definition"]),
            (Some("opened"), fields_of::<Opened>()),
            (Some("began"), fields_of::<Began>()),
            (Some("uninvited"), vec!["agent", "why"]),
            (Some("sent-back"), fields_of::<SentBack>()),
            (Some("decided"), fields_of::<Given>()),
        ],
        Kind::Approve => one::<Approval>(),
        Kind::Frame => vec![
            (Some("begin"), fields_of::<FrameBegin>()),
            (Some("next"), fields_of::<FrameNext>()),
            (Some("end"), vec!["frame", "why"]),
            (Some("set-aside"), vec!["why"]),
        ],
        Kind::Anchor => one::<Anchor>(),
        Kind::Denied => one::<Denied>(),
        Kind::Rescued => one::<Rescued>(),
        Kind::Start => one::<Start>(),
        Kind::Alias => one::<Alias>(),
        Kind::Gone => one::<Gone>(),
        Kind::Scheduled => one::<Scheduled>(),
        Kind::Looked => one::<Looked>(),
        Kind::RunBegin => one::<RunBegin>(),
        Kind::Run => one::<Run>(),
        Kind::Ask => one::<Ask>(),
        Kind::Made => one::<Made>(),
        Kind::Removed => one::<Removed>(),
        Kind::Landing => one::<Landing>(),
        Kind::Landed => one::<Landed>(),
        Kind::LoopsOff => one::<LoopsOff>(),
        Kind::LoopsOn => one::<LoopsOn>(),
        Kind::Notice => one::<Notice>(),
        Kind::Seen => one::<Told>(),
        Kind::Event => one::<Traced>(),
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
            // A task's begin has a state of its own.
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
