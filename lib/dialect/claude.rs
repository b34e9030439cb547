//! Claude Code's hook protocol, versions 2.1.197 to 2.1.330 (tests/captures holds real input of both).

use crate::error::{Error, Result};
use crate::event::{Agent, Background, By, Client, Event, Kind, TEXT_LIMIT, Tool};
use crate::text::cut_middle;
use crate::{env, outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

/// The fields that are read; every other one is skipped without being kept in memory.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: String,
    session_id: Option<String>,
    transcript_path: Option<PathBuf>,
    cwd: Option<PathBuf>,
    prompt_id: Option<String>,
    agent_id: Option<String>,
    agent_type: Option<String>,
    prompt: Option<String>,
    source: Option<String>,
    reason: Option<String>,
    trigger: Option<String>,
    #[serde(default)]
    stop_hook_active: Option<bool>,
    last_assistant_message: Option<String>,
    background_tasks: Option<Vec<Background>>,
    session_crons: Option<Vec<Cron>>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_response: Option<&'a RawValue>,
    error: Option<String>,
}

/// A prompt that the client will submit by itself.
#[derive(Deserialize)]
struct Cron {
    #[serde(default)]
    prompt: String,
}

/// The event names and our kinds.
const KINDS: [(&str, Kind); 12] = [
    ("SessionStart", Kind::SessionStart),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::ToolBefore),
    ("PostToolUse", Kind::ToolAfter),
    ("PostToolUseFailure", Kind::ToolFailed),
    ("Stop", Kind::Stop),
    ("StopFailure", Kind::StopFailed),
    ("SubagentStart", Kind::SubagentStart),
    ("SubagentStop", Kind::SubagentStop),
    ("PreCompact", Kind::CompactBefore),
    ("PostCompact", Kind::CompactAfter),
    ("SessionEnd", Kind::SessionEnd),
];

/// The field of `Event::rest` that holds the prompts which the client will submit by itself.
pub const SCHEDULED: &str = "scheduled";

/// Turns one payload into an event. `fallback` is where we run, for a payload that names no directory.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Event> {
    let from: Payload<'_> =
        serde_json::from_slice(payload).map_err(|e| Error::usage(format!("not a hook call of Claude Code: {e}")))?;
    let known = KINDS.iter().find(|(name, _)| *name == from.hook_event_name);
    let kind = known.map_or_else(|| Kind::Other(from.hook_event_name.clone()), |(_, kind)| kind.clone());
    let cwd = from.cwd.filter(|path| path.is_absolute()).unwrap_or_else(|| fallback.to_path_buf());

    let mut event = Event::new(Client::Claude, kind, cwd);
    event.session = from.session_id;
    event.turn = from.prompt_id;
    event.pid = env::client_pid();
    event.transcript = from.transcript_path;
    event.repeat = from.stop_hook_active.unwrap_or(false);
    event.message = from.last_assistant_message.map(|text| cut_middle(&text, TEXT_LIMIT));
    event.source = from.source.or(from.trigger).or(from.reason);
    event.background = from.background_tasks.unwrap_or_default();
    // Only an agent id makes an event a subagent's: a role alone is a session started with --agent.
    if let Some(id) = from.agent_id {
        event.seat = format!("agent:{id}");
        event.agent = Some(Agent { id, role: from.agent_type });
    }
    event.by = match (&from.prompt, &event.agent) {
        (_, Some(_)) => By::Agent,
        (Some(_), None) if !matches!(event.source.as_deref(), None | Some("user" | "sdk")) => By::Client,
        (Some(prompt), None) if super::begins_with_client_tag(prompt) => By::Client,
        (Some(_), None) => By::Person,
        (None, None) => By::Client,
    };
    event.prompt = from.prompt.map(|text| cut_middle(&text, TEXT_LIMIT));
    event.tool = from.tool_name.map(|name| Tool {
        name,
        id: from.tool_use_id,
        input: kept(from.tool_input),
        output: kept(from.tool_response),
        error: from.error.map(|text| cut_middle(&text, TEXT_LIMIT)),
    });
    let mut scheduled: Vec<String> = from.session_crons.unwrap_or_default().into_iter().map(|c| c.prompt).collect();
    scheduled.extend(event.tool.as_ref().and_then(scheduled_by));
    scheduled.retain(|prompt| !prompt.trim().is_empty());
    if !scheduled.is_empty() {
        event.rest.insert(SCHEDULED.into(), scheduled.into());
    }
    Ok(event)
}

/// The prompt that a tool call asks the client to submit later.
fn scheduled_by(tool: &Tool) -> Option<String> {
    let schedules = matches!(tool.name.as_str(), "ScheduleWakeup" | "CronCreate");
    schedules.then(|| tool.input.get("prompt")?.as_str().map(str::to_string)).flatten()
}

/// A JSON value as it came, or its text cut down where it is too long to keep.
fn kept(raw: Option<&RawValue>) -> Value {
    match raw.map(RawValue::get) {
        None => Value::Null,
        Some(text) if text.len() > TEXT_LIMIT => Value::String(cut_middle(text, TEXT_LIMIT)),
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
    }
}

/// Exactly the fields that Claude Code documents. A reply is this object on standard output, or nothing.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
    hook_event_name: &'static str,
    additional_context: String,
}

/// What is said to the client about one event.
pub struct Words {
    /// The reason of a block, for the model; empty when nothing is blocked.
    pub reason: String,
    /// For the person; may be empty.
    pub tell: String,
    /// For the model, where the event can carry it; may be empty.
    pub context: String,
}

/// The reply as one line of JSON; empty when there is nothing to say.
pub fn encode(kind: &Kind, block: bool, words: Words) -> String {
    let name = KINDS.iter().find(|(_, known)| known == kind).map(|(name, _)| *name);
    // On a stop, context would keep the turn going.
    let may_carry = matches!(kind, Kind::SessionStart | Kind::Prompt | Kind::SubagentStart);
    let specific = name.filter(|_| may_carry && !words.context.is_empty());
    let reply = ReplyLine {
        decision: block.then_some("block"),
        reason: block.then_some(words.reason),
        system_message: Some(words.tell).filter(|text| !text.is_empty()),
        hook_specific_output: specific
            .map(|hook_event_name| Specific { hook_event_name, additional_context: words.context }),
    };
    if reply.decision.is_none() && reply.system_message.is_none() && reply.hook_specific_output.is_none() {
        return String::new();
    }
    // Older clients do not escape the end of the reminder that they put a reason in.
    serde_json::to_string(&reply).unwrap_or_default().replace("</", "<\\/")
}

/// The deciding tools that must stand in `via` before a stop may be believed.
pub fn deciders(kind: &Kind, event: &Event) -> Vec<&'static str> {
    let judged = !outcome::judges(event).is_empty() && event.reply.is_none();
    match kind {
        Kind::Stop if judged => vec!["rg-bounce", "rg-receipt"],
        Kind::Stop => vec!["rg-receipt"],
        _ => Vec::new(),
    }
}
