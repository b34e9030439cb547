//! Given values: removed tests whose values stand in one row of a table today, which a test with the same assertions runs.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::Test;
use review_gate::outline::compare::{Place, Side};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How many values tell a row from others.
const TELLING: usize = 3;

/// How many lines a row has at most.
const ROW: usize = 4;

/// A text or a number.
static VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\b(\d[\d_.]*)\b"#).ok());

/// The removed tests that a row of a table runs today, each with the path of the table.
pub fn rows(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> Vec<(Place, String)> {
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut found = Vec::new();
    for place in gone {
        let (Some(old), Some((then, _))) = (judgement.test(Side::Then, *place), texts.lines(place.file)) else {
            continue;
        };
        let mine = values(&then[extent::of(then, line_at(old.line))]);
        if mine.len() < TELLING || old.rows.is_some() || old.asserts.is_empty() {
            continue;
        }
        let row = (0..judgement.code.files.len()).find_map(|file| {
            let tests = judgement.outline(Side::Now, file).map_or(&[][..], |outline| &outline.tests);
            let is_seen = !judgement.is_out_of_sight(place.file, file);
            let has_table = tests.iter().any(|test| is_table_of(old, test));
            let (then, now) = texts.lines(file).filter(|_| is_seen && has_table)?;
            let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
            let is_row = |at: &usize| {
                let row = &now[*at..now.len().min(at + ROW)];
                let is_new = !known.contains(row[0].trim());
                is_new && !taken.contains(&(file, *at)) && mine.is_subset(&values(row)) && begins(&row[0], &mine)
            };
            (0..now.len()).find(is_row).map(|at| (file, at))
        });
        if let Some((file, at)) = row {
            taken.insert((file, at));
            found.push((*place, judgement.shown(file).to_string()));
        }
    }
    found
}

/// Whether a test runs rows and makes each kind of assertion that another one made.
fn is_table_of(old: &Test, new: &Test) -> bool {
    let makes = |how: &str, strength| new.asserts.iter().any(|b| b.how == how && b.strength >= strength);
    new.rows.is_some() && new.skip.is_none() && old.asserts.iter().all(|a| makes(&a.how, a.strength))
}

/// Whether a line holds one of these values.
fn begins(line: &str, values_: &BTreeSet<String>) -> bool {
    values(std::slice::from_ref(&line.to_string())).intersection(values_).next().is_some()
}

/// The texts and numbers in these lines.
fn values(lines: &[String]) -> BTreeSet<String> {
    let found =
        lines.iter().flat_map(|line| VALUE.as_ref().into_iter().flat_map(move |regex| regex.captures_iter(line)));
    let text = found.filter_map(|found| found.iter().skip(1).flatten().next().map(|text| text.as_str().to_string()));
    text.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::outline::{Assert, Digest, Strength};

    #[test]
    fn values_are_texts_and_numbers() {
        let lines = ["f('a', \"b c\", 3)".to_string(), "x1 = ''".to_string()];
        assert_eq!(values(&lines).into_iter().collect::<Vec<_>>(), ["3", "a", "b c"]);
    }

    #[test]
    fn a_table_makes_the_same_assertions() {
        let assert = |how: &str, strength| Assert { how: how.into(), strength, ..Assert::default() };
        let old = Test { asserts: vec![assert("same", Strength::Exact)], ..Test::default() };
        let rows = Some(vec![Digest(1), Digest(2)]);
        let table =
            |how: &str, strength| Test { rows: rows.clone(), asserts: vec![assert(how, strength)], ..Test::default() };
        assert!(is_table_of(&old, &table("same", Strength::Exact)));
        assert!(
            !is_table_of(&old, &table("exists", Strength::Exact)) && !is_table_of(&old, &table("same", Strength::Part))
        );
        assert!(!is_table_of(&old, &Test { rows: None, ..table("same", Strength::Exact) }));
    }
}
