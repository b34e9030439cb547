//! The limits of a run: why no further turn of an agent may start.

use crate::amount::Spent;
use crate::past::{Past, steps};
use crate::settings::Place;
use review_gate::donefile::Daily;
use review_gate::event::{EndedWhy, LastRound};
use review_gate::store::daily::{day, dirs};
use review_gate::store::journal::Journal;
use review_gate::store::record::{RunStart, RunStep};
use review_gate::store::state::State;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::text::count;
use std::collections::HashSet;

/// Why no turn may follow the given round; None if one may. `unrecorded` is what turns have spent that no record holds yet.
pub fn last_round(
    place: &Place,
    start: &RunStart,
    past: &Past,
    unrecorded: &Spent,
    (round, minutes): (u32, f64),
) -> Result<Option<LastRound>> {
    let last = |why, text: String| Ok(Some(LastRound { why, text }));
    if minutes >= start.minutes {
        return last(EndedWhy::Minutes, format!("the run took its {} minutes", start.minutes));
    }
    if start.rounds.is_some_and(|rounds| round >= rounds) {
        return last(EndedWhy::Rounds, format!("the run used its {}", count(round as usize, "round")));
    }
    let with = |mut spent: Spent| {
        spent.add(unrecorded.tokens, unrecorded.cost);
        spent
    };
    let over = match &start.batch {
        None => over("the run", (start.tokens, start.cost), || Ok(with(past.spent))),
        Some(batch) => over("the batch", (start.tokens, start.cost), || {
            let is_known = holds(&place.state, start)?;
            Ok(with(if is_known { of_batch(&place.state, batch)? } else { Spent::UNKNOWN }))
        }),
    };
    if let Some(text) = over? {
        return last(EndedWhy::Budget, text);
    }
    if let Some(text) = over_today(place, start, with)? {
        return last(EndedWhy::Daily, text);
    }
    Ok(None)
}

/// Why nothing may be spent any more today; None if something may.
fn over_today(place: &Place, start: &RunStart, with: impl Fn(Spent) -> Spent) -> Result<Option<String>> {
    let here = || Ok(with(if holds(&place.state, start)? { today(&place.state)? } else { Spent::UNKNOWN }));
    if let Some(text) = over("the runs of today", (start.tokens_per_day, start.cost_per_day), here)? {
        return Ok(Some(text));
    }
    let daily = Daily::of_user()?;
    let all = || {
        let mut sum = Spent::NOTHING;
        for dir in dirs(&place.state)?.into_iter().filter(|dir| dir.is_dir()) {
            let spent = today(&State::at(dir))?;
            sum.add(spent.tokens, spent.cost);
        }
        Ok(with(sum))
    };
    over("the runs of today in all repositories", (daily.tokens, daily.cost), all)
}

/// Why these limits are reached; None if they are not. Nothing is counted without a limit.
fn over(
    who: &str,
    (tokens, cost): (Option<u64>, Option<f64>),
    spent: impl FnOnce() -> Result<Spent>,
) -> Result<Option<String>> {
    if tokens.is_none() && cost.is_none() {
        return Ok(None);
    }
    let spent = spent()?;
    let unknown = |what: &str| {
        Some(format!("{who} spent an unknown {what}, because an agent reported none: the budget cannot be held"))
    };
    Ok(match (tokens, spent.tokens) {
        (Some(_), None) => unknown("number of tokens"),
        (Some(limit), Some(spent)) if spent >= limit => Some(format!("{who} spent {spent} of {limit} tokens")),
        _ => match (cost, spent.cost) {
            (Some(_), None) => unknown("cost"),
            (Some(limit), Some(spent)) if spent >= limit => Some(format!("{who} spent ${spent:.2} of ${limit:.2}")),
            _ => None,
        },
    })
}

/// What all runs of a batch have spent.
pub fn of_batch(state: &State, batch: &str) -> Result<Spent> {
    let journal = Journal::open(&state.runs())?;
    let of = |step: &RunStep| match step {
        RunStep::Begin(start) if start.batch.as_deref() == Some(batch) => Some(start.run.clone()),
        _ => None,
    };
    if has_gap(&journal) {
        return Ok(Spent::UNKNOWN);
    }
    let runs: HashSet<String> = steps(&journal).filter_map(|(_, step)| of(step)).collect();
    Ok(sum(steps(&journal).filter(|(_, step)| runs.contains(step.run())).map(|(_, step)| step)))
}

/// Whether a record of today is gone or was changed: the chain breaks behind it.
fn has_gap(journal: &Journal) -> bool {
    let now = day(clock::now());
    journal.lines().iter().any(|line| !line.is_in_chain && day(line.at) == now)
}

/// Whether the records of a run, or of its batch, are in the journal. If an agent took them away, nobody knows what was spent.
fn holds(state: &State, start: &RunStart) -> Result<bool> {
    let journal = Journal::open(&state.runs())?;
    let is_own = |step: &RunStep| match step {
        RunStep::Begin(begun) => begun.run == start.run,
        RunStep::Batch(batch) => Some(&batch.run) == start.batch.as_ref(),
        _ => false,
    };
    Ok(steps(&journal).any(|(_, step)| is_own(step)))
}

/// What all runs of a state directory have spent today, by the UTC date.
fn today(state: &State) -> Result<Spent> {
    let journal = Journal::open(&state.runs())?;
    let now = day(clock::now());
    if has_gap(&journal) {
        return Ok(Spent::UNKNOWN);
    }
    Ok(sum(steps(&journal).filter(|(at, _)| day(*at) == now).map(|(_, step)| step)))
}

fn sum<'a>(steps: impl Iterator<Item = &'a RunStep>) -> Spent {
    let mut spent = Spent::NOTHING;
    for step in steps {
        match step {
            RunStep::Turn(turn) => spent.add(turn.tokens, turn.cost),
            RunStep::Lost(_) => spent.add(None, None),
            _ => {}
        }
    }
    spent
}
