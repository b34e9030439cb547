//! The keys `diagnostics` and `ask` of DONE.md.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::error::Result;
use std::collections::BTreeMap;

/// A command whose output a reviewer may request by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Its name.
    pub name: String,
    /// The command, for the shell.
    pub run: String,
    /// The longest time that it may take, in seconds.
    pub timeout: f64,
}

/// `ask`: the models that rg-ask asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskSpec {
    /// Their names, in this order; empty: the first program that is found.
    pub to: Vec<String>,
    /// The longest time that an answer may take, in seconds.
    pub timeout: Option<f64>,
    /// Programs of the user's own, by name.
    pub targets: BTreeMap<String, Vec<String>>,
}

impl Reader<'_> {
    /// Reads `diagnostics`.
    pub(super) fn diagnostics(&self, node: &Node) -> Result<Vec<Diagnostic>> {
        let Value::List(items) = &node.value else {
            return self.wrong(node.line, "\"diagnostics\" must be a list of {name, run}");
        };
        let mut all: Vec<Diagnostic> = Vec::new();
        for item in items {
            let Value::Map(entries) = &item.value else {
                return self.wrong(item.line, "a diagnostic must be a map of name and run");
            };
            let mut one = Diagnostic { name: String::new(), run: String::new(), timeout: 60.0 };
            for (key, node) in entries {
                match key.as_str() {
                    "name" => one.name = self.text(node, key)?.trim().to_string(),
                    "run" => one.run = self.text(node, key)?.trim().to_string(),
                    "timeout" => one.timeout = self.seconds(node, key)?.min(3600.0),
                    name => return self.unknown(node.line, name, "key of a diagnostic", &["name", "run", "timeout"]),
                }
            }
            if one.name.is_empty() || one.run.is_empty() {
                return self.wrong(item.line, "a diagnostic needs a name and a run");
            }
            if all.iter().any(|known| known.name == one.name) {
                return self.wrong(item.line, &format!("duplicate diagnostic \"{}\"", one.name));
            }
            all.push(one);
        }
        Ok(all)
    }

    /// Reads `ask`: a name, a list of names, or a map.
    pub(super) fn ask(&self, node: &Node) -> Result<AskSpec> {
        let mut spec = AskSpec::default();
        let Value::Map(entries) = &node.value else {
            spec.to = self.names(node, "ask")?;
            return Ok(spec);
        };
        for (key, node) in entries {
            match key.as_str() {
                "to" => spec.to = self.names(node, key)?,
                "timeout" => spec.timeout = Some(self.seconds(node, key)?),
                "targets" => {
                    let Value::Map(targets) = &node.value else {
                        return self.wrong(node.line, "\"targets\" must be a map of names and commands");
                    };
                    for (name, node) in targets {
                        spec.targets.insert(name.clone(), self.program(node, name)?);
                    }
                }
                name => return self.unknown(node.line, name, "key of ask", &["to", "timeout", "targets"]),
            }
        }
        Ok(spec)
    }

    fn names(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        match &node.value {
            Value::List(_) => self.texts(node, name),
            _ => Ok(vec![self.text(node, name)?]),
        }
    }
}
