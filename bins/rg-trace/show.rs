//! `rg-trace show`: a session as lines of text or as a page.

use crate::denials::{self, tasks_of};
use crate::lines::lines;
use crate::page;
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Shows the session with this id or unique beginning of an id, by default the one written last.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut session, mut as_page, mut as_json) = (None, false, false);
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            Flag::Long(name) if name == "html" => as_page = true,
            Flag::Long(name) if name == "json" => as_json = true,
            flag => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let path = match &session {
        Some(session) => find(&state, session)?.ok_or_else(|| none(session))?,
        None => last(&state)?,
    };
    let trace = Journal::open(&path)?;
    let events: Vec<&TracedEvent> = trace.of::<TracedEvent>().collect();
    if as_json {
        let lines: String = events.iter().map(|traced| format!("{}\n", without_nulls(json!(traced)))).collect();
        pipes::write(lines.as_bytes())?;
        return Ok(Exit::Yes);
    }
    let denials = denials::of_tasks(&state, &path, &tasks_of(events.iter().copied()));
    let text = if as_page { page::of(&state, &path, &events, &denials) } else { lines(&events, &denials) };
    pipes::write(text.as_bytes())?;
    Ok(Exit::Yes)
}

/// A value without the fields that are null, as in the record.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, field)| !field.is_null())
            .map(|(name, field)| (name, without_nulls(field)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

fn last(state: &State) -> Result<PathBuf> {
    let dir = state.dir().join("trace");
    let last = files_by_age(&dir).pop().map(|(_, path)| path);
    last.ok_or_else(|| Error::usage(format!("no trace yet in {}", dir.display())))
}

fn none(session: &str) -> Error {
    Error::usage(format!("no trace of session {}", ids::file_name(session)))
}

/// The trace of the session with this id or unique beginning of an id. Errors: several ids begin so.
pub fn find(state: &State, session: &str) -> Result<Option<PathBuf>> {
    let exact = state.trace(session);
    if exact.exists() {
        return Ok(Some(exact.to_path_buf()));
    }
    let traces = files_by_age(&state.dir().join("trace")).into_iter().map(|(_, path)| path);
    let begins = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(session));
    let mut found: Vec<PathBuf> = traces.filter(begins).collect();
    match found.len() {
        0 | 1 => Ok(found.pop()),
        n => Err(Error::usage(format!("ambiguous session id: {session} is the beginning of {n}"))),
    }
}
