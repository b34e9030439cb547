//! Tables, merged and split tests: what became of the tests that have no partner of their own.

use super::features::{self, is_generic, share_calls, share_subjects};
use super::pairing::Pairing;
use super::{Comparison, Into, Merged, Pair};
use super::{failures, forms, values};
use crate::outline::{Assert, Digest, SkipKind, Strength, Test};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Completes a comparison after the pairing.
pub fn finish(mut pairing: Pairing<'_>) -> Comparison {
    part_unlike(&mut pairing);
    let mut rest = Rest {
        rooms: rooms(&pairing),
        inner: inner_calls(&pairing),
        added: added(&pairing),
        merged: Vec::new(),
        gone: Vec::new(),
        pairing,
    };
    rest.merge();
    let lost_rows = rest.lost_rows();
    rest.comparison(&lost_rows)
}

/// Whether one test only asks for an error, and another one for none.
fn is_unlike(one: &Test, other: &Test) -> bool {
    failures::is_of_error(one) && !failures::may_ask_for_error(other)
}

/// Parts tests that only asked for an error from new tables of what has none: they may be rows of another table.
fn part_unlike(pairing: &mut Pairing<'_>) {
    for then in 0..pairing.then.len() {
        let Some(now) = pairing.partner[then] else { continue };
        let (old, new) = (pairing.then[then].test, pairing.now[now].test);
        let is_new_table = old.rows.is_none() && new.rows.is_some() && old.name != new.name;
        if is_new_table && (is_unlike(old, new) || is_unlike(new, old)) {
            pairing.partner[then] = None;
            pairing.is_taken[now] = false;
        }
    }
}

struct Rest<'a> {
    pairing: Pairing<'a>,
    /// How many old tests each table can take in: those whose rows are listed.
    rooms: BTreeMap<usize, usize>,
    /// What the tests inside of new tests call, by file and path.
    inner: HashMap<(&'a str, String), BTreeSet<&'a str>>,
    /// The assertions of new tests that their partners did not hold, each with its test.
    added: HashMap<Said<'a>, Vec<usize>>,
    merged: Vec<Merged>,
    gone: Vec<usize>,
}

/// What an assertion says.
type Said<'a> = (String, &'a str, &'a str);

fn said(assert: &Assert) -> Said<'_> {
    (features::of_instance(&assert.subject), &assert.how, &assert.expected)
}

fn row_count(test: &Test) -> usize {
    test.rows.as_ref().map_or(1, Vec::len)
}

/// How many rows of a table became assertions of the same test: those that it repeats without a table.
fn inlined_rows(old: &Test, new: &Test) -> usize {
    let is_same = |a: &Assert, b: &Assert| a.subject == b.subject && a.how == b.how && b.strength >= a.strength;
    let gained = |a: &Assert| {
        let of = |asserts: &[Assert]| asserts.iter().filter(|b| is_same(a, b)).count();
        of(&new.asserts).saturating_sub(of(&old.asserts)) / of(&old.asserts).max(1)
    };
    let all = old.asserts.iter().filter(|_| new.rows.is_none());
    all.map(gained).min().unwrap_or_default()
}

/// Whether a test has a table whose rows are not known.
fn is_unlisted(test: &Test) -> bool {
    test.rows.as_ref().is_some_and(|rows| rows.contains(&Digest(0)))
}

/// Whether a test runs or may run.
fn is_running(test: &Test) -> bool {
    test.skip.as_ref().is_none_or(|mark| mark.condition.is_some() || mark.kind == SkipKind::Fails)
}

fn partners(pairing: &Pairing<'_>) -> BTreeMap<usize, usize> {
    let pairs = pairing.partner.iter().enumerate();
    pairs.filter_map(|(then, now)| Some(((*now)?, then))).collect()
}

fn rooms(pairing: &Pairing<'_>) -> BTreeMap<usize, usize> {
    let of = partners(pairing);
    let before = |at: &usize| of.get(at).map_or(0, |then| row_count(pairing.then[*then].test));
    let tables = pairing.now.iter().enumerate().filter(|(_, e)| e.test.rows.is_some() && is_running(e.test));
    // A table of a fixture asserts nothing itself: the test of the fixture that took the place of an old one runs a row of it.
    let taken = |at: usize, test: &Test| {
        let is_of_fixture = |other: &usize| {
            let (table, other) = (&pairing.now[at], &pairing.now[*other]);
            *other.path == *table.path && other.test.suite == test.suite && other.test.rows.is_none()
        };
        let is_renamed = |(now, then): &(&usize, &usize)| {
            is_of_fixture(now) && pairing.now[**now].test.name != pairing.then[**then].test.name
        };
        let is_apart = test.asserts.is_empty() && !test.suite.is_empty();
        if is_apart { of.iter().filter(is_renamed).count() } else { 0 }
    };
    tables
        .map(|(at, e)| (at, row_count(e.test).saturating_sub(before(&at)).saturating_sub(taken(at, e.test))))
        .collect()
}

/// What identifies a suite.
fn path_of(suite: &[String], name: Option<&str>) -> String {
    suite.iter().map(String::as_str).chain(name).collect::<Vec<_>>().join("\u{1f}")
}

fn inner_calls<'a>(pairing: &Pairing<'a>) -> HashMap<(&'a str, String), BTreeSet<&'a str>> {
    let mut inner: HashMap<(&str, String), BTreeSet<&str>> = HashMap::new();
    for entry in pairing.now.iter().filter(|entry| !entry.test.suite.is_empty()) {
        let calls = entry.test.calls.iter().map(String::as_str).filter(|call| !is_generic(call));
        inner.entry((entry.path, path_of(&entry.test.suite, None))).or_default().extend(calls);
    }
    inner
}

fn added<'a>(pairing: &Pairing<'a>) -> HashMap<Said<'a>, Vec<usize>> {
    let of = partners(pairing);
    let mut added: HashMap<Said<'a>, Vec<usize>> = HashMap::new();
    for (at, entry) in pairing.now.iter().enumerate().rev().filter(|(_, entry)| is_running(entry.test)) {
        let old = of.get(&at).map_or(&[][..], |then| &pairing.then[*then].test.asserts);
        let mut old: Vec<Said<'_>> = old.iter().map(said).collect();
        for assert in &entry.test.asserts {
            match old.iter().position(|known| *known == said(assert)) {
                Some(known) => drop(old.swap_remove(known)),
                None => added.entry(said(assert)).or_default().push(at),
            }
        }
    }
    added
}

impl Rest<'_> {
    /// Finds what the old tests without a partner became a part of.
    fn merge(&mut self) {
        for then in self.pairing.free_then() {
            let found = self.asserts_elsewhere(then).or_else(|| self.expected_elsewhere(then));
            let found = found.or_else(|| self.row_of(then)).or_else(|| self.whole_elsewhere(then));
            match found {
                Some((now, into)) => {
                    let places = (self.pairing.then[then].place, self.pairing.now[now].place);
                    self.merged.push(Merged { then: places.0, now: places.1, into });
                }
                None => self.gone.push(then),
            }
        }
    }

    /// New tests that gained all assertions of an old one. Its assertions are taken.
    fn asserts_elsewhere(&mut self, then: usize) -> Option<(usize, Into)> {
        let entry = self.pairing.then[then];
        let mut wanted: BTreeMap<Said<'_>, usize> = BTreeMap::new();
        // A call that failed where no error was thrown stands for the error that is expected now.
        let expects_error = self.added.iter().any(|((_, how, _), at)| {
            let is_near = at.iter().any(|at| self.pairing.now[*at].path == entry.path);
            is_near && failures::expects_error(&Assert { how: (*how).to_string(), ..Assert::default() })
        });
        let is_wanted =
            |assert: &&Assert| !(expects_error && matches!(assert.how.as_str(), "fail" | "self.fail" | "flunk"));
        let asserts = entry.test.asserts.iter().filter(is_wanted);
        asserts.for_each(|assert| *wanted.entry(said(assert)).or_default() += 1);
        let has = |(said, count): (&Said<'_>, &usize)| self.added.get(said).is_some_and(|at| at.len() >= *count);
        if wanted.is_empty() || entry.test.rows.is_some() || !wanted.iter().all(has) {
            return None;
        }
        let mut first = None;
        for (said, count) in wanted {
            for _ in 0..count {
                first = first.or(self.added.get_mut(&said).and_then(Vec::pop));
            }
        }
        first.map(|now| (now, Into::Asserts))
    }

    /// A new assertion in the same file that expects more: an old test whose only demands are parts of it. It is taken.
    fn expected_elsewhere(&mut self, then: usize) -> Option<(usize, Into)> {
        let entry = self.pairing.then[then];
        let mut demands = entry.test.asserts.iter().filter(|assert| assert.strength > Strength::Nothing);
        let (old, None) = (demands.next()?, demands.next()) else { return None };
        let is_wider = |(_, how, expected): &Said<'_>| {
            *how == old.how && *expected != old.expected && values::holds_words(&old.expected, expected)
        };
        let is_near = |at: &usize| {
            let other = &self.pairing.now[*at];
            other.path == entry.path && share_calls(entry.test, other.test)
        };
        let mut found = self.added.iter().filter(|(said, at)| is_wider(said) && at.iter().any(is_near));
        let key = found.by_ref().map(|(said, _)| said).min()?.clone();
        let places = self.added.get_mut(&key)?;
        let at = places.iter().rposition(|at| self.pairing.now[*at].path == entry.path)?;
        Some((places.remove(at), Into::Asserts))
    }

    /// A new test of the same file that compares whole values: each assertion of an old test is about a part of one of them, and the value
    /// that it expected is there. Several old tests may be parts of one.
    fn whole_elsewhere(&self, then: usize) -> Option<(usize, Into)> {
        let entry = self.pairing.then[then];
        let (suite, asserts) = (&entry.test.suite, &entry.test.asserts);
        let is_part = |a: &Assert, b: &Assert| {
            // `name.valid?`, where `name` is the subject of the group.
            let of_subject = a
                .subject
                .split_once('.')
                .filter(|_| b.subject == "subject")
                .map(|(_, rest)| Assert { subject: format!("subject.{rest}"), ..a.clone() });
            let is_part = |a: &Assert| forms::is_part_of(a, b) && values::holds_all_words(&a.expected, &b.expected);
            !a.expected.is_empty() && (is_part(a) || of_subject.as_ref().is_some_and(is_part))
        };
        let gained = |at: usize, b: &Assert| self.added.get(&said(b)).is_some_and(|places| places.contains(&at));
        let is_one = |at: &usize| {
            let other = &self.pairing.now[*at];
            let is_about = share_calls(entry.test, other.test) || asserts.iter().all(|a| a.subject.contains('.'));
            other.path == entry.path
                && other.test.suite == *suite
                && is_running(other.test)
                && is_about
                && asserts.iter().all(|a| other.test.asserts.iter().any(|b| gained(*at, b) && is_part(a, b)))
        };
        let is_open = !asserts.is_empty() && entry.test.rows.is_none();
        let all = if is_open { 0..self.pairing.now.len() } else { 0..0 };
        all.into_iter().find(is_one).map(|at| (at, Into::Asserts))
    }

    /// A table with room for the rows of an old test that calls the same.
    fn row_of(&mut self, then: usize) -> Option<(usize, Into)> {
        let entry = self.pairing.then[then];
        let needs = row_count(entry.test);
        let is_alike = |at: usize| {
            let other = &self.pairing.now[at];
            let is_silent = entry.test.calls.is_empty() && entry.path == other.path;
            let inner = self.inner.get(&(other.path, path_of(&other.test.suite, Some(&other.test.name))));
            let is_inner = inner.is_some_and(|inner| entry.test.calls.iter().any(|call| inner.contains(call.as_str())));
            let is_near = entry.path == other.path;
            // The table of a fixture that the test belonged to.
            let is_table = other.test.rows.is_some() && other.test.asserts.is_empty();
            let is_of_fixture =
                is_table && !entry.test.suite.is_empty() && entry.test.suite.last() == other.test.suite.last();
            let is_about = share_subjects(entry.test, other.test) || is_of_fixture;
            if is_unlike(entry.test, other.test) || is_unlike(other.test, entry.test) {
                return None;
            }
            (is_silent || is_inner || share_calls(entry.test, other.test) || is_near && is_about).then_some(is_near)
        };
        let found = self.rooms.iter().filter(|(_, room)| **room >= needs);
        let found = found.filter_map(|(at, _)| Some((is_alike(*at)?, std::cmp::Reverse(*at)))).max();
        if let Some((_, std::cmp::Reverse(at))) = found {
            self.rooms.entry(at).and_modify(|room| *room -= needs);
            return Some((at, Into::Rows));
        }
        let is_unknown = |at: &&usize| is_unlisted(self.pairing.now[**at].test);
        let is_near = |at: &&usize| is_alike(**at) == Some(true);
        let found = self.rooms.keys().filter(is_unknown).find(is_near);
        found.map(|at| (*at, Into::UnknownRows))
    }

    /// How many rows each pair lost that no other test holds now.
    fn lost_rows(&mut self) -> BTreeMap<usize, usize> {
        let mut gained: HashMap<Digest, usize> = HashMap::new();
        let of = partners(&self.pairing);
        for (at, entry) in self.pairing.now.iter().enumerate() {
            let old = of.get(&at).and_then(|then| self.pairing.then[*then].test.rows.as_ref());
            let old: BTreeSet<Digest> = old.into_iter().flatten().copied().collect();
            let rows = entry.test.rows.iter().flatten().filter(|row| !old.contains(row));
            rows.for_each(|row| *gained.entry(*row).or_default() += 1);
        }
        // A table may have become single tests.
        let mut arrivals: Vec<usize> = self.pairing.free_now();
        arrivals.retain(|at| is_running(self.pairing.now[*at].test));
        let mut lost = BTreeMap::new();
        for then in 0..self.pairing.then.len() {
            let Some(now) = self.pairing.partner[then] else { continue };
            let (old, new) = (self.pairing.then[then], self.pairing.now[now]);
            let Some(rows) = old.test.rows.as_ref() else { continue };
            let kept: BTreeSet<Digest> = new.test.rows.iter().flatten().copied().collect();
            let is_unknown = is_unlisted(new.test) || is_unlisted(old.test);
            // A row that stood twice, and stands once now, is not lost.
            let count = |test: &Test, row: &Digest| test.rows.iter().flatten().filter(|one| *one == row).count();
            let fewer = |row: &Digest| count(old.test, row).saturating_sub(count(new.test, row));
            let twice: usize = kept.iter().map(fewer).sum();
            let mut missing = rows.len().saturating_sub(row_count(new.test)).saturating_sub(twice);
            if missing == 0 || is_unknown {
                continue;
            }
            for row in rows.iter().filter(|row| !kept.contains(row)) {
                if let Some(count) = gained.get_mut(row).filter(|count| **count > 0 && missing > 0) {
                    (*count, missing) = (*count - 1, missing - 1);
                }
            }
            let mut is_single = |at: &usize| {
                let other = &self.pairing.now[*at];
                let is_silent = other.test.asserts.is_empty() && !old.test.asserts.is_empty();
                let is_one = missing > 0 && other.path == old.path && !is_silent && share_calls(old.test, other.test);
                missing -= usize::from(is_one) * row_count(other.test).min(missing);
                is_one
            };
            arrivals.retain(|at| !is_single(at));
            missing -= inlined_rows(old.test, new.test).min(missing);
            if missing > 0 {
                lost.insert(then, missing);
            }
        }
        lost
    }

    fn comparison(self, lost_rows: &BTreeMap<usize, usize>) -> Comparison {
        let Rest { pairing, mut merged, gone, .. } = self;
        let free = pairing.free_now();
        let mut by_assert: HashMap<Said<'_>, Vec<usize>> = HashMap::new();
        for at in &free {
            pairing.now[*at]
                .test
                .asserts
                .iter()
                .for_each(|assert| by_assert.entry(said(assert)).or_default().push(*at));
        }
        let mut split: BTreeSet<usize> = BTreeSet::new();
        let mut pairs = Vec::new();
        for then in 0..pairing.then.len() {
            let Some(now) = pairing.partner[then] else { continue };
            let parts = parts(&pairing, (then, now), &by_assert, &split);
            split.extend(&parts);
            pairs.push(Pair {
                then: pairing.then[then].place,
                now: pairing.now[now].place,
                how: pairing.how(then, now),
                parts: parts.iter().map(|at| pairing.now[*at].place).collect(),
                lost_rows: lost_rows.get(&then).copied().unwrap_or_default(),
            });
        }
        pairs.sort_by_key(|pair| pair.then);
        merged.sort_by_key(|one| one.then);
        let mut gone: Vec<_> = gone.into_iter().map(|at| pairing.then[at].place).collect();
        let mut new: Vec<_> = free.iter().filter(|at| !split.contains(at)).map(|at| pairing.now[*at].place).collect();
        gone.sort_unstable();
        new.sort_unstable();
        Comparison { pairs, merged, gone, new }
    }
}

/// The new tests without a partner that hold assertions which a pair lost.
fn parts(
    pairing: &Pairing<'_>,
    (then, now): (usize, usize),
    free: &HashMap<Said<'_>, Vec<usize>>,
    split: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    // An assertion that is made twice is lost if it is made once.
    let mut lost: Vec<Said<'_>> = pairing.then[then].test.asserts.iter().map(said).collect();
    remove_each(&mut lost, pairing.now[now].test);
    lost.sort_unstable();
    let mut parts = BTreeSet::new();
    while let Some(first) = lost.pop() {
        let is_free = |at: &&usize| !split.contains(at) && !parts.contains(*at);
        let Some(at) = free.get(&first).into_iter().flatten().find(is_free) else { continue };
        lost.push(first);
        remove_each(&mut lost, pairing.now[*at].test);
        parts.insert(*at);
    }
    parts
}

/// Removes from a list each assertion of a test once.
fn remove_each<'a>(list: &mut Vec<Said<'a>>, test: &'a Test) {
    for assert in &test.asserts {
        if let Some(at) = list.iter().position(|known| *known == said(assert)) {
            list.swap_remove(at);
        }
    }
}
