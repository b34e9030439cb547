//! Destructured values: `a, b = f()` with an assertion about each name, and one assertion about the whole value.

use super::Judgement;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Loss, LossKind, Pair, Side};
use review_gate::outline::{Assert, Strength};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Several names that a value is bound to.
static BINDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:let|const|var|val|auto|my)\s+)?[(\[{]?\s*(\w+(?:\s*,\s*\w+)+)\s*[)\]}]?\s*:?=\s*([^=].*)$").ok()
});

/// Drops what tests lost about names of a value that they compare whole now.
pub fn drop_whole(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    for (pair, lost) in found.iter_mut() {
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Lost::Some { losses, .. }, Some((old, new))) = (lost, tests) else { continue };
        let Some((then, _)) = texts.lines(pair.then.file) else { continue };
        let body = &then[extent::of(then, line_at(old.line))];
        let bound: Vec<(BTreeSet<&str>, String)> = body.iter().filter_map(|line| binds(line)).collect();
        let is_held = |loss: &Loss| {
            let is_gone = matches!(loss.kind, LossKind::Gone | LossKind::Replaced);
            is_gone
                && bound.iter().any(|(names, value)| new.asserts.iter().any(|b| holds((names, value), &loss.before, b)))
        };
        losses.retain(|loss| !is_held(loss));
    }
    found.retain(|(_, lost)| !matches!(lost, Lost::Some { losses, .. } if losses.is_empty()));
}

fn binds(line: &str) -> Option<(BTreeSet<&str>, String)> {
    let found = BINDS.as_ref()?.captures(line.trim())?;
    let names = found.get(1)?.as_str().split(',').map(str::trim).collect();
    Some((names, plain(found.get(2)?.as_str())))
}

fn plain(code: &str) -> String {
    let code = code.trim().trim_start_matches("await ");
    code.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect()
}

/// Whether an assertion about the whole value states what an older one said about one of its names.
fn holds((names, value): (&BTreeSet<&str>, &str), a: &Assert, b: &Assert) -> bool {
    let is_about = all_words(&a.subject).any(|word| names.contains(word));
    let is_limit = a.how.contains(['<', '>']) || a.how.to_ascii_lowercase().contains("less");
    // The value of a difference stands in the subject: `abs(x - 20) < 1e-9`.
    let stated = if is_limit { &a.subject } else { &a.expected };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut wanted = stated
        .split(|c| !is_part(c))
        .filter(|word| !word.is_empty() && !names.contains(word) && *word != "abs")
        .peekable();
    let is_whole = b.strength >= Strength::Part && !b.how.contains("not") && plain(&b.subject) == value;
    let has = |word: &str| b.expected.split(|c| !is_part(c)).any(|other| other == word);
    is_about && is_whole && wanted.peek().is_some() && wanted.all(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_value_states_what_its_names_have() {
        let (names, value) = binds("lat, lon = midpoint((0, 10), b)").unwrap();
        let assert = |how: &str, subject: &str, expected: &str| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength: Strength::Part,
            line: 1,
        };
        let whole = |expected: &str| assert("==", "midpoint((0,10),b)", expected);
        let near = assert("<", "abs(lon-20)", "1e-9");
        assert!(holds((&names, &value), &near, &whole("approx((0,20),abs=1e-9)")));
        assert!(!holds((&names, &value), &near, &whole("approx((0,21),abs=1e-9)")));
        assert!(!holds((&names, &value), &near, &assert("==", "other()", "(0,20)")));
        assert!(binds("x = f(1, 2)").is_none() && binds("if a, b == c").is_none());
        assert!(binds("const { a, b } = await f();").is_some());
    }
}
