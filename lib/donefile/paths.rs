//! Which files DONE.md lets be written: `paths.allow`, `paths.deny` and `guards.protect`.

use super::guards::Guards;
use crate::sys::gitignore::Patterns;
use crate::sys::glob;
use std::path::{Path, PathBuf};

/// The rules of one DONE.md about written files.
pub struct PathRules {
    /// The root of DONE.md, as named and resolved.
    roots: [PathBuf; 2],
    protect: Vec<String>,
    folded_protect: Vec<String>,
    /// None if every file is allowed.
    allow: Option<Patterns>,
    deny: Patterns,
    folded_deny: Patterns,
}

/// Why a file must not be written; each with the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// `guards.protect` names it.
    Protected(String),
    /// `paths.deny` names it.
    Denied(String),
    /// `paths.allow` does not name it.
    NotAllowed(String),
}

impl PathRules {
    /// The rules of a DONE.md with this root.
    pub fn new(guards: &Guards, root: PathBuf) -> PathRules {
        let real = std::fs::canonicalize(&root).unwrap_or_else(|_| root.clone());
        PathRules {
            roots: [root, real],
            protect: guards.protect.clone(),
            folded_protect: folded_all(&guards.protect),
            allow: (!guards.allow.is_empty()).then(|| Patterns::of(&guards.allow)),
            deny: Patterns::of(&guards.deny),
            folded_deny: Patterns::of(&folded_all(&guards.deny)),
        }
    }

    /// Why a file must not be written. `paths` are the names of the file, for example as given and resolved.
    pub fn forbids(&self, paths: &[PathBuf]) -> Option<Forbidden> {
        let below: Vec<Option<&Path>> = paths.iter().map(|path| self.below(path)).collect();
        for path in below.iter().flatten() {
            let name = path.to_string_lossy();
            if glob::any_above(&self.protect, &name) || glob::any_above(&self.folded_protect, &folded(&name)) {
                return Some(Forbidden::Protected(name.into_owned()));
            }
            if self.deny.matches(path) || self.folded_deny.matches(Path::new(&folded(&name))) {
                return Some(Forbidden::Denied(name.into_owned()));
            }
        }
        let allow = self.allow.as_ref()?;
        // Every name of the file must be allowed.
        let mut names = paths.iter().zip(&below);
        let outside = names.find(|(_, below)| !below.is_some_and(|path| allow.matches_strictly(path)))?;
        Some(Forbidden::NotAllowed(outside.0.display().to_string()))
    }

    fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.roots.iter().find_map(|root| path.strip_prefix(root).ok())
    }
}

fn folded_all(patterns: &[String]) -> Vec<String> {
    patterns.iter().map(|pattern| folded(pattern)).collect()
}

/// A name as a file system compares it that folds case and normalises Unicode. All characters outside of ASCII, with their
/// combining marks, compare equal: a name matches rather too often than too rarely.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(protect: &[&str], allow: &[&str], deny: &[&str]) -> PathRules {
        let texts = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
        let mut guards = Guards::default();
        (guards.protect, guards.allow, guards.deny) = (texts(protect), texts(allow), texts(deny));
        PathRules::new(&guards, "/p".into())
    }

    #[test]
    fn names_are_held_against_the_rules_in_every_spelling() {
        let found = rules(&["tests/**", "caf\u{e9}.txt"], &[], &["secret/"]);
        for (path, want) in [
            ("/p/tests/a.rs", true),
            ("/p/TESTS/a.rs", true),
            ("/p/cafe\u{301}.txt", true),
            ("/p/secret/x", true),
            ("/p/src/a.rs", false),
            ("/q/tests/a.rs", false),
        ] {
            assert_eq!(found.forbids(&[path.into()]).is_some(), want, "{path}");
        }
        let found = rules(&[], &["src/"], &[]);
        assert!(found.forbids(&["/p/src/a.rs".into()]).is_none());
        assert!(found.forbids(&["/p/SRC/a.rs".into()]).is_some());
        assert!(found.forbids(&["/p/src/a.rs".into(), "/q/a.rs".into()]).is_some());
    }
}
