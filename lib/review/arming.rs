//! Arming: whether a task needs a review, and why.

use super::matches_paths;
use super::subject::Subject;
use crate::donefile::{ReviewSpec, Trigger};
use crate::event::Event;
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::digest::sha256_parts;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::procfs;

/// Whether a review is armed.
pub(super) enum Arming {
    /// It is armed; this is the reason.
    Yes(String),
    /// `review.sample` did not select this task; this is the key with its value.
    NotSampled(String),
    /// It is not armed.
    No,
}

/// Whether a review is armed: by the user, the caller, DONE.md or its `review.sample`. `subject` is needed only for `review.paths`.
pub(super) fn arming(
    event: &Event,
    armed_by: Option<&str>,
    task: Option<&Task>,
    spec: &ReviewSpec,
    state: &State,
    subject: Option<&Subject>,
) -> Result<Arming> {
    if task.and_then(|task| task.prompts.is_review_asked()) == Some(false) {
        return Ok(Arming::No);
    }
    if let Some(why) = armed_by.or(event.armed_by()) {
        return Ok(Arming::Yes(why.to_string()));
    }
    match spec.when {
        Trigger::Always => return Ok(Arming::Yes("review.when: always".into())),
        Trigger::Unattended if is_unattended(event) => return Ok(Arming::Yes("review.when: unattended".into())),
        _ => {}
    }
    if subject.is_some_and(|subject| matches_paths(spec, &subject.paths())) {
        return Ok(Arming::Yes("review.paths".into()));
    }
    let Some(n) = spec.sample else { return Ok(Arming::No) };
    let why = format!("review.sample: {n}");
    let id = task.map_or(event.id.as_str(), |task| task.id.as_str());
    let digest = sha256_parts(&[&state.secret()?, id.as_bytes()]);
    let number = u64::from_str_radix(&digest[..12], 16).unwrap_or(0) % u64::from(n);
    Ok(if number == 0 { Arming::Yes(why) } else { Arming::NotSampled(why) })
}

/// Whether no user watches the client: it is configured so, this is CI, or the client has no terminal.
pub fn is_unattended(event: &Event) -> bool {
    match env::is_attended() {
        Some(attended) => !attended,
        None => env::is_ci() || !procfs::has_terminal(event.pid),
    }
}
