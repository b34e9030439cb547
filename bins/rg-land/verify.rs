//! Verifies exactly the files of the commit that lands: by an earlier receipt with the outcome `done`, else by running the judges now.

use crate::checkout;
use crate::environment::Environment;
use crate::integrate::{self, Integrated};
use crate::judges::Judges;
use crate::plan::Plan;
use crate::receipts;
use crate::review;
use review_gate::donefile::{self, Donefile, Land, ProofTime};
use review_gate::event::{Judgement, Level, Stage, Verdict};
use review_gate::git::Repository;
use review_gate::rescue::declared_copies;
use review_gate::snapshot::workspace;
use review_gate::store::receipt::Receipt;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::cli;

/// The proof for the commit that lands.
pub struct Verified {
    /// The snapshot of its files.
    pub snapshot: String,
    /// The id of the receipt with the outcome `done`.
    pub receipt: String,
    /// The receipt existed before this landing.
    is_earlier: bool,
}

impl Verified {
    /// How the commit was verified, for the user.
    pub fn words(&self) -> String {
        let how = if self.is_earlier { "judged earlier" } else { "judged now" };
        format!("{how}: `rg-receipt show {}`", self.receipt)
    }
}

/// Verifies the commit that is checked out in the scratch worktree. Returns the base's `land` section and the proof; an error if a judge
/// does not pass.
pub fn verified(plan: &Plan, upstream: &str, integrated: &Integrated) -> Result<(Land, Verified)> {
    let Integrated { new, files, tip } = integrated;
    let snapshot = files.digest();
    let scratch = integrate::scratch(plan)?;
    let (done, sha256) = definition(plan, &scratch, upstream)?;
    let land = done.land.clone();
    let missing = land.require.iter().find(|name| !done.checks.iter().any(|check| check.name == **name));
    if let Some(name) = missing {
        return Err(Error::usage(format!("land.require: no such check in the base's DONE.md: {name:?}")));
    }
    let written = done.checks.iter().flat_map(|check| check.writes.clone()).collect();
    let environment = Environment::of(&land);
    let is_proof_due = done.proof.when != ProofTime::Never;
    let issues = done.issues.clone();
    let judges = Judges { plan, scratch: &scratch, upstream, environment, written, is_proof_due, issues };
    let mut done = receipts::done(plan, &snapshot);
    done.retain(|receipt| receipts::covers(receipt, &sha256, &land.require));
    done.retain(|receipt| !is_proof_due || receipts::is_proved(receipt));
    if let Some(receipt) = covering(&judges, &snapshot, &done)? {
        let receipt = receipt.id.clone();
        return Ok((land, Verified { snapshot, receipt, is_earlier: true }));
    }
    // Ignored files that the checks need are copied from the main worktree.
    if let Some(main) = plan.trees.first().filter(|main| !main.is_bare) {
        declared_copies::copy(&main.path, &scratch.top, &land.copy)?;
    }
    if let Some(words) = checkout::conversions(&scratch)? {
        cli::print_error(&crate::TOOL, &words);
    }
    let review = review::old_review(plan, &scratch, upstream, new, tip)?;
    let receipt = judges.judge(review, files)?;
    checkout::require_index(&scratch, new)?;
    Ok((land, Verified { snapshot, receipt, is_earlier: false }))
}

/// The receipt that covers everything that lands. If all receipts were judged against work that is not on the base, their checks
/// still count, but the guards and the review are run again against the base.
fn covering<'a>(judges: &Judges<'_>, snapshot: &str, done: &'a [Receipt]) -> Result<Option<&'a Receipt>> {
    for receipt in done {
        if receipts::covers_all_changes(judges.plan, judges.scratch, judges.upstream, receipt)? {
            return Ok(Some(receipt));
        }
    }
    let Some(newest) = done.first() else { return Ok(None) };
    let stages: [&[&str]; 3] =
        [&["rg-event", "stop", "--against", judges.upstream], &["rg-tamper"], &["rg-review-state"]];
    let event = judges.run_stages(&stages, false)?.0;
    let says = |judged: &Judgement| matches!(judged.verdict, Verdict::Pass | Verdict::NotRequired);
    let has_spoken = |by: &&Stage| event.verdict_of(by).is_some();
    let is_green = event.verdicts().iter().all(says)
        && event.required().iter().filter(|by| ***by != Stage::Check).all(has_spoken)
        && !event
            .findings()
            .iter()
            .any(|finding| matches!(finding.level, Level::Tampered | Level::Error | Level::Inconclusive));
    Ok(Some(newest).filter(|_| is_green && event.snapshot() == Some(snapshot)))
}

/// The base's definition of done and its digest; an error without one.
fn definition(plan: &Plan, scratch: &Repository, upstream: &str) -> Result<(Donefile, String)> {
    match workspace::donefile_of(&scratch.top, upstream)? {
        Some((name, bytes)) => Ok((donefile::parse(&name, &bytes, &scratch.top)?, sha256(&bytes))),
        None => Err(Error::refused(format!(
            "no DONE.md on {}: the commit cannot be verified. Write one with `rg-init` and commit it",
            plan.base
        ))),
    }
}
