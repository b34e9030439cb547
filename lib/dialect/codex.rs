//! Codex's hook protocol, version 0.169.0 (tests/captures has real input).

use super::ReplyParts;
use super::payload::{self, Payload, mend_surrogates};
use crate::event::{Client, Kind, Source};
use crate::sys::error::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Codex's event names and their kinds. A tool that failed has no event of its own.
pub const KINDS: [(&str, Kind); 10] = [
    ("SessionStart", Kind::SessionStart),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::ToolBefore),
    ("PostToolUse", Kind::ToolAfter),
    ("Stop", Kind::Stop),
    ("SubagentStart", Kind::SubagentStart),
    ("SubagentStop", Kind::SubagentStop),
    ("PreCompact", Kind::CompactBefore),
    ("PostCompact", Kind::CompactAfter),
    ("SessionEnd", Kind::SessionEnd),
];

/// Converts a hook call into the fields of the source. `fallback` is the directory if the call names none.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Source> {
    let payload = mend_surrogates(payload);
    let from = Payload::parse(&payload, "Codex")?;
    let mut event = from.source(Client::Codex, from.kind(&KINDS), fallback);
    payload::set_prompt(&mut event, from.prompt());
    Ok(event)
}

/// The fields that Codex accepts. One further field makes it ignore the reply.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplyLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Value>,
}

/// The reply; empty if it has no content.
pub fn encode(kind: &Kind, block: bool, parts: ReplyParts) -> String {
    // Only these events have a schema with `decision`.
    let block =
        block && matches!(kind, Kind::Stop | Kind::SubagentStop | Kind::Prompt) && !parts.reason.trim().is_empty();
    let name = KINDS.iter().find(|(_, known)| known == kind).map(|(name, _)| *name);
    let may_carry = matches!(kind, Kind::SessionStart | Kind::Prompt | Kind::SubagentStart);
    let reply = ReplyLine {
        decision: block.then_some("block"),
        reason: block.then_some(parts.reason),
        system_message: Some(parts.tell).filter(|text| !text.is_empty() && name.is_some() && *kind != Kind::SessionEnd),
        hook_specific_output: match name {
            Some(name) if *kind == Kind::ToolBefore && !parts.instead.is_null() => {
                Some(json!({ "hookEventName": name, "permissionDecision": "allow", "updatedInput": parts.instead }))
            }
            Some(name) if may_carry && !parts.context.is_empty() => {
                Some(json!({ "hookEventName": name, "additionalContext": parts.context }))
            }
            _ => None,
        },
    };
    if reply.decision.is_none() && reply.system_message.is_none() && reply.hook_specific_output.is_none() {
        return String::new();
    }
    serde_json::to_string(&reply).unwrap_or_default()
}

/// The reply that denies a tool call.
pub fn refuse(reason: &str) -> String {
    let specific = json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    });
    json!({ "hookSpecificOutput": specific }).to_string()
}
