//! Rows: cases that a table lost and that another test of the file makes now, because what they expect is something else.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::words::{self, Texts};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Strength, Test};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A text that tells one case from others.
static TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""([^"\\]{6,})"|'([^'\\]{6,})'|`([^`\\]{6,})`"#).ok());

/// Whether other tests that run make all cases that a table lost.
pub fn moved(judgement: &Judgement<'_>, texts: &Texts, pair: &Pair) -> bool {
    let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
    let (Some((old, new)), Some((then, _))) = (tests, texts.lines(pair.then.file)) else { return false };
    let Some((_, now)) = texts.lines(pair.now.file) else { return false };
    let before = &then[extent::of(then, line_at(old.line))];
    let after: BTreeSet<&str> = now[extent::of(now, line_at(new.line))].iter().flat_map(|line| values(line)).collect();
    let is_other = |test: &&Test| test.line != new.line && is_demanding(test, old);
    let others =
        judgement.outline(Side::Now, pair.now.file).into_iter().flat_map(|outline| &outline.tests).filter(is_other);
    // What a test holds today that it did not hold before.
    let known = judgement.outline(Side::Then, pair.then.file).map_or(&[][..], |outline| &outline.tests);
    let of = |lines: &'_ [String], test: &Test| -> BTreeSet<String> {
        lines[extent::of(lines, line_at(test.line))].iter().flat_map(|line| values(line)).map(str::to_string).collect()
    };
    let gained = |test: &Test| {
        let before = known.iter().find(|one| one.name == test.name && one.suite == test.suite);
        let before = before.map(|one| of(then, one)).unwrap_or_default();
        of(now, test).into_iter().filter(move |text| !before.contains(text))
    };
    let held: BTreeSet<String> = others.flat_map(gained).collect();
    let is_moved = |text: &&&str| held.contains(**text);
    let lost: BTreeSet<&str> =
        before.iter().flat_map(|line| values(line)).filter(|text| !after.contains(text)).collect();
    pair.lost_rows > 0 && lost.iter().filter(is_moved).count() >= pair.lost_rows
}

/// How many lines above a test may hold its table.
const ABOVE: usize = 40;

/// Whether each case that a table lost names something that left the source and that no code holds any more: a value of an enum, an option.
pub fn obsolete(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    pair: &Pair,
    test_globs: &[String],
) -> Option<String> {
    let old = judgement.test(Side::Then, pair.then)?;
    let ((then, _), (_, now)) = texts.lines(pair.then.file).zip(texts.lines(pair.now.file))?;
    let at = line_at(old.line);
    let end = extent::of(then, at).end.max(at);
    let today: BTreeSet<&str> = now.iter().map(|line| line.trim()).collect();
    // The lines of a table that are gone, and the words that are gone from a line that lists several cases.
    let lines = then.get(at.saturating_sub(ABOVE)..end)?;
    let gone: Vec<&str> =
        lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !today.contains(line)).collect();
    let mut vanished = texts.vanished(judgement, source, &gone);
    vanished.extend(texts.lost_literals(judgement, source, test_globs, &gone));
    let uses = |line: &str| words::uses(line, &vanished);
    let named: Vec<&str> = gone.iter().copied().filter(|line| uses(line)).collect();
    let others = gone.len() - named.len();
    let words: BTreeSet<&String> =
        vanished.iter().filter(|word| named.iter().any(|line| line.contains(word.as_str()))).collect();
    let is_each = named.len() >= pair.lost_rows && others == 0;
    let is_listed = words.len() >= pair.lost_rows && named.len() < pair.lost_rows.max(2) && others == 0;
    (pair.lost_rows > 0 && (is_each || is_listed)).then(|| words.into_iter().next().cloned()).flatten()
}

/// The texts of a line.
fn values(line: &str) -> impl Iterator<Item = &str> {
    let found = TEXT.as_ref().into_iter().flat_map(move |regex| regex.captures_iter(line));
    found.filter_map(|found| found.iter().skip(1).flatten().next().map(|text| text.as_str()))
}

/// Whether a test runs where another one ran, and demands more than that there is something.
fn is_demanding(test: &Test, old: &Test) -> bool {
    let condition = |test: &Test| test.skip.as_ref().map(|mark| mark.condition.clone());
    let is_running = test.skip.is_none() || condition(test) == condition(old) && condition(old) != Some(None);
    is_running && test.asserts.iter().any(|assert| assert.strength >= Strength::Part)
}
