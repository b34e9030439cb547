//! What a task's journal says of reviews: packets, calls that the gate opened, reviewers that began, what they decided.

use super::decision::{Decision, Severity};
use crate::event::{Base, Finding, Origin, Trust, words};
use crate::sys::clock::{self, Time};
use serde::{Deserialize, Serialize};

/// A step of a review. One constructor each, and one fold: `review::record::Reviews`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a step is read once and borrowed from then on")]
pub enum ReviewStep {
    /// The reviewer's definition, as it was at the task's first prompt.
    Pinned {
        /// SHA-256 of it.
        definition: String,
    },
    /// The agent's call of the reviewer, whose prompt the gate wrote.
    Opened(Opened),
    /// The reviewer began in that call.
    Began(Began),
    /// An agent of the reviewer's role began in no call of the gate's.
    Uninvited {
        /// The client's id of the agent.
        agent: String,
        /// Why it does not count.
        why: String,
    },
    /// The reviewer was asked for what its decision lacks.
    SentBack(SentBack),
    /// It decided.
    Decided(Given),
}

/// A step of a review by a reviewer that the gate started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Asked(pub ReviewStep);

words! {
    /// How a decision stands once it was held against its packet.
    Standing {
        /// These files are approved.
        Approved = "approved",
        /// They are rejected.
        Rejected = "rejected",
        /// The reviewer cannot tell.
        Unsure = "unsure",
        /// It wants a person.
        Human = "human",
        /// It answered, and not in a way that can be used.
        Unusable = "unusable",
        /// It is nobody's word: forged, late, or about files that changed meanwhile.
        Void = "void",
    }
}

/// What a reviewer is given to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Packet {
    /// Its id: the envelope's.
    #[serde(skip_serializing)]
    pub id: String,
    /// The files.
    pub snapshot: String,
    /// What they were compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// How many of them changed since.
    #[serde(default)]
    pub files: usize,
    /// What the judges before found and let pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// When it was made: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
}

/// A call of the client's agent tool that the gate saw before it ran, and whose prompt it wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The packet.
    pub packet: String,
    /// The client's id of the call.
    #[serde(default)]
    pub call: Option<String>,
    /// SHA-256 of the prompt that the gate wrote.
    pub prompt_sha256: String,
    /// SHA-256 of what the agent wrote instead.
    #[serde(default)]
    pub claims_sha256: Option<String>,
    /// The client's session.
    #[serde(default)]
    pub session: Option<String>,
    /// How the call's event reached us.
    #[serde(default)]
    pub origin: Origin,
    /// The record's id: the envelope's.
    #[serde(skip_serializing, rename = "id")]
    pub record: String,
}

/// A reviewer that began in a call that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Began {
    /// The packet.
    pub packet: String,
    /// The `Opened` record.
    pub opened: String,
    /// The client's id of the agent.
    pub agent: String,
    /// SHA-256 of what it must repeat.
    pub nonce_sha256: String,
    /// SHA-256 of the reviewer's own definition.
    #[serde(default)]
    pub definition: Option<String>,
    /// When, by the clock that file times come from, in nanoseconds.
    #[serde(default)]
    pub file_nanos: i64,
    /// How its event reached us.
    #[serde(default)]
    pub origin: Origin,
}

/// A reviewer that was asked for what its decision lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentBack {
    /// The agent.
    pub agent: String,
    /// The packet.
    #[serde(default)]
    pub packet: Option<String>,
    /// What for: `form`, `second-opinion`, `diagnostics`.
    pub about: String,
}

/// A decision, as it was held against its packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The packet; None where it names none that is known.
    #[serde(default)]
    pub packet: Option<String>,
    /// The files that it is about; None where it is about none that are known.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The session in which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who: the agent's id, the program, the file.
    pub by: String,
    /// Whose word that is; None for nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// How it stands.
    pub standing: Standing,
    /// Why it stands so, where that is not plain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// In the reviewer's own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// For the agent whose work it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Raised>,
    /// Keys of earlier issues that it found settled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<String>,
    /// Another model that was asked, and what it decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<String>,
    /// The reviewer's own definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The whole of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
    /// Its line in the journal, from 1; set by the fold.
    #[serde(skip)]
    pub place: usize,
}

impl Given {
    /// An answer of `by` that cannot be used: what a decision is until it was held against its packet.
    pub fn new(by: String, packet: Option<String>) -> Given {
        Given {
            packet,
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
pub struct Raised {
    /// The same issue has the same key in every round.
    pub key: String,
    /// How bad.
    pub severity: Severity,
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub description: String,
    /// How anybody can see that it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how_to_verify: String,
    /// It keeps the work from being done.
    pub blocks: bool,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_not: String,
}

/// A person's word about these files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// The record's id: the envelope's.
    #[serde(skip_serializing)]
    pub id: String,
    /// The files.
    pub snapshot: String,
    /// The reason that was given.
    pub why: String,
    /// Who.
    pub who: String,
}
