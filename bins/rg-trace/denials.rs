//! The tool calls of a session that rg-guard denied or asked about, from the journals of its tasks.

use review_gate::event::Action;
use review_gate::store::journal::Journal;
use review_gate::store::record::{Body, DeniedCall, TracedEvent};
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeSet;
use std::path::Path;

/// A denied call.
pub struct Denial {
    /// The id of its record.
    pub id: String,
    /// When.
    pub at: Time,
    /// The call.
    pub call: DeniedCall,
}

/// The tasks of the events.
pub fn tasks_of<'a>(events: impl Iterator<Item = &'a TracedEvent>) -> BTreeSet<String> {
    events.filter_map(|traced| traced.task.clone()).collect()
}

/// The denied calls of the session whose trace is `path`, in order. A journal that cannot be read has none.
pub fn of_tasks(state: &State, path: &Path, tasks: &BTreeSet<String>) -> Vec<Denial> {
    let mut denials = Vec::new();
    for journal in tasks.iter().filter_map(|task| Journal::open(&state.task(task)).ok()) {
        for (_, record) in journal.records() {
            if let Body::Denied(call) = &record.body
                && *state.trace(&call.session) == *path
            {
                let envelope = &record.envelope;
                denials.push(Denial { id: envelope.id.clone(), at: envelope.at, call: call.clone() });
            }
        }
    }
    denials.sort_by_key(|denial| denial.at);
    denials
}

impl Denial {
    /// `denied`, or `asked` if the user was asked.
    pub fn word(&self) -> &'static str {
        if self.call.level == Action::Ask { "asked" } else { "denied" }
    }

    /// `12:00:01 denied        Bash {"command":"git push -f"}: push-force: reason`
    pub fn line(&self) -> String {
        let call = &self.call;
        let owner =
            if call.agent.is_empty() { String::new() } else { format!("[agent:{}] ", cut_end(&call.agent, 14)) };
        let (tool, input) = (one_line(&call.tool), cut_end(&one_line(&call.input), 160));
        let why = cut_end(&one_line(&format!("{}: {}", call.rule, call.reason)), 160);
        format!("{} {:<13} {owner}{tool} {input}: {why}", self.at.local_clock(), self.word())
    }
}
