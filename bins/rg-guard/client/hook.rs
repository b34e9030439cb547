//! `--hook`: answers a client before each tool call. No output allows the call; a call that cannot be judged is denied.

use super::NAME;
use super::call::ToolCall;
use super::decision::{Caller, decide, record};
use super::definition::Definition;
use crate::judge::Refusal;
use crate::rules::{Context, Level};
use review_gate::dialect;
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
pub fn run(args: &Args, client: Client) -> Result<Exit> {
    let refuse = |refusal: &Refusal| {
        let ask = refusal.level == Level::Ask;
        let line = dialect::refusal(client, ask, &format!("{NAME}: {}", refusal.message()));
        pipes::write_answer(line.as_bytes())?;
        Ok(Exit::Yes)
    };
    let payload = match pipes::read_object(CALL_PATIENCE) {
        Ok(payload) => payload,
        Err(error) => return refuse(&unreadable(&error.to_string())),
    };
    let payload = dialect::mend_surrogates(&payload);
    let dir = args.dir()?;
    if client == Client::Cursor {
        let call = match dialect::cursor_call(&payload) {
            Ok(Some(call)) => call,
            Ok(None) => return Ok(Exit::Yes),
            Err(_) => return refuse(&unreadable("the hook call is not valid JSON")),
        };
        let session = Some(call.session.as_str()).filter(|id| !id.is_empty());
        let cwd = call.cwd.clone().unwrap_or(dir);
        let tool_call = ToolCall { client, tool: &call.tool, input: &call.input, by_reviewer: false, session };
        let caller = Caller { agent: "", permission_mode: "" };
        return answer(&tool_call, &caller, cwd, refuse);
    }
    let Ok(read) = serde_json::from_slice::<Payload<'_>>(&payload) else {
        return refuse(&unreadable("the hook call is not valid JSON"));
    };
    // Any other event is not a tool call.
    if !matches!(text(&read.hook_event_name), "" | "PreToolUse" | "BeforeTool") {
        return Ok(Exit::Yes);
    }
    let cwd = Some(PathBuf::from(text(&read.cwd))).filter(|cwd| cwd.is_absolute()).unwrap_or(dir);
    let session = Some(text(&read.session_id)).filter(|id| !id.is_empty() && *id != "null");
    let call = ToolCall {
        client,
        tool: text(&read.tool_name),
        input: read.tool_input.map_or("", RawValue::get),
        by_reviewer: !text(&read.agent_id).is_empty()
            && matches!(text(&read.agent_type), "review-gate:reviewer" | "reviewer"),
        session,
    };
    let caller = Caller { agent: text(&read.agent_id), permission_mode: text(&read.permission_mode) };
    answer(&call, &caller, cwd, refuse)
}

/// Judges a call, answers through `refuse` if it may not run, and records that.
fn answer(
    call: &ToolCall<'_>,
    caller: &Caller<'_>,
    cwd: PathBuf,
    refuse: impl Fn(&Refusal) -> Result<Exit>,
) -> Result<Exit> {
    let definition = match Definition::of(call.client, call.session, &cwd) {
        Ok(definition) => definition,
        Err(error) => return refuse(&Refusal::new("definition", format!("DONE.md cannot be read: {error}"), "")),
    };
    let context = Context::at(cwd);
    let Some(refusal) = decide(call, caller, &context, &definition) else { return Ok(Exit::Yes) };
    let answer = refuse(&refusal);
    record(call, caller, &refusal);
    answer
}

fn unreadable(why: &str) -> Refusal {
    Refusal::new("unreadable", format!("the tool call cannot be read, so it cannot be judged: {why}"), "")
}
