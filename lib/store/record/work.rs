//! What journals say of checks, of models that were asked, of worktrees and of landings.

use super::Word;
use crate::event::Check;
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A run of the checks begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBegin {
    /// The files, the checks and the environment, as one digest.
    pub key: String,
}

/// A run of the checks ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The files, the checks and the environment, as one digest.
    pub key: String,
    /// The files.
    pub snapshot: String,
    /// What each check gave.
    pub checks: Vec<Check>,
    /// Files that changed meanwhile, as the checks declare.
    #[serde(default)]
    pub writes: Vec<String>,
    /// Files that changed meanwhile and that no check declares.
    #[serde(default)]
    pub wrote: Vec<String>,
    /// The record's id: the envelope's.
    #[serde(skip_serializing)]
    pub id: String,
    /// When it ended: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// Another model was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Who was asked.
    pub to: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// SHA-256 of the prompt.
    pub prompt_sha256: String,
    /// SHA-256 of the answer; None where none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_sha256: Option<String>,
    /// The packet that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<String>,
    /// The files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The program's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What it decided, where it answered with a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Word>,
    /// Why no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// A worktree was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The name it was asked for by.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// The branch, by its whole name.
    pub branch: String,
    /// The reference that it was made from.
    pub base: String,
    /// The commit from which it goes off.
    pub fork: String,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A worktree was removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    /// Where it was.
    pub path: PathBuf,
    /// The branch that was checked out there, by its whole name.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The backup that holds what was in it.
    #[serde(default)]
    pub kept: Option<String>,
    /// Its branch stays.
    pub branch_kept: bool,
}

/// A commit is about to land.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Landing {
    /// The branch, by its whole name.
    pub branch: String,
    /// Its tip.
    pub tip: String,
    /// The local name of the base.
    pub base: String,
    /// The remote; None where nothing was pushed.
    #[serde(default)]
    pub remote: Option<String>,
    /// Where the base was.
    pub old: String,
    /// The commit that lands.
    pub new: String,
    /// The receipt that covers it.
    pub receipt: String,
    /// The files.
    pub snapshot: String,
}

/// It landed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Landed(pub Landing);
