//! The subject of a review: the files, the changes, the reviews so far, and DONE.md's keys for reviews.

use super::diff::{self, ChangedFile, DenyList};
use super::record::{ReviewRequest, Reviews};
use crate::donefile::{Donefile, ReviewSpec};
use crate::event::{Base, Check, Event, Stage};
use crate::snapshot::changes::{self, Change, NoBase};
use crate::snapshot::workspace::Workspace;
use crate::snapshot::{self, Snapshot, differences};
use crate::store::journal;
use crate::store::record::Run;
use crate::store::task::Task;
use crate::sys::error::{Error, Result};
use std::path::PathBuf;

/// Everything that a review request or a decision depends on.
pub struct Subject {
    /// The `review` keys of DONE.md.
    pub spec: ReviewSpec,
    /// The definition of done, if there is a valid one.
    pub done: Option<Donefile>,
    /// The reviews of the task.
    pub reviews: Reviews,
    /// The current files.
    pub now: Snapshot,
    /// What the files are compared with, or the reason why there is nothing to compare with.
    pub base: std::result::Result<Base, String>,
    /// The changes since the base.
    pub changes: Vec<Change>,
    /// The top of the working tree, which is judged.
    pub top: PathBuf,
    /// The root. Paths are shown relative to it.
    pub root: PathBuf,
}

impl Subject {
    /// The subject of an event, with the current files. [`Workspace::usable_donefile`] explains how an invalid DONE.md is handled.
    pub fn of(event: &Event, workspace: &Workspace) -> Result<Subject> {
        let done = workspace.usable_donefile(event);
        let now = workspace.last_look(event)?;
        // The work of a subagent is part of the task, so its changes count from the beginning of the task.
        let (base, changes) = match changes::compare(&event.of_session(), workspace, &now)? {
            Ok(compared) => (Ok(compared.base), compared.changes),
            Err(NoBase(why)) => (Err(why), Vec::new()),
        };
        Ok(Subject {
            spec: done.as_ref().map(|done| done.review.clone()).unwrap_or_default(),
            done,
            reviews: Reviews::of(workspace.task.as_ref()),
            now,
            base,
            changes,
            top: snapshot::top_of(&event.root),
            root: event.root.clone(),
        })
    }

    /// The subject for a verb. An invalid DONE.md is an error, because with the defaults a verb would show files that `paths.deny`
    /// withholds.
    pub fn of_verb(event: &Event, workspace: &Workspace) -> Result<Subject> {
        workspace.donefile(event)?;
        Subject::of(event, workspace)
    }

    /// The changed paths, relative to the root.
    pub fn paths(&self) -> Vec<String> {
        self.changes
            .iter()
            .map(|change| crate::snapshot::baseline::display_path(&self.top, &self.root, &change.path))
            .collect()
    }

    /// The changed files, with their diffs if `with_diff`.
    pub fn changed(&self, workspace: &Workspace, with_diff: bool) -> Result<Vec<ChangedFile>> {
        let deny = self.done.as_ref().map(|done| done.guards.deny.clone()).unwrap_or_default();
        diff::of(&self.top, &self.root, &workspace.state, &self.changes, &DenyList::new(&deny), with_diff)
    }

    /// The paths that differ between an earlier review request and the current files.
    pub fn changed_since(&self, snapshot: &str, workspace: &Workspace) -> Result<Vec<String>> {
        let then = snapshot::read_manifest(&workspace.state.read_blob(snapshot)?).ok_or_else(|| {
            Error::damaged(&workspace.state.blob(snapshot), "the file list of a review request is damaged")
        })?;
        let path = |(then, now): (Option<&snapshot::File>, Option<&snapshot::File>)| {
            now.or(then).map(|file| file.path.clone())
        };
        let paths = differences(&then, &self.now.files).into_iter().filter_map(path);
        Ok(paths.map(|path| crate::snapshot::baseline::display_path(&self.top, &self.root, &path)).collect())
    }

    /// A new review request for the current files. Stores the file list, and does not write a record.
    pub fn request(&self, event: &Event, workspace: &Workspace) -> Result<ReviewRequest> {
        let digest = self.now.digest();
        if workspace.state.read_blob(&digest).is_err() {
            workspace.state.keep_blob(&self.now.manifest())?;
        }
        Ok(ReviewRequest {
            id: crate::sys::ids::ulid(&["request", &digest]),
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

    /// The results of the last run of the checks with the files of a review request.
    pub fn checks(&self, request: &ReviewRequest, workspace: &Workspace) -> Vec<Check> {
        let runs: Vec<Run> =
            journal::search(&workspace.state.checks(&self.root), &request.snapshot).unwrap_or_default();
        let last = runs.into_iter().rfind(|run| run.snapshot == request.snapshot);
        last.map(|run| run.checks).unwrap_or_default()
    }
}

/// The user's prompts of this task, in order.
pub fn prompts(event: &Event, workspace: &Workspace) -> Vec<String> {
    let of_task = |task: &Task| task.prompts.of_user().map(|(_, prompt)| task.prompt_text(prompt)).collect();
    let prompts: Vec<String> = workspace.task.as_ref().map(of_task).unwrap_or_default();
    if prompts.is_empty() { event.prompt.iter().cloned().collect() } else { prompts }
}
