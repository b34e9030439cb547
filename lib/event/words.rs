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
    Actor {
        /// A person, as far as that can be known: by exclusion.
        User = "user",
        /// A model, inside a subagent.
        Agent = "agent",
        /// The client itself: a notification, a scheduled prompt, our own feedback.
        Client = "client",
    }
}

/// Whose budget an event concerns: `main`, `agent:<id>` or `manual` in records.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetOwner {
    /// The session itself: only it finishes a task.
    #[default]
    Main,
    /// A subagent, by its id.
    Agent(String),
    /// A stop that did not come from the session's client: it spends a budget of its own, and finishes nothing.
    Manual,
}

impl BudgetOwner {
    /// The owner of that name; None where it is none.
    pub fn named(name: &str) -> Option<BudgetOwner> {
        match name {
            "main" => Some(BudgetOwner::Main),
            "manual" => Some(BudgetOwner::Manual),
            _ => name.strip_prefix("agent:").map(|id| BudgetOwner::Agent(id.to_string())),
        }
    }
}

impl std::fmt::Display for BudgetOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BudgetOwner::Main => f.write_str("main"),
            BudgetOwner::Agent(id) => write!(f, "agent:{id}"),
            BudgetOwner::Manual => f.write_str("manual"),
        }
    }
}

impl Serialize for BudgetOwner {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BudgetOwner {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<BudgetOwner, D::Error> {
        let name = String::deserialize(from)?;
        BudgetOwner::named(&name).ok_or_else(|| serde::de::Error::custom(format!("unknown budget owner {name:?}")))
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
        Manual = "manual",
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

words! {
    /// What the guards compare the files with.
    BaseKind {
        /// A commit that was named.
        Against = "against",
        /// The files that the task began with.
        Task = "task",
        /// The files that a subagent began with.
        Subagent = "subagent",
        /// The merge base with the branch that the work lands on.
        MergeBase = "merge-base",
        /// The commit that is checked out: only uncommitted changes are compared.
        Head = "head",
    }
}

words! {
    /// What an agent says of the loop that it is in.
    LoopMark {
        /// It is done.
        Complete = "COMPLETE",
        /// It is stuck.
        Stuck = "STUCK",
        /// Its iterations are used up.
        MaxIterations = "MAX_ITERATIONS",
    }
}

/// What runs beside a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackgroundKind {
    /// Another agent.
    Subagent,
    /// Several agents, by a script.
    Workflow,
    /// A shell, a monitor, a server: nothing that ends by itself.
    Other(String),
}

impl BackgroundKind {
    /// The kind of that name.
    pub fn named(name: &str) -> BackgroundKind {
        match name {
            "subagent" => BackgroundKind::Subagent,
            "workflow" => BackgroundKind::Workflow,
            other => BackgroundKind::Other(other.to_string()),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            BackgroundKind::Subagent => "subagent",
            BackgroundKind::Workflow => "workflow",
            BackgroundKind::Other(name) => name,
        }
    }
}

impl Default for BackgroundKind {
    fn default() -> BackgroundKind {
        BackgroundKind::Other(String::new())
    }
}

impl Serialize for BackgroundKind {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for BackgroundKind {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<BackgroundKind, D::Error> {
        Ok(BackgroundKind::named(&String::deserialize(from)?))
    }
}

words! {
    /// What a judge says of one snapshot.
    Verdict {
        /// What it asks for is there.
        Pass = "pass",
        /// Nothing was owed for this snapshot.
        NotRequired = "not-required",
        /// It could not judge.
        Inconclusive = "inconclusive",
        /// It would pass, but the bar was lowered to get there.
        Tampered = "tampered",
        /// What it asks for is not there.
        Fail = "fail",
    }
}

words! {
    /// How much a finding weighs.
    Level {
        /// For the record.
        Note = "note",
        /// Worth a look; never changes the word.
        Warning = "warning",
        /// Something could not be judged.
        Inconclusive = "inconclusive",
        /// The bar was lowered.
        Tampered = "tampered",
        /// The work is not done.
        Error = "error",
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
    /// Who started the reviewer whose decision it is.
    Trust {
        /// The client's subagent, in a call that the gate opened.
        Client = "client",
        /// A program that the gate started.
        Gate = "gate",
        /// CI, or another user; a person took it over.
        External = "external",
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
        NotRequired = "not-required",
        /// Something else is red: it is asked for once that is green.
        Waits = "waits",
        /// Nobody reviewed these files.
        Required = "required",
        /// Other files were approved, and changed since.
        Stale = "stale",
        /// These files were rejected.
        Rejected = "rejected",
        /// The reviewer cannot tell, wants a person, or gave no answer that could be used.
        Inconclusive = "inconclusive",
        /// These files were approved.
        Approved = "approved",
        /// A person approved them.
        Waived = "waived",
    }
}
