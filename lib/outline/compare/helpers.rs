//! Helpers: functions, fixtures and hooks that assert for the tests that call them.

use super::{BothSides, Place, Side, outline};
use crate::outline::{Assert, Helper, Strength, Test};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How deep calls of helpers by helpers are followed.
const DEPTH: usize = 5;

/// How many helpers of one name are looked at.
const OF_A_NAME: usize = 8;

/// The helpers of one side, by name.
pub struct Helpers<'a> {
    by_name: HashMap<&'a str, Vec<Entry<'a>>>,
    /// The names of functions that a changed file defines, so that it is known what they assert.
    defined: BTreeSet<&'a str>,
}

/// A helper, its file, and whether it may assert for tests of other files.
type Entry<'a> = (usize, &'a Helper, bool);

/// A helper on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelperPair {
    /// Before.
    pub then: Place,
    /// Today; none if it is gone.
    pub now: Option<Place>,
}

impl<'a> Helpers<'a> {
    /// The helpers of one side. `is_for_all` says of a file and a helper whether tests of other files call it, too.
    pub fn of(files: &'a [BothSides], side: Side, is_for_all: impl Fn(usize, &Helper) -> bool) -> Helpers<'a> {
        let mut helpers = Helpers { by_name: HashMap::new(), defined: BTreeSet::new() };
        for file in 0..files.len() {
            let Some(outline) = outline(files, side, file) else { continue };
            helpers.defined.extend(outline.names.iter().map(String::as_str));
            for helper in &outline.helpers {
                helpers.by_name.entry(&helper.name).or_default().push((file, helper, is_for_all(file, helper)));
            }
        }
        helpers
    }

    /// Whether a changed file defines a function of this name.
    pub fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name) || self.by_name.contains_key(name)
    }

    /// Whether a changed file has a helper of this name that asserts.
    pub fn is_helper(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The helpers of a name: those of the same file, else those of all changed files.
    fn named(&self, file: usize, name: &str) -> Vec<&'a Helper> {
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let own: Vec<&Helper> = all.iter().filter(|(of, ..)| *of == file).map(|(_, helper, _)| *helper).collect();
        if !own.is_empty() {
            return own;
        }
        all.iter().filter(|(.., is_for_all)| *is_for_all).map(|(_, helper, _)| *helper).take(OF_A_NAME).collect()
    }

    /// What the helpers assert that these calls reach, without the helpers in `except`.
    pub fn asserts(&self, file: usize, calls: &'a [String], except: &BTreeSet<&str>) -> Vec<Assert> {
        let mut asserts = Vec::new();
        let mut seen: BTreeSet<&str> = except.clone();
        let mut next: Vec<&'a str> = calls.iter().map(String::as_str).collect();
        for _ in 0..DEPTH {
            let mut further = Vec::new();
            for name in std::mem::take(&mut next) {
                if !seen.insert(name) {
                    continue;
                }
                for helper in self.named(file, name) {
                    asserts.extend(helper.asserts.iter().cloned());
                    further.extend(helper.calls.iter().map(String::as_str));
                }
            }
            next = further;
        }
        asserts
    }

    /// Whether a test demands anything, itself or through helpers.
    pub fn demands(&self, file: usize, test: &'a Test) -> bool {
        let is_demand = |assert: &Assert| assert.strength > Strength::Nothing;
        test.asserts.iter().any(is_demand) || self.asserts(file, &test.calls, &BTreeSet::new()).iter().any(is_demand)
    }
}

impl HelperPair {
    /// Pairs the helpers of all files by file and name, then by body, then by name.
    pub fn all(files: &[BothSides]) -> Vec<HelperPair> {
        type Entry<'a> = (&'a str, &'a Helper, Place);
        type KeyOf = fn(&Entry<'_>) -> (String, u64);
        let list = |side| -> Vec<Entry<'_>> {
            let mut all: Vec<Entry<'_>> = Vec::new();
            for file in 0..files.len() {
                let Some(outline) = outline(files, side, file) else { continue };
                let entry = |(at, helper)| (outline.path.as_str(), helper, Place { file, at });
                all.extend(outline.helpers.iter().enumerate().map(entry));
            }
            all.sort_by(|a, b| (a.0, &a.1.name, a.1.line, a.1.body).cmp(&(b.0, &b.1.name, b.1.line, b.1.body)));
            all
        };
        let (then, now) = (list(Side::Then), list(Side::Now));
        let mut partner: Vec<Option<Place>> = vec![None; then.len()];
        let mut is_taken = vec![false; now.len()];
        let keys: [KeyOf; 4] = [
            |e| (format!("{}\0{}", e.0, e.1.name), e.1.body.0),
            |e| (format!("{}\0{}", e.0, e.1.name), 0),
            |e| (String::new(), e.1.body.0),
            |e| (e.1.name.clone(), 0),
        ];
        for key in keys {
            let mut there: BTreeMap<(String, u64), Vec<usize>> = BTreeMap::new();
            for at in (0..now.len()).rev().filter(|at| !is_taken[*at]) {
                there.entry(key(&now[at])).or_default().push(at);
            }
            for (at, entry) in then.iter().enumerate() {
                if partner[at].is_none()
                    && let Some(other) = there.get_mut(&key(entry)).and_then(Vec::pop)
                {
                    partner[at] = Some(now[other].2);
                    is_taken[other] = true;
                }
            }
        }
        then.iter().zip(partner).map(|(entry, now)| HelperPair { then: entry.2, now }).collect()
    }
}
