//! The records of runs: an agent that rg-run starts until its work is judged with a final outcome.

use super::{JournalHead, ModelSpending};
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
    /// The agent of an interrupted round was lost, with what it spent.
    Lost(RunLost),
    /// A round waits until turns under way leave room in a budget.
    Waits(RunWait),
    /// A signal ended rg-run.
    Interrupted(RunInterrupted),
    /// Another process of rg-run continues the run.
    Resumed(RunResumed),
    /// The run has ended.
    End(RunEnd),
    /// Runs for several items begin.
    Batch(RunBatch),
    /// The run for an item has ended.
    Item(RunItem),
    /// The runs for all items have ended.
    Summary(RunSummary),
}

impl RunStep {
    /// The run that it belongs to.
    pub fn run(&self) -> &str {
        match self {
            RunStep::Begin(step) => &step.run,
            RunStep::Agent(step) => &step.run,
            RunStep::Turn(step) => &step.run,
            RunStep::Judged(step) => &step.run,
            RunStep::Lost(step) => &step.run,
            RunStep::Waits(step) => &step.run,
            RunStep::Interrupted(step) => &step.run,
            RunStep::Resumed(step) => &step.run,
            RunStep::End(step) => &step.run,
            RunStep::Batch(step) => &step.run,
            RunStep::Item(step) => &step.run,
            RunStep::Summary(step) => &step.run,
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
    /// The reviewer's model; None if DONE.md decides.
    #[serde(default)]
    pub reviewer_model: Option<String>,
    /// The reviewer's effort; None if DONE.md decides.
    #[serde(default)]
    pub reviewer_effort: Option<String>,
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
    /// How many tokens all runs of the repository may spend in a day.
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
    /// What all runs of the repository may cost in a day, in US dollars.
    #[serde(default)]
    pub cost_per_day: Option<f64>,
    /// Whether the user sees each patch first.
    #[serde(default)]
    pub step: bool,
    /// Whether what a change lacks blocks.
    #[serde(default)]
    pub strict: bool,
    /// The branch of its worktree; None if it works in the directory that it was started in.
    #[serde(default)]
    pub branch: Option<String>,
    /// Whether rg-land lands the branch.
    #[serde(default)]
    pub land: bool,
    /// The directory whose repository it was started for, if it works in a worktree.
    #[serde(default)]
    pub home: Option<PathBuf>,
    /// The digest of the blob that holds what git ran when the run began: hooks, and settings that name programs.
    #[serde(default)]
    pub programs: Option<String>,
    /// The batch that it belongs to.
    #[serde(default)]
    pub batch: Option<String>,
    /// The item of the batch: the id of an issue, or the number of a line.
    #[serde(default)]
    pub item: Option<String>,
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
    /// The journals of the run's session and task before its turn.
    #[serde(default)]
    pub journals: Vec<JournalHead>,
    /// The process of rg-run that started it.
    #[serde(default)]
    pub runner: Option<RunProcess>,
}

/// A process of rg-run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProcess {
    /// Its number.
    pub pid: i32,
    /// When it started, in clock ticks since the system did.
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
    /// What the models spent that judged the round; None if none was asked.
    #[serde(default)]
    pub models: Option<ModelSpending>,
    /// The journals of the run's session and task after the judging.
    #[serde(default)]
    pub journals: Vec<JournalHead>,
    /// How the run ends; None if another round follows.
    #[serde(default)]
    pub ending: Option<RunEnd>,
}

impl RunVerdict {
    /// Nothing was decided.
    pub fn nothing(run: &str, round: u32) -> RunVerdict {
        RunVerdict {
            run: run.to_string(),
            round,
            outcome: None,
            receipt: None,
            reason: None,
            summary: String::new(),
            models: None,
            journals: Vec::new(),
            ending: None,
        }
    }
}

/// An agent whose end nobody saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLost {
    /// The run.
    pub run: String,
    /// The round.
    pub round: u32,
}

/// A round that waits until turns under way leave room in a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunWait {
    /// The run.
    pub run: String,
    /// The round.
    pub round: u32,
    /// What it waits for.
    pub why: String,
}

/// The end of a process of rg-run by a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInterrupted {
    /// The run.
    pub run: String,
}

/// The continuation of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResumed {
    /// The run.
    pub run: String,
    /// The process that continues it.
    pub runner: RunProcess,
    /// How long the agent of a killed run worked on without it, in seconds.
    #[serde(default)]
    pub seconds: f64,
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
    /// The commit that holds the work, if the run has a branch.
    #[serde(default)]
    pub commit: Option<String>,
    /// Whether that commit landed.
    #[serde(default)]
    pub landed: bool,
}

/// The beginning of runs for several items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBatch {
    /// Its id.
    pub run: String,
    /// Where the items come from.
    pub each: Each,
    /// How many runs may work at the same time.
    pub parallel: u32,
    /// What each run begins with. Its request is the blob of all lines.
    pub start: RunStart,
}

/// Where the items of a batch come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// The issues that are ready.
    Issue,
    /// The lines of the request.
    Line,
}

/// The end of the run for an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunItem {
    /// The batch.
    pub run: String,
    /// The id of the issue, or the number of the line.
    pub item: String,
    /// Its title, in a line.
    pub title: String,
    /// Its run; None if none was begun.
    #[serde(default)]
    pub of: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The exit status of the run.
    pub status: u8,
    /// Why, in a sentence.
    pub why: String,
    /// Its branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// Whether the work landed.
    #[serde(default)]
    pub landed: bool,
}

/// The end of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// The batch.
    pub run: String,
    /// How many items it had.
    pub items: u32,
    /// How many of them are done or waived.
    pub done: u32,
    /// How many of them landed.
    pub landed: u32,
    /// How many issues were made meanwhile and are left to the next batch.
    #[serde(default)]
    pub later: u32,
    /// The exit status.
    pub status: u8,
}
