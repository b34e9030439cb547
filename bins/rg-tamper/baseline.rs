//! Baselines: the files as they stood when a task, or a subagent, began, in a form that they can be compared with byte by byte
//! whatever happens to git since.
//!
//! A `baseline` record names two blobs: the manifest, and git's names for what its index held then, in the manifest's order. What the
//! index did not hold is kept as a blob itself. Nobody but a person at a terminal moves a baseline (`bless`).

use crate::TOOL;
use crate::pinned;
use review_gate::event::{BudgetOwner, Event};
use review_gate::git::{ObjectId, Repository};
use review_gate::snapshot::baseline::last;
use review_gate::snapshot::definition::Basis;
use review_gate::snapshot::{self, File, Snapshot, What};
use review_gate::store::record::Baseline;
use review_gate::store::state::{State, by_age};
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest file of which a copy is kept, and how much is kept in all, in bytes.
const COPY: u64 = 8 << 20;
const COPIES: u64 = 256 << 20;

/// Takes the baseline of a budget owner as the files stand now.
pub fn take(event: &Event, basis: &Basis, task: &Task, owner: &BudgetOwner) -> Result<Baseline> {
    // At a task's begin the files were walked a moment ago: that look is the baseline.
    let begun = task.begin.snapshot.as_ref().filter(|_| *owner == BudgetOwner::Main && !task.has_baseline(owner));
    let known = begun.and_then(|digest| snapshot::recall(&event.root, digest, &basis.state));
    let files = match known {
        Some(files) => files,
        None => basis.look(event)?,
    };
    // A baseline is taken of every task, so that a DONE.md that is repaired later has something to compare with.
    let guards = basis.usable_donefile(event).map(|done| done.guards).unwrap_or_default();
    let state = &basis.state;
    let (ids, loose) = held_by_git(event, &files)?;
    let digest = files.digest();
    if state.read_blob(&digest).is_err() {
        state.keep_blob(&files.manifest())?;
    }
    let top = snapshot::top_of(&event.root);
    let (mut room, mut copied, mut left_out) = (COPIES, 0, Vec::new());
    for file in loose {
        let name = review_gate::sys::digest::hex(&file.entry.sha256);
        // A damaged copy is made anew.
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
    let baseline = Baseline {
        budget_owner: owner.clone(),
        snapshot: digest,
        ids: state.keep_blob(&ids)?,
        head: Repository::find(&event.root).and_then(|repository| repository.head()),
        donefile: event.donefile.as_ref().map(|done| done.sha256.clone()),
        pinned: pinned::now(event, &guards, &files)?,
        copied,
        left_out,
        from: None,
        at: clock::now(),
    };
    task.append(TOOL.name, baseline.clone())?;
    prune(state);
    Ok(baseline)
}

/// How much of what is kept may stay whatever its age, in bytes, and the age below which all of it does.
const BLOBS: u64 = 256 << 20;
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// Kept bytes that nobody asked for in a week go, the oldest first, while there is too much of them.
fn prune(state: &State) {
    let files = by_age(&state.dir().join("blobs"));
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |meta| meta.len());
    let mut all: u64 = files.iter().map(|(_, path)| size(path)).sum();
    for (at, path) in files {
        if all <= BLOBS || clock::age(at) < WEEK {
            break;
        }
        all -= size(&path);
        // One that cannot be removed stays.
        let _ = fs::remove_file(path);
    }
}

/// The baseline of the task before goes on: nothing that was done since was ever judged.
pub fn carry_on(basis: &Basis, task: &Task) -> Result<()> {
    let Some(before) = &task.begin.before else { return Ok(()) };
    let Some(old) = Task::load(&basis.state, before)?.and_then(|old| last(&old, &BudgetOwner::Main)) else {
        return Ok(());
    };
    task.append(TOOL.name, Baseline { from: Some(before.clone()), ..old }).map(drop)
}

/// Git's names in the manifest's order, all zero for what its index does not hold as it lies on disk, and those files.
fn held_by_git<'a>(event: &Event, files: &'a Snapshot) -> Result<(Vec<u8>, Vec<&'a File>)> {
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
