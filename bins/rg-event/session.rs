//! A session's start: how its client calls us, what it goes on with, and what the person has not been told yet.

use crate::calling::Calling;
use review_gate::error::Result;
use review_gate::event::Event;
use review_gate::journal::{self, Record};
use review_gate::state::State;
use review_gate::task::Task;
use review_gate::text::{count, cut_end, one_line};
use serde_json::json;

/// How many notices are shown in full.
const SHOWN: usize = 3;

/// A session began, was resumed, cleared or compacted.
pub fn start(event: &mut Event) -> Result<()> {
    let state = State::of(&event.root)?;
    let calling = Calling::now();
    let session = event.session.clone().unwrap_or_default();
    if event.source.as_deref() == Some("clear") {
        join_cleared(&state, event, &calling)?;
    }
    let start = json!({"session": session, "client": event.client, "source": event.source, "calling": calling});
    state.append(&state.sessions(), crate::TOOL.name, "start", start)?;
    left_open(&state, event)?;
    tell_unseen(&state, event)
}

/// Clearing a conversation makes a new session of the same process: it stays at the task, with its budgets.
fn join_cleared(state: &State, event: &mut Event, calling: &Calling) -> Result<()> {
    let records = journal::read(&state.sessions())?;
    let before = records.iter().rev().find(|record| {
        record.kind == "start"
            && Some(record.text("session")) != event.session_key()
            && record.get::<Calling>("calling").is_some_and(|then| then.pid == calling.pid && then.pid.is_some())
    });
    let Some(before) = before else { return Ok(()) };
    if let Some(task) = Task::of_session(state, event.client, before.text("session"))? {
        let alias = json!({"session": event.session, "client": event.client, "task": task.id, "why": "clear"});
        state.append(&state.sessions(), crate::TOOL.name, "alias", alias)?;
        event.task = Some(task.id);
    }
    Ok(())
}

/// Stops that were opened and never closed ended without anybody's word: said once, as a notice.
fn left_open(state: &State, event: &Event) -> Result<()> {
    let Some(task) = event.session_key().and_then(|session| Task::of_session(state, event.client, session).ok()?)
    else {
        return Ok(());
    };
    let unclosed = task.unclosed();
    if unclosed.is_empty() {
        return Ok(());
    }
    let text = format!("{} of this task began to be judged and never ended: unverified", count(unclosed.len(), "stop"));
    for open in &unclosed {
        let close = json!({"event": open.text("event"), "why": "unverified: never ended"});
        state.append(&state.task(&task.id), crate::TOOL.name, "close", close)?;
    }
    state.notice(crate::TOOL.name, Some(&task.id), &text, None)?;
    Ok(())
}

/// Shows what was left for the person, and marks it as seen.
fn tell_unseen(state: &State, event: &mut Event) -> Result<()> {
    let records = journal::read(&state.notices())?;
    let seen: Vec<String> = records
        .iter()
        .filter(|r| r.kind == "seen")
        .flat_map(|r| r.get::<Vec<String>>("ids").unwrap_or_default())
        .collect();
    let unseen: Vec<&Record> =
        records.iter().filter(|r| r.kind == "notice" && !seen.iter().any(|id| id == r.text("id"))).collect();
    if unseen.is_empty() {
        return Ok(());
    }
    for notice in unseen.iter().rev().take(SHOWN).rev() {
        let at = notice.text("at").get(..16).unwrap_or("").replace('T', " ");
        event.tell(crate::TOOL.name, format!("review-gate, {at}: {}", cut_end(&one_line(notice.text("text")), 300)));
    }
    if unseen.len() > SHOWN {
        event.tell(
            crate::TOOL.name,
            format!("review-gate: and {} (rg-receipt list)", count(unseen.len() - SHOWN, "earlier notice")),
        );
    }
    let ids: Vec<&str> = unseen.iter().map(|record| record.text("id")).collect();
    state.append(&state.notices(), crate::TOOL.name, "seen", json!({"ids": ids}))?;
    Ok(())
}
