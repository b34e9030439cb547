//! `rg-trace stats`: how many tool calls, failures, stops and bounces there were, and how long it took.

use crate::denials::{self, tasks_of};
use crate::show::find;
use review_gate::event::Kind;
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::json;
use std::collections::BTreeMap;

/// The numbers of some sessions.
#[derive(Default)]
struct Numbers {
    sessions: usize,
    events: usize,
    seconds: f64,
    /// Calls and failed calls, by tool.
    tools: BTreeMap<String, (usize, usize)>,
    stops: usize,
    outcomes: BTreeMap<&'static str, usize>,
    bounces: usize,
    denied: usize,
}

/// Prints the numbers of one session, by default of all.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut session, mut as_json) = (None, false);
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            Flag::Long(name) if name == "json" => as_json = true,
            flag => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let paths = match &session {
        Some(session) => {
            let none = || Error::usage(format!("no trace of session {}", ids::file_name(session)));
            vec![find(&state, session)?.ok_or_else(none)?]
        }
        None => files_by_age(&state.dir().join("trace")).into_iter().map(|(_, path)| path).collect(),
    };
    let mut numbers = Numbers::default();
    for path in &paths {
        let journal = Journal::open(path)?;
        let events: Vec<&TracedEvent> = journal.of::<TracedEvent>().collect();
        numbers.sessions += 1;
        numbers.denied += denials::of_tasks(&state, path, &tasks_of(events.iter().copied())).len();
        numbers.add(&events);
    }
    pipes::write(if as_json { numbers.json() } else { numbers.text() }.as_bytes())?;
    Ok(Exit::Yes)
}

impl Numbers {
    fn add(&mut self, events: &[&TracedEvent]) {
        self.events += events.len();
        if let (Some(first), Some(last)) = (events.first(), events.last()) {
            self.seconds += last.at.since(first.at);
        }
        for traced in events {
            match (&traced.event, &traced.tool) {
                (kind @ (Kind::ToolAfter | Kind::ToolFailed), Some(tool)) => {
                    let (calls, failed) = self.tools.entry(tool.name.clone()).or_default();
                    *calls += 1;
                    *failed += usize::from(*kind == Kind::ToolFailed);
                }
                (Kind::Stop, _) => {
                    self.stops += 1;
                    if let Some(outcome) = traced.outcome {
                        *self.outcomes.entry(outcome.word()).or_default() += 1;
                    }
                }
                _ => {}
            }
            self.bounces += usize::from(traced.bounce.is_some());
        }
    }

    fn text(&self) -> String {
        let mut tools: Vec<(&String, &(usize, usize))> = self.tools.iter().collect();
        tools.sort_by_key(|(_, (calls, _))| std::cmp::Reverse(*calls));
        let tools: Vec<String> = tools.iter().map(|(name, (calls, failed))| tool(name, *calls, *failed)).collect();
        let outcomes: Vec<String> = self.outcomes.iter().map(|(word, n)| format!("{n} {word}")).collect();
        let or_none = |list: Vec<String>| if list.is_empty() { "none".to_string() } else { list.join(", ") };
        format!(
            "sessions: {}, with {}, in {}\ntool calls: {}\ndenied calls: {}\nstops: {}, of them judged: {}\nbounces: {}\n",
            self.sessions,
            count(self.events, "event"),
            clock::human(self.seconds),
            or_none(tools),
            self.denied,
            self.stops,
            or_none(outcomes),
            self.bounces
        )
    }

    fn json(&self) -> String {
        let tools: BTreeMap<&String, _> = self
            .tools
            .iter()
            .map(|(name, (calls, failed))| (name, json!({"calls": calls, "failed": failed})))
            .collect();
        let all = json!({
            "sessions": self.sessions,
            "events": self.events,
            "seconds": self.seconds,
            "tools": tools,
            "denied": self.denied,
            "stops": self.stops,
            "outcomes": self.outcomes,
            "bounces": self.bounces,
        });
        format!("{all}\n")
    }
}

/// `Bash 12 (1 failed)`
fn tool(name: &str, calls: usize, failed: usize) -> String {
    let failed = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    format!("{} {calls}{failed}", one_line(name))
}
