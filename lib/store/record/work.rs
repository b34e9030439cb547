//! The records of checks, of models that were asked, of worktrees and of landings.

use super::{Issue, Word};
use crate::event::Check;
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A run of the checks began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBegin {
    /// A digest of the files, the checks and the environment.
    pub key: String,
}

/// A run of the checks ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// A digest of the files, the checks and the environment.
    pub key: String,
    /// The snapshot.
    pub snapshot: String,
    /// The result of each check.
    pub checks: Vec<Check>,
    /// Files that changed during the checks, as a check declares.
    #[serde(default)]
    pub writes: Vec<String>,
    /// Files that changed during the checks although no check declares them.
    #[serde(default)]
    pub wrote: Vec<String>,
    /// The ignore rules that would cover the caches and logs that the checks left.
    #[serde(default)]
    pub leftovers: Vec<String>,
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
    /// The model that was asked.
    pub to: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// SHA-256 of the prompt.
    pub prompt_sha256: String,
    /// SHA-256 of the answer; None if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_sha256: Option<String>,
    /// The review request that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The decision, if the answer holds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Word>,
    /// The issues of the decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The tokens that its program reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The cost that it reported, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Why no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// A worktree was created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedWorktree {
    /// The name that was given.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// The full name of the branch.
    pub branch: String,
    /// The ref from which it was created.
    pub base: String,
    /// The fork point.
    pub fork: String,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A worktree was removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedWorktree {
    /// Its path.
    pub path: PathBuf,
    /// The full name of the branch that was checked out.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The backup of what was in it.
    #[serde(default)]
    pub kept: Option<String>,
    /// Whether its branch still exists.
    pub branch_kept: bool,
}

/// A commit is about to land.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Landing {
    /// The full name of the branch.
    pub branch: String,
    /// Its tip.
    pub tip: String,
    /// The local name of the base.
    pub base: String,
    /// The remote; None if nothing was pushed.
    #[serde(default)]
    pub remote: Option<String>,
    /// The base before.
    pub old: String,
    /// The commit that lands.
    pub new: String,
    /// The receipt that covers it.
    pub receipt: String,
    /// The snapshot.
    pub snapshot: String,
}

/// The commit landed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Landed(pub Landing);
