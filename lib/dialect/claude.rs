//! Claude Code's hook protocol, versions 2.1.197 to 2.1.330 (tests/captures has real input of both).

use super::payload::{self, Payload, member, mend_surrogates, read};
use super::{ReplyParts, WEAKENING_COMMANDS};
use crate::event::{Background, BackgroundKind, Client, Kind, Source, Tool};
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::path::Path;

/// The elements of a list, which are read one by one later, so that a malformed one does not affect the others.
fn list(raw: Option<&RawValue>) -> Vec<Value> {
    read(raw).unwrap_or_default()
}

/// Claude Code's event names and their kinds.
pub const KINDS: [(&str, Kind); 12] = [
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

/// How many lines of a scheduled prompt are recognised individually.
const SCHEDULED_LINES: usize = 200;

/// How many prompts of the client's file are recognised.
const SCHEDULED_TASKS: usize = 1_000;

/// Converts a hook call into the fields of the source. `fallback` is the directory if the call names none.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Source> {
    let payload = mend_surrogates(payload);
    let from = Payload::parse(&payload, "Claude Code")?;
    let mut event = from.source(Client::Claude, from.kind(&KINDS), fallback);
    event.pid = env::client_pid();
    event.background = list(from.background_tasks).iter().map(background).collect();
    payload::set_prompt(&mut event, from.prompt());
    let crons = from.session_crons.map(|raw| list(Some(raw)).iter().map(|cron| member(cron, "prompt")).collect());
    // A long input is cut in the event, so the call's own bytes are read.
    let by_call = || Some(vec![scheduled_by(&event.tool.as_ref()?.name, from.tool_input)?]);
    let scheduled: Option<Vec<String>> = crons.or_else(by_call);
    if let Some(prompts) = scheduled {
        event.scheduled = Some(prompts.iter().flat_map(|prompt| digests(prompt)).collect());
    }
    Ok(event)
}

/// The digests of a prompt and, because the client may merge prompts, of each line that is not blank.
fn digests(prompt: &str) -> Vec<String> {
    let whole = prompt.trim();
    let lines = || whole.lines().map(str::trim).filter(|line| !line.is_empty());
    // A command that weakens the gate counts, however far down it is.
    let commands = lines().filter(|line| WEAKENING_COMMANDS.contains(line));
    let texts: BTreeSet<&str> = lines().take(SCHEDULED_LINES).chain(commands).chain([whole]).collect();
    let digests = texts.into_iter().filter(|text| !text.is_empty()).map(|text| sha256(text.as_bytes()));
    digests.collect::<BTreeSet<_>>().into_iter().collect()
}

fn background(value: &Value) -> Background {
    Background {
        id: member(value, "id"),
        kind: BackgroundKind::named(&member(value, "type")),
        status: member(value, "status"),
        description: Some(member(value, "description")).filter(|text| !text.is_empty()),
    }
}

/// The prompt that a tool call schedules for later.
fn scheduled_by(name: &str, input: Option<&RawValue>) -> Option<String> {
    let schedules = matches!(name, "ScheduleWakeup" | "CronCreate");
    read::<ScheduleInput>(input.filter(|_| schedules)).map(|input| input.prompt)
}

/// The input of such a call.
#[derive(Deserialize)]
struct ScheduleInput {
    prompt: String,
}

/// The file of prompts that outlive the client. Its list at a stop leaves them out.
pub const SCHEDULE_FILE: &str = ".claude/scheduled_tasks.json";

/// At this length the list at a stop cuts a prompt, in characters.
const LISTED_LENGTH: usize = 1_000;

/// Whether a call schedules a prompt that the list at a stop leaves out or cuts.
pub fn schedules_for_long(tool: &Tool) -> bool {
    let is_durable = tool.input.get("durable").is_some_and(|durable| *durable != Value::Bool(false));
    let prompt = tool.input.get("prompt").and_then(Value::as_str).unwrap_or("");
    // An input that is a string was itself too long.
    tool.input.is_string() || is_durable || prompt.len() >= LISTED_LENGTH
}

/// The digests of the prompts in that file.
pub fn scheduled_in(bytes: &[u8]) -> Vec<String> {
    let bytes = mend_surrogates(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let Ok(list) = serde_json::from_slice::<Value>(&bytes) else { return Vec::new() };
    let tasks = list.get("tasks").and_then(Value::as_array).into_iter().flatten().take(SCHEDULED_TASKS);
    tasks.flat_map(|task| digests(&member(task, "prompt"))).collect()
}

/// The fields that Claude Code documents. A reply is this object on standard output, or empty.
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
    hook_specific_output: Option<Specific>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    additional_context: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    updated_input: Value,
}

/// The reply as one line of JSON; empty if it has no content.
pub fn encode(kind: &Kind, block: bool, words: ReplyParts) -> String {
    let name = KINDS.iter().find(|(_, known)| known == kind).map(|(name, _)| *name);
    // At a stop, additional context would keep the turn going.
    let is_of_tool = matches!(kind, Kind::ToolAfter | Kind::ToolFailed);
    let may_carry = is_of_tool || matches!(kind, Kind::SessionStart | Kind::Prompt | Kind::SubagentStart);
    let instead = if *kind == Kind::ToolBefore { words.instead } else { Value::Null };
    let context = if may_carry { words.context } else { String::new() };
    let specific = name.filter(|_| !context.is_empty() || !instead.is_null());
    let reply = ReplyLine {
        decision: block.then_some("block"),
        reason: block.then_some(words.reason),
        system_message: Some(words.tell).filter(|text| !text.is_empty()),
        hook_specific_output: specific.map(|hook_event_name| Specific {
            hook_event_name,
            additional_context: context,
            updated_input: instead,
        }),
    };
    if reply.decision.is_none() && reply.system_message.is_none() && reply.hook_specific_output.is_none() {
        return String::new();
    }
    serde_json::to_string(&reply).unwrap_or_default()
}

/// The reply that denies a tool call or asks the user.
pub fn refuse(ask: bool, reason: &str) -> String {
    let specific = serde_json::json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": if ask { "ask" } else { "deny" },
        "permissionDecisionReason": reason,
    });
    serde_json::json!({ "hookSpecificOutput": specific }).to_string()
}
