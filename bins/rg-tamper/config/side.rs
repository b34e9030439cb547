//! The settings of a tool on one side, and how severe a value is.

use super::settings::Setting;
use super::value::Value;
use std::collections::BTreeMap;

/// The settings of a tool on one side.
#[derive(Clone, Debug)]
pub struct Side {
    /// The file that holds them.
    pub path: String,
    /// Where they are in the file.
    pub place: String,
    /// The settings.
    pub value: Value,
}

/// The settings that are compared, by their path.
pub type Found<'a> = BTreeMap<Vec<String>, (&'static Setting, Value)>;

/// How severe a violation is: 0 off, 1 a warning, 2 an error; None if it is not known.
pub fn rank(value: &Value) -> Option<u8> {
    let first = value.items().first()?;
    match first {
        Value::Null => Some(0),
        Value::Bool(truth) => Some(if *truth { 2 } else { 0 }),
        Value::Number(number) => Some(if *number >= 2.0 { 2 } else { u8::from(*number >= 1.0) }),
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "off" | "0" | "allow" | "none" | "ignore" | "disabled" | "false" | "no" => Some(0),
            "warn" | "warning" | "info" | "1" | "information" | "basic" | "refactor" | "convention" | "on" => Some(1),
            "error" | "deny" | "forbid" | "2" | "true" | "yes" | "standard" | "fatal" => Some(2),
            "strict" | "all" => Some(3),
            _ => None,
        },
        _ => None,
    }
}
