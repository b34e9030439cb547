//! Repositories inside a worktree, which are removed with it: submodules, checked out or not, and other repositories.

use crate::hidden;
use crate::losses::Losses;
use review_gate::git::{Repository, is_git_dir};
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Adds what would be lost with the repositories in a worktree, and with those inside of them.
pub fn look(inside: &Repository, losses: &mut Losses) -> Result<()> {
    let (top, git_dir) = (real(&inside.top), real(&inside.git_dir));
    Look { losses, going: [top, git_dir], own: inside.common_dir.clone(), seen: Vec::new() }.within(inside)
}

/// The same for a worktree whose directory is gone: the submodules in its git directory.
pub fn remains(git: &Repository, losses: &mut Losses) -> Result<()> {
    let (git_dir, own) = (git.git_dir.clone(), git.common_dir.clone());
    let mut look = Look { losses, going: [git_dir.clone(), git_dir.clone()], own, seen: Vec::new() };
    look.git_dirs(&git_dir.join("modules"), Path::new(""))
}

struct Look<'a> {
    losses: &'a mut Losses,
    /// The directories that would be removed.
    going: [PathBuf; 2],
    /// The repository of the worktree; git lists its other worktrees.
    own: PathBuf,
    /// Repositories whose commits were checked already.
    seen: Vec<PathBuf>,
}

impl Look<'_> {
    fn within(&mut self, inside: &Repository) -> Result<()> {
        let index = inside.tracked()?;
        let submodules: Vec<&Path> = index.iter().filter(|entry| entry.is_submodule).map(|entry| entry.path).collect();
        for path in tops(&inside.top) {
            let top = inside.top.join(&path);
            let is_submodule = submodules.contains(&path.as_path());
            let name = cut_end(&one_line(&path.to_string_lossy()), 80);
            let name = match is_submodule {
                true => format!("submodule {name}"),
                false => format!("{name}/ is another repository"),
            };
            let found = Repository::at(&top).filter(|found| is_git_dir(&found.git_dir));
            let before = self.losses.uncopied.len();
            match found {
                Some(found) if found.common_dir == self.own => continue,
                Some(found) if !self.going.iter().any(|dir| found.common_dir.starts_with(dir)) => {
                    self.losses
                        .uncopied
                        .push(format!("{name}: a worktree of {}", one_line(&found.common_dir.to_string_lossy())));
                }
                Some(found) => self.work_tree(&found, &name)?,
                // Tracked files that look like a repository, for example in tests.
                None if index.iter().any(|entry| entry.path == path.join("HEAD")) => continue,
                None if is_git_dir(&top) => self.commits(&top, &name)?,
                // It is unreadable, so it may hold work.
                None => self.losses.uncopied.push(name.clone()),
            }
            // An ignored repository without work of its own may be removed like other ignored files.
            let is_quiet = self.losses.uncopied.len() == before;
            let words = ["check-ignore", "--quiet", "--"].map(OsStr::new).into_iter().chain([path.as_os_str()]);
            if is_quiet && !is_submodule && !inside.try_run(&words.collect::<Vec<_>>())?.is_success {
                self.losses.uncopied.push(name);
            }
        }
        self.git_dirs(&inside.git_dir.join("modules"), Path::new(""))
    }

    /// Checks a repository with files.
    fn work_tree(&mut self, found: &Repository, name: &str) -> Result<()> {
        let status = found.status()?;
        let files = status.staged.len() + status.unstaged.len() + status.untracked.len() + hidden::of(found)?.len();
        if files > 0 {
            self.losses.uncopied.push(format!("{name}: {}", count(files, "uncommitted file")));
        }
        self.commits(&found.common_dir, name)?;
        self.within(found)
    }

    /// Checks the git directories of submodules, which stay when their files are removed.
    fn git_dirs(&mut self, dir: &Path, name: &Path) -> Result<()> {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), name.join(entry.file_name()));
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if !is_git_dir(&path) {
                // A submodule's name may contain slashes.
                self.git_dirs(&path, &name)?;
                continue;
            }
            let words = format!("submodule {}", cut_end(&one_line(&name.to_string_lossy()), 80));
            self.commits(&path, &words)?;
            self.git_dirs(&path.join("modules"), &name)?;
        }
        Ok(())
    }

    /// Counts the commits that none of the repository's remotes has.
    fn commits(&mut self, git_dir: &Path, name: &str) -> Result<()> {
        let dir = real(git_dir);
        if self.seen.contains(&dir) {
            return Ok(());
        }
        let git = Repository { top: dir.clone(), git_dir: dir.clone(), common_dir: dir.clone() };
        self.seen.push(dir);
        // Its configured work tree may not exist any more.
        let own = git.run(&["--git-dir=.", "--work-tree=.", "rev-list", "--all", "--not", "--remotes"])?;
        let own = own.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        // The branches of a mirror are the remote's.
        if own > 0
            && !git.try_run(&["config", "--type=bool", "--get-regexp", r"^remote\..*\.mirror$", "^true$"])?.is_success
        {
            self.losses.uncopied.push(format!("{name}: {} that no remote has", count(own, "commit")));
        }
        Ok(())
    }
}

/// The paths of the repositories below a directory, without those inside of other repositories.
fn tops(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut walk = walkdir::WalkDir::new(top).min_depth(1).follow_links(false).into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_dir() {
            continue;
        }
        if entry.file_name() == ".git" {
            walk.skip_current_dir();
            continue;
        }
        let is_top = fs::symlink_metadata(entry.path().join(".git")).is_ok();
        if is_top || is_git_dir(entry.path()) {
            found.extend(entry.path().strip_prefix(top).map(Path::to_path_buf));
            walk.skip_current_dir();
        }
    }
    found
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
