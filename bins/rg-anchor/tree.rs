//! The work tree as it stands: branch, last commits, staged, changed and untracked files.

use review_gate::git::Repository;
use review_gate::store::record::{Anchor, Listed, TreeState};
use review_gate::store::task::Task;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, one_line};
use std::path::{Path, PathBuf};

/// How many names of one kind are kept.
const KEPT: usize = 100;

/// How many commits are named.
const COMMITS: &str = "-5";

/// The working tree of a task as it is now.
pub fn now(task: &Task) -> Result<TreeState> {
    let repository = Repository::find(&task.begin.root).ok_or_else(|| Error::missing("no repository"))?;
    let status = repository.status()?;
    // A branch without a commit has no log.
    let log = match &status.head {
        Some(_) => repository.git(&["log", COMMITS, "--format=%h %s", "--no-show-signature"]).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(TreeState {
        top: Some(redact(&one_line(&repository.top.to_string_lossy()))),
        branch: status.branch.map(|name| cut_end(&redact(&one_line(&name)), 80)),
        head: status.head,
        commits: String::from_utf8_lossy(&log).lines().map(|line| cut_end(&redact(&one_line(line)), 72)).collect(),
        staged: listed(&status.staged),
        unstaged: listed(&status.unstaged),
        untracked: listed(&status.untracked),
    })
}

/// The working tree as it is, else as the last anchor of the task saw it.
pub fn now_or_kept(task: &Task) -> TreeState {
    let kept = || task.journal.of::<Anchor>().next_back().map(|anchor| anchor.tree.clone());
    now(task).ok().or_else(kept).unwrap_or_default()
}

/// How many files are not committed.
pub fn changed(tree: &TreeState) -> usize {
    tree.staged.count + tree.unstaged.count + tree.untracked.count
}

fn listed(paths: &[PathBuf]) -> Listed {
    Listed { count: paths.len(), first: paths.iter().take(KEPT).map(|path| shown(path)).collect() }
}

/// A path on one line, whatever it holds.
pub fn shown(path: &Path) -> String {
    cut_end(&redact(&one_line(&path.to_string_lossy())), 120)
}
