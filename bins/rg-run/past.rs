//! What runs.jsonl records of a run: its rounds, what it spent, and where it was interrupted.

use crate::account;
use crate::amount::Spent;
use crate::orphan;
use crate::settings::Place;
use review_gate::event::Outcome;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::record::{
    RunAgent, RunAnswer, RunBatch, RunEnd, RunItem, RunStart, RunStep, RunSummary, RunVerdict,
};
use review_gate::sys::clock::{self, Time};
use review_gate::sys::error::{Error, Result};

/// The steps of one run.
#[derive(Clone, Debug)]
pub struct Past {
    /// How long its processes worked, in seconds.
    pub seconds: f64,
    /// When its last step was recorded.
    last: Option<Time>,
    /// The agent that was started last.
    pub agent: Option<RunAgent>,
    /// The last answer.
    pub answer: Option<RunAnswer>,
    /// The verdicts, the oldest first.
    pub verdicts: Vec<RunVerdict>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// How many turns were lost since the last verdict because rg-run was killed.
    pub lost: u32,
    /// Whether a signal ended rg-run, and recorded it, during the last turn.
    is_interrupted: bool,
    /// What its agent has spent.
    pub turns: Spent,
    /// What the models have spent that its judges asked.
    pub models: Spent,
}

impl Past {
    /// A run that begins now.
    pub fn nothing() -> Past {
        Past {
            seconds: 0.0,
            last: None,
            agent: None,
            answer: None,
            verdicts: Vec::new(),
            end: None,
            lost: 0,
            is_interrupted: false,
            turns: Spent::NOTHING,
            models: Spent::NOTHING,
        }
    }

    /// Adds a step of that time. Before a process continued the run, none worked.
    fn add_at(&mut self, at: Time, step: &RunStep) {
        self.seconds += match (step, self.last) {
            (RunStep::Resumed(resumed), _) => resumed.seconds.max(0.0),
            (_, Some(before)) => at.since(before).max(0.0),
            (_, None) => 0.0,
        };
        self.last = Some(at);
        self.add(step);
    }

    /// How long the agent of a killed run worked on without it, in seconds: until now, if it still runs.
    pub fn seconds_alone(&self) -> f64 {
        let works = self.lost_agent(self.round()).is_some_and(|agent| !orphan::members(agent).is_empty());
        self.last.filter(|_| works).map_or(0.0, |last| clock::now().since(last).max(0.0))
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
            RunStep::Judged(verdict) => {
                self.verdicts.push(verdict.clone());
                self.lost = 0;
            }
            RunStep::Interrupted(_) => self.is_interrupted = true,
            RunStep::Lost(_) => {
                self.lost += u32::from(!std::mem::take(&mut self.is_interrupted));
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
    let found = steps.iter().rev().find_map(|(_, step)| match step {
        RunStep::Begin(start) if is_wanted(start) => {
            let mut past = Past::nothing();
            let own = steps.iter().filter(|(_, step)| step.run() == start.run);
            own.filter(|(_, step)| is_proved(place, step)).for_each(|(at, step)| past.add_at(*at, step));
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

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::store::record::{RunInterrupted, RunLost, RunProcess, RunResumed};

    const RUNNER: RunProcess = RunProcess { pid: 1, ticks: None };

    /// The past of steps at these seconds.
    fn past(steps: &[(f64, RunStep)]) -> Past {
        let mut past = Past::nothing();
        let zero = Time::parse("2026-11-21T12:00:00.000Z").unwrap();
        steps.iter().for_each(|(at, step)| past.add_at(zero.plus(*at), step));
        past
    }

    fn agent(round: u32) -> RunStep {
        RunStep::Agent(RunAgent {
            run: "r".into(),
            round,
            group: 0,
            ticks: None,
            journals: Vec::new(),
            runner: Some(RUNNER),
        })
    }

    fn resumed(seconds: f64) -> RunStep {
        RunStep::Resumed(RunResumed { run: "r".into(), runner: RUNNER, seconds })
    }

    fn judged(round: u32) -> RunStep {
        RunStep::Judged(RunVerdict::nothing("r", round))
    }

    #[test]
    fn only_the_time_of_working_processes_counts() {
        let (signal, lost) = (
            RunStep::Interrupted(RunInterrupted { run: "r".into() }),
            RunStep::Lost(RunLost { run: "r".into(), round: 1 }),
        );
        let night = 40_000.0;
        let steps = [
            (0.0, agent(1)),
            (100.0, judged(1)),
            (110.0, agent(2)),
            (200.0, signal),
            (night, resumed(0.0)),
            (night + 1.0, lost),
            (night + 11.0, agent(2)),
            // It was killed, and its agent worked on for 50 seconds.
            (2.0 * night, resumed(50.0)),
            (2.0 * night + 5.0, judged(2)),
        ];
        assert_eq!(past(&steps).seconds, 200.0 + 11.0 + 50.0 + 5.0);
        // A clock that goes back takes nothing away.
        assert_eq!(past(&[(100.0, agent(1)), (40.0, judged(1)), (60.0, agent(2))]).seconds, 20.0);
    }

    #[test]
    fn turns_that_were_lost_in_a_row_are_counted() {
        let (signal, lost) = (
            RunStep::Interrupted(RunInterrupted { run: "r".into() }),
            RunStep::Lost(RunLost { run: "r".into(), round: 1 }),
        );
        let all = [agent(1), lost.clone(), agent(1), signal, resumed(0.0), lost.clone(), agent(1), lost, judged(1)];
        let count = |n: usize| past(&all[..n].iter().map(|step| (0.0, step.clone())).collect::<Vec<_>>()).lost;
        assert_eq!([2, 6, 8, 9].map(count), [1, 1, 2, 0], "one that a signal ended is the user's");
    }
}
