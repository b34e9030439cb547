//! The input of a hook as each client sends it: one call for each event.

use review_gate::dialect;
use review_gate::event::{Client, Kind};
use review_gate::sys::error::Result;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A command that rg-guard denies in every repository. It is sent as text and never runs.
pub const DANGEROUS: &str = "rm -rf /";

/// A command that it allows.
pub const HARMLESS: &str = "true";

/// A hook's event, and the call that the client makes for it.
pub struct Call<'a> {
    /// The client.
    pub client: Client,
    /// The client's name of the event.
    pub event: &'a str,
    /// The tools that the hook is for.
    pub matcher: Option<&'a str>,
    /// The session.
    pub session: &'a str,
}

impl Call<'_> {
    /// The kind of the event.
    pub fn kind(&self, dir: &Path) -> Result<Kind> {
        Ok(dialect::decode(Some(self.client), &text(self.common(dir)), dir)?.kind)
    }

    /// The name of the tool that the call is about.
    fn tool(&self) -> &str {
        let first = self.matcher.and_then(|matcher| matcher.split('|').next()).unwrap_or("");
        let is_name = !first.is_empty() && first.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match self.client {
            _ if is_name => first,
            Client::Gemini => "run_shell_command",
            Client::Cursor => "Write",
            _ => "Bash",
        }
    }

    /// Whether the call is about a command of the shell.
    pub fn is_of_shell(&self) -> bool {
        match self.client {
            Client::Cursor => self.event == "beforeShellExecution",
            _ => matches!(self.tool(), "Bash" | "run_shell_command"),
        }
    }

    /// The call, with a command if it is about a tool.
    pub fn input(&self, kind: &Kind, dir: &Path, command: &str) -> Vec<u8> {
        let mut call = self.common(dir);
        let tool = json!({
            "tool_name": self.tool(),
            "tool_use_id": self.session,
            "tool_input": {"command": command, "description": "a call of rg-doctor", "prompt": "a call of rg-doctor", "file_path": dir.join("new.txt"), "content": "new\n"},
        });
        let agent = json!({"agent_id": format!("{}-agent", self.session), "agent_type": "general-purpose"});
        let stop = json!({
            "stop_hook_active": false,
            "last_assistant_message": "This call is from rg-doctor.",
            "prompt_response": "This call is from rg-doctor.",
            "background_tasks": [],
            "session_crons": [],
            "status": "completed",
            "loop_count": 0,
        });
        let parts = match kind {
            Kind::SessionStart => vec![json!({"source": "startup"})],
            Kind::Prompt => vec![json!({"prompt": "This call is from rg-doctor."})],
            Kind::ToolBefore if self.client == Client::Cursor => vec![tool, json!({"command": command})],
            Kind::ToolBefore => vec![tool],
            Kind::ToolAfter => vec![tool, json!({"tool_response": {"stdout": "", "stderr": ""}})],
            Kind::ToolFailed => vec![tool, json!({"error": "Exit code 1"})],
            Kind::Stop => vec![stop],
            Kind::SubagentStart => vec![agent],
            Kind::SubagentStop => vec![agent, stop],
            Kind::CompactBefore => vec![json!({"trigger": "manual"})],
            _ => vec![json!({"reason": "other"})],
        };
        for part in parts {
            if let Value::Object(fields) = part {
                call.extend(fields);
            }
        }
        text(call)
    }

    /// The fields of every call of the client.
    fn common(&self, dir: &Path) -> Map<String, Value> {
        let session = self.session;
        let call = match self.client {
            Client::Cursor => json!({
                "conversation_id": session,
                "generation_id": session,
                "workspace_roots": [dir],
                "cursor_version": "3.7.21",
            }),
            _ => json!({ "session_id": session, "transcript_path": dir.join("no-transcript.jsonl"), "cwd": dir }),
        };
        let own = match self.client {
            Client::Claude => json!({"prompt_id": session, "permission_mode": "default"}),
            Client::Codex => json!({"turn_id": session, "model": "none", "permission_mode": "default"}),
            Client::Gemini => json!({"timestamp": "2026-01-01T00:00:00.000Z"}),
            _ => json!({}),
        };
        let name = json!({ "hook_event_name": self.event });
        let parts = [call, own, name].into_iter().filter_map(|part| match part {
            Value::Object(fields) => Some(fields),
            _ => None,
        });
        parts.flatten().collect()
    }
}

fn text(call: Map<String, Value>) -> Vec<u8> {
    Value::Object(call).to_string().into_bytes()
}

/// Whether a reply blocks: it denies a tool call, or sends the agent back.
pub fn is_block(reply: &Value) -> bool {
    let is = |value: &Value, word: &str| value.as_str() == Some(word);
    ["block", "deny"].iter().any(|word| is(&reply["decision"], word))
        || is(&reply["permission"], "deny")
        || is(&reply["hookSpecificOutput"]["permissionDecision"], "deny")
        || reply["followup_message"].as_str().is_some_and(|text| !text.is_empty())
}
