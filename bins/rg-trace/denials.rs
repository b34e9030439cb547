//! The tool calls of a session that rg-guard denied or asked about, from the journals of its tasks.

use review_gate::event::Action;
use review_gate::store::journal::Journal;
use review_gate::store::record::{Body, DeniedCall, TracedEvent};
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeSet;
use std::path::Path;

/// The denied calls of the session whose trace is `path`, each with its time. A journal that cannot be read has none.
pub fn of_trace(state: &State, path: &Path, trace: &Journal) -> Vec<(Time, String)> {
    let tasks: BTreeSet<&str> = trace.of::<TracedEvent>().filter_map(|traced| traced.task.as_deref()).collect();
    let mut denials = Vec::new();
    for journal in tasks.into_iter().filter_map(|task| Journal::open(&state.task(task)).ok()) {
        for (_, record) in journal.records() {
            if let Body::Denied(call) = &record.body
                && *state.trace(&call.session) == *path
            {
                denials.push((record.envelope.at, line(record.envelope.at, call)));
            }
        }
    }
    denials.sort_by_key(|(at, _)| *at);
    denials
}

/// `12:00:01 denied        Bash {"command":"git push -f"}: push-force: reason`
fn line(at: Time, call: &DeniedCall) -> String {
    let word = if call.level == Action::Ask { "asked" } else { "denied" };
    let owner = if call.agent.is_empty() { String::new() } else { format!("[agent:{}] ", cut_end(&call.agent, 14)) };
    let (tool, input) = (one_line(&call.tool), cut_end(&one_line(&call.input), 160));
    let why = cut_end(&one_line(&format!("{}: {}", call.rule, call.reason)), 160);
    format!("{} {word:<13} {owner}{tool} {input}: {why}", at.to_string().get(11..19).unwrap_or("--------"))
}
