//! Baselines: the record of the files as they stood when a task, or a subagent, began, read back. rg-tamper takes them.

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::event::Blessed;
use crate::git::ObjectId;
use crate::snapshot::{self, File};
use crate::state::State;
use crate::task::Task;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Baseline {
    /// Whose: `main`, or `agent:<id>`.
    pub seat: String,
    /// The files: the name of the snapshot, and of the manifest's blob.
    pub snapshot: String,
    /// The blob of git's names.
    pub ids: String,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// SHA-256 of the definition of done.
    #[serde(default)]
    pub donefile: Option<String>,
    /// What rg-tamper pinned beside the files.
    #[serde(default)]
    pub pinned: Value,
    /// How many files were copied.
    #[serde(default)]
    pub copied: usize,
    /// Files that were too large for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PathBuf>,
    /// The task whose baseline goes on in this one.
    #[serde(default)]
    pub from: Option<String>,
    /// When it was taken.
    #[serde(default, skip_serializing)]
    pub at: Time,
}

/// The last baseline of that seat.
pub fn last(task: &Task, seat: &str) -> Option<Baseline> {
    let last = task.records.iter().rfind(|record| record.kind == "baseline" && record.text("seat") == seat);
    last.and_then(|record| Baseline::deserialize(&Value::Object(record.fields.clone())).ok())
}

/// What a person declared, in order.
pub fn blessed(task: &Task) -> Vec<Blessed> {
    let records = task.records.iter().filter(|record| record.kind == "bless");
    records.filter_map(|record| Blessed::deserialize(&Value::Object(record.fields.clone())).ok()).collect()
}

impl Baseline {
    /// The files, each with git's name for its bytes where git held them.
    pub fn files(&self, state: &State) -> Result<Vec<File>> {
        let damaged = || Error::unjudged("the baseline of this task is damaged");
        let mut files = snapshot::read_manifest(&state.read_blob(&self.snapshot)?).ok_or_else(damaged)?;
        let ids = state.read_blob(&self.ids)?;
        let width = if files.is_empty() { 20 } else { ids.len() / files.len() };
        for (file, id) in files.iter_mut().zip(ids.chunks(width.max(1))) {
            file.id = ObjectId::from_bytes(id).unwrap_or_default();
        }
        Ok(files)
    }
}

/// A path below the top as it is shown and matched: below the root, with `../` for what lies beside it.
pub fn shown(top: &Path, root: &Path, path: &Path) -> String {
    let root = root.strip_prefix(top).unwrap_or(Path::new(""));
    let below = match path.strip_prefix(root) {
        Ok(below) => below.to_path_buf(),
        Err(_) => root.components().map(|_| "..").collect::<PathBuf>().join(path),
    };
    String::from_utf8_lossy(below.as_os_str().as_bytes()).into_owned()
}
