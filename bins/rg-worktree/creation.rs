//! Marks a worktree as unfinished while it is created: by a file that this process and its git hold locked. A marker without a lock
//! means that the process was killed, and the worktree may be incomplete.

use crate::place::{PATIENCE, Place};
use crate::{TOOL, losses, name, nested, rescue};
use review_gate::git::WorkTree;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::lock::{self, Lock};
use review_gate::tool::cli;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The marker file of an unfinished worktree.
pub struct Creation {
    file: PathBuf,
    lock: Option<Lock>,
}

impl Creation {
    /// The marker of an id.
    pub fn of(place: &Place, id: &str) -> Creation {
        Creation { file: place.state.dir().join("making").join(name::safe(id)), lock: None }
    }

    /// Whether the marker exists, so that an earlier run did not finish.
    pub fn is_unfinished(&self) -> bool {
        fs::symlink_metadata(&self.file).is_ok()
    }

    /// Writes and locks the marker. Waits for the git of a killed run.
    pub fn begin(&mut self, place: &Place, path: &Path) -> Result<()> {
        if self.lock.is_none() {
            place.state.make_parent(&self.file)?;
            let taken = lock::take(&self.file, PATIENCE);
            let lock = taken.map_err(|e| {
                let text = format!("another process is still creating {} ({e})", path.display());
                e.with_text(text)
            })?;
            lock.inherit_to_children()?;
            self.lock = Some(lock);
        }
        Ok(())
    }

    /// Removes the marker of a complete worktree.
    pub fn end(self) -> Result<()> {
        match fs::remove_file(&self.file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &self.file, &e)),
            _ => Ok(()),
        }
    }
}

/// Removes an unfinished worktree: git holds it locked while it checks out, and writes its index last. Files that somebody added are
/// saved as a backup.
pub fn clear(place: &Place, path: &Path) -> Result<()> {
    let Some(tree) = place.at(path).filter(|tree| tree.lock_reason.is_some()) else { return Ok(()) };
    let Some(git) = place.inside(tree).ok().or_else(|| place.remains_of(tree)) else { return Ok(()) };
    let is_whole = git.git_dir.join("index").exists();
    // Do not remove a lock that the user set.
    if is_whole && tree.lock_reason.as_deref() != Some("initializing") {
        return Ok(());
    }
    let words = ["worktree", "unlock"].map(OsStr::new);
    place.repository.run(&words.into_iter().chain([path.as_os_str()]).collect::<Vec<_>>())?;
    match place.inside(tree) {
        _ if is_whole => return Ok(()),
        Ok(inside) if inside.head().is_some() => keep(place, tree)?,
        _ => return remove_stub(path),
    }
    let words = ["worktree", "remove", "--force"].map(OsStr::new);
    place.repository.run(&words.into_iter().chain([path.as_os_str()]).collect::<Vec<_>>()).map(drop)
}

/// Saves a backup if a file differs from the commit: it may be partly written, or the user's.
fn keep(place: &Place, tree: &WorkTree) -> Result<()> {
    let inside = place.inside(tree)?;
    // The lock of a git that was killed.
    let _ = fs::remove_file(inside.git_dir.join("index.lock"));
    inside.run(&["reset", "--quiet", "--mixed"])?;
    let mut losses = losses::Losses::default();
    nested::look(&inside, &mut losses)?;
    if !losses.uncopied.is_empty() {
        let words = losses.words();
        return Err(Error::refused(format!("unfinished worktree with work in it: {}: {words}", tree.path.display())));
    }
    let status = inside.status()?;
    let is_there = |path: &PathBuf| fs::symlink_metadata(inside.top.join(path)).is_ok();
    if status.unstaged.iter().chain(&status.untracked).any(is_there) {
        let kept = rescue::keep(place, tree)?;
        let text = format!("replaced an unfinished worktree: {}. Its files are saved in {kept}", tree.path.display());
        cli::print_error(&TOOL, &text);
    }
    Ok(())
}

/// Removes what git wrote before it wrote HEAD.
fn remove_stub(path: &Path) -> Result<()> {
    let entries: Vec<_> = fs::read_dir(path).into_iter().flatten().flatten().collect();
    if entries.iter().any(|entry| entry.file_name() != ".git" || entry.path().is_dir()) {
        return Err(Error::refused(format!(
            "unfinished worktree with files in it: {}. Move them away",
            path.display()
        )));
    }
    let _ = fs::remove_file(path.join(".git"));
    let _ = fs::remove_dir(path);
    Ok(())
}
