//! The records of a task's journal: prompts, stops, waivers, baselines and tool calls.

use super::continuity::{ChangesBetweenTasks, PreviousFiles};
use crate::event::{
    Action, Actor, Bounce, BudgetOwner, Client, Ended, Origin, Outcome, Scope, State as Presence, Waiver, words,
};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The first record of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The client's session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// The root.
    pub root: PathBuf,
    /// The top of its working tree.
    pub worktree: PathBuf,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The snapshot; None if no DONE.md and no armed review needed one.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The DONE.md that applies.
    #[serde(default)]
    pub donefile: Option<InitialDonefile>,
    /// The `.gitignore` files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<KeptFile>,
    /// Tracked files that those rules hide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<PathBuf>,
    /// `missing` if the task began at a stop for which there were no records.
    #[serde(default)]
    pub state: Presence,
    /// Other worktrees of the repository inside this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<PathBuf>,
    /// The previous task, if its work was never judged. Its baseline stays in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The task of another session whose work in these files was red or never judged. Its open findings stay open in this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
    /// The files when the session's previous task ended, which were judged or unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousFiles>,
    /// Its DONE.md replaces the previous task's, which could not judge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repaired: bool,
    /// Whether the file that switches loops off existed; None: the commit that was checked out decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_file: Option<bool>,
    /// The waivers of the previous task that still apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
}

/// The DONE.md when the task began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialDonefile {
    /// Its name below the root.
    pub path: PathBuf,
    /// SHA-256 of its bytes, which are kept as a blob.
    pub sha256: String,
    /// It was a symbolic link.
    #[serde(default)]
    pub is_link: bool,
    /// It was a valid definition of done.
    #[serde(default)]
    pub valid: bool,
}

/// A file that is kept as a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// Its path below the top of the working tree.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

words! {
    /// What a prompt says about a review or a loop.
    Switch {
        /// One is asked for.
        On = "on",
        /// None is wanted any longer.
        Off = "off",
    }
}

words! {
    /// Why the prompts of a client's process arm the gate but do not weaken it.
    Limit {
        /// An agent started the client.
        Nested = "nested",
        /// Another process of the session's client was there first, and runs.
        Second = "second",
        /// The session is a copy of another one, whose client runs.
        Fork = "fork",
        /// No user is at the client.
        Unattended = "unattended",
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
    /// Its text without secrets; of a long one the head and the tail.
    pub text: String,
    /// The blob that holds the whole of a long one.
    #[serde(default)]
    pub blob: Option<String>,
    /// What it says about a review.
    #[serde(default)]
    pub review: Option<Switch>,
    /// What it says about loops; the last line counts.
    #[serde(default, rename = "loop")]
    pub looping: Option<Switch>,
    /// The blobs that hold the tasks of the loops that it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<String>,
    /// It ends the loops that run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loop_ends: bool,
    /// Why it could not weaken the gate; None if it could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The task in which it was made, if that is another one.
    #[serde(default)]
    pub from: Option<String>,
}

/// A stop that is about to be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The event.
    pub event: String,
    /// The budget owner.
    pub budget_owner: BudgetOwner,
    /// The client's id of the prompt.
    #[serde(default)]
    pub turn: Option<String>,
    /// When the client stops waiting.
    #[serde(default)]
    pub until: Option<Time>,
    /// The running agents for which it was deferred, without the gate's own reviewer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred_for: Vec<String>,
}

/// A stop that ended without an outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Close {
    /// The event.
    pub event: String,
    /// Why.
    pub why: String,
    /// The snapshot, if no file had changed since the task began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
}

impl Close {
    /// How the reason begins if work was left unjudged.
    pub const UNVERIFIED: &str = "unverified";
}

/// The user switched the gate off for the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateOff {
    /// The user.
    pub who: String,
    /// How the prompt reached the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// When that ends.
    pub until: Time,
}

/// The user switched the gate on again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateOn {
    /// The user.
    pub who: String,
}

/// The outcome of one stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SealedReceipt {
    /// The event.
    pub event: String,
    /// The budget owner.
    pub budget_owner: BudgetOwner,
    /// The outcome.
    pub outcome: Outcome,
    /// `block` or `allow`.
    pub reply: Action,
    /// SHA-256 of the reason that the agent got.
    #[serde(default)]
    pub reason_sha256: Option<String>,
    /// The count of bounces, if one was kept.
    #[serde(default)]
    pub bounce: Option<Bounce>,
    /// The keys of the open findings.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The snapshot.
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
    /// The stop is judged later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferred: bool,
    /// Only changes between two tasks are open. The user's next prompt accepts them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits_user: bool,
}

/// A waiver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waive {
    /// `gate`, `rule:<rule>` or `key:<key>`.
    pub scope: Scope,
    /// The reason that was given.
    pub why: String,
    /// The user.
    pub who: String,
    /// When it ends.
    pub until: Time,
}

/// The baseline of a task or of a subagent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Its owner: `main` or `agent:<id>`.
    pub budget_owner: BudgetOwner,
    /// The snapshot, which is also the name of the manifest's blob.
    pub snapshot: String,
    /// The blob that holds git's object names of the files.
    pub ids: String,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// SHA-256 of DONE.md.
    #[serde(default)]
    pub donefile: Option<String>,
    /// The state outside the files.
    #[serde(default)]
    pub pinned: PinnedState,
    /// How many files were copied.
    #[serde(default)]
    pub copied: usize,
    /// Files that were too large to copy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PathBuf>,
    /// The task whose baseline stays in force in this one.
    #[serde(default)]
    pub from: Option<String>,
    /// The blob that holds the commits that existed: a line `<commit> <tree> tip` or `past` for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// What changed since the previous task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_tasks: Option<ChangesBetweenTasks>,
    /// When it was taken: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// State outside the snapshot that decides, too: clients' settings, protected files that git ignores, index flags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedState {
    /// By displayed path: a digest of the settings that decide which hooks run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// By path: the digest of each protected file that is in no snapshot. Files that did not exist are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protected: BTreeMap<String, String>,
    /// Tracked paths with an index flag that makes git skip them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlooked: Vec<PathBuf>,
    /// Objects that git-replace(1) replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
}

/// The user made the current files the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bless {
    /// Why.
    pub why: String,
    /// The user.
    pub who: String,
    /// The DONE.md that judges from then on; None: it was not changed, or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub donefile: Option<InitialDonefile>,
}

/// The working tree before the context was compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// What started the compaction, as the client says.
    #[serde(default)]
    pub trigger: Option<String>,
    /// The working tree.
    pub tree: TreeState,
}

/// The state of a working tree: branch, last commits, staged, changed and untracked files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeState {
    /// Its top; None if it could not be read.
    #[serde(default)]
    pub top: Option<String>,
    /// The branch; None if the head is detached, or if it could not be read.
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
    pub staged: FileList,
    /// Changed files.
    #[serde(default)]
    pub unstaged: FileList,
    /// Untracked files.
    #[serde(default)]
    pub untracked: FileList,
}

/// The first names of a list, and its length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileList {
    /// How many there are.
    pub count: usize,
    /// The first names.
    pub first: Vec<String>,
}

/// A tool call that rg-guard denied, or asked the user about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeniedCall {
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
    /// Its input, without secrets.
    pub input: String,
}

/// A backup that was saved before a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallBackup {
    /// The client's session.
    pub session: String,
    /// The subagent; empty for the session's own.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The backup's id.
    pub backup: String,
    /// The working tree that was backed up.
    pub worktree: PathBuf,
    /// The command.
    pub input: String,
}
