//! Findings about work that an earlier session left red or unjudged in the same files. Its task is named in this one's begin.

use crate::guards::Inspection;
use review_gate::donefile::Guards;
use review_gate::event::{Event, Finding, Level};
use review_gate::snapshot::Snapshot;
use review_gate::snapshot::baseline;
use review_gate::snapshot::changes;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::text::{cut_end, one_line};

/// How many earlier tasks are looked at, each left unfinished for the next one.
const TASKS: usize = 8;

/// Compares the files with the baselines of the unfinished tasks, and adds the findings that still hold. A finding of their last
/// receipts keeps its level. A finding about work that was never judged is a warning, because the user may have made the change.
pub fn add(event: &Event, own: &Workspace, guards: &Guards, now: &Snapshot, found: &mut Vec<Finding>) -> Result<()> {
    // With `bless` the user accepted the files as they are.
    let task = own.task.as_ref().filter(|task| baseline::blessings(task).is_empty());
    let mut next = task.and_then(|task| task.begin.unfinished.clone());
    for _ in 0..TASKS {
        let Some(task) = next.take().map(|id| Task::load(&own.state, &id)).transpose()?.flatten() else { break };
        next = task.begin.unfinished.clone();
        let last = task.ledger.last_judged().and_then(|entry| entry.sealed.as_ref());
        let keys = last.map(|sealed| sealed.keys.clone()).unwrap_or_default();
        let is_unjudged = task.ledger.unjudged_at().is_some();
        let session = cut_end(&one_line(&task.begin.session), 40);
        let workspace = Workspace::of_task(event, Some(task))?;
        let Ok(compared) = changes::compare(event, &workspace, now)? else { continue };
        let mut inspection = Inspection::new(event, guards);
        inspection.inspect(&workspace, &compared, now)?;
        let pinned = crate::pin_findings(event, guards, &compared, now)?;
        for finding in pinned.into_iter().chain(inspection.found) {
            let level = match keys.contains(&finding.key) {
                true => finding.level,
                false if is_unjudged => finding.level.min(Level::Warning),
                false => continue,
            };
            if found.iter().all(|known| known.key != finding.key) {
                let text = format!("{} (from session {session})", finding.text);
                found.push(Finding { level, text, ..finding });
            }
        }
    }
    Ok(())
}
