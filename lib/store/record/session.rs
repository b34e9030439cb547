//! The records of sessions, of installed hooks, of notices and of traces.

use crate::event::{Actor, BudgetOwner, Client, Kind as EventKind, Level, Outcome, Reply};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a program was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calling {
    /// The client's process.
    #[serde(default)]
    pub pid: Option<i32>,
    /// When that process started, in clock ticks since the system did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticks: Option<u64>,
    /// What standard input is.
    pub stdin: String,
    /// The parent's program, its first option, and the first word of the command that it runs.
    pub parent: String,
}

/// A session began or was resumed, cleared or compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// Why it started, as the client says.
    #[serde(default)]
    pub source: Option<String>,
    /// How the client called the hook.
    pub calling: Calling,
    /// The client's own log, if it named one.
    #[serde(default)]
    pub transcript: Option<PathBuf>,
    /// An agent started the client: it ran below another client, or with the variables of an agent's shell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// The task of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    /// The session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// The task.
    pub task: String,
    /// The state directory that holds its journal.
    pub dir: PathBuf,
    /// Why.
    pub why: String,
    /// The session that was cleared for this one.
    #[serde(default)]
    pub from: Option<String>,
}

/// The user was told that a task's records are gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordsGone {
    /// The session.
    pub session: String,
    /// The task.
    pub task: String,
}

/// Prompts that the client will submit by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduledPrompts {
    /// SHA-256 of each.
    pub digests: Vec<String>,
    /// It is the client's list of all that it has at the end of a turn.
    pub all: bool,
    /// The client may submit them although it no longer lists them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
}

/// rg-event checked whether the session is a fork of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForkCheck {
    /// The session.
    pub session: String,
    /// The task that it continues; None if it is no fork.
    #[serde(default)]
    pub fork_of: Option<String>,
}

/// The mark of a session that made no tool call yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritten {
    /// The session.
    pub session: String,
    /// The inode of the mark.
    pub inode: u64,
    /// When the status of the mark changed last, in nanoseconds since 1970.
    pub changed_nanos: u64,
}

/// rg-guard saw a tool call of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// The session.
    pub session: String,
    /// How the client called rg-guard.
    pub process: Calling,
}

/// A notice for the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// The task that it is about.
    #[serde(default)]
    pub task: Option<String>,
    /// The text.
    pub text: String,
    /// The receipt with the details.
    #[serde(default)]
    pub receipt: Option<String>,
}

/// The user was shown notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownNotices {
    /// The ids of the notices.
    pub ids: Vec<String>,
}

/// An event of a session, as a trace keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedEvent {
    /// What happened.
    pub event: EventKind,
    /// The event's id.
    pub event_id: String,
    /// Who made it.
    pub by: Actor,
    /// The budget owner.
    pub budget_owner: BudgetOwner,
    /// The client's id of the prompt.
    #[serde(default)]
    pub turn: Option<String>,
    /// The task.
    #[serde(default)]
    pub task: Option<String>,
    /// Why a session started or ended.
    #[serde(default)]
    pub source: Option<String>,
    /// The prompt.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The agent's last message.
    #[serde(default)]
    pub message: Option<String>,
    /// The tool call.
    #[serde(default)]
    pub tool: Option<TracedTool>,
    /// The outcome.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// The reply.
    #[serde(default)]
    pub reply: Option<Reply>,
    /// The bounce, such as `2 of 3`, if one was counted.
    #[serde(default)]
    pub bounce: Option<String>,
    /// The receipt.
    #[serde(default)]
    pub receipt: Option<String>,
    /// The findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<TracedFinding>,
    /// The texts for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tell: Vec<String>,
    /// The length and the last digest of the task's journal, so that a later truncation shows.
    #[serde(default)]
    pub journal: Option<JournalHead>,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A tool call in a trace. Long texts are cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedTool {
    /// The tool.
    pub name: String,
    /// The input, as JSON.
    #[serde(default)]
    pub input: Option<String>,
    /// The output, as JSON.
    #[serde(default)]
    pub output: Option<String>,
    /// The error.
    #[serde(default)]
    pub error: Option<String>,
}

/// A finding in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedFinding {
    /// The program that found it.
    pub by: String,
    /// The rule.
    pub rule: String,
    /// Its level.
    #[serde(default = "error")]
    pub level: Level,
    /// In one sentence.
    pub text: String,
}

/// The level of a finding without one.
fn error() -> Level {
    Level::Error
}

/// The length of a journal and the digest of its last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    /// Its length in bytes.
    pub length: u64,
    /// SHA-256 of its last line.
    #[serde(default)]
    pub head: Option<String>,
}

/// Hooks were added to a client's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Install {
    /// The settings file.
    pub path: PathBuf,
    /// The client.
    pub client: Client,
    /// The settings as they were; None if there was no file.
    #[serde(default)]
    pub before: Option<String>,
    /// SHA-256 of the new settings; None if the file was removed, or edited before the programs were recorded again.
    #[serde(default)]
    pub after_sha256: Option<String>,
    /// The directory that was made for the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_dir: Option<PathBuf>,
    /// The programs that the hooks start, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<PathBuf, InstalledProgram>,
    /// The release of review-gate.
    pub version: String,
}

/// A program when its hooks were installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledProgram {
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its inode.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its status changed last, in nanoseconds since 1970.
    pub changed_nanos: u64,
}

/// Hooks were removed from a client's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uninstall(pub Install);
