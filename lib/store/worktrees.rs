//! Worktrees that rg-worktree made: from what, and on which branch. It writes these records; whoever compares or lands reads them.

use crate::store::journal::Journal;
use crate::store::record::{Body, Made};
use crate::store::state::State;
use std::path::Path;

/// The record of the worktree at a path, unless it was removed since.
pub fn at(state: &State, path: &Path) -> Option<Made> {
    last(state, |body| match body {
        Body::Made(made) => Some(made).filter(|made| made.path == path).map(Some),
        Body::Removed(removed) => (removed.path == path).then_some(None),
        _ => None,
    })
}

/// The record of the worktree on a branch, unless the branch went with it since.
pub fn on(state: &State, branch: &str) -> Option<Made> {
    last(state, |body| match body {
        Body::Made(made) => Some(made).filter(|made| made.branch == branch).map(Some),
        // A branch that stays lands where it was to land.
        Body::Removed(removed) if removed.branch_kept => None,
        Body::Removed(removed) => (removed.branch.as_deref() == Some(branch)).then_some(None),
        _ => None,
    })
}

/// What the last record that speaks of it says: that it was made, or that it is gone. A journal that cannot be read says nothing.
fn last(state: &State, says: impl Fn(&Body) -> Option<Option<&Made>>) -> Option<Made> {
    let journal = Journal::open(&state.worktrees()).unwrap_or_default();
    journal.records().rev().find_map(|(_, record)| says(&record.body)).flatten().cloned()
}
