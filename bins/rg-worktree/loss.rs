//! What would be lost with a worktree: files that no commit holds, commits that no other reference holds, work in progress.

use crate::inner;
use crate::place::{BRANCHES, Place};
use review_gate::git::{ObjectId, Repository, WorkTree};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A task that nobody touched for so many seconds holds no worktree any more.
const LIVE: f64 = 86_400.0;

/// How large a file may be that git was told not to look at, and is looked at all the same, in bytes.
const LOOKED_AT: u64 = 256 << 20;

/// What keeps a worktree from being removed.
#[derive(Debug, Default)]
pub struct Losses {
    /// It may not be removed at all, whatever is kept: locked, or we are inside.
    pub never: Vec<String>,
    /// A copy cannot hold it: repositories inside with work of their own.
    pub uncopied: Vec<String>,
    /// Lost unless a copy is kept.
    pub lost: Vec<String>,
    /// Commits that only its branch holds; kept with the branch.
    pub unmerged: Option<String>,
}

impl Losses {
    /// Nothing at all.
    pub fn is_none(&self) -> bool {
        self.never.is_empty() && self.uncopied.is_empty() && self.lost.is_empty() && self.unmerged.is_none()
    }

    /// All of it in a line.
    pub fn words(&self) -> String {
        self.all().join("; ")
    }

    /// All of it, one by one.
    pub fn all(&self) -> Vec<String> {
        self.never.iter().chain(&self.uncopied).chain(&self.lost).chain(&self.unmerged).cloned().collect()
    }
}

/// Looks at a worktree.
pub fn of(place: &Place, tree: &WorkTree) -> Result<Losses> {
    let mut losses = Losses::default();
    if let Some(why) = &tree.locked {
        let why = if why.is_empty() { String::new() } else { format!(" ({})", cut_end(why, 100)) };
        losses.never.push(format!("locked{why}: git worktree unlock first"));
    }
    if place.dir.starts_with(fs::canonicalize(&tree.path).unwrap_or_else(|_| tree.path.clone())) {
        losses.never.push("you are in it".to_string());
    }
    others(place, tree, &mut losses);
    commits(place, tree, &mut losses)?;
    if tree.gone {
        if is_torn(tree) {
            losses.never.push("its .git is gone and its files are there: git worktree repair first".to_string());
        }
        left(place, tree, &mut losses)?;
        return Ok(losses);
    }
    let inside = place.inside(tree)?;
    let status = inside.status()?;
    let first = |paths: &[PathBuf]| cut_end(&one_line(&paths[0].to_string_lossy()), 80);
    for (paths, what) in
        [(&status.staged, "staged file"), (&status.unstaged, "changed file"), (&status.untracked, "untracked file")]
    {
        if !paths.is_empty() {
            losses.lost.push(format!("{} ({})", count(paths.len(), what), first(paths)));
        }
    }
    let hidden = hidden(&inside)?;
    if !hidden.is_empty() {
        losses.lost.push(format!(
            "{} that git was told not to look at ({})",
            count(hidden.len(), "change"),
            first(&hidden)
        ));
    }
    let own = place.own(tree)?;
    if !own.is_empty() {
        losses.lost.push(format!("{} ({})", count(own.len(), "declared ignored file of its own"), first(&own)));
    }
    if let Some(what) = inside.under_way() {
        losses.lost.push(format!("{what} under way"));
    }
    if let Some(task) = live_task(place, tree) {
        losses.lost.push(format!("in use by task {task}"));
    }
    references(&inside, tree, &mut losses)?;
    inner::look(&inside, &mut losses)?;
    Ok(losses)
}

/// Whether the files of a worktree are there, and its `.git` is not.
pub fn is_torn(tree: &WorkTree) -> bool {
    tree.gone && !has_no_files(tree)
}

/// Whether nothing of a worktree is there.
pub fn has_no_files(tree: &WorkTree) -> bool {
    tree.gone && fs::read_dir(&tree.path).map_or(true, |mut entries| entries.next().is_none())
}

/// What git still has of a worktree whose directory is gone, or was moved away.
fn left(place: &Place, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let Some(left) = place.left(tree) else { return Ok(()) };
    let staged = staged_of(&left, tree)?;
    if let Some(first) = staged.first() {
        let first = cut_end(&one_line(&first.to_string_lossy()), 80);
        losses.lost.push(format!("{} ({first})", count(staged.len(), "staged file")));
    }
    losses.lost.extend(left.under_way().map(|what| format!("{what} under way")));
    inner::left(&left, losses)
}

/// What the index of a worktree whose directory is gone holds beside its commit.
fn staged_of(left: &Repository, tree: &WorkTree) -> Result<Vec<PathBuf>> {
    if !left.git_dir.join("index").exists() {
        return Ok(Vec::new());
    }
    let mut words = vec!["--git-dir=.", "--work-tree=."];
    match &tree.head {
        Some(head) => words.extend(["diff", "--cached", "--name-only", "--no-renames", "-z", head, "--"]),
        None => words.extend(["ls-files", "--cached", "-z"]),
    }
    let out = left.act(&words)?;
    let names = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()))).collect())
}

/// Other worktrees of the repository, or itself, that lie inside.
fn others(place: &Place, tree: &WorkTree, losses: &mut Losses) {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let Some(top) = real(&tree.path) else { return };
    let others = place.linked.iter().chain([&place.main]).map(|other| &other.path);
    for other in others.filter_map(|path| real(path)).filter(|path| path.starts_with(&top) && *path != top) {
        let name = cut_end(&one_line(&other.to_string_lossy()), 200);
        losses.never.push(format!("the worktree {name} lies in it"));
    }
    if place.repository.common_dir.starts_with(&top) {
        losses.never.push("the repository itself lies in it".to_string());
    }
}

/// Commits that nothing else holds.
fn commits(place: &Place, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let Some(head) = &tree.head else { return Ok(()) };
    let mut words = vec!["rev-list".to_string(), head.clone(), "--not".to_string()];
    words.extend(tree.branch.iter().map(|branch| format!("--exclude={}", branch.trim_start_matches("refs/heads/"))));
    // What landed in another form (rebased, squashed) is kept by rg-land.
    words.extend(["--branches", "--remotes", "--tags", "--glob=refs/review-gate/landed"].map(String::from));
    let out = place.repository.act(&words)?;
    let only = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    if only > 0 {
        let text = format!("{} that nothing else holds", count(only, "commit"));
        match &tree.branch {
            Some(branch) => {
                losses.unmerged = Some(format!("{text} (branch {})", branch.trim_start_matches("refs/heads/")))
            }
            None => losses.lost.push(format!("{text} (detached at {})", head.get(..12).unwrap_or(head))),
        }
    }
    Ok(())
}

/// Commits that only references of the worktree itself hold, which go with it.
fn references(inside: &Repository, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let mut words = vec!["rev-list", "--count", "--glob=refs/worktree", "--not", "--branches", "--remotes", "--tags"];
    words.extend(tree.head.as_deref());
    let only: usize = String::from_utf8_lossy(&inside.act(&words)?).trim().parse().unwrap_or(1);
    if only > 0 {
        losses.uncopied.push(format!("{} that only refs/worktree holds", count(only, "commit")));
    }
    Ok(())
}

/// Files that git was told not to look at and that are not what its index holds.
pub fn hidden(inside: &Repository) -> Result<Vec<PathBuf>> {
    let index = inside.tracked()?;
    let changed = |path: &Path, id: ObjectId| {
        let whole = inside.top.join(path);
        match fs::read_link(&whole) {
            Ok(target) => !id.names("blob", std::os::unix::ffi::OsStrExt::as_bytes(target.as_os_str())),
            Err(_) => files::try_read_following(&whole, LOOKED_AT).is_none_or(|bytes| !id.names("blob", &bytes)),
        }
    };
    let flagged = index.iter().filter(|entry| entry.unlooked && !entry.submodule);
    let there = flagged.filter(|entry| fs::symlink_metadata(inside.top.join(entry.path)).is_ok());
    let found: Vec<_> = there.filter(|entry| changed(entry.path, entry.id)).collect();
    let paths: Vec<PathBuf> = found.iter().map(|entry| entry.path.to_path_buf()).collect();
    if paths.is_empty() {
        return Ok(paths);
    }
    // As git writes and reads it (line ends, filters) it may be the same; of links and what it cannot read that is not asked.
    let asked: Vec<PathBuf> = paths
        .iter()
        .filter(|path| files::try_read_following(&inside.top.join(path), LOOKED_AT).is_some())
        .cloned()
        .collect();
    let said = if asked.is_empty() { Ok(Vec::new()) } else { inside.git_over(&["hash-object", "--"], &asked) };
    let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    let names: HashMap<&Path, &str> = asked.iter().map(PathBuf::as_path).zip(said.lines()).collect();
    let is_changed = |path: &Path, id: ObjectId| {
        fs::read_link(inside.top.join(path)).is_ok() || names.get(path) != Some(&id.to_string().as_str())
    };
    Ok(found.iter().filter(|entry| is_changed(entry.path, entry.id)).map(|entry| entry.path.to_path_buf()).collect())
}

/// A task that is not finished, works there, and was touched within a day by a process that lives, as far as that is known.
fn live_task(place: &Place, tree: &WorkTree) -> Option<String> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let top = real(&tree.path);
    let since = clock::now().plus(-LIVE);
    let is_live = |task: &Task| {
        let is_recent = task.journal.lines().last().is_some_and(|line| line.at > since);
        let pid = task.journal.records().rev().find_map(|(_, record)| record.envelope.pid);
        let lives = pid.is_none_or(|pid| {
            !Path::new("/proc").join("1").exists() || Path::new("/proc").join(pid.to_string()).exists()
        });
        real(&task.begin.worktree) == top && is_recent && lives && !task.is_finished()
    };
    tasks(&place.state).into_iter().rfind(is_live).map(|task| task.id)
}

fn tasks(state: &State) -> Vec<Task> {
    state.task_ids().into_iter().filter_map(|id| Task::load(state, &id).ok()?).collect()
}

/// Whether a branch is one that this tool makes, and may take away.
pub fn is_ours(branch: &str) -> bool {
    branch.starts_with(BRANCHES)
}
