//! Sections: what each stage writes, and the one function that merges it into the event. A stage has only its own section,
//! so it cannot change what another stage wrote.

use super::table::{Field, stage_fields};
use super::{
    Action, Base, Bounce, Check, CheckEnvironment, Ended, EndedWhy, Event, Finding, Judgement, Level, Note, Outcome,
    Reply, Review, Rewritten, Rule, Stage, Verdict, Waiver, is_default,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

stage_fields! {
    shared {
        /// The snapshot that was taken last.
        "snapshot" snapshot: Option<String>,
        /// The verdicts, at most one for each judge.
        "verdicts" verdicts: Vec<Judgement>,
        /// The findings of all judges.
        "findings" findings: Vec<Finding>,
        /// Why the turn may end although the work is not done; the last stage that sets it counts.
        "ended" ended: Option<Ended>,
        /// Text for the model.
        "context" context: Vec<Note>,
        /// Text for the user.
        "tell" tell: Vec<Note>,
        /// The reply; the first stage that sets it counts, and later judges pass the line on.
        "reply" reply: Option<Reply>,
    }
    /// The fields that only rg-tamper writes.
    TamperFields of Tamper {
        /// What rg-tamper compared the files with.
        "base" base: Option<Base>,
        /// The digest of the files that rg-tamper read, so that rg-check need not read them again.
        "handover" handover: Option<String>,
    }
    /// The fields that only rg-check writes.
    CheckFields of Check {
        /// Keys of DONE.md that have no effect in this release.
        "not_judged" not_judged: Vec<String>,
        /// The results of the checks.
        "checks" checks: Vec<Check>,
        /// The environment of the checks.
        "environment" environment: Option<CheckEnvironment>,
        /// The snapshots around the checks, if only files changed that may change while the checks run.
        "rewritten" rewritten: Option<Rewritten>,
    }
    /// rg-prove has no field of its own.
    ProveFields of Prove {}
    /// The fields that rg-review-state and, after it, rg-review write.
    ReviewFields of ReviewState {
        /// The state of the review, if one is armed.
        "review" review: Option<Review>,
        /// Whether a review is required, if that differs from the source's list.
        "review_required" review_required: Option<bool>,
        /// The user's approval of these files.
        "approval" approval: Option<Waiver>,
        /// The input with which the client is to call the tool instead.
        "instead" instead: Value,
    }
    /// The fields that only rg-bounce writes.
    BounceFields of Bounce {
        /// The count of bounces.
        "bounce" bounce: Option<Bounce>,
    }
    /// The fields that both steps of rg-loop write.
    LoopFields of Loop {
        /// Everything is judged in this iteration, and the loop continues whatever the result is.
        "checkpoint" is_checkpoint: bool,
        /// The loop continues, so an `ended` of another stage does not count.
        "end_void" is_end_void: bool,
    }
    /// The fields that only rg-receipt writes.
    ReceiptFields of Receipt {
        /// The outcome.
        "outcome" outcome: Option<Outcome>,
        /// The receipt that was sealed for this event.
        "receipt" receipt: Option<String>,
    }
    /// rg-anchor has no field of its own.
    AnchorFields of Anchor {}
    /// rg-guard has no field of its own.
    GuardFields of Guard {}
    /// rg-issue has no field of its own.
    IssueFields of Issue {}
    /// rg-trace has no field of its own.
    TraceFields of Trace {}
}

/// The fields that one stage alone writes.
pub trait Owner: Clone + Default + Send + 'static {
    /// The stage.
    const STAGE: Stage;

    /// The current values of those fields.
    fn of(results: &Results) -> Self;

    /// Writes them back.
    fn put(self, results: &mut Results);
}

/// What a stage may write: its section, or nothing.
pub trait Part: Sized + Send + 'static {
    /// The stage whose section it is; None if it writes nothing.
    const STAGE: Option<Stage>;

    /// What the stage has written in this event so far.
    fn of(event: &Event) -> Self;

    /// Merges it into the event.
    fn merge(self, event: &mut Event);
}

/// A stage that only reads.
impl Part for () {
    const STAGE: Option<Stage> = None;

    fn of(_: &Event) {}

    fn merge(self, _: &mut Event) {}
}

/// Everything that one stage writes: its own fields, and its entries in the shared fields.
#[derive(Clone, Debug)]
pub struct Section<O> {
    /// The stage's own fields.
    pub own: O,
    snapshot: Option<String>,
    verdict: Option<Judgement>,
    findings: Vec<Finding>,
    ended: Option<Ended>,
    context: Vec<Note>,
    tell: Vec<Note>,
    reply: Option<Reply>,
}

impl<O: Owner> Part for Section<O> {
    const STAGE: Option<Stage> = Some(O::STAGE);

    fn of(event: &Event) -> Section<O> {
        let results = &event.results;
        Section {
            own: O::of(results),
            snapshot: results.snapshot.clone(),
            verdict: of_stage(&results.verdicts, &O::STAGE).next().cloned(),
            findings: of_stage(&results.findings, &O::STAGE).cloned().collect(),
            ended: results.ended.clone().filter(|ended| ended.by == O::STAGE),
            context: of_stage(&results.context, &O::STAGE).cloned().collect(),
            tell: of_stage(&results.tell, &O::STAGE).cloned().collect(),
            reply: results.reply.clone().filter(|reply| reply.by == O::STAGE),
        }
    }

    fn merge(self, event: &mut Event) {
        let results = &mut event.results;
        self.own.put(results);
        results.snapshot = self.snapshot.or(results.snapshot.take());
        put(&mut results.verdicts, &O::STAGE, self.verdict.into_iter().collect());
        put(&mut results.findings, &O::STAGE, self.findings);
        put(&mut results.context, &O::STAGE, self.context);
        put(&mut results.tell, &O::STAGE, self.tell);
        // The last stage that sets `ended` counts, and the first that sets `reply`.
        results.ended = self.ended.or(results.ended.take().filter(|ended| ended.by != O::STAGE));
        results.reply = results.reply.take().filter(|reply| reply.by != O::STAGE).or(self.reply);
    }
}

/// An entry of a shared list, with the stage that wrote it.
trait Tagged {
    fn by(&self) -> &Stage;
}

macro_rules! tagged {
    ($($name:ident),*) => {
        $(impl Tagged for $name {
            fn by(&self) -> &Stage {
                &self.by
            }
        })*
    };
}

tagged!(Judgement, Finding, Note);

fn of_stage<'a, T: Tagged>(all: &'a [T], stage: &'a Stage) -> impl Iterator<Item = &'a T> {
    all.iter().filter(move |entry| entry.by() == stage)
}

/// Replaces a stage's entries. If the stage only added entries, the earlier ones keep their places.
fn put<T: Tagged + PartialEq>(all: &mut Vec<T>, stage: &Stage, own: Vec<T>) {
    let known = of_stage(all, stage).count();
    let is_more = own.len() >= known && of_stage(all, stage).zip(&own).all(|(then, now)| then == now);
    if is_more {
        all.extend(own.into_iter().skip(known));
    } else {
        all.retain(|entry| entry.by() != stage);
        all.extend(own);
    }
}

impl<O: Owner> Section<O> {
    /// Sets the snapshot that the next verdict is about.
    pub fn set_snapshot(&mut self, snapshot: String) {
        self.snapshot = Some(snapshot);
    }

    /// Gives the stage's verdict about the last snapshot; it replaces an earlier one.
    pub fn judge(&mut self, verdict: Verdict, why: impl Into<String>) {
        self.judge_files(verdict, why, self.snapshot.clone(), false);
    }

    /// Gives the stage's verdict about `snapshot`. `partial`: only a part was judged.
    pub fn judge_files(&mut self, verdict: Verdict, why: impl Into<String>, snapshot: Option<String>, partial: bool) {
        self.verdict = Some(Judgement { by: O::STAGE, verdict, why: why.into(), snapshot, partial });
    }

    /// Adds a finding of this stage.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(Finding { by: O::STAGE, ..finding });
    }

    /// Adds a finding without a file; its key derives from the rule.
    pub fn find_rule(&mut self, rule: Rule, level: Level, text: impl Into<String>) {
        self.find(Finding::new(O::STAGE, rule, level, None, "", text));
    }

    /// The stage's findings so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The stage's verdict so far.
    pub fn verdict(&self) -> Option<&Judgement> {
        self.verdict.as_ref()
    }

    /// Removes the stage's verdict and findings.
    pub fn clear_verdict(&mut self) {
        self.verdict = None;
        self.findings.clear();
        self.ended = None;
    }

    /// Lets the turn end although the work is not done.
    pub fn end(&mut self, why: EndedWhy, text: impl Into<String>) {
        self.ended = Some(Ended { by: O::STAGE, why, text: text.into() });
    }

    /// Adds text for the model.
    pub fn context(&mut self, text: impl Into<String>) {
        self.context.push(Note { by: O::STAGE, text: text.into() });
    }

    /// Adds text for the user.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.tell.push(Note { by: O::STAGE, text: text.into() });
    }

    /// Sets the reply, unless another stage set one before.
    pub fn reply(&mut self, action: Action, reason: impl Into<String>) {
        self.reply = Some(Reply { action, reason: reason.into(), by: O::STAGE });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::stage::STAGES;
    use crate::event::{Client, Kind, Source};
    use serde_json::json;

    /// An event with entries of every stage and a value in each field of a stage.
    fn full_event() -> Event {
        let entry_of = |by: &Stage, more: Value| {
            let mut entry = json!({"by": by, "text": "then", "why": "then", "verdict": "pass", "rule": "r", "level": "error", "key": "k"});
            entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            entry
        };
        let all = || STAGES.iter().map(|by| entry_of(by, json!({}))).collect::<Vec<_>>();
        let mut line = serde_json::to_value(Event::new(Source::new(Client::Claude, Kind::Stop, "/".into()))).unwrap();
        let waiver = json!({"id": "w", "scope": "gate", "why": "x", "who": "y", "until": "2026-11-21T00:00:00.000Z"});
        let digest = "5".repeat(64);
        let fields = json!({
            "verdicts": all(), "findings": all(), "context": all(), "tell": all(), "snapshot": digest,
            "ended": {"by": "rg-later", "why": "budget", "text": "then"},
            "reply": {"by": "rg-later", "action": "allow", "reason": "then"},
            "base": {"kind": "task"}, "handover": digest, "not_judged": ["x"],
            "checks": [{"name": "n", "run": "r", "ended": "passed", "seconds": 0.5, "sha256": digest}],
            "environment": {"overrides": ["ENV"]}, "review": {"state": "armed", "armed": "x"},
            "rewritten": {"seen_before": "a".repeat(64), "seen_after": digest}, "review_required": true, "approval": waiver,
            "instead": {"x": 1}, "bounce": {"n": 1, "of": 2, "score": {"open": 1}}, "checkpoint": true, "end_void": true,
            "outcome": "done", "receipt": "r",
        });
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let event: Event = serde_json::from_value(line).unwrap();
        // A field that is missing above, or empty, is absent here.
        let written = serde_json::to_value(&event).unwrap();
        let silent: Vec<&str> =
            STAGE_FIELDS.iter().map(|field| field.name).filter(|name| written.get(*name).is_none()).collect();
        assert!(silent.is_empty(), "no value of {silent:?}");
        event
    }

    /// Everything in an event that is not the stage's own: entries by others, and fields of other owners.
    fn of_others(event: &Event, stage: &Stage, own: &[&str]) -> Value {
        let mut value = serde_json::to_value(event).unwrap();
        let fields = value.as_object_mut().unwrap();
        // Any judge may set the snapshot.
        fields.shift_remove("snapshot");
        own.iter().for_each(|name| drop(fields.shift_remove(*name)));
        for entries in fields.values_mut().filter_map(Value::as_array_mut) {
            entries.retain(|entry| entry.get("by") != Some(&json!(stage)));
        }
        value
    }

    fn fill<O: Owner>(section: &mut Section<O>) {
        section.own = O::default();
        section.clear_verdict();
        section.set_snapshot("now".into());
        section.judge(Verdict::Fail, "now");
        section.find_rule(Rule::TooManyMarks, Level::Tampered, "now");
        section.context("now");
        section.tell("now");
    }

    fn cannot_change_another<O: Owner>(owner: &str) {
        let own: Vec<&str> = STAGE_FIELDS.iter().filter(|field| field.owner == owner).map(|field| field.name).collect();
        let before = full_event();
        let mut after = before.clone();
        let mut section = Section::<O>::of(&before);
        fill(&mut section);
        section.merge(&mut after);
        assert_eq!(of_others(&before, &O::STAGE, &own), of_others(&after, &O::STAGE, &own), "{owner}");
        assert!(after.has_verdict(&O::STAGE, Verdict::Fail), "{owner}");
        let whose: Vec<&Stage> = after.verdicts().iter().map(|judgement| &judgement.by).collect();
        assert_eq!(whose.len(), STAGES.len(), "{owner}: {whose:?}");
    }

    #[test]
    fn a_section_cannot_change_anothers() {
        cannot_change_another::<TamperFields>("TamperFields");
        cannot_change_another::<CheckFields>("CheckFields");
        cannot_change_another::<ProveFields>("ProveFields");
        cannot_change_another::<ReviewFields>("ReviewFields");
        cannot_change_another::<BounceFields>("BounceFields");
        cannot_change_another::<LoopFields>("LoopFields");
        cannot_change_another::<ReceiptFields>("ReceiptFields");
        cannot_change_another::<AnchorFields>("AnchorFields");
        cannot_change_another::<GuardFields>("GuardFields");
        cannot_change_another::<IssueFields>("IssueFields");
        cannot_change_another::<TraceFields>("TraceFields");
    }

    /// The schema knows the type of each field of a stage.
    #[test]
    fn every_field_of_a_stage_fits_the_schema() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/event.json");
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let event = serde_json::to_value(full_event()).unwrap();
        let wrong: Vec<String> =
            validator.iter_errors(&event).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn an_empty_section_changes_nothing() {
        let before = full_event();
        let mut after = before.clone();
        Section::<LoopFields>::of(&before).merge(&mut after);
        Section::<ReviewFields>::of(&before).merge(&mut after);
        assert_eq!(before.line().unwrap(), after.line().unwrap());
    }

    #[test]
    fn the_first_reply_and_the_last_end_count() {
        let event = Event::new(Source::new(Client::Claude, Kind::Stop, "/".into()));
        let mut bounce = Section::<BounceFields>::of(&event);
        bounce.reply(Action::Block, "first");
        bounce.end(EndedWhy::Budget, "first");
        let event = event.with(&bounce);
        let mut next = Section::<LoopFields>::of(&event);
        next.reply(Action::Allow, "second");
        next.end(EndedWhy::Stuck, "second");
        let after = event.with(&next);
        assert_eq!(after.reply().map(|reply| reply.reason.as_str()), Some("first"));
        assert_eq!(after.ended().map(|ended| ended.text.as_str()), Some("second"));
    }

    #[test]
    fn a_loop_that_continues_voids_the_end_of_another_stage() {
        let event = Event::new(Source::new(Client::Claude, Kind::Stop, "/".into()));
        let mut bounce = Section::<BounceFields>::of(&event);
        bounce.end(EndedWhy::Budget, "spent");
        let event = event.with(&bounce);
        let mut next = Section::<LoopFields>::of(&event);
        next.own.is_end_void = true;
        assert_eq!(event.with(&next).ended(), None);
        next.end(EndedWhy::Stuck, "all loops are given up");
        assert_eq!(event.with(&next).ended().map(|ended| ended.why), Some(EndedWhy::Stuck));
    }
}
