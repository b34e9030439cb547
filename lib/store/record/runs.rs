//! The records of runs: an agent that rg-run starts until its work is judged with a final outcome.

use crate::event::Outcome;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum RunStep {
    /// The run begins.
    Begin(RunStart),
    /// A round's agent was started.
    Agent(RunAgent),
    /// A round's agent has ended.
    Turn(RunAnswer),
    /// The stop after a round was judged.
    Judged(RunVerdict),
    /// The run has ended.
    End(RunEnd),
}

impl RunStep {
    /// The run that it belongs to.
    pub fn run(&self) -> &str {
        match self {
            RunStep::Begin(step) => &step.run,
            RunStep::Agent(step) => &step.run,
            RunStep::Turn(step) => &step.run,
            RunStep::Judged(step) => &step.run,
            RunStep::End(step) => &step.run,
        }
    }
}

/// The beginning of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// Its id, which is also its session.
    pub run: String,
    /// The directory that it runs in.
    pub root: PathBuf,
    /// The digest of the blob that holds the request.
    pub request: String,
    /// The agent: the name of a known program, or the words of a command.
    pub agent: Vec<String>,
    /// The model; None for the program's default.
    #[serde(default)]
    pub model: Option<String>,
    /// The effort; None for the program's default.
    #[serde(default)]
    pub effort: Option<String>,
    /// The reviewer; None if DONE.md decides.
    #[serde(default)]
    pub reviewer: Option<String>,
    /// Whether the agent answers with a patch.
    #[serde(default)]
    pub patch: bool,
    /// The commit whose DONE.md says which files a patch may change.
    #[serde(default)]
    pub base: Option<String>,
    /// Whether the prompt is the last argument.
    #[serde(default)]
    pub argument: bool,
    /// How many rounds it may have; None if only the gate limits them.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// How many minutes it may take.
    pub minutes: f64,
    /// How many tokens it may spend.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// What it may cost, in US dollars.
    #[serde(default)]
    pub cost: Option<f64>,
}

/// The agent of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunAgent {
    /// The run.
    pub run: String,
    /// The round, from 1.
    pub round: u32,
    /// Its process group.
    pub group: i32,
    /// When the first process of the group started, in clock ticks since the system did.
    #[serde(default)]
    pub ticks: Option<u64>,
}

/// The end of an agent's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunAnswer {
    /// The run.
    pub run: String,
    /// The round.
    pub round: u32,
    /// How it ended.
    pub how: String,
    /// Its exit status.
    #[serde(default)]
    pub exit: Option<i32>,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// The tokens that it reported.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// The cost that it reported, in US dollars.
    #[serde(default)]
    pub cost: Option<f64>,
    /// The digest of the blob that holds the agent's message.
    pub message: String,
    /// Why its answer cannot be used; None if it can.
    #[serde(default)]
    pub refusal: Option<String>,
}

/// The verdict about a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunVerdict {
    /// The run.
    pub run: String,
    /// The round.
    pub round: u32,
    /// The outcome; None if nothing was decided.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// The receipt.
    #[serde(default)]
    pub receipt: Option<String>,
    /// The digest of the blob that holds the reason for the agent; None if no round follows.
    #[serde(default)]
    pub reason: Option<String>,
    /// What was decided, in a sentence.
    pub summary: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// The run.
    pub run: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The exit status.
    pub status: u8,
    /// The receipt.
    #[serde(default)]
    pub receipt: Option<String>,
    /// Why, in a sentence.
    pub why: String,
}
