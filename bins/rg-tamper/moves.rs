//! Moves: finds new marks by taking out everything that only moved, within a file or between files, and the removed test files that
//! are elsewhere now. Each added line pairs with at most one removed line.

use crate::patterns::Kind;
use crate::scan::{Hit, Scan};
use crate::sides::Sides;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};

/// What did not only move. Files are named by their index among the changes.
#[derive(Debug, Default)]
pub struct Moves {
    /// Removed test files that were probably moved.
    pub whole: BTreeSet<usize>,
    /// New marks, each with its file.
    pub new_marks: Vec<(usize, Hit)>,
}

/// Marks of one file that are not paired yet.
struct Unpaired<'a> {
    added: Vec<&'a Hit>,
    removed: Vec<&'a Hit>,
}

type Key = (usize, u64, u64, u64);

/// Pairs what moved, and returns the rest.
pub fn find(all: &[Sides]) -> Moves {
    let mut rests: Vec<Unpaired<'_>> = all.iter().map(within_a_file).collect();
    between_files(&mut rests);
    let new_marks = |(at, rest): (usize, &Unpaired<'_>)| -> Vec<(usize, Hit)> {
        rest.added.iter().map(|hit| (at, (*hit).clone())).collect()
    };
    Moves { whole: moved_test_files(all), new_marks: rests.iter().enumerate().flat_map(new_marks).collect() }
}

/// Pairs marks within a file. The following line tells what a mark is about; for a mark that is not an attribute the previous line
/// does, too. A suppressed lint pairs anywhere in its file; a skipped test only with the same test.
fn within_a_file(one: &Sides) -> Unpaired<'_> {
    let mut rest = Unpaired {
        added: one.now.iter().flat_map(|scan| &scan.hits).collect(),
        removed: one.then.iter().flat_map(|scan| &scan.hits).collect(),
    };
    let by_next = |hit: &Hit| (!is_inside(hit)).then_some((hit.pattern, hit.own, hit.after, 0));
    let by_last = |hit: &Hit| (!hit.is_bare).then_some((hit.pattern, hit.own, hit.before, 0));
    let by_line = |hit: &Hit| (hit.kind() != Kind::Skip).then_some((hit.pattern, hit.own, 0, 0));
    // Another form of a skip of the same test: it has the same title, or the same line below its attribute.
    let same_skip = |hit: &Hit| {
        let (place, about) = if hit.is_bare { (2, hit.after) } else { (3, hit.title) };
        let is_plain = hit.kind() == Kind::Skip && about != 0 && !is_conditional(&hit.text);
        is_plain.then(|| (place, about, u64::from(hit.text.contains(".only")), 0))
    };
    // A fixture skips the tests that ask for it wherever it does so.
    let by_fixture =
        |hit: &Hit| (is_inside(hit) && one.role.shown.ends_with("conftest.py")).then_some((hit.pattern, hit.own, 1, 0));
    cancel(&mut rest, by_next);
    cancel(&mut rest, by_last);
    cancel(&mut rest, by_fixture);
    cancel(&mut rest, by_line);
    cancel(&mut rest, same_skip);
    pair_reworded(&mut rest);
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

/// Pairs marks between the same two lines if the new one suppresses no more than the old one: the same rules or fewer.
fn pair_reworded(rest: &mut Unpaired<'_>) {
    let place = |hit: &Hit| (hit.pattern, hit.mark, hit.after, hit.before);
    let is_no_more = |new: &Hit, old: &Hit| match new.kind() {
        Kind::Skip if is_conditional(&new.text) => is_conditional(&old.text) && new.rules == old.rules,
        Kind::Skip => true,
        _ => old.rules.is_empty() || !new.rules.is_empty() && new.rules.iter().all(|rule| old.rules.contains(rule)),
    };
    let mut olds: HashMap<Key, Vec<&Hit>> = HashMap::new();
    for hit in &rest.removed {
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

/// Pairs marks that moved to another file together with the line that they are about.
fn between_files(rests: &mut [Unpaired<'_>]) {
    let key = |hit: &Hit| (hit.pattern, hit.own, hit.after, if is_inside(hit) { hit.before } else { 0 });
    let mut left: HashMap<Key, usize> = HashMap::new();
    for hit in rests.iter().flat_map(|rest| &rest.removed) {
        *left.entry(key(hit)).or_default() += 1;
    }
    for rest in rests {
        rest.added.retain(|hit| !left.get_mut(&key(hit)).is_some_and(take_one));
    }
}

/// The removed test files that moved to a new test file of the same kind and the same bytes, or most of the lines.
fn moved_test_files(all: &[Sides]) -> BTreeSet<usize> {
    let mut moved = BTreeSet::new();
    let is_removed = |at: &usize| all[*at].role.was_test && all[*at].change.now.is_none();
    let removed: Vec<usize> = (0..all.len()).filter(is_removed).collect();
    let end = |at: usize| all[at].change.path.extension().map(kind_of);
    let bare = |at: usize| all[at].change.path.with_extension("");
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
                moved.insert(at);
            }
            _ => left.push(at),
        }
    }
    // The lines of each candidate are collected once.
    let mut lines: HashMap<usize, HashSet<u64>> = HashMap::new();
    // Those that only have another ending come first.
    let by_name: HashMap<_, usize> = free.iter().map(|at| ((bare(*at), end(*at)), *at)).collect();
    let namesake = |at: usize| by_name.get(&(bare(at), end(at))).copied();
    left.sort_by_key(|at| namesake(*at).is_none());
    let named = left.iter().filter(|at| namesake(**at).is_some()).count();
    for at in left.into_iter().take(named + COMPARED) {
        let Some(then) = &all[at].then else { continue };
        let same = namesake(at).filter(|other| free.contains(other));
        let others = free.iter().copied().filter(|other| end(*other) == end(at)).take(COMPARED);
        let other = same.into_iter().chain(others.filter(|_| same.is_none())).find(|other| {
            let of_other = || all[*other].now.iter().flat_map(texts).collect();
            let there = lines.entry(*other).or_insert_with(of_other);
            let shared = texts(then).filter(|line| there.contains(line)).count();
            shared > 0 && shared * 10 >= texts(then).count() * 6
        });
        if let Some(other) = other {
            free.remove(&other);
            moved.insert(at);
        }
    }
    moved
}

/// Whether a new file of the same kind holds most of the lines of a removed one.
pub fn is_mostly_in(removed: &Sides, other: &Sides) -> bool {
    let end = |one: &Sides| one.change.path.extension().map(kind_of);
    let (Some(then), Some(now)) = (&removed.then, &other.now) else { return false };
    let is_new = other.change.then.is_none() && other.change.now.is_some() && removed.change.now.is_none();
    is_new && end(removed) == end(other) && {
        let there: HashSet<u64> = texts(now).collect();
        let shared = texts(then).filter(|line| there.contains(line)).count();
        shared > 0 && shared * 10 >= texts(then).count() * 6
    }
}

/// The endings of one language, which say how a file is loaded.
const SCRIPTS: [&str; 8] = ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"];

/// The kind of a file by its ending: a script may get another one and stays a script.
fn kind_of(end: &OsStr) -> OsString {
    if is_script(end) { OsString::from("js") } else { end.to_os_string() }
}

/// Whether an ending is one of JavaScript or TypeScript.
pub fn is_script(end: &OsStr) -> bool {
    end.to_str().is_some_and(|end| SCRIPTS.contains(&end))
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
