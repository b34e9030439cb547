//! What runs.jsonl records of a run: its rounds, what it spent, and where it was interrupted.

use crate::amount::Spent;
use crate::settings::Place;
use review_gate::store::journal::Journal;
use review_gate::store::record::{RunAgent, RunAnswer, RunEnd, RunStart, RunStep, RunVerdict};
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
    /// What it has spent.
    pub spent: Spent,
}

impl Past {
    /// A run that begins now.
    pub fn nothing() -> Past {
        Past { begun: None, agent: None, answer: None, verdicts: Vec::new(), end: None, spent: Spent::NOTHING }
    }

    /// Adds a step.
    pub fn add(&mut self, step: &RunStep) {
        match step {
            RunStep::Begin(_) => {}
            RunStep::Agent(agent) => self.agent = Some(agent.clone()),
            RunStep::Turn(answer) => {
                self.spent.add(answer.tokens, answer.cost);
                self.answer = Some(answer.clone());
            }
            RunStep::Judged(verdict) => self.verdicts.push(verdict.clone()),
            RunStep::End(end) => self.end = Some(end.clone()),
        }
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

/// The run of that id, or the newest one of this root for `last`: its first step, and its past.
pub fn find(place: &Place, id: &str) -> Result<(RunStart, Past)> {
    let journal = Journal::open(&place.state.runs())?;
    let steps: Vec<(Time, &RunStep)> = journal
        .records()
        .filter_map(|(line, record)| <&RunStep>::try_from(&record.body).ok().map(|step| (line.at, step)))
        .collect();
    let is_wanted = |start: &RunStart| start.root == place.root && (id == "last" || start.run == id);
    let start = steps.iter().rev().find_map(|(at, step)| match step {
        RunStep::Begin(start) if is_wanted(start) => Some((*at, start.clone())),
        _ => None,
    });
    let (at, start) = start.ok_or_else(|| Error::usage(format!("no such run in {}: {id}", place.root.display())))?;
    let mut past = Past { begun: Some(at), ..Past::nothing() };
    steps.iter().filter(|(_, step)| step.run() == start.run).for_each(|(_, step)| past.add(step));
    Ok((start, past))
}
