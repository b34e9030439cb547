//! What a task's journal says of loops, and which repositories have them off.

use crate::event::Actor;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A step of a loop. One constructor and one fold: `loops`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum FrameStep {
    /// A loop begins, inside of those that hold its session.
    Begin(FrameBegin),
    /// The innermost loop of a session goes on with its next iteration.
    Next(FrameNext),
    /// A loop ends, with those inside of it.
    End {
        /// The loop.
        frame: String,
        /// Why.
        why: String,
    },
    /// Nothing that stands before this of loops counts any more.
    SetAside {
        /// Why.
        why: String,
    },
}

/// A loop as it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameBegin {
    /// Its id.
    pub frame: String,
    /// `task`.
    pub mode: String,
    /// How many iterations it may have.
    pub max: u32,
    /// What is to be done: the digest under which the words are kept.
    pub prompt: String,
    /// Where the work is.
    pub worktree: PathBuf,
    /// The branch that was checked out there.
    #[serde(default)]
    pub branch: Option<String>,
    /// What the worktree was made from, else the commit that it began at.
    #[serde(default)]
    pub base: Option<String>,
    /// The files as it found them.
    pub snapshot: String,
    /// Who began it.
    pub by: Actor,
    /// The session that it holds, as it was called before any clearing; None for the task's own.
    #[serde(default)]
    pub session: Option<String>,
}

/// The next iteration of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameNext {
    /// The loop.
    pub frame: String,
    /// The iteration that begins.
    pub iteration: u32,
    /// The files.
    pub snapshot: String,
    /// The keys of what was open.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Other agents were at work, whose results were yet to come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_helpers: bool,
    /// What a judgement just now left open; None where nobody judged.
    #[serde(default)]
    pub open: Option<Vec<OpenFinding>>,
}

/// One thing that was left open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// The finding's fingerprint.
    pub key: String,
    /// What it says, with its place before it.
    pub text: String,
}

/// Loops are off in this repository.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopsOff {
    /// Who said so.
    pub who: String,
}

/// Loops are on again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopsOn {
    /// Who said so.
    pub who: String,
}
