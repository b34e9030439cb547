//! Which files a patch may change: the rules of each DONE.md that applies, and the files that decide about the gate itself.

use review_gate::donefile::{self, Forbidden, PathRules, folded};
use review_gate::event::Client;
use review_gate::git::Repository;
use review_gate::rescue::TEMPORARY_PREFIX;
use review_gate::snapshot::client_settings;
use review_gate::snapshot::workspace::{self, other_worktree};
use review_gate::store::task;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::gitignore::Patterns;
use std::path::{Path, PathBuf};

/// The name prefix of the temporary files of a patch that is being applied.
pub const PREFIX: &str = ".rg-patch-";

/// The rules about one working tree.
pub struct Rules {
    top: PathBuf,
    definitions: Vec<Definition>,
}

/// One DONE.md: every one must allow a file.
struct Definition {
    root: PathBuf,
    rules: PathRules,
    /// The patterns of `paths.allow` without wildcards.
    names: Vec<Patterns>,
}

/// A DONE.md: its root, its name, its bytes.
type Source = (PathBuf, String, Vec<u8>);

impl Rules {
    /// The rules for work in `dir`. With `against` they are those of that commit. Otherwise they are those of the session's task, or else
    /// of `HEAD`, together with those on disk: a DONE.md that was edited allows nothing more.
    pub fn of(top: &Path, dir: &Path, repository: Option<&Repository>, against: Option<&str>) -> Result<Rules> {
        let mut sources: Vec<Source> = Vec::new();
        // The directory of a DONE.md may be any one from here up to the top.
        let dirs: Vec<&Path> = dir.ancestors().take_while(|above| above.starts_with(top)).collect();
        if let Some(commit) = against {
            if repository.is_none() {
                return Err(Error::usage(format!("--against {commit}: not in a git repository: {}", dir.display())));
            }
            for root in &dirs {
                sources.extend(
                    workspace::donefile_of(root, commit)?.map(|(name, bytes)| (root.to_path_buf(), name, bytes)),
                );
            }
        } else {
            match of_session(dir, repository)? {
                Some(source) => sources.push(source),
                None if repository.is_some() => {
                    for root in &dirs {
                        let found = workspace::donefile_of_head(root)?;
                        sources.extend(found.map(|(name, bytes)| (root.to_path_buf(), name, bytes)));
                    }
                }
                None => {}
            }
            for root in &dirs {
                if let Some(found) = donefile::at(root)?
                    && !sources.iter().any(|(root, _, bytes)| *root == found.root && *bytes == found.bytes)
                {
                    sources.push((found.root, found.name.to_string(), found.bytes));
                }
            }
        }
        let definitions = sources.into_iter().map(definition).collect::<Result<_>>()?;
        Ok(Rules { top: top.to_path_buf(), definitions })
    }

    /// Why a patch must not change a file.
    pub fn forbids(&self, path: &Path) -> Option<String> {
        let whole = self.top.join(path);
        for definition in &self.definitions {
            let why = match definition.rules.forbids(std::slice::from_ref(&whole)) {
                None => continue,
                Some(Forbidden::Protected(_)) => "DONE.md protects it",
                Some(Forbidden::Denied(_)) => "`paths.deny` of DONE.md denies it",
                Some(Forbidden::NotAllowed(_)) => "`paths.allow` of DONE.md does not allow it",
            };
            return Some(why.to_string());
        }
        (is_own(path) && !self.is_named(&whole)).then(|| {
            "it decides about the gate. A patch may change it only if `paths.allow` of DONE.md names the file itself".to_string()
        })
    }

    /// Why the content of a file must not be copied into another one.
    pub fn withholds(&self, path: &Path) -> Option<String> {
        let whole = self.top.join(path);
        let is_denied = |definition: &Definition| {
            matches!(definition.rules.forbids(std::slice::from_ref(&whole)), Some(Forbidden::Denied(_)))
        };
        self.definitions
            .iter()
            .any(is_denied)
            .then(|| "`paths.deny` of DONE.md denies it as the source of a copy".to_string())
    }

    /// Whether every DONE.md names a file without wildcards.
    fn is_named(&self, whole: &Path) -> bool {
        let names = |definition: &Definition| {
            let below = whole.strip_prefix(&definition.root);
            below.is_ok_and(|path| definition.names.iter().any(|name| name.decide(path, false) == Some(true)))
        };
        !self.definitions.is_empty() && self.definitions.iter().all(names)
    }
}

fn definition((root, name, bytes): Source) -> Result<Definition> {
    let guards = donefile::parse(&name, &bytes, &root)?.guards;
    let is_plain = |pattern: &&String| !pattern.contains(['*', '?', '[', '\\']) && !pattern.starts_with('!');
    let names = guards.allow.iter().filter(is_plain).map(|pattern| Patterns::new([pattern.as_str()])).collect();
    Ok(Definition { rules: PathRules::new(&guards, root.clone()), root, names })
}

/// The definition that the task of the client's session began with, if the task is about this repository.
fn of_session(dir: &Path, repository: Option<&Repository>) -> Result<Option<Source>> {
    let Some(session) = env::client_session() else { return Ok(None) };
    let Some((root, name, bytes)) = task::definition_of(Client::Claude, &session)? else { return Ok(None) };
    if let Some(other) = other_worktree(&root, dir) {
        return Ok(Some((other, name, bytes)));
    }
    let is_same_repository = || {
        let task = Repository::find(&root);
        task.zip(repository).is_some_and(|(task, here)| task.common_dir == here.common_dir)
    };
    Ok((dir.starts_with(&root) || is_same_repository()).then_some((root, name, bytes)))
}

/// Whether a file decides about the gate: a DONE.md, the messages and marks of review-gate, the clients' settings that name hooks.
fn is_own(path: &Path) -> bool {
    let name = folded(&path.to_string_lossy());
    let mut parts = name.split('/');
    let is_part = |part: &str| {
        matches!(part, "done.md" | "done.yml" | "done.yaml" | ".donegate" | ".review-gate" | ".review-gate-disabled")
            || part.starts_with(PREFIX)
            || part.starts_with(TEMPORARY_PREFIX)
    };
    let starts = std::iter::once(0).chain(name.match_indices('/').map(|(at, _)| at + 1));
    parts.any(is_part) || starts.into_iter().any(|start| client_settings::is_settings(&name[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_gate_are_known_in_every_spelling() {
        for path in [
            "DONE.md",
            "done.MD",
            "web/DONE.md",
            "done.yml",
            ".donegate/done.yml",
            ".review-gate/topic-a.jsonl",
            ".review-gate-disabled",
            ".claude/settings.json",
            "web/.Claude/settings.local.json",
            ".codex/hooks.json",
            "DONE\u{200c}.md",
            "src/.rg-patch-x",
        ] {
            assert!(is_own(Path::new(path)), "{path}");
        }
        for path in ["src/done.rs", "DONE.md.bak", ".claude/notes.txt", "settings.json", "review-gate"] {
            assert!(!is_own(Path::new(path)), "{path}");
        }
    }
}
