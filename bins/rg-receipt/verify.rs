//! `verify`: is this receipt what was sealed, does its chain hold, and is it about the files that lie here?

use crate::show::{Query, Receipt};
use review_gate::cli::Args;
use review_gate::digest;
use review_gate::error::Result;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::exit::Exit;
use review_gate::journal;
use review_gate::state::State;
use review_gate::{basis::Basis, wire};
use serde_json::Value;
use std::path::Path;

/// One line each for digest, chain, signature and snapshot; status 0 if all hold, 1 if one does not, 111 where nothing holds
/// the receipt.
pub fn run(args: &mut Args) -> Result<Exit> {
    let query = Query::parse(args)?;
    let receipt = query.one()?;
    let value = receipt.value()?;
    let lines = [
        digest_line(&query, &receipt, &value)?,
        chain_line(&query, &value)?,
        (None, "signature  none: this release does not sign".to_string()),
        snapshot_line(&query.state, &value),
    ];
    let mark = |holds: &Option<bool>| match holds {
        Some(true) => "ok ",
        Some(false) => "NO ",
        None => "-- ",
    };
    let out: String = lines.iter().map(|(holds, line)| format!("{} {line}\n", mark(holds))).collect();
    wire::write(format!("receipt {}\n{out}", receipt.id).as_bytes())?;
    Ok(match lines[0].0 {
        _ if lines.iter().any(|(holds, _)| *holds == Some(false)) => Exit::No,
        None => Exit::Unjudged,
        Some(_) => Exit::Yes,
    })
}

/// The digest that the journal holds of it.
fn digest_line(query: &Query, receipt: &Receipt, value: &Value) -> Result<(Option<bool>, String)> {
    let Some(task) = sealed_in(value) else {
        return Ok((None, "digest     made by hand: nothing holds it".into()));
    };
    let records = journal::read(&query.state.task(task))?;
    let sealed = records.iter().find(|record| record.kind == "receipt" && record.text("receipt") == receipt.id);
    Ok(match sealed {
        None => (Some(false), format!("digest     no record of it in task {task}")),
        Some(record) if record.text("sha256") == digest::sha256(&receipt.bytes()?) => {
            (Some(true), format!("digest     {}", record.text("sha256")))
        }
        Some(_) => (Some(false), "digest     it is not what was sealed".into()),
    })
}

/// The task whose journal must hold it; none for a receipt that was made by hand without a session.
fn sealed_in(value: &Value) -> Option<&str> {
    let by_hand = value["client"] == "text" && value["session"].is_null();
    value["task"].as_str().filter(|_| !by_hand)
}

fn chain_line(query: &Query, value: &Value) -> Result<(Option<bool>, String)> {
    let Some(task) = sealed_in(value) else {
        return Ok((None, "chain      made by hand: none".into()));
    };
    let chain = journal::verify(&query.state.task(task))?;
    let torn = if chain.skipped > 0 { format!(", {} torn or damaged", chain.skipped) } else { String::new() };
    Ok(match chain.broken.first() {
        None => (Some(true), format!("chain      {} lines{torn}", chain.lines)),
        Some(line) => (Some(false), format!("chain      broken at line {line} of {}{torn}", chain.lines)),
    })
}

/// Whether the files that lie here are those that were judged.
fn snapshot_line(state: &State, value: &Value) -> (Option<bool>, String) {
    let Some(judged) = value["snapshot"].as_str() else {
        return (None, "snapshot   none: no file was looked at".into());
    };
    let short = judged.get(..12).unwrap_or(judged);
    match look(state, value) {
        Ok(now) if now == judged => (Some(true), format!("snapshot   {short}: the files as they lie here")),
        Ok(now) => (Some(false), format!("snapshot   {short}; the files here are {}", now.get(..12).unwrap_or(&now))),
        Err(error) => (Some(false), format!("snapshot   {short}; {error}")),
    }
}

fn look(state: &State, value: &Value) -> Result<String> {
    let root = Path::new(value["root"].as_str().unwrap_or("."));
    let mut source = Source::new(Client::Text, Kind::Stop, root.to_path_buf());
    source.task = value["task"].as_str().map(str::to_string);
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let mut basis = Basis::of(&event)?;
    basis.fresh = true;
    Ok(basis.look(&event)?.digest())
}
