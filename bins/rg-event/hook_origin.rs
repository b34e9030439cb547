//! The hook origin: whether an event came the way in which its session's client calls the gate.

use review_gate::event::{Client, Draft, Kind, Origin};
use review_gate::store::record::Start;
use review_gate::tool::origin::{self, Calling};

/// Sets the client's process and, if the session's start is on record, the origin.
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
    let now = Calling::now(event.client);
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
        then.stdin == now.stdin && then.parent == now.parent && (is_start || then.is_same_process(&now))
    };
    event.set().origin = if starts.iter().any(|start| is_same(&start)) { Origin::Client } else { Origin::Manual };
}
