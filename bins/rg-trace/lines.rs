//! The lines of a session: one for each event and each denied call.

use crate::denials::Denial;
use review_gate::event::{Action, BudgetOwner, Kind, Level, Outcome};
use review_gate::store::record::{TracedEvent, TracedFinding};
use review_gate::sys::text::{cut_end, one_line};

/// A line for each event and each denied call. Events stay in order of arrival; a denied call stands before the first event that is
/// not older.
pub fn lines(events: &[&TracedEvent], denials: &[Denial]) -> String {
    let mut denials = denials.iter().peekable();
    let mut out = String::new();
    for traced in events {
        while let Some(denied) = denials.next_if(|denied| denied.at <= traced.at) {
            out += &(denied.line() + "\n");
        }
        out += &(line(traced) + "\n");
    }
    out.extend(denials.map(|denied| denied.line() + "\n"));
    out
}

/// `12:00:01 prompt        user: fix the test`
pub fn line(traced: &TracedEvent) -> String {
    let at = traced.at.local_clock();
    let owner = match &traced.budget_owner {
        BudgetOwner::Main => String::new(),
        owner => format!("[{}] ", cut_end(&owner.to_string(), 20)),
    };
    format!("{at} {:<13} {owner}{}", cut_end(traced.event.name(), 13), summary(traced)).trim_end().to_string()
}

/// What happened, in one line.
pub fn summary(traced: &TracedEvent) -> String {
    let short = |text: Option<&String>| cut_end(&one_line(text.map_or("", String::as_str)), 160);
    match (&traced.event, &traced.tool) {
        (Kind::Prompt, _) => format!("{}: {}", traced.by, short(traced.prompt.as_ref())),
        (Kind::ToolFailed, Some(tool)) => {
            format!("{} {} -> {}", tool.name, short(tool.input.as_ref()), short(tool.error.as_ref()))
        }
        (_, Some(tool)) => format!("{} {}", tool.name, short(tool.input.as_ref())),
        (Kind::Stop | Kind::SubagentStop, None) => decision(traced),
        _ => short(traced.source.as_ref()),
    }
}

/// The text of a finding. One that does not change the outcome names its level.
pub fn with_level(finding: &TracedFinding) -> String {
    match finding.level {
        level @ (Level::Note | Level::Warning) => format!("{level}: {}", finding.text),
        _ => finding.text.clone(),
    }
}

/// The outcome, the round, the first and gravest findings, and the receipt; of a stop that was not judged, what was said instead.
fn decision(traced: &TracedEvent) -> String {
    let blocked = traced.reply.as_ref().filter(|reply| reply.action == Action::Block);
    let outcome = match (traced.outcome, blocked) {
        (Some(outcome), _) => outcome.word(),
        (None, Some(reply)) => return format!("not judged: {}", cut_end(&one_line(&reply.reason), 240)),
        (None, None) if traced.tell.is_empty() => "nothing required",
        (None, None) => "not judged",
    };
    let said = match traced.outcome {
        // A bounce says what its findings say.
        Some(Outcome::NotDone | Outcome::Abandoned | Outcome::Unverified) => String::new(),
        _ => traced
            .tell
            .iter()
            .map(|text| one_line(text.strip_prefix("review-gate: ").unwrap_or(text)))
            .collect::<Vec<_>>()
            .join("; "),
    };
    let said = if said.is_empty() { said } else { format!(": {}", cut_end(&said, 240)) };
    let round = traced.bounce.as_ref().map_or(String::new(), |bounce| format!(" (bounce {bounce})"));
    let mut found: Vec<&TracedFinding> = traced.findings.iter().collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let found: Vec<String> = found.iter().take(3).map(|finding| one_line(&with_level(finding))).collect();
    let found = if found.is_empty() { String::new() } else { format!(": {}", cut_end(&found.join("; "), 160)) };
    format!("{outcome}{round}{found}{said} {}", traced.receipt.as_deref().unwrap_or(""))
}
