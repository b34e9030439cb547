//! Which repository a directory means, be it bare, a submodule's, or one whose git directory lies elsewhere; and its main work tree.

use super::{Repository, WorkTree, read_path, to_path};
use crate::sys::error::{Error, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

impl Repository {
    /// The repository around a directory, be it bare: the one that git takes for it.
    pub fn around(dir: &Path) -> Result<Repository> {
        let found = dir.ancestors().find_map(|dir| {
            let with_tree = Repository::at(dir).filter(|found| is_git_dir(&found.git_dir));
            with_tree.or_else(|| is_git_dir(dir).then(|| of_git_dir(dir)))
        });
        if let Some(found) = found {
            return Ok(found);
        }
        let none = || Error::usage(format!("{} is in no git repository", dir.display()));
        let said = bare(dir).ask(&["rev-parse", "--absolute-git-dir"])?;
        match said.ok {
            true => Ok(bare(&fs::canonicalize(to_path(said.out.trim_ascii_end())).map_err(|_| none())?)),
            false => Err(none()),
        }
    }

    /// Where the main work tree is, whatever git's list of work trees says of it: of a submodule, and of a repository whose git
    /// directory lies elsewhere, that names the git directory. None where it cannot be told from here.
    pub(super) fn main_top(&self, listed: &WorkTree) -> Option<PathBuf> {
        if listed.bare || self.is_main(&listed.path) {
            return Some(listed.path.clone());
        }
        // Under the main work tree, and under the worktrees that lie in it, there it is.
        if let Some(top) = self.top.ancestors().find(|top| self.is_main(top)) {
            return Some(top.to_path_buf());
        }
        let config = self.common_dir.join("config");
        let args = [OsStr::new("config"), OsStr::new("--file"), config.as_os_str(), OsStr::new("core.worktree")];
        let named = self.line(&args).ok()??;
        let top = fs::canonicalize(self.common_dir.join(named)).ok()?;
        self.is_main(&top).then_some(top)
    }

    /// The linked work trees by the repository's own records, be they there or not: git's directory of each, and its top.
    pub fn linked(&self) -> Vec<(PathBuf, PathBuf)> {
        let records = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let of = |record: PathBuf| {
            let git = record.join(read_path(&record.join("gitdir"), "")?);
            let top = resting_place(git.parent()?);
            Some((record, top))
        };
        records.filter_map(|record| of(record.path())).collect()
    }

    /// Whether the main work tree of this repository, and nothing else, has its top there.
    pub fn is_main(&self, top: &Path) -> bool {
        let real = |found: Repository| fs::canonicalize(found.git_dir).ok();
        Repository::at(top).and_then(real).is_some_and(|dir| dir == self.common_dir)
    }
}

/// The repository of a git directory in which one stands: that of the work tree around it where it is its `.git`.
fn of_git_dir(dir: &Path) -> Repository {
    let around = dir.parent().and_then(Repository::at);
    let is_its = |found: &Repository| fs::canonicalize(&found.git_dir).is_ok_and(|own| own == dir);
    around.filter(is_its).unwrap_or_else(|| bare(dir))
}

/// Where a path is, links above it followed, though it may be gone itself.
pub fn resting_place(path: &Path) -> PathBuf {
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

/// What git takes for a git directory: a head, objects and references.
pub fn is_git_dir(dir: &Path) -> bool {
    if !fs::symlink_metadata(dir.join("HEAD")).is_ok_and(|meta| !meta.is_dir()) {
        return false;
    }
    let common = common_of(dir);
    common.join("objects").is_dir() && common.join("refs").is_dir()
}
