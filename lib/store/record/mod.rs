//! Records: one line of a journal, an envelope around a typed body. Manual: review-gate-state(5).
//!
//! A line is read once, into a `Line`. What could not be read is a value of its own, which every fold must answer.

mod decision;
mod kinds;
mod loops;
mod review;
mod session;
mod task;
mod work;

pub use decision::*;
pub use kinds::{Body, JournalKind, Kind};
pub use loops::*;
pub use review::*;
pub use session::*;
pub use task::*;
pub use work::*;

use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of every record.
pub const VERSION: u64 = 1;

/// The fields that every record has. No body may have a field of one of these names.
const ENVELOPE: [&str; 8] = ["v", "kind", "id", "at", "by_tool", "prev", "pid", "unlocked"];

/// What every record says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// `VERSION`.
    pub v: u64,
    /// The name of the body's kind.
    pub kind: String,
    /// ULID of the record.
    pub id: String,
    /// When it was written; order is the file's.
    pub at: Time,
    /// The program that wrote it.
    pub by_tool: String,
    /// SHA-256 of the line before, without its newline; None on a journal's first line, and without the lock.
    #[serde(default)]
    pub prev: Option<String>,
    /// The client's process for which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// It was written without the lock, and has no place in the chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
}

/// A record that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What every record says.
    pub envelope: Envelope,
    /// What this one says.
    pub body: Body,
}

/// A whole record of a kind, or of a version, that this release does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its kind, as it is written.
    pub kind: String,
    /// Its envelope, where that is one of this version.
    pub envelope: Option<Envelope>,
}

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The kind that its bytes name, as far as they can be read.
    pub kind: Option<String>,
    /// It ends in the middle: whoever wrote it died, and acknowledged nothing.
    pub is_torn: bool,
}

impl Unknown {
    /// Whether it may be a record of that kind.
    pub fn may_be(&self, kind: Kind) -> bool {
        self.kind == kind.word()
    }
}

impl Damaged {
    /// Whether it may be what is left of a record of that kind. A torn line that names no kind is none.
    pub fn may_be(&self, kind: Kind) -> bool {
        match &self.kind {
            Some(named) => named == kind.word(),
            None => !self.is_torn,
        }
    }
}

/// What a line holds.
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
    /// The envelope, where there is one of this version.
    pub fn envelope(&self) -> Option<&Envelope> {
        match self {
            Entry::Record(record) => Some(&record.envelope),
            Entry::Unknown(unknown) => unknown.envelope.as_ref(),
            Entry::Damaged(_) => None,
        }
    }

    /// Reads one line, without its newline. Never fails: what cannot be read is `Damaged`.
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
        // A later version may have another envelope; it is no damage.
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

/// A record that is to be written.
#[derive(Clone, Debug)]
pub struct NewRecord {
    /// Its id where it was drawn before; drawn at the write otherwise.
    pub id: Option<String>,
    /// The client's process for which it is written.
    pub pid: Option<i32>,
    /// What it says.
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

/// One line, with its newline: the envelope's fields first, then the body's. A body that names a field of the envelope is a bug, and
/// is not written.
pub fn encode(envelope: &Envelope, body: &Body) -> Result<Vec<u8>> {
    let failed = |e: serde_json::Error| Error::stream("write record", e);
    let mut record = object(serde_json::to_value(envelope).map_err(failed)?)?;
    for (name, value) in object(body.to_value().map_err(failed)?)? {
        if ENVELOPE.contains(&name.as_str()) {
            return Err(Error::bug(format!("a bug: a {} names the field {name} of its envelope", envelope.kind)));
        }
        if !value.is_null() {
            record.insert(name, without_nulls(value));
        }
    }
    let mut line = serde_json::to_vec(&record).map_err(failed)?;
    line.push(b'\n');
    Ok(line)
}

/// What does not apply is absent, at every depth.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
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
mod tests;
