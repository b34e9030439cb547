//! Reviews: review requests, decisions, and whether the files are approved.

mod arming;
pub mod ask;
pub mod client_output;
pub mod command_files;
pub mod decision;
pub mod diagnostics;
pub mod diff;
pub mod dispute;
pub mod instructions;
mod issue_findings;
pub mod judge;
pub mod model_call;
pub mod posts;
pub mod programs;
pub mod record;
pub mod request;
pub mod second;
pub mod settle;
pub mod subject;

pub use arming::is_unattended;
pub use issue_findings::PERSON_MUST_DECIDE;

use crate::donefile::ReviewSpec;
use crate::event::Event;
use crate::sys::gitignore::Patterns;
use std::path::Path;

/// The role of review-gate's own reviewer, with its scope.
pub const REVIEWER: &str = "review-gate:reviewer";

/// Whether an event happened inside a subagent of that role. The role alone proves nothing; rg-review-state also checks the call.
pub fn is_reviewer(event: &Event) -> bool {
    event.agent.as_ref().is_some_and(|agent| agent.role.as_deref() == Some(REVIEWER))
}

/// Whether one of these paths matches `review.paths`.
pub fn matches_paths(spec: &ReviewSpec, paths: &[String]) -> bool {
    let patterns = Patterns::of(&spec.paths);
    paths.iter().any(|path| patterns.matches(Path::new(path.trim_start_matches("../"))))
}
