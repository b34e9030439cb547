//! What DONE.md says about tool calls: the one of the task's begin, where a session has a task, else today's.
//!
//! Most calls pay for nothing here: a session without a task in a project without a DONE.md costs a few looks at names, and
//! a DONE.md that speaks of none of this is not parsed.

use crate::policy::Policy;
use review_gate::donefile::{self, Donefile};
use review_gate::event::Client;
use review_gate::store::journal;
use review_gate::store::record::{Alias, Begin, Kind};
use review_gate::store::state::State;
use review_gate::sys::error::Result;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::glob;
use std::path::{Path, PathBuf};

/// What counts for one tool call.
#[derive(Default)]
pub struct Definition {
    pub policy: Policy,
    /// The directory that its paths are held against; None where it says nothing about paths.
    root: Option<PathBuf>,
    protect: Vec<String>,
    allow: Vec<String>,
    deny: Vec<String>,
}

/// The sections that say something about tool calls.
const SECTIONS: [&[u8]; 3] = [b"commands", b"protect", b"paths"];

impl Definition {
    /// Looks up what counts.
    pub fn of(client: Client, session: Option<&str>, cwd: &Path) -> Result<Definition> {
        let begun = match session {
            Some(session) => begun_with(client, session)?,
            None => None,
        };
        let (root, name, bytes) = match begun {
            Some(begun) => begun,
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

    /// The defaults where DONE.md is invalid: the rules that ship with rg-guard hold, and the stop is reported as unverified.
    /// Denying every call would leave the agent no way to repair the file.
    fn read_or_default(name: &str, bytes: &[u8], root: PathBuf) -> Definition {
        donefile::parse(name, bytes, &root).map(|done| Definition::read(done, root)).unwrap_or_default()
    }

    fn read(done: Donefile, root: PathBuf) -> Definition {
        let guards = done.guards;
        let speaks = !(guards.protect.is_empty() && guards.allow.is_empty() && guards.deny.is_empty());
        Definition {
            policy: Policy::of(&done.commands),
            root: speaks.then_some(root),
            protect: guards.protect,
            allow: guards.allow,
            deny: guards.deny,
        }
    }

    /// Why a file may not be written; `paths` are the names that it has: as it was given, and where that leads.
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
        // Each of its names must be one that is allowed.
        let mut names = paths.iter().zip(&below);
        let outside = names.find(|(_, below)| !below.as_ref().is_some_and(|path| allow.matches_strictly(path)))?;
        Some(("done-paths", format!("`paths` of DONE.md does not allow {}", outside.0.display())))
    }
}

fn folded_all(patterns: &[String]) -> Vec<String> {
    patterns.iter().map(|pattern| folded(pattern)).collect()
}

/// A name as a file system may take it that knows no capitals and writes one character in two ways: every character beyond
/// ASCII, with what combines with it, is the same as any other.
pub fn folded(name: &str) -> String {
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

/// The task that a session is at: where its records lie, and its id.
pub fn task_of(client: Client, session: &str) -> Result<Option<(State, String)>> {
    let path = State::of_user()?.session(client, session);
    if !path.exists() {
        return Ok(None);
    }
    let aliases: Vec<Alias> = journal::search(&path, Kind::Alias.word())?;
    let last = aliases.into_iter().rfind(|alias| alias.session == session);
    Ok(last.map(|alias| (State::at(alias.dir), alias.task)))
}

/// The definition with which a session's task began: its root, its name, its bytes.
fn begun_with(client: Client, session: &str) -> Result<Option<(PathBuf, String, Vec<u8>)>> {
    let Some((state, task)) = task_of(client, session)? else { return Ok(None) };
    let begins: Vec<Begin> = journal::search(&state.task(&task), Kind::Begin.word())?;
    let Some(begin) = begins.into_iter().next() else { return Ok(None) };
    match begin.donefile {
        Some(begun) => {
            let bytes = state.read_blob(&begun.sha256)?;
            Ok(Some((begin.root, begun.path.to_string_lossy().into_owned(), bytes)))
        }
        None => Ok(None),
    }
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
