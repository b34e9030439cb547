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
    /// The hook origin of this process, as a hook of this client.
    pub fn now(client: Client) -> Calling {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        let words = parent.map(procfs::command_line).unwrap_or_default();
        // The shell that runs the hook's command line may be between this process and the client.
        let is_shell = words.get(1).is_some_and(|word| word == "-c");
        let caller = if is_shell { parent.and_then(procfs::parent_of) } else { parent };
        // `review-gate hook` runs the hook's line in place of itself; the shell that started it may wait for it.
        let caller = match caller {
            Some(pid) if starts_hook(&procfs::command_line(pid)) => procfs::parent_of(pid),
            _ => caller,
        };
        // A parent that cannot be read may be the hook's own shell, which is another process at each call.
        let caller = caller.filter(|_| !words.concat().is_empty());
        // The program's name without its directory, which changes with each version.
        let commands = shell::commands(words.get(2).map_or("", String::as_str));
        let line = commands.iter().flatten().next().map_or("", |word| shell::program_name(word));
        let head: Vec<&str> = words.iter().take(2).map(String::as_str).chain([line]).collect();
        // Another client may run in a shell of Claude Code and inherit its variables.
        let named = env::client_pid().filter(|_| client == Client::Claude);
        let pid = named.or(caller);
        let ticks = pid.and_then(procfs::start_of);
        Calling { pid, ticks, stdin: stdin_kind().into(), parent: head.join(" ") }
    }

    /// Whether both come from one process. A process's id may have been used before.
    pub fn is_same_process(&self, other: &Calling) -> bool {
        let is_reused = self.ticks.zip(other.ticks).is_some_and(|(one, other)| one != other);
        self.pid == other.pid && !is_reused
    }

    /// Whether the client's process still runs.
    pub fn runs(&self) -> bool {
        self.ticks.is_some() && self.pid.and_then(procfs::start_of) == self.ticks
    }

    /// The arguments of the client's process.
    pub fn words(&self) -> Vec<String> {
        self.pid.map(procfs::command_line).unwrap_or_default()
    }
}

/// Whether these are the words of a shell that runs `review-gate hook` and nothing else.
fn starts_hook(words: &[String]) -> bool {
    // The last argument ends with a NUL, too.
    let [_, option, line, end] = words else { return false };
    let commands = shell::commands(line);
    let [only] = &commands[..] else { return false };
    let mut words = only.iter().map(|word| shell::program_name(word));
    option == "-c" && end.is_empty() && words.next() == Some("review-gate") && words.next() == Some("hook")
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
    let now = Calling::now(event.client);
    let fits = |start: &Start| {
        let log = start.transcript.is_none() || start.transcript == event.transcript;
        start.calling.is_same_process(&now) && start.calling.parent == now.parent && log && !start.nested
    };
    let starts = starts(event).unwrap_or_default();
    starts.iter().any(fits) && first_client(&starts, &now).is_none()
}

/// The process that had the session open before this one did, and still runs.
pub fn first_client(starts: &[Start], now: &Calling) -> Option<i32> {
    let before = starts.iter().take_while(|start| !start.calling.is_same_process(now));
    let mut others = before.filter(|start| start.calling.pid != now.pid && start.calling.runs());
    others.find_map(|start| start.calling.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shell_that_runs_the_hook_alone_is_passed_over() {
        let words = |line: &str| ["sh", "-c", line, ""].map(str::to_string).to_vec();
        assert!(starts_hook(&words("review-gate hook claude Stop")));
        assert!(starts_hook(&words("'/opt/a b/review-gate' hook claude Stop")));
        for line in ["review-gate hook claude Stop; true", "review-gate check", "x | review-gate hook claude Stop", ""]
        {
            assert!(!starts_hook(&words(line)), "{line}");
        }
        assert!(!starts_hook(&["claude".to_string()]));
    }
}
