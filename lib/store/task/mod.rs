//! Tasks: their current state, computed by folds over one journal.

mod ledger;
mod prompts;
mod session;
mod waivers;

pub use ledger::{Ledger, LedgerEntry, OpenTurn, OpenedStop};
pub use prompts::Prompts;
pub use session::{definition_of, task_of};

use crate::event::{BudgetOwner, Client, Event, Outcome, Waiver};
use crate::store::journal::Journal;
use crate::store::record::{
    Alias, Baseline, Begin, Bless, Body, ForkCheck, Kind, NewRecord, Prompt, Record, RunStep, ScheduledPrompts,
    SealedReceipt, Start,
};
use crate::store::state::State;
use crate::sys::clock::{self, DAY};
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::procfs;
use std::collections::HashSet;
use std::sync::Arc;
use waivers::Waivers;

/// How long `#gate:off` applies, in seconds.
pub const GATE_OFF_SECONDS: f64 = DAY;

/// What a user can do about a journal that was edited.
pub const NEW_SESSION: &str = "Quit the client and start a new session";

/// Why a verb that needs the open task finds none.
pub const NO_OPEN_TASK: &str = "no open task in this repository: a prompt in the client begins one";

/// A task and the content of its journal.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The state directory that holds its journal.
    pub state: State,
    /// Its first record.
    pub begin: Begin,
    /// Its journal.
    pub journal: Arc<Journal>,
    /// Its stops and budgets.
    pub ledger: Ledger,
    /// Its prompts.
    pub prompts: Prompts,
    /// Its session scheduled prompts at some time, so the caller must check whether they still are.
    pub has_scheduled: bool,
    /// Its session may be an unchecked fork of another one: no start of it is on record, or the start says that it is a fork.
    pub may_be_fork: bool,
}

impl Task {
    /// The task of that id; None if its journal is missing or has no first record.
    pub fn load(state: &State, id: &str) -> Result<Option<Task>> {
        let journal = Journal::open(&state.task(id))?;
        let begin = journal.of::<Begin>().next().cloned().map(|begin| begin_as_blessed(begin, &journal));
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

    /// The task of a client's session; None if no task began.
    pub fn of_session(client: Client, session: &str) -> Result<Option<Task>> {
        let journal = Journal::open(&State::of_user()?.session(client, session))?;
        let last = journal.of::<Alias>().rfind(|alias| alias.session == session);
        let Some(alias) = last else { return Ok(None) };
        let task = Task::load(&State::at(alias.dir.clone()), &alias.task)?;
        let has_scheduled = journal.of::<ScheduledPrompts>().next().is_some();
        let start = journal.of::<Start>().next_back();
        let may_be_fork = start.is_none_or(|start| start.source.as_deref() == Some("fork"))
            && journal.of::<ForkCheck>().next().is_none();
        Ok(task.map(|task| Task { has_scheduled, may_be_fork, ..task }))
    }

    /// Appends a record to its journal, and returns the record's id. This `Task` does not change.
    pub fn append(&self, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
        self.state.append(&self.state.task(&self.id), by_tool, draft)
    }

    /// Whether the session's last outcome was waived without judging any file.
    pub fn is_waived_without_judging(&self) -> bool {
        let last = self.ledger.last_of_session();
        last.is_some_and(|sealed| sealed.outcome == Outcome::Waived && sealed.snapshot.is_none())
    }

    /// Whether that budget owner has its own baseline.
    pub fn has_baseline(&self, owner: &BudgetOwner) -> bool {
        self.journal.of::<Baseline>().any(|baseline| baseline.budget_owner == *owner)
    }

    /// Whether there are records of a review, or prompts that mention one.
    pub fn has_reviews(&self) -> bool {
        let is_of_review = |record: &Record| {
            matches!(record.body.kind(), Kind::ReviewRequest | Kind::Review | Kind::Approve | Kind::Asked)
        };
        self.prompts.mentions_reviews() || self.journal.records().any(|(_, record)| is_of_review(record))
    }

    /// The number of the first record that does not match the line before it. A task's records are always written under the lock, so
    /// an unlocked record counts as an edit, too, and so do records that were cut off the end.
    pub fn first_edited_record(&self) -> Option<usize> {
        first_edited(&self.journal)
    }

    /// Fails if the journal was edited: nothing that a user records there counts.
    pub fn require_unedited(&self) -> Result<()> {
        match self.first_edited_record() {
            None => Ok(()),
            Some(at) => Err(Error::usage(format!(
                "the journal of task {} was edited before record {at}: it can hold no waiver and no new baseline. {NEW_SESSION}",
                self.id
            ))),
        }
    }

    /// The whole text of a prompt. The text of a long one is in a blob; if that is missing, this is the head and the tail.
    pub fn prompt_text(&self, prompt: &Prompt) -> String {
        let whole = prompt.blob.as_ref().and_then(|blob| String::from_utf8(self.state.read_blob(blob).ok()?).ok());
        whole.unwrap_or_else(|| prompt.text.clone())
    }

    /// Whether an outcome since the user's last prompt to that client process was not-done or abandoned, or cannot be read.
    pub fn is_red(&self, pid: Option<i32>) -> bool {
        let is_red = |decision: &&LedgerEntry| match &decision.sealed {
            Some(sealed) => matches!(sealed.outcome, Outcome::NotDone | Outcome::Abandoned),
            None => true,
        };
        self.ledger.since_user(&BudgetOwner::Main, pid).iter().any(is_red)
    }

    /// Whether the session's last outcome was done or waived. An unreadable receipt finishes nothing, and neither does a receipt in an
    /// edited journal.
    pub fn is_finished(&self) -> bool {
        let last = self.ledger.last_of_session();
        let is_final = |sealed: &SealedReceipt| matches!(sealed.outcome, Outcome::Done | Outcome::Waived);
        last.is_some_and(is_final) && self.first_edited_record().is_none()
    }

    /// Whether a verb without `--task` may mean it: it is not finished, and its client runs or its journal is not older than a day.
    fn is_open(&self) -> bool {
        let yesterday = clock::now().plus(-DAY);
        let is_recent = self.journal.lines().last().is_some_and(|line| line.at > yesterday);
        !self.is_finished() && (is_recent || self.client_is_running() == Some(true))
    }

    /// Whether its session ended before anything was judged: if several tasks are open, it is not meant.
    fn is_idle(&self) -> bool {
        self.client_is_running() == Some(false) && self.ledger.sealed().next().is_none()
    }

    /// Whether the client of the user's last prompt runs; None if its process is unknown.
    pub fn client_is_running(&self) -> Option<bool> {
        self.prompts.of_user().next_back().and_then(|(pid, _)| *pid).map(procfs::is_running)
    }

    /// Whether only changes between two tasks are open, which the user's next prompt accepts.
    pub fn awaits_user(&self) -> bool {
        let last = self.ledger.last_of_session();
        last.is_some_and(|sealed| sealed.awaits_user) && self.first_edited_record().is_none()
    }

    /// Whether the session's last turn ended with the files of the task's begin, and no other turn began since.
    pub fn is_quiet(&self) -> bool {
        let quiet = self.ledger.quiet_snapshot();
        quiet.is_some() && quiet == self.begin.snapshot.as_deref() && self.first_edited_record().is_none()
    }

    /// The waivers that apply now. Each record of an edited journal may be the edited one, so such a journal waives nothing.
    pub fn waivers_now(&self) -> Vec<Waiver> {
        match self.first_edited_record() {
            Some(_) => Vec::new(),
            None => self.journal.fold::<Waivers>().at(clock::now()),
        }
    }
}

fn first_edited(journal: &Journal) -> Option<usize> {
    let chain = journal.chain();
    let cut = || Some(journal.records().find(|(_, record)| matches!(record.body, Body::Cut(_)))?.0.number);
    chain.broken.first().or(chain.unlocked.first()).copied().or_else(cut)
}

/// The first record of a task, with the DONE.md that the user blessed last.
fn begin_as_blessed(begin: Begin, journal: &Journal) -> Begin {
    let blessed = || journal.of::<Bless>().rev().find_map(|bless| bless.donefile.clone());
    match first_edited(journal) {
        None => Begin { donefile: blessed().or(begin.donefile), ..begin },
        Some(_) => begin,
    }
}

/// The task of an event; None if the event is manual.
pub fn of_event(event: &Event) -> Result<Option<Task>> {
    match &event.task {
        Some(id) => Task::load(&State::of_event(event)?, id),
        None => Ok(None),
    }
}

/// The task with that id, else that of the session whose shell this is, else the only open task of a state directory.
pub fn named_or_open(state: &State, id: Option<String>) -> Result<Task> {
    match id {
        Some(id) => Task::load(state, &id)?.ok_or_else(|| Error::usage(format!("no such task: {id}"))),
        None => of_caller(state)?.map_or_else(|| open(state), Ok),
    }
}

/// The task of the session whose shell this is, if its records are in that state directory.
pub fn of_caller(state: &State) -> Result<Option<Task>> {
    let Some(session) = env::client_session() else { return Ok(None) };
    Ok(Task::of_session(Client::Claude, &session)?.filter(|task| task.state.dir() == state.dir()))
}

/// The newest task whose journal has a record with that id, or with an id that begins with it.
pub fn find_by_record(state: &State, id: &str) -> Option<Task> {
    let mut names = state.task_ids();
    names.sort();
    let tasks = names.iter().rev().filter_map(|name| Task::load(state, name).ok()?);
    tasks.into_iter().find(|task| task.journal.records().any(|(_, record)| record.envelope.id.starts_with(id)))
}

/// The runs that have ended. A run is the session of its task.
fn ended_runs(state: &State) -> Result<HashSet<String>> {
    let journal = Journal::open(&state.runs())?;
    let ended = journal.of::<RunStep>().filter(|step| matches!(step, RunStep::End(_)));
    Ok(ended.map(|step| step.run().to_string()).collect())
}

/// The open task. Errors: there is none, or there are several.
fn open(state: &State) -> Result<Task> {
    let mut open: Vec<Task> = state.task_ids().into_iter().filter_map(|id| Task::load(state, &id).ok()?).collect();
    let ended = ended_runs(state)?;
    open.retain(|task| task.is_open() && !ended.contains(&task.begin.session));
    if open.iter().any(|task| !task.is_idle()) {
        open.retain(|task| !task.is_idle());
    }
    open.sort_by(|a, b| a.id.cmp(&b.id));
    match open.len() {
        1 => Ok(open.remove(0)),
        0 => Err(Error::usage(NO_OPEN_TASK)),
        _ => {
            let names: Vec<String> =
                open.iter().map(|task| format!("{} (session {})", task.id, task.begin.session)).collect();
            Err(Error::usage(format!("several tasks are open: {}. Name one with `--task ID`", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests;
