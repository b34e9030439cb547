//! Marks of tests, put together by where they stand: a suite's mark is one cause.

use super::{Judgement, show};
use review_gate::outline::Mark;
use review_gate::outline::compare::{Place, Side};
use std::collections::BTreeMap;

/// The tests that bear each mark, by the mark's file, line and text.
pub type ByMark<'a> = BTreeMap<(usize, u64, &'a str), Marked<'a>>;

/// A mark with its tests.
pub struct Marked<'a> {
    pub mark: &'a Mark,
    /// Tests that existed.
    pub old: Vec<Place>,
    /// New tests.
    pub new: Vec<Place>,
}

/// Adds a test to its mark.
pub fn add<'a>(marks: &mut ByMark<'a>, mark: &'a Mark, place: Place, is_old: bool) {
    let key = (place.file, mark.line, mark.text.as_str());
    let marked = marks.entry(key).or_insert_with(|| Marked { mark, old: Vec::new(), new: Vec::new() });
    if is_old { marked.old.push(place) } else { marked.new.push(place) }
}

/// The names of today's tests.
pub fn names(judgement: &Judgement<'_>, places: &[Place]) -> Vec<String> {
    places.iter().filter_map(|place| judgement.test(Side::Now, *place)).map(show::name).collect()
}

/// What identifies these tests in a finding's key.
pub fn key(judgement: &Judgement<'_>, mark: &Mark, places: &[Place]) -> String {
    let tests = places.iter().filter_map(|place| judgement.test(Side::Now, *place));
    let names: Vec<String> = tests.map(|test| format!("{}\u{1f}{}", test.suite.join("\u{1f}"), test.name)).collect();
    format!("{}\u{1e}{}", mark.text, names.join("\u{1e}"))
}
