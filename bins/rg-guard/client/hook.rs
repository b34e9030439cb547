//! `--hook`: answers a client before each tool call. No output allows the call; a call that cannot be judged is denied.

use super::definition::Definition;
use super::tool_call::{self, ToolCall};
use super::{NAME, records};
use crate::judge::Refusal;
use crate::judge::backups::Risks;
use crate::rules::{Context, Level};
use review_gate::dialect::claude;
use review_gate::event::Client;
use review_gate::sys::env;
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
    let mut risks = Risks::default();
    let refusal = tool_call::judge(&call, &context, &definition, &mut risks);
    let is_unattended =
        || matches!(text(&read.permission_mode), "bypassPermissions" | "dontAsk") || env::is_attended() == Some(false);
    let refusal = refusal.map(|refusal| if is_unattended() { without_user(refusal) } else { refusal });
    let refusal = match refusal {
        Some(refusal) if refusal.level == Level::Deny => Some(refusal),
        // The call runs, or the user may allow it: what it may lose is backed up first.
        refusal => match risks.back_up(NAME) {
            Ok(backups) => {
                if let Some(session) = session {
                    let _ = records::record_backups(session, text(&read.agent_id), call.tool, &backups);
                }
                refusal
            }
            Err(failure) => Some(if is_unattended() { without_user(*failure) } else { *failure }),
        },
    };
    let Some(refusal) = refusal else { return Ok(Exit::Yes) };
    let answer = refuse(&refusal);
    // The record is a copy: the answer does not depend on it.
    if let Some(session) = session {
        let _ = records::record_refusal(session, text(&read.agent_id), call.tool, call.input, &refusal);
    }
    answer
}

fn unreadable(why: &str) -> Refusal {
    Refusal::new("unreadable", format!("the tool call cannot be read, so it cannot be judged: {why}"), "")
}

/// A question as a denial, for a session without a user.
fn without_user(refusal: Refusal) -> Refusal {
    match refusal.level {
        Level::Deny => refusal,
        Level::Ask => {
            let reason = format!("{} (the user would be asked, but this session is unattended)", refusal.reason);
            Refusal { level: Level::Deny, reason, ..refusal }
        }
    }
}

fn refuse(refusal: &Refusal) -> Result<Exit> {
    let line = claude::permission_reply(refusal.level == Level::Ask, &format!("{NAME}: {}", refusal.message()));
    pipes::write(line.as_bytes())?;
    Ok(Exit::Yes)
}
