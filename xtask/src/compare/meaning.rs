//! Compares two outputs: JSON field by field in any order, other lines token by token, both with the renamed terms.

use super::terms::{self, DECISIVE, EXACT, VOLATILE};
use super::tokens::Pairs;
use serde_json::{Map, Value};

/// A line of output, or the whole output if it is one JSON value.
#[derive(Clone)]
enum Item {
    Json(Value),
    Text(String),
}

/// The old output with the new terms, and the new output, as lines. Lines with the same meaning are equal.
pub fn compare(pairs: &mut Pairs, old: &str, new: &str) -> (String, String) {
    settle_all(pairs, items(old), items(new))
}

/// The same for the decisions in event lines.
pub fn compare_decisions(pairs: &mut Pairs, old: &str, new: &str) -> (String, String) {
    let decided = |text: &str| items(text).iter().map(decisions).collect();
    settle_all(pairs, decided(old), decided(new))
}

fn items(text: &str) -> Vec<Item> {
    let json = |text: &str| {
        let is_container = text.trim_start().starts_with(['{', '[']);
        is_container.then(|| serde_json::from_str(text).ok()).flatten().map(Item::Json)
    };
    match json(text) {
        Some(all) => vec![all],
        None => text.lines().map(|line| json(line).unwrap_or_else(|| Item::Text(line.to_string()))).collect(),
    }
}

/// Pairs each old item with the next new one of the same meaning. An item without one is compared with its neighbour.
fn settle_all(pairs: &mut Pairs, old: Vec<Item>, new: Vec<Item>) -> (String, String) {
    const AHEAD: usize = 40;
    let (mut left, mut right) = (String::new(), String::new());
    let mut next = 0;
    for (at, item) in old.iter().enumerate() {
        let found = (next..new.len().min(next + AHEAD)).find(|at| {
            let mut trial = pairs.clone();
            let (mine, theirs) = settle_item(&mut trial, item, &new[*at]);
            let same = mine == theirs;
            if same {
                *pairs = trial;
            }
            same
        });
        let partner = found.unwrap_or(next);
        // With equal numbers of items the neighbour is the counterpart, not an added item.
        let counterpart = new.get(partner).filter(|_| found.is_some() || old.len() - at == new.len() - next);
        if let Some(counterpart) = counterpart {
            new[next..partner].iter().for_each(|added| right.push_str(&lines(pairs, added)));
            let (mine, theirs) = settle_item(pairs, item, counterpart);
            left.push_str(&mine);
            right.push_str(&theirs);
            next = partner + 1;
        } else {
            left.push_str(&lines(pairs, item));
        }
    }
    new[next.min(new.len())..].iter().for_each(|added| right.push_str(&lines(pairs, added)));
    (left, right)
}

fn lines(pairs: &Pairs, item: &Item) -> String {
    match item {
        Item::Text(text) => pairs.shown(text) + "\n",
        Item::Json(value) => pretty(&shown(pairs, value)),
    }
}

fn settle_item(pairs: &mut Pairs, old: &Item, new: &Item) -> (String, String) {
    match (old, new) {
        (Item::Text(old), Item::Text(new)) => {
            let (old, new) = settle_text(pairs, old, new);
            (old + "\n", new + "\n")
        }
        (Item::Json(old), Item::Json(new)) => {
            let (old, new) = settle(pairs, "", old, new);
            (pretty(&old), pretty(&new))
        }
        (old, new) => (lines(pairs, old), lines(pairs, new)),
    }
}

fn settle_text(pairs: &mut Pairs, old: &str, new: &str) -> (String, String) {
    if pairs.agree(old, new) { (new.into(), new.into()) } else { (pairs.shown(old), pairs.shown(new)) }
}

/// Both values, made equal where they have the same meaning. `field` is the old name of the field that holds them.
fn settle(pairs: &mut Pairs, field: &str, old: &Value, new: &Value) -> (Value, Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let (old, new) = settle_objects(pairs, old, new);
            (old.into(), new.into())
        }
        (Value::Array(old), Value::Array(new)) => {
            let rest = |side: &[Value]| side.iter().skip(old.len().min(new.len())).cloned().collect::<Vec<_>>();
            let (more_old, more_new) = (rest(old), rest(new));
            let settled = old.iter().zip(new).map(|(old, new)| settle(pairs, field, old, new));
            let (mut old, mut new): (Vec<Value>, Vec<Value>) = settled.unzip();
            old.extend(more_old.iter().map(|value| shown(pairs, value)));
            new.extend(more_new.iter().map(|value| shown(pairs, value)));
            (old.into(), new.into())
        }
        (Value::String(old), Value::String(new)) => {
            if old == new && EXACT.contains(&field) || terms::is_renamed(field, old, new) {
                return (new.clone().into(), new.clone().into());
            }
            if EXACT.contains(&field) {
                return (old.clone().into(), new.clone().into());
            }
            let (old, new) = settle_value_text(pairs, field, old, new);
            (old.into(), new.into())
        }
        (Value::Number(_), Value::Number(_)) if VOLATILE.contains(&field) => (new.clone(), new.clone()),
        _ => (shown(pairs, old), shown(pairs, new)),
    }
}

/// The text of a field. A single word is a value, which only `VALUES` renames; several words are a text.
fn settle_value_text(pairs: &mut Pairs, field: &str, old: &str, new: &str) -> (String, String) {
    let is_value = |text: &str| !text.contains(' ') && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let is_word = matches!(field, "text" | "why" | "reason");
    if old != new && is_value(old) && is_value(new) && !is_word {
        return (old.into(), new.into());
    }
    settle_text(pairs, old, new)
}

fn settle_objects(
    pairs: &mut Pairs,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut left, mut right) = (Map::new(), Map::new());
    for (name, mine) in old {
        let counterpart = terms::names_of(name).find_map(|name| new.get_key_value(name));
        let (name, mine) = match counterpart {
            Some((renamed, theirs)) => {
                let (mine, theirs) = settle(pairs, name, mine, theirs);
                right.insert(renamed.clone(), theirs);
                (renamed.clone(), mine)
            }
            None => (pairs.shown(name), shown(pairs, mine)),
        };
        left.insert(name, mine);
    }
    for (name, theirs) in new {
        if !right.contains_key(name) {
            right.insert(pairs.shown(name), shown(pairs, theirs));
        }
    }
    (left, right)
}

fn shown(pairs: &Pairs, value: &Value) -> Value {
    match value {
        Value::String(text) => pairs.shown(text).into(),
        Value::Array(values) => values.iter().map(|value| shown(pairs, value)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (pairs.shown(name), shown(pairs, value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The value as indented JSON with sorted fields, because their order has no meaning.
fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
    text.push('\n');
    text
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut all: Vec<_> = fields.iter().collect();
            all.sort_by_key(|(name, _)| *name);
            all.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// The event line with only the fields in `DECISIVE`, at any depth.
fn decisions(item: &Item) -> Item {
    let Item::Json(value) = item else { return item.clone() };
    let mut found = Map::new();
    collect(value, &mut found);
    Item::Json(found.into())
}

fn collect(value: &Value, found: &mut Map<String, Value>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        match terms::names_of(name).find(|name| DECISIVE.contains(name)) {
            Some(name) => {
                let all = found.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(all) = all {
                    match value {
                        Value::Array(values) => all.extend(values.iter().cloned()),
                        other => all.push(other.clone()),
                    }
                }
            }
            None => collect(value, found),
        }
    }
}
