//! Dialects: what each client says, under our names, and what it understands as a reply.

pub mod claude;

use crate::event::{Client, Source};
use crate::sys::error::{Error, Result};
use std::path::Path;

/// Turns a client's hook input into what its event's source says. `client` is the one that was named; without it the content tells.
pub fn decode(client: Option<Client>, payload: &[u8], cwd: &Path) -> Result<Source> {
    match client {
        Some(Client::Text) => Err(Error::usage("client text sends no JSON: name the kind as an operand")),
        Some(Client::Claude) | None => claude::decode(payload, cwd),
    }
}

/// Tags with which clients begin prompts of their own making.
const CLIENT_TAGS: [&str; 3] = ["<task-notification>", "<agent-message", "<subagent_notification>"];

/// Whether a prompt is the client's own by how it begins.
fn begins_with_client_tag(prompt: &str) -> bool {
    let prompt = prompt.trim_start();
    CLIENT_TAGS.iter().any(|tag| prompt.starts_with(tag))
}
