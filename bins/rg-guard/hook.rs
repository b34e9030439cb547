//! `--hook`: a client asks before each tool call. Silence lets it run; whatever cannot be judged does not.

use crate::definition::Definition;
use crate::risk;
use crate::rules::Level;
use crate::tools::{self, Asked};
use crate::verdict::Finding;
use crate::world::World;
use review_gate::dialect::claude;
use review_gate::event::Action;
use review_gate::event::Client;
use review_gate::store::record::Denied;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::redact::redact;
use review_gate::sys::text::cut_middle;
use review_gate::tool::cli::Args;
use review_gate::tool::filter::CALL_PATIENCE;
use review_gate::tool::pipes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;

/// How much of a denied call is written down, in bytes.
const KEPT: usize = 2 << 10;

/// The fields of a hook call that are read; a field of another form is as good as absent.
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

/// Answers one hook call. The status is 0 whether it is denied or not: the answer is on standard output.
pub fn run(args: &Args) -> Result<Exit> {
    let payload = match pipes::read_object(CALL_PATIENCE) {
        Ok(payload) => payload,
        Err(error) => return refuse(&unreadable(&error.to_string())),
    };
    let payload = claude::mend_surrogates(&payload);
    let Ok(read) = serde_json::from_slice::<Payload<'_>>(&payload) else {
        return refuse(&unreadable("the hook call is no JSON that could be read"));
    };
    // Another event than the one that we are wired to is nobody's tool call.
    if !matches!(text(&read.hook_event_name), "" | "PreToolUse" | "BeforeTool") {
        return Ok(Exit::Yes);
    }
    let here = args.dir()?;
    let cwd = Some(PathBuf::from(text(&read.cwd))).filter(|cwd| cwd.is_absolute()).unwrap_or(here);
    let session = Some(text(&read.session_id)).filter(|id| !id.is_empty() && *id != "null");
    let asked = Asked {
        tool: text(&read.tool_name),
        input: read.tool_input.map_or("", RawValue::get),
        reviewer: !text(&read.agent_id).is_empty()
            && matches!(text(&read.agent_type), "review-gate:reviewer" | "reviewer"),
        session,
    };
    let definition = match Definition::of(Client::Claude, session, &cwd) {
        Ok(definition) => definition,
        Err(error) => return refuse(&Finding::of_text("definition", format!("DONE.md cannot be read: {error}"), "")),
    };
    let world = World::at(cwd);
    let found = tools::judge(&asked, &world, &definition);
    let unattended =
        || matches!(text(&read.permission_mode), "bypassPermissions" | "dontAsk") || env::attended() == Some(false);
    let found = found.map(|found| if unattended() { unasked(found) } else { found });
    let found = match found {
        Some(found) if found.level == Level::Deny => Some(found),
        // It runs, or a person may let it: what it may lose is kept first.
        found => match risk::keep(&world) {
            Ok(kept) => {
                if let Some(session) = session {
                    let _ = risk::write_down(session, text(&read.agent_id), asked.tool, &kept);
                }
                found
            }
            Err(failed) => Some(if unattended() { unasked(*failed) } else { *failed }),
        },
    };
    let Some(found) = found else { return Ok(Exit::Yes) };
    let answered = refuse(&found);
    // What is written down is a copy: that it cannot be changes nothing.
    if let Some(session) = session {
        let _ = write_down(session, text(&read.agent_id), &asked, &found);
    }
    answered
}

fn unreadable(why: &str) -> Finding {
    Finding::of_text("unreadable", format!("a tool call that cannot be read cannot be judged: {why}"), "")
}

/// Where nobody answers, a question is a no.
fn unasked(found: Finding) -> Finding {
    match found.level {
        Level::Deny => found,
        Level::Ask => {
            let reason = format!("{} (a person would be asked, but nobody attends this session)", found.reason);
            Finding { level: Level::Deny, reason, ..found }
        }
    }
}

fn refuse(found: &Finding) -> Result<Exit> {
    let line = claude::refusal(found.level == Level::Ask, &format!("rg-guard: {}", found.told()));
    pipes::write(line.as_bytes())?;
    Ok(Exit::Yes)
}

/// A denial stands in the task's journal, where a session has one.
fn write_down(session: &str, agent: &str, asked: &Asked<'_>, found: &Finding) -> Result<()> {
    let Some((state, task)) = crate::definition::task_of(Client::Claude, session)? else { return Ok(()) };
    let denied = Denied {
        session: session.to_string(),
        agent: agent.to_string(),
        tool: asked.tool.to_string(),
        rule: found.rule.to_string(),
        level: if found.level == Level::Ask { Action::Ask } else { Action::Deny },
        reason: cut_middle(&redact(&found.reason), KEPT),
        input: cut_middle(&redact(asked.input), KEPT),
    };
    state.append(&state.task(&task), crate::TOOL.name, denied).map(drop)
}
