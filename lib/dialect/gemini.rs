//! Gemini CLI's hook protocol, version 0.61.0 (tests/captures has real input).

use super::ReplyParts;
use super::payload::{self, Payload, member, mend_surrogates, read};
use crate::event::{Client, Kind, Source};
use crate::sys::error::Result;
use crate::sys::limits;
use crate::sys::text::cut_middle;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Gemini's event names and their kinds. It has no events of subagents, and none after compression.
pub const KINDS: [(&str, Kind); 7] = [
    ("SessionStart", Kind::SessionStart),
    ("BeforeAgent", Kind::Prompt),
    ("BeforeTool", Kind::ToolBefore),
    ("AfterTool", Kind::ToolAfter),
    ("AfterAgent", Kind::Stop),
    ("PreCompress", Kind::CompactBefore),
    ("SessionEnd", Kind::SessionEnd),
];

/// Whether only Gemini has an event of that name.
pub fn is_own_name(name: &str) -> bool {
    name.starts_with("Before") || name.starts_with("After") || name == "PreCompress"
}

/// The tag with which Gemini puts the context of hooks before a prompt.
const CONTEXT: (&str, &str) = ("<hook_context>", "</hook_context>");

/// Converts a hook call into the fields of the source. `fallback` is the directory if the call names none.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Source> {
    let payload = mend_surrogates(payload);
    let from = Payload::parse(&payload, "Gemini CLI")?;
    let mut event = from.source(Client::Gemini, from.kind(&KINDS), fallback);
    // A stop repeats the prompt of its turn.
    let prompt = from.prompt().filter(|_| event.kind == Kind::Prompt);
    payload::set_prompt(&mut event, prompt.map(|prompt| without_context(&prompt).to_string()));
    let response: Option<Value> = read(from.tool_response);
    let error = response.as_ref().and_then(|response| response.get("error")).filter(|error| !error.is_null());
    if let (Some(error), Some(tool)) = (error, &mut event.tool) {
        let text = error.as_str().map_or_else(|| member(error, "message"), str::to_string);
        tool.error = Some(cut_middle(&if text.is_empty() { error.to_string() } else { text }, limits::TEXT));
        event.kind = Kind::ToolFailed;
    }
    Ok(event)
}

/// A prompt without the context of hooks that Gemini puts before it.
fn without_context(prompt: &str) -> &str {
    let rest = prompt.strip_prefix(CONTEXT.0).and_then(|rest| rest.split_once(CONTEXT.1));
    rest.map_or(prompt, |(_, rest)| rest.trim_start_matches(['\r', '\n']))
}

/// The reply; empty if it has no content.
pub fn encode(kind: &Kind, block: bool, parts: ReplyParts) -> String {
    let mut reply = Map::new();
    if block {
        reply.insert("decision".into(), "deny".into());
        reply.insert("reason".into(), parts.reason.into());
    }
    if !parts.tell.is_empty() {
        reply.insert("systemMessage".into(), parts.tell.into());
    }
    let name = KINDS.iter().find(|(_, known)| known == kind).map(|(name, _)| *name);
    match name {
        Some(name) if matches!(kind, Kind::SessionStart | Kind::Prompt) && !parts.context.is_empty() => {
            let specific = json!({ "hookEventName": name, "additionalContext": parts.context });
            reply.insert("hookSpecificOutput".into(), specific);
        }
        Some(name) if *kind == Kind::ToolBefore && !parts.instead.is_null() => {
            let specific = json!({ "hookEventName": name, "tool_input": parts.instead });
            reply.insert("hookSpecificOutput".into(), specific);
        }
        _ => {}
    }
    if reply.is_empty() { String::new() } else { Value::Object(reply).to_string() }
}

/// The reply that denies a tool call.
pub fn refuse(reason: &str) -> String {
    json!({ "decision": "deny", "reason": reason }).to_string()
}
