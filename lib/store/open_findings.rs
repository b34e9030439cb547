//! What the last judgement of a task left open, in words: from its receipt, or from a loop's record.

use crate::event::{BudgetOwner, Level, Outcome};
use crate::store::receipt::Receipt;
use crate::store::record::{Body, FrameNext, FrameStep, OpenFinding, Sealed};
use crate::store::task::Task;
use crate::sys::text::one_line;

/// The last judgement: a receipt's, or one during a loop, which seals none.
pub enum Judgement<'a> {
    /// A receipt says it.
    Sealed(&'a Sealed),
    /// A step of a loop says it.
    Step(&'a FrameNext),
}

/// The last judgement of the session's own work, as far as it can be read.
pub fn last(task: &Task) -> Option<Judgement<'_>> {
    task.journal.records().rev().find_map(|(_, record)| match &record.body {
        Body::Receipt(sealed) if sealed.budget_owner == BudgetOwner::Main => Some(Judgement::Sealed(sealed)),
        Body::Frame(FrameStep::Next(next)) if next.open.is_some() => Some(Judgement::Step(next)),
        _ => None,
    })
}

/// The keys of what it left open.
pub fn keys(task: &Task) -> Vec<String> {
    match last(task) {
        Some(Judgement::Sealed(sealed)) => sealed.keys.clone(),
        Some(Judgement::Step(next)) => next.keys.clone(),
        None => Vec::new(),
    }
}

/// What it left open. Where its receipt is gone, the journal still knows how many there were.
pub fn open(task: &Task) -> Vec<OpenFinding> {
    match last(task) {
        Some(Judgement::Sealed(sealed)) => findings(task, sealed),
        Some(Judgement::Step(next)) => next.open.clone().unwrap_or_default(),
        None => Vec::new(),
    }
}

fn findings(task: &Task, sealed: &Sealed) -> Vec<OpenFinding> {
    if matches!(sealed.outcome, Outcome::Done | Outcome::Waived) {
        return Vec::new();
    }
    let Ok(receipt) = Receipt::load(&task.state, &sealed.receipt) else {
        let gone = |key: &String| OpenFinding { text: format!("{key} (its receipt is gone)"), key: key.clone() };
        return sealed.keys.iter().map(gone).collect();
    };
    let is_open = |level: Level, key: &String| match level {
        Level::Inconclusive => true,
        Level::Error | Level::Tampered => sealed.keys.contains(key),
        Level::Warning | Level::Note => false,
    };
    let open = receipt.findings.iter().filter(|finding| is_open(finding.level, &finding.key));
    open.map(|f| OpenFinding { text: placed(f.path.as_deref().unwrap_or(""), f.line, &f.text), key: f.key.clone() })
        .collect()
}

/// A text with its place before it, on one line.
pub fn placed(path: &str, line: Option<u64>, text: &str) -> String {
    let place = match line {
        _ if path.is_empty() => String::new(),
        Some(line) => format!("{}:{line}: ", one_line(path)),
        None => format!("{}: ", one_line(path)),
    };
    place + &one_line(text)
}
