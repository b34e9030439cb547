//! One change of an issue, as a line of the file of issues.

use crate::sys::clock::Time;
use crate::sys::ids;
use serde::{Deserialize, Serialize};

/// The version of the form of a change.
const VERSION: u64 = 1;

/// The kind of a record that is a change.
const KIND: &str = "change";

/// The priorities, the most urgent first.
pub const PRIORITIES: std::ops::RangeInclusive<u8> = 1..=5;

/// The priority of a new issue.
pub const PRIORITY: u8 = 2;

/// Where an issue stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody works on it.
    #[default]
    Open,
    /// Somebody works on it.
    InProgress,
    /// It waits for something.
    Paused,
    /// Another issue says the same.
    Duplicate,
    /// It is done.
    Closed,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 5] = [Status::Open, Status::InProgress, Status::Paused, Status::Duplicate, Status::Closed];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::InProgress => "in_progress",
            Status::Paused => "paused",
            Status::Duplicate => "duplicate",
            Status::Closed => "closed",
        }
    }

    /// The status of that word. A hyphen may replace the underscore.
    pub fn named(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.word() == word.replace('-', "_"))
    }

    /// Whether nothing is left to do.
    pub const fn is_end(self) -> bool {
        matches!(self, Status::Duplicate | Status::Closed)
    }
}

/// How an issue depends on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The other one cannot be worked on before this one ends.
    Blocks,
    /// They are about the same thing.
    Relates,
    /// This one is the parent of the other one.
    Parent,
}

impl Relation {
    /// All of them.
    pub const ALL: [Relation; 3] = [Relation::Blocks, Relation::Relates, Relation::Parent];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Relation::Blocks => "blocks",
            Relation::Relates => "relates",
            Relation::Parent => "parent",
        }
    }

    /// The relation of that word.
    pub fn named(word: &str) -> Option<Relation> {
        Relation::ALL.into_iter().find(|relation| relation.word() == word)
    }
}

/// A relation to another issue, or its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dep {
    /// What this issue is to the other one.
    pub relation: Relation,
    /// The id of the other one.
    pub target: String,
    /// The relation ends.
    #[serde(default, skip_serializing_if = "is_false")]
    pub removed: bool,
}

/// Who made a change. The sender says so itself; nothing proves it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Holder {
    /// The name.
    pub from: String,
    /// The client's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// What a change sets. A field that is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fields {
    /// Its title, one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Its priority, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Tags that it gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Tags that it loses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untags: Vec<String>,
    /// Relations to other issues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deps: Vec<Dep>,
    /// A comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The sender claims the issue until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Time>,
    /// The claim ends.
    #[serde(skip_serializing_if = "is_false")]
    pub release: bool,
    /// The claim under which the sender works: the id of the change that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// It counts although another one has claimed the issue.
    #[serde(skip_serializing_if = "is_false")]
    pub force: bool,
    /// The finding that the issue is about, or where it was imported from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The commit that closes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A change. The fields are those of schema/issue.json.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its id, a ULID.
    pub id: String,
    v: u64,
    kind: String,
    /// When it was made, by the clock of the sender.
    pub at: Time,
    /// The id of the issue: that of its first change.
    pub issue: String,
    /// Who made it.
    pub by: Holder,
    /// What it sets.
    pub set: Fields,
}

/// What a line of the file holds.
pub enum Line {
    /// A change.
    Change(Box<Change>),
    /// A record of a later release.
    Newer,
    /// Anything else: a torn line, a conflict marker, another value.
    Damaged,
}

impl Change {
    /// A change with that id.
    pub fn new(id: String, at: Time, issue: &str, by: &Holder, set: Fields) -> Change {
        Change { id, v: VERSION, kind: KIND.to_string(), at, issue: issue.to_string(), by: by.clone(), set }
    }

    /// The change as a line, with its newline.
    pub fn to_line(&self) -> Vec<u8> {
        // Texts, numbers and times always become JSON.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }

    fn is_sound(&self) -> bool {
        let is_id = |id: &str| ids::time_of(id).is_some();
        let priority = self.set.priority.is_none_or(|priority| PRIORITIES.contains(&priority));
        self.v == VERSION && self.kind == KIND && is_id(&self.id) && is_id(&self.issue) && priority
    }
}

/// Reads a line.
pub fn parse(line: &[u8]) -> Line {
    #[derive(Deserialize)]
    struct Form {
        v: u64,
        kind: String,
    }
    match serde_json::from_slice::<Change>(line) {
        Ok(change) if change.is_sound() => Line::Change(Box::new(change)),
        _ => match serde_json::from_slice::<Form>(line) {
            Ok(form) if form.v > VERSION || form.kind != KIND => Line::Newer,
            _ => Line::Damaged,
        },
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
