//! Forks: sessions that are copies of another session's conversation. No hook names the original, but both logs begin with the same
//! message. A fork continues the original's task: requests and budgets carry over, approvals do not.

use crate::TOOL;
use crate::{prompt, session};
use review_gate::event::{Actor, Draft, Event};
use review_gate::store::journal::Journal;
use review_gate::store::record::{Close, ForkCheck, Limit, Prompt, Start, Switch};
use review_gate::store::state::{State, files_by_age};
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::tool::intake;
use review_gate::tool::origin::Calling;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// How many of the last sessions are searched for the original.
const SEARCHED: usize = 64;

/// How many bytes of a log are read for its first message.
const HEAD: u64 = 1 << 20;

/// Returns the task of the session; a fork is moved to the original's task first. A session is examined once.
pub fn join(event: &mut Draft, own: Option<Task>) -> Result<Option<Task>> {
    let Some(own) = own else { return Ok(None) };
    let first = event.transcript.as_deref().filter(|_| own.may_be_fork).and_then(first_message);
    let Some(first) = first else { return Ok(Some(own)) };
    let parent = parent(event, &first)?.filter(|parent| parent.id != own.id && !parent.is_finished());
    if let Some(session) = event.session_key() {
        let fork_of = parent.as_ref().map(|task| task.id.clone());
        session::append(event, ForkCheck { session: session.to_string(), fork_of })?;
    }
    let Some(parent) = parent else { return Ok(Some(own)) };
    session::alias(event, &parent.id, parent.state.dir(), "fork")?;
    // The user's prompts in the fork belong to the task, too.
    prompt::carry(&own, &parent, |prompt| {
        // A withdrawn request in the fork does not withdraw the original's.
        let review = prompt.review.filter(|review| *review == Switch::On);
        // What an agent had the fork do is not the user's request in the original.
        let is_agents = prompt.limit.is_some_and(|limit| limit != Limit::Unattended);
        let by = if is_agents { Actor::Agent } else { prompt.by };
        Prompt { by, review, ..prompt }
    })?;
    // The original's task has the turn now.
    if let Some(turn) = own.ledger.open_turn() {
        own.append(
            TOOL.name,
            Close { event: turn.id.clone(), why: format!("continued in task {}", parent.id), snapshot: None },
        )?;
    }
    let parent = Task::load(&parent.state, &parent.id)?.unwrap_or(parent);
    let had_loop = event.looping.is_some();
    intake::move_to(event, &parent)?;
    if had_loop && event.looping.is_none() {
        event.tell("review-gate: the loop ended with its task. Begin it again with `#loop TEXT`");
    }
    Ok(Some(parent))
}

/// The task of the session whose log begins with the message `first`.
fn parent(event: &Event, first: &str) -> Result<Option<Task>> {
    let files = files_by_age(&State::of_user()?.sessions());
    for (_, path) in files.into_iter().rev().take(SEARCHED) {
        let Ok(journal) = Journal::open(&path) else { continue };
        let is_other =
            |start: &&Start| Some(start.session.as_str()) != event.session_key() && start.client == event.client;
        let Some(start) = journal.of::<Start>().rfind(is_other) else { continue };
        // A fork has the hook origin of its original.
        let now = Calling::now(event.client);
        let has_origin = start.calling.parent == now.parent && start.calling.stdin == now.stdin;
        if has_origin && start.transcript.as_deref().and_then(first_message).as_deref() == Some(first) {
            return Task::of_session(event.client, &start.session);
        }
    }
    Ok(None)
}

/// The id of the first message of a client's log.
fn first_message(log: &Path) -> Option<String> {
    let lines = BufReader::new(files::try_open(log)?.take(HEAD)).lines().map_while(|line| line.ok());
    let rows = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let first = rows.into_iter().find(|row| row.get("type").and_then(Value::as_str) == Some("user"))?;
    first.get("uuid").and_then(Value::as_str).map(str::to_string)
}
