//! `rg-receipt verify`: whether a receipt is what was sealed, its journal's chain holds, and it is about the current files.

use crate::show::Query;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Prints a line each for digest, chain, signature and snapshot. The status is 1 if one does not hold, 111 for a manual receipt.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut query = Query::parse(args)?;
    let filed = query.one()?;
    let receipt = filed.receipt()?;
    let task = receipt.journal().map(|id| Task::load(&query.state, id)).transpose()?.flatten();
    let lines = [
        digest_line(&filed, &receipt, task.as_ref())?,
        chain_line(&receipt, task.as_ref()),
        (None, "signature  none: this release does not sign".to_string()),
        snapshot_line(&query.state, &receipt),
    ];
    let mark = |holds: &Option<bool>| match holds {
        Some(true) => "ok ",
        Some(false) => "NO ",
        None => "-- ",
    };
    let out: String = lines.iter().map(|(holds, line)| format!("{} {line}\n", mark(holds))).collect();
    pipes::write(format!("receipt {}\n{out}", filed.id).as_bytes())?;
    Ok(match lines[0].0 {
        _ if lines.iter().any(|(holds, _)| *holds == Some(false)) => Exit::No,
        None => Exit::Unjudged,
        Some(_) => Exit::Yes,
    })
}

/// Whether the file has the digest that the journal holds.
fn digest_line(filed: &ReceiptFile, receipt: &Receipt, task: Option<&Task>) -> Result<(Option<bool>, String)> {
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

fn chain_line(receipt: &Receipt, task: Option<&Task>) -> (Option<bool>, String) {
    if receipt.journal().is_none() {
        return (None, "chain      manual receipt: no journal".into());
    }
    let journal = task.map(|task| task.journal.clone()).unwrap_or_default();
    let (chain, lines) = (journal.chain(), journal.lines().len());
    let torn = if chain.skipped > 0 { format!(", {} torn or damaged", chain.skipped) } else { String::new() };
    match chain.broken.first() {
        None => (Some(true), format!("chain      {lines} lines{torn}")),
        Some(line) => (Some(false), format!("chain      broken at line {line} of {lines}{torn}")),
    }
}

/// Whether the current files are those that were judged.
fn snapshot_line(state: &State, receipt: &Receipt) -> (Option<bool>, String) {
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
    workspace.fresh = true;
    Ok(workspace.look(&event)?.digest())
}
