//! What else changed beside a setting, and may explain its change.

use super::settings::{Sense, Setting};
use super::side::{Found, Side, rank};
use super::value::Value;

/// Whether a tool became stricter elsewhere: with more rules some exceptions are to be expected.
pub fn has_gained(old: &Found<'_>, new: &Found<'_>, then: &[Side], now: &[Side]) -> bool {
    let is_on = |setting: &Setting, value: &Value| match setting.sense {
        Sense::Severity => rank(value).is_some_and(|rank| rank > 0),
        Sense::Strict | Sense::StrictByDefault => value.truth() == Some(true),
        _ => false,
    };
    let more = new.iter().any(|(key, (setting, value))| {
        let before = old.get(key).map(|(_, value)| value);
        match setting.sense {
            Sense::Enabled => {
                let known = before.map(Value::texts).unwrap_or_default();
                value.texts().iter().any(|item| !known.contains(item))
            }
            _ => is_on(setting, value) && !before.is_some_and(|before| is_on(setting, before)),
        }
    });
    let of = |sides: &[Side], name: &str| sides.iter().find_map(|side| side.value.get(name)).map(Value::shown);
    more || ["extends", "plugins", "require", "preset"].iter().any(|name| of(then, name) != of(now, name))
}

/// Whether a key beside this one, which is gone, held at least the same values: the file that it names was renamed.
pub fn is_renamed(key: &[String], after: Option<&(&'static Setting, Value)>, old: &Found<'_>, new: &Found<'_>) -> bool {
    let Some(((_, value), (_, beside))) = after.zip(key.split_last()) else { return false };
    let values = value.texts();
    let is_of = |(other, (_, before)): (&Vec<String>, &(&'static Setting, Value))| {
        let is_beside = other.split_last().is_some_and(|(_, dir)| dir == beside) && !new.contains_key(other);
        is_beside && values.iter().all(|item| before.texts().contains(item))
    };
    !beside.is_empty() && old.iter().any(is_of)
}

/// The value that a list of modules or files had which held each of those of this key: some of them were taken out.
pub fn of_wider<'a>(key: &[String], old: &'a Found<'_>) -> Option<&'a (&'static Setting, Value)> {
    let names = |part: &str| -> Vec<String> {
        let inner = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')).unwrap_or_default();
        inner.split(',').filter(|name| !name.is_empty()).map(str::to_string).collect()
    };
    let is_part = |(now, then): (&String, &String)| {
        let (now_names, then_names) = (names(now), names(then));
        now == then || !now_names.is_empty() && now_names.iter().all(|name| then_names.contains(name))
    };
    let is_one = |other: &&Vec<String>| other.len() == key.len() && key.iter().zip(*other).all(is_part);
    old.iter().find(|(other, _)| is_one(other)).map(|(_, value)| value)
}

/// Whether every file that a check looked at by name is still one, wherever the setting is now.
pub fn keeps_files(old: &Found<'_>, new: &Found<'_>) -> bool {
    let of = |found: &Found<'_>| -> Vec<String> {
        let included = found.values().filter(|(setting, _)| setting.sense == Sense::Included);
        included.flat_map(|(_, value)| value.texts()).collect()
    };
    let (old, new) = (of(old), of(new));
    !old.is_empty() && old.iter().all(|item| new.contains(item))
}

/// Whether Ruff looked for a rule before.
pub fn was_selected(rule: &str, then: &[Side]) -> bool {
    let keys = ["select", "extend-select", "lint/select", "lint/extend-select"];
    let of = |key: &&str| then.iter().filter_map(|side| side.value.at(key)).flat_map(Value::texts).collect();
    let lists: Vec<Vec<String>> = keys.iter().map(of).collect();
    let has_own = !lists[0].is_empty() || !lists[2].is_empty();
    let defaults = ["E4", "E7", "E9", "F"].iter().map(|rule| (*rule).to_string()).filter(|_| !has_own);
    let mut selected = lists.into_iter().flatten().chain(defaults);
    selected.any(|known| known == "ALL" || rule.starts_with(known.as_str()) || known.starts_with(rule))
}
