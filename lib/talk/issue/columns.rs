//! The issues that can be worked on, found without reading texts: a row of numbers for each issue.
//!
//! [`order::ready`](super::order::ready) says the same of all issues with their texts, and takes five times as long.

use super::board::Board;
use super::change::{self, Change, Holder, Line, PRIORITY, Relation, Status};
use super::course::{Course, Step};
use super::order;
use super::scan::{Scanned, Scanner};
use crate::sys::clock::{self, Time};
use crate::sys::error::Result;
use crate::sys::ids::{self, number_of};
use crate::talk::lines::{self, Skipped};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// At most so many lines are read one by one.
const SINGLE: usize = 200;

/// The bytes of an ordinary issue, for a guess of their number. Memory that is never written to costs nothing.
const BYTES: u64 = 512;

/// The largest guess.
const MOST: u64 = 100_000;

/// What is ready.
pub struct Ready {
    /// The issues with their texts, and perhaps others.
    pub board: Board,
    /// Their ids, the most urgent first.
    pub ids: Vec<String>,
    /// How many there are without the limit.
    pub count: usize,
}

/// One issue.
struct Row {
    /// The id of its last change.
    last: u128,
    created: Time,
    priority: u8,
    status: Status,
    /// Its course while it is claimed; without a claim the status says all.
    claimed: Option<Box<Course<usize, u128>>>,
    /// The ids of the issues that it blocks.
    blocks: Vec<u128>,
    /// Its changes are not in the order of their ids, or a change came before the issue. It is read whole.
    is_odd: bool,
    /// Where its first line begins.
    first: u64,
}

/// All issues of a file.
#[derive(Default)]
struct Columns {
    rows: Vec<Row>,
    /// The id of the issue of each row.
    ids: Vec<u128>,
    /// So many of the first ids are in order, and are searched as they are.
    ordered: usize,
    /// The rows of the other ids.
    places: HashMap<u128, usize>,
    /// Where the lines begin that are not the first one of their issue, each with its row.
    others: Vec<(usize, u64)>,
    holders: HashMap<Vec<u8>, usize>,
    last: u128,
    skipped: Skipped,
}

/// The first `limit` issues in the file at `path` that can be worked on.
pub fn ready(path: &Path, now: Time, limit: usize) -> Result<Ready> {
    let columns = match Columns::read(path)? {
        Some(columns) => columns,
        None => return read_whole(path, now, limit),
    };
    let odd: HashSet<u128> = columns.chosen(|row| row.is_odd).collect();
    let odd = if odd.is_empty() { Board::default() } else { read_of(path, &odd)? };
    let mut found = columns.ready(&odd, now);
    let count = found.len();
    if limit < found.len() {
        found.select_nth_unstable(limit);
        found.truncate(limit);
    }
    found.sort_unstable();
    let wanted: HashSet<u128> = found.iter().map(|(_, _, id)| *id).collect();
    let mut board = columns.board(path, &wanted)?;
    board.skipped = columns.skipped;
    let ids = found.into_iter().map(|(_, _, id)| ids::of_number(id)).filter(|id| board.get(id).is_some()).collect();
    Ok(Ready { board, ids, count })
}

/// The same with all texts.
fn read_whole(path: &Path, now: Time, limit: usize) -> Result<Ready> {
    let board = Board::read(&[path])?;
    let ready = order::ready(&board, now);
    let (count, ids) = (ready.len(), ready.into_iter().take(limit).map(|issue| issue.id.clone()).collect());
    Ok(Ready { board, ids, count })
}

/// The issues of those ids with their texts.
fn read_of(path: &Path, wanted: &HashSet<u128>) -> Result<Board> {
    let mut changes = Vec::new();
    lines::each_line(path, |line| {
        if let Line::Change(change) = change::parse(line)
            && number_of(change.issue.as_bytes()).is_some_and(|issue| wanted.contains(&issue))
        {
            changes.push(*change);
        }
    })?;
    Ok(Board::of(changes, Skipped::default()))
}

/// The issues whose lines begin at those places, with their texts. None if the file was changed meanwhile.
fn read_at(path: &Path, wanted: &HashSet<u128>, places: &[u64]) -> Result<Option<Board>> {
    let mut changes = Vec::new();
    let is_there = lines::each_line_at(path, places, |line| {
        if let Line::Change(change) = change::parse(line)
            && number_of(change.issue.as_bytes()).is_some_and(|issue| wanted.contains(&issue))
        {
            changes.push(*change);
        }
    })?;
    let is_whole = is_there && changes.len() == places.len();
    Ok(is_whole.then(|| Board::of(changes, Skipped::default())))
}

impl Columns {
    /// The issues in a file. None if they cannot be added up one by one: two changes have one id, or an id does not fit.
    fn read(path: &Path) -> Result<Option<Columns>> {
        let length = std::fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        let guess = (length / BYTES).min(MOST) as usize;
        let mut columns =
            Columns { rows: Vec::with_capacity(guess), ids: Vec::with_capacity(guess), ..Columns::default() };
        let mut scanner = Scanner::default();
        let (mut is_whole, mut is_sorted) = (true, true);
        let now = clock::now();
        let mut ids = Vec::new();
        lines::each_placed_line(path, |offset, line| {
            if line.is_empty() || !is_whole {
                return;
            }
            let id = match scanner.scan(line) {
                Some(scanned) => {
                    columns.add_scanned(&scanned, offset);
                    Some(scanned.id)
                }
                None => match change::parse(line) {
                    Line::Change(change) => columns.add_change(&change, offset),
                    Line::Newer => return columns.skipped.newer += 1,
                    Line::Damaged => return columns.skipped.damaged += 1,
                },
            };
            let Some(id) = id else { return is_whole = false };
            columns.skipped.note_moment(ids::time_of_number(id), now);
            is_sorted &= id > columns.last;
            columns.last = id;
            ids.push(id);
        })?;
        if !is_sorted {
            ids.sort_unstable();
            is_whole &= ids.is_sorted_by(|one, next| one < next);
        }
        Ok(is_whole.then_some(columns))
    }

    fn add_scanned(&mut self, scanned: &Scanned<'_>, offset: u64) {
        let Scanned { id, at, status, claim, release, under, force, .. } = *scanned;
        let Some(place) = self.place(scanned.issue, (id, offset), at, scanned.has_title) else { return };
        self.rows[place].priority = scanned.priority.unwrap_or(self.rows[place].priority);
        if status.is_some() || claim.is_some() || release {
            let by = self.holder(scanned.by);
            self.rows[place].take(&Step { id, at, by, status, claim, release, under, force });
        }
    }

    /// Adds a change of another form. Returns its id, if that fits.
    fn add_change(&mut self, change: &Change, offset: u64) -> Option<u128> {
        let (id, issue) = (number_of(change.id.as_bytes())?, number_of(change.issue.as_bytes())?);
        let set = &change.set;
        let Some(place) = self.place(issue, (id, offset), change.at, set.title.is_some()) else { return Some(id) };
        let row = &mut self.rows[place];
        row.priority = set.priority.unwrap_or(row.priority);
        for dep in set.deps.iter().filter(|dep| dep.relation == Relation::Blocks) {
            // A target whose id does not fit is no issue of this file.
            let Some(target) = number_of(dep.target.as_bytes()) else { continue };
            row.blocks.retain(|known| *known != target);
            if !dep.removed {
                row.blocks.push(target);
            }
        }
        let under = set.under.as_ref().map(|under| number_of(under.as_bytes()));
        // Such a claim does not exist.
        row.is_odd |= under == Some(None);
        if set.status.is_some() || set.claim.is_some() || set.release {
            let by = self.holder(&json(&change.by));
            let step = Step {
                id,
                at: change.at,
                by,
                status: set.status,
                claim: set.claim,
                release: set.release,
                under: under.flatten(),
                force: set.force,
            };
            self.rows[place].take(&step);
        }
        Some(id)
    }

    /// The row of an issue for its next change; None if the issue is read whole.
    fn place(&mut self, issue: u128, (id, offset): (u128, u64), at: Time, has_title: bool) -> Option<usize> {
        let place = match self.place_of(issue) {
            Some(place) => {
                let row = &mut self.rows[place];
                row.is_odd |= id <= row.last;
                row.last = id;
                self.others.push((place, offset));
                place
            }
            None => {
                let (status, claimed, blocks, is_odd) = (Status::default(), None, Vec::new(), !has_title);
                let (last, created, priority, first) = (id, at, PRIORITY, offset);
                self.rows.push(Row { last, created, priority, status, claimed, blocks, is_odd, first });
                self.add_id(issue)
            }
        };
        (!self.rows[place].is_odd).then_some(place)
    }

    /// The row of the issue with that id.
    fn place_of(&self, issue: u128) -> Option<usize> {
        match self.ids.last() {
            // The changes of an issue often follow it.
            Some(last) if *last == issue => Some(self.ids.len() - 1),
            Some(last) if *last < issue && self.ordered == self.ids.len() => None,
            _ => self.ids[..self.ordered].binary_search(&issue).ok().or_else(|| self.places.get(&issue).copied()),
        }
    }

    /// Adds an id that is new. Returns its row. Only a merge brings ids that are not in order.
    fn add_id(&mut self, issue: u128) -> usize {
        let place = self.ids.len();
        if self.ordered == place && self.ids.last().is_none_or(|last| *last < issue) {
            self.ordered += 1;
        } else {
            self.places.insert(issue, place);
        }
        self.ids.push(issue);
        place
    }

    /// The number of a holder.
    fn holder(&mut self, by: &[u8]) -> usize {
        let next = self.holders.len();
        match self.holders.get(by) {
            Some(known) => *known,
            None => *self.holders.entry(by.to_vec()).or_insert(next),
        }
    }

    fn chosen(&self, wants: impl Fn(&Row) -> bool) -> impl Iterator<Item = u128> {
        self.ids.iter().zip(&self.rows).filter(move |(_, row)| wants(row)).map(|(id, _)| *id)
    }

    /// The wanted issues with their texts.
    fn board(&self, path: &Path, wanted: &HashSet<u128>) -> Result<Board> {
        let rows: HashSet<usize> = wanted.iter().filter_map(|id| self.place_of(*id)).collect();
        let others = self.others.iter().filter(|(row, _)| rows.contains(row)).map(|(_, place)| *place);
        let mut places: Vec<u64> = rows.iter().map(|row| self.rows[*row].first).chain(others).collect();
        places.sort_unstable();
        // Many lines are read faster one after the other.
        let read = if places.len() > SINGLE { None } else { read_at(path, wanted, &places)? };
        read.map_or_else(|| read_of(path, wanted), Ok)
    }

    /// What can be worked on, by priority and age. `odd` has the issues that were read whole.
    fn ready(&self, odd: &Board, now: Time) -> Vec<(u8, Time, u128)> {
        let mut blocked: HashSet<u128> = HashSet::new();
        for row in self.rows.iter().filter(|row| !row.is_odd && !row.has_ended()) {
            blocked.extend(row.blocks.iter().copied());
        }
        let open = odd.issues().filter(|issue| !issue.course.status.is_end());
        let targets = open.flat_map(|issue| issue.deps.iter().filter(|(relation, _)| *relation == Relation::Blocks));
        blocked.extend(targets.filter_map(|(_, target)| number_of(target.as_bytes())));
        let plain = self.ids.iter().zip(&self.rows).filter(|(_, row)| !row.is_odd && row.is_free(now));
        let plain = plain.map(|(id, row)| (row.priority, row.created, *id));
        let read = odd.issues().filter(|issue| issue.is_free(now));
        let read = read.filter_map(|issue| Some((issue.priority, issue.created, number_of(issue.id.as_bytes())?)));
        plain.chain(read).filter(|(_, _, id)| !blocked.contains(id)).collect()
    }
}

impl Row {
    fn take(&mut self, step: &Step<usize, u128>) {
        let mut course = self.claimed.take().map_or_else(|| Course::new(self.status), |course| *course);
        course.take(step);
        self.status = course.status;
        self.claimed = course.claim.is_some().then(|| Box::new(course));
    }

    fn has_ended(&self) -> bool {
        self.status.is_end()
    }

    fn is_free(&self, now: Time) -> bool {
        self.claimed.as_ref().map_or(self.status == Status::Open, |course| course.is_free(now))
    }
}

/// A holder in the form in which lines have it.
fn json(holder: &Holder) -> Vec<u8> {
    // Texts always become JSON.
    serde_json::to_vec(holder).unwrap_or_default()
}
