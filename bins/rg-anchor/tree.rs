//! The work tree as it stands: branch, last commits, staged, changed and untracked files.

use review_gate::error::{Error, Result};
use review_gate::git::Repository;
use review_gate::redact::redact;
use review_gate::task::Task;
use review_gate::text::{cut_end, one_line};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How many names of one kind are kept.
const KEPT: usize = 100;

/// How many commits are named.
const COMMITS: &str = "-5";

/// What stood, or stands, in a work tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tree {
    /// Its top.
    #[serde(default)]
    pub top: String,
    /// The branch; None where the head is detached, or nothing could be looked at.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that is checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The last commits, the newest first.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Staged files.
    #[serde(default)]
    pub staged: Listed,
    /// Changed files.
    #[serde(default)]
    pub unstaged: Listed,
    /// Untracked files.
    #[serde(default)]
    pub untracked: Listed,
}

/// Names, and how many there are in all.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Listed {
    /// In all.
    pub count: usize,
    /// The first of them.
    pub first: Vec<String>,
}

impl Tree {
    /// The work tree of a task as it is now.
    pub fn now(task: &Task) -> Result<Tree> {
        let repository = Repository::find(&task.begin.root).ok_or_else(|| Error::unjudged("no repository"))?;
        let status = repository.status()?;
        // A branch without a commit has no log.
        let log = match &status.head {
            Some(_) => repository.git(&["log", COMMITS, "--format=%h %s", "--no-show-signature"]).unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(Tree {
            top: redact(&one_line(&repository.top.to_string_lossy())),
            branch: status.branch.map(|name| cut_end(&redact(&one_line(&name)), 80)),
            head: status.head,
            commits: String::from_utf8_lossy(&log).lines().map(|line| cut_end(&redact(&one_line(line)), 72)).collect(),
            staged: Listed::of(&status.staged),
            unstaged: Listed::of(&status.unstaged),
            untracked: Listed::of(&status.untracked),
        })
    }

    /// The work tree as it is, else as the last anchor of the task saw it.
    pub fn now_or_kept(task: &Task) -> Tree {
        let kept = || task.records.iter().rfind(|record| record.kind == "anchor").and_then(|record| record.get("tree"));
        Tree::now(task).ok().or_else(kept).unwrap_or_default()
    }

    /// How many files are not committed.
    pub fn changed(&self) -> usize {
        self.staged.count + self.unstaged.count + self.untracked.count
    }
}

impl Listed {
    fn of(paths: &[PathBuf]) -> Listed {
        let name = |path: &PathBuf| shown(path);
        Listed { count: paths.len(), first: paths.iter().take(KEPT).map(name).collect() }
    }
}

/// A path on one line, whatever it holds.
pub fn shown(path: &Path) -> String {
    cut_end(&redact(&one_line(&path.to_string_lossy())), 120)
}
