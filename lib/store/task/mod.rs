//! Tasks: what is true now, as folds over one journal.

mod ledger;
mod prompts;
mod waivers;

pub use ledger::{Decision, Ledger, OpenedStop};
pub use prompts::Prompts;

use crate::event::{BudgetOwner, Client, Event, Outcome, Waiver};
use crate::store::journal::Journal;
use crate::store::record::{Alias, Baseline, Begin, Kind, Looked, NewRecord, Prompt, Record, Scheduled, Start};
use crate::store::state::State;
use crate::sys::clock;
use crate::sys::error::{Error, Result};
use std::sync::Arc;
use waivers::Waivers;

/// How long `#gate:off` holds, in seconds.
pub const GATE_OFF_SECONDS: f64 = 24.0 * 3600.0;

/// A task and its journal, as it was read.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// Where its journal lies.
    pub state: State,
    /// How it began.
    pub begin: Begin,
    /// Its journal.
    pub journal: Arc<Journal>,
    /// Stops and budgets.
    pub ledger: Ledger,
    /// What was said.
    pub prompts: Prompts,
    /// Its session once scheduled prompts: it is to be looked at whether they still are.
    pub has_scheduled: bool,
    /// Its session may be a copy of another one, and nobody has looked yet: no start of it was seen, or one that says so.
    pub may_be_fork: bool,
}

impl Task {
    /// The task of that id; None where there is no such journal or it has no beginning.
    pub fn load(state: &State, id: &str) -> Result<Option<Task>> {
        let journal = Journal::open(&state.task(id))?;
        let begin = journal.of::<Begin>().next().cloned();
        Ok(begin.map(|begin| Task {
            id: id.to_string(),
            state: state.clone(),
            begin,
            ledger: journal.fold(),
            prompts: journal.fold(),
            journal: Arc::new(journal),
            has_scheduled: false,
            may_be_fork: false,
        }))
    }

    /// The task that a session of that client is at; None where none began.
    pub fn of_session(client: Client, session: &str) -> Result<Option<Task>> {
        let journal = Journal::open(&State::of_user()?.session(client, session))?;
        let last = journal.of::<Alias>().rfind(|alias| alias.session == session);
        let Some(alias) = last else { return Ok(None) };
        let task = Task::load(&State::at(alias.dir.clone()), &alias.task)?;
        let has_scheduled = journal.of::<Scheduled>().next().is_some();
        let start = journal.of::<Start>().next_back();
        let may_be_fork = start.is_none_or(|start| start.source.as_deref() == Some("fork"))
            && journal.of::<Looked>().next().is_none();
        Ok(task.map(|task| Task { has_scheduled, may_be_fork, ..task }))
    }

    /// Appends a record to its journal, and returns the record's id. What was read of the journal stays as it was read.
    pub fn append(&self, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
        self.state.append(&self.state.task(&self.id), by_tool, draft)
    }

    /// Whether the session's last decision was a waiver that nobody need judge: no file was looked at.
    pub fn is_waived_unseen(&self) -> bool {
        let last = self.ledger.last_of_session();
        last.is_some_and(|sealed| sealed.outcome == Outcome::Waived && sealed.snapshot.is_none())
    }

    /// Whether that budget owner's own baseline is on record.
    pub fn has_baseline(&self, owner: &BudgetOwner) -> bool {
        self.journal.of::<Baseline>().any(|baseline| baseline.budget_owner == *owner)
    }

    /// Whether a review was ever asked for, or spoken of, here.
    pub fn knows_reviews(&self) -> bool {
        let is_of_review =
            |record: &Record| matches!(record.body.kind(), Kind::Packet | Kind::Review | Kind::Approve | Kind::Asked);
        self.prompts.speaks_of_reviews() || self.journal.records().any(|(_, record)| is_of_review(record))
    }

    /// The number of the first record before which the journal is not what it was when that was written. A task's records are always
    /// written under the lock, so that one that claims otherwise is none of ours.
    pub fn edited(&self) -> Option<usize> {
        let chain = self.journal.chain();
        chain.broken.first().or(chain.unlocked.first()).copied()
    }

    /// What was said at a prompt, whole: a long one lies beside the journal. Where that is gone, its head and its tail.
    pub fn prompt_text(&self, prompt: &Prompt) -> String {
        let whole = prompt.blob.as_ref().and_then(|blob| String::from_utf8(self.state.read_blob(blob).ok()?).ok());
        whole.unwrap_or_else(|| prompt.text.clone())
    }

    /// Whether something was red, or cannot be read, since the user's last prompt to that client process.
    pub fn is_red(&self, pid: Option<i32>) -> bool {
        let is_red = |decision: &&Decision| match &decision.sealed {
            Some(sealed) => matches!(sealed.outcome, Outcome::NotDone | Outcome::Abandoned),
            None => true,
        };
        self.ledger.since_user(&BudgetOwner::Main, pid).iter().any(is_red)
    }

    /// Whether the session's last decision ended it. One that cannot be read ends nothing.
    pub fn is_finished(&self) -> bool {
        let last = self.ledger.last_of_session();
        last.is_some_and(|sealed| matches!(sealed.outcome, Outcome::Done | Outcome::Waived))
    }

    /// What the user waived and still holds.
    pub fn waivers_now(&self) -> Vec<Waiver> {
        self.journal.fold::<Waivers>().at(clock::now())
    }
}

/// The task of an event; None for an event made by hand.
pub fn of_event(event: &Event) -> Result<Option<Task>> {
    match &event.task {
        Some(id) => Task::load(&State::of_event(event)?, id),
        None => Ok(None),
    }
}

/// The task that a person named, else the one that is open in a state directory.
pub fn named_or_open(state: &State, id: Option<String>) -> Result<Task> {
    let id = match id {
        Some(id) => id,
        None => open(state)?,
    };
    Task::load(state, &id)?.ok_or_else(|| Error::usage(format!("no such task: {id}")))
}

/// The task whose journal holds a record of that id, or of an id that begins so.
pub fn that_holds(state: &State, id: &str) -> Option<Task> {
    let mut names = state.task_ids();
    names.sort();
    let tasks = names.iter().rev().filter_map(|name| Task::load(state, name).ok()?);
    tasks.into_iter().find(|task| task.journal.records().any(|(_, record)| record.envelope.id.starts_with(id)))
}

/// The task that is open; where there are several, the user must say which.
fn open(state: &State) -> Result<String> {
    let tasks = state.task_ids().into_iter().filter_map(|id| Task::load(state, &id).ok()?);
    // What nobody touched for a day is not what the user means.
    let yesterday = clock::now().plus(-86_400.0);
    let is_recent = |task: &Task| task.journal.lines().last().is_some_and(|line| line.at > yesterday);
    let mut open: Vec<Task> = tasks.filter(|task| !task.is_finished() && is_recent(task)).collect();
    // A task that was bounced is what the user means; one that only asked a question is not.
    let was_judged = |task: &Task| task.ledger.sealed().next().is_some();
    if open.iter().any(was_judged) {
        open.retain(was_judged);
    }
    open.sort_by(|a, b| a.id.cmp(&b.id));
    match open.len() {
        1 => Ok(open.remove(0).id),
        0 => {
            let dir = state.dir().join("tasks");
            Err(Error::usage(format!("no open task in {}: name one with --task", dir.display())))
        }
        _ => {
            let names: Vec<String> =
                open.iter().map(|task| format!("{} (session {})", task.id, task.begin.session)).collect();
            Err(Error::usage(format!("several tasks are open, name one with --task: {}", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests;
