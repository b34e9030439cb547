//! The ledger of a task: the stops that were opened, judged and closed, and the user's prompts, which refill a budget.
//!
//! An unreadable line that may be a receipt counts as one: it spends budget and shows no progress.

use crate::event::{Actor, BudgetOwner, Outcome};
use crate::store::journal::{Fold, Line};
use crate::store::record::{Body, Close, Damaged, Kind, Open, Record, SealedReceipt, Unknown};
use crate::sys::clock::Time;

/// One receipt record, or an unreadable line that may be one.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    /// Its line, from 1.
    pub line: usize,
    /// When it was written. An unreadable line has the time of the record before it.
    pub at: Time,
    /// The client's process.
    pub pid: Option<i32>,
    /// The receipt record; None if it cannot be read.
    pub sealed: Option<SealedReceipt>,
}

impl LedgerEntry {
    /// Whether the session's own work was abandoned.
    fn gave_up(&self) -> bool {
        let outcome = self.sealed.as_ref().map(|sealed| sealed.outcome);
        self.is_readable_of(&BudgetOwner::Main) && outcome == Some(Outcome::Abandoned)
    }

    fn is_readable_of(&self, owner: &BudgetOwner) -> bool {
        self.sealed.as_ref().is_some_and(|sealed| sealed.budget_owner == *owner)
    }
}

/// A stop that was opened.
#[derive(Clone, Debug)]
pub struct OpenedStop {
    /// Its line, from 1.
    pub line: usize,
    /// The client's process.
    pub pid: Option<i32>,
    /// When.
    pub at: Time,
    /// Its record.
    pub open: Open,
}

/// A turn that the user's prompt began and that no stop ended yet.
#[derive(Clone, Debug)]
pub struct OpenTurn {
    /// The id of the prompt's record.
    pub id: String,
    /// The client's id of the prompt, which a prompt during the turn has, too.
    pub turn: Option<String>,
    /// When it began.
    pub at: Time,
    /// The client's process.
    pub pid: Option<i32>,
}

impl OpenTurn {
    fn is_same(&self, turn: Option<&String>) -> bool {
        self.turn.is_some() && self.turn.as_ref() == turn
    }
}

/// How the last stop ended.
#[derive(Clone, Debug)]
enum LastEnd {
    Deferred(String),
    Other,
}

/// Whether two client processes may be one.
fn may_be_same(one: Option<i32>, other: Option<i32>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// The fold.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    decisions: Vec<LedgerEntry>,
    /// Line, time and client process of each prompt of the user's.
    user_prompts: Vec<(usize, Time, Option<i32>)>,
    opened: Vec<OpenedStop>,
    closed: Vec<String>,
    last_end: Option<LastEnd>,
    open_turn: Option<OpenTurn>,
    /// When work of the session was closed as unverified, if no receipt followed.
    unjudged_at: Option<Time>,
    /// The snapshot at the last stop of the session, if nothing was required there and nothing began since.
    quiet: Option<String>,
}

impl Fold for Ledger {
    fn record(&mut self, line: &Line, record: &Record) {
        let pid = record.envelope.pid;
        if matches!(record.body, Body::Prompt(_) | Body::Open(_) | Body::Receipt(_) | Body::Close(_)) {
            self.quiet = None;
        }
        match &record.body {
            Body::Prompt(prompt) if prompt.by == Actor::User => {
                self.user_prompts.push((line.number, line.at, pid));
                if !self.open_turn.as_ref().is_some_and(|open| open.is_same(prompt.turn.as_ref())) {
                    let id = record.envelope.id.clone();
                    self.open_turn = Some(OpenTurn { id, turn: prompt.turn.clone(), at: line.at, pid });
                }
            }
            Body::Open(open) => {
                // The stop of another process, or one with another hook origin, does not end the turn.
                let ends = |turn: &OpenTurn| turn.pid == pid || turn.is_same(open.turn.as_ref());
                if open.budget_owner == BudgetOwner::Main && self.open_turn.as_ref().is_some_and(ends) {
                    self.open_turn = None;
                }
                self.opened.push(OpenedStop { line: line.number, pid, at: line.at, open: open.clone() });
            }
            Body::Receipt(sealed) => {
                if sealed.budget_owner == BudgetOwner::Main && !sealed.deferred {
                    self.unjudged_at = None;
                }
                self.closed.push(sealed.event.clone());
                self.last_end =
                    Some(if sealed.deferred { LastEnd::Deferred(sealed.event.clone()) } else { LastEnd::Other });
                self.decisions.push(LedgerEntry { line: line.number, at: line.at, pid, sealed: Some(sealed.clone()) });
            }
            Body::Close(close) => {
                if self.open_turn.as_ref().is_some_and(|turn| turn.id == close.event) {
                    self.open_turn = None;
                }
                if close.why.starts_with(Close::UNVERIFIED) {
                    self.unjudged_at = Some(line.at);
                } else if self.is_main_stop(&close.event) {
                    self.unjudged_at = None;
                }
                self.quiet = close.snapshot.clone().filter(|_| self.is_main_stop(&close.event));
                self.closed.push(close.event.clone());
                self.last_end = Some(LastEnd::Other);
            }
            _ => {}
        }
    }

    fn unknown(&mut self, line: &Line, unknown: &Unknown) {
        self.quiet = None;
        if unknown.may_be(Kind::Receipt) {
            self.unreadable(line);
        }
    }

    // An unreadable prompt refills no budget. A stop whose end cannot be read stays open, and rg-event reports it.
    fn damaged(&mut self, line: &Line, damaged: &Damaged) {
        self.quiet = None;
        if damaged.may_be(Kind::Receipt) {
            self.unreadable(line);
        }
    }
}

impl Ledger {
    fn is_main_stop(&self, event: &str) -> bool {
        let stop = self.opened.iter().rfind(|stop| stop.open.event == event);
        stop.is_some_and(|stop| stop.open.budget_owner == BudgetOwner::Main)
    }

    fn unreadable(&mut self, line: &Line) {
        self.decisions.push(LedgerEntry { line: line.number, at: line.at, pid: None, sealed: None });
    }

    /// The readable receipt records, in order.
    pub fn sealed(&self) -> impl DoubleEndedIterator<Item = &SealedReceipt> {
        self.decisions.iter().filter_map(|decision| decision.sealed.as_ref())
    }

    /// Whether every receipt record can be read.
    pub fn is_whole(&self) -> bool {
        self.decisions.iter().all(|decision| decision.sealed.is_some())
    }

    /// The entries of that owner and client process since the user's last prompt to that process, and all unreadable ones. Where the
    /// process is unknown, those of every process count, so that the task alone bounds the budget.
    pub fn since_user(&self, owner: &BudgetOwner, pid: Option<i32>) -> Vec<&LedgerEntry> {
        let since = self.last_user_prompt(pid);
        let is_its = |decision: &&LedgerEntry| match &decision.sealed {
            Some(_) => decision.is_readable_of(owner) && may_be_same(decision.pid, pid),
            None => true,
        };
        self.decisions.iter().filter(|decision| decision.line > since).filter(is_its).collect()
    }

    /// The line of the user's last prompt to that client process; 0 if there is none.
    pub(super) fn last_user_prompt(&self, pid: Option<i32>) -> usize {
        let is_to = |to: &Option<i32>| may_be_same(*to, pid);
        self.user_prompts.iter().rev().find(|(_, _, to)| is_to(to)).map_or(0, |(line, _, _)| *line)
    }

    /// The session's own last receipt; None if there is none, or if a later one cannot be read.
    pub fn last_of_session(&self) -> Option<&SealedReceipt> {
        let is_its = |decision: &&LedgerEntry| decision.sealed.is_none() || decision.is_readable_of(&BudgetOwner::Main);
        self.decisions.iter().rev().find(is_its)?.sealed.as_ref()
    }

    /// The line of the user's first prompt after the work was last abandoned; 0 if it never was. If no prompt followed, the line of the
    /// abandonment before that one.
    pub fn since_given_up(&self) -> usize {
        let mut given_up =
            self.decisions.iter().filter(|decision| decision.gave_up()).map(|decision| decision.line).rev();
        let Some(last) = given_up.next() else { return 0 };
        let next = self.user_prompts.iter().find(|(line, _, _)| *line > last);
        next.map_or_else(|| given_up.next().unwrap_or(0), |(line, _, _)| *line)
    }

    /// Whether the work was abandoned, and no prompt of the user followed.
    pub fn is_given_up(&self) -> bool {
        let last_prompt = self.user_prompts.last().map_or(0, |(line, _, _)| *line);
        self.decisions.iter().rfind(|decision| decision.gave_up()).is_some_and(|decision| decision.line > last_prompt)
    }

    /// The readable receipt records of one owner, in order.
    pub fn sealed_of(&self, owner: &BudgetOwner) -> Vec<&SealedReceipt> {
        self.sealed().filter(|sealed| sealed.budget_owner == *owner).collect()
    }

    /// The agents for which stops were deferred after the line `since`.
    pub fn deferred_for(&self, since: usize) -> impl Iterator<Item = &str> {
        let stops = self.opened.iter().filter(move |stop| stop.line > since);
        stops.flat_map(|stop| stop.open.deferred_for.iter().map(String::as_str))
    }

    /// The event of the last stop, if that stop was deferred.
    pub fn last_deferred_event(&self) -> Option<&str> {
        match &self.last_end {
            Some(LastEnd::Deferred(event)) => Some(event),
            Some(LastEnd::Other) | None => None,
        }
    }

    /// The turn that no stop ended yet.
    pub fn open_turn(&self) -> Option<&OpenTurn> {
        self.open_turn.as_ref()
    }

    /// When work of the session was closed as unverified, if no receipt followed.
    pub fn unjudged_at(&self) -> Option<Time> {
        self.unjudged_at
    }

    /// When the user last prompted that client process in this task.
    pub fn last_prompt_at(&self, pid: i32) -> Option<Time> {
        self.user_prompts.iter().rev().find(|(_, _, to)| *to == Some(pid)).map(|(_, at, _)| *at)
    }

    /// The session's own last decision that was not deferred, with its time and client process. None if a later one cannot be read.
    pub fn last_judged(&self) -> Option<&LedgerEntry> {
        let is_deferred = |entry: &LedgerEntry| entry.sealed.as_ref().is_some_and(|sealed| sealed.deferred);
        let is_its = |entry: &&LedgerEntry| entry.sealed.is_none() || entry.is_readable_of(&BudgetOwner::Main);
        self.decisions.iter().rev().filter(is_its).find(|entry| !is_deferred(entry)).filter(|e| e.sealed.is_some())
    }

    /// The last stop, if it was deferred.
    pub fn deferred_stop(&self) -> Option<&OpenedStop> {
        let event = self.last_deferred_event()?;
        self.opened.iter().rfind(|stop| stop.open.event == event)
    }

    /// The snapshot of the session's last turn, if that turn ended at a stop that required nothing and no other turn began since.
    pub fn quiet_snapshot(&self) -> Option<&str> {
        self.quiet.as_deref()
    }

    /// The stops that were opened and not closed.
    pub fn unclosed_stops(&self) -> impl Iterator<Item = &OpenedStop> {
        self.opened.iter().filter(|opened| !self.closed.contains(&opened.open.event))
    }
}
