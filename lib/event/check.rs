//! The result of one check, as the event line and the receipt hold it.

use super::is_default;
use super::words::CheckEnd;
use crate::evidence::TestRun;
use crate::excerpt::Excerpt;
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Its name in DONE.md.
    pub name: String,
    /// Its command.
    pub run: String,
    /// How it ended.
    pub ended: CheckEnd,
    /// Its exit status, if it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The signal that killed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What its runner reports about the tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestRun>,
    /// Why a report that DONE.md names could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_error: Option<String>,
    /// The runs that failed before it passed or failed for the last time, on the same files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_tries: Vec<Check>,
    /// Why its failure is permitted by `quarantine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
    /// The last part of its output, as plain text.
    #[serde(default)]
    pub tail: String,
    /// The failures that its output reports, if it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// The file in the state directory that holds its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// SHA-256 of its whole output.
    #[serde(default)]
    pub sha256: String,
    /// When it ran, if the result comes from an earlier run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_at: Option<Time>,
    /// Whether that run left out other checks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
    /// Whether it already failed on the files that the task began with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub red_before: bool,
}

impl Check {
    /// Whether it passed, or its failure is in quarantine.
    pub fn is_green(&self) -> bool {
        self.ended == CheckEnd::Passed || self.ended == CheckEnd::Failed && self.quarantined.is_some()
    }

    /// Whether it failed and then passed on the same files.
    pub fn is_flaky(&self) -> bool {
        self.ended == CheckEnd::Passed && !self.failed_tries.is_empty()
    }
}
