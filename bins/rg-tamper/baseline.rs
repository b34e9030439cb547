//! Baselines: the files at the begin of a task or a subagent, kept so that later files can be compared with them byte by byte,
//! whatever happens to the repository.
//!
//! A `baseline` record names two blobs: the manifest, and git's object ids of the files that its index held then, in the order of the
//! manifest. Files that the index did not hold are kept as blobs. Only the user can move a baseline (`bless`).

use crate::pins;
use crate::{TOOL, interim};
use review_gate::event::{BudgetOwner, Event};
use review_gate::git::{ObjectId, Repository};
use review_gate::snapshot::baseline::last;
use review_gate::snapshot::history;
use review_gate::snapshot::workspace::Workspace;
use review_gate::snapshot::{self, File, Snapshot, What};
use review_gate::store::record::Baseline;
use review_gate::store::retention;
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use std::borrow::Cow;
use std::path::Path;

/// The size of the largest file that is copied, in bytes.
const COPY: u64 = 8 << 20;

/// The total size of the copies of one baseline, in bytes.
const COPIES: u64 = 256 << 20;

/// Takes the baseline of a budget owner from the current files.
pub fn take(event: &Event, workspace: &Workspace, task: &Task, owner: &BudgetOwner) -> Result<Baseline> {
    // At a task's begin the snapshot of the `begin` record is used again.
    let begun = task.begin.snapshot.as_ref().filter(|_| *owner == BudgetOwner::Main && !task.has_baseline(owner));
    let known = begun.and_then(|digest| snapshot::recall(&event.root, digest, &workspace.state));
    let files = match known {
        Some(files) => files,
        None => workspace.look(event)?,
    };
    // A task with a broken DONE.md gets a baseline, too, because the file may be repaired later.
    let guards = workspace.usable_donefile(event).map(|done| done.guards).unwrap_or_default();
    let state = &workspace.state;
    let (ids, loose) = ids_in_index(event, &files)?;
    let digest = files.digest();
    if state.read_blob(&digest).is_err() {
        state.keep_blob(&files.manifest())?;
    }
    let top = snapshot::top_of(&event.root);
    let (mut room, mut copied, mut left_out) = (COPIES, 0, Vec::new());
    for file in loose {
        let name = review_gate::sys::digest::hex(&file.entry.sha256);
        // A damaged copy is replaced.
        let kept = state.read_blob(&name).is_ok()
            || files::try_read(&top.join(&file.path), COPY.min(room))
                .filter(|bytes| review_gate::sys::digest::raw(bytes) == file.entry.sha256)
                .is_some_and(|bytes| {
                    room -= bytes.len() as u64;
                    state.keep_blob(&bytes).is_ok()
                });
        copied += usize::from(kept);
        if !kept {
            left_out.push(file.path.clone());
        }
    }
    let pinned = pins::now(event, &guards, &files)?;
    let is_first_of_task = *owner == BudgetOwner::Main && !task.has_baseline(owner);
    let between_tasks = match is_first_of_task {
        true => interim::changes(event, workspace, task, (&files, &pinned))?,
        false => None,
    };
    let repository = Repository::find(&event.root);
    // A subagent's baseline is compared within one turn of the session.
    let main = repository.as_ref().filter(|_| *owner == BudgetOwner::Main);
    let history = main.and_then(|repository| known_history(repository, state, task));
    let baseline = Baseline {
        budget_owner: owner.clone(),
        snapshot: digest,
        ids: state.keep_blob(&ids)?,
        head: repository.and_then(|repository| repository.head()),
        donefile: event.donefile.as_ref().map(|done| done.sha256.clone()),
        pinned,
        copied,
        left_out,
        from: None,
        history,
        between_tasks,
        at: clock::now(),
    };
    task.append(TOOL.name, baseline.clone())?;
    retention::remove(retention::expired_blobs(state));
    Ok(baseline)
}

/// The blob of the commits that existed when the session's first task began: later ones may be the agent's. Without it, a branch switch
/// counts as changes.
fn known_history(repository: &Repository, state: &State, task: &Task) -> Option<String> {
    let own = last(task, &BudgetOwner::Main).and_then(|baseline| baseline.history);
    let previous = task.begin.previous.as_ref();
    match (own, previous) {
        (Some(own), _) => Some(own),
        (None, Some(previous)) => last(&Task::load(state, &previous.task).ok()??, &BudgetOwner::Main)?.history,
        (None, None) => state.keep_blob(&history::record(repository).ok()?).ok(),
    }
}

/// Copies the baseline of the previous task into this one, because the work since then was never judged.
pub fn inherit(workspace: &Workspace, task: &Task) -> Result<()> {
    let Some(before) = &task.begin.before else { return Ok(()) };
    let Some(old) = Task::load(&workspace.state, before)?.and_then(|old| last(&old, &BudgetOwner::Main)) else {
        return Ok(());
    };
    // The user's repair of DONE.md is no edit.
    let repaired = task.begin.donefile.as_ref().filter(|_| task.begin.repaired).map(|done| done.sha256.clone());
    let donefile = repaired.or(old.donefile.clone());
    task.append(TOOL.name, Baseline { from: Some(before.clone()), donefile, ..old }).map(drop)
}

/// Repeats the baseline of a task with the event's DONE.md.
pub fn accept_definition(event: &Event, task: &Task) -> Result<Baseline> {
    let Some(old) = last(task, &BudgetOwner::Main) else {
        return Err(Error::usage(format!("task {} has no baseline", task.id)));
    };
    let mut accepted = Baseline { donefile: event.donefile.as_ref().map(|done| done.sha256.clone()), ..old };
    if let (Some(changes), Some(done)) = (&mut accepted.between_tasks, &event.donefile) {
        changes.guarded.retain(|change| std::path::Path::new(&change.path) != done.path);
    }
    task.append(TOOL.name, accepted.clone())?;
    Ok(accepted)
}

/// Git's object ids in the order of the manifest, all zero for files that the index does not hold with these bytes; and those files.
fn ids_in_index<'a>(event: &Event, files: &'a Snapshot) -> Result<(Vec<u8>, Vec<&'a File>)> {
    let repository = Repository::find(&event.root);
    let index = repository.as_ref().map(Repository::tracked).transpose()?.unwrap_or_default();
    let mut tracked: Vec<(Cow<'_, Path>, ObjectId)> =
        index.iter().map(|tracked| (Cow::from(tracked.path), tracked.id)).collect();
    for file in files.files.iter().filter(|file| file.entry.what == What::Submodule) {
        let inner = repository.as_ref().and_then(|repository| Repository::at(&repository.top.join(&file.path)));
        let below = inner.map(|inner| inner.tracked()).transpose()?.unwrap_or_default();
        tracked.extend(below.iter().map(|inner| (Cow::from(file.path.join(inner.path)), inner.id)));
    }
    tracked.sort_by(|a, b| a.0.as_os_str().cmp(b.0.as_os_str()));
    let (mut ids, mut loose) = (Vec::with_capacity(files.files.len() * 20), Vec::new());
    let mut known = tracked.iter().peekable();
    for file in &files.files {
        let name = file.path.as_os_str();
        while known.next_if(|(path, _)| path.as_os_str() < name).is_some() {}
        let id = known.peek().filter(|(path, _)| path.as_os_str() == name).map(|(_, id)| *id);
        let is_held = !file.id.is_none() && id == Some(file.id);
        let width = file.id.as_bytes().len();
        match is_held {
            true => ids.extend_from_slice(file.id.as_bytes()),
            false => ids.resize(ids.len() + width, 0),
        }
        if !is_held && file.entry.what.is_file() {
            loose.push(file);
        }
    }
    Ok((ids, loose))
}
