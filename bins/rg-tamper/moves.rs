//! Moves: finds new marks and removed tests by taking out everything that only moved, within a file or between files. Each added
//! line pairs with at most one removed line.

use crate::patterns::{Kind, PATTERNS};
use crate::places;
use crate::scan::{Hit, Scan};
use crate::sides::Sides;
use crate::subject::{self, Subject, identity};
use review_gate::sys::text::cut_end;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;

/// What did not only move. Files are named by their index among the changes.
#[derive(Debug, Default)]
pub struct Moves {
    /// Removed test files that were probably moved.
    pub whole: BTreeSet<usize>,
    /// Tests that are no longer declared anywhere, by the file that declared them.
    pub removed: BTreeMap<usize, RemovedTests>,
    /// How many tests became rows of a table, by the file that declared them.
    pub rows: BTreeMap<usize, usize>,
    /// New marks, each with its file.
    pub new_marks: Vec<(usize, Hit)>,
}

/// The removed tests of one file.
#[derive(Debug, Default)]
pub struct RemovedTests {
    /// How many were removed.
    pub count: usize,
    /// How many the file declared.
    pub of: usize,
    /// Lines that declared some of them.
    pub lines: Vec<String>,
    /// The same for the same tests.
    pub key: String,
}

impl RemovedTests {
    /// The first three of them.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.lines.iter().take(3).map(String::as_str).collect();
        let more = if self.count > names.len() { ", ..." } else { "" };
        names.join(", ") + more
    }
}

/// Marks and tests of one file that are not paired yet.
struct Unpaired<'a> {
    added: Vec<&'a Hit>,
    removed: Vec<&'a Hit>,
}

type Key = (usize, u64, u64, u64);

/// Pairs what moved, and returns the rest.
pub fn find(all: &[Sides]) -> Moves {
    let mut moved = Moves::default();
    let mut rests: Vec<Unpaired<'_>> = all.iter().map(within_a_file).collect();
    marks_between_files(&mut rests);
    for (at, rest) in rests.iter().enumerate() {
        let marks = rest.added.iter().filter(|hit| hit.kind() != Kind::Test);
        moved.new_marks.extend(marks.map(|hit| (at, (*hit).clone())));
    }
    tests_between_files(all, rests, &mut moved);
    without_declarations(all, &mut moved);
    moved
}

/// Pairs marks within a file. The following line tells what a mark is about; for a mark that is not an attribute the previous line
/// does, too. A suppressed lint pairs anywhere in its file; a skipped test only with the same test.
fn within_a_file(one: &Sides) -> Unpaired<'_> {
    let mut rest = Unpaired {
        added: one.now.iter().flat_map(|scan| &scan.hits).collect(),
        removed: one.then.iter().flat_map(|scan| &scan.hits).collect(),
    };
    let is_mark = |hit: &Hit| hit.kind() != Kind::Test;
    let by_next = |hit: &Hit| (is_mark(hit) && !is_inside(hit)).then_some((hit.pattern, hit.own, hit.after, 0));
    let by_last = |hit: &Hit| (is_mark(hit) && !hit.is_bare).then_some((hit.pattern, hit.own, hit.before, 0));
    let by_line = |hit: &Hit| (is_mark(hit) && hit.kind() != Kind::Skip).then_some((hit.pattern, hit.own, 0, 0));
    let same_test = |hit: &Hit| (!is_mark(hit)).then(|| declaration(hit));
    // Another form of a skip of the same test: it has the same title, or the same line below its attribute.
    let same_skip = |hit: &Hit| {
        let (place, about) = if hit.is_bare { (2, hit.after) } else { (3, hit.title) };
        let is_plain = hit.kind() == Kind::Skip && about != 0 && !is_conditional(&hit.text);
        is_plain.then(|| (place, about, u64::from(hit.text.contains(".only")), 0))
    };
    cancel(&mut rest, by_next);
    cancel(&mut rest, by_last);
    cancel(&mut rest, by_line);
    cancel(&mut rest, same_skip);
    pair_reworded(&mut rest, one);
    cancel(&mut rest, same_test);
    // Another form of the declaration of the same test.
    cancel(&mut rest, |hit| (!is_mark(hit)).then(|| (0, identity(hit), 0, 0)));
    rest
}

/// Whether a skip is inside a test's body, where only the line before it tells which test it is.
fn is_inside(hit: &Hit) -> bool {
    hit.kind() == Kind::Skip && !hit.is_bare && hit.title == 0
}

/// Whether a line skips under a condition; another condition is another skip.
fn is_conditional(line: &str) -> bool {
    ["skipif", "skipIf", "runIf", "Unless", "XCTSkipIf"].iter().any(|word| line.contains(word))
}

/// Pairs marks between the same two lines if the new one suppresses no more than the old one: the same rules or fewer. A renamed
/// skipped test must no longer exist under its old name.
fn pair_reworded(rest: &mut Unpaired<'_>, one: &Sides) {
    let place = |hit: &Hit| (hit.pattern, hit.mark, hit.after, hit.before);
    let tests = one.now.iter().flat_map(|scan| &scan.hits).filter(|hit| hit.kind() == Kind::Test);
    let titles: HashSet<u64> = tests.map(|hit| hit.title).collect();
    let is_no_more = |new: &Hit, old: &Hit| match new.kind() {
        Kind::Test => false,
        Kind::Skip if is_conditional(&new.text) => is_conditional(&old.text) && new.rules == old.rules,
        Kind::Skip => old.title == 0 || !titles.contains(&old.title),
        _ => old.rules.is_empty() || !new.rules.is_empty() && new.rules.iter().all(|rule| old.rules.contains(rule)),
    };
    let mut olds: HashMap<Key, Vec<&Hit>> = HashMap::new();
    for hit in rest.removed.iter().filter(|hit| hit.kind() != Kind::Test) {
        olds.entry(place(hit)).or_default().push(hit);
    }
    let mut paired: Vec<&Hit> = Vec::new();
    rest.added.retain(|new| {
        let Some(olds) = olds.get_mut(&place(new)) else { return true };
        let Some(at) = olds.iter().position(|old| is_no_more(new, old)) else { return true };
        paired.push(olds.remove(at));
        false
    });
    rest.removed.retain(|hit| !paired.iter().any(|old| std::ptr::eq(*old, *hit)));
}

/// The key of a test's declaration: its line, or the line below an attribute.
fn declaration(hit: &Hit) -> Key {
    (hit.pattern, hit.own, if PATTERNS[hit.pattern].is_attribute { hit.after } else { 0 }, 0)
}

/// Pairs marks that moved to another file together with the line that they are about.
fn marks_between_files(rests: &mut [Unpaired<'_>]) {
    let key = |hit: &Hit| (hit.pattern, hit.own, hit.after, if is_inside(hit) { hit.before } else { 0 });
    let mut left: HashMap<Key, usize> = HashMap::new();
    for hit in rests.iter().flat_map(|rest| &rest.removed).filter(|hit| hit.kind() != Kind::Test) {
        *left.entry(key(hit)).or_default() += 1;
    }
    for rest in rests {
        rest.added.retain(|hit| hit.kind() == Kind::Test || !left.get_mut(&key(hit)).is_some_and(take_one));
    }
}

/// The added tests of a file that do not run: they replace no removed test.
enum Skipped {
    All,
    /// Those in these lines.
    These(HashSet<u64>),
}

fn newly_skipped(one: &Sides, rest: &Unpaired<'_>) -> Skipped {
    let Some(now) = &one.now else { return Skipped::These(HashSet::new()) };
    let skips = rest.added.iter().filter(|hit| hit.kind() == Kind::Skip);
    let lines: Option<HashSet<u64>> = skips
        .map(|hit| match subject::of(now, hit) {
            Subject::Test(test) => Some(test.line),
            Subject::Suite | Subject::Unknown => None,
        })
        .collect();
    lines.map_or(Skipped::All, Skipped::These)
}

/// Pairs tests that another test file declares now; then renamed tests, within a file and between a file and those that its tests
/// moved to. The others were removed.
fn tests_between_files(all: &[Sides], rests: Vec<Unpaired<'_>>, moved: &mut Moves) {
    let tests =
        |hits: Vec<&Hit>| -> Vec<Hit> { hits.into_iter().filter(|hit| hit.kind() == Kind::Test).cloned().collect() };
    let skipped: Vec<Skipped> = all.iter().zip(&rests).map(|(one, rest)| newly_skipped(one, rest)).collect();
    let (mut added, mut removed): (Vec<Vec<Hit>>, Vec<Vec<Hit>>) =
        rests.into_iter().map(|rest| (tests(rest.added), tests(rest.removed))).unzip();
    let mut pool: HashMap<Key, Vec<usize>> = HashMap::new();
    for (at, hits) in added.iter().enumerate().rev() {
        hits.iter().for_each(|hit| pool.entry(declaration(hit)).or_default().push(at));
    }
    let mut partners: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
    for at in 0..all.len() {
        // A test whose file name matched a pattern must not move to a file that is only a test by its directory.
        let is_named = |other: usize| all[other].role.is_named || !all[at].role.is_named;
        let is_apart = |file: usize| places::is_apart(&all[file].role.shown);
        let is_seen = |other: &usize| is_named(*other) && (!is_apart(*other) || is_apart(at));
        let take = |places: &mut Vec<usize>| places.iter().rposition(is_seen).map(|place| places.remove(place));
        removed[at].retain(|hit| match pool.get_mut(&declaration(hit)).and_then(take) {
            Some(other) => {
                let place = added[other].iter().position(|there| declaration(there) == declaration(hit));
                place.map(|place| added[other].remove(place));
                partners[at].insert(other);
                false
            }
            None => true,
        });
    }
    let arrivals = |at: usize| match &skipped[at] {
        Skipped::All => 0,
        Skipped::These(lines) => added[at].iter().filter(|hit| !lines.contains(&hit.line)).count(),
    };
    let mut renamed: Vec<usize> = (0..all.len()).map(arrivals).collect();
    let rows = |scan: &Option<Scan>| scan.as_ref().map_or(0, |scan| scan.rows);
    let new_rows = |at: usize| match &skipped[at] {
        // A table comes with a test that it feeds, or grows.
        Skipped::These(lines) if lines.is_empty() && (arrivals(at) > 0 || rows(&all[at].then) > 0) => {
            rows(&all[at].now).saturating_sub(rows(&all[at].then))
        }
        _ => 0,
    };
    let mut tabled: Vec<usize> = (0..all.len()).map(new_rows).collect();
    for at in 0..all.len() {
        let places = std::iter::once(at).chain(partners[at].iter().copied());
        let mut left = removed[at].len();
        for place in places {
            let taken = left.min(renamed[place]);
            (left, renamed[place]) = (left - taken, renamed[place] - taken);
            let rows = left.min(tabled[place]);
            (left, tabled[place]) = (left - rows, tabled[place] - rows);
            if rows > 0 {
                *moved.rows.entry(at).or_default() += rows;
            }
        }
        let of = all[at].then.iter().flat_map(|scan| &scan.hits).filter(|hit| hit.kind() == Kind::Test).count();
        if of == 0 || !all[at].role.was_test {
            continue;
        }
        if left == 0 {
            moved.whole.insert(at);
            continue;
        }
        let mut digests: Vec<u64> = removed[at].iter().map(|hit| hit.own ^ hit.after).collect();
        digests.sort_unstable();
        let key = digests.iter().map(|digest| format!("{digest:x}")).collect();
        let lines = removed[at].iter().map(|hit| cut_end(&hit.text, 60)).collect();
        moved.removed.insert(at, RemovedTests { count: left, of, lines, key });
    }
}

/// Finds where test files without known declarations moved to (helpers, fixtures, other languages): to a new test file with the same
/// extension and the same bytes, or most of the lines.
fn without_declarations(all: &[Sides], moved: &mut Moves) {
    let is_removed = |at: &usize| {
        let one = &all[*at];
        let is_known = moved.removed.contains_key(at) || moved.whole.contains(at);
        one.role.was_test && one.change.now.is_none() && !is_known
    };
    let removed: Vec<usize> = (0..all.len()).filter(is_removed).collect();
    let end = |at: usize| all[at].change.path.extension().map(OsStr::to_os_string);
    let is_new = |at: &usize| all[*at].role.is_test && all[*at].change.then.is_none();
    let mut free: BTreeSet<usize> = (0..all.len()).filter(is_new).collect();
    // First all files with the same bytes, then those with the same lines.
    let mut by_bytes: HashMap<_, Vec<usize>> = HashMap::new();
    for at in &free {
        let bytes = all[*at].now.as_ref().map(|scan| scan.sha256);
        by_bytes.entry((end(*at), bytes)).or_default().push(*at);
    }
    let mut left = Vec::new();
    for at in removed {
        let bytes = all[at].then.as_ref().map(|scan| scan.sha256);
        match by_bytes.get_mut(&(end(at), bytes)).and_then(Vec::pop) {
            Some(other) if bytes.is_some() => {
                free.remove(&other);
                moved.whole.insert(at);
            }
            _ => left.push(at),
        }
    }
    // The lines of each candidate are collected once.
    let mut lines: HashMap<usize, HashSet<u64>> = HashMap::new();
    for at in left.into_iter().take(COMPARED) {
        let Some(then) = &all[at].then else { continue };
        let mut others = free.iter().copied().filter(|other| end(*other) == end(at)).take(COMPARED);
        let other = others.find(|other| {
            let of_other = || all[*other].now.iter().flat_map(texts).collect();
            let there = lines.entry(*other).or_insert_with(of_other);
            let shared = texts(then).filter(|line| there.contains(line)).count();
            shared > 0 && shared * 10 >= texts(then).count() * 6
        });
        if let Some(other) = other {
            free.remove(&other);
            moved.whole.insert(at);
        }
    }
}

/// The digests of the lines that are not blank.
fn texts(scan: &Scan) -> impl Iterator<Item = u64> {
    scan.lines.iter().filter(|line| line.has_text()).map(|line| line.digest)
}

/// How many files are compared line by line with how many others.
const COMPARED: usize = 64;

fn take_one(count: &mut usize) -> bool {
    let some = *count > 0;
    *count -= usize::from(some);
    some
}

/// Pairs marks with the same key, and removes both.
fn cancel(rest: &mut Unpaired<'_>, key: impl Fn(&Hit) -> Option<Key>) {
    let mut there: HashMap<Key, usize> = HashMap::new();
    rest.removed.iter().filter_map(|hit| key(hit)).for_each(|key| *there.entry(key).or_default() += 1);
    let mut taken: HashMap<Key, usize> = HashMap::new();
    rest.added.retain(|hit| {
        let Some(key) = key(hit) else { return true };
        let found = there.get_mut(&key).is_some_and(take_one);
        *taken.entry(key).or_default() += usize::from(found);
        !found
    });
    rest.removed.retain(|hit| !key(hit).is_some_and(|key| taken.get_mut(&key).is_some_and(take_one)));
}
