//! What arms a review of a task.

use super::desk::Desk;
use super::matches_paths;
use crate::donefile::{ReviewSpec, Trigger};
use crate::event::Event;
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::digest::sha256_parts;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::procfs;

/// Whether a review is armed.
pub(super) enum Armed {
    /// By this.
    Yes(String),
    /// The lot that this key draws fell on another task.
    NotSampled(String),
    /// It is not.
    No,
}

/// What arms a review: the user or the caller, DONE.md, or the lot. `desk` is there where paths arm.
pub(super) fn armed(
    event: &Event,
    armed_by: Option<&str>,
    task: Option<&Task>,
    spec: &ReviewSpec,
    state: &State,
    desk: Option<&Desk>,
) -> Result<Armed> {
    if task.and_then(|task| task.prompts.is_review_asked()) == Some(false) {
        return Ok(Armed::No);
    }
    if let Some(why) = armed_by.or(event.armed_by()) {
        return Ok(Armed::Yes(why.to_string()));
    }
    match spec.when {
        Trigger::Always => return Ok(Armed::Yes("review.when: always".into())),
        Trigger::Unattended if is_unattended(event) => return Ok(Armed::Yes("review.when: unattended".into())),
        _ => {}
    }
    if desk.is_some_and(|desk| matches_paths(spec, &desk.paths())) {
        return Ok(Armed::Yes("review.paths".into()));
    }
    let Some(n) = spec.sample else { return Ok(Armed::No) };
    let why = format!("review.sample: {n}");
    let id = task.map_or(event.id.as_str(), |task| task.id.as_str());
    let drawn = sha256_parts(&[&state.secret()?, id.as_bytes()]);
    let lot = u64::from_str_radix(&drawn[..12], 16).unwrap_or(0) % u64::from(n);
    Ok(if lot == 0 { Armed::Yes(why) } else { Armed::NotSampled(why) })
}

/// Whether nobody sits at the client: it says so, this is CI, or its process has no terminal.
pub(super) fn is_unattended(event: &Event) -> bool {
    match env::is_attended() {
        Some(attended) => !attended,
        None => env::is_ci() || !procfs::has_terminal(event.pid),
    }
}
