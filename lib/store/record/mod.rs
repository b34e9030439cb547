//! Records: a line of a journal is an envelope with a typed body. Manual: review-gate-state(5).
//!
//! A line is parsed once, into an `Entry`. A line that cannot be read is a value too, so that every fold must handle it.

mod calls;
mod continuity;
mod decision;
mod kinds;
mod loops;
mod review;
mod runs;
mod session;
mod settlement;
mod task;
mod work;

pub use calls::*;
pub use continuity::*;
pub use decision::*;
pub use kinds::{Body, JournalKind, Kind};
pub use loops::*;
pub use review::*;
pub use runs::*;
pub use session::*;
pub use settlement::*;
pub use task::*;
pub use work::*;

use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use crate::sys::redact::redact;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of every record.
pub const VERSION: u64 = 1;

/// The fields that every record has. No body may have a field of one of these names.
const ENVELOPE: [&str; 8] = ["v", "kind", "id", "at", "by_tool", "prev", "pid", "unlocked"];

/// The fields that every record has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// `VERSION`.
    pub v: u64,
    /// The name of the body's kind.
    pub kind: String,
    /// ULID of the record.
    pub id: String,
    /// When it was written. The order of records is that of the file.
    pub at: Time,
    /// The program that wrote it.
    pub by_tool: String,
    /// SHA-256 of the line before, without its newline; None on the first line, and if `unlocked`.
    #[serde(default)]
    pub prev: Option<String>,
    /// The client's process for which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// It was written without the lock, so it is not part of the chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
}

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The envelope.
    pub envelope: Envelope,
    /// The body.
    pub body: Body,
}

/// A complete record of a kind or version that this release does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its kind, as it is written.
    pub kind: String,
    /// Its envelope, if it is of this version.
    pub envelope: Option<Envelope>,
}

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The kind that its bytes name, if they name one.
    pub kind: Option<String>,
    /// It is incomplete, because its writer died before it acknowledged the record.
    pub is_torn: bool,
}

impl Unknown {
    /// Whether it may be a record of that kind.
    pub fn may_be(&self, kind: Kind) -> bool {
        self.kind == kind.word()
    }
}

impl Damaged {
    /// Whether it may be what is left of a record of that kind. A torn line that names no kind is not.
    pub fn may_be(&self, kind: Kind) -> bool {
        match &self.kind {
            Some(named) => named == kind.word(),
            None => !self.is_torn,
        }
    }
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every line is a record")]
pub enum Entry {
    /// A record.
    Record(Record),
    /// A record of a later release.
    Unknown(Unknown),
    /// No record.
    Damaged(Damaged),
}

impl Entry {
    /// The envelope, if there is one of this version.
    pub fn envelope(&self) -> Option<&Envelope> {
        match self {
            Entry::Record(record) => Some(&record.envelope),
            Entry::Unknown(unknown) => unknown.envelope.as_ref(),
            Entry::Damaged(_) => None,
        }
    }

    /// Reads one line, without its newline. A line that cannot be read is `Damaged`.
    pub fn read(line: &[u8]) -> Entry {
        read(line).unwrap_or_else(|_| {
            let is_torn = !line.trim_ascii_end().ends_with(b"}");
            Entry::Damaged(Damaged { kind: kind_named_in(line), is_torn })
        })
    }
}

fn read(line: &[u8]) -> serde_json::Result<Entry> {
    let envelope: Envelope = match serde_json::from_slice(line) {
        Ok(envelope) => envelope,
        // A later version may have another envelope, so this is not damage.
        Err(error) => {
            #[derive(Deserialize)]
            struct Head {
                v: u64,
                kind: String,
            }
            return match serde_json::from_slice::<Head>(line) {
                Ok(head) if head.v != VERSION => Ok(Entry::Unknown(Unknown { kind: head.kind, envelope: None })),
                _ => Err(error),
            };
        }
    };
    if envelope.v != VERSION {
        return Ok(Entry::Unknown(Unknown { kind: envelope.kind, envelope: None }));
    }
    match Kind::named(&envelope.kind) {
        Some(kind) => Ok(Entry::Record(Record { body: Body::read(kind, line)?, envelope })),
        None => Ok(Entry::Unknown(Unknown { kind: envelope.kind.clone(), envelope: Some(envelope) })),
    }
}

/// The kind that a damaged line names.
fn kind_named_in(line: &[u8]) -> Option<String> {
    const FIELD: &[u8] = b"\"kind\":\"";
    let start = memchr::memmem::find(line, FIELD)? + FIELD.len();
    let end = start + line[start..].iter().take(64).position(|byte| *byte == b'"')?;
    String::from_utf8(line[start..end].to_vec()).ok()
}

/// A record to be written.
#[derive(Clone, Debug)]
pub struct NewRecord {
    /// Its id, if it was drawn before; otherwise it is drawn when the record is written.
    pub id: Option<String>,
    /// The client's process for which it is written.
    pub pid: Option<i32>,
    /// The body.
    pub body: Body,
}

impl NewRecord {
    /// A record with that body.
    pub fn new(body: impl Into<Body>) -> NewRecord {
        NewRecord { id: None, pid: None, body: body.into() }
    }

    /// With an id that was drawn before.
    pub fn with_id(self, id: &str) -> NewRecord {
        NewRecord { id: Some(id.to_string()), ..self }
    }

    /// For that process of the client.
    pub fn for_process(self, pid: Option<i32>) -> NewRecord {
        NewRecord { pid, ..self }
    }
}

impl<T: Into<Body>> From<T> for NewRecord {
    fn from(body: T) -> NewRecord {
        NewRecord::new(body)
    }
}

/// One line, with its newline: the fields of the envelope, then those of the body. Errors: a bug, if the body has a field of the
/// envelope.
pub fn encode(envelope: &Envelope, body: &Body) -> Result<Vec<u8>> {
    let failed = |e: serde_json::Error| Error::stream("write record", e);
    let mut record = object(serde_json::to_value(envelope).map_err(failed)?)?;
    for (name, value) in object(body.to_value().map_err(failed)?)? {
        if ENVELOPE.contains(&name.as_str()) {
            return Err(Error::bug(format!("a bug: a {} names the field {name} of its envelope", envelope.kind)));
        }
        if !value.is_null() {
            let value = written(&name, value);
            record.insert(name, value);
        }
    }
    let mut line = serde_json::to_vec(&record).map_err(failed)?;
    line.push(b'\n');
    Ok(line)
}

/// Fields whose text a user, an agent or a tool wrote: it is recorded without secrets. Ids, digests and paths stay as they are.
const FREE_TEXTS: [&str; 25] = [
    "argv",
    "commits",
    "description",
    "diagnostics",
    "error",
    "extra_tests",
    "how_to_verify",
    "input",
    "message",
    "message_to_agent",
    "missing",
    "output",
    "reason",
    "reasoning",
    "run",
    "second_opinion",
    "second_opinions",
    "suggested_patch",
    "summary",
    "tell",
    "text",
    "title",
    "unavailable",
    "why",
    "why_not",
];

/// The value of a field as it is recorded: without nulls at any depth, because a field that does not apply is absent, and without
/// secrets in free text.
fn written(name: &str, value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                let value = written(&name, value);
                (name, value)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(|item| written(name, item)).collect(),
        Value::String(text) if FREE_TEXTS.contains(&name) => Value::String(redact(&text)),
        other => other,
    }
}

fn object(value: Value) -> Result<Map<String, Value>> {
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(Error::bug(format!("a bug: a record must be an object, not {other}"))),
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
