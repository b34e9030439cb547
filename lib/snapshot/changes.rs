//! Compares the files with the reference commit, else with the baseline of the task or subagent, else with the merge base with the base
//! branch. Without any of them the result is an error, not an empty list of changes.

use crate::event::{self, BaseKind, Event, State as Presence};
use crate::git::{ObjectId, REMOTE_TRUNK, Repository, TRUNKS, TreeFile};
use crate::snapshot::baseline;
pub use crate::snapshot::file_change::{Change, OldFile};
use crate::snapshot::history::{self, MovedHead};
use crate::snapshot::workspace::Workspace;
use crate::snapshot::{File, Snapshot, What, differences};
use crate::store::record::Baseline;
use crate::store::state::State;
use crate::store::task::Task;
use crate::store::worktrees;
use crate::sys::error::Result;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The usual base branches, in the order in which they are tried, by full name, so that no tag is taken for a branch.
fn trunks() -> Vec<String> {
    let under = |place: &str| TRUNKS.map(|name| format!("refs/{place}/{name}"));
    let all = [vec![REMOTE_TRUNK.to_string()], under("remotes/origin").into(), under("heads").into()];
    all.into_iter().flatten().chain(["@{upstream}".to_string()]).collect()
}

/// What the files were compared with, and the changes.
pub struct Comparison {
    /// What they were compared with, for records and receipts.
    pub base: event::Base,
    /// The baseline, if they were compared with one.
    pub baseline: Option<Baseline>,
    /// The changes, by path.
    pub changes: Vec<Change>,
    /// How many files are not checked out (sparse checkout) and unchanged in the index.
    pub absent: usize,
    /// The commit to which `HEAD` moved, if it existed when the task began; `changes` leaves out what that changed.
    pub moved: Option<MovedHead>,
}

/// The reason why there is nothing to compare with.
pub struct NoBase(pub String);

/// Compares the files of `event` with what it is judged against.
pub fn compare(
    event: &Event,
    workspace: &Workspace,
    now: &Snapshot,
) -> Result<std::result::Result<Comparison, NoBase>> {
    if let Some(name) = &event.against {
        let Some(reference) = workspace.reference(event)? else {
            return Ok(Err(NoBase(format!("--against {name}: not in a git repository: {}", event.root.display()))));
        };
        // The named branch may have new commits, so the merge base is used: only changes made here count.
        let Some(commit) = &reference.merge_base else {
            return Ok(Err(NoBase(format!(
                "{name} and HEAD have no common commit. In a shallow clone, run `git fetch --unshallow`"
            ))));
        };
        return with_commit(BaseKind::Against, Some(name), commit, &reference.repository, now).map(Ok);
    }
    let task = workspace.task.as_ref();
    match task.and_then(|task| baseline::last(task, &event.budget_owner)) {
        Some(baseline) => with_baseline(event, workspace, baseline, now).map(Ok),
        None => match task.filter(|task| task.begin.state == Presence::Present && task.begin.snapshot.is_none()) {
            Some(task) => with_begin(task, &event.root, now),
            None => with_fork_point(&event.root, &workspace.state, now),
        },
    }
}

/// Compares the files of a worktree with its fork point. None if there is nothing to compare with: no commit since the base branch,
/// and a clean working tree.
pub fn compare_with_fork_point(event: &Event, state: &State, now: &Snapshot) -> Result<Option<Comparison>> {
    with_fork_point(&event.root, state, now).map(std::result::Result::ok)
}

/// For a task without a baseline: compares with the commit that was checked out when the task began.
fn with_begin(task: &Task, root: &Path, now: &Snapshot) -> Result<std::result::Result<Comparison, NoBase>> {
    match (Repository::find(root), &task.begin.head) {
        (Some(repository), Some(head)) => with_commit(BaseKind::Head, None, head, &repository, now).map(Ok),
        _ => Ok(Err(NoBase("there was no commit when this task began".into()))),
    }
}

fn with_baseline(event: &Event, workspace: &Workspace, baseline: Baseline, now: &Snapshot) -> Result<Comparison> {
    let is_task = event.agent.is_none();
    let base = event::Base {
        kind: if is_task { BaseKind::Task } else { BaseKind::Subagent },
        name: None,
        commit: baseline.head.clone(),
        blessed: workspace.task.as_ref().map(baseline::blessings).unwrap_or_default(),
    };
    if baseline.snapshot == now.digest() {
        return Ok(Comparison { base, baseline: Some(baseline), changes: Vec::new(), absent: 0, moved: None });
    }
    let then = baseline.files(&workspace.state)?;
    let change = |(then, now): (Option<&File>, Option<&File>)| Change {
        path: now.or(then).map(|file| file.path.clone()).unwrap_or_default(),
        then: then.map(|file| OldFile { what: file.entry.what, id: file.id, sha256: Some(file.entry.sha256) }),
        now: now.cloned(),
    };
    let mut changes = differences(&then, &now.files).into_iter().map(change).collect();
    let mut baseline = baseline;
    let repository = Repository::find(&event.root).filter(|_| is_task);
    let moved = repository
        .as_ref()
        .and_then(|repository| history::apply(repository, &workspace.state, &baseline, &then, &mut changes));
    if let (Some(moved), Some(done), Some(repository)) = (&moved, &event.donefile, &repository) {
        let path = event.root.join(&done.path);
        let path = path.strip_prefix(&repository.top).unwrap_or(&path);
        history::bring_definition(&mut baseline, moved, path, &now.files);
    }
    Ok(Comparison { base, baseline: Some(baseline), changes, absent: 0, moved })
}

/// Compares with the merge base with the first base branch that HEAD is ahead of; else with HEAD, if there are uncommitted changes.
fn with_fork_point(root: &Path, state: &State, now: &Snapshot) -> Result<std::result::Result<Comparison, NoBase>> {
    let nothing = |why: &str| Ok(Err(NoBase(format!("{why}. Pass `--against <ref>`"))));
    let Some(repository) = Repository::find(root) else {
        return Ok(Err(NoBase("not in a git repository, and without one only a session has a baseline".into())));
    };
    let Some(head) = repository.head() else { return Ok(Err(NoBase("there is no commit yet".into()))) };
    // rg-worktree records the base of a worktree.
    let made = made_from(state, &repository.top);
    for trunk in made.into_iter().chain(trunks()) {
        if let Some(fork) = repository.merge_base(&trunk).filter(|fork| *fork != head) {
            return with_commit(BaseKind::MergeBase, Some(&trunk), &fork, &repository, now).map(Ok);
        }
    }
    let compared = with_commit(BaseKind::Head, None, &head, &repository, now)?;
    if compared.changes.is_empty() {
        return nothing("no commit since the base branch, and a clean working tree");
    }
    Ok(Ok(compared))
}

/// The base of a worktree that rg-worktree created, and the commit that it was created from.
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
) -> Result<Comparison> {
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
        .filter(|tracked| tracked.is_skip_worktree && is_sparse)
        .map(|tracked| (tracked.path, tracked.id))
        .collect();
    changes.retain(|change| {
        let kept = change.then.as_ref().is_some_and(|then| sparse.get(change.path.as_path()) == Some(&then.id));
        change.now.is_some() || !kept
    });
    let absent = all - changes.len();
    Ok(Comparison { base, baseline: None, changes, absent, moved: None })
}

/// Adds the files of the submodules' commits to those of a commit. A submodule that is not checked out is not compared.
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
    // A submodule in the index is merely not checked out; any other was removed.
    let index = repository.tracked()?;
    let named: HashSet<&Path> =
        index.iter().filter(|tracked| tracked.is_submodule).map(|tracked| tracked.path).collect();
    then.retain(|file| file.mode != 0o160000 || is_here(&file.path) || !named.contains(file.path.as_path()));
    then.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    Ok(())
}

/// The differences between the files of a commit and those on disk, by git object id.
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
        changes.push(Change {
            path: path.cloned().unwrap_or_default(),
            then: then.map(|file| OldFile { what: history::what(file), id: file.id, sha256: None }),
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
