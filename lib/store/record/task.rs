//! What a task's journal says of prompts, stops, waivers, baselines and tool calls.

use crate::event::{
    Action, Actor, Bounce, BudgetOwner, Client, Ended, Outcome, Scope, State as Presence, Waiver, words,
};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The record that a task begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The client's session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// What is judged.
    pub root: PathBuf,
    /// The top of its working tree.
    pub worktree: PathBuf,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The files as they were; None where nothing asked for them.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The definition of done as it was.
    #[serde(default)]
    pub donefile: Option<BegunWith>,
    /// The .gitignore files as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<Kept>,
    /// Tracked files that those rules hide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<PathBuf>,
    /// `missing` where it was begun by a stop of which no record stood.
    #[serde(default)]
    pub state: Presence,
    /// Other working trees of the repository that lay below this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<PathBuf>,
    /// The task before, where nothing that was done in it since its own begin was judged: its baseline goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Whether the file that turns loops off lay there; where that is not said, what was committed then tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_file: Option<bool>,
    /// What the user waived in the task before, and still holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
}

/// A definition of done as it was at the begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunWith {
    /// Its name below the root.
    pub path: PathBuf,
    /// SHA-256 of its bytes, which are kept.
    pub sha256: String,
    /// It was a symbolic link.
    #[serde(default)]
    pub is_link: bool,
    /// It could be read as a definition of done.
    #[serde(default)]
    pub valid: bool,
}

/// A file that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Below the working tree's top.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

words! {
    /// What a prompt says of a review, or of a loop.
    Switch {
        /// One is asked for.
        On = "on",
        /// None is wanted any more.
        Off = "off",
    }
}

/// A prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Who made it.
    pub by: Actor,
    /// The client's id of it.
    #[serde(default)]
    pub turn: Option<String>,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its text without secrets, a long one by its head and tail.
    pub text: String,
    /// The blob of the whole of a long one.
    #[serde(default)]
    pub blob: Option<String>,
    /// What it says of a review.
    #[serde(default)]
    pub review: Option<Switch>,
    /// What it says of loops, the last word of it.
    #[serde(default, rename = "loop")]
    pub looping: Option<Switch>,
    /// The blobs of the tasks of the loops that it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<String>,
    /// It ends the loops before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loop_ends: bool,
    /// The task in which it was made, where that is another one.
    #[serde(default)]
    pub from: Option<String>,
}

/// A stop that is about to be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The event.
    pub event: String,
    /// Whose budget it concerns.
    pub budget_owner: BudgetOwner,
    /// The client's id of the prompt.
    #[serde(default)]
    pub turn: Option<String>,
    /// When the client stops listening.
    #[serde(default)]
    pub until: Option<Time>,
}

/// A stop that ended without an outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Close {
    /// The event.
    pub event: String,
    /// Why.
    pub why: String,
}

/// The gate is off for the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateOff {
    /// Who said so.
    pub who: String,
    /// Until when.
    pub until: Time,
}

/// It is on again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateOn {
    /// Who said so.
    pub who: String,
}

/// What was decided at one stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// The event.
    pub event: String,
    /// Whose budget it concerns.
    pub budget_owner: BudgetOwner,
    /// The outcome.
    pub outcome: Outcome,
    /// `block` or `allow`.
    pub reply: Action,
    /// SHA-256 of the reason that was sent.
    #[serde(default)]
    pub reason_sha256: Option<String>,
    /// The count, where it was kept.
    #[serde(default)]
    pub bounce: Option<Bounce>,
    /// The open findings' keys.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The files.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The receipt's id.
    pub receipt: String,
    /// Its file, below the state directory.
    pub file: String,
    /// SHA-256 of the receipt's bytes.
    pub sha256: String,
    /// Why the turn could end.
    #[serde(default)]
    pub ended: Option<Ended>,
    /// It is judged at a later stop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferred: bool,
}

/// Something that the user waived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waive {
    /// `gate`, `rule:<rule>` or `key:<key>`.
    pub scope: Scope,
    /// The reason that was given.
    pub why: String,
    /// Who.
    pub who: String,
    /// When it ends.
    pub until: Time,
}

/// The files as they stood when a task, or a subagent, began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Whose: `main`, or `agent:<id>`.
    pub budget_owner: BudgetOwner,
    /// The files: the name of the snapshot, and of the manifest's blob.
    pub snapshot: String,
    /// The blob of git's names for the files.
    pub ids: String,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// SHA-256 of the definition of done.
    #[serde(default)]
    pub donefile: Option<String>,
    /// What was pinned beside the files.
    #[serde(default)]
    pub pinned: Pinned,
    /// How many files were copied.
    #[serde(default)]
    pub copied: usize,
    /// Files that were too large for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PathBuf>,
    /// The task whose baseline goes on in this one.
    #[serde(default)]
    pub from: Option<String>,
    /// When it was taken: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// What decides beside the files: clients' settings, protected files that no snapshot holds, what git was told not to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    /// By the path as it is shown: a digest of what decides, where anything does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Protected files that are in no snapshot, by path: the digest of their bytes; those that were not there are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protected: BTreeMap<String, String>,
    /// Tracked paths that git was told not to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlooked: Vec<PathBuf>,
    /// Objects that others stand in for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
}

/// The user made the files as they stood the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bless {
    /// Why.
    pub why: String,
    /// Who.
    pub who: String,
}

/// The working tree before the context was compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// What started the compaction, as the client says.
    #[serde(default)]
    pub trigger: Option<String>,
    /// How it stood.
    pub tree: TreeState,
}

/// How a working tree stands: branch, last commits, staged, changed and untracked files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeState {
    /// Its top; None where nothing could be looked at.
    #[serde(default)]
    pub top: Option<String>,
    /// The branch; None where the head is detached, or nothing could be looked at.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that is checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The last commits, the newest first.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Staged files.
    #[serde(default)]
    pub staged: Listed,
    /// Changed files.
    #[serde(default)]
    pub unstaged: Listed,
    /// Untracked files.
    #[serde(default)]
    pub untracked: Listed,
}

/// Names, and how many there are in all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// In all.
    pub count: usize,
    /// The first of them.
    pub first: Vec<String>,
}

/// A tool call that rg-guard denied, or asked the user about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Denied {
    /// The client's session.
    pub session: String,
    /// The subagent; empty for the session's own.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The rule.
    pub rule: String,
    /// `deny` or `ask`.
    pub level: Action,
    /// Why.
    pub reason: String,
    /// What it was called with, without secrets.
    pub input: String,
}

/// A backup that was taken before a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescued {
    /// The client's session.
    pub session: String,
    /// The subagent; empty for the session's own.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The backup's id.
    pub backup: String,
    /// The working tree that it is of.
    pub worktree: PathBuf,
    /// The command.
    pub input: String,
}
