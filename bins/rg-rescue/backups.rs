//! The backups of a repository: finds one by its id and reads its contents.

use crate::here;
use review_gate::git::TreeFile;
use review_gate::rescue::{Backup, Metadata, Store, place_digest};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::cli::Args;
use std::path::PathBuf;

/// The backups of a repository, as seen from one of its worktrees.
pub struct Backups {
    pub root: PathBuf,
    pub state: State,
    pub store: Store,
    /// The oldest first.
    pub all: Vec<Backup>,
    /// The current worktree.
    pub place: String,
}

impl Backups {
    /// The backups of the current repository.
    pub fn here(args: &Args) -> Result<Backups> {
        let (root, state) = here(args)?;
        let store = Store::at(&root, &state)?;
        let (all, place) = (store.list()?, place_digest(&store.top));
        Ok(Backups { root, state, store, all, place })
    }

    /// Whether a backup is of the current worktree.
    pub fn is_here(&self, copy: &Backup) -> bool {
        copy.info.place == self.place
    }

    /// The backup with that id or unique prefix. Without an id the last one of this worktree that was not saved by a restore, so that a
    /// second restore gives the same files.
    pub fn one(&self, id: Option<&str>) -> Result<&Backup> {
        let Some(id) = id.filter(|id| *id != "last") else {
            let none =
                || Error::usage(format!("no backup of {}. Save one with `rg-rescue save`", self.store.top.display()));
            return self.all.iter().rfind(|copy| self.is_here(copy) && copy.info.undo.is_none()).ok_or_else(none);
        };
        let wanted = id.to_ascii_uppercase();
        let mut found = self.all.iter().filter(|copy| copy.id.starts_with(&wanted));
        match (found.next(), found.count()) {
            _ if id.is_empty() => Err(Error::usage("the id is empty")),
            (Some(copy), 0) => Ok(copy),
            (Some(_), more) => Err(Error::usage(format!("ambiguous id: {id} is the prefix of {} backups", more + 1))),
            (None, _) => Err(Error::usage(format!("no such backup: {id}"))),
        }
    }

    /// The files of a backup, sorted by the bytes of their paths.
    pub fn files(&self, copy: &Backup) -> Result<Vec<TreeFile>> {
        self.store.git.tree(&copy.commit).map(|files| files.to_vec())
    }

    /// What a backup records beside its files: permissions, empty directories, files that it does not hold.
    pub fn beside(&self, copy: &Backup) -> Result<Metadata> {
        let Some(second) = &copy.second else { return Ok(Metadata::default()) };
        Ok(Metadata::read(&self.store.git.git(&["cat-file", "blob", &format!("{second}:beside")])?))
    }
}
