//! A worktree that was there before its run: it holds what is committed, or what the last run in it left. What is uncommitted would be
//! judged and committed as the agent's work.

use crate::past::steps;
use crate::settings::Place;
use review_gate::git::Repository;
use review_gate::snapshot::{self, Rules, Use};
use review_gate::store::journal::Journal;
use review_gate::store::receipt::Receipt;
use review_gate::store::record::RunStep;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};

/// How many files are named.
const NAMED: usize = 5;

/// An error if the worktree holds uncommitted files that no run left there.
pub fn require_known(place: &Place) -> Result<()> {
    let repository = Repository::find(&place.root).ok_or_else(|| Error::changed("no repository"))?;
    let status = repository.status()?;
    let mut files = [status.staged, status.unstaged, status.untracked].concat();
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Ok(());
    }
    let last = last_run(place)?;
    if let Some(Last { snapshot: Some(left), .. }) = &last
        && is_snapshot(place, &repository, left)?
    {
        return Ok(());
    }
    let names: Vec<String> = files.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = if files.len() > NAMED { ", …" } else { "" };
    let names = cut_end(&one_line(&names.join(", ")), 200);
    let how = match last {
        Some(Last { run, has_ended: false, .. }) => {
            format!("Continue their run with `rg-run --resume {run}`, or commit them")
        }
        _ => "Commit them there, or choose another branch".to_string(),
    };
    Err(Error::usage(format!("{} has uncommitted files: {names}{more}. {how}", place.root.display())))
}

/// Whether a worktree has those files: by the ignore rules of its commit, with which a task begins, or by those on disk.
fn is_snapshot(place: &Place, repository: &Repository, digest: &str) -> Result<bool> {
    let ignores = repository.head().map_or(Ok(Vec::new()), |head| repository.ignore_files_of(&head))?;
    for rules in [Rules::Fixed { ignores, forced: Vec::new() }, Rules::Today] {
        if snapshot::take(&place.root, &rules, &place.state, Use::Cache)?.digest() == digest {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The last run in a worktree.
struct Last {
    run: String,
    has_ended: bool,
    /// The files that it left, if they were judged.
    snapshot: Option<String>,
}

fn last_run(place: &Place) -> Result<Option<Last>> {
    let journal = Journal::open(&place.state.runs())?;
    let mut last = None;
    for (_, step) in steps(&journal) {
        match (step, &mut last) {
            (RunStep::Begin(start), _) if start.root == place.root => {
                last = Some(Last { run: start.run.clone(), has_ended: false, snapshot: None });
            }
            (RunStep::End(end), Some(last)) if end.run == last.run => {
                last.has_ended = true;
                let receipt = end.receipt.as_ref().map(|id| Receipt::load(&place.state, id)).transpose()?;
                last.snapshot = receipt.and_then(|receipt| receipt.snapshot);
            }
            _ => {}
        }
    }
    Ok(last)
}
