//! `remove` and `prune`: remove a worktree if no work is lost, or, with `--force`, after a backup.

use crate::inspect;
use crate::losses::Losses;
use crate::place::{self, DIR, Place};
use crate::rescue;
use review_gate::git::WorkTree;
use review_gate::store::record::RemovedWorktree;
use review_gate::store::worktrees;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

/// A worktree that is younger than this many seconds and has no commit of its own is not pruned: its task may not have begun.
const FRESH: f64 = 86_400.0;

/// `remove`: removes one worktree.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut id, mut force, mut keep_branch) = (None, false, false);
    while let Some(word) = args.flag_or_path()? {
        match word {
            Ok(Flag::Long(name)) if name == "force" => force = true,
            Ok(Flag::Long(name)) if name == "keep-branch" => keep_branch = true,
            Ok(flag) => return Err(args.unknown(&flag)),
            Err(path) if id.is_none() => id = Some(path),
            Err(path) => return Err(args.wrong(&format!("unexpected operand {path:?}"))),
        }
    }
    let id = id.ok_or_else(|| args.wrong("remove needs one operand: an id or the path of a worktree"))?;
    let mut place = Place::of(args)?;
    let _lock = place.lock()?;
    place.refresh()?;
    let found = place.named(&id)?;
    place.mend(&found.path)?;
    let tree = place.named(&id)?;
    let mut losses = inspect::of(&place, &tree)?;
    let is_kept = keep_branch || tree.branch.as_deref().is_some_and(|branch| !place::is_ours(branch));
    if is_kept {
        losses.unmerged = None;
    }
    let path = tree.path.display();
    let refused = |text: String| Err(Error::refused(text));
    if !losses.never.is_empty() || !losses.uncopied.is_empty() {
        let hard = Losses { lost: Vec::new(), unmerged: None, ..losses };
        return refused(format!("not removed: {path}: {}", hard.words()));
    }
    let mut kept = None;
    if !losses.is_none() {
        if !force {
            return refused(format!(
                "not removed: {path}: {}. Commit and land the work, or use `--force`, which saves a backup first",
                losses.words()
            ));
        }
        kept = Some(if tree.is_prunable { rescue::keep_head(&place, &tree)? } else { rescue::keep(&place, &tree)? });
    }
    remove_worktree(&place, &tree, is_kept, kept.as_deref())?;
    let mut out = format!("removed {}\n", one_line(&path.to_string()));
    if let Some(kept) = kept {
        out.push_str(&format!("saved a backup. Check it out with `git worktree add --detach DIR {kept}`\n"));
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// `prune`: removes every worktree that rg-worktree made and that holds no unsaved work; prints why the others are kept.
pub fn prune(args: &mut Args) -> Result<Exit> {
    let mut dry_run = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "dry-run" => dry_run = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let mut place = Place::of(args)?;
    let _lock = place.lock()?;
    place.refresh()?;
    let home = place.main.path.join(DIR);
    let ours = |tree: &&WorkTree| tree.path.starts_with(&home) && tree.branch.as_deref().is_none_or(place::is_ours);
    let mut out = String::new();
    for tree in place.linked.iter().filter(ours) {
        let name = one_line(&tree.path.to_string_lossy());
        // Keep a worktree that cannot be inspected.
        let why = match inspect::of(&place, tree) {
            Ok(losses) if losses.is_none() => {
                is_fresh(&place, tree).then(|| "created less than a day ago, no commit yet".to_string())
            }
            Ok(losses) => Some(losses.words()),
            Err(error) => Some(error.to_string()),
        };
        match why {
            Some(why) => out.push_str(&format!("kept {name}: {why}\n")),
            None if dry_run => out.push_str(&format!("would remove {name}\n")),
            None => match remove_worktree(&place, tree, false, None) {
                Ok(()) => out.push_str(&format!("removed {name}\n")),
                Err(error) => out.push_str(&format!("kept {name}: {error}\n")),
            },
        }
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn is_fresh(place: &Place, tree: &WorkTree) -> bool {
    let made = worktrees::at_path(&place.state, &tree.path).filter(|made| tree.head.as_ref() == Some(&made.fork));
    made.is_some_and(|made| clock::now().since(made.at) < FRESH)
}

/// Removes the worktree, and its branch if the branch has not moved since it was inspected.
fn remove_worktree(place: &Place, tree: &WorkTree, keep_branch: bool, kept: Option<&str>) -> Result<()> {
    let inside = if tree.is_prunable { None } else { Some(place.inside(tree)?) };
    let has_submodules = match &inside {
        // A submodule that is no longer checked out still has its repository.
        Some(inside) => {
            inside.git_dir.join("modules").exists() || inside.tracked()?.iter().any(|entry| entry.is_submodule)
        }
        None => false,
    };
    // Without --force git checks for changes once more. It is needed after a backup, and because git refuses any worktree with submodules.
    let by_force = kept.is_some() || has_submodules;
    let mut words: Vec<&OsStr> = ["worktree", "remove"].map(OsStr::new).to_vec();
    if by_force {
        words.push(OsStr::new("--force"));
    }
    words.push(tree.path.as_os_str());
    if place::has_no_files(tree) {
        // Git fails on an empty directory in the place of a missing worktree.
        let _ = fs::remove_dir(&tree.path);
    }
    place.repository.run(&words)?;
    let deleted = match (&tree.branch, &tree.head) {
        (Some(branch), Some(head)) if !keep_branch && place::is_ours(branch) => {
            Some(place.repository.run(&["update-ref", "-d", branch, head]))
        }
        _ => None,
    };
    // The recorded base of a kept branch stays valid.
    let branch_kept = tree.branch.is_some() && !matches!(deleted, Some(Ok(_)));
    let removed = RemovedWorktree {
        // Records are UTF-8: invalid bytes of a path are replaced.
        path: PathBuf::from(tree.path.to_string_lossy().into_owned()),
        branch: tree.branch.clone(),
        head: tree.head.clone(),
        kept: kept.map(str::to_string),
        branch_kept,
    };
    place.write(removed)?;
    deleted.transpose().map(drop)
}
