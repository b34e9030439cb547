//! What DONE.md defines for tool calls: the definition that the session's task began with, else the project's current one.
//!
//! Most calls cost little here: without a task and without a DONE.md a few file names are looked up, and a DONE.md without
//! these sections is not parsed.

use super::records;
use review_gate::donefile::{self, Commands, Donefile};
use review_gate::event::Client;
use review_gate::sys::error::Result;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::glob;
use std::path::{Path, PathBuf};

/// What DONE.md defines for tool calls.
#[derive(Default)]
pub struct Definition {
    /// The section `commands`.
    pub policy: Commands,
    /// The directory that its paths are relative to; None where it defines no paths.
    root: Option<PathBuf>,
    protect: Vec<String>,
    allow: Vec<String>,
    deny: Vec<String>,
}

/// The sections about tool calls.
const SECTIONS: [&[u8]; 3] = [b"commands", b"protect", b"paths"];

impl Definition {
    /// The definition that applies to a call in `cwd`.
    pub fn of(client: Client, session: Option<&str>, cwd: &Path) -> Result<Definition> {
        let of_task = match session {
            Some(session) => records::definition_of(client, session)?,
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
        Definition {
            policy: done.commands,
            root: has_paths.then_some(root),
            protect: guards.protect,
            allow: guards.allow,
            deny: guards.deny,
        }
    }

    /// The rule and the reason that forbid writing a file. `paths` are the names of the file: as given, and resolved.
    pub fn forbids(&self, paths: &[PathBuf]) -> Option<(&'static str, String)> {
        let root = self.root.as_ref()?;
        let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.clone());
        let below: Vec<Option<PathBuf>> = paths
            .iter()
            .map(|path| path.strip_prefix(root).or_else(|_| path.strip_prefix(&real)).ok().map(Path::to_path_buf))
            .collect();
        let (deny, folded_deny) = (Patterns::of(&self.deny), Patterns::of(&folded_all(&self.deny)));
        for path in below.iter().flatten() {
            let name = path.to_string_lossy();
            if glob::any_above(&self.protect, &name) || glob::any_above(&folded_all(&self.protect), &folded(&name)) {
                return Some(("done-protect", format!("{name} is protected by DONE.md")));
            }
            let is_denied = deny.matches(path) || folded_deny.matches(Path::new(&folded(&name)));
            if is_denied {
                return Some(("done-paths", format!("`paths` of DONE.md denies {name}")));
            }
        }
        if self.allow.is_empty() {
            return None;
        }
        let allow = Patterns::of(&self.allow);
        // Every name of the file must be allowed.
        let mut names = paths.iter().zip(&below);
        let outside = names.find(|(_, below)| !below.as_ref().is_some_and(|path| allow.matches_strictly(path)))?;
        Some(("done-paths", format!("`paths` of DONE.md does not allow {}", outside.0.display())))
    }
}

fn folded_all(patterns: &[String]) -> Vec<String> {
    patterns.iter().map(|pattern| folded(pattern)).collect()
}

/// A name as a file system compares it that folds case and normalises Unicode. All characters outside of ASCII, with their
/// combining marks, compare equal: a name matches rather too often than too rarely.
fn folded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}' => {
                if out.ends_with(|c: char| c.is_ascii_alphanumeric()) {
                    out.pop();
                    out.push('\u{fffd}');
                }
            }
            '\u{200b}'..='\u{200f}' | '\u{feff}' => {}
            c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(protect: &[&str], allow: &[&str], deny: &[&str]) -> Definition {
        let texts = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
        Definition {
            root: Some("/p".into()),
            protect: texts(protect),
            allow: texts(allow),
            deny: texts(deny),
            ..Definition::default()
        }
    }

    #[test]
    fn names_are_held_against_what_is_said_in_every_spelling() {
        let said = definition(&["tests/**", "caf\u{e9}.txt"], &[], &["secret/"]);
        for (path, want) in [
            ("/p/tests/a.rs", true),
            ("/p/TESTS/a.rs", true),
            ("/p/cafe\u{301}.txt", true),
            ("/p/secret/x", true),
            ("/p/src/a.rs", false),
            ("/q/tests/a.rs", false),
        ] {
            assert_eq!(said.forbids(&[path.into()]).is_some(), want, "{path}");
        }
        let said = definition(&[], &["src/"], &[]);
        assert!(said.forbids(&["/p/src/a.rs".into()]).is_none());
        assert!(said.forbids(&["/p/SRC/a.rs".into()]).is_some());
        assert!(said.forbids(&["/p/src/a.rs".into(), "/q/a.rs".into()]).is_some());
    }
}
