//! The `loop` key of DONE.md.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::store::loops::stack::MOST;
use crate::sys::error::Result;

/// How loops run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSpec {
    /// Whether loops are disabled.
    pub disabled: bool,
    /// After how many iterations everything is judged although the agent did not report that it is done; 0 means never.
    pub checkpoint: u32,
    /// How many iterations a loop may have.
    pub max: u32,
}

impl Default for LoopSpec {
    fn default() -> LoopSpec {
        LoopSpec { disabled: false, checkpoint: 0, max: 10 }
    }
}

impl Reader<'_> {
    /// `loop`
    pub(super) fn looping(&self, node: &Node) -> Result<LoopSpec> {
        let mut spec = LoopSpec::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"loop\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            let number = |least: u32| match node.value {
                Value::Number(n) if (f64::from(least)..=f64::from(MOST)).contains(&n) => Ok(n.floor() as u32),
                _ => self.wrong(node.line, &format!("\"{key}\" must be a number from {least} to {MOST}")),
            };
            match key.as_str() {
                "disabled" => match node.value {
                    Value::Bool(word) => spec.disabled = word,
                    _ => return self.wrong(node.line, "\"disabled\" must be true or false"),
                },
                "checkpoint" => spec.checkpoint = number(0)?,
                "max" => spec.max = number(1)?,
                name => return self.unknown(node.line, name, "key of loop", &["disabled", "checkpoint", "max"]),
            }
        }
        Ok(spec)
    }
}
