//! The hook origin: how the client calls hooks. rg-event records it at the session's start and compares it at later events.
//!
//! This makes it harder for an agent to forge an event. It cannot prevent a forgery by a process of the same user.

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
    /// The hook origin of this process.
    pub fn now() -> Calling {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        let words = parent.map(procfs::command_line).unwrap_or_default();
        // The shell that runs the hook's command line may be between this process and the client.
        let is_shell = words.get(1).is_some_and(|word| word == "-c");
        let client = if is_shell { parent.and_then(procfs::parent_of) } else { parent };
        // The program's name without its directory, which changes with each version.
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

/// The recorded starts of the event's session.
pub fn starts(event: &Event) -> Result<Vec<Start>> {
    let Some(session) = event.session_key() else { return Ok(Vec::new()) };
    let journal = Journal::open(&State::of_user()?.session(event.client, session))?;
    Ok(journal.of::<Start>().cloned().collect())
}

/// Whether the session's client runs this process, and the event names that client's log. A filter that accepts a reviewer's
/// decision checks this itself, because any process can write an event line.
pub fn is_from_client(event: &Event) -> bool {
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

/// Whether one of `clients`, other than `own`, is an ancestor of this process.
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
