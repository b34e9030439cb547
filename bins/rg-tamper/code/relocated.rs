//! Relocated tests: removed ones whose rare texts stand in a new test of another file, which demands as much, or of which a new test of the
//! same file makes each assertion about the same values.

use super::elsewhere::without_group;
use super::inlined::given;
use super::removed_words::line_at;
use super::row_values::values;
use super::words::Texts;
use super::{Judgement, extent, successors};
use regex::Regex;
use review_gate::outline::compare::{Place, Side, words};
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
    let files: BTreeSet<usize> = new.iter().map(|(place, _)| place.file).collect();
    let constants: BTreeMap<usize, _> = files.into_iter().map(|file| (file, constants(texts, file))).collect();
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
                    (is_by_texts || is_named_alike(old, new, constants.get(&other.file)))
                        && successors::demands_as_much(old, new)
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

/// The constants of a file of today, by their values: `OG = 1.050`.
fn constants(texts: &Texts, file: usize) -> BTreeMap<String, String> {
    let lines = texts.lines(file).map(|(_, now)| now).unwrap_or_default();
    let is_constant =
        |name: &str| name.len() > 1 && name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
    let is_outer = |line: &&String| !line.starts_with(char::is_whitespace);
    let outer: Vec<String> = lines.iter().filter(is_outer).cloned().collect();
    given(&outer).into_iter().filter(|(_, name)| is_constant(name)).collect()
}

/// Whether new tests of one file make all assertions of an older one, whose values may be fields of the group now and stand in new lines. In
/// another file the names of modules around it may be left out.
fn is_divided(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let tests = judgement.test(Side::Then, place).zip(texts.lines(place.file));
    let Some((old, (then, _))) = tests else { return false };
    let demands: Vec<&Assert> = old.asserts.iter().filter(|assert| assert.strength > Strength::Nothing).collect();
    let mine = values(&then[extent::of(then, line_at(old.line))]);
    if demands.len() < 2 || mine.len() < SHARED {
        return false;
    }
    let said = |assert: &Assert| (assert.how.clone(), without_group(&assert.subject), without_group(&assert.expected));
    let files: BTreeSet<usize> = judgement.compared.new.iter().map(|other| other.file).collect();
    let is_seen = |file: &usize| *file == place.file || !judgement.is_out_of_sight(place.file, *file);
    files.into_iter().filter(is_seen).any(|file| {
        let Some((then, now)) = texts.lines(file) else { return false };
        let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
        let added: Vec<String> = now.iter().filter(|line| !known.contains(line.trim())).cloned().collect();
        if !mine.is_subset(&values(&added)) {
            return false;
        }
        let beside = judgement.compared.new.iter().filter(|other| other.file == file);
        let tests = beside.filter_map(|other| judgement.test(Side::Now, *other)).filter(|test| test.skip.is_none());
        let made: Vec<_> = tests.flat_map(|test| &test.asserts).map(|assert| (said(assert), assert.strength)).collect();
        demands.iter().all(|a| {
            let (how, subject, expected) = said(a);
            let is_same = |other: &str| {
                let rest = subject.strip_suffix(other).filter(|_| file != place.file && !other.is_empty());
                other == subject || rest.is_some_and(|rest| rest.ends_with("::"))
            };
            made.iter().any(|((other, about, value), strength)| {
                *other == how && is_same(about) && *value == expected && *strength >= a.strength
            })
        })
    })
}

/// Whether a test has the words of another one's name in its own and that of its group, and makes each of its assertions, of any subject.
/// In its expected values a constant of the new file may stand.
fn is_named_alike(old: &Test, new: &Test, constants: Option<&BTreeMap<String, String>>) -> bool {
    if !is_same_name(old, new) {
        return false;
    }
    let constants = || constants.into_iter().flatten();
    let resolved = |code: &str| constants().fold(code.to_string(), |code, (value, name)| replaced(&code, name, value));
    let is_alike = |a: &Assert, b: &Assert| {
        (&b.how, b.strength) == (&a.how, a.strength)
            && (b.expected == a.expected || resolved(&b.expected) == a.expected)
    };
    old.asserts.iter().all(|a| new.asserts.iter().any(|b| is_alike(a, b)))
}

/// Whether a test has the words of another one's name in its own and that of its group.
fn is_same_name(old: &Test, new: &Test) -> bool {
    let words_of = |names: &[&String]| -> BTreeSet<String> {
        let all = names.iter().flat_map(|name| words(name));
        all.filter(|word| !["test", "tests"].contains(&word.as_str())).collect()
    };
    let whole =
        |test: &'_ Test| -> BTreeSet<String> { words_of(&test.suite.iter().chain([&test.name]).collect::<Vec<_>>()) };
    let (mine, theirs, own) = (whole(old), whole(new), words_of(&[&old.name]));
    let is_same = mine.len() >= TELLING && mine == theirs;
    // The group of the new test has a word of the old one's name, which its own name leaves out.
    let is_grouped = own.len() > 1 && own == theirs && theirs.len() > words_of(&[&new.name]).len();
    is_same || is_grouped
}

/// A piece of code in which a name is replaced.
fn replaced(code: &str, name: &str, value: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (mut text, mut rest) = (String::new(), code);
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        text.push_str(before);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        text.push_str(if is_whole { value } else { name });
        rest = after;
    }
    text + rest
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
