//! Finds the repository of a directory and its main work tree. It may be bare, a submodule's, or have its git directory elsewhere.

use super::{Repository, WorkTree, read_path, to_path};
use crate::sys::error::{Error, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

impl Repository {
    /// The repository that git uses in a directory, which may be bare. Errors: usage, if there is none.
    pub fn discover(dir: &Path) -> Result<Repository> {
        let found = dir.ancestors().find_map(|dir| {
            let with_tree = Repository::at(dir).filter(|found| is_git_dir(&found.git_dir));
            with_tree.or_else(|| is_git_dir(dir).then(|| of_git_dir(dir)))
        });
        if let Some(found) = found {
            return Ok(found);
        }
        let none = || Error::usage(format!("not in a git repository: {}", dir.display()));
        let output = bare(dir).try_run(&["rev-parse", "--absolute-git-dir"])?;
        match output.is_success {
            true => Ok(bare(&fs::canonicalize(to_path(output.stdout.trim_ascii_end())).map_err(|_| none())?)),
            false => Err(none()),
        }
    }

    /// The top of the main work tree. Git's list of work trees names the git directory instead if the repository is a submodule or
    /// its git directory is elsewhere. None if the top cannot be found from here.
    pub(super) fn main_top(&self, listed: &WorkTree) -> Option<PathBuf> {
        if listed.is_bare || self.is_main(&listed.path) {
            return Some(listed.path.clone());
        }
        // The main work tree, or one below it, contains this directory.
        if let Some(top) = self.top.ancestors().find(|top| self.is_main(top)) {
            return Some(top.to_path_buf());
        }
        let config = self.common_dir.join("config");
        let args = [OsStr::new("config"), OsStr::new("--file"), config.as_os_str(), OsStr::new("core.worktree")];
        let named = self.line(&args).ok()??;
        let top = fs::canonicalize(self.common_dir.join(named)).ok()?;
        self.is_main(&top).then_some(top)
    }

    /// The linked work trees that the repository has records of, even if they do not exist: the git directory and the top of each.
    pub fn linked_worktrees(&self) -> Vec<(PathBuf, PathBuf)> {
        let records = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let of = |record: PathBuf| {
            let git = record.join(read_path(&record.join("gitdir"), "")?);
            let top = resolve_parent(git.parent()?);
            Some((record, top))
        };
        records.filter_map(|record| of(record.path())).collect()
    }

    /// Whether `top` is the top of this repository's main work tree.
    pub fn is_main(&self, top: &Path) -> bool {
        let real = |found: Repository| fs::canonicalize(found.git_dir).ok();
        Repository::at(top).and_then(real).is_some_and(|dir| dir == self.common_dir)
    }
}

/// The repository of a git directory: that of its work tree if the directory is the work tree's `.git`, else a bare one.
fn of_git_dir(dir: &Path) -> Repository {
    let outer = dir.parent().and_then(Repository::at);
    let is_its = |found: &Repository| fs::canonicalize(&found.git_dir).is_ok_and(|own| own == dir);
    outer.filter(is_its).unwrap_or_else(|| bare(dir))
}

/// The path with the links above it resolved; the path itself need not exist.
pub fn resolve_parent(path: &Path) -> PathBuf {
    let above = path.parent().and_then(|above| fs::canonicalize(above).ok());
    above.zip(path.file_name()).map_or_else(|| path.to_path_buf(), |(above, name)| above.join(name))
}

fn bare(dir: &Path) -> Repository {
    Repository { top: dir.to_path_buf(), git_dir: dir.to_path_buf(), common_dir: common_of(dir) }
}

fn common_of(dir: &Path) -> PathBuf {
    let shared = read_path(&dir.join("commondir"), "").map(|path| dir.join(path));
    shared.and_then(|shared| fs::canonicalize(shared).ok()).unwrap_or_else(|| dir.to_path_buf())
}

/// Whether git accepts a directory as a git directory: it has a head, objects and references.
pub fn is_git_dir(dir: &Path) -> bool {
    if !fs::symlink_metadata(dir.join("HEAD")).is_ok_and(|meta| !meta.is_dir()) {
        return false;
    }
    let common = common_of(dir);
    common.join("objects").is_dir() && common.join("refs").is_dir()
}
