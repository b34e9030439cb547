//! Records that were cut off the end of a task's journal: what is left has an intact chain, but the trace shows the longer journal.

use crate::TOOL;
use review_gate::event::Draft;
use review_gate::store::journal;
use review_gate::store::record::{Body, CutRecords, JournalHead};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::procfs;

/// Records in the task's journal that its end is missing, so that nothing in it counts for any program from now on. Returns the task
/// with that record.
pub fn record(event: &mut Draft, task: Task) -> Result<Task> {
    if task.first_edited_record().is_some() {
        return Ok(task);
    }
    let Some(journal) = missing_end(event, &task)? else { return Ok(task) };
    task.append(TOOL.name, CutRecords { journal })?;
    event.set().waivers_at_intake.clear();
    Ok(Task::load(&task.state, &task.id)?.unwrap_or(task))
}

/// The end of the task's journal in the session's last traced event, if the journal no longer has it.
fn missing_end(event: &Draft, task: &Task) -> Result<Option<JournalHead>> {
    let Some(session) = event.session_key() else { return Ok(None) };
    // A trace that cannot be read shows nothing.
    let last = journal::last(&State::of_event(event)?.trace(session)).unwrap_or_default();
    let Some(last) = last else { return Ok(None) };
    // Journals are not fsynced, so a crash of the machine may lose the end of one.
    if procfs::boot_time().is_some_and(|boot| last.envelope.at < boot) {
        return Ok(None);
    }
    let Body::Event(traced) = last.body else { return Ok(None) };
    let is_missing = |known: &JournalHead| known.head.as_ref().is_some_and(|head| !task.journal.has_line(head));
    Ok(traced.journal.filter(|known| traced.task.as_ref() == Some(&task.id) && is_missing(known)))
}
