//! Whether a review of the branch before the rebase still counts.

use crate::plan::Plan;
use crate::receipts;
use review_gate::event::ReviewState;
use review_gate::git::Repository;
use review_gate::sys::error::Result;

/// Whether a review of the branch before the rebase still counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OldReview {
    /// There is none.
    None,
    /// It counts: the change is the same, in the same files.
    Holds,
    /// It does not count: the change is another one, or the reviewer saw only a part of it.
    RequiredAgain,
}

/// A review counts only if the patch and the files are the same and it covered all of them.
pub fn old_review(plan: &Plan, scratch: &Repository, upstream: &str, new: &str, tip: &str) -> Result<OldReview> {
    let git = &plan.repository;
    let mut approved = receipts::done(plan, tip);
    approved.retain(|receipt| receipt.review.as_ref().is_some_and(|review| review.state == ReviewState::Approved));
    if approved.is_empty() {
        return Ok(OldReview::None);
    }
    let mut is_of_all = false;
    for receipt in &approved {
        is_of_all = is_of_all || receipts::covers_all_changes(plan, scratch, upstream, receipt)?;
    }
    if !is_of_all {
        return Ok(OldReview::RequiredAgain);
    }
    let Some(common) = git.line(&["merge-base", upstream, &plan.tip])? else { return Ok(OldReview::RequiredAgain) };
    let same = patch(git, &common, &plan.tip)? == patch(git, upstream, new)?;
    Ok(if same { OldReview::Holds } else { OldReview::RequiredAgain })
}

/// The identity of a change: git's patch id and the changed files.
fn patch(git: &Repository, from: &str, to: &str) -> Result<(Vec<u8>, Vec<u8>)> {
    let plain = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let diff: Vec<&str> = plain.into_iter().chain(["-p", "--binary", "--unified=3", from, to]).collect();
    let names: Vec<&str> = plain.into_iter().chain(["--name-only", "-z", from, to]).collect();
    let id = git.feed(&["patch-id", "--stable"], git.run(&diff)?)?;
    Ok((id.split(|byte| *byte == b' ').next().unwrap_or_default().to_vec(), git.run(&names)?))
}
