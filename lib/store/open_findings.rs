//! The findings that the last judgement of a task left open, from its receipt or from a loop's record.

use crate::event::{BudgetOwner, Level, Outcome};
use crate::store::receipt::Receipt;
use crate::store::record::{Body, FrameNext, FrameStep, OpenFinding, SealedReceipt};
use crate::store::task::Task;
use crate::sys::text::one_line;

/// The last judgement: that of a receipt, or one inside a loop, which seals no receipt.
pub enum LastJudgement<'a> {
    /// A receipt records it.
    Sealed(&'a SealedReceipt),
    /// A step of a loop records it.
    Step(&'a FrameNext),
}

/// The last readable judgement of the session's own work.
pub fn last(task: &Task) -> Option<LastJudgement<'_>> {
    task.journal.records().rev().find_map(|(_, record)| match &record.body {
        Body::Receipt(sealed) if sealed.budget_owner == BudgetOwner::Main => Some(LastJudgement::Sealed(sealed)),
        Body::Frame(FrameStep::Next(next)) if next.open.is_some() => Some(LastJudgement::Step(next)),
        _ => None,
    })
}

/// The keys of the open findings.
pub fn keys(task: &Task) -> Vec<String> {
    match last(task) {
        Some(LastJudgement::Sealed(sealed)) => sealed.keys.clone(),
        Some(LastJudgement::Step(next)) => next.keys.clone(),
        None => Vec::new(),
    }
}

/// The open findings. If the receipt is missing, their keys come from the journal.
pub fn open(task: &Task) -> Vec<OpenFinding> {
    match last(task) {
        Some(LastJudgement::Sealed(sealed)) => findings(task, sealed),
        Some(LastJudgement::Step(next)) => next.open.clone().unwrap_or_default(),
        None => Vec::new(),
    }
}

fn findings(task: &Task, sealed: &SealedReceipt) -> Vec<OpenFinding> {
    if matches!(sealed.outcome, Outcome::Done | Outcome::Waived) {
        return Vec::new();
    }
    let Ok(receipt) = Receipt::load(&task.state, &sealed.receipt) else {
        let keyed = |key: &String| OpenFinding { text: format!("{key} (its receipt is missing)"), key: key.clone() };
        return sealed.keys.iter().map(keyed).collect();
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

/// A text after its path and line, on one line.
pub fn placed(path: &str, line: Option<u64>, text: &str) -> String {
    let place = match line {
        _ if path.is_empty() => String::new(),
        Some(line) => format!("{}:{line}: ", one_line(path)),
        None => format!("{}: ", one_line(path)),
    };
    place + &one_line(text)
}
