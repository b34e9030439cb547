//! Judges at a stop whether the current files are approved, from the task's journal.

use super::REVIEWER;
use super::arming::{Arming, arming, is_unattended};
use super::instructions::why_untrusted;
pub use super::issue_findings::Output;
use super::issue_findings::{
    PERSON_MUST_DECIDE, accept_as_moderator, accept_as_user, report_issues, warn, warn_below_floor, why_human,
};
use super::record::{CheckedDecision, Dispute, RaisedIssue, ReviewRequest, Ruled, Standing};
use super::subject::Subject;
use crate::donefile::{ReviewMode, ReviewSpec, Starter};
use crate::event::outcome;
use crate::event::{BudgetOwner, Client, EndedWhy, Event, Level, Review, ReviewState, Rule, Stage, Trust, Verdict};
use crate::snapshot::baseline;
use crate::snapshot::workspace::Workspace;
use crate::store::task::Task;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::text::{count, cut_end, one_line};
use std::path::PathBuf;

/// A review that is required.
pub struct DueReview {
    /// Who must start the reviewer.
    pub by: Starter,
    /// The review request; None if the rounds are spent. It may not be recorded yet.
    pub request: Option<ReviewRequest>,
}

/// Judges a stop, and replaces an earlier judgement. Returns the required review; None if none is armed or required. `armed_by` is a
/// further reason to arm one.
pub fn judge(
    event: &Event,
    workspace: &Workspace,
    armed_by: Option<&str>,
    output: &mut Output,
) -> Result<Option<DueReview>> {
    output.clear_verdict();
    output.own.approval = None;
    let done = workspace.usable_donefile(event);
    let spec = done.as_ref().map(|done| done.review.clone()).unwrap_or_default();
    let task = workspace.task.as_ref();
    let is_required_at_intake = event.required_at_intake.contains(&Stage::ReviewState);
    // Only `review.paths` depends on the changes.
    let mut subject = if spec.paths.is_empty() { None } else { Some(Subject::of(event, workspace)?) };
    let review = match arming(event, armed_by, task, &spec, &workspace.state, subject.as_ref())? {
        Arming::Yes(why) => Review { of: spec.rounds, ..Review::armed(why) },
        Arming::NotSampled(why) => {
            output.own.review = Some(Review { state: ReviewState::NotSampled, ..Review::armed(why) });
            return Ok(None);
        }
        Arming::No => {
            output.own.review = None;
            output.own.review_required = is_required_at_intake.then_some(false);
            return Ok(None);
        }
    };
    output.own.review_required = (!is_required_at_intake).then_some(true);
    let snapshot = workspace.last_look(event)?.digest();
    output.set_snapshot(snapshot.clone());
    let begun = task
        .and_then(|task| baseline::last(task, &BudgetOwner::Main).map(|b| b.snapshot).or(task.begin.snapshot.clone()));
    if begun.as_ref() == Some(&snapshot) {
        let why = "no file changed since the baseline";
        if review.armed == "#review" {
            output.tell("review-gate: nothing was reviewed: no file changed since the review was requested");
        }
        return conclude(output, review, ReviewState::NotRequired, Verdict::NotRequired, why);
    }
    let has_failed = |judge: &&Stage| matches!(outcome::judge_verdict(event, judge), Verdict::Fail | Verdict::Tampered);
    if outcome::judges(event).iter().filter(|judge| ***judge != Stage::ReviewState).any(has_failed) {
        let why = "a review is required when all other judges pass";
        return conclude(output, review, ReviewState::Waits, Verdict::NotRequired, why);
    }
    if let Some(why) = why_skipped(event, &spec) {
        return conclude(output, review, ReviewState::Skipped, Verdict::NotRequired, why);
    }
    let subject = match subject.take() {
        Some(subject) => subject,
        None => Subject::of(event, workspace)?,
    };
    if subject.base.is_ok() && subject.changes.is_empty() {
        return conclude(output, review, ReviewState::NotRequired, Verdict::NotRequired, "no file changed");
    }
    judge_decisions(event, workspace, &subject, review, &snapshot, output)
}

/// Why `review.mode` leaves out this stop: the loop continues after it. None if it is reviewed.
fn why_skipped(event: &Event, spec: &ReviewSpec) -> Option<&'static str> {
    let is_inner = || event.looping.as_ref().is_some_and(|frame| frame.depth > 1);
    match spec.mode {
        ReviewMode::Selective if event.is_checkpoint() => Some("review.mode is selective, and this is a checkpoint"),
        ReviewMode::FinalOnly if event.is_checkpoint() => Some("review.mode is final_only, and this is a checkpoint"),
        ReviewMode::FinalOnly if is_inner() => Some("review.mode is final_only, and this ends an inner loop"),
        _ => None,
    }
}

/// Judges by the decisions on these files.
fn judge_decisions(
    event: &Event,
    workspace: &Workspace,
    subject: &Subject,
    mut review: Review,
    snapshot: &str,
    output: &mut Output,
) -> Result<Option<DueReview>> {
    let task = workspace.task.as_ref();
    review.round = subject.reviews.rejections_since(task.map_or(0, |task| task.ledger.since_given_up()));
    let approval = subject.reviews.approvals.iter().rfind(|approval| approval.snapshot == snapshot);
    if let Some(approval) = approval.filter(|_| why_edited(task).is_none()) {
        let review = accept_as_user(output, review, approval);
        return conclude(output, review, ReviewState::Waived, Verdict::Fail, "the user approved these files");
    }
    let by = caller(event, subject);
    let of_these =
        |given: &&CheckedDecision| given.snapshot.as_deref() == Some(snapshot) && given.standing != Standing::Void;
    let Some(given) = subject.reviews.decisions.iter().rfind(of_these) else {
        let (state, why) = why_missing(subject, workspace);
        return require_review(event, workspace, (subject, snapshot), Review { state, ..review }, (by, &why), output);
    };
    fill(&mut review, given);
    let open = subject.open_issues();
    match given.standing {
        Standing::Approved if subject.reviews.missed_a_defect(&given.by) => {
            let why = format!("{} approved a planted defect in this task: its approvals do not count", given.by);
            conclude(output, review, ReviewState::Inconclusive, Verdict::Inconclusive, &why)
        }
        Standing::Approved => match why_not_counted(given, event, subject, &open, task)? {
            Some(why) => require_review(
                event,
                workspace,
                (subject, snapshot),
                Review { state: ReviewState::Required, ..review },
                (by, &why),
                output,
            ),
            // An approval after too many rejections does not count.
            None if end_if_spent(output, &review) => {
                output.find_rule(Rule::ReviewOwed, Level::Error, "approved only after the limit of rejections");
                conclude(output, review, ReviewState::Rejected, Verdict::Fail, "the limit of rejections is reached")
            }
            None => {
                warn_below_floor(output, given);
                let trust = given.trust.map_or("", Trust::word);
                let more = if given.why.is_empty() { String::new() } else { format!(", {}", given.why) };
                let mut planted = subject.reviews.settled_about(Dispute::Canary);
                let planted = planted.rfind(|settled| settled.snapshot == snapshot);
                let planted = planted.map_or(String::new(), |settled| format!("; planted defect: {}", settled.ruled));
                let why = format!("approved by a reviewer ({trust}){more}{planted}");
                conclude(output, review, ReviewState::Approved, Verdict::Pass, &why)
            }
        },
        Standing::Rejected if open.is_empty() => {
            let why = "tests refuted each issue of the last decision";
            let review = Review { state: ReviewState::Required, ..review };
            require_review(event, workspace, (subject, snapshot), review, (by, why), output)
        }
        Standing::Rejected => {
            match subject.moderated(&open).map(|settled| (settled, settled.ruled)) {
                Some((settled, Ruled::AcceptBuilder))
                    if subject.spec.moderator_waives && why_edited(task).is_none() =>
                {
                    warn(output, &open, "the moderator accepts the work");
                    let review = accept_as_moderator(output, review, settled);
                    return conclude(
                        output,
                        review,
                        ReviewState::Waived,
                        Verdict::Fail,
                        "the moderator accepts the work",
                    );
                }
                Some((settled, Ruled::AcceptBuilder | Ruled::RejectBoth)) => {
                    warn(output, &open, PERSON_MUST_DECIDE);
                    let why = why_human(&subject.spec, settled);
                    return conclude(output, review, ReviewState::Inconclusive, Verdict::Inconclusive, &why);
                }
                _ => {}
            }
            report_issues(output, subject, &open);
            warn_below_floor(output, given);
            end_if_spent(output, &review);
            let why = count(open.len(), "open issue");
            conclude(output, review, ReviewState::Rejected, Verdict::Fail, &why)
        }
        // A reviewer that cannot tell does not resolve the issues of another one.
        _ if !open.is_empty() => {
            report_issues(output, subject, &open);
            end_if_spent(output, &review);
            conclude(output, review, ReviewState::Rejected, Verdict::Fail, &count(open.len(), "open issue"))
        }
        _ => {
            let words = [given.why.as_str(), given.summary.as_str()].join(": ");
            let why = cut_end(&one_line(words.trim_end_matches([':', ' '])), 300);
            conclude(output, review, ReviewState::Inconclusive, Verdict::Inconclusive, &why)
        }
    }
}

/// Copies a decision to the review in the event.
fn fill(review: &mut Review, given: &CheckedDecision) {
    review.by = Some(given.by.clone());
    review.trust = given.trust;
    review.request = given.request.clone();
    review.snapshot = given.snapshot.clone();
    review.summary = given.summary.clone();
    review.message = given.message.clone();
    review.suggestion = given.suggestion();
    review.second_opinion = given.second_opinion.clone();
    review.definition = given.definition.clone();
}

/// The required trust. If the client is unattended and DONE.md does not set it: a reviewer that rg-review started.
fn require(event: &Event, spec: &ReviewSpec) -> Option<Trust> {
    let default = is_unattended(event) && spec.by != Some(Starter::Agent);
    spec.require.or(default.then_some(Trust::Gate))
}

/// Who must start the reviewer: the agent, if the client has a reviewer whose decision would count, else rg-review.
fn caller(event: &Event, subject: &Subject) -> Starter {
    let spec = &subject.spec;
    // A reviewer that was removed since the task began is reported when it is called.
    // The plugin has a reviewer for Claude Code only.
    let has_reviewer = event.client == Client::Claude
        && (definition().is_some() || subject.reviews.pins.as_ref().is_some_and(|pins| pins.definition.is_some()));
    match (spec.by, spec.require) {
        (Some(by), _) => by,
        (None, Some(Trust::Client)) => Starter::Agent,
        (None, None) if has_reviewer && spec.command.is_none() && !is_unattended(event) => Starter::Agent,
        _ => Starter::Command,
    }
}

/// The definition of the client's reviewer in the plugin; None if it is missing.
pub fn definition() -> Option<PathBuf> {
    let path = env::plugin_root()?.join("agents/reviewer.md");
    path.is_file().then_some(path)
}

/// Why an approval does not count; None if it counts.
fn why_not_counted(
    given: &CheckedDecision,
    event: &Event,
    subject: &Subject,
    open: &[RaisedIssue],
    task: Option<&Task>,
) -> Result<Option<String>> {
    if given.session.is_some() && given.session != event.session {
        return Ok(Some("these files were approved in another session, and that approval does not count here".into()));
    }
    if let Some(required) = require(event, &subject.spec).filter(|required| given.trust != Some(*required)) {
        let trust = given.trust.map_or("unknown", Trust::word);
        return Ok(Some(format!("these files were approved with trust {trust}, and {required} is required")));
    }
    let left: Vec<&str> =
        open.iter().filter(|issue| !is_waived(event, issue)).map(|issue| issue.key.as_str()).collect();
    if !left.is_empty() {
        return Ok(Some(format!("the approval does not mention the open issues {}", left.join(", "))));
    }
    Ok(why_edited(task))
}

/// Why no approval in a task's journal counts: the journal was edited. None if it was not.
fn why_edited(task: Option<&Task>) -> Option<String> {
    let at = task.and_then(Task::first_edited_record)?;
    Some(format!("the task's journal was edited before record {at}: no approval in it counts"))
}

fn is_waived(event: &Event, issue: &RaisedIssue) -> bool {
    outcome::is_waived(event, Rule::ReviewIssue.word(), &issue.key)
}

/// The state and the reason if these files have no decision: the last one was about other files, or was void.
fn why_missing(subject: &Subject, workspace: &Workspace) -> (ReviewState, String) {
    let void = subject.reviews.decisions.last().filter(|given| given.standing == Standing::Void);
    let Some(last) = subject.reviews.counting().next_back() else {
        let why = match void {
            Some(given) => format!("the last decision of a reviewer does not count: {}", given.why),
            None => "no reviewer has reviewed these files".to_string(),
        };
        return (ReviewState::Required, why);
    };
    let then = last.snapshot.as_deref();
    let changed = then.and_then(|then| subject.changed_since(then, workspace).ok()).unwrap_or_default();
    let shown = changed.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = if changed.len() > 5 { format!(" and {} more", changed.len() - 5) } else { String::new() };
    let (state, text) = match last.standing {
        Standing::Approved => (ReviewState::Stale, format!("files changed since the approval: {shown}{more}")),
        Standing::Rejected => (ReviewState::Required, format!("files changed since the rejection: {shown}{more}")),
        _ => (ReviewState::Required, "no reviewer has reviewed these files".to_string()),
    };
    let text = match void {
        Some(given) if given.place > last.place => {
            format!("{text}; the last decision of a reviewer does not count: {}", given.why)
        }
        _ => text,
    };
    (state, text)
}

/// Requires a review, which the agent or rg-review must start.
fn require_review(
    event: &Event,
    workspace: &Workspace,
    (subject, snapshot): (&Subject, &str),
    mut review: Review,
    (by, why): (Starter, &str),
    output: &mut Output,
) -> Result<Option<DueReview>> {
    let state = review.state;
    let request = match subject.reviews.request_of(snapshot) {
        Some(request) => request.clone(),
        None => subject.request(event, workspace)?,
    };
    review.request = Some(request.id.clone());
    let is_spent = end_if_spent(output, &review);
    match by {
        Starter::Agent => {
            let untrusted = why_untrusted(subject).filter(|known| !why.contains(known.as_str()));
            let why = &untrusted.map_or(why.to_string(), |more| format!("{why}; {more}"));
            let text = format!(
                "{why}. Call the Agent tool with subagent_type \"{REVIEWER}\" (review request {}; review-gate writes its prompt)",
                request.id
            );
            output.find_rule(Rule::ReviewOwed, Level::Error, &text);
            conclude(output, review, state, Verdict::Fail, why)?;
        }
        Starter::Command if is_spent => {
            output.find_rule(Rule::ReviewOwed, Level::Error, why);
            conclude(output, review, state, Verdict::Fail, why)?;
        }
        Starter::Command => {
            conclude(output, review, state, Verdict::Inconclusive, &format!("{why}; rg-review did not run"))?;
        }
    }
    Ok(Some(DueReview { by, request: Some(request).filter(|_| !is_spent) }))
}

/// Lets the turn end if the limit of rejections is reached. Returns whether it is.
fn end_if_spent(output: &mut Output, review: &Review) -> bool {
    let is_spent = review.round >= review.of;
    if is_spent {
        let text = format!(
            "the reviewer rejected the work {}",
            if review.round == 1 { "once".into() } else { format!("{} times", review.round) }
        );
        output.end(EndedWhy::Rounds, text);
    }
    is_spent
}

fn conclude(
    output: &mut Output,
    review: Review,
    state: ReviewState,
    verdict: Verdict,
    why: &str,
) -> Result<Option<DueReview>> {
    output.own.review = Some(Review { state, ..review });
    output.judge(verdict, why);
    Ok(None)
}
