//! The hook protocols of the clients: hook calls become events, and replies are written as each client expects them.

pub mod claude;

use crate::event::{Client, Source, Tool};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::limits;
use std::path::Path;

/// Converts a client's hook call into the fields of the source. `client` is the value of `--client`.
pub fn decode(client: Option<Client>, payload: &[u8], cwd: &Path) -> Result<Source> {
    match client {
        Some(Client::Text) => Err(Error::usage("`--client text` takes no JSON: pass the kind as an operand")),
        Some(Client::Claude) | None => claude::decode(payload, cwd),
    }
}

/// The commands in a prompt that weaken the gate, each a line of its own.
pub const WEAKENING_COMMANDS: [&str; 4] = ["#gate:off", "#review:stop", "#loop:stop", "/review-gate:cancel"];

/// The file in a project in which a client keeps the prompts that it submits in later sessions, too.
pub const SCHEDULE_FILE: &str = claude::SCHEDULE_FILE;

/// The digests of the prompts in such a file, of each prompt and of each of its lines. Empty if it cannot be read.
pub fn scheduled_in(file: &Path) -> Vec<String> {
    files::try_read_following(file, limits::SETTINGS).map(|bytes| claude::scheduled_in(&bytes)).unwrap_or_default()
}

/// Whether a tool call schedules a prompt that the client may submit although its list of scheduled prompts does not show it.
pub fn schedules_for_long(tool: &Tool) -> bool {
    claude::schedules_for_long(tool)
}

/// Tags that begin prompts which the client itself writes.
const CLIENT_TAGS: [&str; 3] = ["<task-notification>", "<agent-message", "<subagent_notification>"];

/// Whether a prompt begins with a tag of the client.
fn begins_with_client_tag(prompt: &str) -> bool {
    let prompt = prompt.trim_start();
    CLIENT_TAGS.iter().any(|tag| prompt.starts_with(tag))
}
