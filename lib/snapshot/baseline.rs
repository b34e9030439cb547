//! Reads baselines: the records of the files when a task or a subagent began. rg-tamper writes them.

use crate::event::{Blessed, BudgetOwner};
use crate::git::ObjectId;
use crate::snapshot::{self, File};
use crate::store::record::{Baseline, Body};
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::error::{Error, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The last baseline of that budget owner. An unreadable record is skipped; to compare with an older baseline, or with none, is stricter.
pub fn last(task: &Task, owner: &BudgetOwner) -> Option<Baseline> {
    task.journal.of::<Baseline>().rfind(|baseline| baseline.budget_owner == *owner).cloned()
}

/// The user's replacements of the baseline, in order.
pub fn blessings(task: &Task) -> Vec<Blessed> {
    let blessed = task.journal.records().filter_map(|(line, record)| match &record.body {
        Body::Bless(bless) => Some(Blessed { who: bless.who.clone(), why: bless.why.clone(), at: line.at }),
        _ => None,
    });
    blessed.collect()
}

impl Baseline {
    /// The files, each with its git object id if git had the object.
    pub fn files(&self, state: &State) -> Result<Vec<File>> {
        let damaged = || Error::damaged(&state.blob(&self.snapshot), "the baseline of this task is damaged");
        let mut files = snapshot::read_manifest(&state.read_blob(&self.snapshot)?).ok_or_else(damaged)?;
        let ids = state.read_blob(&self.ids)?;
        let width = if files.is_empty() { 20 } else { ids.len() / files.len() };
        for (file, id) in files.iter_mut().zip(ids.chunks(width.max(1))) {
            file.id = ObjectId::from_bytes(id).unwrap_or_default();
        }
        Ok(files)
    }
}

/// A path relative to the top, rewritten relative to the root for display and matching, with `../` for files outside of the root.
pub fn display_path(top: &Path, root: &Path, path: &Path) -> String {
    let root = root.strip_prefix(top).unwrap_or(Path::new(""));
    let below = match path.strip_prefix(root) {
        Ok(below) => below.to_path_buf(),
        Err(_) => root.components().map(|_| "..").collect::<PathBuf>().join(path),
    };
    String::from_utf8_lossy(below.as_os_str().as_bytes()).into_owned()
}
