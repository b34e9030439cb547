//! Callers: removed tests that are helpers now, which another test of their file runs by calling them.

use super::Judgement;
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
