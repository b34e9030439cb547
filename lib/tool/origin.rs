//! How a client calls us: recorded at a session's start by rg-event, held against later events of that session.
//!
//! This raises the price of an event that an agent makes by hand; it is no proof against the same user.

use crate::event::{Client, Event};
use crate::store::journal::Journal;
use crate::store::record::Start;
use crate::store::state::State;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::procfs;
use crate::sys::shell;
use rustix::fs::FileType;

pub use crate::store::record::Calling;

impl Calling {
    /// As it is now.
    pub fn now() -> Calling {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        let words = parent.map(procfs::command_line).unwrap_or_default();
        // A shell that runs our line stands between us and the client.
        let is_shell = words.get(1).is_some_and(|word| word == "-c");
        let client = if is_shell { parent.and_then(procfs::parent_of) } else { parent };
        // The program's own name, without its place: that moves with each version.
        let commands = shell::commands(words.get(2).map_or("", String::as_str));
        let line = commands.iter().flatten().next().map_or("", |word| shell::program_name(word));
        let head: Vec<&str> = words.iter().take(2).map(String::as_str).chain([line]).collect();
        Calling { pid: env::client_pid().or(client), stdin: stdin_kind().into(), parent: head.join(" ") }
    }
}

fn stdin_kind() -> &'static str {
    let Ok(stat) = rustix::fs::fstat(rustix::stdio::stdin()) else { return "none" };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Socket => "socket",
        FileType::Fifo => "fifo",
        FileType::RegularFile => "file",
        FileType::CharacterDevice => "device",
        _ => "other",
    }
}

/// The starts that were seen of the event's session.
pub fn starts(event: &Event) -> Result<Vec<Start>> {
    let Some(session) = event.session_key() else { return Ok(Vec::new()) };
    let journal = Journal::open(&State::of_user()?.session(event.client, session))?;
    Ok(journal.of::<Start>().cloned().collect())
}

/// Whether this process stands in a line that the session's client runs, and the event names that client's own log: what a
/// filter that gives a reviewer its say looks at itself, because an event line can be written by anybody.
pub fn is_the_clients(event: &Event) -> bool {
    if event.client == Client::Text {
        return false;
    }
    let now = Calling::now();
    let fits = |start: &Start| {
        let log = start.transcript.is_none() || start.transcript == event.transcript;
        start.calling.pid == now.pid && start.calling.parent == now.parent && log && !start.nested
    };
    starts(event).unwrap_or_default().iter().any(fits)
}

/// Whether this process runs below one of those clients, and not straight below it.
pub fn is_below(clients: &[i32], own: Option<i32>) -> bool {
    let mut pid = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    for _ in 0..64 {
        let Some(here) = pid.filter(|pid| *pid > 1) else { return false };
        if clients.contains(&here) && Some(here) != own {
            return true;
        }
        pid = procfs::parent_of(here);
    }
    false
}
