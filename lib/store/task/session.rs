//! The task of a client's session, found by its records alone: cheap enough for every tool call.

use crate::event::Client;
use crate::store::journal;
use crate::store::record::{Alias, Begin, Kind};
use crate::store::state::State;
use crate::sys::error::Result;
use std::path::PathBuf;

/// A session's task: its state directory and its id. None where the session has no task.
pub fn task_of(client: Client, session: &str) -> Result<Option<(State, String)>> {
    let path = State::of_user()?.session(client, session);
    if !path.exists() {
        return Ok(None);
    }
    let aliases: Vec<Alias> = journal::search(&path, Kind::Alias.word())?;
    let last = aliases.into_iter().rfind(|alias| alias.session == session);
    Ok(last.map(|alias| (State::at(alias.dir), alias.task)))
}

/// The definition of done that a session's task began with: its root, its name, its bytes.
pub fn definition_of(client: Client, session: &str) -> Result<Option<(PathBuf, String, Vec<u8>)>> {
    let Some((state, task)) = task_of(client, session)? else { return Ok(None) };
    let begins: Vec<Begin> = journal::search(&state.task(&task), Kind::Begin.word())?;
    let Some(begin) = begins.into_iter().next() else { return Ok(None) };
    match begin.donefile {
        Some(donefile) => {
            let bytes = state.read_blob(&donefile.sha256)?;
            Ok(Some((begin.root, donefile.path.to_string_lossy().into_owned(), bytes)))
        }
        None => Ok(None),
    }
}
