//! Relocated tests: removed ones whose rare texts stand in a new test of another file, which demands as much, or of which a new test of the
//! same file makes each assertion about the same values.

use super::elsewhere::without_group;
use super::removed_words::line_at;
use super::row_values::values;
use super::words::Texts;
use super::{Judgement, extent, successors};
use regex::Regex;
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::{Assert, Strength, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// How long a text is at least, in bytes, to be rare.
const RARE: usize = 12;

/// How many rare texts two tests have in common at least.
const SHARED: usize = 2;

/// How many words a name has at least, to be no other test's.
const TELLING: usize = 3;

/// A text in quotes.
static TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`"#).ok());

/// The removed tests that a new test of another file stands for, each with the path of that file. Each new test takes one place.
pub fn of(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> BTreeMap<Place, String> {
    let texts_of = |side: Side, place: Place| -> BTreeSet<&str> {
        let (Some((then, now)), Some(test)) = (texts.lines(place.file), judgement.test(side, place)) else {
            return BTreeSet::new();
        };
        let lines = if side == Side::Then { then } else { now };
        let body = extent::of(lines, line_at(test.line));
        lines[body].iter().flat_map(|line| rare(line)).filter(|text| *text != test.name).collect()
    };
    let new = judgement.compared.new.iter();
    let new = new.filter(|place| judgement.test(Side::Now, **place).is_some_and(|test| test.skip.is_none()));
    let new: Vec<(Place, BTreeSet<&str>)> = new.map(|place| (*place, texts_of(Side::Now, *place))).collect();
    let (mut taken, mut found) = (BTreeSet::new(), BTreeMap::new());
    if new.is_empty() {
        return found;
    }
    for place in gone {
        let mine = texts_of(Side::Then, *place);
        // What other tests of the file still say is not rare.
        let left: BTreeSet<&str> =
            texts.lines(place.file).into_iter().flat_map(|(_, now)| now).flat_map(|line| rare(line)).collect();
        let mine: BTreeSet<&str> = mine.difference(&left).copied().collect();
        let is_one = |(other, theirs): &&(Place, BTreeSet<&str>)| {
            let shared = mine.intersection(theirs).count();
            let tests = judgement.test(Side::Then, *place).zip(judgement.test(Side::Now, *other));
            let is_apart = other.file != place.file && !judgement.is_out_of_sight(place.file, other.file);
            let is_by_texts = shared >= SHARED && shared * 3 >= mine.len() * 2;
            is_apart
                && !taken.contains(other)
                && tests.is_some_and(|(old, new)| {
                    (is_by_texts || is_named_alike(old, new)) && successors::demands_as_much(old, new)
                })
        };
        let is_here = |(other, _): &&(Place, BTreeSet<&str>)| {
            let is_free = other.file == place.file && !taken.contains(other);
            is_free && is_restated(judgement, texts, *place, *other)
        };
        if is_divided(judgement, texts, *place) {
            found.insert(*place, judgement.shown(place.file).to_string());
            continue;
        }
        if let Some((other, _)) = new.iter().find(is_one).or_else(|| new.iter().find(is_here)) {
            taken.insert(*other);
            found.insert(*place, judgement.shown(other.file).to_string());
        }
    }
    found
}

/// Whether new tests of the same file make all assertions of an older one, whose values may be fields of the group now and stand in new lines.
fn is_divided(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let tests = judgement.test(Side::Then, place).zip(texts.lines(place.file));
    let Some((old, (then, now))) = tests else { return false };
    let demands: Vec<&Assert> = old.asserts.iter().filter(|assert| assert.strength > Strength::Nothing).collect();
    let mine = values(&then[extent::of(then, line_at(old.line))]);
    if demands.len() < 2 || mine.len() < SHARED {
        return false;
    }
    let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
    let added: Vec<String> = now.iter().filter(|line| !known.contains(line.trim())).cloned().collect();
    if !mine.is_subset(&values(&added)) {
        return false;
    }
    let said = |assert: &Assert| (assert.how.clone(), without_group(&assert.subject), without_group(&assert.expected));
    let beside = judgement.compared.new.iter().filter(|other| other.file == place.file);
    let tests = beside.filter_map(|other| judgement.test(Side::Now, *other)).filter(|test| test.skip.is_none());
    let made: Vec<_> = tests.flat_map(|test| &test.asserts).map(|assert| (said(assert), assert.strength)).collect();
    demands.iter().all(|a| {
        let wanted = said(a);
        made.iter().any(|(said, strength)| *said == wanted && *strength >= a.strength)
    })
}

/// Whether a test has the words of another one's name in its own and that of its group, and makes each of its assertions, of any subject.
fn is_named_alike(old: &Test, new: &Test) -> bool {
    let is_alike = |a: &Assert, b: &Assert| (&b.how, &b.expected, b.strength) == (&a.how, &a.expected, a.strength);
    if !old.asserts.iter().all(|a| new.asserts.iter().any(|b| is_alike(a, b))) {
        return false;
    }
    let words = |test: &Test| -> BTreeSet<String> {
        let names = test.suite.iter().chain([&test.name]).map(|name| name.to_lowercase()).collect::<Vec<_>>().join(" ");
        let words = names.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_start_matches("test"));
        words.filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    let mine = words(old);
    mine.len() >= TELLING && mine == words(new)
}

/// Whether a new test of the same file makes each assertion of an older one about a call, with the same values.
fn is_restated(judgement: &Judgement<'_>, texts: &Texts, place: Place, other: Place) -> bool {
    let tests = judgement.test(Side::Then, place).zip(judgement.test(Side::Now, other));
    let (Some((old, new)), Some((then, now))) = (tests, texts.lines(place.file)) else { return false };
    let mine = values(&then[extent::of(then, line_at(old.line))]);
    let theirs = values(&now[extent::of(now, line_at(new.line))]);
    mine.len() >= SHARED && old.rows.is_none() && mine.is_subset(&theirs) && makes_all(old, new)
}

/// Whether a test makes all assertions of another one, about a call again where it was about a call.
fn makes_all(old: &Test, new: &Test) -> bool {
    let is_call = |assert: &Assert| assert.subject.contains('(');
    let is_made = |a: &Assert| {
        new.asserts.iter().any(|b| {
            let is_alike = (&b.how, &b.expected, b.strength) == (&a.how, &a.expected, a.strength);
            is_alike && (b.subject == a.subject || is_call(a) && is_call(b))
        })
    };
    !old.asserts.is_empty() && old.asserts.iter().all(is_made)
}

/// The rare texts of a line.
fn rare(line: &str) -> impl Iterator<Item = &str> {
    let all = TEXT.as_ref().map(|regex| regex.captures_iter(line)).into_iter().flatten();
    all.filter_map(|found| found.iter().skip(1).flatten().next().map(|text| text.as_str()))
        .filter(|text| text.len() >= RARE && text.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_makes_the_assertions_of_another_one_about_a_call() {
        let test = |asserts: &[(&str, &str)]| {
            let one = |(subject, expected): &(&str, &str)| Assert {
                how: "==".into(),
                subject: (*subject).into(),
                expected: (*expected).into(),
                ..Assert::default()
            };
            Test { asserts: asserts.iter().map(one).collect(), ..Test::default() }
        };
        let old = test(&[("crc16(text, 9)", "0x29B1")]);
        assert!(makes_all(&old, &test(&[("crc_of(\"123456789\")", "0x29B1"), ("x", "1")])));
        assert!(!makes_all(&old, &test(&[("crc_of(\"123456789\")", "0x29B2")])), "another value");
        assert!(!makes_all(&old, &test(&[("expected", "0x29B1")])), "no call");
        assert!(!makes_all(&test(&[]), &old));
    }
}
