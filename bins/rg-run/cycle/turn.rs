//! One turn of the agent: it starts, works until it ends or its time is over, and its answer is recorded.

use super::Cycle;
use crate::agent::{Builder, Turn};
use crate::amount::Spent;
use crate::gate;
use crate::outside::Sight;
use crate::prompt;
use crate::reply::{self, Reply};
use crate::{account, change, mark, record, stepwise};
use review_gate::store::record::{RunAgent, RunAnswer, RunStep};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::procfs;
use std::time::Duration;

/// The least time that an agent gets, in seconds, so that a deadline is always a positive time.
const LEAST_SECONDS: f64 = 0.1;

impl Cycle<'_> {
    /// One round of the agent. An agent that answers with a patch may first ask for files.
    pub(super) fn turn(&mut self, round: u32) -> Result<RunAnswer> {
        let (mut files, mut spent) = (String::new(), Spent::NOTHING);
        for asks in 0.. {
            let turn = self.start_agent(round, &files)?;
            spent.add(turn.answer.tokens, turn.answer.cost);
            let mut message = turn.answer.message.clone();
            let refusal = match reply::read(&message) {
                _ if !self.start.patch => None,
                Ok(Reply::Patch { plan, patch, risks }) => {
                    let refusal = match self.start.step.then(|| stepwise::refusal(&plan, &patch)).transpose()?.flatten()
                    {
                        Some(why) => Some(format!("The user refused your patch, and nothing was changed:\n{why}")),
                        None => change::apply(self.place, &self.start, &patch)?
                            .map(|why| format!("Your patch was refused, and nothing was changed:\n{why}")),
                    };
                    env::crash_point();
                    message = if risks.is_empty() { plan } else { format!("{plan}\n\nRisks: {risks}") };
                    refusal
                }
                Ok(Reply::Needs(paths)) => match self.no_more_files(round, asks, &spent)? {
                    Some(why) => Some(format!("No files are handed over: {why}. Answer with a patch.")),
                    None => {
                        files += &change::contents(self.place, &paths, change::MOST_BYTES.saturating_sub(files.len()));
                        continue;
                    }
                },
                // The gate reads why the agent gave up.
                Err(_) if message.lines().any(|line| line.starts_with("CANNOT:")) => None,
                Err(why) => Some(format!("Your answer cannot be used: {why}. Answer again with one JSON object.")),
            };
            let answer = RunAnswer {
                run: self.start.run.clone(),
                round,
                how: turn.how,
                exit: turn.exit,
                seconds: turn.seconds,
                tokens: spent.tokens,
                cost: spent.cost,
                message: self.place.state.keep_blob(gate::kept(&message).as_bytes())?,
                refusal,
            };
            self.add(RunStep::Turn(answer.clone()))?;
            self.require_records()?;
            return Ok(answer);
        }
        Err(Error::bug("a round without an answer"))
    }

    /// Why an agent that asks for files gets none; None if it gets them.
    fn no_more_files(&self, round: u32, asks: usize, spent: &Spent) -> Result<Option<String>> {
        if asks >= change::MOST_ASKS {
            return Ok(Some(format!("they were handed over {} times in this round", change::MOST_ASKS)));
        }
        Ok(self.last_round(round - 1, spent)?.map(|last| last.text))
    }

    /// Starts the agent once.
    fn start_agent(&mut self, round: u32, files: &str) -> Result<Turn> {
        let builder = Builder::of(&self.start)?;
        if let Some(why) = self.judged.as_ref().map(|heads| mark::change(&self.start.run, heads)).transpose()?.flatten()
        {
            return Err(Error::changed(why));
        }
        let prompt = prompt::of(self.place, &self.start, &self.past, (&self.request, &self.notes), files)?;
        self.progress.begin(round, &self.start, &builder.name);
        let seconds = (self.start.minutes - self.minutes()) * 60.0;
        let deadline = Duration::from_secs_f64(seconds.max(LEAST_SECONDS));
        let (run, place) = (self.start.run.clone(), self.place);
        let mut started = None;
        let mut recorded = Ok(());
        let (id, journals, permit) = (run.clone(), mark::heads(&run)?, self.permit.take());
        let (before, seen) = (journals.clone(), Sight::of(&self.start));
        let turn = builder.turn(&id, &prompt, &place.root, deadline, |group| {
            let runner = Some(account::this_process());
            let agent = RunAgent { run, round, group, ticks: procfs::start_of(group), journals, runner };
            recorded = record(place, RunStep::Agent(agent.clone()));
            drop(permit);
            env::crash_point();
            started = Some(agent);
        });
        recorded?;
        self.outside.extend(seen.changed(&Sight::of(&self.start)));
        self.broken = self.broken.take().or(mark::change(&self.start.run, &before)?);
        match &started {
            Some(agent) => self.past.add(&RunStep::Agent(agent.clone())),
            None => return turn.map_err(|error| Error::child(format!("the builder did not start: {error}"))),
        }
        turn
    }
}
