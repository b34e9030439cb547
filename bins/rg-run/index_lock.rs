//! A lock of git's index that a killed git left behind. Git does not remove it, and does not commit while it exists.

use review_gate::git::Repository;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::procfs;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a git that still works may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How old a lock is that no program holds.
const STALE: Duration = Duration::from_secs(5);

/// How often it is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// Removes the lock of a worktree that no git works in. The agent has ended, and the run holds the lock of its root.
pub fn clear(repository: &Repository) -> Result<()> {
    let path = repository.git_dir.join("index.lock");
    let end = Instant::now() + PATIENCE;
    while path.exists() {
        // Without /proc this cannot be examined. Git's own error says what to do.
        let Some(pids) = procfs::all() else { return Ok(()) };
        let is_at_work = |pid: &&i32| {
            procfs::name_of(**pid).is_some_and(|name| name.starts_with("git"))
                && procfs::working_dir(**pid).is_some_and(|dir| dir.starts_with(&repository.top))
        };
        match pids.iter().find(is_at_work) {
            // Another program may hold it for a moment.
            None if is_young(&path) => std::thread::sleep(PAUSE),
            None => return fs::remove_file(&path).or_else(gone).map_err(|e| Error::io("remove", &path, &e)),
            Some(pid) if Instant::now() >= end => {
                return Err(Error::changed(format!("process {pid} still works in {}", repository.top.display())));
            }
            Some(_) => std::thread::sleep(PAUSE),
        }
    }
    Ok(())
}

/// Whether a file was written in the last seconds.
fn is_young(path: &Path) -> bool {
    let age = fs::metadata(path).and_then(|meta| meta.modified()).map(|at| at.elapsed());
    age.is_ok_and(|age| age.is_ok_and(|age| age < STALE))
}

/// A file that is already gone is no error.
fn gone(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
