//! The types of a parsed definition of done.

use super::ask::{AskSpec, Diagnostic};
use super::guards::Guards;
use super::issues::IssueSpec;
use super::land::Land;
use super::looping::LoopSpec;
use super::proof::ProofSpec;
use super::review::ReviewSpec;
use super::run::RunSpec;
use crate::event::words;
use crate::sys::clock::{DAY, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A definition of done.
#[derive(Clone, Debug, PartialEq)]
pub struct Donefile {
    /// The checks, in order.
    pub checks: Vec<CheckSpec>,
    /// Tests and checks that may fail until a date.
    pub quarantine: Vec<Quarantine>,
    /// Which changes are tampering.
    pub guards: Guards,
    /// How often a stop is blocked.
    pub gate: Gate,
    /// When a review is required, and who reviews.
    pub review: ReviewSpec,
    /// Commands whose output a reviewer may request.
    pub diagnostics: Vec<Diagnostic>,
    /// The models that rg-ask asks.
    pub ask: AskSpec,
    /// How work lands.
    pub land: Land,
    /// How a change is proved.
    pub proof: ProofSpec,
    /// How loops run.
    pub looping: LoopSpec,
    /// What becomes an issue.
    pub issues: IssueSpec,
    /// How agents run.
    pub run: RunSpec,
    /// Rules for commands.
    pub commands: Commands,
    /// How much of a session rg-trace records.
    pub trace: TraceLevel,
    /// How long traces are kept.
    pub trace_keep: Retention,
    /// Keys and guards that have no effect in this release.
    pub not_judged: Vec<String>,
}

words! {
    /// What a check does.
    CheckKind {
        /// It runs tests.
        Test = "test",
        /// It runs a linter.
        Lint = "lint",
        /// It builds.
        Build = "build",
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckSpec {
    /// Its name.
    pub name: String,
    /// The command, for the shell.
    pub run: String,
    /// The longest time that it may take, in seconds.
    pub timeout: f64,
    /// The directory that it runs in, below the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables added to its environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The shell; the command is its last argument.
    pub shell: Vec<String>,
    /// Files that the checks may change, as gitignore patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CheckKind>,
    /// The report of its tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportSpec>,
    /// How often it is run again after it failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// Whether it can run in several copies of the files at the same time.
    #[serde(rename = "parallel", skip_serializing_if = "std::ops::Not::not")]
    pub is_parallel: bool,
    /// Whether `timeout` names a longer time than a check may take.
    #[serde(skip)]
    pub is_timeout_cut: bool,
}

impl CheckSpec {
    /// Whether it must report the tests that it ran.
    pub fn needs_evidence(&self) -> bool {
        self.kind == Some(CheckKind::Test) || self.report.is_some()
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Where a check reports its tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportSpec {
    /// In its output, in the format of this runner.
    Runner(String),
    /// In files that match this pattern, below the root.
    Files(String),
}

/// A test or a check that may fail until a date.
#[derive(Clone, Debug, PartialEq)]
pub struct Quarantine {
    /// The test, by its name or the end of it; None for a whole check.
    pub test: Option<String>,
    /// The check; None for any.
    pub check: Option<String>,
    /// When it ends.
    pub until: Time,
    /// Why.
    pub why: String,
}

/// The budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Bounces in a row without progress.
    pub max_bounces: u32,
    /// Minutes after the first bounce since the user's last prompt.
    pub max_minutes: f64,
    /// What happens at a stop that could not be judged.
    pub on_error: OnError,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { max_bounces: 3, max_minutes: 120.0, on_error: OnError::Allow }
    }
}

words! {
    /// What happens at a stop that could not be judged.
    OnError {
        /// The turn may end, and the user is notified.
        Allow = "allow",
        /// One bounce per prompt of the user.
        Block = "block",
    }
}

/// How much of a session rg-trace records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceLevel {
    /// Nothing.
    Off,
    /// Events, with tool input and output cut.
    Events,
    /// Events, with tool input and output as in the event line.
    Full,
}

/// How long traces are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Retention {
    /// Up to this age.
    Seconds(f64),
    /// Those of so many sessions.
    Sessions(usize),
}

impl Retention {
    /// The age that no trace may have, and how many may be there; None if there is no such limit.
    pub fn limits(self) -> (Option<Duration>, Option<usize>) {
        match self {
            Retention::Seconds(seconds) => (Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)), None),
            Retention::Sessions(kept) => (None, Some(kept)),
        }
    }
}

impl Default for Retention {
    fn default() -> Retention {
        Retention::Seconds(30.0 * DAY)
    }
}

/// Rules for commands, beside rg-guard's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commands {
    /// What rg-guard's own rules do.
    pub preset: CommandPreset,
    /// Commands that do not run.
    pub deny: Vec<CommandRule>,
    /// Commands that run after the user agreed.
    pub ask: Vec<CommandRule>,
    /// Commands that run although a rule would stop them.
    pub allow: Vec<CommandRule>,
}

/// A pattern over the words of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRule {
    /// The pattern.
    pub pattern: String,
    /// What the agent is told.
    pub reason: String,
    /// When it expires.
    pub until: Option<Time>,
}

words! {
    /// What rg-guard's own rules do.
    #[derive(Default)]
    CommandPreset {
        /// They deny or ask.
        #[default]
        Standard = "standard",
        /// They deny, even if the standard preset would ask.
        Strict = "strict",
        /// The agent owns the machine: rules about its packages, services and files do not apply.
        Container = "container",
        /// Only the core rules apply.
        Off = "off",
    }
}
