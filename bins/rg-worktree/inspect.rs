//! Finds what would be lost with a worktree: uncommitted files, commits on no other reference, work in progress.

use crate::losses::Losses;
use crate::place::{Place, is_torn};
use crate::{hidden, nested};
use review_gate::git::{Repository, WorkTree};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A task without activity for this many seconds no longer protects its worktree.
const LIVE: f64 = 86_400.0;

/// Everything that would be lost with a worktree.
pub fn of(place: &Place, tree: &WorkTree) -> Result<Losses> {
    let mut losses = Losses::default();
    if let Some(why) = &tree.lock_reason {
        let why = if why.is_empty() { String::new() } else { format!(" ({})", cut_end(why, 100)) };
        losses.never.push(format!("locked{why}; unlock it with `git worktree unlock`"));
    }
    if place.dir.starts_with(fs::canonicalize(&tree.path).unwrap_or_else(|_| tree.path.clone())) {
        losses.never.push("you are in it".to_string());
    }
    others(place, tree, &mut losses);
    commits(place, tree, &mut losses)?;
    if tree.is_prunable {
        if is_torn(tree) {
            losses.never.push("its .git is missing; run `git worktree repair`".to_string());
        }
        remains(place, tree, &mut losses)?;
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
    let hidden = hidden::of(&inside)?;
    if !hidden.is_empty() {
        losses.lost.push(format!(
            "{} hidden by assume-unchanged or skip-worktree ({})",
            count(hidden.len(), "change"),
            first(&hidden)
        ));
    }
    let own = place.own(tree)?;
    if !own.is_empty() {
        losses.lost.push(format!(
            "{} not as in the main worktree ({})",
            count(own.len(), "declared ignored file"),
            first(&own)
        ));
    }
    if let Some(what) = inside.operation_in_progress() {
        losses.lost.push(format!("{what} under way"));
    }
    if let Some(task) = live_task(place, tree) {
        losses.lost.push(format!("in use by task {task}"));
    }
    references(&inside, tree, &mut losses)?;
    nested::look(&inside, &mut losses)?;
    Ok(losses)
}

/// What git still has of a worktree whose directory is gone or was moved.
fn remains(place: &Place, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let Some(git) = place.remains_of(tree) else { return Ok(()) };
    let staged = staged_of(&git, tree)?;
    if let Some(first) = staged.first() {
        let first = cut_end(&one_line(&first.to_string_lossy()), 80);
        losses.lost.push(format!("{} ({first})", count(staged.len(), "staged file")));
    }
    losses.lost.extend(git.operation_in_progress().map(|what| format!("{what} under way")));
    nested::remains(&git, losses)
}

/// The staged files of a worktree whose directory is gone.
fn staged_of(git: &Repository, tree: &WorkTree) -> Result<Vec<PathBuf>> {
    if !git.git_dir.join("index").exists() {
        return Ok(Vec::new());
    }
    let mut words = vec!["--git-dir=.", "--work-tree=."];
    match &tree.head {
        Some(head) => words.extend(["diff", "--cached", "--name-only", "--no-renames", "-z", head, "--"]),
        None => words.extend(["ls-files", "--cached", "-z"]),
    }
    let out = git.run(&words)?;
    let names = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()))).collect())
}

/// Other worktrees of the repository, or the repository itself, inside this worktree.
fn others(place: &Place, tree: &WorkTree, losses: &mut Losses) {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let Some(top) = real(&tree.path) else { return };
    let others = place.linked.iter().chain([&place.main]).map(|other| &other.path);
    for other in others.filter_map(|path| real(path)).filter(|path| path.starts_with(&top) && *path != top) {
        let name = cut_end(&one_line(&other.to_string_lossy()), 200);
        losses.never.push(format!("it contains the worktree {name}"));
    }
    if place.repository.common_dir.starts_with(&top) {
        losses.never.push("it contains the repository itself".to_string());
    }
}

/// Commits that no other branch, tag or remote branch contains.
fn commits(place: &Place, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let Some(head) = &tree.head else { return Ok(()) };
    let mut words = vec!["rev-list".to_string(), head.clone(), "--not".to_string()];
    words.extend(tree.branch.iter().map(|branch| format!("--exclude={}", branch.trim_start_matches("refs/heads/"))));
    // rg-land keeps the originals of commits that landed rebased or squashed.
    words.extend(["--branches", "--remotes", "--tags", "--glob=refs/review-gate/landed"].map(String::from));
    let out = place.repository.run(&words)?;
    let only = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    if only > 0 {
        let commits = count(only, "commit");
        match &tree.branch {
            Some(branch) => {
                losses.unmerged = Some(format!("{commits} only on branch {}", branch.trim_start_matches("refs/heads/")))
            }
            None => losses.lost.push(format!("{commits} only on a detached HEAD ({})", head.get(..12).unwrap_or(head))),
        }
    }
    Ok(())
}

/// Commits that only the worktree's own references contain, which are removed with it.
fn references(inside: &Repository, tree: &WorkTree, losses: &mut Losses) -> Result<()> {
    let mut words = vec!["rev-list", "--count", "--glob=refs/worktree", "--not", "--branches", "--remotes", "--tags"];
    words.extend(tree.head.as_deref());
    let only: usize = String::from_utf8_lossy(&inside.run(&words)?).trim().parse().unwrap_or(1);
    if only > 0 {
        losses.uncopied.push(format!("{} only under refs/worktree", count(only, "commit")));
    }
    Ok(())
}

/// An unfinished task in the worktree with activity within a day, whose process is not known to have ended.
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
