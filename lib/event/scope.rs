//! The scope of a waiver.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The scope of a waiver: `gate`, `rule:<rule>` or `key:<key>` on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole gate.
    Gate,
    /// All findings of one rule.
    Rule(String),
    /// One finding, by its key.
    Key(String),
    /// A scope of a later version, which waives nothing here.
    Other(String),
}

impl Scope {
    /// Reads a scope.
    pub fn parse(word: &str) -> Scope {
        match word.split_once(':') {
            None if word == "gate" => Scope::Gate,
            Some(("rule", rule)) if !rule.is_empty() => Scope::Rule(rule.to_string()),
            Some(("key", key)) if !key.is_empty() => Scope::Key(key.to_string()),
            _ => Scope::Other(word.to_string()),
        }
    }

    /// Whether the scope covers a finding of this rule and key. `Gate` covers none: it is handled before the findings.
    pub fn covers(&self, rule: &str, key: &str) -> bool {
        match self {
            Scope::Rule(name) => name == rule,
            Scope::Key(name) => name == key,
            Scope::Gate | Scope::Other(_) => false,
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scope::Gate => f.write_str("gate"),
            Scope::Rule(rule) => write!(f, "rule:{rule}"),
            Scope::Key(key) => write!(f, "key:{key}"),
            Scope::Other(word) => f.write_str(word),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Scope, D::Error> {
        Ok(Scope::parse(&String::deserialize(from)?))
    }
}
