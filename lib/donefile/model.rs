//! What a definition of done says, read.

use super::guards::Guards;
use super::land::Land;
use super::looping::LoopSpec;
use super::review::{AskSpec, Diagnostic, ReviewSpec};
use crate::sys::clock::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// A definition of done.
#[derive(Clone, Debug)]
pub struct Donefile {
    /// What must pass, in its order.
    pub checks: Vec<CheckSpec>,
    /// What lowers the bar.
    pub guards: Guards,
    /// How often an agent is sent back.
    pub gate: Gate,
    /// When a reviewer must have spoken, and whose word counts.
    pub review: ReviewSpec,
    /// Commands whose output a reviewer may ask for.
    pub diagnostics: Vec<Diagnostic>,
    /// Whom rg-ask asks.
    pub ask: AskSpec,
    /// How work lands.
    pub land: Land,
    /// How an agent is kept at its task.
    pub looping: LoopSpec,
    /// What is said about commands.
    pub commands: Commands,
    /// How much of a session is written down.
    pub trace: TraceLevel,
    /// For how long.
    pub trace_keep: Keep,
    /// What it asks for and this release does not judge: some guards, sections of later tools.
    pub not_judged: Vec<String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckSpec {
    /// Its name.
    pub name: String,
    /// The command, for the shell.
    pub run: String,
    /// Seconds it may take.
    pub timeout: f64,
    /// Where it runs, below the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables added to its environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The shell; the command is its last argument.
    pub shell: Vec<String>,
    /// Files that it may write, as gitignore patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// It says how its runner reports; this release does not read that.
    #[serde(skip)]
    pub report: bool,
}

/// The budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Consecutive bounces without progress.
    pub max_bounces: u32,
    /// Minutes from the first bounce after the last person's prompt.
    pub max_minutes: f64,
    /// What happens at a stop that could not be judged.
    pub on_error: OnError,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { max_bounces: 3, max_minutes: 120.0, on_error: OnError::Allow }
    }
}

/// What happens at a stop that could not be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The turn may end, and the person is told.
    Allow,
    /// One bounce per person's prompt.
    Block,
}

/// How much of a session rg-trace writes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceLevel {
    /// Nothing.
    Off,
    /// Events, with tool input and output cut.
    Events,
    /// Events whole, as far as an event line keeps them.
    Full,
}

/// How long traces are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    /// By their age.
    Seconds(f64),
    /// The last so many.
    Sessions(usize),
}

impl Default for Keep {
    fn default() -> Keep {
        Keep::Seconds(30.0 * 86_400.0)
    }
}

/// What is said about commands, beside the guard's own rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commands {
    /// How much the guard's own rules ask.
    pub preset: CommandPreset,
    /// What does not run.
    pub deny: Vec<CommandRule>,
    /// What runs after a person said so.
    pub ask: Vec<CommandRule>,
    /// What runs although a rule says otherwise.
    pub allow: Vec<CommandRule>,
}

/// A pattern over the words of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRule {
    /// The pattern.
    pub pattern: String,
    /// Why.
    pub reason: String,
    /// Until when it holds.
    pub until: Option<Time>,
}

/// How much the guard's own rules ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommandPreset {
    /// As they stand.
    #[default]
    Standard,
    /// What they would ask about they deny.
    Strict,
    /// Only those that cannot be switched off.
    Off,
}
