//! `rg-receipt verify`: whether a receipt is what was sealed, its journal's chain holds, and it is about the current files.

use crate::show::Query;
use review_gate::event::{Client, Event, Kind, Outcome, Source};
use review_gate::git::Repository;
use review_gate::snapshot::commit;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::pipes;

/// Prints a line each for digest, chain, signature and snapshot. The status is 1 if one does not hold, 111 for a manual receipt.
pub fn run(mut query: Query) -> Result<Exit> {
    if let Some(name) = &query.commit {
        return of_commit(&query, name);
    }
    let filed = query.one()?;
    let receipt = filed.receipt()?;
    let task = receipt.journal().map(|id| Task::load(&query.state, id)).transpose()?.flatten();
    let lines = [
        digest_line(&filed, &receipt, task.as_ref())?,
        chain_line(&receipt, task.as_ref()),
        snapshot_line(&query.state, &receipt),
    ];
    report(Some(&filed.id), &lines)?;
    Ok(exit(&lines, lines[0].0))
}

/// One line of the report: whether it holds, None if there is nothing to compare with.
pub type Line = (Option<bool>, String);

/// Prints the id of a receipt and the lines about it.
pub fn report(id: Option<&str>, lines: &[Line]) -> Result<()> {
    let mark = |holds: &Option<bool>| match holds {
        Some(true) => "ok ",
        Some(false) => "NO ",
        None => "-- ",
    };
    let head = id.map_or_else(String::new, |id| format!("receipt {}\n", cut_end(&one_line(id), 40)));
    let out: String = lines.iter().map(|(holds, line)| format!("{} {line}\n", mark(holds))).collect();
    pipes::write((head + &out).as_bytes())
}

/// The status: 1 if a line does not hold, 111 if there was nothing to compare the decisive one with.
pub fn exit(lines: &[Line], decisive: Option<bool>) -> Exit {
    match decisive {
        _ if lines.iter().any(|(holds, _)| *holds == Some(false)) => Exit::No,
        None => Exit::Unjudged,
        Some(_) => Exit::Yes,
    }
}

/// Verifies the receipt that covers a commit. The status is 1 if there is none, or if its outcome is not `done`.
fn of_commit(query: &Query, name: &str) -> Result<Exit> {
    let repository = Repository::discover(&query.dir)?;
    let commit = repository.resolve(name)?;
    let short = commit.get(..12).unwrap_or(&commit).to_string();
    let snapshot = commit::of_commit(&repository, &commit)?.digest();
    let Some(Covering { filed, receipt, task }) = Covering::find(query, &snapshot)? else {
        report(None, &[(Some(false), format!("commit     {short}: no receipt covers its files"))])?;
        return Ok(Exit::No);
    };
    let why = cut_end(&one_line(&receipt.why), 100);
    let lines = [
        (Some(true), format!("commit     {short}: its clean checkout has the judged files")),
        (Some(receipt.outcome == Outcome::Done), format!("outcome    {}: {why}", receipt.outcome.word())),
        digest_line(&filed, &receipt, task.as_ref())?,
        chain_line(&receipt, task.as_ref()),
    ];
    report(Some(&filed.id), &lines)?;
    Ok(exit(&lines, lines[2].0))
}

/// The receipt that covers a snapshot.
pub struct Covering {
    /// Its file.
    pub filed: ReceiptFile,
    /// The receipt.
    pub receipt: Receipt,
    /// The task whose journal records it.
    pub task: Option<Task>,
}

impl Covering {
    /// The newest sealed receipt about exactly these files, else the newest other one.
    pub fn find(query: &Query, snapshot: &str) -> Result<Option<Covering>> {
        let mut other: Option<Covering> = None;
        for filed in query.receipts()?.into_iter().rev() {
            // A damaged receipt covers nothing.
            let Ok(receipt) = filed.receipt() else { continue };
            if receipt.snapshot.as_deref() != Some(snapshot) || receipt.kind != Kind::Stop || receipt.partial {
                continue;
            }
            let task = receipt.journal().map(|id| Task::load(&query.state, id)).transpose()?.flatten();
            let is_sealed = digest_line(&filed, &receipt, task.as_ref())?.0 == Some(true);
            let covering = Covering { filed, receipt, task };
            if is_sealed {
                return Ok(Some(covering));
            }
            other = other.or(Some(covering));
        }
        Ok(other)
    }

    /// The first reason why it is no evidence: it was not sealed, or its journal's chain is broken.
    pub fn flaw(&self) -> Result<Option<String>> {
        let lines = [
            digest_line(&self.filed, &self.receipt, self.task.as_ref())?,
            chain_line(&self.receipt, self.task.as_ref()),
        ];
        Ok(lines.into_iter().find(|(holds, _)| *holds != Some(true)).map(|(_, line)| one_line(&line)))
    }
}

/// Whether the file has the digest that the journal holds.
fn digest_line(filed: &ReceiptFile, receipt: &Receipt, task: Option<&Task>) -> Result<Line> {
    let Some(id) = receipt.journal() else {
        return Ok((None, "digest     manual receipt: not sealed".into()));
    };
    Ok(match filed.integrity_in(task, id)? {
        Integrity::Sealed { sha256 } => (Some(true), format!("digest     {sha256}")),
        Integrity::Edited(_) => (Some(false), "digest     differs from what was sealed".into()),
        Integrity::Unrecorded { task } => (Some(false), format!("digest     not sealed in task {task}")),
        Integrity::Manual => (None, "digest     manual receipt: not sealed".into()),
    })
}

fn chain_line(receipt: &Receipt, task: Option<&Task>) -> Line {
    if receipt.journal().is_none() {
        return (None, "chain      manual receipt: no journal".into());
    }
    let journal = task.map(|task| task.journal.clone()).unwrap_or_default();
    let (chain, lines) = (journal.chain(), journal.lines().len());
    let torn = if chain.skipped > 0 { format!(", {} torn or damaged", chain.skipped) } else { String::new() };
    // Every record of a task is written under the lock.
    match (chain.broken.first(), chain.unlocked.first()) {
        (None, None) => (Some(true), format!("chain      {lines} lines{torn}")),
        (Some(line), _) => (Some(false), format!("chain      broken at line {line} of {lines}{torn}")),
        (None, Some(line)) => (Some(false), format!("chain      line {line} of {lines} is outside of the chain{torn}")),
    }
}

/// Whether the current files are those that were judged.
fn snapshot_line(state: &State, receipt: &Receipt) -> Line {
    let Some(judged) = &receipt.snapshot else {
        return (None, "snapshot   none: no files were judged".into());
    };
    let short = judged.get(..12).unwrap_or(judged);
    match current_snapshot(state, receipt) {
        Ok(now) if now == *judged => (Some(true), format!("snapshot   {short}: the files are unchanged")),
        Ok(now) => {
            (Some(false), format!("snapshot   {short}: the files changed, now {}", now.get(..12).unwrap_or(&now)))
        }
        Err(error) => (Some(false), format!("snapshot   {short}: {error}")),
    }
}

fn current_snapshot(state: &State, receipt: &Receipt) -> Result<String> {
    let mut source = Source::new(Client::Text, Kind::Stop, receipt.root.clone());
    source.task = receipt.task.clone();
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let mut workspace = Workspace::of(&event)?;
    (workspace.fresh, workspace.handover) = (true, None);
    Ok(workspace.look(&event)?.digest())
}
