//! Subagents: a baseline each, at their start; at their stop they answer for what changed since then, and for nothing that
//! somebody else's own tool calls are known to have written.

use crate::baseline;
use review_gate::baseline::last;
use review_gate::basis::Basis;
use review_gate::clock::Time;
use review_gate::error::Result;
use review_gate::event::{Event, Finding};
use review_gate::journal;
use review_gate::task::Task;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The tools that write a file which they name.
const WRITERS: [(&str, &str); 4] =
    [("Write", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")];

/// A subagent begins.
pub fn started(event: &Event, basis: &Basis) -> Result<()> {
    let Some(task) = &basis.task else { return Ok(()) };
    // A subagent that is resumed goes on from where it began first.
    if task.has_baseline(&event.budget_owner.to_string()) {
        return Ok(());
    }
    baseline::take(event, basis, task, &event.budget_owner.to_string()).map(drop)
}

/// Takes out what is found in files that only others wrote by tool calls of theirs since it began, as far as the trace tells. The
/// session's own stop judges all of it.
pub fn leave_to_others(event: &Event, basis: &Basis, found: &mut Vec<Finding>) {
    let Some(began) = basis.task.as_ref().and_then(|task| last(task, &event.budget_owner.to_string())).map(|b| b.at)
    else {
        return;
    };
    let writers = writers(event, basis, began);
    found.retain(|finding| {
        let Some(path) = &finding.path else { return true };
        let whole = event.root.join(path);
        let real = std::fs::canonicalize(&whole).unwrap_or(whole);
        let seats: BTreeSet<&String> = writers.get(&real).into_iter().flatten().collect();
        seats.is_empty() || seats.contains(&event.budget_owner.to_string())
    });
}

/// Who wrote which file by a tool call that names it.
fn writers(event: &Event, basis: &Basis, since: Time) -> BTreeMap<PathBuf, BTreeSet<String>> {
    let mut writers: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let Some(session) = event.session_key() else { return writers };
    let records = journal::read_matching(&basis.state.trace(session), "tool-after").unwrap_or_default();
    for record in records.iter().filter(|record| record.at().is_some_and(|at| at >= since)) {
        let tool = record.fields.get("tool");
        let text = |name: &str| tool.and_then(|tool| tool.get(name)).and_then(Value::as_str).unwrap_or("");
        let Some((_, field)) = WRITERS.iter().find(|(name, _)| *name == text("name")) else { continue };
        let input = serde_json::from_str::<Value>(text("input")).unwrap_or_default();
        if let Some(path) = input.get(*field).and_then(Value::as_str).or_else(|| named(text("input"), field)) {
            // The client may name it by way of a link.
            let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
            writers.entry(real).or_default().insert(record.text("seat").to_string());
        }
    }
    writers
}

/// The value of a field in an input that was cut: as JSON it can be read no more.
fn named<'a>(input: &'a str, field: &str) -> Option<&'a str> {
    let start = input.split_once(&format!("\"{field}\":\""))?.1;
    let value = start.split('"').next()?;
    (!value.contains('\\')).then_some(value)
}

/// At the session's stop: which findings a subagent was sent back for and left.
pub fn say_whose(task: &Task, found: &mut [Finding]) {
    let sealed = task.sealed();
    let of_agents: Vec<_> = sealed.iter().filter(|sealed| sealed.seat.starts_with("agent:")).collect();
    for finding in found {
        if let Some(sealed) = of_agents.iter().rfind(|sealed| sealed.keys.contains(&finding.key)) {
            finding.text = format!("{} (left by subagent {})", finding.text, &sealed.seat["agent:".len()..]);
        }
    }
}
