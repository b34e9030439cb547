//! What runs.jsonl records of a run: its rounds, what it spent, and where it was interrupted.

use crate::account;
use crate::amount::Spent;
use crate::settings::Place;
use review_gate::event::Outcome;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::record::{
    RunAgent, RunAnswer, RunBatch, RunEnd, RunItem, RunStart, RunStep, RunSummary, RunVerdict,
};
use review_gate::sys::clock::Time;
use review_gate::sys::error::{Error, Result};

/// The steps of one run.
#[derive(Clone, Debug)]
pub struct Past {
    /// When it began; None if its first step was not recorded yet.
    pub begun: Option<Time>,
    /// The agent that was started last.
    pub agent: Option<RunAgent>,
    /// The last answer.
    pub answer: Option<RunAnswer>,
    /// The verdicts, the oldest first.
    pub verdicts: Vec<RunVerdict>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// What its agent has spent.
    pub turns: Spent,
    /// What the models have spent that its judges asked.
    pub models: Spent,
}

impl Past {
    /// A run that begins now.
    pub fn nothing() -> Past {
        let (turns, models) = (Spent::NOTHING, Spent::NOTHING);
        Past { begun: None, agent: None, answer: None, verdicts: Vec::new(), end: None, turns, models }
    }

    /// Adds a step.
    pub fn add(&mut self, step: &RunStep) {
        match step {
            RunStep::Begin(_) => {}
            RunStep::Agent(agent) => self.agent = Some(agent.clone()),
            RunStep::Turn(answer) => {
                self.turns.add(answer.tokens, answer.cost);
                self.answer = Some(answer.clone());
            }
            RunStep::Judged(verdict) => self.verdicts.push(verdict.clone()),
            RunStep::Lost(_) => {
                self.agent = None;
                self.turns.add(None, None);
            }
            RunStep::End(end) => self.end = Some(end.clone()),
            RunStep::Waits(_) | RunStep::Resumed(_) => {}
            RunStep::Batch(_) | RunStep::Item(_) | RunStep::Summary(_) => {}
        }
    }

    /// What it has spent.
    pub fn spent(&self) -> Spent {
        let mut sum = self.turns;
        sum.add(self.models.tokens, self.models.cost);
        sum
    }

    /// The round that the run is in, from 1.
    pub fn round(&self) -> u32 {
        self.verdicts.last().map_or(1, |verdict| verdict.round + 1)
    }

    /// The agent's answer in that round, if it was recorded.
    pub fn answer_in(&self, round: u32) -> Option<&RunAnswer> {
        self.answer.as_ref().filter(|answer| answer.round == round)
    }

    /// The agent that was started in that round and whose end was not recorded.
    pub fn lost_agent(&self, round: u32) -> Option<&RunAgent> {
        self.agent.as_ref().filter(|agent| agent.round == round && self.answer_in(round).is_none())
    }
}

/// What `--resume` continues.
pub enum Found {
    /// A run.
    Run(Box<(RunStart, Past)>),
    /// A batch.
    Batch(Box<PastBatch>),
}

/// The steps of one batch.
#[derive(Clone, Debug)]
pub struct PastBatch {
    /// What it began with.
    pub batch: RunBatch,
    /// The runs that it began.
    pub runs: Vec<RunStart>,
    /// The items that have ended.
    pub items: Vec<RunItem>,
    /// Its end.
    pub summary: Option<RunSummary>,
}

/// The run or batch of that id, or the newest one that was started in this root for `last`.
pub fn find(place: &Place, id: &str) -> Result<Found> {
    let journal = Journal::open(&place.state.runs())?;
    let steps: Vec<(Time, &RunStep)> = steps(&journal).collect();
    let is_here = |start: &RunStart| start.home.as_ref().unwrap_or(&start.root) == &place.root && start.batch.is_none();
    let is_wanted = |start: &RunStart| start.run == id || id == "last" && is_here(start);
    let found = steps.iter().rev().find_map(|(at, step)| match step {
        RunStep::Begin(start) if is_wanted(start) => {
            let mut past = Past { begun: Some(*at), ..Past::nothing() };
            let own = steps.iter().filter(|(_, step)| step.run() == start.run);
            own.filter(|(_, step)| is_proved(place, step)).for_each(|(_, step)| past.add(step));
            past.models = account::models(&journal, &start.run).0;
            Some(Found::Run(Box::new((start.clone(), past))))
        }
        RunStep::Batch(batch) if is_wanted(&batch.start) => Some(Found::Batch(Box::new(batch_of(batch, &steps)))),
        _ => None,
    });
    found.ok_or_else(|| Error::usage(format!("no such run in {}: {id}", place.root.display())))
}

/// The end of a run, if it has ended.
pub fn end_of(place: &Place, run: &str) -> Result<Option<RunEnd>> {
    let journal = Journal::open(&place.state.runs())?;
    let of = |step: &RunStep| match step {
        RunStep::End(end) if end.run == run => Some(end.clone()),
        _ => None,
    };
    Ok(steps(&journal).filter(|(_, step)| is_proved(place, step)).filter_map(|(_, step)| of(step)).last())
}

/// False for an end that grants something, and that no sealed receipt of the run proves. An agent can write records.
fn is_proved(place: &Place, step: &RunStep) -> bool {
    let end = match step {
        RunStep::End(end) => Some(end),
        RunStep::Judged(verdict) => verdict.ending.as_ref(),
        _ => None,
    };
    let Some(end) = end.filter(|end| end.status == 0 || matches!(end.outcome, Outcome::Done | Outcome::Waived)) else {
        return true;
    };
    let Some(id) = &end.receipt else { return false };
    let Ok(receipt) = Receipt::load(&place.state, id) else { return false };
    let is_of_run = receipt.run.as_ref().is_some_and(|run| run.id == end.run) && receipt.outcome == end.outcome;
    let file = ReceiptFile::all(&place.state).into_iter().find(|file| file.id == *id);
    let is_sealed =
        file.is_some_and(|file| matches!(file.integrity(&place.state, &receipt), Ok(Integrity::Sealed { .. })));
    is_of_run && is_sealed
}

fn batch_of(batch: &RunBatch, steps: &[(Time, &RunStep)]) -> PastBatch {
    let mut past = PastBatch { batch: batch.clone(), runs: Vec::new(), items: Vec::new(), summary: None };
    for (_, step) in steps {
        match step {
            RunStep::Begin(start) if start.batch.as_ref() == Some(&batch.run) => past.runs.push(start.clone()),
            RunStep::Item(item) if item.run == batch.run => past.items.push(item.clone()),
            RunStep::Summary(summary) if summary.run == batch.run => past.summary = Some(summary.clone()),
            _ => {}
        }
    }
    past
}

/// The steps of all runs, the oldest first, without records that break the chain.
pub fn steps(journal: &Journal) -> impl Iterator<Item = (Time, &RunStep)> {
    let own = journal.records().filter(|(line, _)| line.is_in_chain);
    own.filter_map(|(line, record)| Some((line.at, <&RunStep>::try_from(&record.body).ok()?)))
}
