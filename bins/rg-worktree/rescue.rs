//! Saves a backup of everything that would be lost with a worktree, before it is removed. rg-rescue(1) shows and restores it.

use crate::TOOL;
use crate::place::Place;
use review_gate::git::{Repository, WorkTree};
use review_gate::rescue::{self, BackupOptions, REFS};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::{count, cut_end, one_line};

/// Saves the backup and returns its reference. An error if the backup cannot hold a file, or if a file changes meanwhile.
pub fn keep(place: &Place, tree: &WorkTree) -> Result<String> {
    place.inside(tree)?;
    let own = place.own(tree)?;
    let why = format!("before removing {}", tree.path.display());
    let wish =
        BackupOptions { by: TOOL.name, why: &why, also: &own, fresh: true, anew: true, ..BackupOptions::default() };
    let taken = rescue::take(&tree.path, &place.state, &wish)?;
    if let Some(first) = taken.files.metadata.not_copied().next() {
        let left = count(taken.files.metadata.not_copied().count(), "file");
        let name = cut_end(&one_line(&first.path.to_string_lossy()), 80);
        return Err(Error::refused(format!(
            "not removed: {}: a backup cannot hold {left} ({name})",
            tree.path.display()
        )));
    }
    let name = format!("{REFS}/{}", taken.id);
    let held = place.repository.line(&["rev-parse", &format!("{name}^{{tree}}")])?;
    let now = rescue::tree_of(&tree.path, &place.state, &wish)?;
    match held == Some(now.to_string()) {
        true => Ok(name),
        false => Err(Error::changed(format!("not removed: {}: files changed during the backup", tree.path.display()))),
    }
}

/// Saves the head and the index of a worktree whose directory is gone, and returns the reference.
pub fn keep_head(place: &Place, tree: &WorkTree) -> Result<String> {
    let head =
        tree.head.as_deref().ok_or_else(|| Error::missing("unable to save a backup: the worktree has no commit"))?;
    let staged = place.remains_of(tree).map(|git| staged(&git, tree, head)).transpose()?.flatten();
    let head = staged.as_deref().unwrap_or(head);
    let name = format!("{REFS}/{}", ids::ulid(&["rescue", head]));
    // An empty old value: the reference must not exist.
    place.repository.run(&["update-ref", &name, head, ""])?;
    Ok(name)
}

/// A commit of the staged files on top of the head; None if nothing is staged.
fn staged(git: &Repository, tree: &WorkTree, head: &str) -> Result<Option<String>> {
    if !git.git_dir.join("index").exists() {
        return Ok(None);
    }
    let here = ["--git-dir=.", "--work-tree=."];
    let none = || Error::missing("unable to save a backup of the index");
    let files = git.line(&[&here[..], &["write-tree"]].concat())?.ok_or_else(none)?;
    if git.line(&[&here[..], &["rev-parse", &format!("{head}^{{tree}}")]].concat())?.as_ref() == Some(&files) {
        return Ok(None);
    }
    let why = format!("before removing {}: the staged files", tree.path.display());
    git.line(&[&here[..], &["commit-tree", &files, "-p", head, "-m", &why]].concat())?.ok_or_else(none).map(Some)
}
