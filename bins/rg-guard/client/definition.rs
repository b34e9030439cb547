//! What DONE.md defines for tool calls: the definition that the session's task began with, else the project's current one.
//!
//! Most calls cost little here: without a task and without a DONE.md a few file names are looked up, and a DONE.md without
//! these sections is not parsed.

use review_gate::donefile::{self, Commands, Donefile, Forbidden, PathRules};
use review_gate::event::Client;
use review_gate::store::task;
use review_gate::sys::error::Result;
use std::path::{Path, PathBuf};

/// What DONE.md defines for tool calls.
#[derive(Default)]
pub struct Definition {
    /// The section `commands`.
    pub policy: Commands,
    /// Which files may be written; None where it defines no paths.
    rules: Option<PathRules>,
}

/// The sections about tool calls.
const SECTIONS: [&[u8]; 3] = [b"commands", b"protect", b"paths"];

impl Definition {
    /// The definition that applies to a call in `cwd`.
    pub fn of(client: Client, session: Option<&str>, cwd: &Path) -> Result<Definition> {
        let of_task = match session {
            Some(session) => task::definition_of(client, session)?,
            None => None,
        };
        let (root, name, bytes) = match of_task {
            Some(definition) => definition,
            None => match donefile::find(cwd)? {
                Some(found) => (found.root, found.name.to_string(), found.bytes),
                None => return Ok(Definition::default()),
            },
        };
        if !SECTIONS.iter().any(|word| memchr::memmem::find(&bytes, word).is_some()) {
            return Ok(Definition::default());
        }
        Ok(Definition::read_or_default(&name, &bytes, root))
    }

    /// The definition in a DONE.md; the defaults where it is invalid. The built-in rules hold all the same, and the stop is
    /// reported as unverified. Denying every call would leave the agent no way to repair the file.
    fn read_or_default(name: &str, bytes: &[u8], root: PathBuf) -> Definition {
        donefile::parse(name, bytes, &root).map(|done| Definition::read(done, root)).unwrap_or_default()
    }

    fn read(done: Donefile, root: PathBuf) -> Definition {
        let guards = done.guards;
        let has_paths = !(guards.protect.is_empty() && guards.allow.is_empty() && guards.deny.is_empty());
        let rules = has_paths.then(|| PathRules::new(&guards, root));
        Definition { policy: done.commands, rules }
    }

    /// The rule and the reason that forbid writing a file. `paths` are the names of the file: as given, and resolved.
    pub fn forbids(&self, paths: &[PathBuf]) -> Option<(&'static str, String)> {
        Some(match self.rules.as_ref()?.forbids(paths)? {
            Forbidden::Protected(name) => ("done-protect", format!("{name} is protected by DONE.md")),
            Forbidden::Denied(name) => ("done-paths", format!("`paths` of DONE.md denies {name}")),
            Forbidden::NotAllowed(path) => ("done-paths", format!("`paths` of DONE.md does not allow {path}")),
        })
    }
}
