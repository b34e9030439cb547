//! After a landing: moves the local base, and removes the worktree and the branch. A step that could lose something is skipped, and the
//! reason returned.

use crate::plan::{Plan, is_in};
use review_gate::git::Repository;
use review_gate::store::record::Landing;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{count, one_line};
use std::time::Duration;

/// How long the removal of a worktree may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a step after a landing did, in words for the user.
#[derive(Debug)]
pub enum Step {
    /// There was nothing to do.
    Nothing,
    /// What was done.
    Done(String),
    /// What was not done, and why.
    Left(String),
}

/// Moves the local base to `new`. Never drops commits of the local base.
pub fn move_base(plan: &Plan, new: &str) -> Result<Step> {
    let git = &plan.repository;
    let name = plan.local_base();
    let Some(old) = git.tip(&name)? else { return Ok(Step::Nothing) };
    if old == new || git.is_descendant(&old, new)? {
        return Ok(Step::Nothing);
    }
    if !git.is_descendant(new, &old)? {
        let own =
            git.line(&["rev-list", "--count", &format!("{new}..{old}")])?.and_then(|n| n.parse().ok()).unwrap_or(1);
        return Ok(Step::Left(format!(
            "the local {} was not moved: it has {} of its own",
            plan.base,
            count(own, "commit")
        )));
    }
    if let Some((what, place)) = plan.operation_on(&name) {
        return Ok(Step::Left(format!("the local {} was not moved: {what} of it is under way in {place}", plan.base)));
    }
    let trees = plan.trees_of(&name);
    // A worktree whose directory is missing, for example on a disk that is not mounted, still has its index.
    if let Some(tree) = trees.iter().find(|tree| tree.is_prunable) {
        let place = one_line(&tree.path.to_string_lossy());
        return Ok(Step::Left(format!(
            "the local {} was not moved: it is checked out in {place}, which does not exist",
            plan.base
        )));
    }
    // Moving it with the files of one worktree would move it under the index of the others.
    if trees.len() > 1 {
        let words = format!("the local {} was not moved: it is checked out in {} worktrees", plan.base, trees.len());
        return Ok(Step::Left(words));
    }
    let done = format!("moved the local {}", plan.base);
    let Some(tree) = trees.first() else {
        // With its old value, so that a commit made in the meantime is kept.
        let moved = git.try_run(&["update-ref", "-m", "rg-land", &name, new, &old])?;
        return Ok(match moved.is_success {
            true => Step::Done(done),
            false => Step::Left(format!("the local {} was not moved: {}", plan.base, moved.message)),
        });
    };
    let Some(inside) = Repository::at(&tree.path) else { return Ok(Step::Nothing) };
    // The user's merge options for this branch, such as `--squash`, do not apply here, and ignored files must not be overwritten.
    let own = format!("branch.{}.mergeOptions=", plan.base);
    let words =
        ["-c", "merge.autoStash=false", "-c", &own, "merge", "--ff-only", "--no-overwrite-ignore", "--quiet", new];
    let merged = inside.try_run(&words)?;
    let place = one_line(&tree.path.to_string_lossy());
    let left = |why: &str| Ok(Step::Left(format!("the local {} was not moved in {place}: {why}", plan.base)));
    match merged.is_success {
        false => left(&merged.message),
        true if git.tip(&name)?.as_deref() != Some(new) => left("git merge did not move it"),
        true => Ok(Step::Done(format!("{done} and its files in {place}"))),
    }
}

/// Keeps the original commits under `refs/review-gate/landed` if they landed in another form.
pub fn keep_original(plan: &Plan, landing: &Landing) -> Result<Step> {
    if plan.repository.is_descendant(&landing.new, &landing.tip)? {
        return Ok(Step::Nothing);
    }
    let name = format!("refs/review-gate/landed/{}", ids::file_name(&landing.tip));
    plan.repository.run(&["update-ref", &name, &landing.tip])?;
    Ok(Step::Done(format!("kept the original commits as {name}")))
}

/// Removes the branch and its worktree, if rg-worktree made them and nothing is lost.
pub fn remove_branch(plan: &Plan) -> Result<Step> {
    if !plan.short().starts_with("rg/") {
        return Ok(Step::Nothing);
    }
    let stays = |why: String| Ok(Step::Left(format!("{} was not removed: {why}", plan.short())));
    if let Some((what, place)) = plan.operation_on(&plan.branch) {
        return stays(format!("{what} of it is under way in {place}"));
    }
    let trees = plan.trees_of(&plan.branch);
    if trees.len() > 1 {
        return stays(format!("it is checked out in {} worktrees", trees.len()));
    }
    let Some(tree) = trees.first() else {
        // Delete the branch with its old value, so that a commit made in the meantime is kept.
        if plan.repository.tip(&plan.branch)?.is_none() {
            return Ok(Step::Nothing);
        }
        return match plan.repository.try_run(&["update-ref", "-d", &plan.branch, &plan.tip])?.is_success {
            true => Ok(Step::Done(format!("removed {}", plan.short()))),
            false => stays("it has moved".into()),
        };
    };
    if plan.trees.first().is_some_and(|main| main.path == tree.path) {
        return stays("it is checked out in the main worktree".into());
    }
    let place = one_line(&tree.path.to_string_lossy());
    if is_in(&plan.dir, tree) {
        return Ok(Step::Left(format!(
            "the worktree was not removed: you are in it. Remove it later with `rg-worktree remove {place}`"
        )));
    }
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(bin.join("rg-worktree"));
    command.arg("remove").arg(&tree.path).current_dir(&plan.trees[0].path).envs(env::own_variables());
    let said = process::output(command, PATIENCE)?;
    if said.success() {
        return Ok(Step::Done(format!("removed {} and its worktree {place}", plan.short())));
    }
    let why = String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("").to_string();
    Ok(Step::Left(format!("the worktree was not removed: {}", why.trim_start_matches("rg-worktree: "))))
}
