//! Receipts with the outcome `done` whose digest is sealed in a task's journal.

use crate::plan::Plan;
use review_gate::event::{BaseKind, BudgetOwner, Client, Kind, Origin, Outcome, Stage};
use review_gate::git::{Repository, TreeFile};
use review_gate::snapshot::{File, What};
use review_gate::store::journal::Journal;
use review_gate::store::receipt::{Receipt, ReceiptFile};
use review_gate::store::record::{Baseline, SealedReceipt};
use review_gate::store::task::Task;
use review_gate::sys::digest::{raw, sha256};
use review_gate::sys::error::Result;
use review_gate::tool::origin;
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// The receipts about these files, the newest first.
pub fn done(plan: &Plan, snapshot: &str) -> Vec<Receipt> {
    let sealed = sealed(plan);
    let files =
        ReceiptFile::all(&plan.state).into_iter().rev().filter_map(|filed| Some((filed.bytes().ok()?, filed.path)));
    // Search the bytes before hashing and parsing them: few receipts are about these files.
    let about = files.filter(|(bytes, _)| memchr::memmem::find(bytes, snapshot.as_bytes()).is_some());
    let known = about.filter(|(bytes, _)| sealed.contains(&sha256(bytes)));
    let receipts = known.filter_map(|(bytes, path)| Receipt::parse(&bytes, &path).ok());
    let is_done = |receipt: &Receipt| receipt.outcome == Outcome::Done && receipt.snapshot.as_deref() == Some(snapshot);
    receipts.filter(is_done).collect()
}

/// Whether a receipt is about a session's own stop, with this definition of done in full, and every required check passed. The
/// session's client must have called the hook, and no variable may have changed what the checks did: otherwise they run again.
pub fn covers(receipt: &Receipt, donefile: &str, require: &[String]) -> bool {
    let is_green = |name: &String| receipt.checks.iter().any(|check| check.name == *name && check.is_green());
    receipt.donefile.as_ref().is_some_and(|done| done.sha256 == donefile)
        && receipt.kind == Kind::Stop
        && receipt.budget_owner == BudgetOwner::Main
        && !receipt.partial
        && is_from_client(receipt)
        && receipt.environment.as_ref().is_some_and(|environment| environment.overrides.is_empty())
        && require.iter().all(is_green)
}

/// Whether rg-prove judged the change.
pub fn is_proved(receipt: &Receipt) -> bool {
    receipt.verdicts.iter().any(|judged| judged.by == Stage::Prove)
}

/// Whether the user's client reported the stop. A manual event does not count, nor does a client that an agent started.
fn is_from_client(receipt: &Receipt) -> bool {
    let starts = origin::starts(&receipt.to_event()).unwrap_or_default();
    receipt.client != Client::Text
        && receipt.origin == Origin::Client
        && !starts.is_empty()
        && starts.iter().all(|start| !start.nested)
}

/// Whether everything that lands was judged for this receipt: the commit that the files were compared with is on the base. A session
/// that began on other commits did not judge those.
pub fn covers_all_changes(plan: &Plan, scratch: &Repository, upstream: &str, receipt: &Receipt) -> Result<bool> {
    let Some(base) = &receipt.base else { return Ok(false) };
    let Some(commit) = base.commit.as_deref() else { return Ok(false) };
    if !plan.repository.is_descendant(upstream, commit)? {
        return Ok(false);
    }
    if base.kind != BaseKind::Task {
        return Ok(true);
    }
    // The session did not judge uncommitted changes from before its begin, either.
    let task = receipt.task.as_ref().and_then(|id| Task::load(&plan.state, id).ok().flatten());
    let Some(task) = task else { return Ok(false) };
    let baselines: Vec<&Baseline> =
        task.journal.of::<Baseline>().filter(|baseline| baseline.budget_owner == BudgetOwner::Main).collect();
    let tree = scratch.tree(commit)?;
    // Without a baseline record the receipt covers nothing.
    let is_clean = |baseline: &&Baseline| {
        baseline.head.as_deref() == Some(commit)
            && baseline.files(&plan.state).is_ok_and(|files| is_same(scratch, &tree, &files))
    };
    Ok(!baselines.is_empty() && baselines.iter().all(is_clean))
}

/// Whether these are exactly the files of a commit; false if that cannot be told.
fn is_same(scratch: &Repository, tree: &[TreeFile], files: &[File]) -> bool {
    let same = |(then, now): (&TreeFile, &File)| {
        then.path == now.path
            && match (then.mode, now.entry.what) {
                (0o100644, What::File) | (0o100755, What::Executable) => then.id == now.id,
                (0o120000, What::Link) => fs::read_link(scratch.top.join(&now.path)).is_ok_and(|target| {
                    let target = target.as_os_str().as_bytes();
                    then.id.names("blob", target) && raw(target) == now.entry.sha256
                }),
                _ => false,
            }
    };
    tree.len() == files.len() && tree.iter().zip(files).all(same)
}

/// The digests of the receipts that are sealed in task journals with an intact chain.
fn sealed(plan: &Plan) -> HashSet<String> {
    let journals = plan.state.task_ids().into_iter().filter_map(|id| Journal::open(&plan.state.task(&id)).ok());
    let intact = journals.filter(|journal| journal.chain().broken.is_empty());
    intact
        .flat_map(|journal| journal.of::<SealedReceipt>().map(|sealed| sealed.sha256.clone()).collect::<Vec<_>>())
        .collect()
}
