//! Gained assertions: what helpers that both sides call, and hooks that run after each test, assert today and did not before.

use super::Judgement;
use review_gate::outline::compare::{Helpers, Pair, Side, losses};
use review_gate::outline::{Assert, Strength, Test};
use std::collections::BTreeSet;

/// Functions that run after each test of their group.
const AFTER_EACH: [&str; 9] =
    ["tearDown", "TearDown", "teardown", "teardown_method", "afterEach", "after_each", "after", "AfterEach", "cleanup"];

/// The assertions of a test that are made after each test of its file now.
pub fn hooked(judgement: &Judgement<'_>, pair: &Pair, old: &Test) -> Vec<Assert> {
    let helpers = judgement.outline(Side::Now, pair.now.file).map_or(&[][..], |outline| &outline.helpers);
    let hooks = helpers.iter().filter(|helper| AFTER_EACH.contains(&helper.name.as_str()) && helper.skip.is_none());
    let demands = old.asserts.iter().filter(|assert| assert.strength > Strength::Nothing);
    let is_made = |a: &Assert, b: &Assert| {
        let is_about = a.subject == b.subject || a.subject.strip_suffix(".verify") == Some(b.subject.as_str());
        is_about && (b.how == "assert_mock" || losses(std::slice::from_ref(a), std::slice::from_ref(b)).is_empty())
    };
    let demands: Vec<&Assert> = demands.collect();
    hooks.flat_map(|hook| &hook.asserts).filter(|b| demands.iter().any(|a| is_made(a, b))).cloned().collect()
}

/// What the helpers that both sides call assert today and did not assert before: it may have moved there from the test.
pub fn by_helpers(
    (then, then_file): (&Helpers<'_>, usize),
    (now, now_file): (&Helpers<'_>, usize),
    common: &BTreeSet<&str>,
) -> Vec<Assert> {
    let calls: Vec<String> = common.iter().map(|call| (*call).to_string()).collect();
    let mut known = then.asserts(then_file, &calls, &BTreeSet::new());
    let mut gained = now.asserts(now_file, &calls, &BTreeSet::new());
    gained.retain(|assert| {
        let is_same =
            |one: &Assert| (&one.how, &one.subject, &one.expected) == (&assert.how, &assert.subject, &assert.expected);
        known.iter().position(is_same).map(|at| known.swap_remove(at)).is_none()
    });
    gained
}
