//! What is new and what is gone, once everything that only moved is taken out: between lines of a file, and between files. Each
//! line that came stands for at most one that went.

use crate::patterns::{Kind, PATTERNS};
use crate::scan::Hit;
use crate::sides::Sides;
use review_gate::sys::text::{count, cut_end};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;

/// What is left.
#[derive(Debug, Default)]
pub struct Moved {
    /// Test files that are gone and lie elsewhere now, as far as that can be told.
    pub whole: BTreeSet<usize>,
    /// Tests that are declared nowhere any more, by the file that declared them.
    pub gone: BTreeMap<usize, Gone>,
    /// Marks that are new, by file.
    pub new_marks: Vec<(usize, Hit)>,
}

/// Tests that one file has fewer of.
#[derive(Debug, Default)]
pub struct Gone {
    /// How many.
    pub count: usize,
    /// How many it declared.
    pub of: usize,
    /// Lines that declared some of them.
    pub names: Vec<String>,
    /// The same tests are the same finding.
    pub key: String,
}

impl Gone {
    /// How many, and some of them.
    pub fn say(&self) -> String {
        let names: Vec<&str> = self.names.iter().take(3).map(String::as_str).collect();
        let more = if self.count > names.len() { ", ..." } else { "" };
        format!("{} ({}{more})", count(self.count, "test"), names.join(", "))
    }
}

/// Marks and tests of one file that have no partner yet.
struct Rest<'a> {
    added: Vec<&'a Hit>,
    removed: Vec<&'a Hit>,
}

type Key = (usize, u64, u64, u64);

/// Takes out what moved.
pub fn find(all: &[Sides]) -> Moved {
    let mut moved = Moved::default();
    let mut rests: Vec<Rest<'_>> = all.iter().map(within_a_file).collect();
    marks_between_files(&mut rests);
    for (at, rest) in rests.iter().enumerate() {
        let marks = rest.added.iter().filter(|hit| hit.kind() != Kind::Test);
        moved.new_marks.extend(marks.map(|hit| (at, (*hit).clone())));
    }
    tests_between_files(all, rests, &mut moved);
    without_declarations(all, &mut moved);
    moved
}

/// What was there before, whatever line it stands in now. The line that follows says what a mark is about; for one that is no
/// attribute the line before does as well. A linter's mark is the same wherever in its file it stands; which test is skipped is not.
fn within_a_file(one: &Sides) -> Rest<'_> {
    let mut rest = Rest {
        added: one.now.iter().flat_map(|scan| &scan.hits).collect(),
        removed: one.then.iter().flat_map(|scan| &scan.hits).collect(),
    };
    let is_mark = |hit: &Hit| hit.kind() != Kind::Test;
    let by_next = |hit: &Hit| (is_mark(hit) && !is_inside(hit)).then_some((hit.pattern, hit.own, hit.after, 0));
    let by_last = |hit: &Hit| (is_mark(hit) && !hit.is_bare).then_some((hit.pattern, hit.own, hit.before, 0));
    let by_line = |hit: &Hit| (is_mark(hit) && hit.kind() != Kind::Skip).then_some((hit.pattern, hit.own, 0, 0));
    let same_test = |hit: &Hit| (!is_mark(hit)).then(|| declared(hit));
    // A skip in other words: of the same test, by its title or by what stands below an attribute.
    let same_skip = |hit: &Hit| {
        let (place, about) = if hit.is_bare { (2, hit.after) } else { (3, hit.title) };
        let is_plain = hit.kind() == Kind::Skip && about != 0 && !is_conditional(&hit.text);
        is_plain.then(|| (place, about, u64::from(hit.text.contains(".only")), 0))
    };
    cancel(&mut rest, by_next);
    cancel(&mut rest, by_last);
    cancel(&mut rest, by_line);
    cancel(&mut rest, same_skip);
    reworded(&mut rest, one);
    cancel(&mut rest, same_test);
    rest
}

/// A skip inside of a test's body: what stands before it says which test, what follows may stand in any.
fn is_inside(hit: &Hit) -> bool {
    hit.kind() == Kind::Skip && !hit.is_bare && hit.title == 0
}

/// Whether a line skips only under a condition: another condition is another skip.
fn is_conditional(line: &str) -> bool {
    ["skipif", "skipIf", "runIf", "Unless", "XCTSkipIf"].iter().any(|word| line.contains(word))
}

/// Between the same two lines, another wording of the same mark that says no more than the old one: no further rule, and not all of
/// them instead of some. A skipped test that got another name must not stand there under its old one as well.
fn reworded(rest: &mut Rest<'_>, one: &Sides) {
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
    let mut taken: Vec<&Hit> = Vec::new();
    rest.added.retain(|new| {
        let Some(olds) = olds.get_mut(&place(new)) else { return true };
        let Some(at) = olds.iter().position(|old| is_no_more(new, old)) else { return true };
        taken.push(olds.remove(at));
        false
    });
    rest.removed.retain(|hit| !taken.iter().any(|old| std::ptr::eq(*old, *hit)));
}

/// What a declaration declares: its line, or the one below an attribute.
fn declared(hit: &Hit) -> Key {
    (hit.pattern, hit.own, if PATTERNS[hit.pattern].attribute { hit.after } else { 0 }, 0)
}

/// A mark that left one file for another together with the line that it is about.
fn marks_between_files(rests: &mut [Rest<'_>]) {
    let key = |hit: &Hit| (hit.pattern, hit.own, hit.after, if is_inside(hit) { hit.before } else { 0 });
    let mut left: HashMap<Key, usize> = HashMap::new();
    for hit in rests.iter().flat_map(|rest| &rest.removed).filter(|hit| hit.kind() != Kind::Test) {
        *left.entry(key(hit)).or_default() += 1;
    }
    for rest in rests {
        rest.added.retain(|hit| hit.kind() == Kind::Test || !left.get_mut(&key(hit)).is_some_and(take_one));
    }
}

/// Tests that are declared by another test file now; then, within a file and between a file and where most of it went, tests
/// with another name. What is left is gone.
fn tests_between_files(all: &[Sides], rests: Vec<Rest<'_>>, moved: &mut Moved) {
    let tests =
        |hits: Vec<&Hit>| -> Vec<Hit> { hits.into_iter().filter(|hit| hit.kind() == Kind::Test).cloned().collect() };
    let (mut added, mut removed): (Vec<Vec<Hit>>, Vec<Vec<Hit>>) =
        rests.into_iter().map(|rest| (tests(rest.added), tests(rest.removed))).unzip();
    let mut pool: HashMap<Key, Vec<usize>> = HashMap::new();
    for (at, hits) in added.iter().enumerate().rev() {
        hits.iter().for_each(|hit| pool.entry(declared(hit)).or_default().push(at));
    }
    let mut partners: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
    for at in 0..all.len() {
        // What a pattern called a test by its name is none any more where only its directory does.
        let is_seen = |other: &usize| all[*other].role.is_named || !all[at].role.is_named;
        let take = |places: &mut Vec<usize>| places.iter().rposition(is_seen).map(|place| places.remove(place));
        removed[at].retain(|hit| match pool.get_mut(&declared(hit)).and_then(take) {
            Some(other) => {
                let place = added[other].iter().position(|there| declared(there) == declared(hit));
                place.map(|place| added[other].remove(place));
                partners[at].insert(other);
                false
            }
            None => true,
        });
    }
    let mut renamed: Vec<usize> = added.iter().map(Vec::len).collect();
    for at in 0..all.len() {
        let places = std::iter::once(at).chain(partners[at].iter().copied());
        let mut left = removed[at].len();
        for place in places {
            let taken = left.min(renamed[place]);
            (left, renamed[place]) = (left - taken, renamed[place] - taken);
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
        let names = removed[at].iter().map(|hit| cut_end(&hit.text, 60)).collect();
        moved.gone.insert(at, Gone { count: left, of, names, key });
    }
}

/// Test files that declare nothing that is known here (helpers, fixtures, other languages): they went where a new test file with the
/// same end of its name has the same bytes, or most of the lines.
fn without_declarations(all: &[Sides], moved: &mut Moved) {
    let is_gone = |at: &usize| {
        let one = &all[*at];
        one.role.was_test && one.change.now.is_none() && !moved.gone.contains_key(at) && !moved.whole.contains(at)
    };
    let gone: Vec<usize> = (0..all.len()).filter(is_gone).collect();
    let end = |at: usize| all[at].change.path.extension().map(OsStr::to_os_string);
    let is_new = |at: &usize| all[*at].role.is_test && all[*at].change.then.is_none();
    let mut free: BTreeSet<usize> = (0..all.len()).filter(is_new).collect();
    // The same bytes first, all of them in one pass; then, for what is left, the same lines.
    let mut by_bytes: HashMap<_, Vec<usize>> = HashMap::new();
    for at in &free {
        let bytes = all[*at].now.as_ref().map(|scan| scan.sha256);
        by_bytes.entry((end(*at), bytes)).or_default().push(*at);
    }
    let mut left = Vec::new();
    for at in gone {
        let bytes = all[at].then.as_ref().map(|scan| scan.sha256);
        match by_bytes.get_mut(&(end(at), bytes)).and_then(Vec::pop) {
            Some(other) if bytes.is_some() => {
                free.remove(&other);
                moved.whole.insert(at);
            }
            _ => left.push(at),
        }
    }
    // The lines of each candidate once, however many files are held against it.
    let mut lines: HashMap<usize, HashSet<u64>> = HashMap::new();
    for at in left.into_iter().take(COMPARED) {
        let Some(then) = &all[at].then else { continue };
        let mut others = free.iter().copied().filter(|other| end(*other) == end(at)).take(COMPARED);
        let other = others.find(|other| {
            let of_other = || all[*other].now.iter().flat_map(|now| now.lines.iter().copied()).collect();
            let there = lines.entry(*other).or_insert_with(of_other);
            let shared = then.lines.iter().filter(|line| there.contains(line)).count();
            !then.lines.is_empty() && shared * 10 >= then.lines.len() * 6
        });
        if let Some(other) = other {
            free.remove(&other);
            moved.whole.insert(at);
        }
    }
}

/// How many files are compared line by line with how many others.
const COMPARED: usize = 64;

fn take_one(count: &mut usize) -> bool {
    let some = *count > 0;
    *count -= usize::from(some);
    some
}

/// Takes out on both sides, one for one, what has the same key.
fn cancel(rest: &mut Rest<'_>, key: impl Fn(&Hit) -> Option<Key>) {
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
