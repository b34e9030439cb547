//! The repository and its worktrees: git's list, and the journal of the worktrees that rg-worktree made.

use crate::{TOOL, name};
use review_gate::donefile::{self, Land};
use review_gate::git::{Repository, WorkTree, resolve_parent};
use review_gate::rescue::declared_copies;
use review_gate::store::record::NewRecord;
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::lock::{self, Lock};
use review_gate::sys::text::one_line;
use review_gate::tool::cli::Args;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of all worktrees, in the main worktree or the bare repository.
pub const DIR: &str = ".worktrees";

/// The prefix of the branches that rg-worktree makes.
pub const BRANCHES: &str = "refs/heads/rg/";

/// How long to wait for another process that creates or removes a worktree.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A repository, its worktrees and its records.
pub struct Place {
    /// The repository.
    pub repository: Repository,
    /// The main worktree, or the bare repository.
    pub main: WorkTree,
    /// All other worktrees.
    pub linked: Vec<WorkTree>,
    /// The state directory.
    pub state: State,
    /// The directory that the tool was called in, or `-C`.
    pub dir: PathBuf,
}

impl Place {
    /// The repository that contains the current directory, or `-C`.
    pub fn of(args: &Args) -> Result<Place> {
        let dir = args.dir()?;
        let repository = Repository::discover(&dir)?;
        let mut trees = repository.worktrees()?;
        if trees.is_empty() {
            return Err(Error::missing("git lists no worktree"));
        }
        let main = trees.remove(0);
        if !main.is_bare && !repository.is_main(&main.path) {
            let name = one_line(&dir.to_string_lossy());
            return Err(Error::usage(format!(
                "unable to find the main worktree from {name}. Run rg-worktree in the main worktree"
            )));
        }
        let state = State::of_repository(&repository)?;
        Ok(Place { repository, main, linked: trees, state, dir })
    }

    /// Reads the list of worktrees again.
    pub fn refresh(&mut self) -> Result<()> {
        self.linked = self.repository.worktrees()?.into_iter().skip(1).collect();
        Ok(())
    }

    /// The lock that lets one process at a time create or remove worktrees of a repository.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.state.dir().join("worktrees.lock");
        self.state.make_parent(&path)?;
        lock::take(&path, PATIENCE)
    }

    /// Writes the `.git` of a worktree again if it is missing and the files exist.
    pub fn mend(&mut self, path: &Path) -> Result<()> {
        let torn = self.at(path).filter(|tree| is_torn(tree)).map(|tree| tree.path.clone());
        let Some(path) = torn else { return Ok(()) };
        let words = ["worktree", "repair"].map(OsStr::new).into_iter().chain([path.as_os_str()]);
        // Its status is no proof; the list shows whether it repaired the worktree.
        self.repository.try_run(&words.collect::<Vec<_>>())?;
        self.refresh()
    }

    /// The git directory of a worktree whose own directory is gone.
    pub fn remains_of(&self, tree: &WorkTree) -> Option<Repository> {
        let sought = resolve_parent(&tree.path);
        let (git_dir, _) = self.repository.linked_worktrees().into_iter().find(|(_, top)| *top == sought)?;
        Some(Repository { top: git_dir.clone(), git_dir, common_dir: self.repository.common_dir.clone() })
    }

    /// The path of the worktree with that id.
    pub fn path(&self, id: &str) -> PathBuf {
        self.main.path.join(DIR).join(name::safe(id))
    }

    /// The full name of the branch for that id.
    pub fn branch(&self, id: &str) -> String {
        format!("{BRANCHES}{}", name::safe(id))
    }

    /// The linked worktree at that path.
    pub fn at(&self, path: &Path) -> Option<&WorkTree> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.linked.iter().find(|tree| tree.path == path || real(&tree.path) == real(path))
    }

    /// The worktree with that id or path.
    pub fn named(&self, word: &Path) -> Result<WorkTree> {
        let by_path = self.dir.join(word);
        let by_id = word.to_str().and_then(|id| self.at(&self.path(id)));
        let found = by_id.or_else(|| self.at(&by_path)).cloned();
        let word = word.display();
        let is_main = fs::canonicalize(&by_path).is_ok_and(|path| path == self.main.path);
        match found {
            Some(tree) => Ok(tree),
            None if is_main => Err(Error::usage(format!(
                "rg-worktree does not remove the main worktree: {}",
                one_line(&word.to_string())
            ))),
            None => Err(Error::usage(format!(
                "no such worktree: \"{}\". List them with `rg-worktree list`",
                one_line(&word.to_string())
            ))),
        }
    }

    /// Writes a record.
    pub fn write(&self, draft: impl Into<NewRecord>) -> Result<()> {
        self.state.append(&self.state.worktrees(), TOOL.name, draft).map(drop)
    }

    /// `land` in the main worktree's DONE.md, or its defaults if DONE.md is unusable: it only names files to copy, and rg-land reports
    /// the error.
    pub fn land_or_default(&self) -> Land {
        let found = if self.main.is_bare { None } else { donefile::at(&self.main.path).ok().flatten() };
        let done = found.and_then(|found| donefile::parse(found.name, &found.bytes, &found.root).ok());
        done.map(|done| done.land).unwrap_or_default()
    }

    /// The declared ignored files of a worktree that differ from the main worktree's.
    pub fn own(&self, tree: &WorkTree) -> Result<Vec<PathBuf>> {
        declared_copies::differing(
            &tree.path,
            Some(self.main.path.as_path()).filter(|_| !self.main.is_bare),
            &self.land_or_default().copy,
        )
    }

    /// A worktree as a repository. An error if it belongs to another repository.
    pub fn inside(&self, tree: &WorkTree) -> Result<Repository> {
        let inside = Repository::at(&tree.path);
        let is_ours = |inside: &Repository| {
            let real = |path: &Path| fs::canonicalize(path).ok();
            real(&inside.common_dir) == real(&self.repository.common_dir)
        };
        inside
            .filter(is_ours)
            .ok_or_else(|| Error::missing(format!("{} is not a worktree of this repository", tree.path.display())))
    }
}

/// Whether the files of a worktree exist but its `.git` is missing.
pub fn is_torn(tree: &WorkTree) -> bool {
    tree.is_prunable && !has_no_files(tree)
}

/// Whether a worktree has no files.
pub fn has_no_files(tree: &WorkTree) -> bool {
    tree.is_prunable && fs::read_dir(&tree.path).map_or(true, |mut entries| entries.next().is_none())
}

/// Whether rg-worktree made a branch and may remove it.
pub fn is_ours(branch: &str) -> bool {
    branch.starts_with(BRANCHES)
}
