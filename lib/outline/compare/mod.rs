//! Compares what two versions of the same files hold: which tests were kept, moved, renamed, merged or removed.
//!
//! A test is looked for by its identity (file, suites and name), then by its body, then by its name in another place, then by what it
//! calls and asserts. The order of files and tests does not matter.

mod alternatives;
mod answers;
mod common;
mod conditions;
mod counts;
mod covered;
mod demand;
mod errors;
mod facts;
mod failures;
mod features;
pub mod forms;
mod helpers;
mod lengths;
mod limits;
mod lists;
mod losses;
mod meaning;
mod membership;
mod mock_calls;
mod names;
mod options;
mod pairing;
mod patterns;
mod reduced;
mod relations;
mod responses;
mod spelled;
mod tables;
mod tolerance;
mod types;
mod values;
mod wholes;
mod wider;

pub use features::{is_generic, words};
pub use helpers::{HelperPair, Helpers};
pub use losses::{Loss, LossKind, losses, without_rows};
pub use names::{Names, stem};
pub use tolerance::growth;

use crate::outline::{Outline, Test};
use std::collections::BTreeMap;

/// One changed file: its outline before and today.
pub type BothSides = (Option<Outline>, Option<Outline>);

/// Which of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Before.
    Then,
    /// Today.
    Now,
}

/// A test or a helper, by its file and its place in the file's outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The index of the file.
    pub file: usize,
    /// The index in the list of the outline.
    pub at: usize,
}

/// How a test of the old version is found in the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// In the same file and suites, under the same name.
    Kept,
    /// Under the same name, in another file or suite.
    Moved,
    /// Under another name.
    Renamed,
}

/// A test that is there in both versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The old test.
    pub then: Place,
    /// The new one.
    pub now: Place,
    /// How it is found.
    pub how: How,
    /// New tests that hold assertions that the new one no longer holds: the test was split.
    pub parts: Vec<Place>,
    /// How many rows of its table are gone.
    pub lost_rows: usize,
}

/// What a removed test was merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Into {
    /// A table that gained as many rows.
    Rows,
    /// A table whose rows are not listed.
    UnknownRows,
    /// A test, or several, that hold all of its assertions.
    Asserts,
}

/// A test that is now a part of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The old test.
    pub then: Place,
    /// The test that it is a part of.
    pub now: Place,
    /// What it became.
    pub into: Into,
}

/// A comparison. Every old test is in one of `pairs`, `merged` and `gone`; every new test is in at most one pair, or it is in `new`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The tests that are there in both versions.
    pub pairs: Vec<Pair>,
    /// The tests that became parts of others.
    pub merged: Vec<Merged>,
    /// The tests that are gone.
    pub gone: Vec<Place>,
    /// The tests that were not there; parts of a split test are left out.
    pub new: Vec<Place>,
}

/// Compares the old tests of all changed files with the new ones.
pub fn compare(files: &[BothSides]) -> Comparison {
    let mut pairing = pairing::Pairing::new(files);
    pairing.run();
    tables::finish(pairing)
}

/// The outline of a file on one side.
pub fn outline(files: &[BothSides], side: Side, file: usize) -> Option<&Outline> {
    let both = files.get(file)?;
    match side {
        Side::Then => both.0.as_ref(),
        Side::Now => both.1.as_ref(),
    }
}

/// A test on one side.
pub fn test(files: &[BothSides], side: Side, place: Place) -> Option<&Test> {
    outline(files, side, place.file)?.tests.get(place.at)
}

impl Comparison {
    /// The pair of each new test.
    pub fn by_new_test(&self) -> BTreeMap<Place, &Pair> {
        self.pairs.iter().map(|pair| (pair.now, pair)).collect()
    }
}

#[cfg(test)]
mod successors;
#[cfg(test)]
mod tests;
