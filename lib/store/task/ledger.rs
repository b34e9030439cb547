//! The ledger of a task: which stops were opened, decided and closed, and which prompts of the user's refill a budget.
//!
//! A line that may be a receipt and cannot be read counts as one: it spends, and it shows no progress.

use crate::event::{Actor, BudgetOwner, Outcome};
use crate::store::journal::{Fold, Line};
use crate::store::record::{Body, Damaged, Kind, Open, Record, Sealed, Unknown};
use crate::sys::clock::Time;

/// One decision on record.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Its line, from 1.
    pub line: usize,
    /// When it was written, as far as that is known: never later than it was.
    pub at: Time,
    /// The client's process.
    pub pid: Option<i32>,
    /// What was decided; None where that cannot be read.
    pub sealed: Option<Sealed>,
}

impl Decision {
    /// The session's own work was given up.
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
    /// The client's process.
    pub pid: Option<i32>,
    /// What is on record of it.
    pub open: Open,
}

/// What ended last.
#[derive(Clone, Debug)]
enum LastEnd {
    Deferred(String),
    Other,
}

/// The fold.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    decisions: Vec<Decision>,
    /// Line and client process of each prompt of the user's.
    user_prompts: Vec<(usize, Option<i32>)>,
    opened: Vec<OpenedStop>,
    closed: Vec<String>,
    last_end: Option<LastEnd>,
}

impl Fold for Ledger {
    fn record(&mut self, line: &Line, record: &Record) {
        let pid = record.envelope.pid;
        match &record.body {
            Body::Prompt(prompt) if prompt.by == Actor::User => self.user_prompts.push((line.number, pid)),
            Body::Open(open) => self.opened.push(OpenedStop { pid, open: open.clone() }),
            Body::Receipt(sealed) => {
                self.closed.push(sealed.event.clone());
                self.last_end =
                    Some(if sealed.deferred { LastEnd::Deferred(sealed.event.clone()) } else { LastEnd::Other });
                self.decisions.push(Decision { line: line.number, at: line.at, pid, sealed: Some(sealed.clone()) });
            }
            Body::Close(close) => {
                self.closed.push(close.event.clone());
                self.last_end = Some(LastEnd::Other);
            }
            _ => {}
        }
    }

    fn unknown(&mut self, line: &Line, unknown: &Unknown) {
        if unknown.may_be(Kind::Receipt) {
            self.unreadable(line);
        }
    }

    // A prompt that cannot be read refills nothing; a stop whose end cannot be read is still open, and that is told.
    fn damaged(&mut self, line: &Line, damaged: &Damaged) {
        if damaged.may_be(Kind::Receipt) {
            self.unreadable(line);
        }
    }
}

impl Ledger {
    fn unreadable(&mut self, line: &Line) {
        self.decisions.push(Decision { line: line.number, at: line.at, pid: None, sealed: None });
    }

    /// What was decided so far, in order, as far as it can be read.
    pub fn sealed(&self) -> impl DoubleEndedIterator<Item = &Sealed> {
        self.decisions.iter().filter_map(|decision| decision.sealed.as_ref())
    }

    /// Whether every decision can be read.
    pub fn is_whole(&self) -> bool {
        self.decisions.iter().all(|decision| decision.sealed.is_some())
    }

    /// The decisions for that owner and client process since the user's last prompt to that process, with all that cannot be read.
    pub fn since_user(&self, owner: &BudgetOwner, pid: Option<i32>) -> Vec<&Decision> {
        let since = self.last_user_prompt(pid);
        let is_its = |decision: &&Decision| match &decision.sealed {
            Some(_) => decision.is_readable_of(owner) && decision.pid == pid,
            None => true,
        };
        self.decisions.iter().filter(|decision| decision.line > since).filter(is_its).collect()
    }

    /// The line of the user's last prompt to that client process; 0 where there is none.
    pub fn last_user_prompt(&self, pid: Option<i32>) -> usize {
        self.user_prompts.iter().rev().find(|(_, to)| *to == pid).map_or(0, |(line, _)| *line)
    }

    /// The session's own last decision; None where there is none, or where a later one cannot be read.
    pub fn last_of_session(&self) -> Option<&Sealed> {
        let is_its = |decision: &&Decision| decision.sealed.is_none() || decision.is_readable_of(&BudgetOwner::Main);
        self.decisions.iter().rev().find(is_its)?.sealed.as_ref()
    }

    /// The line from which on the work goes on after it was given up last and the user spoke again; 0 where it never was.
    pub fn since_given_up(&self) -> usize {
        let mut given_up =
            self.decisions.iter().filter(|decision| decision.gave_up()).map(|decision| decision.line).rev();
        let Some(last) = given_up.next() else { return 0 };
        let next = self.user_prompts.iter().find(|(line, _)| *line > last);
        next.map_or_else(|| given_up.next().unwrap_or(0), |(line, _)| *line)
    }

    /// Whether the work was given up, and the user has not spoken since.
    pub fn is_given_up(&self) -> bool {
        let said = self.user_prompts.last().map_or(0, |(line, _)| *line);
        self.decisions.iter().rfind(|decision| decision.gave_up()).is_some_and(|decision| decision.line > said)
    }

    /// All decisions of one owner, in order, as far as they can be read.
    pub fn sealed_of(&self, owner: &BudgetOwner) -> Vec<&Sealed> {
        self.sealed().filter(|sealed| sealed.budget_owner == *owner).collect()
    }

    /// The deferred decisions, each with its line.
    pub fn deferred(&self) -> impl Iterator<Item = usize> + '_ {
        let is_deferred = |decision: &&Decision| decision.sealed.as_ref().is_some_and(|sealed| sealed.deferred);
        self.decisions.iter().filter(is_deferred).map(|decision| decision.line)
    }

    /// The event of the last stop, when it was deferred and nothing ended since.
    pub fn deferred_at_last(&self) -> Option<&str> {
        match &self.last_end {
            Some(LastEnd::Deferred(event)) => Some(event),
            Some(LastEnd::Other) | None => None,
        }
    }

    /// The stops that were opened and never closed.
    pub fn unclosed(&self) -> impl Iterator<Item = &OpenedStop> {
        self.opened.iter().filter(|opened| !self.closed.contains(&opened.open.event))
    }
}
