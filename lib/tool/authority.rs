//! What the prompts of a client's process may do. Every one arms the gate; one from a process that an agent can start does not
//! weaken it, and the user has the verbs for a terminal.

use crate::event::Event;
use crate::store::journal;
use crate::store::record::{Limit, Start};
use crate::store::state::State;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::procfs;
use crate::tool::origin::{self, Calling};
use memchr::memmem::Finder;
use std::fs;

/// The variables that a client sets for every child. A client that has them runs in an agent's shell or in a hook.
const MARKS_OF_A_CHILD: [&str; 2] = ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"];

/// Why the prompts of the event's client do not weaken the gate, and that in words; None if they do.
pub fn limit(event: &Event) -> Result<Option<(Limit, String)>> {
    let now = Calling::now(event.client);
    let starts = origin::starts(event)?;
    let own = starts.iter().rfind(|start| start.calling.is_same_process(&now));
    let is_nested = match own {
        Some(start) => start.nested,
        // No start of this process was seen, so it is examined now.
        None => is_nested(&now)?,
    };
    let why = if is_nested {
        (Limit::Nested, "it comes from a client that an agent started".to_string())
    } else if let Some(first) = origin::first_client(&starts, &now) {
        (Limit::Second, format!("another client has this session open (process {first})"))
    } else if is_beside_original(event, &starts, &now)? {
        (Limit::Fork, "the session is a fork, and a client of the original is running".to_string())
    } else if is_unattended(&now) {
        (Limit::Unattended, "no user is at this client: it has no terminal, or prints and exits".to_string())
    } else {
        return Ok(None);
    };
    Ok(Some(why))
}

/// Whether an agent started the client: it runs below another client, or with the variables of an agent's shell.
pub fn is_nested(now: &Calling) -> Result<bool> {
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    let mut above = Vec::new();
    for pid in [parent, now.pid].into_iter().flatten() {
        // A line that is too long to follow hides who began it.
        let Some(line) = procfs::line_of_descent(pid) else { return Ok(true) };
        above.extend(line.into_iter().filter(|pid| Some(*pid) != now.pid));
    }
    if now.pid.is_some_and(|pid| procfs::has_variable(pid, &MARKS_OF_A_CHILD)) {
        return Ok(true);
    }
    // Most lines name none of these processes, so they are not parsed.
    let names: Vec<String> = above.iter().map(|pid| format!("\"pid\":{pid},")).collect();
    let names: Vec<Finder<'_>> = names.iter().map(Finder::new).collect();
    let is_above = |start: &Start| start.calling.pid.is_some_and(|pid| above.contains(&pid)) && start.calling.runs();
    Ok(starts_in(|line| names.iter().any(|name| name.find(line).is_some()))?.iter().any(is_above))
}

/// Whether the session is a fork, and another client of the same project runs. No hook names the session that was copied.
fn is_beside_original(event: &Event, starts: &[Start], now: &Calling) -> Result<bool> {
    let is_start_of_fork = |start: &Start| start.source.as_deref() == Some("fork");
    // Older clients announce the start of a fork under the original's id.
    let is_fork = starts.iter().any(is_start_of_fork) || now.words().iter().any(|word| word == "--fork-session");
    if !is_fork {
        return Ok(false);
    }
    let dir = |start: &Start| start.transcript.as_ref().and_then(|path| path.parent().map(|dir| dir.to_path_buf()));
    let here = event.transcript.as_ref().and_then(|path| path.parent());
    let is_original = |start: &Start| {
        start.client == event.client
            && start.calling.pid != now.pid
            && start.calling.runs()
            && dir(start).is_none_or(|dir| here.is_none_or(|here| dir == here))
    };
    // Only a start has this field.
    let field = Finder::new(b"\"calling\"");
    Ok(starts_in(|line| field.find(line).is_some())?.iter().any(is_original))
}

/// Whether no user is at the client: the client says so, it was started to print its answer, or it has no terminal. The environment
/// cannot deny it, because an agent can set that.
fn is_unattended(now: &Calling) -> bool {
    let prints = |word: &String| {
        let short = word
            .strip_prefix('-')
            .is_some_and(|rest| rest.contains('p') && rest.len() <= 4 && rest.bytes().all(|b| b.is_ascii_lowercase()));
        short || ["--print", "--input-format"].iter().any(|name| word.split('=').next() == Some(name))
    };
    env::is_attended() == Some(false)
        || now.words().iter().skip(1).any(prints)
        || now.pid.is_some_and(|pid| !procfs::has_terminal(Some(pid)))
}

/// The starts on record, of every session, in the lines of which `concerns` holds.
fn starts_in(concerns: impl Fn(&[u8]) -> bool) -> Result<Vec<Start>> {
    let entries = fs::read_dir(State::of_user()?.sessions()).into_iter().flatten().flatten();
    let starts = entries.flat_map(|entry| journal::search_lines(&entry.path(), &concerns).unwrap_or_default());
    Ok(starts.collect())
}
