//! The words of the event line: each field that knows a fixed set of values is one of these.

use serde::{Deserialize, Serialize};

/// Declares an enum that is written as one word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// The word as it stands in records.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// Whose protocol an event came in, and a reply goes out in.
    Client {
        /// Claude Code.
        Claude = "claude",
        /// Made by hand, in CI, in cron.
        Text = "text",
    }
}

words! {
    /// Who made a prompt or an event. Only a person arms, disarms, waives or restores a budget.
    By {
        /// A person, as far as that can be known: by exclusion.
        Person = "person",
        /// A model, inside a subagent.
        Agent = "agent",
        /// The client itself: a notification, a scheduled prompt, our own feedback.
        Client = "client",
    }
}

words! {
    /// How an event reached us, held against the session's start.
    #[derive(Default)]
    Origin {
        /// The way this client called us at the session's start.
        Client = "client",
        /// No start was seen; treated as `client`, except for approvals.
        #[default]
        Unknown = "unknown",
        /// Another way: no approval, disarming or waiver is taken from it.
        Hand = "hand",
    }
}

words! {
    /// Whether the records of a task were there when they were needed.
    #[derive(Default)]
    State {
        /// They were.
        #[default]
        Present = "present",
        /// A client's stop came of which no record stands.
        Missing = "missing",
    }
}

impl State {
    /// Whether they were.
    pub fn is_present(&self) -> bool {
        *self == State::Present
    }
}

words! {
    /// What a judge says of one snapshot.
    Verdict {
        /// What it asks for is there.
        Pass = "pass",
        /// Nothing was owed for this snapshot.
        NotOwed = "not-owed",
        /// It could not judge.
        Unverified = "unverified",
        /// It would pass, but the bar was lowered to get there.
        Gamed = "gamed",
        /// What it asks for is not there.
        Fail = "fail",
    }
}

words! {
    /// How much a finding weighs.
    Level {
        /// For the record.
        Info = "info",
        /// Worth a look; never changes the word.
        Warn = "warn",
        /// Something could not be judged.
        Unverified = "unverified",
        /// The bar was lowered.
        Gamed = "gamed",
        /// The work is not done.
        Fail = "fail",
    }
}

words! {
    /// The five words.
    Outcome {
        /// Every judge that was owed saw these files and passed them.
        Done = "done",
        /// Something is open, and the agent is sent back.
        NotDone = "not-done",
        /// The gate could not judge.
        Unverified = "unverified",
        /// The budget is spent, or the agent honestly gave up.
        Abandoned = "abandoned",
        /// A person said so.
        Waived = "waived",
    }
}

words! {
    /// What the client is asked to do.
    Action {
        /// Let it go on.
        Allow = "allow",
        /// Keep the turn going, with the reason.
        Block = "block",
        /// Do not run this tool call.
        Deny = "deny",
        /// Ask the person.
        Ask = "ask",
    }
}

words! {
    /// How a check ended.
    CheckEnd {
        /// Exit status 0.
        Passed = "passed",
        /// Another exit status, or a signal.
        Failed = "failed",
        /// It ran past its own `timeout`.
        TimedOut = "timed-out",
        /// It could not be started, or the gate's own time ran out first.
        NotRun = "not-run",
    }
}

words! {
    /// Why the turn may end although the work is not done.
    EndedWhy {
        /// Bounces without progress are spent.
        Budget = "budget",
        /// The minutes are spent.
        Minutes = "minutes",
        /// The day's budget is spent.
        Daily = "daily",
        /// The agent said that it cannot.
        Cannot = "cannot",
        /// The loop is stuck.
        Stuck = "stuck",
        /// The rounds of review are spent.
        Rounds = "rounds",
    }
}

words! {
    /// How a review stands.
    ReviewState {
        /// A review must be given before this task is done.
        Armed = "armed",
        /// The lot fell on another task.
        NotSampled = "not-sampled",
        /// No file changed that one would be owed for.
        NotOwed = "not-owed",
        /// Something else is red: it is asked for once that is green.
        Waits = "waits",
        /// Nobody reviewed these files.
        Owed = "owed",
        /// Other files were approved, and changed since.
        Stale = "stale",
        /// These files were rejected.
        Rejected = "rejected",
        /// The reviewer cannot tell, wants a person, or gave no answer that could be used.
        Unverified = "unverified",
        /// These files were approved.
        Approved = "approved",
        /// A person approved them.
        Waived = "waived",
    }
}

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
    /// The agent says that it is finished.
    Stop,
    /// The turn ended in an error of the client's.
    StopFailed,
    /// A subagent begins.
    SubagentStart,
    /// A subagent says that it is finished.
    SubagentStop,
    /// The conversation is about to be compacted.
    CompactBefore,
    /// It was compacted.
    CompactAfter,
    /// A session ended.
    SessionEnd,
    /// Something that this version does not know.
    Other(String),
}

/// The names of the kinds, as they stand in event lines and as operands of rg-event.
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

    /// Whether an agent says that it is finished.
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
