//! The kinds of events: what happened, under one name for all clients.

use serde::{Deserialize, Serialize};

/// What happened, under one name for all clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A session began or was resumed.
    SessionStart,
    /// A prompt was submitted.
    Prompt,
    /// A tool is about to run.
    ToolBefore,
    /// A tool ran.
    ToolAfter,
    /// A tool ran and failed.
    ToolFailed,
    /// The agent ends its turn.
    Stop,
    /// The turn ended because of an error of the client.
    StopFailed,
    /// A subagent begins.
    SubagentStart,
    /// A subagent ends its turn.
    SubagentStop,
    /// The conversation is about to be compacted.
    CompactBefore,
    /// It was compacted.
    CompactAfter,
    /// A session ended.
    SessionEnd,
    /// A kind that this version does not know.
    Other(String),
}

/// The names of the kinds in event lines and as operands of rg-event.
pub const KINDS: [(&str, Kind); 12] = [
    ("session-start", Kind::SessionStart),
    ("prompt", Kind::Prompt),
    ("tool-before", Kind::ToolBefore),
    ("tool-after", Kind::ToolAfter),
    ("tool-failed", Kind::ToolFailed),
    ("stop", Kind::Stop),
    ("stop-failed", Kind::StopFailed),
    ("subagent-start", Kind::SubagentStart),
    ("subagent-stop", Kind::SubagentStop),
    ("compact-before", Kind::CompactBefore),
    ("compact-after", Kind::CompactAfter),
    ("session-end", Kind::SessionEnd),
];

impl Kind {
    /// The kind of that name; an unknown name is its own kind.
    pub fn named(name: &str) -> Kind {
        let known = KINDS.iter().find(|(word, _)| *word == name);
        known.map_or_else(|| Kind::Other(name.to_string()), |(_, kind)| kind.clone())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Kind::Other(name) => name,
            known => KINDS.iter().find(|(_, kind)| kind == known).map_or("", |(word, _)| word),
        }
    }

    /// Whether this is a stop of the session or of a subagent.
    pub fn is_stop(&self) -> bool {
        matches!(self, Kind::Stop | Kind::SubagentStop)
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Kind, D::Error> {
        Ok(Kind::named(&String::deserialize(from)?))
    }
}
