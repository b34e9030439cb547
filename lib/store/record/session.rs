//! What the user's own directory says of sessions, and of settings that were wired; what users are told; what was traced.

use crate::event::{Actor, BudgetOwner, Client, Kind as EventKind, Outcome, Reply};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What can be seen of whoever calls us.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calling {
    /// The client's process.
    #[serde(default)]
    pub pid: Option<i32>,
    /// What standard input is.
    pub stdin: String,
    /// The parent's program, its first option, and the first word of the line it runs.
    pub parent: String,
}

/// A session began, was resumed, cleared or compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// Why it started, as the client says.
    #[serde(default)]
    pub source: Option<String>,
    /// How the client called.
    pub calling: Calling,
    /// The client's own log, where it said so.
    #[serde(default)]
    pub transcript: Option<PathBuf>,
    /// The client ran below another one of the same session: an agent started it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// The task that a session is at.
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
pub struct Gone {
    /// The session.
    pub session: String,
    /// The task.
    pub task: String,
}

/// Prompts that the client will submit by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scheduled {
    /// SHA-256 of each.
    pub digests: Vec<String>,
    /// These are all that there are.
    pub all: bool,
}

/// Whether the session is a fork was looked into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    /// The session.
    pub session: String,
    /// The task that it goes on with; None where it is no fork.
    #[serde(default)]
    pub fork_of: Option<String>,
}

/// Something that the user is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// The task that it is about.
    #[serde(default)]
    pub task: Option<String>,
    /// What.
    pub text: String,
    /// The receipt that says more.
    #[serde(default)]
    pub receipt: Option<String>,
}

/// The user was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The ids of the notices.
    pub ids: Vec<String>,
}

/// What happened in a session, as far as the trace keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// What happened.
    pub event: EventKind,
    /// The event's id.
    pub event_id: String,
    /// Who made it.
    pub by: Actor,
    /// Whose budget it concerns.
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
    /// `2 of 3`: the bounce, where one was counted.
    #[serde(default)]
    pub bounce: Option<String>,
    /// The receipt.
    #[serde(default)]
    pub receipt: Option<String>,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<TracedFinding>,
    /// What the user was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tell: Vec<String>,
    /// Where the task's journal stood, so that a later truncation of it shows.
    #[serde(default)]
    pub journal: Option<JournalHead>,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A tool call in a trace; what is long is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedTool {
    /// The tool.
    pub name: String,
    /// What it was called with, as JSON text.
    #[serde(default)]
    pub input: Option<String>,
    /// What it answered, as JSON text.
    #[serde(default)]
    pub output: Option<String>,
    /// How it failed.
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
    /// In a sentence.
    pub text: String,
}

/// Where a journal stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    /// Its length in bytes.
    pub length: u64,
    /// SHA-256 of its last line.
    #[serde(default)]
    pub head: Option<String>,
}

/// A client's settings were wired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Install {
    /// The settings file.
    pub path: PathBuf,
    /// The client.
    pub client: Client,
    /// The text as it was; None where there was no file.
    #[serde(default)]
    pub before: Option<String>,
    /// SHA-256 of what we made of it; None where the file was removed.
    #[serde(default)]
    pub after_sha256: Option<String>,
    /// The release that did it.
    pub version: String,
}

/// They were taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Uninstall(pub Install);
