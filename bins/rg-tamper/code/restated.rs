//! Restated assertions: what a test no longer asserts and a new test beside it asserts, or asserts the opposite of.

use super::Judgement;
use super::extent::all_words;
use super::weight::Lost;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Strength, Test};
use std::collections::BTreeSet;

/// Drops the lost assertions that a new test of the same file makes about the same subject: a stronger one than that there is something,
/// or the opposite, which cannot hold together with the old one.
pub fn drop_restated(judgement: &Judgement<'_>, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let beside = judgement.compared.new.iter().filter(|place| place.file == pair.now.file);
        let beside: Vec<&Test> = beside
            .filter_map(|place| judgement.test(Side::Now, *place))
            .filter(|test| test.skip.is_none() && test.tokens > 0)
            .collect();
        losses.retain(|loss| {
            let mut asserts = beside.iter().flat_map(|test| &test.asserts);
            if loss.after.as_ref().is_some_and(|after| is_turned(&loss.before, after)) {
                return false;
            }
            !asserts.any(|assert| is_stronger(&loss.before, assert) || is_opposite(&loss.before, assert))
        });
        !losses.is_empty()
    });
}

/// Whether an assertion demands more about a subject than that there is something.
fn is_stronger(old: &Assert, new: &Assert) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        all_words(text).filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    let is_weak = old.strength == Strength::Something || old.how.to_ascii_lowercase().contains("not");
    let is_member = old.subject.contains('.') && !old.subject.contains('(');
    let code = format!("{} {}", new.subject, new.expected);
    let compares =
        new.strength >= Strength::Part || ["==", "<=", ">=", "<", ">"].iter().any(|sign| new.subject.contains(sign));
    is_weak && is_member && compares && code.contains(&old.subject) && words(&old.subject).is_subset(&words(&code))
}

/// Whether two results of calls that were equal have to differ now, with the same values: `EXPECT_EQ(f("ab"), f("ba"))`.
fn is_turned(old: &Assert, new: &Assert) -> bool {
    let turned = [
        ("EXPECT_EQ", "EXPECT_NE"),
        ("ASSERT_EQ", "ASSERT_NE"),
        ("assert_eq", "assert_ne"),
        ("assertEqual", "assertNotEqual"),
    ];
    let is_pair = turned.iter().any(|(equal, unequal)| old.how == *equal && new.how == *unequal);
    is_pair
        && old.subject == new.subject
        && old.expected == new.expected
        && old.expected.contains('(')
        && old.subject.contains('(')
}

/// Whether an assertion demands the opposite: `x toBe y`, and `x not.toBe y`.
fn is_opposite(old: &Assert, new: &Assert) -> bool {
    let bare = |how: &str| how.replace("not.", "").replace(".not", "");
    let is_negated = |how: &str| how.starts_with("not.") || how.contains(".not");
    let is_same = old.subject == new.subject && old.expected == new.expected && !old.expected.is_empty();
    is_same && is_negated(&old.how) != is_negated(&new.how) && bare(&old.how) == bare(&new.how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opposite_and_a_stronger_demand_restate_an_assertion() {
        let assert = |how: &str, subject: &str, expected: &str, strength| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength,
            ..Assert::default()
        };
        let is = |a: &Assert, b: &Assert| (is_stronger(a, b), is_opposite(a, b));
        let old = assert("toBe", "handler.fetch", "fetchHandler", Strength::Exact);
        assert_eq!(is(&old, &assert("not.toBe", "handler.fetch", "fetchHandler", Strength::Something)), (false, true));
        assert_eq!(is(&old, &assert("not.toBe", "handler.fetch", "other", Strength::Something)), (false, false));
        let weak = assert("notStrictEqual", "cookie.maxAge", "null", Strength::Something);
        let limit = assert("ok", "expires-1000<=cookie.maxAge", "", Strength::Something);
        assert_eq!(is(&weak, &limit), (true, false));
        assert_eq!(is(&weak, &assert("ok", "cookie.maxAge", "", Strength::Something)), (false, false));
    }
}
