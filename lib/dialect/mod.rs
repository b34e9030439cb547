//! The hook protocols of the clients: hook calls become events, and replies are written as each client expects them.

pub mod claude;
mod codex;
mod cursor;
mod gemini;
mod payload;

use crate::event::outcome;
use crate::event::{Client, Event, Kind, Source, Stage, Tool};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::limits;
use serde_json::Value;
use std::path::Path;

pub use cursor::{Call, call_of as cursor_call};
pub use payload::mend_surrogates;

/// Converts a client's hook call into the fields of the source. `client` is the value of `--client`; without one, the names of the
/// call's fields tell the client.
pub fn decode(client: Option<Client>, payload: &[u8], cwd: &Path) -> Result<Source> {
    match client.unwrap_or_else(|| client_of(&fields_of(payload))) {
        Client::Text => Err(Error::usage("`--client text` takes no JSON: pass the kind as an operand")),
        Client::Claude => claude::decode(payload, cwd),
        Client::Codex => codex::decode(payload, cwd),
        Client::Gemini => gemini::decode(payload, cwd),
        Client::Cursor => cursor::decode(payload, cwd),
    }
}

/// The client that sends such a call, and its name of the event. None if it is no hook call.
pub fn caller(payload: &[u8]) -> Option<(Client, String)> {
    let fields = fields_of(payload);
    let name = payload::member(&fields, "hook_event_name");
    (!name.is_empty()).then(|| (client_of(&fields), name))
}

/// The first JSON value; null if there is none.
fn fields_of(payload: &[u8]) -> Value {
    let payload = mend_surrogates(payload);
    let mut values = serde_json::Deserializer::from_slice(&payload).into_iter();
    values.next().and_then(|value| value.ok()).unwrap_or(Value::Null)
}

/// Claude Code if nothing tells another client.
fn client_of(fields: &Value) -> Client {
    let name = payload::member(fields, "hook_event_name");
    match () {
        () if fields.get("conversation_id").is_some() => Client::Cursor,
        () if gemini::is_own_name(&name) || fields.get("timestamp").is_some() => Client::Gemini,
        // Codex names the model in each call of a turn, Claude Code only at a session's start.
        () if fields.get("turn_id").is_some() => Client::Codex,
        () => Client::Claude,
    }
}

/// The texts of a reply.
#[derive(Default)]
pub struct ReplyParts {
    /// The reason of a block, for the model; empty if the event is not blocked.
    pub reason: String,
    /// Text for the user; may be empty.
    pub tell: String,
    /// Text for the model, on events that support it; may be empty.
    pub context: String,
    /// The input with which the client is to call the tool instead; null if the input stays.
    pub instead: Value,
}

/// The reply to an event as one line with its newline; empty if it has no content. Only the fields that this client knows.
pub fn reply(client: Client, kind: &Kind, block: bool, parts: ReplyParts) -> String {
    line(match client {
        Client::Claude => claude::encode(kind, block, parts),
        Client::Codex => codex::encode(kind, block, parts),
        Client::Gemini => gemini::encode(kind, block, parts),
        Client::Cursor => cursor::encode(kind, block, parts),
        Client::Text => String::new(),
    })
}

/// The reply that refuses a tool call, or asks the user where the client can.
pub fn refusal(client: Client, ask: bool, reason: &str) -> String {
    let ask = ask && can_ask(client);
    line(match client {
        Client::Claude => claude::refuse(ask, reason),
        Client::Codex => codex::refuse(reason),
        Client::Gemini => gemini::refuse(reason),
        Client::Cursor => cursor::refuse(ask, reason),
        Client::Text => String::new(),
    })
}

/// Whether a hook of the client can leave a tool call to the user. Codex runs the call if a hook replies so.
pub fn can_ask(client: Client) -> bool {
    matches!(client, Client::Claude | Client::Cursor)
}

fn line(json: String) -> String {
    // Some clients put the text into a tag and do not escape a closing tag in it.
    if json.is_empty() { json } else { json.replace("</", "<\\/") + "\n" }
}

/// The programs that must be in `via` before the outcome of a stop is valid.
pub fn deciders(event: &Event) -> Vec<Stage> {
    let judged = !outcome::judges(event).is_empty() && event.reply().is_none();
    match &event.kind {
        Kind::Stop | Kind::SubagentStop if judged => vec![Stage::Bounce, Stage::Receipt],
        Kind::Stop => vec![Stage::Receipt],
        _ => Vec::new(),
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
