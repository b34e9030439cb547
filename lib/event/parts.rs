//! The parts of the event line: verdicts, findings, checks, waivers, the review and others.

use super::words::{BackgroundKind, BaseKind, EndedWhy, Level, LoopMark, Origin, ReviewState, Trust, Verdict};
use super::{RuleName, Scope, Stage, is_default};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The client's id of the subagent.
    pub id: String,
    /// Its role. It is a label and proves nothing.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// The client's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The input; a string if it was too long to keep whole.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// The output.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What the agent reports in its last message, on lines of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// The marks of a loop, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loop_done: Vec<LoopMark>,
    /// The reason of the first `CANNOT:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cannot: Option<String>,
    /// The issues of a reviewer that it contests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contests: Vec<Contest>,
}

/// An issue that the agent contests: `CONTEST <key>: <reason>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contest {
    /// The key of the issue, or at least its first six characters.
    pub key: String,
    /// Why the issue does not exist, in the agent's words.
    pub reason: String,
}

/// Something that still runs in the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The client's id of it; for a subagent, its agent id.
    #[serde(default)]
    pub id: String,
    /// What it is.
    #[serde(rename = "type", default)]
    pub kind: BackgroundKind,
    /// The client's word for its status, such as `running`.
    #[serde(default)]
    pub status: String,
    /// The agent's description of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Background {
    /// Whether it is an agent that is running, which ends by itself.
    pub fn is_running_agent(&self) -> bool {
        matches!(self.kind, BackgroundKind::Subagent | BackgroundKind::Workflow) && self.status == "running"
    }
}

/// The DONE.md that applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DonefileRef {
    /// Its path, relative to the root.
    pub path: PathBuf,
    /// SHA-256 of its bytes when the task began.
    pub sha256: String,
}

/// What rg-tamper compared the files with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// What it is.
    pub kind: BaseKind,
    /// The ref, if there is one.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The commit; of a baseline, the one that was checked out when it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When, why and by whom the baseline was replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blessed: Vec<Blessed>,
}

/// A replacement of the baseline by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blessed {
    /// Who.
    pub who: String,
    /// Why.
    pub why: String,
    /// When.
    pub at: Time,
}

/// The verdict of one judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The judge.
    pub by: Stage,
    /// Its verdict.
    pub verdict: Verdict,
    /// In one sentence.
    #[serde(default)]
    pub why: String,
    /// The snapshot that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Whether only a part was judged. A pass then counts as inconclusive.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
}

/// The environment of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckEnvironment {
    /// The names of variables in it that change what programs do, such as `MAKEFLAGS`.
    pub overrides: Vec<String>,
}

/// The snapshots before and after the checks, if only declared files changed. A verdict about the first counts for the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewritten {
    /// The snapshot before the checks ran.
    pub seen_before: String,
    /// The snapshot after it.
    pub seen_after: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The judge.
    pub by: Stage,
    /// The stable name of the rule.
    pub rule: RuleName,
    /// The level.
    pub level: Level,
    /// The file, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// In one sentence.
    pub text: String,
    /// The fingerprint: the same finding has the same key at the next stop.
    pub key: String,
}

impl Finding {
    /// A finding whose key derives from its rule, its path and `what`, a normalised snippet without a line number.
    pub fn new(
        by: Stage,
        rule: impl Into<RuleName>,
        level: Level,
        path: Option<&str>,
        what: &str,
        text: impl Into<String>,
    ) -> Finding {
        let rule = rule.into();
        let key = crate::sys::digest::sha256_parts(&[rule.as_bytes(), path.unwrap_or("").as_bytes(), what.as_bytes()]);
        Finding {
            by,
            rule,
            level,
            path: path.map(str::to_string),
            line: None,
            text: text.into(),
            key: key[..16].to_string(),
        }
    }
}

/// A waiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// The record's id.
    pub id: String,
    /// The scope.
    pub scope: Scope,
    /// The reason that was given.
    pub why: String,
    /// The user who gave it.
    pub who: String,
    /// When it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// How the prompt that gave it reached the gate; None if it was no prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// When it ends.
    pub until: Time,
}

/// The count of consecutive bounces without progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounce {
    /// The number of this bounce.
    pub n: u32,
    /// How many there may be.
    pub of: u32,
    /// The score of the work.
    pub score: Score,
    /// The keys of the open findings at the last stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The keys of the open findings now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<String>,
    /// The number of an earlier stop of this task with the same files and findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u32>,
    /// Whether `same_as` is the previous stop.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unchanged: bool,
    /// Whether there was progress, which restores the budget.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: bool,
}

/// The first judge of the pipeline that does not pass, and how many findings it has open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The judge; None if all pass.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judge: Option<Stage>,
    /// How many findings it has open.
    pub open: u32,
    /// How often a reviewer has rejected the work so far.
    #[serde(default, skip_serializing_if = "is_default")]
    pub round: u32,
}

/// The state of a task's review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The state.
    pub state: ReviewState,
    /// What armed it: `#review`, `RG_REVIEW`, or a key of DONE.md.
    pub armed: String,
    /// Who reviewed: the subagent's id, or the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Who started the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// The id of the review request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The files that were reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How often the work was rejected since it was last abandoned.
    #[serde(default)]
    pub round: u32,
    /// How often it may be rejected.
    #[serde(default)]
    pub of: u32,
    /// The reviewer's summary.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The reviewer's message to the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The patch and the tests that the reviewer suggests. Nothing applies them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
    /// The other model, and its decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<String>,
    /// SHA-256 of the reviewer's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

impl Review {
    /// A review that is armed, without a decision.
    pub fn armed(why: impl Into<String>) -> Review {
        Review {
            state: ReviewState::Armed,
            armed: why.into(),
            by: None,
            trust: None,
            request: None,
            snapshot: None,
            round: 0,
            of: 0,
            summary: String::new(),
            message: String::new(),
            suggestion: String::new(),
            second_opinion: None,
            definition: None,
        }
    }
}

/// The innermost loop of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The id of the loop; empty if its records are contradictory.
    pub frame: String,
    /// The current iteration.
    pub iteration: u32,
    /// How many there may be.
    pub of: u32,
    /// How many loops there are on the stack.
    pub depth: u32,
}

/// Why the turn may end although the work is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The stage that set it; rg-bounce if a record names none.
    #[serde(default = "bounce")]
    pub by: Stage,
    /// The reason.
    pub why: EndedWhy,
    /// The reason in words; after `CANNOT:` the agent's own.
    pub text: String,
}

fn bounce() -> Stage {
    Stage::Bounce
}
