//! The task journal of a session: what tool calls need of it, and what is recorded there about them.

use super::NAME;
use super::call::ToolCall;
use crate::judge::Refusal;
use crate::judge::backups::Backup;
use crate::rules::Level;
use review_gate::event::{Action, Client};
use review_gate::store::journal;
use review_gate::store::record::{CallBackup, DeniedCall, ReviewStep};
use review_gate::store::task::task_of;
use review_gate::sys::error::Result;
use review_gate::sys::redact::redact;
use review_gate::sys::text::cut_middle;

/// How much of the reason and of the input of a denied call is recorded, in bytes each.
const MAX_RECORDED: usize = 2 << 10;

/// Whether an agent is a reviewer of the session's task.
pub fn is_reviewer(client: Client, session: &str, agent: &str) -> bool {
    let Ok(Some((state, task))) = task_of(client, session) else { return false };
    let steps: Vec<ReviewStep> = journal::search(&state.task(&task), agent).unwrap_or_default();
    steps.iter().any(|step| match step {
        ReviewStep::Began(began) => began.agent == agent,
        ReviewStep::Uninvited { agent: known, .. } => known == agent,
        ReviewStep::SentBack(sent) => sent.agent == agent,
        ReviewStep::Decided(given) => given.by == agent,
        ReviewStep::Pinned(_) | ReviewStep::Opened(_) => false,
    })
}

/// Records a refusal in the session's task, where it has one.
pub fn record_refusal(call: &ToolCall<'_>, session: &str, agent: &str, refusal: &Refusal) -> Result<()> {
    let client = call.client;
    let Some((state, task)) = task_of(client, session)? else { return Ok(()) };
    let denied = DeniedCall {
        session: session.to_string(),
        agent: agent.to_string(),
        tool: call.tool.to_string(),
        rule: refusal.rule.to_string(),
        level: if refusal.level == Level::Ask { Action::Ask } else { Action::Deny },
        reason: cut_middle(&redact(&refusal.reason), MAX_RECORDED),
        input: cut_middle(&redact(call.input), MAX_RECORDED),
    };
    state.append(&state.task(&task), NAME, denied).map(drop)
}

/// Records the backups of a tool call in the session's task, where it has one.
pub fn record_backups(call: &ToolCall<'_>, session: &str, agent: &str, backups: &[Backup]) -> Result<()> {
    if backups.is_empty() {
        return Ok(());
    }
    let client = call.client;
    let Some((state, task)) = task_of(client, session)? else { return Ok(()) };
    for backup in backups {
        let rescued = CallBackup {
            session: session.to_string(),
            agent: agent.to_string(),
            tool: call.tool.to_string(),
            backup: backup.id.clone(),
            worktree: backup.worktree.clone(),
            input: backup.command.clone(),
        };
        state.append(&state.task(&task), NAME, rescued)?;
    }
    Ok(())
}
