//! How a client calls us: recorded at a session's start, held against every later event of that session.
//!
//! This raises the price of an event that an agent makes by hand; it is no proof against the same user.

use crate::session;
use review_gate::error::Result;
use review_gate::event::{Client, Event, Kind, Origin};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use std::fs;

/// What can be seen of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calling {
    /// The client's process.
    pub pid: Option<i32>,
    /// What standard input is.
    pub stdin: String,
    /// The parent's program, its first option, and the first word of the line it runs.
    pub parent: String,
}

impl Calling {
    /// As it is now.
    pub fn now() -> Calling {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        let words = parent.map(command_line).unwrap_or_default();
        // A shell that runs our line stands between us and the client.
        let is_shell = words.get(1).is_some_and(|word| word == "-c");
        let client = if is_shell { parent.and_then(parent_of) } else { parent };
        // The program's own name, without its place: that moves with each version.
        let line = words.get(2).and_then(|line| line.split_whitespace().next()).unwrap_or("");
        let line = line.rsplit('/').next().unwrap_or("").trim_matches(['"', '\'']);
        let head: Vec<&str> = words.iter().take(2).map(String::as_str).chain([line]).collect();
        Calling { pid: review_gate::env::client_pid().or(client), stdin: stdin_kind().into(), parent: head.join(" ") }
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

/// A process's arguments, as /proc tells; none where there is no /proc.
fn command_line(pid: i32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    bytes.split(|b| *b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the parent is the second field after it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Fills in the client's process and, where the session's start was seen, whether this event came the same way.
pub fn held_against_start(event: &mut Event) {
    if event.client == Client::Text
        || !matches!(
            event.kind,
            Kind::SessionStart
                | Kind::Prompt
                | Kind::ToolBefore
                | Kind::SubagentStart
                | Kind::Stop
                | Kind::SubagentStop
        )
    {
        return;
    }
    let now = Calling::now();
    event.pid = now.pid;
    let Some(starts) = starts(event).ok().filter(|starts| !starts.is_empty()) else {
        if event.kind == Kind::SessionStart {
            event.origin = Origin::Client;
        }
        return;
    };
    // A resumed session may have another process; how that calls must not change.
    let is_start = event.kind == Kind::SessionStart;
    let same =
        |then: &Calling| then.stdin == now.stdin && then.parent == now.parent && (is_start || then.pid == now.pid);
    event.origin = if starts.iter().any(same) { Origin::Client } else { Origin::Hand };
}

/// The starts that were seen of the event's session.
fn starts(event: &Event) -> Result<Vec<Calling>> {
    let records = session::records(event)?;
    Ok(records.iter().filter(|record| record.kind == "start").filter_map(|record| record.get("calling")).collect())
}
