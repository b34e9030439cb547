//! Posts of what reviewers decide, for the readers of the talk.

use super::record::{CheckedDecision, Standing};
use crate::store::open_findings::placed;
use crate::store::record::Ask;
use crate::sys::redact::redact;
use crate::talk::announcement::announce;
use std::path::Path;

/// Posts a decision for the readers of the talk. One that does not count is not posted.
pub fn announce_decision(root: &Path, task: &str, given: &CheckedDecision) {
    if let (true, Some(snapshot)) = (given.standing != Standing::Void, &given.snapshot) {
        let word = given.standing.word().to_uppercase();
        let issues = given.issues.iter().map(|issue| placed(&issue.path, issue.line, &issue.description));
        let why = if given.why.is_empty() { &given.summary } else { &given.why };
        let why = Some(why.clone()).filter(|why| given.standing != Standing::Approved && !why.is_empty());
        announce_words(root, task, format!("{word} snapshot:{snapshot}"), issues.chain(why).collect());
    }
}

/// Posts the decision of a second opinion for the readers of the talk.
pub fn announce_second_opinion(root: &Path, task: &str, ask: &Ask) {
    if let (Some(word), Some(snapshot)) = (ask.decision, &ask.snapshot) {
        let text = format!("SECOND OPINION of {}: {} snapshot:{snapshot}", ask.to, word.word());
        let issues = ask.issues.iter().map(|issue| placed(&issue.path, issue.line, &issue.description));
        announce_words(root, task, text, issues.collect());
    }
}

fn announce_words(root: &Path, task: &str, text: String, more: Vec<String>) {
    let more = if more.is_empty() { String::new() } else { format!(": {}", more.join("; ")) };
    announce(root, &format!("task:{task}"), "review", &redact(&format!("{text}{more}")));
}
