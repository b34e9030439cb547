//! A value of a configuration file, whatever its format: scalars, lists, maps, and what only a program can compute.

use review_gate::sys::text::{cut_end, one_line};
use std::collections::HashSet;

/// How deep values may nest.
pub const DEPTH: usize = 64;

/// How many values a file may hold, with those that aliases and names repeat.
pub const VALUES: usize = 100_000;

/// How long a value is shown, in characters.
const SHOWN: usize = 90;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map in its order. Of two entries with one key the last one counts.
    Map(Vec<(String, Value)>),
    /// Code that is not a literal, without its blanks.
    Computed(String),
}

impl Value {
    /// A map of these entries. Of two with one key the last one is kept, as tools read them.
    pub fn map(mut entries: Vec<(String, Value)>) -> Value {
        let mut known: HashSet<String> = HashSet::new();
        entries.reverse();
        entries.retain(|(key, _)| known.insert(key.clone()));
        entries.reverse();
        Value::Map(entries)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(entries) = self else { return None };
        entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value below keys that are separated by slashes.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('/').filter(|key| !key.is_empty()).try_fold(self, |value, key| value.get(key))
    }

    /// The entries of a map; none for another value.
    pub fn entries(&self) -> &[(String, Value)] {
        if let Value::Map(entries) = self { entries } else { &[] }
    }

    /// The items of a list; another value is its own only item.
    pub fn items(&self) -> &[Value] {
        if let Value::List(items) = self { items } else { std::slice::from_ref(self) }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text.clone()),
            Value::Bool(truth) => Some(truth.to_string()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// A number, or a text that is one, with or without a per cent sign.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().trim_end_matches('%').trim().parse().ok().filter(|n: &f64| n.is_finite()),
            _ => None,
        }
    }

    /// A truth, or a text that says one.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            Value::Number(number) => Some(*number != 0.0),
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "enable" | "enabled" => Some(true),
                "false" | "no" | "off" | "0" | "disable" | "disabled" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The texts of a list. A text of several lines, or with commas, is a list of its parts, as in INI files.
    pub fn texts(&self) -> Vec<String> {
        let split = |text: String| -> Vec<String> {
            // A comma inside of a regular expression or braces does not separate.
            let is_list = !text.contains(['(', '{', '[']);
            let parts = text.split(|c: char| c == '\n' || is_list && c == ',');
            parts
                .map(|part| part.trim().to_string())
                .filter(|part| !part.is_empty() && !part.starts_with('#'))
                .collect()
        };
        match self {
            Value::List(items) => items
                .iter()
                .filter_map(|item| match item {
                    Value::Computed(code) => Some(code.clone()),
                    other => other.text(),
                })
                .collect(),
            Value::Null => Vec::new(),
            other => other.text().map(split).unwrap_or_default(),
        }
    }

    /// Whether it, or a part of it, is code.
    pub fn is_computed(&self) -> bool {
        match self {
            Value::Computed(_) => true,
            Value::List(items) => items.iter().any(Value::is_computed),
            Value::Map(entries) => entries.iter().any(|(_, value)| value.is_computed()),
            _ => false,
        }
    }

    /// The value as a finding shows it.
    pub fn shown(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        cut_end(&one_line(&out), SHOWN)
    }

    fn write(&self, out: &mut String) {
        // Nobody reads further.
        if out.len() > 4 * SHOWN {
            return;
        }
        let separate = |out: &mut String, at: usize| out.push_str(if at > 0 { ", " } else { "" });
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(truth) => out.push_str(&truth.to_string()),
            Value::Number(number) => out.push_str(&number.to_string()),
            Value::Text(text) => out.push_str(&format!("{text:?}")),
            Value::Computed(code) => out.push_str(code),
            Value::List(items) => {
                out.push('[');
                items.iter().enumerate().for_each(|(at, item)| {
                    separate(out, at);
                    item.write(out);
                });
                out.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                entries.iter().enumerate().for_each(|(at, (key, value))| {
                    separate(out, at);
                    out.push_str(&format!("{key}: "));
                    value.write(out);
                });
                out.push('}');
            }
        }
    }

    /// Calls `each` with the path and the value of every leaf: a scalar, an empty map, or a list without maps.
    pub fn leaves(&self, each: &mut impl FnMut(&[String], &Value)) {
        self.walk(&mut Vec::new(), each);
    }

    fn walk(&self, path: &mut Vec<String>, each: &mut impl FnMut(&[String], &Value)) {
        match self {
            Value::Map(entries) if !entries.is_empty() => {
                for (at, (key, value)) in entries.iter().enumerate() {
                    let is_repeated = entries.len() < 2000
                        && entries.iter().enumerate().any(|(other, (name, _))| other != at && name == key);
                    path.push(if is_repeated { format!("{key}[{}]", value.identity(at)) } else { key.clone() });
                    value.walk(path, each);
                    path.pop();
                }
            }
            Value::List(items) if items.iter().any(|item| matches!(item, Value::Map(_))) => {
                for (at, item) in items.iter().enumerate() {
                    path.push(format!("[{}]", item.identity(at)));
                    item.walk(path, each);
                    path.pop();
                }
            }
            leaf => each(path, leaf),
        }
    }

    /// What tells an item of a list from the others: what it is about, else its place.
    fn identity(&self, at: usize) -> String {
        const NAMES: [&str; 9] = ["files", "module", "name", "@name", "id", "artifactId", "path", "pattern", "counter"];
        let name = NAMES.iter().find_map(|name| self.get(name));
        name.map_or_else(
            || if self.entries().is_empty() { at.to_string() } else { String::new() },
            |name| name.texts().join(","),
        )
    }
}
