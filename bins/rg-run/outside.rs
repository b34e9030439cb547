//! What an agent may change outside of its worktree: the user's own working tree, and what git runs in the repository.

use crate::settings::Place;
use review_gate::git::Repository;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The directory of messages and issues, which the batch itself writes.
const TALK: &str = ".review-gate";

/// The branches of worktrees.
const OWN: &str = "refs/heads/rg/";

/// How many names are told.
const NAMED: usize = 5;

/// The changed and untracked files of a working tree, each with a stat, and the branches of its repository, each with its commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight(BTreeMap<PathBuf, String>);

impl Sight {
    /// Looks at the user's working tree, if the run works in another one. What cannot be read is not compared.
    pub fn of(start: &RunStart) -> Sight {
        let home = start.home.as_deref().filter(|home| *home != start.root);
        // The other runs of a batch land meanwhile.
        home.and_then(|home| look(home, start.batch.is_none())).unwrap_or_default()
    }

    /// The files that differ now.
    pub fn changed(&self, now: &Sight) -> BTreeSet<PathBuf> {
        let paths = self.0.keys().chain(now.0.keys());
        paths.filter(|path| self.0.get(*path) != now.0.get(*path)).cloned().collect()
    }
}

fn look(home: &Path, with_branches: bool) -> Option<Sight> {
    let repository = Repository::find(home)?;
    let status = repository.status_of_each_file().ok()?;
    let stat = |path: PathBuf| {
        let meta = repository.top.join(&path).symlink_metadata();
        let stat = meta.map(|meta| (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec()));
        (path, format!("{:?}", stat.ok()))
    };
    let all = status.staged.into_iter().chain(status.unstaged).chain(status.untracked);
    let mut sight: BTreeMap<PathBuf, String> = all.filter(|path| !path.starts_with(TALK)).map(stat).collect();
    if with_branches {
        sight.extend(branches(&repository)?.into_iter().filter(|(name, _)| !name.starts_with(OWN)).map(named));
        sight.insert("HEAD".into(), status.branch.unwrap_or_default());
    }
    Some(Sight(sight))
}

fn named((name, commit): (String, String)) -> (PathBuf, String) {
    (name.into(), commit)
}

/// The branches, the tags and the stash, each with its object.
fn branches(repository: &Repository) -> Option<BTreeMap<String, String>> {
    let refs = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"];
    let out = String::from_utf8_lossy(&repository.git(&refs).ok()?).into_owned();
    Some(out.lines().filter_map(|line| line.split_once(' ')).map(|(name, id)| (name.into(), id.into())).collect())
}

/// Keeps the branches that worktrees have now, as a blob.
pub fn keep_branches(home: &Place) -> Result<Option<String>> {
    let found = Repository::find(&home.root).and_then(|repository| branches(&repository)).unwrap_or_default();
    home.state.keep_blob(&serde_json::to_vec(&found).unwrap_or_default()).map(Some)
}

/// An error if a branch has commits of its own and differs from what it was when the batch began: another item's agent may have made it.
pub fn require_branch(home: &Place, kept: Option<&str>, branch: &str) -> Result<()> {
    let Some(repository) = Repository::find(&home.root) else { return Ok(()) };
    let before: BTreeMap<String, String> = match kept {
        Some(kept) => serde_json::from_slice(&home.state.read_blob(kept)?).unwrap_or_default(),
        None => return Ok(()),
    };
    let name = format!("refs/heads/{branch}");
    let Some(tip) = repository.tip(&name)? else { return Ok(()) };
    if before.get(&name) == Some(&tip) {
        return Ok(());
    }
    // A batch that was killed may have made it from one of these.
    let bases = [repository.head(), repository.trunk().ok()].into_iter().flatten();
    let is_known = bases.map(|base| repository.is_descendant(&base, &tip)).collect::<Result<Vec<_>>>()?;
    match !is_known.contains(&true) {
        true => Err(Error::changed(format!("{branch} has commits that are not from this batch. Look at them first"))),
        false => Ok(()),
    }
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
pub fn names(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.map(|name| cut_end(&one_line(&name), 80)).collect();
    let more = all.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    all[..all.len() - more].join(", ") + &rest
}
