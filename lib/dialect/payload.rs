//! The fields of a hook call that Claude Code, Codex and Gemini name alike.

use crate::event::marks::marks_of;
use crate::event::{Actor, Agent, BudgetOwner, Client, Kind, Source, Tool};
use crate::sys::digest::sha256;
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use crate::sys::limits;
use crate::sys::text::cut_middle;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The fields that are read, each as its JSON text until it is needed; other fields are skipped. Only the event's name is required: a
/// field of an unknown form counts as absent, so that it cannot let a stop pass unjudged.
#[derive(Deserialize)]
pub struct Payload<'a> {
    pub hook_event_name: String,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    /// The turn, as Claude Code names it.
    #[serde(borrow)]
    prompt_id: Option<&'a RawValue>,
    /// The turn, as Codex names it.
    #[serde(borrow)]
    turn_id: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_type: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    reason: Option<&'a RawValue>,
    #[serde(borrow)]
    trigger: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_hook_active: Option<&'a RawValue>,
    #[serde(borrow)]
    last_assistant_message: Option<&'a RawValue>,
    /// The answers of the turn, as Gemini names them.
    #[serde(borrow)]
    prompt_response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub background_tasks: Option<&'a RawValue>,
    #[serde(borrow)]
    pub session_crons: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    permission_mode: Option<&'a RawValue>,
}

impl<'a> Payload<'a> {
    /// Parses a hook call. `client` is the client's name, for the error.
    pub fn parse(payload: &'a [u8], client: &str) -> Result<Payload<'a>> {
        serde_json::from_slice(payload)
            .map_err(|e| Error::usage(format!("not a hook call of {client}: {e}")).caused_by(e))
    }

    /// The kind of the event, by the client's names.
    pub fn kind(&self, names: &[(&str, Kind)]) -> Kind {
        kind_of(&self.hook_event_name, names)
    }

    /// The fields of the source. `fallback` is the directory if the call names none.
    pub fn source(&self, client: Client, kind: Kind, fallback: &Path) -> Source {
        let cwd = read(self.cwd).filter(|path: &PathBuf| path.is_absolute()).unwrap_or_else(|| fallback.to_path_buf());
        let mut event = Source::new(client, kind, cwd);
        event.session = read::<String>(self.session_id).map(session_name);
        event.turn = read(self.prompt_id).or(read(self.turn_id));
        event.transcript = read(self.transcript_path);
        event.repeat = read(self.stop_hook_active).unwrap_or(false);
        set_message(&mut event, read(self.last_assistant_message).or(read(self.prompt_response)));
        event.source = read(self.source).or(read(self.trigger)).or(read(self.reason));
        // Only an agent id makes it an event of a subagent: a session that was started with --agent has a role, too.
        if let Some(id) = read::<String>(self.agent_id).filter(|id| !id.is_empty()) {
            event.budget_owner = BudgetOwner::Agent(id.clone());
            event.agent = Some(Agent { id, role: read(self.agent_type) });
        }
        event.tool = read(self.tool_name).map(|name| Tool {
            name,
            id: read(self.tool_use_id),
            input: truncated(self.tool_input),
            output: truncated(self.tool_response),
            error: read::<String>(self.error).map(|text| cut_middle(&text, limits::TEXT)),
        });
        event.permission_mode = read::<String>(self.permission_mode).filter(|_| event.kind == Kind::ToolBefore);
        event
    }

    /// The prompt.
    pub fn prompt(&self) -> Option<String> {
        read(self.prompt)
    }
}

/// The kind that a client's name of an event stands for.
pub fn kind_of(name: &str, names: &[(&str, Kind)]) -> Kind {
    let known = names.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| Kind::Other(name.to_string()), |(_, kind)| kind.clone())
}

/// The longest session id that is used unchanged, in bytes.
const SESSION_LIMIT: usize = 256;

/// A session id as it is used.
pub fn session_name(id: String) -> String {
    if id.len() > SESSION_LIMIT { ids::file_name(&id) } else { id }
}

/// Sets the agent's last message.
fn set_message(event: &mut Source, message: Option<String>) {
    // Marks are read before the message is cut, because a fence may begin in the part that is left out.
    event.marks = message.as_deref().filter(|text| text.len() > limits::TEXT).map(marks_of);
    event.message = message.map(|text| cut_middle(&text, limits::TEXT));
}

/// Sets the prompt and who made it.
pub fn set_prompt(event: &mut Source, prompt: Option<String>) {
    event.by = match (&prompt, &event.agent) {
        (_, Some(_)) => Actor::Agent,
        (Some(_), None) if !matches!(event.source.as_deref(), None | Some("user" | "sdk")) => Actor::Client,
        (Some(prompt), None) if super::begins_with_client_tag(prompt) => Actor::Client,
        (Some(_), None) => Actor::User,
        (None, None) => Actor::Client,
    };
    if let Some(prompt) = prompt {
        event.prompt_sha256 = Some(sha256(prompt.trim().as_bytes()));
        // The prompt is kept whole here; `Draft::finish` cuts it.
        event.prompt = Some(prompt);
    }
}

/// A field read as `T`; None if it is absent or has another form.
pub fn read<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// The text of a member; empty if it is absent.
pub fn member(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or("").to_string()
}

/// A JSON value, or its text, cut, if it is too long.
pub fn truncated(raw: Option<&RawValue>) -> Value {
    match raw.map(RawValue::get) {
        None => Value::Null,
        Some(text) if text.len() > limits::TEXT => Value::String(cut_middle(text, limits::TEXT)),
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
    }
}

/// Replaces escapes of unpaired surrogates (`\\ud83d` alone, from a cut JavaScript string), which JSON parsers refuse.
pub fn mend_surrogates(payload: &[u8]) -> Cow<'_, [u8]> {
    // Nearly all calls have no surrogates.
    let has = |start: &[u8]| memchr::memmem::find(payload, start).is_some();
    if !has(b"\\ud") && !has(b"\\uD") {
        return Cow::Borrowed(payload);
    }
    let unit = |at: usize| {
        let digits = payload.get(at..at + 6).filter(|bytes| bytes.starts_with(b"\\u"))?;
        u32::from_str_radix(std::str::from_utf8(&digits[2..]).ok()?, 16).ok()
    };
    let mut mended = Cow::Borrowed(payload);
    let mut at = 0;
    while let Some(found) = payload[at..].iter().position(|b| *b == b'\\') {
        at += found;
        match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            _ => at += 2,
        }
        if at >= payload.len() {
            break;
        }
    }
    mended
}
