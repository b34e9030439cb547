//! The hook protocols of the clients: hook calls become events, and replies are written as each client expects them.

pub mod claude;

use crate::event::{Client, Source};
use crate::sys::error::{Error, Result};
use std::path::Path;

/// Converts a client's hook call into the fields of the source. `client` is the value of `--client`.
pub fn decode(client: Option<Client>, payload: &[u8], cwd: &Path) -> Result<Source> {
    match client {
        Some(Client::Text) => Err(Error::usage("`--client text` takes no JSON: pass the kind as an operand")),
        Some(Client::Claude) | None => claude::decode(payload, cwd),
    }
}

/// Tags that begin prompts which the client itself writes.
const CLIENT_TAGS: [&str; 3] = ["<task-notification>", "<agent-message", "<subagent_notification>"];

/// Whether a prompt begins with a tag of the client.
fn begins_with_client_tag(prompt: &str) -> bool {
    let prompt = prompt.trim_start();
    CLIENT_TAGS.iter().any(|tag| prompt.starts_with(tag))
}
