//! The filter: judges the tool call of an event, and writes the reply into its section.

use super::definition::Definition;
use super::tool_call::{self, ToolCall};
use super::{NAME, records};
use crate::judge::Refusal;
use crate::judge::backups::Risks;
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
                tool: &tool.name,
                input: &tool.input.to_string(),
                by_reviewer: matches!(role, Some("review-gate:reviewer" | "reviewer")),
                session: event.session_key(),
            };
            let definition = Definition::of(event.client, event.session_key(), &event.cwd)?;
            let context = Context::at(event.cwd.clone());
            let mut risks = Risks::default();
            match tool_call::judge(&call, &context, &definition, &mut risks) {
                Some(refusal) if refusal.level == Level::Deny => Some(refusal),
                refusal => match risks.back_up(NAME) {
                    Ok(backups) => {
                        let agent = event.agent.as_ref().map_or("", |agent| agent.id.as_str());
                        let session = event.session_key().unwrap_or("");
                        // The record is a copy: the call does not depend on it.
                        let _ = records::record_backups(session, agent, &tool.name, &backups);
                        refusal
                    }
                    Err(failure) => Some(*failure),
                },
            }
        }
    };
    if let Some(refusal) = refusal {
        let action = if refusal.level == Level::Ask { Action::Ask } else { Action::Deny };
        section.reply(action, format!("{NAME}: {}", refusal.message()));
    }
    Ok(())
}
