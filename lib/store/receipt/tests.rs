//! The schemas of receipts and events, compared with the types.

use super::*;
use crate::event::{Background, Loop, Marks, Rewritten, Score, Tool};
use crate::store::field_names;
use std::collections::BTreeSet;

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn properties(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

/// The types inside receipts and events, by their names in the schemas.
fn parts() -> [(&'static str, Vec<&'static str>); 17] {
    [
        ("agent", field_names::of::<Agent>()),
        ("background", field_names::of::<Background>()),
        ("base", field_names::of::<Base>()),
        ("bounce", field_names::of::<Bounce>()),
        ("check", field_names::of::<Check>()),
        ("donefile", field_names::of::<DonefileRef>()),
        ("ended", field_names::of::<Ended>()),
        ("finding", field_names::of::<Finding>()),
        ("judgement", field_names::of::<Judgement>()),
        ("policy", field_names::of::<Policy>()),
        ("reply", field_names::of::<Reply>()),
        ("review", field_names::of::<Review>()),
        ("rewritten", field_names::of::<Rewritten>()),
        ("note", field_names::of::<Note>()),
        ("score", field_names::of::<Score>()),
        ("tool", field_names::of::<Tool>()),
        ("waiver", field_names::of::<Waiver>()),
    ]
}

#[test]
fn the_schema_of_receipts_has_every_field() {
    let schema = schema("receipt.json");
    assert_eq!(properties(&schema), field_names::of::<Receipt>().into_iter().collect());
}

#[test]
fn the_parts_of_receipts_and_events_have_every_field_in_their_schemas() {
    let mut seen = BTreeSet::new();
    for name in ["receipt.json", "event.json"] {
        let schema = schema(name);
        for (part, described) in schema["$defs"].as_object().unwrap() {
            let known = parts().into_iter().find(|(known, _)| known == part);
            let (known, fields) = known.unwrap_or_else(|| panic!("{name}: no type for {part}"));
            assert_eq!(properties(described), fields.into_iter().collect(), "{name}: {part}");
            seen.insert(known);
        }
    }
    assert_eq!(seen, parts().iter().map(|(name, _)| *name).collect());
    let event = schema("event.json");
    for (name, fields) in [("marks", field_names::of::<Marks>()), ("loop", field_names::of::<Loop>())] {
        assert_eq!(properties(&event["properties"][name]), fields.into_iter().collect(), "{name}");
    }
}

/// The receipt of a minimal event has exactly the required fields.
#[test]
fn the_schema_of_receipts_requires_the_fields_of_a_minimal_receipt() {
    let event = Event::new(Source::new(Client::Text, Kind::Stop, "/".into()));
    let ruling = crate::event::outcome::ruling(&event);
    let receipt = Receipt::of(
        &event,
        "r",
        "rg-receipt/0".into(),
        (Outcome::Unverified, String::new()),
        ruling,
        Policy::default(),
    );
    let written = serde_json::to_value(Receipt { status: None, ..receipt }).unwrap();
    let schema = schema("receipt.json");
    let required: BTreeSet<&str> =
        schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(required, written.as_object().unwrap().keys().map(String::as_str).collect());
}
