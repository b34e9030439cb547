//! `rg-trace forget`: removes the trace of a session. Traces have chains of their own, so the others stay verifiable.

use crate::show::find;
use review_gate::snapshot::workspace;
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Removes a trace. Only for a user at a terminal: the trace shows whether records of a task were cut off.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut session = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let session = session.ok_or_else(|| args.wrong("no session"))?;
    args.require_user("forget")?;
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let none = || Error::usage(format!("no trace of session {}", ids::file_name(&session)));
    let path = find(&state, &session)?.ok_or_else(none)?;
    std::fs::remove_file(&path).map_err(|e| Error::io("remove", &path, &e))?;
    let name = path.file_stem().map_or_else(String::new, |name| one_line(&name.to_string_lossy()));
    pipes::write(format!("forgot session {name}\n").as_bytes())?;
    Ok(Exit::Yes)
}
