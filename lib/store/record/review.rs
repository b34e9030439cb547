//! The records of reviews in a task's journal: review requests, opened calls, reviewers that began, and their decisions.

use super::decision::{Decision, Severity};
use crate::event::{Base, Confidence, Finding, Origin, Trust, words};
use crate::sys::clock::{self, Time};
use crate::sys::text::cut_end;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A step of a review. Each has one constructor; the fold is `review::record::Reviews`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a step is read once and borrowed from then on")]
pub enum ReviewStep {
    /// What reviews, as it was at the task's first prompt; by rg-review: as the user accepted it.
    Pinned(ReviewPins),
    /// A call of the reviewer, for which the gate wrote the prompt.
    Opened(OpenedCall),
    /// The reviewer began in an opened call.
    Began(StartedReviewer),
    /// An agent with the reviewer's role began without an opened call.
    Uninvited {
        /// The client's id of the agent.
        agent: String,
        /// Why it does not count.
        why: String,
    },
    /// The reviewer was asked for what its decision lacks.
    SentBack(FollowUpRequest),
    /// The reviewer decided.
    Decided(CheckedDecision),
}

/// What must not change between the begin of a task and its review.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewPins {
    /// SHA-256 of the prompt of the client's reviewer; None if the client has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The programs that may review, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, PinnedProgram>,
    /// The names of programs that could review and were not installed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub absent: BTreeSet<String>,
    /// The files that the reviewer's command names or runs, by path: what identifies the content, empty if there was no such file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The instruction files of clients that no snapshot need hold, by path: SHA-256.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, String>,
}

/// A program as it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PinnedProgram {
    /// Where it was found.
    pub path: PathBuf,
    /// Its path without links.
    pub real: PathBuf,
    /// What identifies its content: SHA-256, or for a large file its inode, size and time of change.
    pub id: String,
    /// The interpreter of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
}

/// A step of a review by a reviewer that rg-review started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LaunchedReviewStep(pub ReviewStep);

words! {
    /// How a decision counts, after it was checked against its review request.
    Standing {
        /// These files are approved.
        Approved = "approved",
        /// They are rejected.
        Rejected = "rejected",
        /// The reviewer cannot tell.
        Unsure = "unsure",
        /// It asks for a user.
        Human = "human",
        /// It gave no usable answer.
        Unusable = "unusable",
        /// The decision does not count: it is forged, late, or about files that changed meanwhile.
        Void = "void",
    }
}

/// A review request: what a reviewer is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// Its id: the envelope's.
    #[serde(skip_serializing)]
    pub id: String,
    /// The files.
    pub snapshot: String,
    /// What the files were compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// How many files changed since the base.
    #[serde(default)]
    pub files: usize,
    /// The findings of earlier judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// When it was made: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A call of the client's agent tool that the gate saw before it ran, and for which it wrote the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedCall {
    /// The review request.
    pub request: String,
    /// The client's id of the call.
    #[serde(default)]
    pub call: Option<String>,
    /// SHA-256 of the prompt that the gate wrote.
    pub prompt_sha256: String,
    /// SHA-256 of the prompt that the agent wrote.
    #[serde(default)]
    pub claims_sha256: Option<String>,
    /// The client's session.
    #[serde(default)]
    pub session: Option<String>,
    /// The hook origin of the call.
    #[serde(default)]
    pub origin: Origin,
    /// The record's id: the envelope's.
    #[serde(skip_serializing, rename = "id")]
    pub record: String,
}

/// A reviewer that began in an opened call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartedReviewer {
    /// The review request.
    pub request: String,
    /// The `Opened` record.
    pub opened: String,
    /// The client's id of the agent.
    pub agent: String,
    /// SHA-256 of the nonce that it must repeat.
    pub nonce_sha256: String,
    /// SHA-256 of the reviewer's prompt.
    #[serde(default)]
    pub definition: Option<String>,
    /// When it began, in nanoseconds, by the clock of file times.
    #[serde(default)]
    pub file_nanos: i64,
    /// The hook origin.
    #[serde(default)]
    pub origin: Origin,
}

/// A reviewer that was asked for what its decision lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FollowUpRequest {
    /// The agent.
    pub agent: String,
    /// The review request.
    #[serde(default)]
    pub request: Option<String>,
    /// What it was asked for: `form`, `second-opinion` or `diagnostics`.
    pub about: String,
}

/// A decision, after it was checked against its review request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedDecision {
    /// The review request; None if it names none that is known.
    #[serde(default)]
    pub request: Option<String>,
    /// The snapshot that it is about; None if that is not known.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The session in which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who decided: the agent's id, the program or the file.
    pub by: String,
    /// Who started the reviewer; None if the decision does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// How it counts.
    pub standing: Standing,
    /// Why it counts so, if that is not evident.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The reviewer's summary.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The reviewer's message to the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<RaisedIssue>,
    /// Keys of earlier issues that it found resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<String>,
    /// The other model that was asked, and its decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<String>,
    /// SHA-256 of the reviewer's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The whole decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
    /// Its line in the journal, from 1. The fold sets it.
    #[serde(skip)]
    pub place: usize,
}

/// How much of a suggested patch, and of suggested tests, is passed on: lines, and bytes.
const SUGGESTION: (usize, usize) = (12, 750);

impl CheckedDecision {
    /// The suggested patch and tests, with headings, cut to a bounded length.
    pub fn suggestion(&self) -> String {
        let Some(decision) = &self.decision else { return String::new() };
        let tests = decision.extra_tests.join("\n");
        let parts = [("suggested patch", &decision.suggested_patch), ("suggested tests", &tests)];
        let parts = parts.iter().filter(|(_, text)| !text.trim().is_empty());
        let shown = |text: &str| {
            let lines: Vec<&str> = text.trim_matches('\n').lines().take(SUGGESTION.0).collect();
            let more = if text.trim().lines().count() > SUGGESTION.0 { "\n[...]" } else { "" };
            cut_end(&lines.join("\n"), SUGGESTION.1) + more
        };
        parts.map(|(name, text)| format!("{name}:\n{}\n", shown(text))).collect()
    }

    /// An unusable answer of `by`: a decision before it is checked against its review request.
    pub fn new(by: String, request: Option<String>) -> CheckedDecision {
        CheckedDecision {
            request,
            snapshot: None,
            session: None,
            by,
            trust: None,
            standing: Standing::Unusable,
            why: String::new(),
            summary: String::new(),
            message: String::new(),
            issues: Vec::new(),
            settled: Vec::new(),
            second_opinion: None,
            definition: None,
            decision: None,
            at: clock::now(),
            place: 0,
        }
    }
}

/// An issue as it was raised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaisedIssue {
    /// The same issue has the same key in every round.
    pub key: String,
    /// Its severity.
    pub severity: Severity,
    /// How sure the reviewer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub description: String,
    /// How the issue can be reproduced.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how_to_verify: String,
    /// Whether it blocks.
    pub blocks: bool,
    /// Why it does not block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_not: String,
}

/// The user's approval of these files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// The record's id: the envelope's.
    #[serde(skip_serializing)]
    pub id: String,
    /// The files.
    pub snapshot: String,
    /// The reason that was given.
    pub why: String,
    /// The user.
    pub who: String,
}
