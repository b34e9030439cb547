//! Pairing: finds each old test among the new ones, from certain to probable.

use super::features::{self, likeness, of, words};
use super::{BothSides, How, Place, Side, outline, stem, test};
use crate::outline::is_example;
use crate::outline::{Assert, Strength, Test};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

/// How many pairs of tests are compared by what they call.
const COMPARED: usize = 200_000;

/// How many tokens a body has at least, to be recognised in another file.
const TELLING: u64 = 12;

/// How many words a name has at least, to be recognised without its body.
const NAMED: usize = 3;

/// What an assertion is about that names no subject of its own.
const SUBJECT: &str = "subject";

/// The likeness from which two tests are the same, in thousandths.
const ALIKE: u32 = 400;

/// How much more alike tests are that assert the same, in thousandths.
const SAME: u32 = 200;

/// A test with what identifies it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub place: Place,
    pub path: &'a str,
    /// The path, or the name that a removed and a new file have in common: the file moved, or is in another language now.
    near: &'a str,
    /// It is an example in documentation, which is no test of another kind.
    is_example: bool,
    pub test: &'a Test,
}

impl Entry<'_> {
    fn order(&self) -> impl Ord {
        let test = self.test;
        (self.path, &test.suite, &test.name, test.line, test.body, test.asserts.len())
    }
}

/// The tests of both sides, and who is whose partner.
pub struct Pairing<'a> {
    pub then: Vec<Entry<'a>>,
    pub now: Vec<Entry<'a>>,
    /// The new test of each old one, by its place in `now`.
    pub partner: Vec<Option<usize>>,
    /// Whether a new test has a partner.
    pub is_taken: Vec<bool>,
}

fn entries<'a>(files: &'a [BothSides], side: Side, moved: &HashMap<&'a str, &'a str>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for file in 0..files.len() {
        let Some(outline) = outline(files, side, file) else { continue };
        let places = (0..outline.tests.len()).map(|at| Place { file, at });
        let path = outline.path.as_str();
        let near = moved.get(path).copied().unwrap_or(path);
        let entry = |place| {
            let test = test(files, side, place)?;
            Some(Entry { place, path, near, is_example: is_example(path, test), test })
        };
        entries.extend(places.filter_map(entry));
    }
    // The result does not depend on the order of files and tests.
    entries.sort_by(|a, b| a.order().cmp(&b.order()));
    entries
}

/// The old path of each new file that has the name of the only removed file of that name.
fn moved(files: &[BothSides]) -> HashMap<&str, &str> {
    let of = |side| {
        let other = if side == Side::Then { Side::Now } else { Side::Then };
        let paths =
            move |side| (0..files.len()).filter_map(move |file| Some(outline(files, side, file)?.path.as_str()));
        let there: BTreeSet<&str> = paths(other).collect();
        let mut by_name: HashMap<String, Vec<&str>> = HashMap::new();
        for path in paths(side).filter(|path| !there.contains(path)) {
            by_name.entry(stem(path)).or_default().push(path);
        }
        by_name
    };
    let (removed, new) = (of(Side::Then), of(Side::Now));
    let mut moved = HashMap::new();
    for (name, paths) in &new {
        if let ([new], Some([old])) = (paths.as_slice(), removed.get(name).map(Vec::as_slice)) {
            moved.insert(*new, *old);
        }
    }
    moved
}

impl<'a> Pairing<'a> {
    pub fn new(files: &'a [BothSides]) -> Pairing<'a> {
        let moved = moved(files);
        let (then, now) = (entries(files, Side::Then, &moved), entries(files, Side::Now, &moved));
        Pairing { partner: vec![None; then.len()], is_taken: vec![false; now.len()], then, now }
    }

    /// Pairs all tests that have a partner.
    pub fn run(&mut self) {
        self.pair_by(|e| Some((e.path, &e.test.suite, &e.test.name, e.test.body)));
        self.pair_renamed();
        self.pair_by(|e| Some((e.path, &e.test.suite, &e.test.name)));
        self.pair_by(|e| Some((e.path, &e.test.name, e.test.body)));
        self.pair_by(|e| Some((&e.test.suite, &e.test.name, e.test.body)));
        self.pair_by(|e| Some((&e.test.name, e.test.body)));
        self.pair_by(|e| (e.test.tokens > 0).then_some((e.path, e.test.body)));
        self.pair_by(|e| (e.test.tokens >= TELLING).then_some(e.test.body));
        self.pair_by(|e| Some((&e.test.suite, &e.test.name)).filter(|(suite, _)| !suite.is_empty()));
        self.pair_of_subject();
        self.pair_alike();
        self.pair_placed();
    }

    /// Pairs tests that stand there unchanged under a new name, while another test has the old one.
    fn pair_renamed(&mut self) {
        type Key<'k> = (&'k str, &'k [String], &'k str);
        let key = |e: &Entry<'a>| -> Key<'a> { (e.path, &e.test.suite, &e.test.name) };
        let then: BTreeSet<Key<'a>> = self.then.iter().map(key).collect();
        let now: BTreeSet<Key<'a>> = self.now.iter().map(key).collect();
        let body = |e: &Entry<'a>| (e.test.tokens >= TELLING).then_some((e.path, &e.test.suite, e.test.body));
        self.pair_where(|e| body(e).filter(|_| now.contains(&key(e))), |e| body(e).filter(|_| !then.contains(&key(e))));
    }

    /// Pairs tests whose one assertion is the same about the subject of their suite: `it { is_expected.to eq(1) }`.
    fn pair_of_subject(&mut self) {
        let one = |test: &'a Test| Some(&test.asserts[0]).filter(|a| test.asserts.len() == 1 && !a.expected.is_empty());
        for at in self.free_then() {
            let old = self.then[at];
            let Some(a) = (!old.test.asserts.is_empty()).then(|| one(old.test)).flatten() else { continue };
            let is_same = |other: &usize| {
                let new = self.now[*other];
                let b = (!new.test.asserts.is_empty()).then(|| one(new.test)).flatten();
                let is_of_subject = |b: &Assert| a.subject == SUBJECT || b.subject == SUBJECT;
                (new.path, new.is_example) == (old.path, old.is_example)
                    && b.is_some_and(|b| b.how == a.how && b.expected == a.expected && is_of_subject(b))
            };
            if let Some(other) = self.free_now().into_iter().find(is_same) {
                self.pair(at, other);
            }
        }
    }

    /// Pairs tests that stand in the same place of their file, between the same tests, if one succeeds the other.
    fn pair_placed(&mut self) {
        let order = |entries: &[Entry<'a>]| {
            let mut all: Vec<usize> = (0..entries.len()).collect();
            all.sort_by_key(|at| (entries[*at].path, entries[*at].test.line, *at));
            all
        };
        let (then, now) = (order(&self.then), order(&self.now));
        let rank: HashMap<usize, usize> = now.iter().enumerate().map(|(rank, at)| (*at, rank)).collect();
        let mut last: Option<usize> = None;
        for at in then {
            if let Some(partner) = self.partner[at] {
                last = Some(partner);
                continue;
            }
            // The new tests that follow the partner of the test before, up to the next one with a partner.
            let Some(before) = last.filter(|last| self.now[*last].path == self.then[at].path) else { continue };
            let first = rank.get(&before).map_or(now.len(), |rank| rank + 1);
            let is_near = |other: &&usize| self.now[**other].path == self.then[at].path && !self.is_taken[**other];
            let gap = now[first.min(now.len())..].iter().take_while(is_near);
            let old = About::of(self.then[at]);
            let found = gap.copied().find(|other| old.is_replaced_by(&About::of(self.now[*other])));
            if let Some(other) = found {
                self.pair(at, other);
                last = Some(other);
            }
        }
    }

    /// Pairs the free tests with the same key, in order.
    fn pair_by<K: Hash + Eq>(&mut self, key: impl Fn(&Entry<'a>) -> Option<K>) {
        self.pair_where(&key, &key);
    }

    /// Pairs the free old tests that have a key with the free new ones that have the same one.
    fn pair_where<K: Hash + Eq>(
        &mut self,
        old: impl Fn(&Entry<'a>) -> Option<K>,
        new: impl Fn(&Entry<'a>) -> Option<K>,
    ) {
        let mut there: HashMap<(bool, K), VecDeque<usize>> = HashMap::new();
        for at in self.free_now() {
            if let Some(key) = new(&self.now[at]) {
                there.entry((self.now[at].is_example, key)).or_default().push_back(at);
            }
        }
        for at in self.free_then() {
            let key = old(&self.then[at]).map(|key| (self.then[at].is_example, key));
            let found = key.and_then(|key| there.get_mut(&key)?.pop_front());
            if let Some(other) = found {
                self.pair(at, other);
            }
        }
    }

    fn pair(&mut self, then: usize, now: usize) {
        self.partner[then] = Some(now);
        self.is_taken[now] = true;
    }

    pub fn free_then(&self) -> Vec<usize> {
        (0..self.then.len()).filter(|at| self.partner[*at].is_none()).collect()
    }

    pub fn free_now(&self) -> Vec<usize> {
        (0..self.now.len()).filter(|at| !self.is_taken[*at]).collect()
    }

    /// Pairs tests that are alike, the most alike first.
    fn pair_alike(&mut self) {
        let (then, now) = (self.free_then(), self.free_now());
        let is_many = then.len().saturating_mul(now.len()) > COMPARED;
        let about = |entries: &[Entry<'a>], free: &[usize]| -> HashMap<usize, About<'a>> {
            free.iter().map(|at| (*at, About::of(entries[*at]))).collect()
        };
        let (old, new) = (about(&self.then, &then), about(&self.now, &now));
        // Of many tests only those of one file, or of one name, are compared.
        let mut near: HashMap<(bool, &str), Vec<usize>> = HashMap::new();
        for at in &now {
            near.entry((false, self.now[*at].near)).or_default().push(*at);
            near.entry((true, &self.now[*at].test.name)).or_default().push(*at);
        }
        let mut scored: Vec<(u32, usize, usize)> = Vec::new();
        let mut room = 4 * COMPARED;
        for at in &then {
            let entry = self.then[*at];
            let others: BTreeSet<usize> = match is_many {
                false => now.iter().copied().collect(),
                true => [(false, entry.near), (true, entry.test.name.as_str())]
                    .iter()
                    .flat_map(|key| near.get(key).into_iter().flatten().copied().take(COMPARED / 400))
                    .collect(),
            };
            room = room.saturating_sub(others.len());
            if room == 0 {
                break;
            }
            let score = |other: &usize| {
                let (a, b) = (old.get(at)?, new.get(other)?);
                let score = a.score(b);
                // Of tests that are equally alike, the one that asserts the same comes first.
                (score >= ALIKE).then(|| (score + if a.asserts_same(b) { SAME } else { 0 }, *at, *other))
            };
            scored.extend(others.iter().filter_map(score));
        }
        scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (_, at, other) in scored {
            if self.partner[at].is_none() && !self.is_taken[other] {
                self.pair(at, other);
            }
        }
    }

    /// How an old test is found in a new one.
    pub fn how(&self, then: usize, now: usize) -> How {
        let (then, now) = (&self.then[then], &self.now[now]);
        match then.test.name == now.test.name {
            true if then.path == now.path && then.test.suite == now.test.suite => How::Kept,
            true => How::Moved,
            false => How::Renamed,
        }
    }
}

/// What a test is about.
struct About<'a> {
    entry: Entry<'a>,
    features: BTreeSet<&'a str>,
    subjects: BTreeSet<&'a str>,
    words: BTreeSet<String>,
    /// The words of the suite around it.
    suite: BTreeSet<String>,
    demands: usize,
}

impl<'a> About<'a> {
    fn of(entry: Entry<'a>) -> About<'a> {
        let demands = entry.test.asserts.iter().filter(|assert| assert.strength > Strength::Nothing).count();
        let subjects = features::subjects(entry.test);
        let suite = entry.test.suite.last().map(|suite| words(suite)).unwrap_or_default();
        About { entry, features: of(entry.test), subjects, words: words(&entry.test.name), suite, demands }
    }

    /// How alike two tests are, in thousandths; 0 if nothing in them is common.
    fn score(&self, other: &About<'_>) -> u32 {
        let (a, b) = (self.entry, other.entry);
        if a.is_example != b.is_example {
            return 0;
        }
        let (features, is_named) = (likeness(&self.features, &other.features), a.test.name == b.test.name);
        let least = if self.succeeds(other) { ALIKE } else { 0 };
        let is_near = a.near == b.near;
        let names = if is_named { 1000 } else { likeness(&self.words, &other.words) };
        if features < 250 && !is_named && !(is_near && names >= 600) {
            return least;
        }
        let of = |is: bool, points: u32| if is { points } else { 0 };
        least.max(features / 2 + names * 3 / 10 + of(is_near, 200) + of(a.test.suite == b.test.suite, 100))
    }

    /// Whether another test asserts the same.
    fn asserts_same(&self, other: &About<'_>) -> bool {
        let (a, b) = (&self.entry.test.asserts, &other.entry.test.asserts);
        let is_same = |(a, b): (&Assert, &Assert)| a.subject == b.subject && a.how == b.how && a.expected == b.expected;
        !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(is_same)
    }

    /// Whether a test in the same place runs instead of this one: its name has a word of the old one, and it calls and asserts mostly the
    /// same and as much.
    fn is_replaced_by(&self, other: &About<'_>) -> bool {
        let shared = self.subjects.intersection(&other.subjects).count();
        let has_word = self.words.intersection(&other.words).any(|word| word.len() > 2);
        let is_running = other.entry.test.skip.is_none() && other.entry.test.tokens > 0;
        let is_same_suite = self.entry.test.suite == other.entry.test.suite;
        has_word
            && self.entry.is_example == other.entry.is_example
            && shared * 3 >= self.subjects.len().max(3)
            && is_running
            && is_same_suite
            && other.demands >= self.demands
    }

    /// Whether another test runs in the place of this one: it is about a common subject, demands as much, and its name has the same words,
    /// or in the same file at least the words of the old one.
    fn succeeds(&self, other: &About<'_>) -> bool {
        let is_near = self.entry.near == other.entry.near;
        let is_same = self.words.len() >= NAMED && self.words == other.words;
        let is_longer = is_near && !self.words.is_empty() && self.words.is_subset(&other.words);
        let is_reworded = is_near
            && self.words.intersection(&other.words).count() >= NAMED
            && likeness(&self.words, &other.words) >= 500;
        // A test or a table became a suite, which has its title now.
        let is_table = self.entry.test.rows.is_some();
        let is_in_title = |word: &String| other.suite.contains(word) || is_table && other.words.contains(word);
        let is_grouped =
            is_near && self.words.len() >= NAMED && self.suite != other.suite && self.words.iter().all(is_in_title);
        let has_subject = self.subjects.intersection(&other.subjects).next().is_some();
        let is_running = other.entry.test.skip.is_none() && other.entry.test.tokens > 0;
        // Both names have the number of an issue.
        let is_number = |word: &&String| word.len() > 2 && word.chars().all(char::is_numeric);
        let shared: Vec<&String> = self.words.intersection(&other.words).collect();
        let is_of_issue = is_near && shared.len() > NAMED && shared.iter().any(is_number);
        ((is_same || is_longer || is_reworded || is_grouped) && has_subject || is_of_issue)
            && is_running
            && other.demands >= self.demands
    }
}
