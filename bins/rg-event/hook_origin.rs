//! The hook origin: whether an event came the way in which its session's client calls the gate.

use review_gate::event::{Actor, Client, Draft, Event, Kind, Origin};
use review_gate::store::record::Start;
use review_gate::tool::origin::{self, Calling};

/// Sets the client's process and, if the session's start is on record, the origin and the actor.
pub fn set(event: &mut Draft) {
    if event.client == Client::Text
        || !matches!(
            event.kind,
            Kind::SessionStart
                | Kind::Prompt
                | Kind::ToolBefore
                | Kind::SubagentStart
                | Kind::Stop
                | Kind::SubagentStop
        )
    {
        return;
    }
    let now = Calling::now();
    event.set().pid = now.pid;
    let Some(starts) = origin::starts(event).ok().filter(|starts| !starts.is_empty()) else {
        if event.kind == Kind::SessionStart {
            event.set().origin = Origin::Client;
        }
        return;
    };
    // A resumed session may have another process, which calls in the same way.
    let is_start = event.kind == Kind::SessionStart;
    let is_same = |start: &&Start| {
        let then = &start.calling;
        then.stdin == now.stdin && then.parent == now.parent && (is_start || then.pid == now.pid)
    };
    let same = starts.iter().rfind(is_same);
    event.set().origin = if same.is_some() { Origin::Client } else { Origin::Manual };
    // The prompts of a client that an agent started are the agent's.
    if event.by == Actor::User && same.is_some_and(|start| start.nested) {
        event.set().by = Actor::Agent;
    }
}

/// Whether the client that starts a session now is a descendant of another client of the same session.
pub fn is_nested(event: &Event, now: &Calling) -> bool {
    let clients: Vec<i32> =
        origin::starts(event).unwrap_or_default().iter().filter_map(|start| start.calling.pid).collect();
    !clients.is_empty() && origin::is_below(&clients, now.pid)
}
