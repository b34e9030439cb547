//! `rg-trace show`: a session as lines of text.

use crate::denials;
use review_gate::event::{BudgetOwner, Kind};
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::path::PathBuf;

/// Shows the session with this id or unique beginning of an id, by default the one written last.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut session = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let path = find(&state, session.as_deref())?;
    let trace = Journal::open(&path)?;
    let mut denials = denials::of_trace(&state, &path, &trace).into_iter().peekable();
    let mut out = String::new();
    // Events stay in order of arrival; a denied call stands before the first event that is not older.
    for traced in trace.of::<TracedEvent>() {
        while let Some((_, denied)) = denials.next_if(|(at, _)| *at <= traced.at) {
            out += &(denied + "\n");
        }
        out += &(line(traced) + "\n");
    }
    out.extend(denials.map(|(_, denied)| denied + "\n"));
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn find(state: &State, session: Option<&str>) -> Result<PathBuf> {
    let dir = state.dir().join("trace");
    let mut traces = files_by_age(&dir);
    let Some(session) = session else {
        let last = traces.pop().map(|(_, path)| path);
        return last.ok_or_else(|| Error::usage(format!("no trace yet in {}", dir.display())));
    };
    let exact = state.trace(session);
    if exact.exists() {
        return Ok(exact.to_path_buf());
    }
    let begins = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(session));
    let mut found: Vec<PathBuf> = traces.into_iter().map(|(_, path)| path).filter(begins).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::usage(format!("no trace of session {}", ids::file_name(session)))),
        n => Err(Error::usage(format!("ambiguous session id: {session} is the beginning of {n}"))),
    }
}

/// `12:00:01 prompt        user: fix the test`
fn line(traced: &TracedEvent) -> String {
    let at = traced.at.to_string();
    let at = at.get(11..19).unwrap_or("--------");
    let owner = match &traced.budget_owner {
        BudgetOwner::Main => String::new(),
        owner => format!("[{}] ", cut_end(&owner.to_string(), 20)),
    };
    format!("{at} {:<13} {owner}{}", cut_end(traced.event.name(), 13), summary(traced)).trim_end().to_string()
}

fn summary(traced: &TracedEvent) -> String {
    let short = |text: Option<&String>| cut_end(&one_line(text.map_or("", String::as_str)), 160);
    match (&traced.event, &traced.tool) {
        (Kind::Prompt, _) => format!("{}: {}", traced.by, short(traced.prompt.as_ref())),
        (Kind::ToolFailed, Some(tool)) => {
            format!("{} {} -> {}", tool.name, short(tool.input.as_ref()), short(tool.error.as_ref()))
        }
        (_, Some(tool)) => format!("{} {}", tool.name, short(tool.input.as_ref())),
        (Kind::Stop | Kind::SubagentStop, None) => decision(traced),
        _ => short(traced.source.as_ref()),
    }
}

/// The outcome, the round, the first findings, and the receipt.
fn decision(traced: &TracedEvent) -> String {
    let outcome = traced.outcome.map_or("nothing required", |outcome| outcome.word());
    let round = traced.bounce.as_ref().map_or(String::new(), |bounce| format!(" (bounce {bounce})"));
    let found: Vec<String> = traced.findings.iter().take(3).map(|finding| one_line(&finding.text)).collect();
    let found = if found.is_empty() { String::new() } else { format!(": {}", cut_end(&found.join("; "), 160)) };
    format!("{outcome}{round}{found} {}", traced.receipt.as_deref().unwrap_or(""))
}
