//! The `land` key of DONE.md: how rg-land lands work, and what rg-worktree copies.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::error::Result;

/// How work lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Land {
    /// Names of checks that must be declared and pass.
    pub require: Vec<String>,
    /// How often rg-land retries when the base has moved.
    pub retries: u32,
    /// Ignored files that are copied into a new worktree, as gitignore patterns.
    pub copy: Vec<String>,
}

impl Default for Land {
    fn default() -> Land {
        Land { require: Vec::new(), retries: 3, copy: Vec::new() }
    }
}

impl Reader<'_> {
    /// `land`
    pub(super) fn land(&self, node: &Node) -> Result<Land> {
        let mut land = Land::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"land\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            match key.as_str() {
                "require" => land.require = self.texts(node, key)?,
                "retries" => match node.value {
                    Value::Number(n) if (0.0..=20.0).contains(&n) => land.retries = n.floor() as u32,
                    _ => return self.wrong(node.line, "\"retries\" must be a number from 0 to 20"),
                },
                "copy" => land.copy = self.ignore_patterns(node, key)?,
                name => return self.unknown(node.line, name, "key of land", &["require", "retries", "copy"]),
            }
        }
        Ok(land)
    }
}
