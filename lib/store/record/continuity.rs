//! What a task knows of the past: the files at the end of the previous task, what changed until the next prompt, and records that
//! its journal no longer has.

use super::JournalHead;
use serde::{Deserialize, Serialize};

/// The files when a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousFiles {
    /// The task.
    pub task: String,
    /// Their snapshot, which is also the name of the manifest's blob.
    pub snapshot: String,
    /// The last task since, if it changed nothing: what it told the user is not told again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
}

/// The files that changed between two tasks of a session, when no turn of the agent ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesBetweenTasks {
    /// How many files changed.
    pub count: usize,
    /// The first of them, as shown: definitions of done, protected files and tests come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
    /// Those that the user has to accept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarded: Vec<GuardedChange>,
}

/// A file that changed between two tasks and that the user has to accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedChange {
    /// Its path, as shown; empty if the previous files are not on record.
    pub path: String,
    /// Why it counts.
    pub text: String,
    /// SHA-256 at the end of the previous task; empty if there was no file.
    pub then: String,
    /// SHA-256 at the prompt; empty if there was no file.
    pub now: String,
}

/// Records were cut off the end of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutRecords {
    /// The length and the last digest of the journal when the trace saw it.
    pub journal: JournalHead,
}
