//! The kinds of records: one table with the name, the journal and the writers of each.

use super::*;
use serde_json::Value;

/// The journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JournalKind {
    /// `tasks/<task>.jsonl`
    Task,
    /// `sessions/<client>-<session>.jsonl`, in the user's own directory.
    Session,
    /// `checks/<root>.jsonl`
    Checks,
    /// `asks.jsonl`
    Asks,
    /// `worktrees.jsonl`
    Worktrees,
    /// `land.jsonl`
    Land,
    /// `runs.jsonl`
    Runs,
    /// `loops.jsonl`
    Loops,
    /// `notices.jsonl`
    Notices,
    /// `trace/<session>.jsonl`
    Trace,
    /// `installs.jsonl`, in the user's own directory.
    Installs,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $word:literal in $journal:ident by [$($tool:literal),*];)*) => {
        /// The name of a kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $($(#[$doc])* $variant),* }

        /// The body of a record.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Body { $($(#[$doc])* $variant($type)),* }

        impl Kind {
            /// All of them, journal by journal.
            #[cfg(test)]
            pub const ALL: &[Kind] = &[$(Kind::$variant),*];

            /// Its name in records.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$variant => $word),* }
            }

            /// The kind of that name.
            pub fn named(word: &str) -> Option<Kind> {
                match word { $($word => Some(Kind::$variant),)* _ => None }
            }

            /// The journal that holds it.
            pub fn journal(self) -> JournalKind {
                match self { $(Kind::$variant => JournalKind::$journal),* }
            }

            /// The programs that write it; empty if every program may.
            pub fn writers(self) -> &'static [&'static str] {
                match self { $(Kind::$variant => &[$($tool),*]),* }
            }
        }

        impl Body {
            /// Its kind.
            pub fn kind(&self) -> Kind {
                match self { $(Body::$variant(_) => Kind::$variant),* }
            }

            /// Reads the body of a line of that kind. Fields of the envelope and of later releases are ignored.
            pub(super) fn read(kind: Kind, line: &[u8]) -> serde_json::Result<Body> {
                match kind { $(Kind::$variant => serde_json::from_slice(line).map(Body::$variant)),* }
            }

            /// Its fields.
            pub(super) fn to_value(&self) -> serde_json::Result<Value> {
                match self { $(Body::$variant(body) => serde_json::to_value(body)),* }
            }
        }

        $(impl From<$type> for Body {
            fn from(body: $type) -> Body {
                Body::$variant(body)
            }
        }

        impl TryFrom<Body> for $type {
            type Error = ();

            fn try_from(body: Body) -> std::result::Result<$type, ()> {
                match body {
                    Body::$variant(body) => Ok(body),
                    _ => Err(()),
                }
            }
        }

        impl<'a> TryFrom<&'a Body> for &'a $type {
            type Error = ();

            fn try_from(body: &'a Body) -> std::result::Result<&'a $type, ()> {
                match body {
                    Body::$variant(body) => Ok(body),
                    _ => Err(()),
                }
            }
        })*
    };
}

kinds! {
    /// The task began.
    Begin(Begin) = "begin" in Task by ["rg-event"];
    /// A prompt was submitted.
    Prompt(Prompt) = "prompt" in Task by ["rg-event"];
    /// A stop is about to be judged.
    Open(Open) = "open" in Task by ["rg-event"];
    /// A stop ended without an outcome.
    Close(Close) = "close" in Task by ["rg-receipt", "rg-event"];
    /// Records were cut off the end of the journal.
    Cut(CutRecords) = "cut" in Task by ["rg-event"];
    /// The user switched the gate off.
    GateOff(GateOff) = "gate-off" in Task by ["rg-event"];
    /// The user switched the gate on again.
    GateOn(GateOn) = "gate-on" in Task by ["rg-event"];
    /// The outcome of a stop.
    Receipt(SealedReceipt) = "receipt" in Task by ["rg-receipt"];
    /// The user waived something.
    Waive(Waive) = "waive" in Task by ["rg-bounce"];
    /// The files that later files are compared with.
    Baseline(Baseline) = "baseline" in Task by ["rg-tamper"];
    /// The user made the current files the baseline.
    Bless(Bless) = "bless" in Task by ["rg-tamper"];
    /// A review request.
    ReviewRequest(ReviewRequest) = "request" in Task by ["rg-review-state"];
    /// A step of a review by the client's own reviewer.
    Review(ReviewStep) = "review" in Task by ["rg-review-state"];
    /// A step of a review by a reviewer that rg-review started.
    Asked(LaunchedReviewStep) = "asked" in Task by ["rg-review"];
    /// rg-review settled a dispute, a deadlock or a test of the reviewer.
    Settled(Settled) = "settled" in Task by ["rg-review"];
    /// The user approved these files.
    Approve(Approval) = "approve" in Task by ["rg-review-state", "rg-run"];
    /// A step of a loop.
    Frame(FrameStep) = "frame" in Task by ["rg-loop"];
    /// The working tree before the context was compacted.
    Anchor(Anchor) = "anchor" in Task by ["rg-anchor"];
    /// A tool call was denied, or the user was asked about it.
    Denied(DeniedCall) = "denied" in Task by ["rg-guard"];
    /// A backup was saved before a tool call.
    Rescued(CallBackup) = "rescued" in Task by ["rg-guard"];
    /// A session began or was resumed.
    Start(Start) = "start" in Session by ["rg-event"];
    /// The task of a session.
    Alias(Alias) = "alias" in Session by ["rg-event"];
    /// The user was told that the records of a task are gone.
    Gone(RecordsGone) = "gone" in Session by ["rg-event"];
    /// Prompts that the client will submit by itself.
    Scheduled(ScheduledPrompts) = "scheduled" in Session by ["rg-event"];
    /// rg-event checked whether the session is a fork of another one.
    Looked(ForkCheck) = "looked" in Session by ["rg-event"];
    /// The mark of a session that made no tool call yet.
    Unwritten(Unwritten) = "unwritten" in Session by ["rg-event"];
    /// rg-guard saw a tool call of the session.
    Guarded(Guarded) = "guarded" in Session by ["rg-guard"];
    /// A run of the checks began.
    RunBegin(RunBegin) = "run-begin" in Checks by ["rg-check"];
    /// A run of the checks ended.
    Run(Run) = "run" in Checks by ["rg-check"];
    /// Another model was asked.
    Ask(Ask) = "ask" in Asks by ["rg-ask"];
    /// A worktree was created.
    CreatedWorktree(CreatedWorktree) = "made" in Worktrees by ["rg-worktree"];
    /// A worktree was removed.
    Removed(RemovedWorktree) = "removed" in Worktrees by ["rg-worktree"];
    /// A commit is about to land.
    Landing(Landing) = "landing" in Land by ["rg-land"];
    /// The commit landed.
    Landed(Landed) = "landed" in Land by ["rg-land"];
    /// A step of a run.
    RunStep(RunStep) = "step" in Runs by ["rg-run"];
    /// A model was asked by a judge of a run.
    ModelCall(ModelCall) = "call" in Runs by ["rg-ask", "rg-review"];
    /// Loops were switched off in this repository.
    LoopsOff(LoopsOff) = "off" in Loops by ["rg-loop"];
    /// Loops were switched on again.
    LoopsOn(LoopsOn) = "on" in Loops by ["rg-loop"];
    /// A notice for the user.
    Notice(Notice) = "notice" in Notices by [];
    /// The user was shown notices.
    Seen(ShownNotices) = "seen" in Notices by ["rg-event"];
    /// An event of a session.
    Event(TracedEvent) = "event" in Trace by ["rg-trace"];
    /// Hooks were added to a client's settings.
    Install(Install) = "install" in Installs by ["rg-install"];
    /// Hooks were removed from a client's settings.
    Uninstall(Uninstall) = "uninstall" in Installs by ["rg-install"];
}
