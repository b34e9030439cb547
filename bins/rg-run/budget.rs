//! The limits of a run: why no further turn of an agent may start, or not yet.

use crate::account::{Account, Scope, Unknown};
use crate::amount::Spent;
use crate::past::{Past, steps};
use crate::proof;
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

/// Tokens, and US dollars.
type Limits = (Option<u64>, Option<f64>);

/// Whether another turn may start.
#[derive(Debug)]
pub enum Room {
    /// It may.
    Free,
    /// Not before a turn under way has ended: it may spend what is left.
    Full(String),
    /// It may not.
    Over(LastRound),
}

/// Why no turn may follow the given round; None if one may. `unrecorded` is what turns have spent that no record holds yet.
pub fn last_round(
    place: &Place,
    start: &RunStart,
    past: &Past,
    unrecorded: &Spent,
    now: (u32, f64),
) -> Result<Option<LastRound>> {
    Ok(match room(place, start, (past, unrecorded), now, 0)? {
        Room::Over(last) => Some(last),
        Room::Free | Room::Full(_) => None,
    })
}

/// Whether a turn may follow the given round. `begun` runs of the batch may start a turn at any time.
pub fn room(
    place: &Place,
    start: &RunStart,
    (past, unrecorded): (&Past, &Spent),
    (round, minutes): (u32, f64),
    begun: usize,
) -> Result<Room> {
    let last = |why, text: String| Ok(Room::Over(LastRound { why, text }));
    if minutes >= start.minutes {
        return last(EndedWhy::Minutes, format!("the run took its {} minutes", start.minutes));
    }
    if start.rounds.is_some_and(|rounds| round >= rounds) {
        return last(EndedWhy::Rounds, format!("the run used its {}", count(round as usize, "round")));
    }
    let with = |mut account: Account| {
        account.spent.add(unrecorded.tokens, unrecorded.cost);
        account
    };
    let daily = Daily::of_user()?;
    let (own, day, of_user) = ((start.tokens, start.cost), per_day(start), (daily.tokens, daily.cost));
    let needs_day = is_set(day) || is_set(of_user);
    // The records are read once, whatever limits need them.
    let needs_records = needs_day || start.batch.is_some() && is_set(own);
    let journal = if needs_records { Journal::open(&place.state.runs())? } else { Journal::default() };
    let here = match needs_day {
        true => with(of_today(&place.state, &journal, start)),
        false => Account::with(Spent::NOTHING),
    };
    let (who, why) = (if start.batch.is_some() { "the batch" } else { "the run" }, EndedWhy::Budget);
    let of_own = || match &start.batch {
        None => Ok(with(Account::with(past.spent()))),
        Some(batch) => Ok(with(of_batch(&journal, start, batch))),
    };
    let of_all = || {
        let mut sum = here.clone();
        for dir in dirs(&place.state)?.into_iter().filter(|dir| dir.is_dir() && dir != place.state.dir()) {
            let state = State::at(dir);
            sum.add(today(&state, &Journal::open(&state.runs())?, &start.run));
        }
        Ok(sum)
    };
    let mut full = None;
    for (why, room) in [
        (why, room_in(who, own, begun, of_own)?),
        (EndedWhy::Daily, room_in("the runs of today", day, begun, || Ok(here.clone()))?),
        (EndedWhy::Daily, room_in("the runs of today in all repositories", of_user, begun, of_all)?),
    ] {
        match room {
            Words::Over(text) => return last(why, text),
            Words::Full(text) => full = full.or(Some(text)),
            Words::Free => {}
        }
    }
    Ok(full.map_or(Room::Free, Room::Full))
}

/// Whether turns of other runs count against a limit of this one.
pub fn is_shared(start: &RunStart) -> Result<bool> {
    let daily = Daily::of_user()?;
    let is_of_batch = start.batch.is_some() && is_set((start.tokens, start.cost));
    Ok(is_of_batch || is_set(per_day(start)) || is_set((daily.tokens, daily.cost)))
}

fn is_set((tokens, cost): Limits) -> bool {
    tokens.is_some() || cost.is_some()
}

fn per_day(start: &RunStart) -> Limits {
    (start.tokens_per_day, start.cost_per_day)
}

/// Whether one limit leaves room, in words.
enum Words {
    Free,
    Full(String),
    Over(String),
}

/// Whether these limits leave room for another turn. Nothing is counted without a limit.
fn room_in(
    who: &str,
    (tokens, cost): Limits,
    begun: usize,
    account: impl FnOnce() -> Result<Account>,
) -> Result<Words> {
    if !is_set((tokens, cost)) {
        return Ok(Words::Free);
    }
    let account = account()?;
    let unknown = |what: &str| {
        let (why, remedy) = match &account.unknown {
            Some(unknown) => (unknown.why.as_str(), unknown.remedy),
            None => ("an agent or a model reported none", Unknown::REMOVE),
        };
        Words::Over(format!("{who} spent an unknown {what}, because {why}: the budget cannot be held ({remedy})"))
    };
    let mut words = Vec::new();
    match (tokens, account.spent.tokens) {
        (Some(_), None) => return Ok(unknown("number of tokens")),
        (Some(limit), Some(spent)) if spent >= limit => {
            return Ok(Words::Over(format!("{who} spent {spent} of {limit} tokens")));
        }
        (Some(limit), Some(spent)) => words.push(format!("{spent} of {limit} tokens")),
        (None, _) => {}
    }
    match (cost, account.spent.cost) {
        (Some(_), None) => return Ok(unknown("cost")),
        (Some(limit), Some(spent)) if spent >= limit => {
            return Ok(Words::Over(format!("{who} spent ${spent:.2} of ${limit:.2}")));
        }
        (Some(limit), Some(spent)) => words.push(format!("${spent:.2} of ${limit:.2}")),
        (None, _) => {}
    }
    let under_way = account.under_way(begun);
    let fits = |with: Spent| {
        tokens.is_none_or(|limit| with.tokens.is_some_and(|sum| sum < limit))
            && cost.is_none_or(|limit| with.cost.is_some_and(|sum| sum < limit))
    };
    let with_reserved = account.reserved(begun).map(|reserved| {
        let mut sum = account.spent;
        sum.add(reserved.tokens, reserved.cost);
        sum
    });
    if under_way == 0 || with_reserved.is_some_and(fits) {
        return Ok(Words::Free);
    }
    let turns = count(under_way, "turn");
    Ok(Words::Full(format!("{who} spent {}, and {turns} under way may spend the rest", words.join(" and "))))
}

/// What all runs of a batch have spent.
fn of_batch(journal: &Journal, start: &RunStart, batch: &str) -> Account {
    if let Some(account) = without_records(journal, start) {
        return account;
    }
    let of = |step: &RunStep| match step {
        RunStep::Begin(start) if start.batch.as_deref() == Some(batch) => Some(start.run.clone()),
        _ => None,
    };
    let runs: HashSet<String> = steps(journal).filter_map(|(_, step)| of(step)).collect();
    let has = |run: &str| runs.contains(run);
    Account::of(journal, &Scope { has: &has, is_today: false, own: &start.run })
}

/// What all runs of the run's state directory have spent today, by the UTC date.
fn of_today(state: &State, journal: &Journal, start: &RunStart) -> Account {
    without_records(journal, start).unwrap_or_else(|| today(state, journal, &start.run))
}

/// What all runs of a state directory have spent today.
fn today(state: &State, journal: &Journal, own: &str) -> Account {
    gap(journal)
        .or_else(|| proof::why_incomplete(state, journal).map(Account::unknown))
        .unwrap_or_else(|| Account::of(journal, &Scope { has: &|_| true, is_today: true, own }))
}

/// An unknown account if a record of today is gone or was changed: the chain breaks behind it.
fn gap(journal: &Journal) -> Option<Account> {
    let now = day(clock::now());
    let line = journal.lines().iter().find(|line| !line.is_in_chain && day(line.at) == now)?;
    Some(Account::unknown(format!("records before line {} of runs.jsonl were removed or changed", line.number)))
}

/// An unknown account if the records of a run, or of its batch, are no longer in the journal.
fn without_records(journal: &Journal, start: &RunStart) -> Option<Account> {
    let is_own = |step: &RunStep| match step {
        RunStep::Begin(begun) => begun.run == start.run,
        RunStep::Batch(batch) => Some(&batch.run) == start.batch.as_ref(),
        _ => false,
    };
    let lost = || Account::unknown(format!("runs.jsonl no longer holds the records of {}", start.run));
    let is_held = steps(journal).any(|(_, step)| is_own(step));
    gap(journal).or_else(|| (!is_held).then(lost))
}
