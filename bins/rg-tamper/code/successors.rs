//! Successors: new tests that take the place of removed ones whose subject has another name now.

use super::Judgement;
use review_gate::outline::compare::{Place, Side, is_generic};
use review_gate::outline::{Strength, Test};
use std::collections::BTreeSet;

/// Those of these removed tests that a new test of the same file and suite takes the place of. Each new test takes one place.
pub fn of<'a>(judgement: &Judgement<'_>, gone: impl Iterator<Item = &'a Place>) -> BTreeSet<Place> {
    let mut taken: BTreeSet<Place> = BTreeSet::new();
    let mut found = BTreeSet::new();
    for place in gone {
        let Some(old) = judgement.test(Side::Then, *place) else { continue };
        let is_one = |other: &&Place| {
            let is_free = other.file == place.file && !taken.contains(*other);
            is_free && judgement.test(Side::Now, **other).is_some_and(|new| succeeds(old, new))
        };
        if let Some(other) = judgement.compared.new.iter().find(is_one) {
            taken.insert(*other);
            found.insert(*place);
        }
    }
    found
}

/// Whether a test runs, calls something that the other one called, and demands as much of it.
fn succeeds(old: &Test, new: &Test) -> bool {
    let is_of_assert = |call: &str| old.asserts.iter().any(|assert| assert.how.split('.').any(|how| how == call));
    let is_common = |call: &&String| !is_generic(call) && !is_of_assert(call) && new.calls.contains(call);
    let is_running = new.skip.is_none() && new.tokens > 0;
    is_running && old.suite == new.suite && demands_as_much(old, new) && old.calls.iter().any(|call| is_common(&call))
}

/// Whether a test asserts as often, and each time as strongly.
pub fn demands_as_much(old: &Test, new: &Test) -> bool {
    let strengths = |test: &Test| {
        let all = test.asserts.iter().map(|assert| assert.strength);
        let mut strengths: Vec<Strength> = all.filter(|strength| *strength > Strength::Nothing).collect();
        strengths.sort_unstable_by(|a, b| b.cmp(a));
        strengths
    };
    let (then, now) = (strengths(old), strengths(new));
    !then.is_empty() && now.len() >= then.len() && then.iter().zip(&now).all(|(a, b)| a <= b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::outline::{Assert, Mark};

    #[test]
    fn a_test_succeeds_if_it_runs_and_demands_as_much_of_the_same() {
        let test = |calls: &[&str], strengths: &[Strength]| Test {
            tokens: 9,
            calls: calls.iter().map(|call| (*call).to_string()).collect(),
            asserts: strengths
                .iter()
                .map(|s| Assert { how: "equal".into(), strength: *s, ..Assert::default() })
                .collect(),
            ..Test::default()
        };
        let old = test(&["serialize"], &[Strength::Exact, Strength::Part]);
        assert!(succeeds(&old, &test(&["serialize"], &[Strength::Part, Strength::Exact])));
        assert!(!succeeds(&old, &test(&["serialize"], &[Strength::Exact])), "fewer");
        assert!(!succeeds(&old, &test(&["serialize"], &[Strength::Part, Strength::Part])), "weaker");
        assert!(!succeeds(&old, &test(&["parse"], &[Strength::Exact, Strength::Exact])), "of something else");
        let skipped = Test { skip: Some(Mark::default()), ..test(&["serialize"], &[Strength::Exact, Strength::Exact]) };
        assert!(!succeeds(&old, &skipped));
    }
}
