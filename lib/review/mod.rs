//! The reviewer, as all tools see it: what was decided, what is owed, what a packet holds.

pub mod changes;
pub mod decision;
pub mod desk;
pub mod diagnostics;
pub mod judge;
pub mod packet;
pub mod record;
pub mod second;
pub mod settle;

use crate::donefile::ReviewSpec;
use crate::event::Event;
use ignore::gitignore::GitignoreBuilder;

/// The rule under which an issue of a reviewer's is found.
pub const ISSUE: &str = "review-issue";

/// The role of the gate's own reviewer, as clients with scoped names give it.
pub const REVIEWER: &str = "review-gate:reviewer";

/// Whether an event happened inside a subagent of that role. A role is a label: whose word counts is held against the call.
pub fn is_reviewer(event: &Event) -> bool {
    event.agent.as_ref().is_some_and(|agent| agent.role.as_deref() == Some(REVIEWER))
}

/// Whether one of these paths is among `review.paths`.
pub fn matches_paths(spec: &ReviewSpec, paths: &[String]) -> bool {
    let mut builder = GitignoreBuilder::new("");
    for pattern in &spec.paths {
        // Patterns that are none were refused when DONE.md was read.
        let _ = builder.add_line(None, pattern);
    }
    let Ok(patterns) = builder.build() else { return false };
    let is_in = |path: &String| {
        let path = path.trim_start_matches("../");
        !path.is_empty() && patterns.matched_path_or_any_parents(path, false).is_ignore()
    };
    !spec.paths.is_empty() && paths.iter().any(is_in)
}
