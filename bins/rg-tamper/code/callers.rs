//! Callers: removed tests that are helpers now, which another test of their file runs by calling them, and helpers that get their caller.

use super::Judgement;
use super::removed_words;
use super::words::Texts;
use review_gate::outline::compare::{Place, Side, losses};
use review_gate::outline::{Mark, SkipKind};

/// Whether a test of today calls a removed one, which still asserts what it asserted.
pub fn run(judgement: &Judgement<'_>, place: Place) -> bool {
    let (Some(old), Some(now)) = (judgement.test(Side::Then, place), judgement.outline(Side::Now, place.file)) else {
        return false;
    };
    let is_as_strong = now.helpers.iter().any(|helper| {
        helper.name == old.name && !old.asserts.is_empty() && losses(&old.asserts, &helper.asserts).is_empty()
    });
    let mut callers = now.tests.iter().filter(|test| test.calls.contains(&old.name));
    // A condition under which the removed test did not run either keeps nothing more from running.
    let is_known = |mark: &Mark| {
        let before = old.skip.as_ref().map(|old| (&old.text, &old.condition));
        mark.condition.is_some() && (mark.kind == SkipKind::Fails || before == Some((&mark.text, &mark.condition)))
    };
    is_as_strong && old.rows.is_none() && callers.any(|test| test.skip.as_ref().is_none_or(is_known))
}

/// Whether a function of Go gets the test that calls it: it is for tests, wherever it stands.
pub fn takes_test(texts: &Texts, file: usize, side: Side, line: u64) -> bool {
    let lines = texts.lines(file).map(|(then, now)| if side == Side::Then { then } else { now });
    let declared = lines.and_then(|lines| lines.get(removed_words::line_at(line)));
    let types = ["*testing.T", "testing.TB", "TestingT", "*testing.B", "GinkgoTInterface"];
    declared.is_some_and(|line| line.trim_start().starts_with("func ") && types.iter().any(|name| line.contains(name)))
}
