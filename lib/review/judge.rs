//! Is a review owed, given, stale, refused? The judgement at a stop, from the task's journal and the files as they lie.

use super::REVIEWER;
use super::arming::{Armed, armed, is_unattended};
use super::desk::Desk;
use super::record::{Approval, Given, Packet, Raised, Standing};
use crate::donefile::{ReviewSpec, Starter};
use crate::event::outcome;
use crate::event::{
    BudgetOwner, Client, EndedWhy, Event, Finding, Level, Review, ReviewFields, ReviewState, Rule, Scope, Section,
    Stage, Trust, Verdict, Waiver,
};
use crate::snapshot::baseline;
use crate::snapshot::definition::Basis;
use crate::store::task::Task;
use crate::sys::clock;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::text::{count, cut_end, one_line};
use std::path::PathBuf;

/// What a judgement rests on and what is to be done about it.
pub struct Due {
    /// Who gets a review that is owed.
    pub by: Starter,
    /// The packet to be looked at, where a review is owed; it may have to be written down yet.
    pub packet: Option<Packet>,
}

/// What rg-review-state says, whichever program speaks for it.
pub type Said = Section<ReviewFields>;

/// Judges a stop anew: what was said before is taken back. What is owed and who gets it comes back; None where no review is armed,
/// or none is owed. `armed_by`: what arms a review that nothing else does.
pub fn judge(event: &Event, basis: &Basis, armed_by: Option<&str>, said: &mut Said) -> Result<Option<Due>> {
    said.clear_verdict();
    said.own.approval = None;
    let done = basis.usable_donefile(event);
    let spec = done.as_ref().map(|done| done.review.clone()).unwrap_or_default();
    let task = basis.task.as_ref();
    let is_required_at_intake = event.required_at_intake.contains(&Stage::ReviewState);
    // Only paths arm by what changed.
    let mut desk = if spec.paths.is_empty() { None } else { Some(Desk::of(event, basis)?) };
    let review = match armed(event, armed_by, task, &spec, &basis.state, desk.as_ref())? {
        Armed::Yes(why) => Review { of: spec.rounds, ..Review::armed(why) },
        Armed::NotSampled(why) => {
            said.own.review = Some(Review { state: ReviewState::NotSampled, ..Review::armed(why) });
            return Ok(None);
        }
        Armed::No => {
            said.own.review = None;
            said.own.review_required = is_required_at_intake.then_some(false);
            return Ok(None);
        }
    };
    said.own.review_required = (!is_required_at_intake).then_some(true);
    let snapshot = basis.last_look(event)?.digest();
    said.set_snapshot(snapshot.clone());
    let begun = task
        .and_then(|task| baseline::last(task, &BudgetOwner::Main).map(|b| b.snapshot).or(task.begin.snapshot.clone()));
    if begun.as_ref() == Some(&snapshot) {
        let why = "no file changed that a review is owed for";
        if review.armed == "#review" {
            said.tell("review-gate: a review was asked for, and no file changed since: nothing was reviewed");
        }
        return speak(said, review, ReviewState::NotRequired, Verdict::NotRequired, why);
    }
    let is_red = |judge: &&Stage| matches!(outcome::judge_verdict(event, judge), Verdict::Fail | Verdict::Tampered);
    if outcome::judges(event).iter().filter(|judge| ***judge != Stage::ReviewState).any(is_red) {
        let why = "a review is asked for once the rest is green";
        return speak(said, review, ReviewState::Waits, Verdict::NotRequired, why);
    }
    let desk = match desk.take() {
        Some(desk) => desk,
        None => Desk::of(event, basis)?,
    };
    if desk.base.is_ok() && desk.changes.is_empty() {
        return speak(
            said,
            review,
            ReviewState::NotRequired,
            Verdict::NotRequired,
            "nothing differs from what the task began with",
        );
    }
    stands(event, basis, &desk, review, &snapshot, said)
}

/// What stands of reviews of these files.
fn stands(
    event: &Event,
    basis: &Basis,
    desk: &Desk,
    mut review: Review,
    snapshot: &str,
    said: &mut Said,
) -> Result<Option<Due>> {
    let task = basis.task.as_ref();
    review.round = desk.reviews.rejections_since(task.map_or(0, |task| task.ledger.since_given_up()));
    let approval = desk.reviews.approvals.iter().rfind(|approval| approval.snapshot == snapshot);
    if let Some(approval) = approval.filter(|_| edited(task).is_none()) {
        return waived(said, review, approval);
    }
    let by = caller(event, desk);
    let of_these = |given: &&Given| given.snapshot.as_deref() == Some(snapshot) && given.standing != Standing::Void;
    let Some(given) = desk.reviews.given.iter().rfind(of_these) else {
        let (state, why) = none_stands(desk, basis);
        return owed(event, basis, (desk, snapshot), Review { state, ..review }, (by, &why), said);
    };
    fill(&mut review, given);
    let open = desk.reviews.open_issues();
    match given.standing {
        Standing::Approved => match does_not_count(given, event, desk, &open, task)? {
            Some(why) => owed(
                event,
                basis,
                (desk, snapshot),
                Review { state: ReviewState::Required, ..review },
                (by, &why),
                said,
            ),
            // Asked again and again until somebody gave in.
            None if spent(said, &review) => {
                said.find_rule(
                    Rule::ReviewOwed,
                    Level::Error,
                    "approved only after as many rejections as there may be",
                );
                speak(said, review, ReviewState::Rejected, Verdict::Fail, "rejected too often")
            }
            None => {
                warn_below_floor(said, given);
                let trust = given.trust.map_or("", Trust::word);
                let more = if given.why.is_empty() { String::new() } else { format!(", {}", given.why) };
                let why = format!("approved by a reviewer ({trust}){more}");
                speak(said, review, ReviewState::Approved, Verdict::Pass, &why)
            }
        },
        Standing::Rejected => {
            find(said, &open);
            warn_below_floor(said, given);
            spent(said, &review);
            let why = count(open.len(), "open issue");
            speak(said, review, ReviewState::Rejected, Verdict::Fail, &why)
        }
        // What another reviewer rejected is not settled by one who cannot tell.
        _ if !open.is_empty() => {
            find(said, &open);
            spent(said, &review);
            speak(said, review, ReviewState::Rejected, Verdict::Fail, &count(open.len(), "open issue"))
        }
        _ => {
            let words = [given.why.as_str(), given.summary.as_str()].join(": ");
            let why = cut_end(&one_line(words.trim_end_matches([':', ' '])), 300);
            speak(said, review, ReviewState::Inconclusive, Verdict::Inconclusive, &why)
        }
    }
}

/// What the receipt says of a decision.
fn fill(review: &mut Review, given: &Given) {
    review.by = Some(given.by.clone());
    review.trust = given.trust;
    review.packet = given.packet.clone();
    review.snapshot = given.snapshot.clone();
    review.summary = given.summary.clone();
    review.message = given.message.clone();
    review.second_opinion = given.second_opinion.clone();
    review.definition = given.definition.clone();
}

/// Whose word must stand; where nobody sits there and nothing else is said, that of a reviewer that the gate started.
fn require(event: &Event, spec: &ReviewSpec) -> Option<Trust> {
    let default = is_unattended(event) && spec.by != Some(Starter::Agent);
    spec.require.or(default.then_some(Trust::Gate))
}

/// Who gets the review: the agent by the client's own reviewer, where that is there and its word would count, else the gate.
fn caller(event: &Event, desk: &Desk) -> Starter {
    let spec = &desk.spec;
    // One that was there when the task began and is gone is missed when it is called.
    let has_reviewer = event.client != Client::Text && (definition().is_some() || desk.reviews.pinned.is_some());
    match (spec.by, spec.require) {
        (Some(by), _) => by,
        (None, Some(Trust::Client)) => Starter::Agent,
        (None, None) if has_reviewer && spec.command.is_none() && !is_unattended(event) => Starter::Agent,
        _ => Starter::Command,
    }
}

/// The definition of the client's own reviewer, where the plugin lies.
pub fn definition() -> Option<PathBuf> {
    let path = env::plugin_root()?.join("agents/reviewer.md");
    path.is_file().then_some(path)
}

/// Why an approval does not count here; None where it does.
fn does_not_count(
    given: &Given,
    event: &Event,
    desk: &Desk,
    open: &[Raised],
    task: Option<&Task>,
) -> Result<Option<String>> {
    if given.session.is_some() && given.session != event.session {
        return Ok(Some("these files were approved in another session: that does not carry over".into()));
    }
    if let Some(required) = require(event, &desk.spec).filter(|required| given.trust != Some(*required)) {
        let trust = given.trust.map_or("nobody's", Trust::word);
        return Ok(Some(format!("these files were approved by a {trust} review, and {required} is required")));
    }
    let left: Vec<&str> =
        open.iter().filter(|issue| !is_waived(event, issue)).map(|issue| issue.key.as_str()).collect();
    if !left.is_empty() {
        return Ok(Some(format!("the approval says nothing of the open issues {}", left.join(", "))));
    }
    Ok(edited(task))
}

/// Why nothing that a task's journal says of approvals is believed: a line is not what it was when the next one was written.
fn edited(task: Option<&Task>) -> Option<String> {
    let at = task.and_then(Task::edited)?;
    Some(format!("the task's journal was edited before record {at}: no approval in it counts"))
}

fn is_waived(event: &Event, issue: &Raised) -> bool {
    outcome::is_waived(event, Rule::ReviewIssue.word(), &issue.key)
}

/// Why no review of these files stands, in words: the one before was of others, or it was nobody's word.
fn none_stands(desk: &Desk, basis: &Basis) -> (ReviewState, String) {
    let void = desk.reviews.given.last().filter(|given| given.standing == Standing::Void);
    let Some(last) = desk.reviews.counting().next_back() else {
        let why = match void {
            Some(given) => format!("the last answer of a reviewer does not count: {}", given.why),
            None => "nobody reviewed these files".to_string(),
        };
        return (ReviewState::Required, why);
    };
    let then = last.snapshot.as_deref();
    let changed = then.and_then(|then| desk.changed_since(then, basis).ok()).unwrap_or_default();
    let shown = changed.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = if changed.len() > 5 { format!(" and {} more", changed.len() - 5) } else { String::new() };
    let (state, text) = match last.standing {
        Standing::Approved => (ReviewState::Stale, format!("approved, and changed since: {shown}{more}")),
        Standing::Rejected => (ReviewState::Required, format!("rejected, and changed since: {shown}{more}")),
        _ => (ReviewState::Required, "nobody reviewed these files".to_string()),
    };
    let text = match void {
        Some(given) if given.place > last.place => {
            format!("{text}; the last answer of a reviewer does not count: {}", given.why)
        }
        _ => text,
    };
    (state, text)
}

/// A review is owed: by the agent's call, or by the gate's own start of a reviewer.
fn owed(
    event: &Event,
    basis: &Basis,
    (desk, snapshot): (&Desk, &str),
    mut review: Review,
    (by, why): (Starter, &str),
    said: &mut Said,
) -> Result<Option<Due>> {
    let state = review.state;
    let packet = match desk.reviews.packet_of(snapshot) {
        Some(packet) => packet.clone(),
        None => desk.packet(event, basis)?,
    };
    review.packet = Some(packet.id.clone());
    let is_spent = spent(said, &review);
    match by {
        Starter::Agent => {
            let text = format!(
                "call the Agent tool with subagent_type \"{REVIEWER}\" (packet {}; its prompt is written for you): {why}",
                packet.id
            );
            said.find_rule(Rule::ReviewOwed, Level::Error, &text);
            speak(said, review, state, Verdict::Fail, why)?;
        }
        Starter::Command if is_spent => {
            said.find_rule(Rule::ReviewOwed, Level::Error, why);
            speak(said, review, state, Verdict::Fail, why)?;
        }
        Starter::Command => {
            speak(
                said,
                review,
                state,
                Verdict::Inconclusive,
                &format!("{why}; the gate's own reviewer did not run (rg-review)"),
            )?;
        }
    }
    Ok(Some(Due { by, packet: Some(packet).filter(|_| !is_spent) }))
}

/// Rejected as often as it may be: given up, and said so.
fn spent(said: &mut Said, review: &Review) -> bool {
    let is_spent = review.round >= review.of;
    if is_spent {
        let text = format!(
            "rejected {} by the reviewer",
            if review.round == 1 { "once".into() } else { format!("{} times", review.round) }
        );
        said.end(EndedWhy::Rounds, text);
    }
    is_spent
}

/// Open issues are findings.
fn find(said: &mut Said, open: &[Raised]) {
    for issue in open {
        let how = Some(&issue.how_to_verify).filter(|how| !how.is_empty());
        let how = how.map_or(String::new(), |how| format!(" (to see it: {})", one_line(how)));
        let text = format!("{}: {}{how}", issue.severity, one_line(&issue.description));
        let path = Some(issue.path.as_str()).filter(|path| !path.is_empty());
        let mut finding =
            Finding::new(Stage::ReviewState, Rule::ReviewIssue, Level::Error, path, "", cut_end(&text, 600));
        finding.key = issue.key.clone();
        finding.line = issue.line;
        said.find(finding);
    }
}

/// What does not keep the work from being done is shown all the same.
fn warn_below_floor(said: &mut Said, given: &Given) {
    for issue in given.issues.iter().filter(|issue| !issue.blocks).take(20) {
        let text = format!("{}: {} ({})", issue.severity, one_line(&issue.description), issue.why_not);
        let path = Some(issue.path.as_str()).filter(|path| !path.is_empty());
        let mut finding =
            Finding::new(Stage::ReviewState, Rule::ReviewIssue, Level::Warning, path, "", cut_end(&text, 400));
        finding.key = issue.key.clone();
        finding.line = issue.line;
        said.find(finding);
    }
}

/// A person approved these files: what is owed is found, and let pass by that.
fn waived(said: &mut Said, review: Review, approval: &Approval) -> Result<Option<Due>> {
    let finding = Finding::new(
        Stage::ReviewState,
        Rule::ReviewOwed,
        Level::Error,
        None,
        "",
        "nobody but a person approved these files",
    );
    said.own.approval = Some(Waiver {
        id: approval.id.clone(),
        scope: Scope::Key(finding.key.clone()),
        why: approval.why.clone(),
        who: approval.who.clone(),
        until: clock::now().plus(86_400.0),
    });
    said.find(finding);
    let review = Review { by: Some(approval.who.clone()), snapshot: Some(approval.snapshot.clone()), ..review };
    speak(said, review, ReviewState::Waived, Verdict::Fail, "a person approved these files")
}

fn speak(said: &mut Said, review: Review, state: ReviewState, verdict: Verdict, why: &str) -> Result<Option<Due>> {
    said.own.review = Some(Review { state, ..review });
    said.judge(verdict, why);
    Ok(None)
}
