//! The enums of the event line: one for each field with a fixed set of values.

use serde::{Deserialize, Serialize};

/// Declares an enum that is written as one word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// The value as it is written.
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
    /// The client whose protocol the event and the reply use.
    Client {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// None: a manual event.
        Text = "text",
    }
}

words! {
    /// Who made a prompt or an event. Only the user can arm or disarm a review, waive findings or restore a budget.
    Actor {
        /// The user: nothing shows that the prompt comes from somebody else.
        User = "user",
        /// A model, inside a subagent.
        Agent = "agent",
        /// The client itself: a notification, a scheduled prompt, or a message of these programs.
        Client = "client",
    }
}

/// The budget owner: `main`, `agent:<id>` or `manual` in records.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetOwner {
    /// The session itself. Only its stops finish a task.
    #[default]
    Main,
    /// A subagent, by its id.
    Agent(String),
    /// A stop that did not arrive the way the session's start did. It has its own budget and finishes nothing.
    Manual,
}

impl BudgetOwner {
    /// The owner of that name; None if there is none.
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
    /// The hook origin: how an event arrived, compared with the session's start.
    #[derive(Default)]
    Origin {
        /// The way the session's start did.
        Client = "client",
        /// Not known, because the session's start was not recorded. Treated as `client`, except for approvals.
        #[default]
        Unknown = "unknown",
        /// Another way. No approval, disarming or waiver is accepted from it.
        Manual = "manual",
    }
}

words! {
    /// Whether there were records of the session when its task began.
    #[derive(Default)]
    State {
        /// There were.
        #[default]
        Present = "present",
        /// There were none at a stop of a client.
        Missing = "missing",
    }
}

words! {
    /// What rg-tamper compares the files with.
    BaseKind {
        /// The merge base with the reference commit.
        Against = "against",
        /// The baseline of the task.
        Task = "task",
        /// The baseline of a subagent.
        Subagent = "subagent",
        /// The merge base with the base.
        MergeBase = "merge-base",
        /// The commit that is checked out, so only uncommitted changes are compared.
        Head = "head",
    }
}

words! {
    /// What an agent reports about its loop.
    LoopMark {
        /// It is done.
        Complete = "COMPLETE",
        /// It is stuck.
        Stuck = "STUCK",
        /// Its iterations are used up.
        MaxIterations = "MAX_ITERATIONS",
    }
}

/// What still runs in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackgroundKind {
    /// Another agent.
    Subagent,
    /// Several agents that a script runs.
    Workflow,
    /// A shell, a monitor or a server, which may never end.
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
    /// The verdict of a judge about one snapshot, from best to worst.
    Verdict {
        /// Passed.
        Pass = "pass",
        /// There was nothing to judge.
        NotRequired = "not-required",
        /// It could not judge.
        Inconclusive = "inconclusive",
        /// The judge found tampering.
        Tampered = "tampered",
        /// Failed.
        Fail = "fail",
    }
}

words! {
    /// The level of a finding.
    Level {
        /// For information.
        Note = "note",
        /// A warning; never changes the outcome.
        Warning = "warning",
        /// Something could not be judged.
        Inconclusive = "inconclusive",
        /// Tampering.
        Tampered = "tampered",
        /// The work is not done.
        Error = "error",
    }
}

words! {
    /// The outcome of a stop.
    Outcome {
        /// Every required judge passed these files.
        Done = "done",
        /// A judge failed or found tampering.
        NotDone = "not-done",
        /// A required judge could not judge.
        Unverified = "unverified",
        /// The budget is spent, or the agent reported that it cannot do the work.
        Abandoned = "abandoned",
        /// The user waived what was found, or switched the gate off.
        Waived = "waived",
    }
}

words! {
    /// What the client is told to do.
    Action {
        /// Let it happen.
        Allow = "allow",
        /// Block the stop and give the agent the reason.
        Block = "block",
        /// Do not run this tool call.
        Deny = "deny",
        /// Ask the user.
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
        /// It could not be started, or the client's time ran out first.
        NotRun = "not-run",
    }
}

words! {
    /// Why the turn may end although the work is not done.
    EndedWhy {
        /// The bounces without progress are spent.
        Budget = "budget",
        /// The minutes are spent.
        Minutes = "minutes",
        /// The day's budget is spent.
        Daily = "daily",
        /// The agent reported `CANNOT:`.
        Cannot = "cannot",
        /// The loop is stuck or its iterations are used up.
        Stuck = "stuck",
        /// The rounds of review are spent.
        Rounds = "rounds",
    }
}

words! {
    /// Who started the reviewer.
    Trust {
        /// The agent, as the client's subagent, in a call that the gate opened.
        Client = "client",
        /// The gate.
        Gate = "gate",
        /// CI or another party; the user imported the decision.
        External = "external",
    }
}

words! {
    /// How sure a reviewer is of an issue.
    Confidence {
        /// It suspects it.
        Low = "low",
        /// It holds it for likely.
        Medium = "medium",
        /// It is sure.
        High = "high",
    }
}

words! {
    /// The state of a review.
    ReviewState {
        /// A review is required before this task is done.
        Armed = "armed",
        /// `review.sample` chose other tasks.
        NotSampled = "not-sampled",
        /// No file changed.
        NotRequired = "not-required",
        /// Another judge fails; the review is requested when it passes.
        Waits = "waits",
        /// `review.mode` leaves out this stop of a loop; no stop ends the task in this state.
        Skipped = "skipped",
        /// There is no review of these files.
        Required = "required",
        /// Files changed since they were approved.
        Stale = "stale",
        /// These files were rejected.
        Rejected = "rejected",
        /// The reviewer cannot tell, asks for a user, or gave no usable answer.
        Inconclusive = "inconclusive",
        /// These files were approved.
        Approved = "approved",
        /// The user approved these files.
        Waived = "waived",
    }
}
