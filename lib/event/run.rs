//! What rg-run reports about the agent's turn before a stop, with `rg-event --run`.

use super::{EndedWhy, words};
use serde::{Deserialize, Serialize};

/// One turn of the agent in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTurn {
    /// The id of the run.
    pub id: String,
    /// The round, from 1.
    pub round: u32,
    /// The agent's program.
    pub agent: String,
    /// How the agent ended: its exit status, a signal, or a deadline.
    pub how: String,
    /// Its exit status; None if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// The tokens that the run has spent; None if a turn of it reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The cost of the run in US dollars; None if a turn of it reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Why this is the last round; None if another one may follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastRound>,
    /// Why the stop cannot be judged; None if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What its change lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<RunNote>,
}

/// Something that an agent's change lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunNote {
    /// What it is.
    pub what: RunNoteKind,
    /// The file.
    pub path: String,
    /// The same in a sentence.
    pub text: String,
    /// Whether it blocks.
    #[serde(default)]
    pub blocks: bool,
}

words! {
    /// What a change of an agent may lack.
    RunNoteKind {
        /// Source files changed, and no test did.
        Untested = "untested",
        /// The agent's plan does not name the file.
        Unplanned = "unplanned",
        /// Neither the goal nor the agent names a new dependency.
        UnnamedDependency = "dependency",
    }
}

/// Why no further round may follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastRound {
    /// What is spent.
    pub why: EndedWhy,
    /// The same for people.
    pub text: String,
}
