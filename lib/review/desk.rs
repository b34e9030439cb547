//! A reviewer's desk: one packet, and everything that a look at it or a decision on it needs.

use super::diff::{self, Changed, Withheld};
use super::record::{Packet, Reviews};
use crate::donefile::{Donefile, ReviewSpec};
use crate::event::{Base, Check, Event, Stage};
use crate::snapshot::changes::{self, Change, NoBase};
use crate::snapshot::definition::Basis;
use crate::snapshot::{self, Snapshot, differences};
use crate::store::journal;
use crate::store::record::Run;
use crate::store::task::Task;
use crate::sys::error::{Error, Result};
use std::path::PathBuf;

/// What lies on it.
pub struct Desk {
    /// What DONE.md says of reviews.
    pub spec: ReviewSpec,
    /// The definition of done, where there is one that can be read.
    pub done: Option<Donefile>,
    /// What stands of reviews in the task.
    pub reviews: Reviews,
    /// The files as they lie.
    pub now: Snapshot,
    /// What they were compared with; why there is nothing, where there is nothing.
    pub base: std::result::Result<Base, String>,
    /// What changed since.
    pub changes: Vec<Change>,
    /// The top of the work tree, and what is judged.
    pub top: PathBuf,
    /// Paths are shown relative to it.
    pub root: PathBuf,
}

impl Desk {
    /// The desk of an event, with the files as they lie; see [`Basis::usable_donefile`] for a definition that cannot be used.
    pub fn of(event: &Event, basis: &Basis) -> Result<Desk> {
        let done = basis.usable_donefile(event);
        let now = basis.last_look(event)?;
        // A subagent works for the task: what counts is what changed since that began.
        let (base, changes) = match changes::compare(&event.of_session(), basis, &now)? {
            Ok(compared) => (Ok(compared.base), compared.changes),
            Err(NoBase(why)) => (Err(why), Vec::new()),
        };
        Ok(Desk {
            spec: done.as_ref().map(|done| done.review.clone()).unwrap_or_default(),
            done,
            reviews: Reviews::of(basis.task.as_ref()),
            now,
            base,
            changes,
            top: snapshot::top_of(&event.root),
            root: event.root.clone(),
        })
    }

    /// The desk of a verb: no judge reports a definition that cannot be used, so that is an error, which names the file and the line. By
    /// the defaults a verb would show what `paths.deny` withholds.
    pub fn of_verb(event: &Event, basis: &Basis) -> Result<Desk> {
        basis.donefile(event)?;
        Desk::of(event, basis)
    }

    /// The changed paths, as they are shown.
    pub fn paths(&self) -> Vec<String> {
        self.changes
            .iter()
            .map(|change| crate::snapshot::baseline::display_path(&self.top, &self.root, &change.path))
            .collect()
    }

    /// The changed files with their hunks.
    pub fn changed(&self, basis: &Basis, with_diff: bool) -> Result<Vec<Changed>> {
        let deny = self.done.as_ref().map(|done| done.guards.deny.clone()).unwrap_or_default();
        diff::of(&self.top, &self.root, &basis.state, &self.changes, &Withheld::new(&deny), with_diff)
    }

    /// The paths that differ between an earlier packet's files and those that lie here.
    pub fn changed_since(&self, snapshot: &str, basis: &Basis) -> Result<Vec<String>> {
        let then = snapshot::read_manifest(&basis.state.read_blob(snapshot)?)
            .ok_or_else(|| Error::damaged(&basis.state.blob(snapshot), "a packet's list of files is damaged"))?;
        let path = |(then, now): (Option<&snapshot::File>, Option<&snapshot::File>)| {
            now.or(then).map(|file| file.path.clone())
        };
        let paths = differences(&then, &self.now.files).into_iter().filter_map(path);
        Ok(paths.map(|path| crate::snapshot::baseline::display_path(&self.top, &self.root, &path)).collect())
    }

    /// A new packet of the files as they lie; its list of files is kept. It is not written into any journal here.
    pub fn packet(&self, event: &Event, basis: &Basis) -> Result<Packet> {
        let digest = self.now.digest();
        if basis.state.read_blob(&digest).is_err() {
            basis.state.keep_blob(&self.now.manifest())?;
        }
        Ok(Packet {
            id: crate::sys::ids::ulid(&["packet", &digest]),
            snapshot: digest,
            base: self.base.clone().ok(),
            files: self.changes.len(),
            findings: event
                .findings()
                .iter()
                .filter(|finding| finding.by != Stage::ReviewState)
                .take(20)
                .cloned()
                .collect(),
            at: crate::sys::clock::now(),
        })
    }

    /// The last run of the checks over a packet's files.
    pub fn checks(&self, packet: &Packet, basis: &Basis) -> Vec<Check> {
        let runs: Vec<Run> = journal::search(&basis.state.checks(&self.root), &packet.snapshot).unwrap_or_default();
        let last = runs.into_iter().rfind(|run| run.snapshot == packet.snapshot);
        last.map(|run| run.checks).unwrap_or_default()
    }
}

/// What people asked for in this task, word for word, in order.
pub fn prompts(event: &Event, basis: &Basis) -> Vec<String> {
    let of_task = |task: &Task| task.prompts.of_user().map(|(_, prompt)| task.prompt_text(prompt)).collect();
    let said: Vec<String> = basis.task.as_ref().map(of_task).unwrap_or_default();
    if said.is_empty() { event.prompt.iter().cloned().collect() } else { said }
}
