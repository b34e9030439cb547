//! The worktrees that rg-worktree created: their branches and bases. rg-worktree writes these records; programs that compare or land
//! read them.

use crate::store::journal::Journal;
use crate::store::record::{Body, CreatedWorktree};
use crate::store::state::State;
use std::path::Path;

/// The record of the worktree at a path; None if it was removed.
pub fn at_path(state: &State, path: &Path) -> Option<CreatedWorktree> {
    last_match(state, |body| match body {
        Body::CreatedWorktree(made) => Some(made).filter(|made| made.path == path).map(Some),
        Body::Removed(removed) => (removed.path == path).then_some(None),
        _ => None,
    })
}

/// The record of the worktree on a branch; None if the branch was removed with it.
pub fn on_branch(state: &State, branch: &str) -> Option<CreatedWorktree> {
    last_match(state, |body| match body {
        Body::CreatedWorktree(made) => Some(made).filter(|made| made.branch == branch).map(Some),
        // A branch that still exists keeps its base.
        Body::Removed(removed) if removed.branch_kept => None,
        Body::Removed(removed) => (removed.branch.as_deref() == Some(branch)).then_some(None),
        _ => None,
    })
}

/// The worktree in the last matching record; None if that record says that it was removed, or if the journal cannot be read.
fn last_match(state: &State, matching: impl Fn(&Body) -> Option<Option<&CreatedWorktree>>) -> Option<CreatedWorktree> {
    let journal = Journal::open(&state.worktrees()).unwrap_or_default();
    journal.records().rev().find_map(|(_, record)| matching(&record.body)).flatten().cloned()
}
