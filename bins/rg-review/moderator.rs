//! The moderator: decides when the same issues come back, when they stay, and when the rounds are spent.

use crate::launch;
use crate::model::{Ask, Case};
use review_gate::answer::how_it_ended;
use review_gate::donefile::Moderator;
use review_gate::review::diff::quoted;
use review_gate::review::dispute::keys_of;
use review_gate::review::record::{CheckedDecision, Dispute, RaisedIssue, Ruled, Settled, Standing};
use review_gate::review::subject::Subject;
use review_gate::store::record::Severity;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeMap;

/// The moderator's prompt.
const SYSTEM: &str = include_str!("../../agents/moderator.md");

/// The fields of its reply.
const FORM: &str = "\"decision\": \"accept_builder | accept_reviewer | reject_both\", \"reasoning\": \"...\"";

/// How often the moderator is asked in one task.
const PER_TASK: usize = 5;

/// Why the moderator must decide about these files; None if it need not, or did.
pub fn why_needed(subject: &Subject, open: &[RaisedIssue], (round, of): (u32, u32)) -> Option<&'static str> {
    let spec = &subject.spec;
    let asked = subject.reviews.settled_about(Dispute::Moderator).count();
    if spec.moderator.is_none() || open.is_empty() || subject.moderated(open).is_some() || asked >= PER_TASK {
        return None;
    }
    let rejections = subject.reviews.counting().filter(|given| given.standing == Standing::Rejected);
    let rounds: Vec<Vec<String>> = rejections.map(blocking).collect();
    let (last, earlier) = rounds.split_last()?;
    let is_severe = open.iter().any(|issue| issue.severity >= Severity::Major);
    match () {
        _ if earlier.last() == Some(last) => Some("the same issues are open for two rounds"),
        _ if earlier.contains(last) => Some("the same issues came back"),
        _ if round >= of && is_severe => Some("the last round ended with serious issues open"),
        _ => None,
    }
}

/// The keys of the blocking issues of a decision, sorted.
fn blocking(given: &CheckedDecision) -> Vec<String> {
    let issues: Vec<RaisedIssue> = given.issues.iter().filter(|issue| issue.blocks).cloned().collect();
    keys_of(&issues)
}

/// Asks the moderator. A failure is an answer that cannot be used; the issues then stay.
pub fn decide(case: &Case<'_>, open: &[RaisedIssue], why: &str) -> Settled {
    let mut settled = Settled {
        about: Dispute::Moderator,
        ruled: Ruled::Invalid,
        by: "human".to_string(),
        why: why.to_string(),
        snapshot: case.request.snapshot.clone(),
        keys: keys_of(open),
        files: BTreeMap::new(),
        proof: None,
        at: clock::now(),
        place: 0,
    };
    match &case.subject.spec.moderator {
        Some(Moderator::Program(words)) => {
            if let Err(error) = ask(case, words, open, why, &mut settled) {
                settled.why = cut_end(&one_line(&error.to_string()), 500);
            }
        }
        // A hook has no terminal: the turn ends, and the user decides.
        _ => settled.ruled = Ruled::RejectBoth,
    }
    settled
}

fn ask(case: &Case<'_>, words: &Vec<String>, open: &[RaisedIssue], why: &str, settled: &mut Settled) -> Result<()> {
    let target = launch::target(case.event, case.subject, Some(words))?;
    settled.by = target.name.clone();
    let mut issues: Vec<&RaisedIssue> = open.iter().collect();
    issues.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
    let lines: Vec<String> = issues
        .iter()
        .take(20)
        .map(|issue| format!("{} {}: {}", issue.severity, issue.path, cut_end(&one_line(&issue.description), 300)))
        .collect();
    let checks: Vec<String> = case
        .subject
        .checks(case.request, case.workspace)
        .iter()
        .map(|check| format!("{}: {}", one_line(&check.name), how_it_ended(check)))
        .collect();
    let text = format!(
        "You are asked because {why}.\n\n## Open issues\n\n{}\n## Checks\n\n{}\nYour decision is about exactly these files.",
        quoted(&lines.join("\n")),
        quoted(&checks.join("\n"))
    );
    let reply = case.ask(&target, &Ask { role: "moderator", system: SYSTEM, text: &text, form: FORM })?;
    let ruled = match reply.text("decision").trim() {
        "accept_builder" => Ruled::AcceptBuilder,
        "accept_reviewer" => Ruled::AcceptReviewer,
        "reject_both" => Ruled::RejectBoth,
        _ => {
            return Err(Error::child("the moderator's decision is not accept_builder, accept_reviewer or reject_both"));
        }
    };
    let reason = one_line(reply.text("reasoning"));
    if reason.trim().is_empty() {
        return Err(Error::child("the moderator's answer lacks reasoning"));
    }
    settled.ruled = ruled;
    settled.why = cut_end(&reason, 500);
    Ok(())
}
