//! The loops of a task as they stand: as far as its journal can be believed, whose they are, and whether they are still alive.

use crate::clock::{self, Time};
use crate::error::Result;
use crate::event::{Client, Event};
use crate::frames::{Belief, Frame, Stack};
use crate::journal::{self, Record};
use crate::state::State;
use crate::task::Task;

/// A loop that nothing happened to for so many seconds holds nobody any more.
const TIME_TO_LIVE: f64 = 2.0 * 3600.0;

/// How many sessions may have been cleared, one after the other.
const CLEARED: usize = 64;

/// All loops of a task, each session's own.
pub fn of(task: &Task) -> Result<Stack> {
    if !task.speaks_of_loops {
        return Ok(Stack::default());
    }
    let belief = believed(task)?;
    let mut stack = Stack::of(&task.records);
    for frame in stack.frames.iter_mut().filter(|frame| frame.session.is_empty()) {
        frame.session = task.begin.session.clone();
    }
    if belief.speaks && stack.wrong.is_none() {
        stack.wrong = belief.wrong;
    }
    Ok(stack)
}

/// How far the journal of a task can be believed in this.
pub fn believed(task: &Task) -> Result<Belief> {
    Ok(Belief::of(&journal::lines(&task.state.task(&task.id))?))
}

/// Those that hold the session of an event.
pub fn of_event(task: &Task, event: &Event) -> Result<Stack> {
    match of(task)? {
        stack if stack.frames.is_empty() => Ok(stack),
        stack => Ok(stack.of_session(&owner(task, event.client, event.session_key())?)),
    }
}

/// The session that a loop of this one holds: itself, or the one that was cleared for it. Without a session the task's own.
pub fn owner(task: &Task, client: Client, session: Option<&str>) -> Result<String> {
    let mut session = session.unwrap_or(&task.begin.session).to_string();
    for _ in 0..CLEARED {
        let records = journal::read(&State::of_user()?.session(client, &session))?;
        let is_its = |record: &&Record| record.kind == "alias" && record.text("task") == task.id;
        match records.iter().rfind(is_its).filter(|alias| alias.text("why") == "clear") {
            Some(alias) if !alias.text("from").is_empty() => session = alias.text("from").to_string(),
            _ => break,
        }
    }
    Ok(session)
}

/// For how long nothing happened in a loop at some time since its last iteration began, where that is too long.
pub fn quiet(task: &Task, top: &Frame) -> Option<f64> {
    let is_step = |record: &Record| {
        let is_its = record.kind == "frame" && record.text("frame") == top.frame;
        is_its && matches!(record.text("state"), "begin" | "next")
    };
    let now = clock::now();
    let since = task.records.iter().rposition(is_step)?;
    let mut moments: Vec<Time> = task.records[since..].iter().filter_map(Record::at).chain([now]).collect();
    if longest(&moments) <= TIME_TO_LIVE {
        return None;
    }
    // What its tools did stands in the traces.
    let first = moments.first().copied().unwrap_or(now);
    moments.extend(traced(task).into_iter().filter(|at| (first..=now).contains(at)));
    moments.sort();
    Some(longest(&moments)).filter(|quiet| *quiet > TIME_TO_LIVE)
}

fn longest(moments: &[Time]) -> f64 {
    moments.windows(2).map(|pair| pair[1].since(pair[0])).fold(0.0, f64::max)
}

/// When something of a task was traced.
fn traced(task: &Task) -> Vec<Time> {
    let entries = std::fs::read_dir(task.state.dir().join("trace")).into_iter().flatten().flatten();
    let records = entries.flat_map(|entry| journal::read_matching(&entry.path(), &task.id).unwrap_or_default());
    records.filter(|record| record.text("task") == task.id).filter_map(|record| record.at()).collect()
}
