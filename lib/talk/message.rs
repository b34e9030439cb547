//! One message, as a line of a topic's file, and what a line is if it is no message.

use crate::sys::clock::Time;
use crate::sys::ids;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the form of a message.
const VERSION: u64 = 1;

/// The kind of a record that is a message.
const KIND: &str = "message";

/// The start of each line that [`Message::to_line`] writes. The id is at a fixed place, so that a reader finds it without JSON.
const HEAD: &[u8] = b"{\"id\":\"";

/// A message. The fields are those of schema/message.json.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Fields")]
pub struct Message {
    /// Its id, a ULID.
    pub id: String,
    v: u64,
    kind: String,
    /// When it was posted, by the clock of the sender.
    pub at: Time,
    /// Its topic.
    pub topic: String,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Who posted it and from where.
    #[serde(flatten)]
    pub sender: Sender,
    /// Its text, as it came.
    pub body: String,
}

/// Who posted a message and from where. The sender says so itself; nothing proves it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sender {
    /// The name of the sender.
    pub from: String,
    /// Its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The client's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The commit that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The directory, relative to the top of the working tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// All fields of a message. A reader of flattened structs collects the fields of a line in a map first, which takes three times as long.
#[derive(Deserialize)]
struct Fields {
    id: String,
    v: u64,
    kind: String,
    at: Time,
    topic: String,
    reply_to: Option<String>,
    from: String,
    role: Option<String>,
    model: Option<String>,
    session: Option<String>,
    commit: Option<String>,
    branch: Option<String>,
    prefix: Option<String>,
    body: String,
}

impl From<Fields> for Message {
    fn from(fields: Fields) -> Message {
        let Fields { id, v, kind, at, topic, reply_to, body, .. } = fields;
        let Fields { from, role, model, session, commit, branch, prefix, .. } = fields;
        let sender = Sender { from, role, model, session, commit, branch, prefix };
        Message { id, v, kind, at, topic, reply_to, sender, body }
    }
}

/// What a line of a topic's file holds.
pub enum Line {
    /// A message.
    Message(Box<Message>),
    /// A record of a later release.
    Newer,
    /// Anything else: a torn line, a conflict marker, another value.
    Damaged,
}

impl Message {
    /// A message with that id.
    pub fn new(id: String, at: Time, topic: &str, reply_to: Option<&str>, sender: &Sender, body: &str) -> Message {
        let (topic, body, reply_to) = (topic.to_string(), body.to_string(), reply_to.map(str::to_string));
        Message { id, v: VERSION, kind: KIND.to_string(), at, topic, reply_to, sender: sender.clone(), body }
    }

    /// The message as a line, with its newline.
    pub fn to_line(&self) -> Vec<u8> {
        // Texts, numbers and times always become JSON.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Reads a line.
pub fn parse(line: &[u8]) -> Line {
    #[derive(Deserialize)]
    struct Form {
        v: u64,
        kind: String,
    }
    match serde_json::from_slice::<Message>(line) {
        Ok(message) if message.v == VERSION && message.kind == KIND && ids::time_of(&message.id).is_some() => {
            Line::Message(Box::new(message))
        }
        _ => match serde_json::from_slice::<Form>(line) {
            Ok(form) if form.v > VERSION || form.kind != KIND => Line::Newer,
            _ => Line::Damaged,
        },
    }
}

/// The id of a line that may be a message. The rest of the line may be damaged.
pub fn id_of(line: &[u8]) -> Option<Cow<'_, str>> {
    let found = line.strip_prefix(HEAD).and_then(|rest| rest.get(..26)).and_then(|id| std::str::from_utf8(id).ok());
    match found.filter(|id| ids::time_of(id).is_some()) {
        Some(id) => Some(Cow::Borrowed(id)),
        None => match parse(line) {
            Line::Message(message) => Some(Cow::Owned(message.id)),
            Line::Newer | Line::Damaged => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_message_is_read_back_with_any_text() {
        let sender = Sender { from: "a\"b".into(), model: Some("m".into()), ..Sender::default() };
        for body in ["", "x", "two\nlines\n", "\0\u{1b}[2J\u{2028}", "\u{1f980}", "{\"id\":\"", "<<<<<<< ours"] {
            let id = ids::ulid(&[body]);
            let message = Message::new(id.clone(), Time(7), "../a\nb", Some("x"), &sender, body);
            let line = message.to_line();
            assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "{body:?}");
            assert_eq!(id_of(&line).as_deref(), Some(id.as_str()));
            let Line::Message(read) = parse(&line) else { panic!("{body:?}") };
            assert_eq!(*read, message);
        }
    }

    #[test]
    fn other_lines_are_damaged_or_newer() {
        let of = |text: &str| match parse(text.as_bytes()) {
            Line::Message(_) => "message",
            Line::Newer => "newer",
            Line::Damaged => "damaged",
        };
        for text in ["", "42", "{}", "null", "[1]", "<<<<<<< HEAD", "=======", "\0", "{\"id\":\"01", "{\"v\":1}"] {
            assert_eq!(of(text), "damaged", "{text:?}");
            assert_eq!(id_of(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(of("{\"v\":2,\"kind\":\"message\"}"), "newer");
        assert_eq!(of("{\"v\":1,\"kind\":\"vote\",\"id\":7}"), "newer");
        let at = "\"at\":\"2026-11-21T12:00:00.000Z\",\"topic\":\"t\",\"from\":\"a\",\"body\":\"b\"";
        assert_eq!(of(&format!("{{\"id\":\"short\",\"v\":1,\"kind\":\"message\",{at}}}")), "damaged");
        let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        assert_eq!(of(&format!("{{\"id\":\"{id}\",\"v\":1,\"kind\":\"message\",{at}}}")), "message");
        assert_eq!(id_of(format!("{{{at},\"v\":1,\"kind\":\"message\",\"id\":\"{id}\"}}").as_bytes()).unwrap(), id);
    }
}
