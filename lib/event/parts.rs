//! The parts of the event line: what judges, checks and people leave in it.

use super::words::{
    Action, BackgroundKind, BaseKind, CheckEnd, EndedWhy, Level, LoopMark, ReviewState, Trust, Verdict,
};
use super::{RuleName, Scope, Stage, is_default};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The client's id of this run of it.
    pub id: String,
    /// Its role: a label, no identity.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The client's name of the tool.
    pub name: String,
    /// The client's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it was called with; a text when it was too long to keep whole.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What the agent's last message says to the gate, on lines of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// The marks of a loop: each that stands there, once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loop_done: Vec<LoopMark>,
    /// The reason of the first `CANNOT:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cannot: Option<String>,
}

/// Something that runs beside the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The client's id of it; a subagent's is its agent id.
    #[serde(default)]
    pub id: String,
    /// What it is.
    #[serde(rename = "type", default)]
    pub kind: BackgroundKind,
    /// `running` and others.
    #[serde(default)]
    pub status: String,
    /// What the agent called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Background {
    /// Whether it is another agent at work: that one ends by itself.
    pub fn is_running_agent(&self) -> bool {
        matches!(self.kind, BackgroundKind::Subagent | BackgroundKind::Workflow) && self.status == "running"
    }
}

/// Which definition of done judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DonefileRef {
    /// Where it was found, relative to the root.
    pub path: PathBuf,
    /// SHA-256 of its bytes at the task's begin.
    pub sha256: String,
}

/// What the guards compared the files with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// What it is.
    pub kind: BaseKind,
    /// The name that was given or found, where it is a commit of a name.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The commit; for a task, the one that was checked out at its begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A person declared later files to be the baseline: who, when and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blessed: Vec<Blessed>,
}

/// A baseline that a person declared anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blessed {
    /// Who.
    pub who: String,
    /// Why.
    pub why: String,
    /// When.
    pub at: Time,
}

/// What one judge said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The judge.
    pub by: Stage,
    /// Its verdict.
    pub verdict: Verdict,
    /// In a sentence.
    #[serde(default)]
    pub why: String,
    /// What it saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// It looked at a part only: never a yes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
}

/// The files before and after checks that changed only what they declare to write: who saw the former saw the latter, but for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewritten {
    /// The snapshot before the checks ran.
    pub seen_before: String,
    /// The snapshot after it.
    pub seen_after: String,
}

/// One thing that a judge found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The judge.
    pub by: Stage,
    /// The rule's stable name.
    pub rule: RuleName,
    /// Its weight.
    pub level: Level,
    /// The file, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// In a sentence.
    pub text: String,
    /// Fingerprint: the same finding next round has the same key.
    pub key: String,
}

impl Finding {
    /// A finding whose key is made of its rule, its path and `what` (a normalised snippet: no line number).
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

/// One check of the definition of done, run or answered from a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Its name in DONE.md.
    pub name: String,
    /// Its command.
    pub run: String,
    /// How it ended.
    pub ended: CheckEnd,
    /// Its exit status, when it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How long it took.
    pub seconds: f64,
    /// The last of its output, as plain text.
    #[serde(default)]
    pub tail: String,
    /// The whole of its output, a file in the state directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// Digest of the whole of its output.
    #[serde(default)]
    pub sha256: String,
    /// When it really ran, where the answer came from a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_at: Option<Time>,
    /// Other checks of the definition were left out in that run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
    /// It was red on the files that the task began with, where a record says so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub red_before: bool,
}

/// What a person let pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// The record's id.
    pub id: String,
    /// What it is about.
    pub scope: Scope,
    /// The reason that was given.
    pub why: String,
    /// Who gave it.
    pub who: String,
    /// When it ends.
    pub until: Time,
}

/// The count of consecutive bounces without progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounce {
    /// Which one this is.
    pub n: u32,
    /// How many there may be.
    pub of: u32,
    /// Where the work stands.
    pub score: Score,
    /// The open findings' keys at the stop before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The open findings' keys now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<String>,
    /// The number of the earlier stop of this task that saw the same files and the same findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u32>,
    /// That stop was the last one: nothing changed since.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unchanged: bool,
    /// There was progress, and the budget was filled up again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: bool,
}

/// The first judge in pipeline order that is not green, and how many findings are open there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The judge; none where all are green.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judge: Option<Stage>,
    /// Its open keys.
    pub open: u32,
    /// How often the work was rejected by a reviewer so far.
    #[serde(default, skip_serializing_if = "is_default")]
    pub round: u32,
}

/// How the review of a task stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// How it stands.
    pub state: ReviewState,
    /// What armed it: `#review`, `RG_REVIEW`, or what DONE.md says.
    pub armed: String,
    /// Who gave it: the subagent's id, or the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Who started the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What it was given to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<String>,
    /// The files that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How often the work was rejected in this task, since it was last given up.
    #[serde(default)]
    pub round: u32,
    /// How often it may be.
    #[serde(default)]
    pub of: u32,
    /// In its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What it has to say to the agent whose work it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Another model that was asked, and what it decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<String>,
    /// SHA-256 of the reviewer's prompt, as it was defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

impl Review {
    /// One that is armed, of which nothing more is known.
    pub fn armed(why: impl Into<String>) -> Review {
        Review {
            state: ReviewState::Armed,
            armed: why.into(),
            by: None,
            trust: None,
            packet: None,
            snapshot: None,
            round: 0,
            of: 0,
            summary: String::new(),
            message: String::new(),
            second_opinion: None,
            definition: None,
        }
    }
}

/// Where the innermost loop of a task stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The frame's id; empty where the records make no sense.
    pub frame: String,
    /// At which iteration it is.
    pub iteration: u32,
    /// How many there may be.
    pub of: u32,
    /// How many loops are around it, itself counted.
    pub depth: u32,
}

/// Why the turn may end although the work is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Who said so; rg-bounce where a record does not say.
    #[serde(default = "bounce")]
    pub by: Stage,
    /// Which of them.
    pub why: EndedWhy,
    /// In words; the agent's own where it gave up.
    pub text: String,
}

fn bounce() -> Stage {
    Stage::Bounce
}

/// Something that a tool has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The tool.
    pub by: Stage,
    /// What.
    pub text: String,
}

/// What the client is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// What.
    pub action: Action,
    /// In one line; rg-answer lays out the whole.
    #[serde(default)]
    pub reason: String,
    /// Who chose it.
    pub by: Stage,
}
