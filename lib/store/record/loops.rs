//! The records of loops, and of whether a repository has them switched off.

use crate::event::Actor;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A step of a loop. Each has one constructor; the fold is in `loops`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum FrameStep {
    /// A loop begins, inside the session's other loops.
    Begin(FrameBegin),
    /// The next iteration of a session's innermost loop begins.
    Next(FrameNext),
    /// A loop ends, with all loops inside it.
    End {
        /// The loop.
        frame: String,
        /// Why.
        why: String,
    },
    /// All earlier steps are ignored.
    SetAside {
        /// Why.
        why: String,
    },
}

/// The beginning of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameBegin {
    /// Its id.
    pub frame: String,
    /// `task` or `issue`.
    pub mode: String,
    /// How many iterations it may have.
    pub max: u32,
    /// The digest of the blob that holds the loop's task.
    pub prompt: String,
    /// The top of the working tree.
    pub worktree: PathBuf,
    /// The branch that was checked out.
    #[serde(default)]
    pub branch: Option<String>,
    /// The ref from which the worktree was created, or else the commit at which the loop began.
    #[serde(default)]
    pub base: Option<String>,
    /// The snapshot when it began.
    pub snapshot: String,
    /// Who began it.
    pub by: Actor,
    /// The session that it keeps going, by its id before any clearing; None for the session of the task.
    #[serde(default)]
    pub session: Option<String>,
    /// The issue that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
}

/// The next iteration of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameNext {
    /// The loop.
    pub frame: String,
    /// The iteration that begins.
    pub iteration: u32,
    /// The snapshot.
    pub snapshot: String,
    /// The keys of the open findings.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Other agents were still running.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_helpers: bool,
    /// The findings that are open; None if nothing was judged.
    #[serde(default)]
    pub open: Option<Vec<OpenFinding>>,
}

/// An open finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// The finding's key.
    pub key: String,
    /// Its text, after its path and line.
    pub text: String,
}

/// Loops were switched off in this repository.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopsOff {
    /// The user.
    pub who: String,
}

/// Loops were switched on again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopsOn {
    /// The user.
    pub who: String,
}
