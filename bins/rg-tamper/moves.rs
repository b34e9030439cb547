//! What is new and what is gone, once everything that only moved is taken out: between lines of a file, and between files.

use crate::patterns::{Kind, PATTERNS};
use crate::scan::{Hit, Scan};
use crate::sides::Sides;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is left.
#[derive(Debug, Default)]
pub struct Moved {
    /// Test files that went to another place where they are tests, too.
    pub whole: BTreeSet<usize>,
    /// Tests that are gone, by file.
    pub gone: BTreeMap<usize, Gone>,
    /// Marks that are new, by file.
    pub new_marks: Vec<(usize, Hit)>,
}

/// Tests that one file has fewer of.
#[derive(Debug, Default)]
pub struct Gone {
    pub count: usize,
    /// Lines that declared some of them.
    pub names: Vec<String>,
}

/// Marks of one file that have no partner yet.
struct Rest<'a> {
    added: Vec<&'a Hit>,
    removed: Vec<&'a Hit>,
}

type Key = (usize, u64, u64);

/// Takes out what moved.
pub fn find(all: &[Sides]) -> Moved {
    let is_gone = |one: &Sides| one.role.was_test && one.change.now.is_none();
    let whole = all.iter().enumerate().filter(|(_, one)| is_gone(one) && all.iter().any(|other| went_to(one, other)));
    let mut moved = Moved { whole: whole.map(|(at, _)| at).collect(), ..Moved::default() };
    let mut rests: Vec<Rest<'_>> = all.iter().map(within_a_file).collect();
    between_files(&mut rests);
    tests(all, &rests, &mut moved);
    for (at, rest) in rests.iter().enumerate() {
        let marks = rest.added.iter().filter(|hit| hit.kind() != Kind::Test);
        moved.new_marks.extend(marks.map(|hit| (at, (*hit).clone())));
    }
    moved
}

/// Whether a test file that is gone lies at another place now, where it is a test: the same bytes, or most of its lines.
fn went_to(gone: &Sides, other: &Sides) -> bool {
    let is_new = other.role.is_test && other.change.then.is_none();
    let (Some(then), Some(now)) = (&gone.then, &other.now) else { return false };
    if !is_new || then.lines.is_empty() {
        return is_new && then.sha256 == now.sha256;
    }
    let declared = |scan: &Scan| scan.hits.iter().filter(|hit| hit.kind() == Kind::Test).count();
    let mut there: HashMap<u64, usize> = HashMap::new();
    now.lines.iter().for_each(|line| *there.entry(*line).or_default() += 1);
    let shared = then.lines.iter().filter(|line| there.get_mut(line).is_some_and(take_one)).count();
    then.sha256 == now.sha256 || (shared * 10 >= then.lines.len() * 6 && declared(now) >= declared(then))
}

fn take_one(count: &mut usize) -> bool {
    let some = *count > 0;
    *count -= usize::from(some);
    some
}

/// Marks that were there before, whatever lines they stand in now. The line that follows says what a mark is about, then the one
/// before; between the same two lines another wording of the same mark is the same mark. A linter's mark is the same wherever in
/// its file it stands; which test is skipped is not.
fn within_a_file(one: &Sides) -> Rest<'_> {
    let mut rest = Rest {
        added: one.now.iter().flat_map(|scan| &scan.hits).collect(),
        removed: one.then.iter().flat_map(|scan| &scan.hits).collect(),
    };
    let by_next = |hit: &Hit| Some((hit.pattern, hit.own, hit.after));
    let by_last = |hit: &Hit| Some((hit.pattern, hit.own, hit.before));
    let in_place = |hit: &Hit| (!PATTERNS[hit.pattern].attribute).then_some((hit.pattern, hit.before, hit.after));
    let by_line = |hit: &Hit| (hit.kind() != Kind::Skip).then_some((hit.pattern, hit.own, 0));
    cancel(&mut rest.added, &mut rest.removed, by_next);
    cancel(&mut rest.added, &mut rest.removed, by_last);
    cancel(&mut rest.added, &mut rest.removed, in_place);
    cancel(&mut rest.added, &mut rest.removed, by_line);
    rest
}

/// A mark that left one file for another together with the line that it is about.
fn between_files(rests: &mut [Rest<'_>]) {
    let key = |hit: &Hit| (hit.pattern, hit.own, hit.after);
    let mut left: HashMap<Key, usize> = HashMap::new();
    for hit in rests.iter().flat_map(|rest| &rest.removed).filter(|hit| hit.kind() != Kind::Test) {
        *left.entry(key(hit)).or_default() += 1;
    }
    for rest in rests {
        rest.added.retain(|hit| hit.kind() == Kind::Test || !left.get_mut(&key(hit)).is_some_and(take_one));
    }
}

/// Tests that a file declares fewer of, less those that another test file declares instead.
fn tests(all: &[Sides], rests: &[Rest<'_>], moved: &mut Moved) {
    let of_tests = |hits: &[&Hit]| -> Vec<Hit> {
        hits.iter().filter(|hit| hit.kind() == Kind::Test).map(|hit| (*hit).clone()).collect()
    };
    let identity = |hit: &Hit| (hit.pattern, hit.own, if PATTERNS[hit.pattern].attribute { hit.after } else { 0 });
    let mut elsewhere: HashMap<Key, usize> = HashMap::new();
    for (_, rest) in all.iter().zip(rests).filter(|(one, _)| one.role.is_test) {
        of_tests(&rest.added).iter().for_each(|hit| *elsewhere.entry(identity(hit)).or_default() += 1);
    }
    for (at, (one, rest)) in all.iter().zip(rests).enumerate() {
        let (added, removed) = (of_tests(&rest.added), of_tests(&rest.removed));
        let is_file = one.change.now.as_ref().is_some_and(|file| file.entry.what.is_file());
        if !one.role.was_test || !is_file || removed.len() <= added.len() {
            continue;
        }
        // Its own added ones stand for renamed tests: they are not there for others.
        for hit in &added {
            elsewhere.get_mut(&identity(hit)).map(take_one);
        }
        let stayed: Vec<&Hit> =
            removed.iter().filter(|hit| !elsewhere.get_mut(&identity(hit)).is_some_and(take_one)).collect();
        let count = stayed.len().saturating_sub(added.len());
        if count > 0 {
            let names = stayed.iter().map(|hit| review_gate::text::cut_end(&hit.text, 60)).collect();
            moved.gone.insert(at, Gone { count, names });
        }
    }
}

/// Takes out of both lists, one for one, what has the same key.
fn cancel(added: &mut Vec<&Hit>, removed: &mut Vec<&Hit>, key: impl Fn(&Hit) -> Option<Key>) {
    let mut there: HashMap<Key, usize> = HashMap::new();
    removed.iter().filter_map(|hit| key(hit)).for_each(|key| *there.entry(key).or_default() += 1);
    let mut taken: HashMap<Key, usize> = HashMap::new();
    added.retain(|hit| {
        let Some(key) = key(hit) else { return true };
        let found = there.get_mut(&key).is_some_and(take_one);
        *taken.entry(key).or_default() += usize::from(found);
        !found
    });
    removed.retain(|hit| !key(hit).is_some_and(|key| taken.get_mut(&key).is_some_and(take_one)));
}
