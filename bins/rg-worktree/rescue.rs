//! A copy of everything that would be lost with a worktree, kept before it goes: rg-rescue(1) shows it and gives it back.

use crate::TOOL;
use crate::place::Place;
use review_gate::git::{Repository, WorkTree};
use review_gate::rescue::{self, REFS, Wish};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::{count, cut_end, one_line};

/// Makes the copy and returns its reference. Where something cannot be in it, or changes meanwhile, nothing may go.
pub fn keep(place: &Place, tree: &WorkTree) -> Result<String> {
    place.inside(tree)?;
    let own = place.own(tree)?;
    let why = format!("before {} is removed", tree.path.display());
    let wish = Wish { by: TOOL.name, why: &why, also: &own, fresh: true, anew: true, ..Wish::default() };
    let taken = rescue::take(&tree.path, &place.state, &wish)?;
    if let Some(first) = taken.held.beside.left().next() {
        let left = count(taken.held.beside.left().count(), "file");
        let name = cut_end(&one_line(&first.path.to_string_lossy()), 80);
        return Err(Error::refused(format!(
            "{} is not removed: no copy can hold {left} ({name})",
            tree.path.display()
        )));
    }
    let name = format!("{REFS}/{}", taken.id);
    let held = place.repository.line(&["rev-parse", &format!("{name}^{{tree}}")])?;
    let now = rescue::tree_of(&tree.path, &place.state, &wish)?;
    match held == Some(now.to_string()) {
        true => Ok(name),
        false => {
            Err(Error::changed(format!("files change in {} while they are copied: not removed", tree.path.display())))
        }
    }
}

/// Keeps what the head and the index of a worktree held whose directory is gone, and returns its reference.
pub fn keep_head(place: &Place, tree: &WorkTree) -> Result<String> {
    let head = tree.head.as_deref().ok_or_else(|| Error::missing("nothing of it can be kept"))?;
    let staged = place.left(tree).map(|left| staged(&left, tree, head)).transpose()?.flatten();
    let head = staged.as_deref().unwrap_or(head);
    let name = format!("{REFS}/{}", ids::ulid(&["rescue", head]));
    // Empty old value: it must not be there.
    place.repository.act(&["update-ref", &name, head, ""])?;
    Ok(name)
}

/// What was staged, as a commit on top of the head; None where nothing was.
fn staged(left: &Repository, tree: &WorkTree, head: &str) -> Result<Option<String>> {
    if !left.git_dir.join("index").exists() {
        return Ok(None);
    }
    let here = ["--git-dir=.", "--work-tree=."];
    let none = || Error::missing("nothing of its index can be kept");
    let files = left.line(&[&here[..], &["write-tree"]].concat())?.ok_or_else(none)?;
    if left.line(&[&here[..], &["rev-parse", &format!("{head}^{{tree}}")]].concat())?.as_ref() == Some(&files) {
        return Ok(None);
    }
    let why = format!("before {} is removed: what was staged", tree.path.display());
    left.line(&[&here[..], &["commit-tree", &files, "-p", head, "-m", &why]].concat())?.ok_or_else(none).map(Some)
}
