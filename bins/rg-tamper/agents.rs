//! Subagents: each has a baseline from its start. Its stop judges what changed since then, without files that only other agents
//! wrote.

use crate::baseline;
use review_gate::event::{BudgetOwner, Event, Finding, Kind};
use review_gate::snapshot::baseline::last;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::journal;
use review_gate::store::record::{SealedReceipt, TracedEvent};
use review_gate::store::task::Task;
use review_gate::sys::clock::Time;
use review_gate::sys::error::Result;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The client's tools that write a file, and the input field that names it.
const WRITERS: [(&str, &str); 4] =
    [("Write", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")];

/// Takes the baseline of a subagent at its start.
pub fn take_baseline(event: &Event, workspace: &Workspace) -> Result<()> {
    let Some(task) = &workspace.task else { return Ok(()) };
    // A resumed subagent keeps its first baseline.
    if task.has_baseline(&event.budget_owner) {
        return Ok(());
    }
    baseline::take(event, workspace, task, &event.budget_owner).map(drop)
}

/// Removes the findings in files that, as the trace says, only other agents wrote since the subagent began. The session's own stop
/// judges them.
pub fn drop_findings_of_others(event: &Event, workspace: &Workspace, found: &mut Vec<Finding>) {
    let Some(began) = workspace.task.as_ref().and_then(|task| last(task, &event.budget_owner)).map(|b| b.at) else {
        return;
    };
    let writers = writers(event, workspace, began);
    found.retain(|finding| {
        let Some(path) = &finding.path else { return true };
        let whole = event.root.join(path);
        let real = std::fs::canonicalize(&whole).unwrap_or(whole);
        writers.get(&real).is_none_or(|owners| owners.contains(&event.budget_owner))
    });
}

/// The budget owners that wrote each file with a tool call that names it.
fn writers(event: &Event, workspace: &Workspace, since: Time) -> BTreeMap<PathBuf, BTreeSet<BudgetOwner>> {
    let mut writers: BTreeMap<PathBuf, BTreeSet<BudgetOwner>> = BTreeMap::new();
    let Some(session) = event.session_key() else { return writers };
    let calls: Vec<TracedEvent> =
        journal::search(&workspace.state.trace(session), Kind::ToolAfter.name()).unwrap_or_default();
    for call in calls.iter().filter(|call| call.at >= since) {
        let Some((tool, text)) = call.tool.as_ref().and_then(|tool| Some((tool, tool.input.as_deref()?))) else {
            continue;
        };
        let Some((_, field)) = WRITERS.iter().find(|(name, _)| *name == tool.name) else { continue };
        let input = serde_json::from_str::<Value>(text).unwrap_or_default();
        if let Some(path) = input.get(*field).and_then(Value::as_str).or_else(|| field_of_cut(text, field)) {
            // The path may lead through a link.
            let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
            writers.entry(real).or_default().insert(call.budget_owner.clone());
        }
    }
    writers
}

/// The value of a field in an input that the trace cut, which is no longer valid JSON.
fn field_of_cut<'a>(input: &'a str, field: &str) -> Option<&'a str> {
    let start = input.split_once(&format!("\"{field}\":\""))?.1;
    let value = start.split('"').next()?;
    (!value.contains('\\')).then_some(value)
}

/// Names the subagent in each finding that a subagent was bounced for and left.
pub fn name_subagents(task: &Task, found: &mut [Finding]) {
    let of_agents: Vec<(&str, &SealedReceipt)> =
        task.ledger.sealed().filter_map(|sealed| Some((agent_of(sealed)?, sealed))).collect();
    for finding in found {
        if let Some((agent, _)) = of_agents.iter().rfind(|(_, sealed)| sealed.keys.contains(&finding.key)) {
            finding.text = format!("{} (left by subagent {agent})", finding.text);
        }
    }
}

/// The subagent that a receipt is about.
fn agent_of(sealed: &SealedReceipt) -> Option<&str> {
    match &sealed.budget_owner {
        BudgetOwner::Agent(id) => Some(id),
        BudgetOwner::Main | BudgetOwner::Manual => None,
    }
}
