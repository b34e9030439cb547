//! The newest tasks of a repository: whose work was never judged, and whose ended red.

use crate::event::{Client, Outcome};
use crate::store::record::SealedReceipt;
use crate::store::state::{State, files_by_age};
use crate::store::task::Task;
use crate::sys::clock::{self, DAY, Time};
use crate::sys::procfs;
use std::path::Path;

/// How many journals are read.
const READ: usize = 16;

/// The newest tasks of clients, the newest last.
pub struct Survey {
    tasks: Vec<Task>,
}

/// The last state of the work in one root.
pub enum LastWork<'a> {
    /// A receipt records it.
    Judged(&'a SealedReceipt, Time),
    /// It was never judged.
    Unjudged,
}

impl Survey {
    /// Reads the journals that were written last. A journal that cannot be read is left out.
    pub fn of(state: &State) -> Survey {
        let files = files_by_age(&state.dir().join("tasks"));
        let skipped = files.len().saturating_sub(READ);
        let ids = files[skipped..].iter().filter_map(|(_, path)| path.file_stem()?.to_str());
        let tasks = ids.filter_map(|id| Task::load(state, id).ok()?);
        Survey { tasks: tasks.filter(|task| task.begin.client != Client::Text).collect() }
    }

    /// The tasks other than `own`.
    pub fn others<'a>(&'a self, own: Option<&'a str>) -> impl Iterator<Item = &'a Task> {
        self.tasks.iter().filter(move |task| Some(task.id.as_str()) != own)
    }

    /// Whether a turn of `task` that began at `at` in the process `pid` has ended: the process is gone, or prompts another task.
    /// `caller` is the process of the session that asks.
    pub fn is_over(&self, task: &Task, pid: Option<i32>, at: Time, caller: Option<i32>) -> bool {
        let Some(pid) = pid else { return clock::now().since(at) > DAY };
        let is_elsewhere =
            |other: &Task| other.id != task.id && other.ledger.last_prompt_at(pid).is_some_and(|then| then > at);
        Some(pid) == caller || !procfs::is_running(pid) || self.tasks.iter().any(is_elsewhere)
    }

    /// Whether the client of a task other than `own` is at work in `root`.
    pub fn is_worked_on(&self, root: &Path, own: Option<&str>, caller: Option<i32>) -> bool {
        let is_at_work = |task: &Task| {
            let last = task.prompts.of_user().next_back().and_then(|(pid, _)| *pid);
            last.is_some_and(|pid| Some(pid) != caller && procfs::is_running(pid))
        };
        self.others(own).any(|task| task.begin.root == root && is_at_work(task))
    }

    /// The last work in `root` with its task, if it is red or was never judged. None while its client still works on it.
    pub fn unfinished(&self, root: &Path, caller: Option<i32>) -> Option<(&Task, LastWork<'_>)> {
        let here = self.tasks.iter().filter(|task| task.begin.root == root);
        let (at, pid, task, work) = here.filter_map(last_work).max_by_key(|(at, ..)| *at)?;
        if task.ledger.open_turn().is_some_and(|turn| !self.is_over(task, turn.pid, turn.at, caller)) {
            return None;
        }
        let is_red = match work {
            LastWork::Unjudged => true,
            LastWork::Judged(sealed, _) if sealed.outcome == Outcome::NotDone => self.is_over(task, pid, at, caller),
            LastWork::Judged(sealed, _) => matches!(sealed.outcome, Outcome::Abandoned | Outcome::Unverified),
        };
        is_red.then_some((task, work))
    }
}

fn last_work(task: &Task) -> Option<(Time, Option<i32>, &Task, LastWork<'_>)> {
    if let Some(at) = task.ledger.unjudged_at() {
        return Some((at, None, task, LastWork::Unjudged));
    }
    let entry = task.ledger.last_judged()?;
    Some((entry.at, entry.pid, task, LastWork::Judged(entry.sealed.as_ref()?, entry.at)))
}
