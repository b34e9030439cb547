//! Margins: how far a value may be from the expected one, where that has a name: `EPSILON = 1e-9`, `tolerance: float = 0.01`.

use super::Judgement;
use super::removed_words::{line_at, tests_of};
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::Side;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A name of a margin, and the number that it stands for. Its type may stand between them.
static MARGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"eps|epsilon|tol|tolerance|atol|rtol|delta|margin|accuracy|slack|max_?(?:diff|error|deviation)|precision|digits|decimals|decimal_?places|places";
    let number = r"-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|-?\.\d+";
    Regex::new(&format!(
        r"\b((?i:(?:[a-z0-9]+_)*(?:{words})(?:_[a-z0-9]+)*)|[a-z0-9]+(?:Eps|Epsilon|Tol|Tolerance|Delta|Margin|Accuracy|Precision))\b\s*(?::\s*[\w:.<>]+\s*)?(?::?=|:|=>)\s*({number})\b"
    ))
    .ok()
});

/// A line that compares with a margin.
static COMPARES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)<|>|close|near|delta|within|approx|almost|accuracy|round|fixed|be_within|epsilon|tolerance|assert\w*Equals?\(|AreEqual\(|isEqualTo\(").ok()
});

/// Words of names that count digits: fewer of them allow more.
const DIGITS: [&str; 4] = ["precision", "digits", "decimal", "places"];

/// A margin that is this many times larger no longer makes the same demand.
const FAR: f64 = 10.0;

/// One that is so many times larger sends back.
const TOO_FAR: f64 = 50.0;

/// A margin in a file: its line, the name and the number.
struct Margin {
    line: u64,
    name: String,
    text: String,
    /// How far the value may be away.
    width: f64,
}

impl Inspection<'_> {
    /// Finds margins of tests that allow more than before.
    pub fn find_wider_margins(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoWeakenedAsserts) else { return };
        let has_tests = |file: &usize| {
            let role = &judgement.sides(*file).role;
            let holds = |side| judgement.outline(side, *file).is_some_and(|outline| !outline.tests.is_empty());
            role.is_test && role.was_test || holds(Side::Then) && holds(Side::Now)
        };
        for file in (0..judgement.code.files.len()).filter(has_tests) {
            let change = &judgement.sides(file).change;
            if judgement.is_foreign(file) || change.then.is_none() || change.now.is_none() {
                continue;
            }
            let Some((then, now)) = judgement.texts(source).lines(file) else { continue };
            let (before, today) =
                (of_tests(judgement, Side::Then, file, then), of_tests(judgement, Side::Now, file, now));
            for (at, old, new) in given_wider(then, now) {
                let is_of_tests = || tests_of(judgement, Side::Now, file, now)[at];
                if !judgement.sides(file).role.is_test && !is_of_tests() {
                    continue;
                }
                let line = cut_end(&one_line(now[at].trim()), 80);
                let text = format!("a tolerance allows more now: {old} -> {new}: `{line}`");
                let level = if growth_of(&old, &new) >= TOO_FAR { level } else { level.min(Level::Warning) };
                let (level, place) = (judgement.level(file, level), (judgement.shown(file), Some(at as u64 + 1)));
                self.find_lost(level, Rule::NoWeakenedAsserts, place, (&line, &new), text);
            }
            for (old, new) in wider(&before, &today) {
                let is_used = |line: &&String| {
                    COMPARES.as_ref().is_some_and(|regex| regex.is_match(line)) && holds(line, &new.name)
                };
                let at = line_at(new.line);
                if !now.iter().enumerate().any(|(other, line)| other != at && is_used(&line)) {
                    continue;
                }
                let level = if new.width >= old.width * FAR { level } else { level.min(Level::Warning) };
                let text = format!("the tolerance `{}` allows more now: {} -> {}", new.name, old.text, new.text);
                let (level, place) = (judgement.level(file, level), (judgement.shown(file), Some(new.line)));
                self.find_lost(level, Rule::NoWeakenedAsserts, place, (&new.name, &new.text), text);
            }
        }
    }
}

/// A call of a function of the project that tells whether values are near each other.
static NEAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:\w*_)?(?:is_?)?(?:close|near|approx\w*|almost|within)(?:_?(?:eq|equal|to|enough))?\w*!?\(")
        .ok()
});

/// A number in a piece of code.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?\b").ok());

/// New lines that call such a function with the same values as before and a last number that is far larger, each with both numbers.
fn given_wider(then: &[String], now: &[String]) -> Vec<(usize, String, String)> {
    let (Some(near), Some(number)) = (NEAR.as_ref(), NUMBER.as_ref()) else { return Vec::new() };
    let split = |line: &str| -> Option<(String, String)> {
        let line = line.trim();
        let last = number.find_iter(line).last().filter(|_| near.is_match(line))?;
        let is_end = line[last.end()..].chars().all(|c| matches!(c, ')' | ';' | ',' | ' '));
        is_end.then(|| (format!("{}#{}", &line[..last.start()], &line[last.end()..]), last.as_str().to_string()))
    };
    let here: BTreeSet<&str> = now.iter().map(|line| line.trim()).collect();
    let gone = then.iter().filter(|line| !here.contains(line.trim()));
    let before: BTreeMap<String, String> = gone.filter_map(|line| split(line)).collect();
    let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
    let new = now.iter().enumerate().filter(|(_, line)| !known.contains(line.trim()));
    let wider = new.filter_map(|(at, line)| {
        let (head, number) = split(line)?;
        let old = before.get(&head)?;
        (growth_of(old, &number) >= FAR).then(|| (at, old.clone(), number))
    });
    wider.collect()
}

/// By how many times a number grew.
fn growth_of(old: &str, new: &str) -> f64 {
    let number = |text: &str| text.replace('_', "").parse::<f64>().unwrap_or_default().abs();
    if number(old) > 0.0 { number(new) / number(old) } else { 0.0 }
}

/// The margins of a file of tests, or of the inline tests of a file.
fn of_tests(judgement: &Judgement<'_>, side: Side, file: usize, lines: &[String]) -> Vec<Margin> {
    let role = &judgement.sides(file).role;
    let hidden = tests_of(judgement, side, file, lines);
    let shown = lines.iter().enumerate().filter(|(at, _)| role.is_test || hidden[*at]);
    shown.flat_map(|(at, line)| margins(at, line)).collect()
}

/// The margins of a line.
fn margins(at: usize, line: &str) -> Vec<Margin> {
    let found = MARGIN.as_ref().into_iter().flat_map(|regex| regex.captures_iter(line));
    let read = found.filter_map(|found| {
        let (name, text) = (found[1].to_string(), found[2].to_string());
        let number: f64 = text.replace('_', "").parse().ok()?;
        let is_count = DIGITS.iter().any(|word| name.to_ascii_lowercase().contains(word));
        let width = if is_count { 10f64.powf(-number) } else { number.abs() };
        Some(Margin { line: at as u64 + 1, name, text, width })
    });
    read.filter(|margin| margin.width.is_finite()).collect()
}

/// The margins that became wider. A name that stands for several numbers tells nothing.
fn wider<'a>(then: &'a [Margin], now: &'a [Margin]) -> Vec<(&'a Margin, &'a Margin)> {
    let single = |all: &'a [Margin]| {
        let mut known: BTreeMap<&str, Option<&Margin>> = BTreeMap::new();
        for margin in all {
            let is_same = |one: &&Margin| one.text == margin.text;
            known.entry(&margin.name).and_modify(|one| *one = one.filter(is_same)).or_insert(Some(margin));
        }
        known
    };
    let (before, today) = (single(then), single(now));
    let pairs = before.iter().filter_map(|(name, old)| (*old).zip(today.get(name).copied().flatten()));
    pairs.filter(|(old, new)| new.width > old.width).collect()
}

fn holds(line: &str, name: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Margin> {
        text.lines().enumerate().flat_map(|(at, line)| margins(at, line)).collect()
    }

    #[test]
    fn a_margin_has_a_name_and_a_number() {
        for (line, name, text) in [
            ("const eps = 1e-9", "eps", "1e-9"),
            ("    const TOLERANCE: f64 = 25.0;", "TOLERANCE", "25.0"),
            ("def assert_close(a, b, rel_tol=0.05):", "rel_tol", "0.05"),
            ("private static final double DELTA = 1e-6;", "DELTA", "1e-6"),
            ("let defaultAccuracy = 0.001", "defaultAccuracy", "0.001"),
            ("  @tolerance = 0.1", "tolerance", "0.1"),
            ("static constexpr double kEpsilon = 1e-12;", "kEpsilon", "1e-12"),
        ] {
            let found = read(line);
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!((found[0].name.as_str(), found[0].text.as_str()), (name, text), "{line}");
        }
        for line in ["const steps = 3", "let tolerance = limit(1)", "eps == 1e-9", "const total = 5", "deltas = [1, 2]"]
        {
            assert!(read(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_larger_margin_and_fewer_digits_are_wider() {
        let is = |then: &str, now: &str| !wider(&read(then), &read(now)).is_empty();
        assert!(is("eps = 1e-9", "eps = 0.75") && is("precision = 6", "precision = 1"));
        assert!(!is("eps = 0.1", "eps = 0.01") && !is("places = 2", "places = 5"));
        assert!(!is("eps = 0.1\neps = 0.2", "eps = 3"), "two values");
        assert!(!is("eps = 0.1", "delta = 3"), "another name");
    }

    #[test]
    fn a_larger_tolerance_is_given_to_a_function_of_the_project() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let of = |then: &str, now: &str| given_wider(&lines(then), &lines(now)).len();
        let then = "    assert!(close(haversine(a, b), 343.56, 0.05));";
        assert_eq!(of(then, "    assert!(close(haversine(a, b), 343.56, 50.0));"), 1);
        assert_eq!(of(then, "    assert!(close(haversine(a, b), 343.56, 0.06));"), 0, "a little");
        assert_eq!(of(then, "    assert!(close(haversine(a, c), 343.56, 50.0));"), 0, "another value");
        assert_eq!(of("    assert!(add(1, 5) > 0)", "    assert!(add(1, 500) > 0)"), 0, "no tolerance");
    }
}
