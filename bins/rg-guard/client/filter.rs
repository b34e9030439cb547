//! The filter: judges the tool call of an event, and writes the reply into its section.

use super::NAME;
use super::call::ToolCall;
use super::decision::{Caller, decide, record};
use super::definition::Definition;
use crate::judge::Refusal;
use crate::rules::{Context, Level};
use review_gate::event::{Action, Event, GuardFields, Section};
use review_gate::sys::error::Result;

/// Judges the tool call of an event.
pub fn judge(event: &Event, section: &mut Section<GuardFields>) -> Result<()> {
    let refusal = match &event.tool {
        None => Some(Refusal::new("unreadable", "the tool call cannot be read, so it cannot be judged", "")),
        Some(tool) => {
            let role = event.agent.as_ref().and_then(|agent| agent.role.as_deref());
            let call = ToolCall {
                client: event.client,
                tool: &tool.name,
                input: &tool.input.to_string(),
                by_reviewer: matches!(role, Some("review-gate:reviewer" | "reviewer")),
                session: event.session_key(),
            };
            let caller = Caller {
                agent: event.agent.as_ref().map_or("", |agent| agent.id.as_str()),
                permission_mode: event.permission_mode.as_deref().unwrap_or(""),
            };
            let definition = Definition::of(event.client, event.session_key(), &event.cwd)?;
            let refusal = decide(&call, &caller, &Context::at(event.cwd.clone()), &definition);
            refusal.inspect(|refusal| record(&call, &caller, refusal))
        }
    };
    if let Some(refusal) = refusal {
        let action = if refusal.level == Level::Ask { Action::Ask } else { Action::Deny };
        section.reply(action, format!("{NAME}: {}", refusal.message()));
    }
    Ok(())
}
