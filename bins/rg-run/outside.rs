//! What an agent may change outside of its worktree: the user's own working tree, and what git runs in the repository.

use crate::settings::Place;
use review_gate::git::Repository;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::sys::error::Result;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The directory of messages and issues, which the batch itself writes.
const TALK: &str = ".review-gate";

/// How many names are told.
const NAMED: usize = 5;

/// The changed and untracked files of a working tree: the inode of each, its size, and when its status changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight(BTreeMap<PathBuf, Option<(u64, u64, i64, i64)>>);

impl Sight {
    /// Looks at the user's working tree, if the run works in another one. What cannot be read is not compared.
    pub fn of(start: &RunStart) -> Sight {
        let home = start.home.as_deref().filter(|home| *home != start.root);
        home.and_then(look).unwrap_or_default()
    }

    /// The files that differ now.
    pub fn changed(&self, now: &Sight) -> BTreeSet<PathBuf> {
        let paths = self.0.keys().chain(now.0.keys());
        paths.filter(|path| self.0.get(*path) != now.0.get(*path)).cloned().collect()
    }
}

fn look(home: &Path) -> Option<Sight> {
    let repository = Repository::find(home)?;
    let status = repository.status().ok()?;
    let stat = |path: PathBuf| {
        let meta = repository.top.join(&path).symlink_metadata().ok();
        (path, meta.map(|meta| (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec())))
    };
    let all = status.staged.into_iter().chain(status.unstaged).chain(status.untracked);
    Some(Sight(all.filter(|path| !path.starts_with(TALK)).map(stat).collect()))
}

/// The end of a run that says which of such files changed.
pub fn told(start: &RunStart, changed: &BTreeSet<PathBuf>, end: RunEnd) -> RunEnd {
    let Some(home) = start.home.as_ref().filter(|_| !changed.is_empty()) else { return end };
    let names = names(changed.iter().map(|path| path.display().to_string()));
    let what = format!("not judged: what changed in {} while the agent worked: {names}", home.display());
    RunEnd { why: format!("{}; {what}", end.why), ..end }
}

/// Keeps what git runs in the user's working tree now, as a blob. The landing works there.
pub fn keep(home: &Place) -> Result<Option<String>> {
    let Some(repository) = Repository::find(&home.root) else { return Ok(None) };
    let text = serde_json::to_vec(&repository.programs()?).unwrap_or_default();
    home.state.keep_blob(&text).map(Some)
}

/// The hooks and settings that are not those of the begin of the run.
pub fn changed_programs(place: &Place, start: &RunStart) -> Result<Option<String>> {
    let (Some(kept), Some(home)) = (&start.programs, &start.home) else { return Ok(None) };
    let before: BTreeMap<String, String> = serde_json::from_slice(&place.state.read_blob(kept)?).unwrap_or_default();
    let now = Repository::find(home).map(|repository| repository.programs()).transpose()?.unwrap_or_default();
    let all: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed: Vec<String> = all.into_iter().filter(|name| before.get(*name) != now.get(*name)).cloned().collect();
    Ok((!changed.is_empty()).then(|| names(changed.into_iter())))
}

/// The first names of a list.
fn names(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.map(|name| cut_end(&one_line(&name), 80)).collect();
    let more = all.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    all[..all.len() - more].join(", ") + &rest
}
