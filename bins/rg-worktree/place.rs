//! Where worktrees lie and what is known of them: git's list, and the journal of those that were made here.

use crate::{TOOL, name};
use review_gate::donefile::{self, Land};
use review_gate::git::{Repository, WorkTree, resting_place};
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

/// The directory of all of them, in the main worktree (or in the bare repository).
pub const DIR: &str = ".worktrees";

/// What a branch of ours begins with, in full.
pub const BRANCHES: &str = "refs/heads/rg/";

/// How long another one that makes or removes a worktree is waited for.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A repository, its worktrees and its records.
pub struct Place {
    /// Where git is run.
    pub repository: Repository,
    /// The main worktree, or the bare repository.
    pub main: WorkTree,
    /// All others.
    pub linked: Vec<WorkTree>,
    /// Where the records lie.
    pub state: State,
    /// Where we were asked.
    pub dir: PathBuf,
}

impl Place {
    /// The one around the directory that was asked for.
    pub fn of(args: &Args) -> Result<Place> {
        let dir = args.dir()?;
        let repository = Repository::around(&dir)?;
        let mut trees = repository.worktrees()?;
        if trees.is_empty() {
            return Err(Error::missing("git lists no worktree"));
        }
        let main = trees.remove(0);
        if !main.bare && !repository.is_main(&main.path) {
            let name = one_line(&dir.to_string_lossy());
            return Err(Error::usage(format!("{name}: its main worktree cannot be told from here: call it there")));
        }
        let state = State::of_repository(&repository)?;
        Ok(Place { repository, main, linked: trees, state, dir })
    }

    /// Looks at the list of worktrees anew.
    pub fn refresh(&mut self) -> Result<()> {
        self.linked = self.repository.worktrees()?.into_iter().skip(1).collect();
        Ok(())
    }

    /// One at a time makes or removes worktrees of a repository.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.state.dir().join("worktrees.lock");
        self.state.make_parent(&path)?;
        lock::take(&path, PATIENCE)
    }

    /// Writes the `.git` of a worktree again, where its files are there and that is gone.
    pub fn mend(&mut self, path: &Path) -> Result<()> {
        let torn = self.at(path).filter(|tree| is_torn(tree)).map(|tree| tree.path.clone());
        let Some(path) = torn else { return Ok(()) };
        let words = ["worktree", "repair"].map(OsStr::new).into_iter().chain([path.as_os_str()]);
        // It complains of what it repairs; whether it did is seen in the list.
        self.repository.ask(&words.collect::<Vec<_>>())?;
        self.refresh()
    }

    /// The git directory of a worktree whose own directory is gone.
    pub fn left(&self, tree: &WorkTree) -> Option<Repository> {
        let sought = resting_place(&tree.path);
        let (git_dir, _) = self.repository.linked().into_iter().find(|(_, top)| *top == sought)?;
        Some(Repository { top: git_dir.clone(), git_dir, common_dir: self.repository.common_dir.clone() })
    }

    /// Where the worktree of that id is.
    pub fn path(&self, id: &str) -> PathBuf {
        self.main.path.join(DIR).join(name::safe(id))
    }

    /// The branch of that id, by its whole name.
    pub fn branch(&self, id: &str) -> String {
        format!("{BRANCHES}{}", name::safe(id))
    }

    /// The linked worktree at that path.
    pub fn at(&self, path: &Path) -> Option<&WorkTree> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.linked.iter().find(|tree| tree.path == path || real(&tree.path) == real(path))
    }

    /// The worktree that an id, or a path, means.
    pub fn named(&self, word: &Path) -> Result<WorkTree> {
        let by_path = self.dir.join(word);
        let by_id = word.to_str().and_then(|id| self.at(&self.path(id)));
        let found = by_id.or_else(|| self.at(&by_path)).cloned();
        let word = word.display();
        let is_main = fs::canonicalize(&by_path).is_ok_and(|path| path == self.main.path);
        match found {
            Some(tree) => Ok(tree),
            None if is_main => Err(Error::usage(format!(
                "{} is the main worktree: that is not ours to remove",
                one_line(&word.to_string())
            ))),
            None => {
                Err(Error::usage(format!("no worktree of \"{}\" here: rg-worktree list", one_line(&word.to_string()))))
            }
        }
    }

    /// Writes a record.
    pub fn write(&self, draft: impl Into<NewRecord>) -> Result<()> {
        self.state.append(&self.state.worktrees(), TOOL.name, draft).map(drop)
    }

    /// `land` of the main worktree's DONE.md, with its defaults where that cannot be used: it names files to copy, which a
    /// worktree can do without, and rg-land reads the base's own and reports what is wrong with it.
    pub fn land_or_default(&self) -> Land {
        let found = if self.main.bare { None } else { donefile::at(&self.main.path).ok().flatten() };
        let done = found.and_then(|found| donefile::parse(found.name, &found.bytes, &found.root).ok());
        done.map(|done| done.land).unwrap_or_default()
    }

    /// Declared ignored files of a worktree that the main one does not have in the same form.
    pub fn own(&self, tree: &WorkTree) -> Result<Vec<PathBuf>> {
        declared_copies::own(
            &tree.path,
            Some(self.main.path.as_path()).filter(|_| !self.main.bare),
            &self.land_or_default().copy,
        )
    }

    /// Git, in a worktree.
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

/// Whether the files of a worktree are there, and its `.git` is not.
pub fn is_torn(tree: &WorkTree) -> bool {
    tree.gone && !has_no_files(tree)
}

/// Whether nothing of a worktree is there.
pub fn has_no_files(tree: &WorkTree) -> bool {
    tree.gone && fs::read_dir(&tree.path).map_or(true, |mut entries| entries.next().is_none())
}

/// Whether a branch is one that this tool makes, and may take away.
pub fn is_ours(branch: &str) -> bool {
    branch.starts_with(BRANCHES)
}
