//! What stands of reviews in a task's journal: packets, calls that the gate opened, reviewers that began, what they decided.

use super::decision::{Decision, Severity};
use crate::clock::Time;
use crate::event::{Base, Finding, Origin, Trust, words};
use crate::journal::Record;
use crate::task::Task;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Packet {
    /// Its id: the record's.
    #[serde(default, skip_serializing)]
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
    /// When it was made.
    #[serde(default, skip_serializing)]
    pub at: Time,
}

/// A call of the client's agent tool that the gate saw before it ran, and whose prompt it wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Opened {
    /// The packet.
    pub packet: String,
    /// The client's id of the call.
    #[serde(default)]
    pub call: Option<String>,
    /// SHA-256 of the prompt that the gate wrote.
    pub prompt_sha256: String,
    /// How the call's event reached us.
    #[serde(default)]
    pub origin: Origin,
    /// The record's id.
    #[serde(default, skip_serializing, rename = "id")]
    pub record: String,
}

/// A reviewer that began in a call that was opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentBack {
    /// The agent, or the record of the launched one.
    pub agent: String,
    /// What for: `form`, `second-opinion`, `diagnostics`.
    pub about: String,
}

/// A decision, as it was held against its packet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Given {
    /// The packet.
    #[serde(default)]
    pub packet: String,
    /// The files that it is about.
    #[serde(default)]
    pub snapshot: String,
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
    /// When.
    #[serde(default, skip_serializing)]
    pub at: Time,
    /// Its place in the journal.
    #[serde(skip)]
    pub place: usize,
}

/// An issue as it was raised.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Approval {
    /// The record's id.
    #[serde(default, skip_serializing)]
    pub id: String,
    /// The files.
    pub snapshot: String,
    /// The reason that was given.
    pub why: String,
    /// Who.
    pub who: String,
}

/// Everything that stands of reviews in one task.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    /// In the order of the journal, as all that follows.
    pub packets: Vec<Packet>,
    /// Calls.
    pub opened: Vec<Opened>,
    /// Reviewers.
    pub began: Vec<Began>,
    /// Agents of the reviewer's role that began in no call of the gate's, and why they do not count.
    pub uninvited: Vec<(String, String)>,
    /// SHA-256 of the reviewer's definition, as it was at the task's first prompt.
    pub pinned: Option<String>,
    /// What was asked for.
    pub sent_back: Vec<SentBack>,
    /// Decisions.
    pub given: Vec<Given>,
    /// What a person approved.
    pub approvals: Vec<Approval>,
}

impl Reviews {
    /// Those of a task; none of an event by hand.
    pub fn of(task: Option<&Task>) -> Reviews {
        let mut reviews = Reviews::default();
        for (place, record) in task.into_iter().flat_map(|task| task.records.iter().enumerate()) {
            reviews.take(place, record);
        }
        reviews
    }

    fn take(&mut self, place: usize, record: &Record) {
        match (record.kind.as_str(), record.text("state")) {
            ("packet", _) => self.packets.extend(read(record)),
            ("review", "pinned") => self.pinned = self.pinned.take().or(record.get("definition")),
            ("review", "opened") => self.opened.extend(read(record)),
            ("review", "began") => self.began.extend(read(record)),
            ("review", "uninvited") => {
                self.uninvited.push((record.text("agent").to_string(), record.text("why").to_string()));
            }
            ("review" | "asked", "sent-back") => self.sent_back.extend(read(record)),
            ("review" | "asked", "decided") => {
                self.given.extend(read::<Given>(record).map(|given| Given { place, ..given }));
            }
            ("approve", _) => self.approvals.extend(read(record)),
            _ => {}
        }
    }

    /// A packet by its id, or the beginning of it.
    pub fn packet(&self, id: &str) -> Option<&Packet> {
        self.packets.iter().rfind(|packet| packet.id == id || id.len() >= 6 && packet.id.starts_with(id))
    }

    /// The last packet of those files.
    pub fn packet_of(&self, snapshot: &str) -> Option<&Packet> {
        self.packets.iter().rfind(|packet| packet.snapshot == snapshot)
    }

    /// The decisions that are somebody's word.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = &Given> {
        self.given.iter().filter(|given| given.standing != Standing::Void)
    }

    /// Issues that were raised, keep the work from being done, and were not found settled since.
    pub fn open_issues(&self) -> Vec<Raised> {
        let mut open: Vec<Raised> = Vec::new();
        let decided = |given: &&Given| matches!(given.standing, Standing::Approved | Standing::Rejected);
        for given in self.counting().filter(decided) {
            open.retain(|issue| !given.settled.contains(&issue.key));
            for issue in given.issues.iter().filter(|issue| issue.blocks && given.standing == Standing::Rejected) {
                open.retain(|known| known.key != issue.key);
                open.push(issue.clone());
            }
        }
        open
    }

    /// How often the work was rejected after that place in the journal.
    pub fn rejections_since(&self, place: usize) -> u32 {
        self.counting().filter(|given| given.place >= place && given.standing == Standing::Rejected).count() as u32
    }

    /// How often a reviewer was asked for that.
    pub fn times_sent_back(&self, agent: &str, about: &str) -> usize {
        self.sent_back.iter().filter(|sent| sent.agent == agent && sent.about == about).count()
    }
}

fn read<T: serde::de::DeserializeOwned>(record: &Record) -> Option<T> {
    T::deserialize(Value::Object(record.fields.clone())).ok()
}
