//! The decisions of reviewers and the approvals and waivers of the user in a session, from the journals of its tasks.

use review_gate::store::journal::Journal;
use review_gate::store::record::{Body, CheckedDecision, LaunchedReviewStep, ReviewStep, Standing};
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use std::collections::BTreeSet;
use std::path::Path;

/// What was decided.
pub struct Review {
    /// When.
    pub at: Time,
    /// The class of its colour on a page.
    pub class: &'static str,
    /// `approved`, `rejected` and so on.
    pub word: String,
    /// Who decided.
    pub by: String,
    /// The summary or the reason.
    pub text: String,
    /// What is wrong.
    pub issues: Vec<String>,
}

/// What was decided in these tasks, the oldest first, without what another session than that of the trace `path` decided. A journal
/// that cannot be read has nothing.
pub fn of_tasks(state: &State, path: &Path, tasks: &BTreeSet<String>) -> Vec<Review> {
    let mut reviews = Vec::new();
    for journal in tasks.iter().filter_map(|task| Journal::open(&state.task(task)).ok()) {
        for (_, record) in journal.records() {
            let at = record.envelope.at;
            let by_user = |class, word: &str, who: &str, why: &str| Review {
                at,
                class,
                word: word.to_string(),
                by: who.to_string(),
                text: why.to_string(),
                issues: Vec::new(),
            };
            reviews.extend(match &record.body {
                Body::Review(ReviewStep::Decided(decision))
                | Body::Asked(LaunchedReviewStep(ReviewStep::Decided(decision))) => {
                    let is_other = decision.session.as_ref().is_some_and(|session| *state.trace(session) != *path);
                    (!is_other).then(|| decided(at, decision))
                }
                Body::Approve(approval) => Some(by_user("good", "approved", &approval.who, &approval.why)),
                Body::Waive(waive) => {
                    let why = format!("{}: {}", waive.scope, waive.why);
                    Some(by_user("warn", "waived", &waive.who, &why))
                }
                _ => None,
            });
        }
    }
    reviews.sort_by_key(|review| review.at);
    reviews
}

fn decided(at: Time, decision: &CheckedDecision) -> Review {
    let class = match decision.standing {
        Standing::Approved => "good",
        Standing::Rejected => "bad",
        Standing::Unsure | Standing::Human | Standing::Unusable | Standing::Void => "warn",
    };
    let texts = [&decision.summary, &decision.why, &decision.message];
    let text = texts.into_iter().find(|text| !text.is_empty()).cloned().unwrap_or_default();
    let issues = decision.issues.iter().map(|issue| {
        let line = issue.line.map_or(String::new(), |line| format!(":{line}"));
        let place = if issue.path.is_empty() { String::new() } else { format!("{}{line}: ", issue.path) };
        format!("{place}{}: {}", issue.severity, issue.description)
    });
    Review { at, class, word: decision.standing.to_string(), by: decision.by.clone(), text, issues: issues.collect() }
}
