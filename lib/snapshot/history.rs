//! The commits that existed when a task began. If `HEAD` moves to one of them, as with a branch switch or a revert, the files that this
//! changed are history, and no change of the task.
//!
//! The commits are recorded, because references can be written later. Only whole commits count: a single old file that was restored
//! is a change like any other.

use crate::git::{Repository, TreeFile};
use crate::snapshot::file_change::{Change, OldFile};
use crate::snapshot::{File, What};
use crate::store::record::Baseline;
use crate::store::state::State;
use crate::sys::digest::hex;
use crate::sys::error::Result;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How many branches and tags are recorded, the newest first.
const TIPS: &str = "--count=2000";

/// How many commits before `HEAD` are recorded, and how many new ones are searched for one that was recorded.
const PAST: &str = "-n500";

/// The commits of branches, tags and before `HEAD`: a line `<commit> <tree> tip` or `<commit> <tree> past` for each.
pub fn record(repository: &Repository) -> Result<Vec<u8>> {
    let format = "--format=%(objectname) %(tree)%0a%(*objectname) %(*tree)";
    let kinds = ["refs/heads", "refs/remotes", "refs/tags"];
    let tips = repository.git(&[&["for-each-ref", TIPS, "--sort=-creatordate", format][..], &kinds].concat())?;
    let mut lines: Vec<String> = commits(&tips).map(|(commit, tree)| format!("{commit} {tree} tip\n")).collect();
    if repository.head().is_some() {
        let past = repository.git(&["log", PAST, "--format=%H %T", "HEAD"])?;
        lines.extend(commits(&past).map(|(commit, tree)| format!("{commit} {tree} past\n")));
    }
    Ok(lines.concat().into_bytes())
}

/// The commits and trees of git's output; other lines, such as those of tags, have no tree.
fn commits(out: &[u8]) -> impl Iterator<Item = (String, String)> {
    let lines = out.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned());
    let both =
        lines.filter_map(|line| line.split_once(' ').map(|(commit, tree)| (commit.to_string(), tree.to_string())));
    both.filter(|(commit, tree)| commit.len() >= 40 && commit.len() == tree.len())
}

/// A commit to which `HEAD` moved, and the files that this changed.
#[derive(Clone, Debug)]
pub struct MovedHead {
    /// The commit.
    pub commit: String,
    /// The files that are as in that commit now, below the top.
    pub paths: Vec<PathBuf>,
}

/// A recorded commit, or one with the files of a recorded commit.
struct Known {
    commit: String,
    /// A branch or a tag was there, apart from those before `HEAD`.
    is_tip: bool,
}

/// Compares with the commit to which `HEAD` moved since the baseline, where the baseline held a file as committed: a file that is as in
/// that commit is no change. None if `HEAD` did not move to a commit that existed, or if some of the files were put back.
pub fn apply(
    repository: &Repository,
    state: &State,
    baseline: &Baseline,
    then: &[File],
    changes: &mut Vec<Change>,
) -> Option<MovedHead> {
    let (begun, now) = (baseline.head.as_ref()?, repository.head()?);
    let blob = baseline.history.as_ref().filter(|_| *begun != now)?;
    // What git cannot read excuses nothing.
    let recorded = state.read_blob(blob).unwrap_or_default();
    let known = known_commit(repository, &recorded, begun, &now).ok()??;
    let (old, new) = (repository.tree(begun).ok()?, repository.tree(&known.commit).ok()?);
    let moved = differences(&old, &new);
    let was_committed = |path: &Path| {
        let file = then.binary_search_by(|file| file.path.as_os_str().cmp(path.as_os_str())).ok().map(|at| &then[at]);
        match (file, moved.get(path).and_then(|(old, _)| *old)) {
            (None, None) => true,
            (Some(file), Some(old)) => file.id == old.id && what(old) == file.entry.what,
            _ => false,
        }
    };
    let clean: HashSet<&Path> = moved.keys().copied().filter(|path| was_committed(path)).collect();
    let changed: HashSet<&Path> = changes.iter().map(|change| change.path.as_path()).collect();
    let is_as_new = |change: &Change| match (&change.now, moved.get(change.path.as_path()).and_then(|(_, new)| *new)) {
        (None, None) => true,
        (Some(now), Some(new)) => now.id == new.id && now.entry.what == what(new),
        _ => false,
    };
    let is_clean = |change: &&Change| clean.contains(change.path.as_path());
    // A file that was put back makes a mixture of two commits, which never existed. One that only the new commit has was removed.
    let unchanged = clean.iter().filter(|path| !changed.contains(*path));
    let (put_back, removed): (Vec<&Path>, Vec<&Path>) = unchanged.partition(|path| moved[*path].0.is_some());
    let is_exact = removed.is_empty() && changes.iter().filter(is_clean).all(is_as_new);
    if !put_back.is_empty() || !known.is_tip && !is_exact {
        return None;
    }
    let paths: Vec<PathBuf> =
        changes.iter().filter(is_clean).filter(|change| is_as_new(change)).map(|change| change.path.clone()).collect();
    let mut kept: Vec<Change> =
        changes.iter().filter(|change| !(is_clean(change) && is_as_new(change))).cloned().collect();
    for change in &mut kept {
        if let Some((_, new)) = moved.get(change.path.as_path()).filter(|_| clean.contains(change.path.as_path())) {
            change.then = new.map(old_file);
        }
    }
    kept.extend(removed.into_iter().map(|path| Change {
        path: path.to_path_buf(),
        then: moved[path].1.map(old_file),
        now: None,
    }));
    kept.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    *changes = kept;
    Some(MovedHead { commit: known.commit, paths })
}

/// The newest commit of `HEAD` since `begun` that was recorded, or that has the files of a recorded commit.
fn known_commit(repository: &Repository, recorded: &[u8], begun: &str, now: &str) -> Result<Option<Known>> {
    let mut known: HashMap<&str, bool> = HashMap::new();
    let recorded = String::from_utf8_lossy(recorded);
    let mut tree_of_begun = "";
    for line in recorded.lines() {
        let mut words = line.split(' ');
        let (Some(commit), Some(tree), Some(kind)) = (words.next(), words.next(), words.next()) else { continue };
        // New commits on an ancestor of `begun` may be a part of what was there.
        for id in [commit, tree] {
            *known.entry(id).or_insert(true) &= kind == "tip";
        }
        if commit == begun {
            tree_of_begun = tree;
        }
    }
    let log = repository.git(&["log", PAST, "--first-parent", "--format=%H %T", now])?;
    for (commit, tree) in commits(&log) {
        if commit == begun || tree == tree_of_begun {
            return Ok(None);
        }
        if let Some(is_tip) = known.get(commit.as_str()).or_else(|| known.get(tree.as_str())) {
            return Ok(Some(Known { commit, is_tip: *is_tip }));
        }
    }
    Ok(None)
}

/// The paths that differ between two commits, with the file in each.
fn differences<'a>(
    old: &'a [TreeFile],
    new: &'a [TreeFile],
) -> HashMap<&'a Path, (Option<&'a TreeFile>, Option<&'a TreeFile>)> {
    let mut found: HashMap<&Path, (Option<&TreeFile>, Option<&TreeFile>)> =
        old.iter().map(|file| (file.path.as_path(), (Some(file), None))).collect();
    for file in new {
        found.entry(file.path.as_path()).or_default().1 = Some(file);
    }
    found.retain(|_, (old, new)| old.map(|file| (file.mode, file.id)) != new.map(|file| (file.mode, file.id)));
    found
}

fn old_file(file: &TreeFile) -> OldFile {
    OldFile { what: what(file), id: file.id, sha256: None }
}

/// The type of a file of a commit.
pub fn what(file: &TreeFile) -> What {
    match file.mode {
        0o100755 => What::Executable,
        0o120000 => What::Link,
        0o160000 => What::Submodule,
        _ => What::File,
    }
}

/// Makes the definition of done that `HEAD` brought the baseline's.
pub fn bring_definition(baseline: &mut Baseline, moved: &MovedHead, path: &Path, now: &[File]) {
    if moved.paths.iter().any(|moved| moved == path) {
        let file = now.iter().find(|file| file.path == path);
        baseline.donefile = file.map(|file| hex(&file.entry.sha256)).or(baseline.donefile.take());
    }
}
