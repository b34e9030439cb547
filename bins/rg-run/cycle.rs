//! The rounds of a run: the agent works, the gate judges, and the agent works again with the reason.

mod turn;

use crate::agent::Builder;
use crate::amount::Spent;
use crate::gate::{self, Ending, Verdict};
use crate::past::Past;
use crate::permit::{Permit, Queue};
use crate::person::{self, Decision};
use crate::progress::Progress;
use crate::settings::Place;
use crate::{TOOL, account, branch, budget, interruption, lacks, mark, orphan, record};
use review_gate::event::{EndedWhy, LastRound, Outcome, RunTurn};
use review_gate::store::journal::Journal;
use review_gate::store::record::{
    JournalHead, ModelSpending, RunAnswer, RunEnd, RunLost, RunResumed, RunStart, RunStep, RunVerdict, RunWait,
};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::lock::Lock;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

/// How many turns in a row may be lost. An agent that kills rg-run could work for ever.
const MOST_LOST: u32 = 3;

/// A run under way.
pub struct Cycle<'a> {
    place: &'a Place,
    start: RunStart,
    request: String,
    past: Past,
    progress: Progress,
    /// Minutes that passed before this process.
    minutes_before: f64,
    began: Instant,
    /// What the filters of the prompt tell the model.
    notes: Vec<String>,
    /// Why the records of the run prove nothing any more.
    broken: Option<String>,
    /// Files of the user's own working tree that changed while an agent worked.
    outside: BTreeSet<PathBuf>,
    /// The journals of the run after the last judging. Nothing is written there until the next turn.
    judged: Option<Vec<JournalHead>>,
    /// Held until the agent of a permitted turn is recorded.
    permit: Option<Lock>,
}

/// Continues an interrupted run.
pub fn resume(place: &Place, start: RunStart, past: Past, json: bool) -> Result<Exit> {
    let request = String::from_utf8_lossy(&place.state.read_blob(&start.request)?).into_owned();
    let progress = Progress::new(json);
    let alone = past.seconds_alone();
    let minutes_before = (past.seconds + alone) / 60.0;
    if past.end.is_none() {
        let (run, runner) = (start.run.clone(), account::this_process());
        record(place, RunStep::Resumed(RunResumed { run, runner, seconds: alone }))?;
        env::crash_point();
        for name in orphan::end(&start.run, past.lost_agent(past.round())) {
            cli::print_error(&TOOL, &format!("ended what the interrupted run left: {name}"));
        }
    }
    Cycle { minutes_before, ..Cycle::new(place, start, request, past, progress) }.finish()
}

/// Ends a run that cannot even be resumed.
pub fn give_up(place: &Place, start: RunStart, past: Past, why: &str) -> Result<RunEnd> {
    let cycle = Cycle::new(place, start, String::new(), past, Progress::silent());
    let end = cycle.end_of(&cycle.failed(why));
    record(place, RunStep::End(end.clone()))?;
    Ok(end)
}

impl<'a> Cycle<'a> {
    fn new(place: &'a Place, start: RunStart, request: String, past: Past, progress: Progress) -> Cycle<'a> {
        let (minutes_before, began, notes) = (0.0, Instant::now(), Vec::new());
        let (broken, outside, permit) = (None, BTreeSet::new(), None);
        let judged = past.verdicts.last().map(|verdict| verdict.journals.clone()).filter(|heads| !heads.is_empty());
        Cycle { place, start, request, past, progress, minutes_before, began, notes, broken, outside, judged, permit }
    }

    /// Records the begin of a run.
    pub fn begin(place: &'a Place, start: RunStart, request: String, json: bool) -> Result<Cycle<'a>> {
        let start = RunStart { request: place.state.keep_blob(request.as_bytes())?, ..start };
        let mut cycle = Cycle::new(place, start.clone(), request, Past::nothing(), Progress::new(json));
        cycle.add(RunStep::Begin(start))?;
        Ok(cycle)
    }

    /// Runs until there is an outcome, and returns its status. Whatever fails, the run ends with one outcome.
    pub fn finish(mut self) -> Result<Exit> {
        if let Some(end) = &self.past.end {
            self.progress.step(&RunStep::End(end.clone()));
            self.progress.end(&format!("{}: {}\n", end.outcome, end.why));
            return Ok(Exit::of(end.status));
        }
        interruption::watch(&self.place.state, &self.start.run);
        let ended = self.past.verdicts.last().and_then(|verdict| verdict.ending.clone());
        let (end, report) = match ended {
            // It was interrupted after its last verdict.
            Some(end) => (end.clone(), format!("{}: {}\n", end.outcome, end.why)),
            None => {
                let ending = match self.rounds() {
                    Ok(ending) => ending,
                    Err(error) => self.failed(&error.to_string()),
                };
                (self.end_of(&ending), ending.report)
            }
        };
        let (end, more) = branch::finish(self.place, &self.start, &self.request, &self.outside, end);
        let status = end.status;
        let added = self.add(RunStep::End(end));
        self.progress.end(&(report + &more));
        added.map(|()| Exit::of(status))
    }

    fn end_of(&self, ending: &Ending) -> RunEnd {
        ending.of_run(&self.start.run)
    }

    /// Records a step and prints it.
    fn add(&mut self, step: RunStep) -> Result<()> {
        record(self.place, step.clone())?;
        env::crash_point();
        self.past.add(&step);
        self.progress.step(&step);
        Ok(())
    }

    /// Records a verdict.
    fn judged(&mut self, verdict: RunVerdict) -> Result<()> {
        self.judged = Some(verdict.journals.clone());
        self.add(RunStep::Judged(verdict))
    }

    fn minutes(&self) -> f64 {
        self.minutes_before + self.began.elapsed().as_secs_f64() / 60.0
    }

    fn rounds(&mut self) -> Result<Ending> {
        // A prompt that was sent twice is one more prompt of the same task.
        if self.past.agent.is_none() {
            self.notes = gate::prompt(self.place, &self.start, &self.request)?;
            env::crash_point();
        }
        loop {
            let round = self.past.round();
            if let Some(lost) = self.past.lost_agent(round) {
                self.broken = mark::change(&lost.run, &lost.journals)?;
                // Nobody knows what that turn spent.
                self.add(RunStep::Lost(RunLost { run: self.start.run.clone(), round }))?;
                self.require_records()?;
            }
            if self.past.lost >= MOST_LOST {
                let text = format!("{MOST_LOST} turns in a row were lost, because rg-run was killed");
                return self.stop_before(round, &text);
            }
            // An interrupted run may have no budget left for the round, and a new one none for the day.
            if self.past.answer_in(round).is_none()
                && let Some(last) = self.ask(round)?
            {
                return self.stop_before(round, &last.text);
            }
            let answer = match self.past.answer_in(round) {
                Some(answer) => answer.clone(),
                None => self.turn(round)?,
            };
            if let Some(ending) = self.judge(round, &answer)? {
                return Ok(ending);
            }
        }
    }

    /// Waits until the round may start. Returns why it may not.
    fn ask(&mut self, round: u32) -> Result<Option<LastRound>> {
        if !budget::is_shared(&self.start)? {
            return self.last_round(round - 1, &Spent::NOTHING);
        }
        let mut queue = Queue::new()?;
        loop {
            let now = || (round - 1, self.minutes());
            let room = || budget::room(self.place, &self.start, (&self.past, &Spent::NOTHING), now(), 0);
            match queue.ask(room)? {
                Permit::Granted(lock) => self.permit = Some(lock),
                Permit::Refused(last) => return Ok(Some(last)),
                Permit::Waits(why) => {
                    self.add(RunStep::Waits(RunWait { run: self.start.run.clone(), round, why }))?;
                    continue;
                }
            }
            return Ok(None);
        }
    }

    /// An error if the records changed while an agent worked.
    fn require_records(&mut self) -> Result<()> {
        self.broken.take().map_or(Ok(()), |why| Err(Error::changed(why)))
    }

    /// Why no turn may follow that round; None if one may.
    fn last_round(&self, round: u32, unrecorded: &Spent) -> Result<Option<LastRound>> {
        budget::last_round(self.place, &self.start, &self.past, unrecorded, (round, self.minutes()))
    }

    /// The turn as the gate gets it.
    fn report(&self, round: u32, failure: Option<String>) -> Result<RunTurn> {
        let answer = self.past.answer_in(round);
        // Records that cannot be read do not prevent the receipt that says so.
        let last = if failure.is_none() { self.last_round(round, &Spent::NOTHING)? } else { None };
        Ok(RunTurn {
            id: self.start.run.clone(),
            round,
            agent: Builder::of(&self.start)?.name,
            how: answer.map_or("not known".to_string(), |answer| answer.how.clone()),
            exit: answer.and_then(|answer| answer.exit),
            seconds: answer.map_or(0.0, |answer| answer.seconds),
            tokens: self.past.spent().tokens,
            cost: self.past.spent().cost,
            last,
            failure,
            notes: Vec::new(),
        })
    }

    /// Judges a round: the ending, or None if another round follows.
    fn judge(&mut self, round: u32, answer: &RunAnswer) -> Result<Option<Ending>> {
        let message = String::from_utf8_lossy(&self.place.state.read_blob(&answer.message)?).into_owned();
        // The agent may have asked models, too.
        self.count_models()?;
        let mut report = self.report(round, None)?;
        if let Some(refusal) = &answer.refusal {
            let refused = self.past.verdicts.iter().rev().take_while(|verdict| verdict.outcome.is_none()).count() + 1;
            if report.last.is_none() && refused > self.most_refusals() {
                let text = format!("{refused} answers in a row could not be used");
                report.last = Some(LastRound { why: EndedWhy::Rounds, text });
            }
            if report.last.is_none() {
                self.send_back(round, answer, refusal)?;
                return Ok(None);
            }
        }
        self.place.require_repository()?;
        report.notes = lacks::notes(self.place, &self.start, &self.request, &message);
        let verdict = gate::judge(self.place, &self.start, &report, &message)?;
        env::crash_point();
        let (models, journals) = (self.count_models()?, mark::heads(&self.start.run)?);
        let none = RunVerdict { models, journals, ..RunVerdict::nothing(&self.start.run, round) };
        let verdict = match verdict {
            Verdict::Person(case, ending) => match person::ask(self.place, &ending.why, &case)? {
                Decision::Accepted => return self.judge(round, answer),
                Decision::GoOn(words) => {
                    let reason = format!("The user decided that the work is not done: {words}\n\nOpen:\n{}", case.open);
                    self.send_back(round, answer, &reason)?;
                    return Ok(None);
                }
                Decision::Nothing => Verdict::Final(ending),
            },
            verdict => verdict,
        };
        let (step, ending) = match verdict {
            Verdict::Again { outcome, summary, receipt, .. } if report.last.is_some() => {
                let text = report.last.map(|last| last.text).unwrap_or_default();
                let ending = self.stop_before(round, &text)?;
                (RunVerdict { outcome, receipt, summary, ..none }, Some(ending))
            }
            Verdict::Again { reason, outcome, summary, receipt } => {
                let reason = Some(self.place.state.keep_blob(reason.as_bytes())?);
                (RunVerdict { outcome, receipt, reason, summary, ..none }, None)
            }
            Verdict::Final(ending) => {
                let (outcome, receipt) = (Some(ending.outcome), ending.receipt.clone());
                let summary = format!("{}: {}", ending.outcome, ending.why);
                (RunVerdict { outcome, receipt, summary, ..none }, Some(ending))
            }
            Verdict::Person(..) => return Err(Error::bug("the user was not asked")),
            Verdict::Undecided(why) => {
                let words = answer.refusal.as_deref().unwrap_or(&answer.how);
                let words = cut_end(&one_line(words), 200);
                let ending = self.stop_before(round, &format!("{why}; the agent: {words}"))?;
                (RunVerdict { summary: why, ..none }, Some(ending))
            }
        };
        let summary = step.summary.clone();
        self.judged(RunVerdict { ending: ending.as_ref().map(|ending| self.end_of(ending)), ..step })?;
        self.progress.round(round, &summary, answer.seconds, &self.past.spent());
        Ok(ending)
    }

    /// Counts what the judges' models have spent, and returns what they did since the last verdict.
    fn count_models(&mut self) -> Result<Option<ModelSpending>> {
        let (spent, models) = account::models(&Journal::open(&self.place.state.runs())?, &self.start.run);
        self.past.models = spent;
        Ok(models)
    }

    /// How many answers in a row may be unusable.
    fn most_refusals(&self) -> usize {
        self.place.done.as_ref().map_or(3, |done| done.gate.max_bounces as usize)
    }

    /// Records that an answer could not be used. Nothing changed, so nothing is judged.
    fn send_back(&mut self, round: u32, answer: &RunAnswer, refusal: &str) -> Result<()> {
        let reason = Some(self.place.state.keep_blob(refusal.as_bytes())?);
        let summary = cut_end(&one_line(refusal), 200);
        let nothing = RunVerdict::nothing(&self.start.run, round);
        let journals = mark::heads(&self.start.run)?;
        self.judged(RunVerdict { reason, summary: summary.clone(), journals, ..nothing })?;
        self.progress.round(round, &summary, answer.seconds, &self.past.spent());
        Ok(())
    }

    /// Ends the run with a receipt that says why it could not be judged.
    fn stop_before(&self, round: u32, why: &str) -> Result<Ending> {
        gate::close(self.place, &self.start, &self.report(round, Some(why.to_string()))?)
    }

    /// Ends a run that failed. Without a receipt, if not even that is possible.
    fn failed(&self, why: &str) -> Ending {
        cli::print_error(&TOOL, why);
        let round = self.past.round();
        self.stop_before(round, why).unwrap_or_else(|error| Ending {
            outcome: Outcome::Unverified,
            status: gate::unjudged(),
            why: format!("{why}; no receipt: {error}"),
            receipt: None,
            report: format!("unverified: {why}\n"),
        })
    }
}
