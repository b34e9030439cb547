//! Settings that decide which hooks run and that changed during the task: the user and the agent are told after the tool call, because
//! the client may run no hook at the stop.

use review_gate::event::{BudgetOwner, Event, Kind};
use review_gate::snapshot::client_settings;
use review_gate::store::record::Baseline;
use review_gate::store::task;
use review_gate::sys::error::Result;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// What the agent is to do.
pub const REMEDY: &str =
    "Undo this change now. If the user asked for it, say so in your answer: the stop is bounced for it";

/// How many names the notice holds.
const NAMED: usize = 5;

/// Which settings differ from the task's baseline, if one of them may have been written since the session's trace was; None if none does.
pub fn changed(event: &Event, trace: &Path) -> Result<Option<String>> {
    if !matches!(event.kind, Kind::ToolAfter | Kind::ToolFailed) || event.donefile.is_none() {
        return Ok(None);
    }
    let traced = fs::metadata(trace).and_then(|meta| meta.modified()).unwrap_or(UNIX_EPOCH);
    if !client_settings::may_be_newer(&event.root, traced) {
        return Ok(None);
    }
    let Some(task) = task::of_event(event)? else { return Ok(None) };
    let baselines = task.journal.of::<Baseline>();
    let Some(baseline) = baselines.rev().find(|baseline| baseline.budget_owner == BudgetOwner::Main) else {
        return Ok(None);
    };
    let now = client_settings::digests(&event.root);
    let found = client_settings::changed(&baseline.pinned.settings, &now);
    let mut names: Vec<String> = found.iter().take(NAMED).map(|(path, what)| format!("{path} ({what})")).collect();
    if found.len() > NAMED {
        names.push(format!("and {} more", found.len() - NAMED));
    }
    let names = names.join(", ");
    Ok((!found.is_empty()).then(|| format!("which hooks run was changed during this task: {names}")))
}
