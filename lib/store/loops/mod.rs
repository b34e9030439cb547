//! The loops of a task: the sessions that own them, and whether they are still active.

pub mod stack;

use crate::event::{Client, Event};
use crate::store::journal::{self, Journal};
use crate::store::loops::stack::{Frame, Stack};
use crate::store::record::{Alias, Body, FrameStep, Record, TracedEvent};
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::clock::{self, Time};
use crate::sys::error::Result;

/// A loop in which nothing happened for this many seconds is no longer active.
const TIME_TO_LIVE: f64 = 2.0 * 3600.0;

/// The most sessions that may have been cleared, one after the other.
const MAX_CLEARED: usize = 64;

/// The loops that keep the session of an event going.
pub fn of_event(task: &Task, event: &Event) -> Result<Stack> {
    match Stack::of(&task.journal) {
        stack if stack.frames.is_empty() => Ok(stack),
        stack => Ok(stack.of_session(&owning_session(task, event.client, event.session_key())?)),
    }
}

/// The session that owns this session's loops: itself, or the session that was cleared for it. Without a session: the task's own.
pub fn owning_session(task: &Task, client: Client, session: Option<&str>) -> Result<String> {
    let mut session = session.unwrap_or(&task.begin.session).to_string();
    for _ in 0..MAX_CLEARED {
        let journal = Journal::open(&State::of_user()?.session(client, &session))?;
        let alias = journal.of::<Alias>().rfind(|alias| alias.task == task.id).filter(|alias| alias.why == "clear");
        match alias.and_then(|alias| alias.from.clone()) {
            Some(from) => session = from,
            None => break,
        }
    }
    Ok(session)
}

/// The longest time without activity since the loop's current iteration began, in seconds; None if it is below the limit.
pub fn longest_silence(task: &Task, top: &Frame) -> Option<f64> {
    let is_step = |record: &Record| match &record.body {
        Body::Frame(FrameStep::Begin(begin)) => begin.frame == top.id(),
        Body::Frame(FrameStep::Next(next)) => next.frame == top.id(),
        _ => false,
    };
    let now = clock::now();
    let since = task.journal.records().rfind(|(_, record)| is_step(record))?.0.number;
    let written = task.journal.records().filter(|(line, _)| line.number >= since).map(|(line, _)| line.at);
    let mut moments: Vec<Time> = written.chain([now]).collect();
    if longest(&moments) <= TIME_TO_LIVE {
        return None;
    }
    // Tool calls are recorded only in the traces.
    let first = moments.first().copied().unwrap_or(now);
    moments.extend(trace_times(task).into_iter().filter(|at| (first..=now).contains(at)));
    moments.sort();
    Some(longest(&moments)).filter(|quiet| *quiet > TIME_TO_LIVE)
}

fn longest(moments: &[Time]) -> f64 {
    moments.windows(2).map(|pair| pair[1].since(pair[0])).fold(0.0, f64::max)
}

/// The times of a task's records in the traces.
fn trace_times(task: &Task) -> Vec<Time> {
    let entries = std::fs::read_dir(task.state.dir().join("trace")).into_iter().flatten().flatten();
    let records = entries.flat_map(|entry| journal::search::<TracedEvent>(&entry.path(), &task.id).unwrap_or_default());
    records.filter(|traced| traced.task.as_ref() == Some(&task.id)).map(|traced| traced.at).collect()
}
