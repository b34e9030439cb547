//! The items of a batch: which one is next, and what happens to its issue.

use crate::branch;
use crate::issues::{Claimed, Issues};
use crate::past::PastBatch;
use crate::settings::Place;
use review_gate::event::Outcome;
use review_gate::store::record::{Each, RunBatch, RunItem, RunStart};
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::{HashSet, VecDeque};

/// The longest title of an item, in bytes.
const TITLE: usize = 200;

/// Something that one run works on.
#[derive(Clone, Debug)]
pub struct Item {
    /// The id of an issue, or the number of a line.
    pub id: String,
    /// What it is about, in a line.
    pub title: String,
    /// The name of its worktree.
    pub name: String,
    /// What the agent is asked.
    pub request: String,
    /// Its run, if it was begun already.
    pub begun: Option<RunStart>,
}

/// The items of a batch that have not ended.
pub struct Items {
    /// Those that are known. Ready issues follow.
    known: VecDeque<Item>,
    issues: Option<Issues>,
    has_failed: bool,
}

impl Items {
    /// The items of a batch whose lines these are.
    pub fn of(home: &Place, batch: &RunBatch, lines: &str) -> Result<Items> {
        let ids = || lines.lines().map(str::to_string).collect();
        let issues = (batch.each == Each::Issue)
            .then(|| Issues::of(home, &batch.run, batch.start.minutes, ids()))
            .transpose()?;
        let lines = lines.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
        let item = |(at, line): (usize, &str)| {
            let id = (at + 1).to_string();
            let name = branch::name_of(line, &batch.run);
            Item {
                title: cut_end(&one_line(line), TITLE),
                // Two lines may be the same.
                name: format!("{name}-{id}"),
                request: line.to_string(),
                begun: None,
                id,
            }
        };
        let known = if batch.each == Each::Line { lines.map(item).collect() } else { VecDeque::new() };
        Ok(Items { known, issues, has_failed: false })
    }

    /// The ids of the issues that a batch may work on, in a line each: those that have not ended.
    pub fn open(home: &Place, batch: &RunBatch) -> Result<String> {
        Issues::of(home, &batch.run, batch.start.minutes, HashSet::new())?.open()
    }

    /// The items as they are now, in a line each.
    pub fn names(&self) -> Result<Vec<String>> {
        match &self.issues {
            Some(issues) => issues.ready(),
            None => Ok(self.known.iter().map(|item| item.title.clone()).collect()),
        }
    }

    /// Leaves out what has ended, and begins with what was begun.
    pub fn leave_out(&mut self, past: &PastBatch) -> Result<()> {
        let has_ended = |id: &str| past.items.iter().any(|item| item.item == id);
        let begun = |id: &str| past.runs.iter().rfind(|run| run.item.as_deref() == Some(id)).cloned();
        if let Some(issues) = &self.issues {
            // A batch may have been killed after it claimed an issue, and before it began the run.
            let mut ids: Vec<String> = past.runs.iter().filter_map(|run| run.item.clone()).collect();
            ids.extend(issues.claimed()?.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
            for id in ids.into_iter().filter(|id| !has_ended(id)) {
                issues.renew(&id)?;
                self.known.push_back(item_of(issues.get(&id)?));
            }
        }
        if let Some(issues) = &mut self.issues {
            past.items.iter().for_each(|item| issues.leave_out(&item.item));
        }
        self.known.retain(|item| !has_ended(&item.id));
        self.known.iter_mut().for_each(|item| item.begun = begun(&item.id));
        // What is under way comes first.
        self.known.make_contiguous().sort_by_key(|item| item.begun.is_none());
        Ok(())
    }

    /// The next item; None if there is none.
    pub fn next(&mut self) -> Result<Option<Item>> {
        if let Some(item) = self.known.pop_front() {
            return Ok(Some(item));
        }
        let Some(issues) = self.issues.as_mut().filter(|_| !self.has_failed) else { return Ok(None) };
        let taken = issues.take()?.map(item_of);
        env::crash_point();
        Ok(taken)
    }

    /// Whether no further issue is taken.
    pub fn has_stopped(&self) -> bool {
        self.has_failed
    }

    /// No further issue is taken.
    pub fn stop(&mut self) {
        self.has_failed = true;
    }

    /// The status that this adds to that of the batch.
    pub fn status(&self) -> u8 {
        if self.has_failed { Exit::Unjudged as u8 } else { Exit::Yes as u8 }
    }

    /// How many issues that are ready are left to the next batch.
    pub fn later(&self) -> Result<u32> {
        self.issues.as_ref().map_or(Ok(0), Issues::later)
    }

    /// What must be said about the issue of an item whose work did not land; empty if nothing.
    pub fn notice(&self, item: &Item) -> Result<&'static str> {
        let has_ended = self.issues.as_ref().map(|issues| issues.has_ended(&item.id)).transpose()?;
        Ok(if has_ended == Some(true) { "; its issue was closed meanwhile, although nothing landed" } else { "" })
    }

    /// Sets the issue of an item aside, with what is known, unless its work landed.
    pub fn leave(&self, item: &Item, start: Option<&RunStart>, ended: &RunItem) -> Result<()> {
        let Some(issues) = self.issues.as_ref().filter(|_| !ended.landed) else { return Ok(()) };
        if start.is_none() {
            return issues.release(&item.id);
        }
        let place = start.map_or(String::new(), |start| format!(" The work is in {}.", start.root.display()));
        let comment = match (ended.outcome, &ended.branch) {
            (Outcome::Done | Outcome::Waived, Some(branch)) => {
                format!("{}: {}.{place} Land it with `rg-land {branch}`", ended.outcome, ended.why)
            }
            _ => format!("{}: {}.{place}", ended.outcome, ended.why),
        };
        issues.pause(&item.id, &comment)
    }
}

fn item_of(claimed: Claimed) -> Item {
    let Claimed { id, title, request } = claimed;
    Item { title: cut_end(&title, TITLE), name: id.clone(), request, begun: None, id }
}
