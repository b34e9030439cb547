//! Whether a session can have changed files. A session that certainly wrote nothing is not sent back for what somebody else saved.
//!
//! Each proof can be missing for an honest session. Then its stop is judged as any other one.

use crate::{TOOL, session, turns};
use review_gate::event::{BudgetOwner, Client, Event, Origin, State as Presence};
use review_gate::snapshot::{client_settings, workspace};
use review_gate::store::call_marks::{CallMarks, changed_nanos};
use review_gate::store::record::{Alias, Baseline, Guarded, ScheduledPrompts, Start, Unwritten};
use review_gate::store::task::Task;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::tool::origin::Calling;
use std::fs;
use std::path::Path;

/// Marks a session whose first task begins. rg-guard removes the mark before the first call that can write.
pub fn begin(event: &Event) -> Result<()> {
    match event.session_key() {
        Some(session) if event.client != Client::Text && event.origin != Origin::Manual => {
            CallMarks::of(event.client, session)?.begin(TOOL.name)
        }
        _ => Ok(()),
    }
}

/// Whether files changed since the task began, and not by this session: rg-guard sees its tool calls, and none of them could write.
pub fn is_by_others(event: &Event, task: &Task) -> Result<bool> {
    let is_plain = event.client != Client::Text
        && event.agent.is_none()
        && event.origin != Origin::Manual
        && event.looping.is_none()
        && event.review_armed.is_none()
        && event.background.is_empty()
        && event.scheduled.as_ref().is_none_or(Vec::is_empty)
        // Other clients have other tools, and may not call rg-guard for each.
        && env::project_dir().is_some();
    let is_its_own = task.begin.state == Presence::Present
        && Some(task.begin.session.as_str()) == event.session_key()
        && task.first_edited_record().is_none();
    if !is_plain || !is_its_own || workspace::other_worktree(&event.root, &event.cwd).is_some() {
        return Ok(false);
    }
    let Some(mark) = mark_of_unwritten(event)? else { return Ok(false) };
    Ok(are_hooks_unchanged(&event.root, task, &mark) && has_changed(event, task))
}

/// The mark of an unwritten session, if it is still there, the session began in this process, and rg-guard saw a call of it there.
fn mark_of_unwritten(event: &Event) -> Result<Option<Unwritten>> {
    let Some(key) = event.session_key() else { return Ok(None) };
    let marks = CallMarks::of(event.client, key)?;
    if !marks.may_be_unwritten() {
        return Ok(None);
    }
    let journal = session::journal(event)?;
    let chain = journal.chain();
    let now = Calling::now(event.client);
    let has_own_begin = journal.of::<Start>().next().is_some_and(|start| start.source.as_deref() == Some("startup"));
    // A session that was cleared or copied may have left programs that still run.
    let is_own_start = |start: &Start| {
        let is_copy = matches!(start.source.as_deref(), Some("clear" | "fork"));
        start.calling.is_same_process(&now) && !start.nested && !is_copy
    };
    let is_proven = chain.broken.is_empty()
        && chain.unlocked.is_empty()
        && chain.skipped == 0
        && has_own_begin
        && journal.of::<Start>().all(is_own_start)
        && journal.of::<Alias>().all(|alias| alias.from.is_none() && alias.why != "fork")
        && journal.of::<ScheduledPrompts>().next().is_none()
        && journal.of::<Guarded>().any(|guarded| guarded.process.is_same_process(&now));
    Ok(journal.of::<Unwritten>().next_back().filter(|mark| is_proven && marks.is_unwritten(mark)).cloned())
}

/// Whether the settings that decide which hooks run were not written since the mark was, and decide the same as when the task began.
fn are_hooks_unchanged(root: &Path, task: &Task, mark: &Unwritten) -> bool {
    let Some(baseline) = task.journal.of::<Baseline>().find(|one| one.budget_owner == BudgetOwner::Main) else {
        return false;
    };
    let is_older = |path: &Path| {
        let changed = fs::metadata(path).ok().and_then(|meta| changed_nanos(&meta));
        changed.is_some_and(|at| at <= mark.changed_nanos)
    };
    let is_unwritten = |path: &Path| fs::symlink_metadata(path).is_err() || is_older(path);
    client_settings::places(root).iter().all(|(_, path)| is_unwritten(path))
        && client_settings::changed(&baseline.pinned.settings, &client_settings::digests(root)).is_empty()
}

fn has_changed(event: &Event, task: &Task) -> bool {
    let then = task.begin.snapshot.as_ref();
    then.is_some_and(|then| turns::files_now(task, event).is_some_and(|now| now != *then))
}
