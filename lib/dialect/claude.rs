//! Claude Code's hook protocol, versions 2.1.197 to 2.1.330 (tests/captures has real input of both).

use super::WEAKENING_COMMANDS;
use crate::event::marks::marks_of;
use crate::event::outcome;
use crate::event::{Actor, Agent, Background, BackgroundKind, BudgetOwner, Client, Event, Kind, Source, Stage, Tool};
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use crate::sys::limits;
use crate::sys::text::cut_middle;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The fields that are read, each as its JSON text until it is needed; other fields are skipped. Only the event's name is required: a
/// field of an unknown form counts as absent, so that it cannot let a stop pass unjudged.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: String,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt_id: Option<&'a RawValue>,
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
    #[serde(borrow)]
    background_tasks: Option<&'a RawValue>,
    #[serde(borrow)]
    session_crons: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    permission_mode: Option<&'a RawValue>,
}

/// A field read as `T`; None if it is absent or has another form.
fn read<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// The elements of a list, which are read one by one later, so that a malformed one does not affect the others.
fn list(raw: Option<&RawValue>) -> Vec<Value> {
    read(raw).unwrap_or_default()
}

/// The text of a member; empty if it is absent.
fn member(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or("").to_string()
}

/// Claude Code's event names and their kinds.
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

/// The longest session id that is used unchanged, in bytes.
const SESSION_LIMIT: usize = 256;

/// How many lines of a scheduled prompt are recognised individually.
const SCHEDULED_LINES: usize = 200;

/// How many prompts of the client's file are recognised.
const SCHEDULED_TASKS: usize = 1_000;

/// Converts a hook call into the fields of the source. `fallback` is the directory if the call names none.
pub fn decode(payload: &[u8], fallback: &Path) -> Result<Source> {
    let payload = mend_surrogates(payload);
    let from: Payload<'_> = serde_json::from_slice(&payload)
        .map_err(|e| Error::usage(format!("not a hook call of Claude Code: {e}")).caused_by(e))?;
    let known = KINDS.iter().find(|(name, _)| *name == from.hook_event_name);
    let kind = known.map_or_else(|| Kind::Other(from.hook_event_name.clone()), |(_, kind)| kind.clone());
    let cwd = read(from.cwd).filter(|path: &PathBuf| path.is_absolute()).unwrap_or_else(|| fallback.to_path_buf());

    let mut event = Source::new(Client::Claude, kind, cwd);
    let session: Option<String> = read(from.session_id);
    event.session = session.map(|id| if id.len() > SESSION_LIMIT { ids::file_name(&id) } else { id });
    event.turn = read(from.prompt_id);
    event.pid = env::client_pid();
    event.transcript = read(from.transcript_path);
    event.repeat = read(from.stop_hook_active).unwrap_or(false);
    let message: Option<String> = read(from.last_assistant_message);
    // Marks are read before the message is cut, because a fence may begin in the part that is left out.
    event.marks = message.as_deref().filter(|text| text.len() > limits::TEXT).map(marks_of);
    event.message = message.map(|text| cut_middle(&text, limits::TEXT));
    event.source = read(from.source).or(read(from.trigger)).or(read(from.reason));
    event.background = list(from.background_tasks).iter().map(background).collect();
    // Only an agent id makes it an event of a subagent: a session that was started with --agent has a role, too.
    if let Some(id) = read::<String>(from.agent_id).filter(|id| !id.is_empty()) {
        event.budget_owner = BudgetOwner::Agent(id.clone());
        event.agent = Some(Agent { id, role: read(from.agent_type) });
    }
    let prompt: Option<String> = read(from.prompt);
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
    event.tool = read(from.tool_name).map(|name| Tool {
        name,
        id: read(from.tool_use_id),
        input: truncated(from.tool_input),
        output: truncated(from.tool_response),
        error: read::<String>(from.error).map(|text| cut_middle(&text, limits::TEXT)),
    });
    event.permission_mode = read::<String>(from.permission_mode).filter(|_| event.kind == Kind::ToolBefore);
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

/// Replaces escapes of unpaired surrogates (`\\ud83d` alone, from a cut JavaScript string), which JSON parsers refuse.
pub fn mend_surrogates(payload: &[u8]) -> Cow<'_, [u8]> {
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

/// A JSON value, or its text, cut, if it is too long.
fn truncated(raw: Option<&RawValue>) -> Value {
    match raw.map(RawValue::get) {
        None => Value::Null,
        Some(text) if text.len() > limits::TEXT => Value::String(cut_middle(text, limits::TEXT)),
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
    }
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

/// The texts of a reply.
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

/// The reply as one line of JSON; empty if it has no content.
pub fn encode(kind: &Kind, block: bool, words: ReplyParts) -> String {
    let name = KINDS.iter().find(|(_, known)| known == kind).map(|(name, _)| *name);
    // At a stop, additional context would keep the turn going.
    let may_carry = matches!(kind, Kind::SessionStart | Kind::Prompt | Kind::SubagentStart);
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
    // Older clients put the reason into a tag and do not escape a closing tag in it.
    serde_json::to_string(&reply).unwrap_or_default().replace("</", "<\\/")
}

/// The reply that denies a tool call or asks the user, as one line of JSON.
pub fn permission_reply(ask: bool, reason: &str) -> String {
    let specific = serde_json::json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": if ask { "ask" } else { "deny" },
        "permissionDecisionReason": reason,
    });
    let line = serde_json::json!({ "hookSpecificOutput": specific }).to_string();
    line.replace("</", "<\\/") + "\n"
}

/// The programs that must be in `via` before the outcome of a stop is valid.
pub fn deciders(kind: &Kind, event: &Event) -> Vec<Stage> {
    let judged = !outcome::judges(event).is_empty() && event.reply().is_none();
    match kind {
        Kind::Stop | Kind::SubagentStop if judged => vec![Stage::Bounce, Stage::Receipt],
        Kind::Stop => vec![Stage::Receipt],
        _ => Vec::new(),
    }
}
