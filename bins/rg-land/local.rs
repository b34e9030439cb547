//! What is left to do here once it landed: the local base, the worktree, the branch. What cannot be done without harm is left, and said.

use crate::plan::{Plan, is_in};
use review_gate::git::Repository;
use review_gate::store::record::Landing;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{count, one_line};
use std::time::Duration;

/// How long a worktree's removal may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Moves the local base to `new`; says why, where it is left as it is. Its commits that are nowhere else stay.
pub fn move_base(plan: &Plan, new: &str) -> Result<Option<String>> {
    let git = &plan.repository;
    let name = plan.local_base();
    let Some(old) = git.tip(&name)? else { return Ok(None) };
    if old == new || git.descends(&old, new)? {
        return Ok(None);
    }
    if !git.descends(new, &old)? {
        let own =
            git.line(&["rev-list", "--count", &format!("{new}..{old}")])?.and_then(|n| n.parse().ok()).unwrap_or(1);
        return Ok(Some(format!("the local {} is left as it is: {} of its own", plan.base, count(own, "commit"))));
    }
    if let Some((_, place)) = plan.at_work(&name) {
        return Ok(Some(format!("the local {} is left as it is: {place} is at work on it", plan.base)));
    }
    let trees = plan.trees_of(&name);
    // One whose directory is not there now (another disk) has its index all the same.
    if let Some(tree) = trees.iter().find(|tree| tree.gone) {
        let place = one_line(&tree.path.to_string_lossy());
        return Ok(Some(format!(
            "the local {} is left as it is: it is checked out in {place}, which is gone",
            plan.base
        )));
    }
    // Moved with the files of one, it would be moved under the index of the others.
    if trees.len() > 1 {
        let words = format!("the local {} is left as it is: it is checked out in {} places", plan.base, trees.len());
        return Ok(Some(words));
    }
    let Some(tree) = trees.first() else {
        // Only from where it was: a commit that came meanwhile is not lost.
        let moved = git.ask(&["update-ref", "-m", "rg-land", &name, new, &old])?;
        return Ok((!moved.ok).then(|| format!("the local {} is left as it is: {}", plan.base, moved.words)));
    };
    let Some(inside) = Repository::at(&tree.path) else { return Ok(None) };
    // What a person set for merges of this branch (`--squash`) is not meant for this one. Their ignored files are theirs.
    let own = format!("branch.{}.mergeOptions=", plan.base);
    let words =
        ["-c", "merge.autoStash=false", "-c", &own, "merge", "--ff-only", "--no-overwrite-ignore", "--quiet", new];
    let merged = inside.ask(&words)?;
    let place = one_line(&tree.path.to_string_lossy());
    let left = |why: &str| Ok(Some(format!("the local {} in {place} is left as it is: {why}", plan.base)));
    match merged.ok {
        false => left(&merged.words),
        true if git.tip(&name)?.as_deref() != Some(new) => left("the merge did not move it"),
        true => Ok(None),
    }
}

/// Commits that landed in another form stay, under a reference of ours.
pub fn keep_original(plan: &Plan, landing: &Landing) -> Result<()> {
    if plan.repository.descends(&landing.new, &landing.tip)? {
        return Ok(());
    }
    let name = format!("refs/review-gate/landed/{}", ids::file_name(&landing.tip));
    plan.repository.act(&["update-ref", &name, &landing.tip]).map(drop)
}

/// Removes the branch's worktree and the branch, where both are ours and nothing is lost with them.
pub fn take_away(plan: &Plan) -> Result<Option<String>> {
    if !plan.short().starts_with("rg/") {
        return Ok(None);
    }
    let stays = |why: String| Ok(Some(format!("{} stays: {why}", plan.short())));
    if let Some((what, place)) = plan.at_work(&plan.branch) {
        return stays(format!("{what} of it is under way in {place}"));
    }
    let trees = plan.trees_of(&plan.branch);
    if trees.len() > 1 {
        return stays(format!("it is checked out in {} places", trees.len()));
    }
    let Some(tree) = trees.first() else {
        // The branch alone: only from where it was.
        let gone = plan.repository.tip(&plan.branch)?.is_none();
        let done = gone || plan.repository.ask(&["update-ref", "-d", &plan.branch, &plan.tip])?.ok;
        return Ok((!done).then(|| format!("the branch {} moved on: it stays", plan.short())));
    };
    if plan.trees.first().is_some_and(|main| main.path == tree.path) {
        return stays("it is checked out in the main worktree".into());
    }
    let place = one_line(&tree.path.to_string_lossy());
    if is_in(&plan.dir, tree) {
        return Ok(Some(format!("the worktree stays, you are in it; later: rg-worktree remove {place}")));
    }
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find my own directory"))?;
    let mut command = Command::new(bin.join("rg-worktree"));
    command.arg("remove").arg(&tree.path).current_dir(&plan.trees[0].path).envs(env::ours());
    let said = process::output(command, PATIENCE)?;
    let why = String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("").to_string();
    Ok((!said.success()).then(|| format!("the worktree stays: {}", why.trim_start_matches("rg-worktree: "))))
}
