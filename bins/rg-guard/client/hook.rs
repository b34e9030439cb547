//! `--hook`: answers a client before each tool call. No output allows the call; a call that cannot be judged is denied.

use super::NAME;
use super::decision::{Caller, decide, record};
use super::definition::Definition;
use super::tool_call::ToolCall;
use crate::judge::Refusal;
use crate::rules::{Context, Level};
use review_gate::dialect::claude;
use review_gate::event::Client;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::Args;
use review_gate::tool::filter::CALL_PATIENCE;
use review_gate::tool::pipes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;

/// The fields of a hook call that are read. A field of another type counts as absent.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: Option<Value>,
    tool_name: Option<Value>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    cwd: Option<Value>,
    session_id: Option<Value>,
    permission_mode: Option<Value>,
    agent_id: Option<Value>,
    agent_type: Option<Value>,
}

fn text(value: &Option<Value>) -> &str {
    value.as_ref().and_then(Value::as_str).unwrap_or("")
}

/// Answers one hook call on standard output. The status is 0 whether the call is denied or not.
pub fn run(args: &Args) -> Result<Exit> {
    let payload = match pipes::read_object(CALL_PATIENCE) {
        Ok(payload) => payload,
        Err(error) => return refuse(&unreadable(&error.to_string())),
    };
    let payload = claude::mend_surrogates(&payload);
    let Ok(read) = serde_json::from_slice::<Payload<'_>>(&payload) else {
        return refuse(&unreadable("the hook call is not valid JSON"));
    };
    // Any other event is not a tool call.
    if !matches!(text(&read.hook_event_name), "" | "PreToolUse" | "BeforeTool") {
        return Ok(Exit::Yes);
    }
    let dir = args.dir()?;
    let cwd = Some(PathBuf::from(text(&read.cwd))).filter(|cwd| cwd.is_absolute()).unwrap_or(dir);
    let session = Some(text(&read.session_id)).filter(|id| !id.is_empty() && *id != "null");
    let call = ToolCall {
        tool: text(&read.tool_name),
        input: read.tool_input.map_or("", RawValue::get),
        by_reviewer: !text(&read.agent_id).is_empty()
            && matches!(text(&read.agent_type), "review-gate:reviewer" | "reviewer"),
        session,
    };
    let definition = match Definition::of(Client::Claude, session, &cwd) {
        Ok(definition) => definition,
        Err(error) => return refuse(&Refusal::new("definition", format!("DONE.md cannot be read: {error}"), "")),
    };
    let context = Context::at(cwd);
    let caller = Caller { agent: text(&read.agent_id), permission_mode: text(&read.permission_mode) };
    let Some(refusal) = decide(&call, &caller, &context, &definition) else { return Ok(Exit::Yes) };
    let answer = refuse(&refusal);
    record(&call, &caller, &refusal);
    answer
}

fn unreadable(why: &str) -> Refusal {
    Refusal::new("unreadable", format!("the tool call cannot be read, so it cannot be judged: {why}"), "")
}

fn refuse(refusal: &Refusal) -> Result<Exit> {
    let line = claude::permission_reply(refusal.level == Level::Ask, &format!("{NAME}: {}", refusal.message()));
    pipes::write(line.as_bytes())?;
    Ok(Exit::Yes)
}
