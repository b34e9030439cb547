//! The decision about a tool call: judged, with what it may lose backed up, and without questions where no user attends.

use super::call::ToolCall;
use super::definition::Definition;
use super::tool_call;
use super::{NAME, authorship, records};
use crate::judge::Refusal;
use crate::judge::backups::Risks;
use crate::rules::{Context, Level};
use review_gate::dialect;
use review_gate::sys::env;

/// Who makes a tool call.
pub struct Caller<'a> {
    /// The subagent's id; empty for the session itself.
    pub agent: &'a str,
    /// The client's permission mode; empty where it is not known.
    pub permission_mode: &'a str,
}

/// The refusal of a call; None allows it. A call that runs, or that the user may allow, has its backups taken.
pub fn decide(call: &ToolCall<'_>, caller: &Caller<'_>, context: &Context, definition: &Definition) -> Option<Refusal> {
    if let Some(session) = call.session {
        authorship::note(session, call);
    }
    let mut risks = Risks::default();
    let refusal = tool_call::judge(call, context, definition, &mut risks);
    let refusal = refusal.map(|refusal| for_session(refusal, call, caller));
    if refusal.as_ref().is_some_and(|refusal| refusal.level == Level::Deny) {
        return refusal;
    }
    match risks.back_up(NAME) {
        Ok(backups) => {
            if let Some(session) = call.session {
                // The record is a copy: the call does not depend on it.
                let _ = records::record_backups(call, session, caller.agent, &backups);
            }
            refusal
        }
        Err(failure) => Some(for_session(*failure, call, caller)),
    }
}

/// Records a refusal. The record is a copy: the answer does not depend on it.
pub fn record(call: &ToolCall<'_>, caller: &Caller<'_>, refusal: &Refusal) {
    if let Some(session) = call.session {
        let _ = records::record_refusal(call, session, caller.agent, refusal);
    }
}

/// The refusal as the session gets it: without a user to ask, a question is a denial.
fn for_session(refusal: Refusal, call: &ToolCall<'_>, caller: &Caller<'_>) -> Refusal {
    let is_unattended =
        || matches!(caller.permission_mode, "bypassPermissions" | "dontAsk") || env::is_attended() == Some(false);
    let why = match () {
        () if refusal.level == Level::Deny => return refusal,
        () if !dialect::can_ask(call.client) => "a hook of this client cannot ask",
        () if is_unattended() => "this session is unattended",
        () => return refusal,
    };
    let reason = format!("{} (the user would be asked, but {why})", refusal.reason);
    Refusal { level: Level::Deny, reason, ..refusal }
}
