//! The state of the working tree: branch, last commits, staged, changed and untracked files.

use review_gate::git::Repository;
use review_gate::store::record::{Anchor, FileList, TreeState};
use review_gate::store::task::Task;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, one_line};
use std::path::{Path, PathBuf};

/// How many names of staged, changed and untracked files are kept each.
const MAX_NAMES: usize = 100;

/// How many commits are listed, as an option of git.
const COMMITS: &str = "-5";

/// The current state of a task's working tree.
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

/// The current state of the working tree; if it cannot be read, that of the last `anchor` record.
pub fn now_or_recorded(task: &Task) -> TreeState {
    let recorded = || task.journal.of::<Anchor>().next_back().map(|anchor| anchor.tree.clone());
    now(task).ok().or_else(recorded).unwrap_or_default()
}

/// The number of uncommitted files.
pub fn changed(tree: &TreeState) -> usize {
    tree.staged.count + tree.unstaged.count + tree.untracked.count
}

fn listed(paths: &[PathBuf]) -> FileList {
    FileList { count: paths.len(), first: paths.iter().take(MAX_NAMES).map(|path| shown(path)).collect() }
}

/// A path on one line, without secrets.
pub fn shown(path: &Path) -> String {
    cut_end(&redact(&one_line(&path.to_string_lossy())), 120)
}
