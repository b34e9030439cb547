//! Worktrees that rg-worktree made: from what, and on which branch. It writes these records; whoever compares or lands reads them.

use crate::clock::Time;
use crate::journal::{self, Record};
use crate::state::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The record of a worktree that was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Made {
    /// The id it was asked for.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// The branch, by its whole name.
    pub branch: String,
    /// The reference that it was made from.
    pub base: String,
    /// The commit from which it goes off.
    pub fork: String,
    /// When.
    #[serde(default, skip_serializing)]
    pub at: Time,
}

impl Made {
    /// That of the worktree at a path, unless it was removed since.
    pub fn at(state: &State, path: &Path) -> Option<Made> {
        last(state, |record| Path::new(record.text("path")) == path)
    }

    /// That of the worktree on a branch, unless the branch went with it since.
    pub fn on(state: &State, branch: &str) -> Option<Made> {
        let stays = |record: &Record| record.get::<bool>("branch_kept") == Some(true);
        last(state, |record| record.text("branch") == branch && !stays(record))
    }
}

fn last(state: &State, is_its: impl Fn(&Record) -> bool) -> Option<Made> {
    let records = journal::read(&state.worktrees()).unwrap_or_default();
    let last = records.iter().rfind(|record| is_its(record)).filter(|record| record.kind == "made")?;
    Made::deserialize(&Value::Object(last.fields.clone())).ok()
}
