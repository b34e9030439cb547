//! `show`: a session as lines a person reads.

use review_gate::cli::{Args, Flag};
use review_gate::error::{Error, Result};
use review_gate::exit::Exit;
use review_gate::journal::{self, Record};
use review_gate::state::{State, by_age};
use review_gate::text::{cut_end, one_line};
use review_gate::{basis, ids, wire};
use serde_json::Value;
use std::path::PathBuf;

/// Shows the session that is named (by its id or a unique beginning), else the one written to last.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut session = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&basis::root_of(&args.dir()?)?.0)?;
    let path = find(&state, session.as_deref())?;
    let out: String = journal::read(&path)?.iter().map(|record| line(record) + "\n").collect();
    wire::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn find(state: &State, session: Option<&str>) -> Result<PathBuf> {
    let dir = state.dir().join("trace");
    let mut traces = by_age(&dir);
    let Some(session) = session else {
        let last = traces.pop().map(|(_, path)| path);
        return last.ok_or_else(|| Error::usage(format!("no trace yet in {}", dir.display())));
    };
    let exact = state.trace(session);
    if exact.exists() {
        return Ok(exact);
    }
    let begins = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(session));
    let mut found: Vec<PathBuf> = traces.into_iter().map(|(_, path)| path).filter(begins).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::usage(format!("no trace of session {}", ids::file_name(session)))),
        n => Err(Error::usage(format!("{session} is the beginning of {n} sessions"))),
    }
}

/// `12:00:01 person prompt  fix the test`
fn line(record: &Record) -> String {
    let at = record.text("at").get(11..19).unwrap_or("--------");
    let seat = match record.text("seat") {
        "main" => String::new(),
        seat => format!("[{}] ", cut_end(seat, 20)),
    };
    format!("{at} {:<13} {seat}{}", cut_end(record.text("event"), 13), what(record)).trim_end().to_string()
}

fn what(record: &Record) -> String {
    let short = |text: &str| cut_end(&one_line(text), 160);
    let tool = record.fields.get("tool");
    let of_tool = |name: &str| tool.and_then(|tool| tool[name].as_str()).unwrap_or("");
    match record.text("event") {
        "prompt" => format!("{}: {}", record.text("by"), short(record.text("prompt"))),
        "tool-failed" => format!("{} {} -> {}", of_tool("name"), short(of_tool("input")), short(of_tool("error"))),
        _ if tool.is_some() => format!("{} {}", of_tool("name"), short(of_tool("input"))),
        "stop" | "subagent-stop" => decided(record),
        _ => short(record.text("source")),
    }
}

/// The word, the round, what was found, and the receipt.
fn decided(record: &Record) -> String {
    let word = match record.text("outcome") {
        "" => "nothing owed",
        word => word,
    };
    let round = match record.text("bounce") {
        "" => String::new(),
        bounce => format!(" (round {bounce})"),
    };
    let findings = record.fields.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let found: Vec<String> =
        findings.iter().take(3).filter_map(|finding| Some(one_line(finding["text"].as_str()?))).collect();
    let found = if found.is_empty() { String::new() } else { format!(": {}", cut_end(&found.join("; "), 160)) };
    format!("{word}{round}{found} {}", record.text("receipt"))
}
