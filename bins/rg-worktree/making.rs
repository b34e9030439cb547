//! A worktree that is being made: a file stands for it meanwhile, locked by us and by whatever git is at work for us. Where it is
//! left behind somebody killed us, and what is there is not believed.

use crate::place::{PATIENCE, Place};
use crate::{TOOL, losses, name, nested, rescue};
use review_gate::git::WorkTree;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::lock::{self, Lock};
use review_gate::tool::cli;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of one that is being made.
pub struct Making {
    file: PathBuf,
    lock: Option<Lock>,
}

impl Making {
    /// That of an id.
    pub fn of(place: &Place, id: &str) -> Making {
        Making { file: place.state.dir().join("making").join(name::safe(id)), lock: None }
    }

    /// Whether one was begun and not ended.
    pub fn was_begun(&self) -> bool {
        fs::symlink_metadata(&self.file).is_ok()
    }

    /// Begins. A git that outlived whoever was killed is waited for.
    pub fn begin(&mut self, place: &Place, path: &Path) -> Result<()> {
        if self.lock.is_none() {
            place.state.make_parent(&self.file)?;
            let taken = lock::take(&self.file, PATIENCE);
            let lock = taken.map_err(|e| {
                let text = format!("{}: whoever began it is still at work there ({e})", path.display());
                e.reworded(text)
            })?;
            lock.pass_on()?;
            self.lock = Some(lock);
        }
        Ok(())
    }

    /// It is whole.
    pub fn end(self) -> Result<()> {
        match fs::remove_file(&self.file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &self.file, &e)),
            _ => Ok(()),
        }
    }
}

/// Takes away what was begun of a worktree and not checked out to its end: git has it locked, and its index is written last.
/// Whatever somebody has put there meanwhile is kept.
pub fn clear(place: &Place, path: &Path) -> Result<()> {
    let Some(tree) = place.at(path).filter(|tree| tree.locked.is_some()) else { return Ok(()) };
    let Some(git) = place.inside(tree).ok().or_else(|| place.left(tree)) else { return Ok(()) };
    let is_whole = git.git_dir.join("index").exists();
    // A lock of somebody's own stays.
    if is_whole && tree.locked.as_deref() != Some("initializing") {
        return Ok(());
    }
    let words = ["worktree", "unlock"].map(OsStr::new);
    place.repository.act(&words.into_iter().chain([path.as_os_str()]).collect::<Vec<_>>())?;
    match place.inside(tree) {
        _ if is_whole => return Ok(()),
        Ok(inside) if inside.head().is_some() => keep(place, tree)?,
        _ => return remove_stub(path),
    }
    let words = ["worktree", "remove", "--force"].map(OsStr::new);
    place.repository.act(&words.into_iter().chain([path.as_os_str()]).collect::<Vec<_>>()).map(drop)
}

/// Keeps what is no file of the commit as it is: a file that was half written, or somebody's.
fn keep(place: &Place, tree: &WorkTree) -> Result<()> {
    let inside = place.inside(tree)?;
    // Of a git that is no more.
    let _ = fs::remove_file(inside.git_dir.join("index.lock"));
    inside.act(&["reset", "--quiet", "--mixed"])?;
    let mut losses = losses::Losses::default();
    nested::look(&inside, &mut losses)?;
    if !losses.uncopied.is_empty() {
        let words = losses.words();
        return Err(Error::refused(format!("{} was begun and not ended: {words}: not touched", tree.path.display())));
    }
    let status = inside.status()?;
    let is_there = |path: &PathBuf| fs::symlink_metadata(inside.top.join(path)).is_ok();
    if status.unstaged.iter().chain(&status.untracked).any(is_there) {
        let kept = rescue::keep(place, tree)?;
        let text = format!("{} was begun and not ended; what lay there is kept: {kept}", tree.path.display());
        cli::complain(&TOOL, &text);
    }
    Ok(())
}

/// What git had written before there was a head.
fn remove_stub(path: &Path) -> Result<()> {
    let entries: Vec<_> = fs::read_dir(path).into_iter().flatten().flatten().collect();
    if entries.iter().any(|entry| entry.file_name() != ".git" || entry.path().is_dir()) {
        return Err(Error::refused(format!(
            "{} was begun and not ended, and holds files: not touched",
            path.display()
        )));
    }
    let _ = fs::remove_file(path.join(".git"));
    let _ = fs::remove_dir(path);
    Ok(())
}
