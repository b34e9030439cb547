//! The `land` key of DONE.md: how rg-land lands work, and what rg-worktree copies.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::error::Result;
use crate::sys::scrub::is_override;

/// How work lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Land {
    /// Names of checks that must be declared and pass.
    pub require: Vec<String>,
    /// How often rg-land retries when the base has moved.
    pub retries: u32,
    /// Ignored files that are copied into a new worktree, as gitignore patterns.
    pub copy: Vec<String>,
    /// Directories that come first in the `PATH` of the checks of a landing; absolute or below `~/`, `*` stands for one name.
    pub path: Vec<String>,
    /// Names of variables that the checks of a landing get from the caller.
    pub env: Vec<String>,
}

impl Default for Land {
    fn default() -> Land {
        Land { require: Vec::new(), retries: 3, copy: Vec::new(), path: Vec::new(), env: Vec::new() }
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
                "path" => land.path = self.land_path(node)?,
                "env" => land.env = self.land_env(node)?,
                name => {
                    return self.unknown(
                        node.line,
                        name,
                        "key of land",
                        &["require", "retries", "copy", "path", "env"],
                    );
                }
            }
        }
        Ok(land)
    }

    fn land_path(&self, node: &Node) -> Result<Vec<String>> {
        let dirs = self.texts(node, "path")?;
        let is_whole = |dir: &&String| {
            (dir.starts_with('/') || dir.starts_with("~/"))
                && !dir.contains(':')
                && dir.split('/').all(|part| part != "..")
        };
        match dirs.iter().find(|dir| !is_whole(dir)) {
            Some(dir) => {
                self.wrong(node.line, &format!("\"path\": {dir:?} must begin with / or ~/, without \":\" and \"..\""))
            }
            None => Ok(dirs),
        }
    }

    fn land_env(&self, node: &Node) -> Result<Vec<String>> {
        let names = self.texts(node, "env")?;
        if let Some(name) = names.iter().find(|name| name.contains(['=', '*'])) {
            return self.wrong(node.line, &format!("not a variable name: {name:?}"));
        }
        match names.iter().find(|name| *name == "PATH" || is_override(name)) {
            Some(name) => {
                let instead =
                    if name == "PATH" { "name its directories in \"path\"" } else { "set it in the check's \"env\"" };
                self.wrong(node.line, &format!("\"env\": {name} is never passed on: {instead}"))
            }
            None => Ok(names),
        }
    }
}
