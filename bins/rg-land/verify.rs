//! Whether exactly these files are verified: by a receipt that says `done` of them, else by the checks, run on them here and now.

use crate::integrate::{self, Integrated};
use crate::plan::Plan;
use crate::receipts;
use review_gate::donefile::{self, Donefile, Land};
use review_gate::event::{Event, Judgement, Level, Outcome, ReviewState, Stage, Verdict};
use review_gate::git::Repository;
use review_gate::rescue::declared_copies;
use review_gate::snapshot::definition;
use review_gate::store::receipt::Receipt;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::limits;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, one_line};
use std::time::Duration;

/// How long one judge may take: each check has a limit of its own.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// What covers the commit that lands.
pub struct Verified {
    /// The files.
    pub snapshot: String,
    /// The receipt that says `done` of them.
    pub receipt: String,
    /// It was there before.
    known: bool,
}

impl Verified {
    /// How it is known, for people.
    pub fn words(&self) -> String {
        let how = if self.known { "as it was judged" } else { "judged anew" };
        format!("{how}: rg-receipt show {}", self.receipt)
    }
}

/// What covers the commit that is checked out in the scratch worktree, and what the base's DONE.md says of landing. Red: an error.
pub fn verified(plan: &Plan, upstream: &str, integrated: &Integrated) -> Result<(Land, Verified)> {
    let Integrated { new, files, tip } = integrated;
    let snapshot = files.clone();
    let scratch = integrate::scratch(plan)?;
    let (done, sha256) = definition(plan, &scratch, upstream)?;
    let land = done.land.clone();
    let missing = land.require.iter().find(|name| !done.checks.iter().any(|check| check.name == **name));
    if let Some(name) = missing {
        return Err(Error::usage(format!("land.require: {name:?} is no check of the base's DONE.md")));
    }
    let mut done = receipts::done(plan, &snapshot);
    done.retain(|receipt| receipts::covers(receipt, &sha256, &land.require));
    if let Some(receipt) = whole(plan, &scratch, upstream, &snapshot, &done)? {
        let receipt = receipt.id.clone();
        return Ok((land, Verified { snapshot, receipt, known: true }));
    }
    // What the checks need and git does not hold lies in the main worktree.
    if let Some(main) = plan.trees.first().filter(|main| !main.bare) {
        declared_copies::copy(&main.path, &scratch.top, &land.copy)?;
    }
    let review = review_of(plan, &scratch, upstream, new, tip)?;
    let receipt = judged_anew(plan, &scratch, upstream, review, &snapshot)?;
    // What was judged is what lies there, and that is what lands.
    if integrate::look(plan, &scratch, new)? != snapshot {
        return Err(changed(&scratch)?);
    }
    Ok((land, Verified { snapshot, receipt, known: false }))
}

/// The receipt that covers all that lands. Where each was held against work that is not on the base, its checks are as good as any;
/// what the guards and a reviewer compare is what lands with the base.
fn whole<'a>(
    plan: &Plan,
    scratch: &Repository,
    upstream: &str,
    snapshot: &str,
    done: &'a [Receipt],
) -> Result<Option<&'a Receipt>> {
    for receipt in done {
        if receipts::is_of_all(plan, scratch, upstream, receipt)? {
            return Ok(Some(receipt));
        }
    }
    let Some(newest) = done.first() else { return Ok(None) };
    let stages: [&[&str]; 3] = [&["rg-event", "stop", "--against", upstream], &["rg-tamper"], &["rg-review-state"]];
    let event = passed_through(&stages, scratch, false)?.0;
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

/// The base's definition of done, and its digest. Without one nothing can be verified.
fn definition(plan: &Plan, scratch: &Repository, upstream: &str) -> Result<(Donefile, String)> {
    match definition::donefile_of(&scratch.top, upstream)? {
        Some((name, bytes)) => Ok((donefile::parse(&name, &bytes, &scratch.top)?, sha256(&bytes))),
        None => Err(Error::refused(format!("no DONE.md on {}: nothing says when it is verified", plan.base))),
    }
}

/// What was judged is not what lies there. A commit is covered by what is said of its own files: what a check writes beside them,
/// declared or not, is no part of it.
fn changed(scratch: &Repository) -> Result<Error> {
    let status = scratch.status()?;
    let first = [status.untracked, status.unstaged, status.staged].into_iter().flatten().next();
    let words = first.map_or_else(String::new, |path| {
        let name = cut_end(&one_line(&path.to_string_lossy()), 80);
        format!(" ({name}: what a check writes must be ignored, or committed as it writes it)")
    });
    Ok(Error::changed(format!("its files changed while it was judged{words}: not landed")))
}

/// Runs the judges over the scratch worktree, against the base; the receipt that they end with.
fn judged_anew(plan: &Plan, scratch: &Repository, upstream: &str, review: OldReview, snapshot: &str) -> Result<String> {
    let mut stages: Vec<Vec<&str>> =
        vec![vec!["rg-event", "stop", "--against", upstream], vec!["rg-tamper"], vec!["rg-check"]];
    if review != OldReview::Holds {
        stages.extend([vec!["rg-review-state"], vec!["rg-review"]]);
    }
    stages.push(vec!["rg-receipt"]);
    let stages: Vec<&[&str]> = stages.iter().map(Vec::as_slice).collect();
    let (event, line) = passed_through(&stages, scratch, review == OldReview::OwedAgain)?;
    let is_same = event.snapshot() == Some(snapshot);
    match (event.receipt(), event.outcome()) {
        (Some(receipt), Some(Outcome::Done)) if is_same => Ok(receipt.to_string()),
        (_, Some(Outcome::Done)) => Err(changed(scratch)?),
        (_, word) => {
            let (status, words) = stage_of(&["rg-answer"], scratch, line, false)?;
            review_gate::tool::cli::complain(&crate::TOOL, String::from_utf8_lossy(&words).trim_end());
            let word = word.map_or("unverified", Outcome::word);
            let text = format!("{} on {} is {word}: not landed", plan.short(), plan.base);
            Err(match status {
                Some(1) => Error::refused(text),
                Some(3) => Error::tampered(text),
                _ => Error::unverified(text),
            })
        }
    }
}

/// An event that went through these programs, over the scratch worktree; and its line.
fn passed_through(stages: &[&[&str]], scratch: &Repository, asks: bool) -> Result<(Event, Vec<u8>)> {
    let mut line = Vec::new();
    for stage in stages {
        line = stage_of(stage, scratch, line, asks)?.1;
    }
    Ok((Event::parse(line.trim_ascii_end())?, line))
}

/// How a review that was given before the rebase stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OldReview {
    /// None was given.
    None,
    /// The change is the same, in the same files.
    Holds,
    /// The change is another one, or only a part of it was seen.
    OwedAgain,
}

/// A review survives only where patch and files are the same, and it was of all of them.
fn review_of(plan: &Plan, scratch: &Repository, upstream: &str, new: &str, tip: &str) -> Result<OldReview> {
    let git = &plan.repository;
    let mut approved = receipts::done(plan, tip);
    approved.retain(|receipt| receipt.review.as_ref().is_some_and(|review| review.state == ReviewState::Approved));
    if approved.is_empty() {
        return Ok(OldReview::None);
    }
    let mut is_of_all = false;
    for receipt in &approved {
        is_of_all = is_of_all || receipts::is_of_all(plan, scratch, upstream, receipt)?;
    }
    if !is_of_all {
        return Ok(OldReview::OwedAgain);
    }
    let Some(common) = git.line(&["merge-base", upstream, &plan.tip])? else { return Ok(OldReview::OwedAgain) };
    let same = patch(git, &common, &plan.tip)? == patch(git, upstream, new)?;
    Ok(if same { OldReview::Holds } else { OldReview::OwedAgain })
}

/// What a change is: the lines that it takes and gives, and the files.
fn patch(git: &Repository, from: &str, to: &str) -> Result<(Vec<u8>, Vec<u8>)> {
    let plain = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let diff: Vec<&str> = plain.into_iter().chain(["-p", "--binary", "--unified=3", from, to]).collect();
    let names: Vec<&str> = plain.into_iter().chain(["--name-only", "-z", from, to]).collect();
    let id = git.feed(&["patch-id", "--stable"], git.act(&diff)?)?;
    Ok((id.split(|byte| *byte == b' ').next().unwrap_or_default().to_vec(), git.act(&names)?))
}

/// One of our programs over the scratch worktree: its status and what it said.
fn stage_of(words: &[&str], scratch: &Repository, input: Vec<u8>, asks: bool) -> Result<(Option<i32>, Vec<u8>)> {
    let place = env::bin_dir().ok_or_else(|| Error::missing("unable to find my own directory"))?;
    let mut command = Command::new(place.join(words[0]));
    command.args(&words[1..]).current_dir(&scratch.top).envs(env::ours()).envs(env::for_models());
    if asks {
        command.env("RG_REVIEW", "1");
    }
    let said = process::answer(command, input, PATIENCE, limits::LINE)?;
    // A filter that passed nothing on is dead; what comes after it would wait for nothing.
    if said.stdout.is_empty() && words[0] != "rg-answer" {
        let why = String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("").to_string();
        return Err(Error::child(format!("{} passed nothing on: {why}", words[0])));
    }
    Ok((said.code(), said.stdout))
}
