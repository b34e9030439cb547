//! The reviewer, as all tools see it: what was decided, what is owed, what a packet holds.

mod arming;
pub mod ask;
pub mod decision;
pub mod desk;
pub mod diagnostics;
pub mod diff;
pub mod judge;
pub mod packet;
pub mod record;
pub mod second;
pub mod settle;

use crate::donefile::ReviewSpec;
use crate::event::Event;
use crate::sys::gitignore::Patterns;
use std::path::Path;

/// The role of the gate's own reviewer, as clients with scoped names give it.
pub const REVIEWER: &str = "review-gate:reviewer";

/// Whether an event happened inside a subagent of that role. A role is a label: whose word counts is held against the call.
pub fn is_reviewer(event: &Event) -> bool {
    event.agent.as_ref().is_some_and(|agent| agent.role.as_deref() == Some(REVIEWER))
}

/// Whether one of these paths is among `review.paths`.
pub fn matches_paths(spec: &ReviewSpec, paths: &[String]) -> bool {
    let patterns = Patterns::of(&spec.paths);
    paths.iter().any(|path| patterns.matches(Path::new(path.trim_start_matches("../"))))
}
