//! Which copy is meant, and what is in it.

use crate::here;
use review_gate::git::TreeFile;
use review_gate::rescue::{Beside, Copy, Store, place_of};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::cli::Args;
use std::path::PathBuf;

/// The copies of a repository, looked at from one of its work trees.
pub struct Kept {
    pub root: PathBuf,
    pub state: State,
    pub store: Store,
    /// The oldest first.
    pub all: Vec<Copy>,
    /// The work tree that we are in.
    pub place: String,
}

impl Kept {
    /// Those that can be seen from here.
    pub fn here(args: &Args) -> Result<Kept> {
        let (root, state) = here(args)?;
        let store = Store::at(&root, &state)?;
        let (all, place) = (store.list()?, place_of(&store.top));
        Ok(Kept { root, state, store, all, place })
    }

    /// Whether a copy is of the work tree that we are in.
    pub fn is_here(&self, copy: &Copy) -> bool {
        copy.about.place == self.place
    }

    /// The copy of that id, or of the only one that begins so; without an id the last one of this work tree that is not
    /// what a restore replaced: whoever restores twice restores the same.
    pub fn one(&self, id: Option<&str>) -> Result<&Copy> {
        let Some(id) = id.filter(|id| *id != "last") else {
            let none = || Error::usage(format!("no copy of {} is kept", self.store.top.display()));
            return self.all.iter().rfind(|copy| self.is_here(copy) && copy.about.undo.is_none()).ok_or_else(none);
        };
        let wanted = id.to_ascii_uppercase();
        let mut found = self.all.iter().filter(|copy| copy.id.starts_with(&wanted));
        match (found.next(), found.count()) {
            _ if id.is_empty() => Err(Error::usage("the id is empty")),
            (Some(copy), 0) => Ok(copy),
            (Some(_), more) => Err(Error::usage(format!("{id} is the beginning of {} copies", more + 1))),
            (None, _) => Err(Error::usage(format!("no such copy: {id}"))),
        }
    }

    /// The files of a copy, sorted by the bytes of their paths.
    pub fn files(&self, copy: &Copy) -> Result<Vec<TreeFile>> {
        self.store.git.tree(&copy.commit).map(|files| files.to_vec())
    }

    /// What lies beside them.
    pub fn beside(&self, copy: &Copy) -> Result<Beside> {
        let Some(second) = &copy.second else { return Ok(Beside::default()) };
        Ok(Beside::read(&self.store.git.git(&["cat-file", "blob", &format!("{second}:beside")])?))
    }
}
