//! The event line: one hook call or one manual event as a JSON object on one line. Manual: rg-event(5).
//!
//! An event has the fields of its source, which no stage changes, and one section for each stage.

mod check;
mod draft;
mod kind;
pub mod marks;
pub mod outcome;
mod parts;
mod quiet;
mod reply;
mod rule;
mod run;
mod scope;
mod section;
mod source;
mod stage;
mod table;
mod words;

pub use check::Check;
pub use draft::Draft;
pub use kind::{KINDS, Kind};
pub use parts::*;
pub use reply::{Note, Reply};
pub use rule::{Rule, RuleName};
pub use run::{LastRound, RunNote, RunNoteKind, RunTurn};
pub use scope::Scope;
pub(crate) use section::Results;
pub use section::{
    AnchorFields, BounceFields, CheckFields, GuardFields, IssueFields, LoopFields, Owner, Part, ProveFields,
    ReceiptFields, ReviewFields, Section, TamperFields, TraceFields,
};
pub use source::Source;
pub use stage::{JUDGES, Stage};
pub(crate) use words::words;
pub use words::*;

use crate::sys::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Deref;

/// The version of the event line. A line with another one is refused.
pub const VERSION: u64 = 1;

/// One event. It derefs to the fields of its source; the methods below read what the stages wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    #[serde(flatten)]
    source: Source,
    #[serde(flatten)]
    results: Results,
    /// The programs that the line passed through: `rg-check/0.1.0`.
    #[serde(default, skip_serializing_if = "is_default")]
    via: Vec<String>,
    /// Fields of later versions, which are passed on.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Whether a field is as good as absent.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Deref for Event {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.source
    }
}

impl Event {
    /// The event of a source, before any stage.
    pub fn new(source: Source) -> Event {
        Event { source, results: Results::default(), via: Vec::new(), rest: Map::new() }
    }

    /// Reads one line without its newline. Errors: usage, if the line is malformed or of another version.
    pub fn parse(line: &[u8]) -> Result<Event> {
        let event: Event = serde_json::from_slice(line)
            .map_err(|e| Error::usage(format!("malformed event line: {e}")).caused_by(e))?;
        if event.v != VERSION {
            return Err(Error::usage(format!("event line of version {}: this release reads {VERSION}", event.v)));
        }
        Ok(event)
    }

    /// The line, with its newline.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self).map_err(|e| Error::stream("write event", e))?;
        line.push(b'\n');
        Ok(line)
    }

    /// The event with that section merged.
    pub fn with<P: Part + Clone>(&self, section: &P) -> Event {
        let mut event = self.clone();
        section.clone().merge(&mut event);
        event
    }

    /// The snapshot that was taken last.
    pub fn snapshot(&self) -> Option<&str> {
        self.results.snapshot.as_deref()
    }

    /// The digest of the files that rg-tamper read, so that rg-check need not read them again.
    pub fn handover(&self) -> Option<&str> {
        self.results.handover.as_deref()
    }

    /// The verdicts, at most one for each judge.
    pub fn verdicts(&self) -> &[Judgement] {
        &self.results.verdicts
    }

    /// The verdict of that stage.
    pub fn verdict_of(&self, stage: &Stage) -> Option<&Judgement> {
        self.results.verdicts.iter().find(|judgement| judgement.by == *stage)
    }

    /// Whether that stage gave this verdict.
    pub fn has_verdict(&self, stage: &Stage, verdict: Verdict) -> bool {
        self.verdict_of(stage).is_some_and(|judgement| judgement.verdict == verdict)
    }

    /// Whether a verdict is about the last snapshot. Files that may change while the checks run may have changed since.
    pub fn is_about_these_files(&self, judgement: &Judgement) -> bool {
        let now = self.snapshot();
        let is_rewritten = |rewritten: &Rewritten| {
            now == Some(&rewritten.seen_after) && judgement.snapshot.as_ref() == Some(&rewritten.seen_before)
        };
        now.is_none()
            || judgement.snapshot.as_deref() == now
            || self.results.rewritten.as_ref().is_some_and(is_rewritten)
    }

    /// The snapshots around the checks, if only files changed meanwhile that may.
    pub fn rewritten(&self) -> Option<&Rewritten> {
        self.results.rewritten.as_ref()
    }

    /// The findings of all judges.
    pub fn findings(&self) -> &[Finding] {
        &self.results.findings
    }

    /// The judges whose verdict is required: those that the source lists, corrected by `review_required`.
    pub fn required(&self) -> Vec<&Stage> {
        let is_it = |stage: &&Stage| **stage != Stage::ReviewState || self.results.review_required != Some(false);
        let mut all: Vec<&Stage> = self.required_at_intake.iter().filter(is_it).collect();
        if self.results.review_required == Some(true) && !all.contains(&&Stage::ReviewState) {
            all.push(&Stage::ReviewState);
        }
        all
    }

    /// Whether the verdict of that judge is required.
    pub fn requires(&self, stage: &Stage) -> bool {
        self.required().contains(&stage)
    }

    /// Whether there is no required judge, no verdict and no finding.
    pub fn is_unjudged(&self) -> bool {
        self.required().is_empty() && self.verdicts().is_empty() && self.findings().is_empty()
    }

    /// The user's waivers: those of the task's journal, and an approval of these files.
    pub fn waivers(&self) -> impl Iterator<Item = &Waiver> {
        self.waivers_at_intake.iter().chain(&self.results.approval)
    }

    /// Whether the user waived the whole gate.
    pub fn is_gate_waived(&self) -> bool {
        self.waivers().any(|waiver| waiver.scope == Scope::Gate)
    }

    /// What rg-tamper compared the files with.
    pub fn base(&self) -> Option<&Base> {
        self.results.base.as_ref()
    }

    /// Keys of DONE.md that have no effect in this release.
    pub fn not_judged(&self) -> &[String] {
        &self.results.not_judged
    }

    /// The results of the checks.
    pub fn checks(&self) -> &[Check] {
        &self.results.checks
    }

    /// The environment of the checks; None if none ran.
    pub fn environment(&self) -> Option<&CheckEnvironment> {
        self.results.environment.as_ref()
    }

    /// The state of the review; None if none is armed.
    pub fn review(&self) -> Option<&Review> {
        self.results.review.as_ref()
    }

    /// What armed a review, according to rg-review-state or else the source.
    pub fn armed_by(&self) -> Option<&str> {
        let judged = self.results.review.as_ref().map(|review| review.armed.as_str());
        judged.or(self.review_armed.as_deref())
    }

    /// The input with which the client is to call the tool instead; null if the input stays.
    pub fn instead(&self) -> &Value {
        &self.results.instead
    }

    /// The count of bounces.
    pub fn bounce(&self) -> Option<&Bounce> {
        self.results.bounce.as_ref()
    }

    /// Whether everything is judged in this iteration of a loop although the agent did not report that it is done.
    pub fn is_checkpoint(&self) -> bool {
        self.results.is_checkpoint
    }

    /// Why the turn may end although the work is not done.
    pub fn ended(&self) -> Option<&Ended> {
        self.results.ended.as_ref().filter(|ended| ended.by == Stage::Loop || !self.results.is_end_void)
    }

    /// Text for the model.
    pub fn context(&self) -> &[Note] {
        &self.results.context
    }

    /// Text for the user.
    pub fn tell(&self) -> &[Note] {
        &self.results.tell
    }

    /// The reply.
    pub fn reply(&self) -> Option<&Reply> {
        self.results.reply.as_ref()
    }

    /// Whether the source deferred this stop to a later one.
    pub fn is_deferred(&self) -> bool {
        self.reply().is_some_and(|reply| reply.by == Stage::Event && reply.action == Action::Allow)
    }

    /// The outcome; None before it was decided.
    pub fn outcome(&self) -> Option<Outcome> {
        self.results.outcome
    }

    /// The receipt that was sealed for this event.
    pub fn receipt(&self) -> Option<&str> {
        self.results.receipt.as_deref()
    }

    /// The programs that the line passed through: `rg-check/0.1.0`.
    pub fn via(&self) -> &[String] {
        &self.via
    }

    /// Whether the line passed through that program.
    pub fn passed(&self, stage: &Stage) -> bool {
        self.via.iter().any(|via| via.split('/').next() == Some(stage.name()))
    }

    /// The same event for the budget owner `main`, without its subagent.
    pub fn of_session(&self) -> Event {
        let mut event = self.clone();
        event.source.budget_owner = BudgetOwner::Main;
        event.source.agent = None;
        event
    }

    /// The same event about the other worktree in which the session works, without any result.
    pub fn of_worktree(&self) -> Option<Event> {
        let root = self.worktree.clone()?;
        Some(Event::new(Source { root, worktree: None, ..self.source.clone() }))
    }

    /// Whether this is a stop, of the session or of a subagent, that has no reply yet and for which the gate is not waived.
    pub fn is_open_stop(&self) -> bool {
        self.kind.is_stop() && self.reply().is_none() && !self.is_gate_waived()
    }

    /// Adds a program to `via`: `rg-check/0.1.0`.
    pub(crate) fn pass_through(&mut self, via: String) {
        self.via.push(via);
    }

    /// Replaces the verdict of a stage that failed or did not run by `inconclusive`.
    pub(crate) fn fail(&mut self, stage: Stage, why: impl Into<String>) {
        let results = &mut self.results;
        results.verdicts.retain(|judgement| judgement.by != stage);
        let (verdict, snapshot) = (Verdict::Inconclusive, results.snapshot.clone());
        results.verdicts.push(Judgement { by: stage, verdict, why: why.into(), snapshot, partial: false });
    }

    /// Sets the outcome.
    pub(crate) fn conclude(&mut self, outcome: Option<Outcome>) {
        self.results.outcome = outcome;
    }

    /// The event that a receipt contains.
    pub(crate) fn restored(source: Source, results: Results, via: Vec<String>) -> Event {
        Event { source, results, via, rest: Map::new() }
    }
}

#[cfg(test)]
impl Event {
    /// For tests that need an event in a certain state.
    pub(crate) fn results_mut(&mut self) -> &mut Results {
        &mut self.results
    }

    /// For tests that need an event of a certain source.
    pub(crate) fn source_mut(&mut self) -> &mut Source {
        &mut self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_and_kinds_pass_unchanged() {
        let line = br#"{"v":1,"id":"a","at":"2026-11-21T00:00:00.000Z","client":"claude","kind":"NewThing","by":"client","budget_owner":"main","origin":"unknown","cwd":"/","root":"/","later":{"x":[1]}}"#;
        let event = Event::parse(line).unwrap();
        assert_eq!(event.kind, Kind::Other("NewThing".into()));
        assert_eq!(event.line().unwrap(), [line.as_slice(), b"\n"].concat());
    }

    #[test]
    fn another_version_is_refused() {
        let line = br#"{"v":2,"id":"a","at":"2026-11-21T00:00:00Z","client":"text","kind":"stop","by":"user","cwd":"/","root":"/"}"#;
        assert_eq!(Event::parse(line).unwrap_err().exit(), crate::sys::exit::Exit::Usage);
    }

    #[test]
    fn an_empty_or_null_session_is_none() {
        let mut source = Source::new(Client::Claude, Kind::Stop, "/".into());
        for (id, want) in [("", None), (" ", None), ("null", None), ("x", Some("x"))] {
            source.session = Some(id.into());
            assert_eq!(source.session_key(), want);
        }
    }
}
