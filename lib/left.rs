//! What the last judgement of a task left open, in words: from its receipt, or from a loop's record.

use crate::event::{Finding, Level, Outcome};
use crate::git::read_regular;
use crate::journal::Record;
use crate::task::Task;
use crate::text::one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The largest receipt that is read, in bytes.
const RECEIPT_LIMIT: u64 = 16 << 20;

/// One thing that was left open, as a loop's record holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// The finding's fingerprint.
    pub key: String,
    /// What it says, with its place before it.
    pub text: String,
}

/// The last judgement: a receipt's, or one amid a loop, which seals none.
pub fn last(task: &Task) -> Option<&Record> {
    let is_receipt = |record: &Record| record.kind == "receipt" && record.text("seat") == "main";
    let is_step = |record: &Record| record.kind == "frame" && !record.text("judged").is_empty();
    task.records.iter().rfind(|record| is_receipt(record) || is_step(record))
}

/// The keys of what it left open.
pub fn keys(task: &Task) -> Vec<String> {
    last(task).and_then(|record| record.get("keys")).unwrap_or_default()
}

/// What it left open. Where its receipt is gone, the journal still knows how many there were.
pub fn open(task: &Task) -> Vec<Open> {
    match last(task) {
        Some(record) if record.kind == "receipt" => findings(task, record),
        Some(record) => record.get("open").unwrap_or_default(),
        None => Vec::new(),
    }
}

fn findings(task: &Task, record: &Record) -> Vec<Open> {
    let is_settled = matches!(record.get("outcome"), Some(Outcome::Done | Outcome::Waived));
    if is_settled {
        return Vec::new();
    }
    let keys: Vec<String> = record.get("keys").unwrap_or_default();
    let path = task.state.receipt(record.text("receipt"));
    let bytes = read_regular(&path, RECEIPT_LIMIT);
    let receipt: Value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let found = receipt.get("findings").and_then(Value::as_array).into_iter().flatten();
    let found = found.filter_map(|value| serde_json::from_value::<Finding>(value.clone()).ok());
    let open = found.filter(|finding| matches!(finding.level, Level::Error | Level::Tampered | Level::Inconclusive));
    let mut open: Vec<Open> = open
        .filter(|finding| finding.level == Level::Inconclusive || keys.contains(&finding.key))
        .map(|f| Open { text: placed(f.path.as_deref().unwrap_or(""), f.line, &f.text), key: f.key })
        .collect();
    if receipt.is_null() {
        open.extend(keys.into_iter().map(|key| Open { text: format!("{key} (its receipt is gone)"), key }));
    }
    open
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
