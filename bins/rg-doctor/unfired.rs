//! Hooks that did not fire: the trace of the last session has events of which another one must have come first.

use crate::report::Report;
use review_gate::event::{Client, Kind};
use review_gate::store::call_marks::CallMarks;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::wiring::clients::CLIENTS;

/// The tools of the clients that write a file. rg-guard notes the first call of one.
const WRITERS: [&str; 8] =
    ["Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace", "apply_patch", "StrReplace"];

/// Compares the events of the newest trace with the hooks that are wired.
pub fn look(state: &State, report: &mut Report) {
    let Some((_, newest)) = files_by_age(&state.dir().join("trace")).pop() else { return };
    let Some(session) = newest.file_stem().and_then(|name| name.to_str()) else { return };
    let Some(client) = client_of(session) else { return };
    if !report.wired.iter().any(|file| file.client == client.word()) {
        return;
    }
    let Ok(trace) = Journal::open(&newest) else { return };
    let events: Vec<&TracedEvent> = trace.of::<TracedEvent>().collect();
    for missing in missing(&events, client, session) {
        let name = CLIENTS.iter().find(|known| known.client == client).map_or("the client", |known| known.name);
        let text = format!("{name}: the hook of {} did not fire in the last session, {session}", missing.name());
        report.problem("not-fired", text, "start a new session; if it stays so, run `rg-doctor --live`");
    }
}

/// The client of a session, whose journal has its name.
fn client_of(session: &str) -> Option<Client> {
    let user = State::of_user().ok()?;
    CLIENTS.iter().map(|known| known.client).find(|client| user.session(*client, session).is_file())
}

/// The kinds of events that must have happened and are not there.
fn missing(events: &[&TracedEvent], client: Client, session: &str) -> Vec<Kind> {
    let has = |kind: Kind| events.iter().any(|traced| traced.event == kind);
    let ran = has(Kind::ToolAfter) || has(Kind::ToolFailed);
    let wrote = events.iter().filter(|traced| traced.event == Kind::ToolAfter);
    let wrote = wrote.filter_map(|traced| traced.tool.as_ref()).any(|tool| WRITERS.contains(&tool.name.as_str()));
    let is_marked = || CallMarks::of(client, session).is_ok_and(|marks| marks.may_be_unwritten());
    let mut found = Vec::new();
    if (ran || has(Kind::Prompt)) && !has(Kind::SessionStart) {
        found.push(Kind::SessionStart);
    }
    if ran && !has(Kind::Prompt) {
        found.push(Kind::Prompt);
    }
    if wrote && is_marked() {
        found.push(Kind::ToolBefore);
    }
    found
}
