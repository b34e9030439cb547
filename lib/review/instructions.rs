//! Instruction files: files that clients give to their models as instructions, whatever a review request says. What the agent wrote
//! into one must not instruct its reviewer.

use super::diff::DenyList;
use super::subject::Subject;
use crate::snapshot;
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::files;
use crate::sys::limits;
use crate::sys::redact::redact;
use crate::sys::text::{cut_middle, plain};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Their names, in any directory.
const NAMES: [&str; 7] =
    ["AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules"];

/// Directories of them.
const DIRS: [&str; 3] = [".claude/output-styles", ".claude/rules", ".cursor/rules"];

/// How many files of one directory are read.
const MOST: usize = 100;

/// How much of one file is shown, in bytes.
const SHOWN: usize = 400;

/// Whether a path of the working tree names an instruction file.
fn is_instructions(path: &Path) -> bool {
    let is_named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| NAMES.contains(&name));
    is_named || path.ancestors().skip(1).any(|dir| DIRS.iter().any(|below| dir.ends_with(below)))
}

/// The digests of the instruction files that a client reads at its start, by path: those of the root, of the directories above it and
/// of the user.
pub fn now(root: &Path) -> BTreeMap<String, String> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for dir in root.ancestors() {
        paths.extend(NAMES.iter().map(|name| dir.join(name)));
        paths.push(dir.join(".claude/CLAUDE.md"));
    }
    let top = snapshot::top_of(root);
    for dir in [Some(root), Some(top.as_path()).filter(|top| *top != root)].into_iter().flatten() {
        DIRS.iter().for_each(|below| paths.extend(files_below(&dir.join(below))));
    }
    for (dir, names) in of_user() {
        paths.extend(names.iter().map(|name| dir.join(name)));
        paths.extend(["rules", "output-styles"].iter().flat_map(|below| files_below(&dir.join(below))));
    }
    let digest = |path: PathBuf| {
        let bytes = files::try_read_following(&path, limits::DEFINITION)?;
        Some((path.to_string_lossy().into_owned(), sha256(&bytes)))
    };
    paths.into_iter().filter_map(digest).collect()
}

/// The clients' directories of the user, with the names of the instruction files in each.
fn of_user() -> [(PathBuf, &'static [&'static str]); 3] {
    let home = env::home().unwrap_or_default();
    [
        (env::claude_config_dir().unwrap_or_else(|| home.join(".claude")), &["CLAUDE.md"]),
        (env::codex_home().unwrap_or_else(|| home.join(".codex")), &["AGENTS.md", "AGENTS.override.md"]),
        (env::gemini_home().unwrap_or(home).join(".gemini"), &["GEMINI.md"]),
    ]
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(dir).max_depth(4).sort_by_file_name().into_iter().flatten();
    all.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).take(MOST).collect()
}

/// The instruction files that were added or changed since the task began and that no snapshot holds: git ignores them, or they are
/// outside of the working tree.
pub fn unseen(subject: &Subject) -> Vec<PathBuf> {
    let Some(pins) = &subject.reviews.pins else { return Vec::new() };
    let is_held = |path: &Path| path.strip_prefix(&subject.top).is_ok_and(|path| subject.now.get(path).is_some());
    let is_same = |path: &str, digest: &String| pins.instructions.get(path) == Some(digest);
    let changed = now(&subject.root).into_iter().filter(|(path, digest)| !is_same(path, digest));
    changed.map(|(path, _)| PathBuf::from(path)).filter(|path| !is_held(path)).collect()
}

/// Why no decision of the client's own reviewer counts: the client may give it an unseen instruction file.
pub fn why_untrusted(subject: &Subject) -> Option<String> {
    let path = unseen(subject).into_iter().next()?;
    Some(format!(
        "the instruction file {} changed in this task and is in no snapshot, but the client gives it to its reviewer. Restore it; if you changed it yourself, run `rg-review accept`",
        path.display()
    ))
}

/// Whether the change holds an instruction file of that name.
pub fn changes_any(subject: &Subject, name: &str) -> bool {
    let is_it = |path: &Path| path.file_name().is_some_and(|known| known == name);
    subject.changes.iter().any(|change| is_it(&change.path)) || unseen(subject).iter().any(|path| is_it(path))
}

/// The user's own instruction file of a known program, if it changed since the task began: no option makes the program ignore it.
pub fn changed_of_user(subject: &Subject, program: &str) -> Option<PathBuf> {
    let [_, codex, gemini] = of_user();
    let (dir, names) = match program {
        "codex" => codex,
        "gemini" => gemini,
        _ => return None,
    };
    unseen(subject).into_iter().find(|path| names.iter().any(|name| *path == dir.join(name)))
}

/// The changed instruction files for a review request, with the beginning of those in the working tree that no snapshot holds; at most
/// `limit` bytes.
pub fn section(subject: &Subject, limit: usize) -> String {
    let mut lines = String::new();
    for (change, shown) in
        subject.changes.iter().zip(subject.paths()).filter(|(change, _)| is_instructions(&change.path))
    {
        let how = if change.now.is_none() { "removed" } else { "in the change" };
        lines.push_str(&format!("{shown} ({how})\n"));
    }
    let deny = DenyList::new(subject.done.as_ref().map_or(&[], |done| &done.guards.deny));
    for path in unseen(subject) {
        lines.push_str(&format!("{} (in no snapshot)\n", path.display()));
        // Nothing from outside of the working tree is sent to a model.
        let Ok(below) = path.strip_prefix(&subject.top) else { continue };
        if !deny.why(&below.to_string_lossy()).is_empty() {
            continue;
        }
        let bytes = files::try_read(&path, limits::DEFINITION).unwrap_or_default();
        for line in cut_middle(&redact(&plain(&bytes)), SHOWN).lines() {
            lines.push_str(&format!("    {line}\n"));
        }
    }
    cut_middle(&lines, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_files_are_known_by_name_and_directory() {
        for path in ["CLAUDE.md", "sub/CLAUDE.local.md", "AGENTS.md", ".claude/rules/a/b.md", "x/.cursor/rules/a.mdc"] {
            assert!(is_instructions(Path::new(path)), "{path}");
        }
        for path in ["README.md", "claude/rules/a.md", ".claude/settings.json", "docs/CLAUDE.md.txt"] {
            assert!(!is_instructions(Path::new(path)), "{path}");
        }
    }
}
