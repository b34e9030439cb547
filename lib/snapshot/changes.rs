//! The base: what the files are compared with. In this order: the commit that was named, the task's (or the subagent's)
//! baseline, the point where the branch went off. Nothing to compare with is said, never taken for "nothing changed".

use crate::event::{self, BaseKind, Event, State as Presence};
use crate::git::{ObjectId, REMOTE_TRUNK, Repository, TRUNKS, TreeFile};
use crate::snapshot::baseline;
use crate::snapshot::definition::Basis;
use crate::snapshot::{File, Snapshot, What, differences};
use crate::store::record::Baseline;
use crate::store::state::State;
use crate::store::task::Task;
use crate::store::worktrees;
use crate::sys::digest::Raw;
use crate::sys::error::Result;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Where a branch usually goes off, in the order in which they are tried. By their whole names: a tag is no branch.
fn trunks() -> Vec<String> {
    let under = |place: &str| TRUNKS.map(|name| format!("refs/{place}/{name}"));
    let all = [vec![REMOTE_TRUNK.to_string()], under("remotes/origin").into(), under("heads").into()];
    all.into_iter().flatten().chain(["@{upstream}".to_string()]).collect()
}

/// What stood at a path before.
#[derive(Clone, Debug)]
pub struct Then {
    /// What it was.
    pub what: What,
    /// Git's name for its bytes, where git has them.
    pub id: ObjectId,
    /// SHA-256 of its bytes as they stood on disk, where that is known.
    pub sha256: Option<Raw>,
}

/// One path that is not as it was.
#[derive(Clone, Debug)]
pub struct Change {
    /// Below the top of the work tree.
    pub path: PathBuf,
    /// What stood there.
    pub then: Option<Then>,
    /// What stands there.
    pub now: Option<File>,
}

impl Change {
    /// The bytes are the same, and only the mode is another.
    pub fn is_mode_only(&self) -> bool {
        let (Some(then), Some(now)) = (&self.then, &self.now) else { return false };
        then.what.is_file()
            && now.entry.what.is_file()
            && then.sha256.is_none_or(|sha256| sha256 == now.entry.sha256)
            && (then.sha256.is_some() || then.id == now.id)
    }
}

/// The base, and what differs from it.
pub struct Compared {
    /// For the record and the receipt.
    pub base: event::Base,
    /// The task's own baseline, when that is it.
    pub baseline: Option<Baseline>,
    /// What changed, by path.
    pub changes: Vec<Change>,
    /// How many files of the base are not checked out here (sparse checkouts), and are in the index as they were.
    pub absent: usize,
}

/// Why there is nothing to compare with.
pub struct Nothing(pub String);

/// Holds the files against their base, where there is one.
pub fn compare(event: &Event, basis: &Basis, now: &Snapshot) -> Result<std::result::Result<Compared, Nothing>> {
    if let Some(name) = &event.against {
        let Some(reference) = basis.reference(event)? else { return Ok(Err(Nothing("no repository".into()))) };
        // What was named may have moved on since: only what was done here counts.
        let Some(commit) = &reference.fork_point else {
            return Ok(Err(Nothing(format!(
                "{name} and what is checked out have nothing in common (a shallow clone?)"
            ))));
        };
        return with_commit(BaseKind::Against, Some(name), commit, &reference.repository, now).map(Ok);
    }
    let task = basis.task.as_ref();
    match task.and_then(|task| baseline::last(task, &event.budget_owner)) {
        Some(baseline) => with_baseline(event, basis, baseline, now).map(Ok),
        None => match task.filter(|task| task.begin.state == Presence::Present && task.begin.snapshot.is_none()) {
            Some(task) => with_begin(task, &event.root, now),
            None => with_fork_point(&event.root, &basis.state, now),
        },
    }
}

/// A task at whose begin nothing asked for the files: the commit that was checked out then.
fn with_begin(task: &Task, root: &Path, now: &Snapshot) -> Result<std::result::Result<Compared, Nothing>> {
    match (Repository::find(root), &task.begin.head) {
        (Some(repository), Some(head)) => with_commit(BaseKind::Head, None, head, &repository, now).map(Ok),
        _ => Ok(Err(Nothing("nothing was committed when this task began".into()))),
    }
}

fn with_baseline(event: &Event, basis: &Basis, baseline: Baseline, now: &Snapshot) -> Result<Compared> {
    let is_task = event.agent.is_none();
    let base = event::Base {
        kind: if is_task { BaseKind::Task } else { BaseKind::Subagent },
        name: None,
        commit: baseline.head.clone(),
        blessed: basis.task.as_ref().map(baseline::blessed).unwrap_or_default(),
    };
    if baseline.snapshot == now.digest() {
        return Ok(Compared { base, baseline: Some(baseline), changes: Vec::new(), absent: 0 });
    }
    let then = baseline.files(&basis.state)?;
    let change = |(then, now): (Option<&File>, Option<&File>)| Change {
        path: now.or(then).map(|file| file.path.clone()).unwrap_or_default(),
        then: then.map(|file| Then { what: file.entry.what, id: file.id, sha256: Some(file.entry.sha256) }),
        now: now.cloned(),
    };
    let changes = differences(&then, &now.files).into_iter().map(change).collect();
    Ok(Compared { base, baseline: Some(baseline), changes, absent: 0 })
}

/// The first trunk from which this branch went off; else, where nothing is committed that a trunk does not have, the commit that is
/// checked out, as far as the files differ from it.
fn with_fork_point(root: &Path, state: &State, now: &Snapshot) -> Result<std::result::Result<Compared, Nothing>> {
    let nothing = |why: &str| Ok(Err(Nothing(format!("{why}; name a base with --against"))));
    let Some(repository) = Repository::find(root) else {
        return Ok(Err(Nothing("this is no git repository: only a session's baseline can be compared with".into())));
    };
    let Some(head) = repository.head() else { return Ok(Err(Nothing("nothing is committed yet".into()))) };
    // A worktree of a task knows from what it was made.
    let made = made_from(state, &repository.top);
    for trunk in made.into_iter().chain(trunks()) {
        if let Some(fork) = repository.fork_point(&trunk).filter(|fork| *fork != head) {
            return with_commit(BaseKind::MergeBase, Some(&trunk), &fork, &repository, now).map(Ok);
        }
    }
    let compared = with_commit(BaseKind::Head, None, &head, &repository, now)?;
    if compared.changes.is_empty() {
        return nothing("no branch, and nothing that is not committed");
    }
    Ok(Ok(compared))
}

/// The base of a worktree that rg-worktree made, and the commit that it was made from.
fn made_from(state: &State, top: &Path) -> Vec<String> {
    let real = std::fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
    let names = worktrees::at_path(state, &real).map(|made| [made.base, made.fork]);
    names.into_iter().flatten().filter(|name| !name.is_empty() && !name.starts_with('-')).collect()
}

fn with_commit(
    kind: BaseKind,
    name: Option<&str>,
    commit: &str,
    repository: &Repository,
    now: &Snapshot,
) -> Result<Compared> {
    let mut then = repository.tree(commit)?.to_vec();
    enter_submodules(repository, now, &mut then)?;
    let base =
        event::Base { kind, name: name.map(str::to_string), commit: Some(commit.to_string()), blessed: Vec::new() };
    let mut changes = tree_differences(&repository.top, &then, &now.files)?;
    let all = changes.len();
    let is_sparse = repository.is_sparse();
    let tracked = repository.tracked()?;
    let sparse: HashMap<&Path, ObjectId> = tracked
        .iter()
        .filter(|tracked| tracked.absent && is_sparse)
        .map(|tracked| (tracked.path, tracked.id))
        .collect();
    changes.retain(|change| {
        let kept = change.then.as_ref().is_some_and(|then| sparse.get(change.path.as_path()) == Some(&then.id));
        change.now.is_some() || !kept
    });
    let absent = all - changes.len();
    Ok(Compared { base, baseline: None, changes, absent })
}

/// A commit names its submodules' commits: what those hold belongs to it. Where a submodule is not checked out nothing of it
/// lies here, and nothing is compared.
fn enter_submodules(repository: &Repository, now: &Snapshot, then: &mut Vec<TreeFile>) -> Result<()> {
    let is_here = |path: &Path| now.get(path).is_some_and(|entry| entry.what == What::Submodule);
    let mut open: Vec<TreeFile> =
        then.iter().filter(|file| file.mode == 0o160000 && is_here(&file.path)).cloned().collect();
    while let Some(submodule) = open.pop() {
        let Some(inner) = Repository::at(&repository.top.join(&submodule.path)) else { continue };
        for file in inner.tree(&submodule.id.to_string())?.iter() {
            let mut file = file.clone();
            file.path = submodule.path.join(&file.path);
            if file.mode == 0o160000 && is_here(&file.path) {
                open.push(file.clone());
            }
            then.push(file);
        }
    }
    // One that the index still names is only not checked out; any other is gone.
    let index = repository.tracked()?;
    let named: HashSet<&Path> = index.iter().filter(|tracked| tracked.submodule).map(|tracked| tracked.path).collect();
    then.retain(|file| file.mode != 0o160000 || is_here(&file.path) || !named.contains(file.path.as_path()));
    then.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    Ok(())
}

/// What differs between a commit's files and those on disk, by git's names for their bytes.
fn tree_differences(top: &Path, then: &[TreeFile], now: &[File]) -> Result<Vec<Change>> {
    let (mut a, mut b) = (then.iter().peekable(), now.iter().peekable());
    let mut changes = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return Ok(changes),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(then), Some(now)) => then.path.as_os_str().cmp(now.path.as_os_str()),
        };
        let then = if order.is_le() { a.next() } else { None };
        let now = if order.is_ge() { b.next() } else { None };
        if let (Some(then), Some(now)) = (then, now)
            && is_same(top, then, now)
        {
            continue;
        }
        let path = then.map(|file| &file.path).or(now.map(|file| &file.path));
        let what = |file: &TreeFile| match file.mode {
            0o100755 => What::Executable,
            0o120000 => What::Link,
            0o160000 => What::Submodule,
            _ => What::File,
        };
        changes.push(Change {
            path: path.cloned().unwrap_or_default(),
            then: then.map(|file| Then { what: what(file), id: file.id, sha256: None }),
            now: now.cloned(),
        });
    }
}

fn is_same(top: &Path, then: &TreeFile, now: &File) -> bool {
    use std::os::unix::ffi::OsStrExt;
    match (then.mode, now.entry.what) {
        (0o100644, What::File) | (0o100755, What::Executable) | (0o160000, What::Submodule) => then.id == now.id,
        (0o120000, What::Link) => {
            let Ok(target) = std::fs::read_link(top.join(&now.path)) else { return false };
            let bytes = target.as_os_str().as_bytes();
            then.id.names("blob", bytes) && crate::sys::digest::raw(bytes) == now.entry.sha256
        }
        _ => false,
    }
}
