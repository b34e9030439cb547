//! Cursor's hook protocol, as documented for version 3.7. No client was run: tests/captures has none of its input.

use super::ReplyParts;
use super::payload::{self, kind_of, mend_surrogates, read, session_name, truncated};
use crate::event::{Agent, BudgetOwner, Client, Kind, Source, Tool};
use crate::sys::error::{Error, Result};
use crate::sys::limits;
use crate::sys::text::cut_middle;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Cursor's event names and their kinds.
pub const KINDS: [(&str, Kind); 17] = [
    ("sessionStart", Kind::SessionStart),
    ("beforeSubmitPrompt", Kind::Prompt),
    ("preToolUse", Kind::ToolBefore),
    ("beforeShellExecution", Kind::ToolBefore),
    ("beforeMCPExecution", Kind::ToolBefore),
    ("beforeReadFile", Kind::ToolBefore),
    ("postToolUse", Kind::ToolAfter),
    ("afterShellExecution", Kind::ToolAfter),
    ("afterMCPExecution", Kind::ToolAfter),
    ("afterFileEdit", Kind::ToolAfter),
    ("postToolUseFailure", Kind::ToolFailed),
    ("stop", Kind::Stop),
    ("subagentStart", Kind::SubagentStart),
    ("subagentStop", Kind::SubagentStop),
    ("preCompact", Kind::CompactBefore),
    ("postCompact", Kind::CompactAfter),
    ("sessionEnd", Kind::SessionEnd),
];

/// The fields that are read. A field of an unknown form counts as absent.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: String,
    #[serde(borrow)]
    conversation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    generation_id: Option<&'a RawValue>,
    #[serde(borrow)]
    workspace_roots: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    loop_count: Option<&'a RawValue>,
    #[serde(borrow)]
    subagent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    subagent_type: Option<&'a RawValue>,
    #[serde(borrow)]
    trigger: Option<&'a RawValue>,
    #[serde(borrow)]
    reason: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    file_path: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_output: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    result_json: Option<&'a RawValue>,
    #[serde(borrow)]
    error_message: Option<&'a RawValue>,
}

fn parse(payload: &[u8]) -> Result<Payload<'_>> {
    serde_json::from_slice(payload).map_err(|e| Error::usage(format!("not a hook call of Cursor: {e}")).caused_by(e))
}

/// A tool call before it runs, with its input uncut.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the tool.
    pub tool: String,
    /// The input, as JSON.
    pub input: String,
    /// The directory; None if the call names none.
    pub cwd: Option<PathBuf>,
    /// The session; empty if the call names none.
    pub session: String,
}

/// The tool call of a hook call. None for another event.
pub fn call_of(payload: &[u8]) -> Result<Option<Call>> {
    let from = parse(payload)?;
    if kind_of(&from.hook_event_name, &KINDS) != Kind::ToolBefore {
        return Ok(None);
    }
    let (tool, input) = from.tool();
    let session = from.session().unwrap_or_default();
    Ok(Some(Call { tool: tool.unwrap_or_default(), input: input.unwrap_or_default(), cwd: from.dir(), session }))
}

impl Payload<'_> {
    fn session(&self) -> Option<String> {
        read::<String>(self.conversation_id).map(session_name)
    }

    fn dir(&self) -> Option<PathBuf> {
        let roots: Vec<PathBuf> = read(self.workspace_roots).unwrap_or_default();
        let cwd = read::<PathBuf>(self.cwd).filter(|dir| dir.is_absolute());
        cwd.or_else(|| roots.into_iter().find(|root| root.is_absolute()))
    }

    /// The name of the tool and its input as JSON. The events of single tools name neither.
    fn tool(&self) -> (Option<String>, Option<String>) {
        let field = |name: &str, raw: Option<&RawValue>| raw.map(|raw| format!("{{\"{name}\":{}}}", raw.get()));
        match self.hook_event_name.as_str() {
            "beforeShellExecution" | "afterShellExecution" => (Some("Shell".into()), field("command", self.command)),
            "beforeReadFile" => (Some("Read".into()), field("file_path", self.file_path)),
            "afterFileEdit" => (Some("Edit".into()), field("file_path", self.file_path)),
            _ => {
                // The input of a server's tool is JSON within a string.
                let within: Option<String> = read(self.tool_input);
                let input = within.or_else(|| self.tool_input.map(|raw| raw.get().to_string()));
                let name: Option<String> = read(self.tool_name);
                let is_of_server = self.hook_event_name.ends_with("MCPExecution");
                (name.map(|name| if is_of_server { format!("mcp__{name}") } else { name }), input)
            }
        }
    }
}

/// Converts a hook call into the fields of the source. `fallback` is the directory if the call names none.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Source> {
    let payload = mend_surrogates(payload);
    let from = parse(&payload)?;
    let kind = match kind_of(&from.hook_event_name, &KINDS) {
        // The user ended the turn, or an error did: the agent cannot be sent back.
        Kind::Stop if read::<String>(from.status).is_some_and(|status| status != "completed") => Kind::StopFailed,
        kind => kind,
    };
    let is_of_tool = matches!(kind, Kind::ToolBefore | Kind::ToolAfter | Kind::ToolFailed);
    let mut event = Source::new(Client::Cursor, kind, from.dir().unwrap_or_else(|| fallback.to_path_buf()));
    event.session = from.session();
    event.turn = read(from.generation_id);
    event.transcript = read(from.transcript_path);
    event.repeat = read::<u64>(from.loop_count).is_some_and(|count| count > 0);
    event.source = read(from.trigger).or(read(from.reason));
    if let Some(id) = read::<String>(from.subagent_id).filter(|id| !id.is_empty()) {
        event.budget_owner = BudgetOwner::Agent(id.clone());
        event.agent = Some(Agent { id, role: read(from.subagent_type) });
    }
    payload::set_prompt(&mut event, read(from.prompt));
    if let (true, (Some(name), input)) = (is_of_tool, from.tool()) {
        let input = input.and_then(|text| RawValue::from_string(text).ok());
        event.tool = Some(Tool {
            name,
            id: read(from.tool_use_id),
            input: truncated(input.as_deref()),
            output: truncated(from.tool_output.or(from.output).or(from.result_json)),
            error: read::<String>(from.error_message).map(|text| cut_middle(&text, limits::TEXT)),
        });
    }
    Ok(event)
}

/// The reply; empty if it has no content.
pub fn encode(kind: &Kind, block: bool, parts: ReplyParts) -> String {
    let mut reply = Map::new();
    match kind {
        Kind::Stop | Kind::SubagentStop if block => {
            reply.insert("followup_message".into(), parts.reason.into());
        }
        Kind::SessionStart if !parts.context.is_empty() => {
            reply.insert("additional_context".into(), parts.context.into());
        }
        Kind::CompactBefore if !parts.tell.is_empty() => {
            reply.insert("user_message".into(), parts.tell.into());
        }
        Kind::ToolBefore if !parts.instead.is_null() => {
            reply.insert("permission".into(), "allow".into());
            reply.insert("updated_input".into(), parts.instead);
        }
        _ => {}
    }
    if reply.is_empty() { String::new() } else { Value::Object(reply).to_string() }
}

/// The reply that denies a tool call or asks the user.
pub fn refuse(ask: bool, reason: &str) -> String {
    json!({
        "permission": if ask { "ask" } else { "deny" },
        "user_message": reason,
        "agent_message": reason,
    })
    .to_string()
}
