//! Sections: what each stage writes, and the one function that merges it into the event. A stage holds its own section and
//! nothing else, so it cannot change what another one wrote.

use super::table::{Field, stage_fields};
use super::{
    Action, Base, Bounce, Check, Ended, EndedWhy, Event, Finding, Judgement, Level, Note, Outcome, Reply, Review,
    Rewritten, Rule, Stage, Verdict, Waiver, is_default,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

stage_fields! {
    shared {
        /// Digest of the files at the last look of any judge.
        "snapshot" snapshot: Option<String>,
        /// What each judge said.
        "verdicts" verdicts: Vec<Judgement>,
        /// What each judge found.
        "findings" findings: Vec<Finding>,
        /// Why the turn may end although the work is not done, by the last stage that said so.
        "ended" ended: Option<Ended>,
        /// What the model should be told.
        "context" context: Vec<Note>,
        /// What the person should be told.
        "tell" tell: Vec<Note>,
        /// The reply that was chosen; once there, judges pass the line on.
        "reply" reply: Option<Reply>,
    }
    /// What rg-tamper alone writes.
    TamperFields of Tamper {
        /// What the guards compared the files with.
        "base" base: Option<Base>,
    }
    /// What rg-check alone writes.
    CheckFields of Check {
        /// What DONE.md asks for and this release cannot judge.
        "not_judged" not_judged: Vec<String>,
        /// The checks that were run or answered from a record.
        "checks" checks: Vec<Check>,
        /// The checks changed files that they declare to write, and no other.
        "rewritten" rewritten: Option<Rewritten>,
    }
    /// What rg-review-state writes, and rg-review after it.
    ReviewFields of ReviewState {
        /// How the review stands, where one is armed.
        "review" review: Option<Review>,
        /// Whether a review is required, where that differs from what the source said.
        "review_required" review_required: Option<bool>,
        /// A person's approval of these files.
        "approval" approval: Option<Waiver>,
        /// What the tool is to be called with instead.
        "instead" instead: Value,
    }
    /// What rg-bounce alone writes.
    BounceFields of Bounce {
        /// The count of bounces.
        "bounce" bounce: Option<Bounce>,
    }
    /// What both steps of rg-loop write.
    LoopFields of Loop {
        /// Everything is judged at this iteration though nobody says that it is done: whatever comes of it, the loop goes on.
        "checkpoint" is_checkpoint: bool,
        /// The loop decides itself about an end that another stage chose: that one is void.
        "end_void" is_end_void: bool,
    }
    /// What rg-receipt alone writes.
    ReceiptFields of Receipt {
        /// The outcome, once it is sealed.
        "outcome" outcome: Option<Outcome>,
        /// The receipt that was sealed for this event.
        "receipt" receipt: Option<String>,
    }
    /// rg-anchor has no field of its own.
    AnchorFields of Anchor {}
    /// rg-guard has no field of its own.
    GuardFields of Guard {}
}

/// The fields that one stage alone writes.
pub trait Owner: Clone + Default + Send + 'static {
    /// The stage.
    const STAGE: Stage;

    /// Those fields, as they stand.
    fn of(results: &Results) -> Self;

    /// Writes them back.
    fn put(self, results: &mut Results);
}

/// What a stage may write: nothing, or its section.
pub trait Part: Sized + Send + 'static {
    /// The stage whose section it is; None where nothing is written.
    const STAGE: Option<Stage>;

    /// What the stage wrote in this event so far.
    fn of(event: &Event) -> Self;

    /// Puts it into the event.
    fn merge(self, event: &mut Event);
}

/// A recorder that only reads.
impl Part for () {
    const STAGE: Option<Stage> = None;

    fn of(_: &Event) {}

    fn merge(self, _: &mut Event) {}
}

/// All that one stage says: the fields that are its alone, and its entries in the fields that all share.
#[derive(Clone, Debug)]
pub struct Section<O> {
    /// The fields that are the stage's alone.
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
        // The last stage that ends the turn is heard, and the first that replies.
        results.ended = self.ended.or(results.ended.take().filter(|ended| ended.by != O::STAGE));
        results.reply = results.reply.take().filter(|reply| reply.by != O::STAGE).or(self.reply);
    }
}

/// An entry that says which stage wrote it.
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

/// Replaces a stage's entries. Those that stood there keep their place where the stage only said more.
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
    /// The files as this stage saw them: what it says from now on is about these.
    pub fn look(&mut self, snapshot: String) {
        self.snapshot = Some(snapshot);
    }

    /// Gives the stage's verdict, about the files that were looked at last; replaces one that it gave before.
    pub fn judge(&mut self, verdict: Verdict, why: impl Into<String>) {
        self.judge_files(verdict, why, self.snapshot.clone(), false);
    }

    /// Gives the stage's verdict about the files of `snapshot`; `partial`: about a part of what is to be judged.
    pub fn judge_files(&mut self, verdict: Verdict, why: impl Into<String>, snapshot: Option<String>, partial: bool) {
        self.verdict = Some(Judgement { by: O::STAGE, verdict, why: why.into(), snapshot, partial });
    }

    /// Adds a finding; it stands under this stage.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(Finding { by: O::STAGE, ..finding });
    }

    /// Adds a finding about no file, whose key is made of its rule.
    pub fn find_rule(&mut self, rule: Rule, level: Level, text: impl Into<String>) {
        self.find(Finding::new(O::STAGE, rule, level, None, "", text));
    }

    /// What the stage found so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The stage's verdict so far.
    pub fn verdict(&self) -> Option<&Judgement> {
        self.verdict.as_ref()
    }

    /// Takes back the stage's verdict and findings.
    pub fn unsay(&mut self) {
        self.verdict = None;
        self.findings.clear();
    }

    /// The turn may end although the work is not done.
    pub fn end(&mut self, why: EndedWhy, text: impl Into<String>) {
        self.ended = Some(Ended { by: O::STAGE, why, text: text.into() });
    }

    /// Something for the model.
    pub fn context(&mut self, text: impl Into<String>) {
        self.context.push(Note { by: O::STAGE, text: text.into() });
    }

    /// Something for the person.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.tell.push(Note { by: O::STAGE, text: text.into() });
    }

    /// Chooses the reply. One that another stage chose before stays.
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

    /// An event in which every stage spoke, with a value in each field that a stage owns.
    fn spoken() -> Event {
        let said = |by: &Stage, more: Value| {
            let mut entry = json!({"by": by, "text": "then", "why": "then", "verdict": "pass", "rule": "r", "level": "error", "key": "k"});
            entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            entry
        };
        let all = || STAGES.iter().map(|by| said(by, json!({}))).collect::<Vec<_>>();
        let mut line = serde_json::to_value(Event::new(Source::new(Client::Claude, Kind::Stop, "/".into()))).unwrap();
        let waiver = json!({"id": "w", "scope": "gate", "why": "x", "who": "y", "until": "2026-11-21T00:00:00.000Z"});
        let fields = json!({
            "verdicts": all(), "findings": all(), "context": all(), "tell": all(), "snapshot": "s",
            "ended": {"by": "rg-later", "why": "budget", "text": "then"},
            "reply": {"by": "rg-later", "action": "allow", "reason": "then"},
            "base": {"kind": "task"}, "not_judged": ["x"],
            "checks": [{"name": "n", "run": "r", "ended": "passed", "seconds": 0.5}],
            "review": {"state": "armed", "armed": "x"},
            "rewritten": {"seen_before": "a", "seen_after": "s"}, "review_required": true, "approval": waiver,
            "instead": {"x": 1}, "bounce": {"n": 1, "of": 2, "score": {"open": 1}}, "checkpoint": true, "end_void": true,
            "outcome": "done", "receipt": "r",
        });
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let event: Event = serde_json::from_value(line).unwrap();
        // A field that is missing above, or empty, is absent here.
        let said = serde_json::to_value(&event).unwrap();
        let silent: Vec<&str> =
            STAGE_FIELDS.iter().map(|field| field.name).filter(|name| said.get(*name).is_none()).collect();
        assert!(silent.is_empty(), "no value of {silent:?}");
        event
    }

    /// Everything in an event that is not the stage's own: entries by others, and fields of other owners.
    fn of_others(event: &Event, stage: &Stage, own: &[&str]) -> Value {
        let mut value = serde_json::to_value(event).unwrap();
        let fields = value.as_object_mut().unwrap();
        // The last look of any judge.
        fields.shift_remove("snapshot");
        own.iter().for_each(|name| drop(fields.shift_remove(*name)));
        for entries in fields.values_mut().filter_map(Value::as_array_mut) {
            entries.retain(|entry| entry.get("by") != Some(&json!(stage)));
        }
        value
    }

    fn say_all<O: Owner>(section: &mut Section<O>) {
        section.own = O::default();
        section.unsay();
        section.look("now".into());
        section.judge(Verdict::Fail, "now");
        section.find_rule(Rule::TooManyMarks, Level::Tampered, "now");
        section.context("now");
        section.tell("now");
    }

    fn cannot_change_another<O: Owner>(owner: &str) {
        let own: Vec<&str> = STAGE_FIELDS.iter().filter(|field| field.owner == owner).map(|field| field.name).collect();
        let before = spoken();
        let mut after = before.clone();
        let mut section = Section::<O>::of(&before);
        say_all(&mut section);
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
        cannot_change_another::<ReviewFields>("ReviewFields");
        cannot_change_another::<BounceFields>("BounceFields");
        cannot_change_another::<LoopFields>("LoopFields");
        cannot_change_another::<ReceiptFields>("ReceiptFields");
        cannot_change_another::<AnchorFields>("AnchorFields");
        cannot_change_another::<GuardFields>("GuardFields");
    }

    #[test]
    fn a_section_that_says_nothing_changes_nothing() {
        let before = spoken();
        let mut after = before.clone();
        Section::<LoopFields>::of(&before).merge(&mut after);
        Section::<ReviewFields>::of(&before).merge(&mut after);
        assert_eq!(before.line().unwrap(), after.line().unwrap());
    }

    #[test]
    fn the_first_reply_stays_and_the_last_end_is_heard() {
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
    fn a_loop_that_goes_on_voids_the_end_that_another_stage_chose() {
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
