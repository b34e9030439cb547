//! Values of rows: removed tests whose values stand in one row of a table today, which a test with the same assertions runs, and removed tests
//! of which each assertion is made of a row now.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::{Assert, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// How many values tell a row from others.
const TELLING: usize = 3;

/// How long the title of a row is at least, in bytes.
const TITLE: usize = 3;

/// How many lines a row has at most.
const ROW: usize = 4;

/// A text or a number.
static VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\b(\d\w*(?:\.\d+)?)"#).ok());

/// The removed tests that a row of a table runs today, each with the path of the table.
pub fn rows(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> Vec<(Place, String)> {
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    // Whether a table may take further rows.
    let mut is_free: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    let mut found = Vec::new();
    for place in gone {
        let (Some(old), Some((then, _))) = (judgement.test(Side::Then, *place), texts.lines(place.file)) else {
            continue;
        };
        let body = &then[extent::of(then, line_at(old.line))];
        let all = values(body);
        let is_telling = all.len() >= TELLING;
        let mine = if is_telling { all } else { values(body.get(1..).unwrap_or_default()) };
        // A row of fewer values has a title that stands in the name of the test.
        let is_titled = |row: &BTreeSet<String>| {
            row.iter().any(|text| !mine.contains(text) && text.len() >= TITLE && old.name.contains(text.as_str()))
        };
        if old.rows.is_some() || old.asserts.is_empty() {
            continue;
        }
        let row = (0..judgement.code.files.len()).find_map(|file| {
            let tests = judgement.outline(Side::Now, file).map_or(&[][..], |outline| &outline.tests);
            let is_seen = !judgement.is_out_of_sight(place.file, file);
            let (then, now) = texts.lines(file).filter(|_| is_seen)?;
            let has_table = tests.iter().enumerate().filter(|(_, test)| is_table_of(old, test)).any(|(at, _)| {
                let own = || has_own_row(judgement, texts, Place { file, at }, (then, now));
                *is_free.entry((file, at)).or_insert_with(own)
            });
            if !has_table {
                return None;
            }
            // What is the same in all rows stands in the test.
            let of_old = || tests.iter().filter(|test| is_table_of(old, test));
            let common: BTreeSet<String> = of_old().flat_map(of_asserts).collect();
            let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
            let is_of_nothing = mine.is_empty() && of_old().any(|test| says_the_same(old, test));
            let is_row = |at: &usize| {
                if mine.is_empty() {
                    let is_new = !known.contains(now[*at].trim()) && !taken.contains(&(file, *at));
                    return is_of_nothing && is_new && is_empty_row(&now[*at]);
                }
                let row = &now[*at..now.len().min(at + if is_telling { ROW } else { 1 })];
                let is_new = !known.contains(row[0].trim());
                is_new
                    && !taken.contains(&(file, *at))
                    && is_within(&mine, &values(row), &common)
                    && begins(&row[0], &mine)
                    && (is_telling || is_titled(&values(row)))
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

/// The removed tests whose assertions a test of the same file makes about names today, while new lines of it hold the values in the same
/// order, each time in another place.
pub fn asserted(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> BTreeSet<Place> {
    let mut taken: BTreeSet<(usize, usize, usize)> = BTreeSet::new();
    let mut is_row = |place: &&Place| {
        let (Some(old), Some((then, now))) = (judgement.test(Side::Then, **place), texts.lines(place.file)) else {
            return false;
        };
        let tests = judgement.outline(Side::Now, place.file).map_or(&[][..], |outline| &outline.tests);
        let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
        let mut rows: Vec<(usize, usize, usize)> = Vec::new();
        let is_made = |a: &Assert, rows: &mut Vec<(usize, usize, usize)>| {
            let orders = orders_of(a);
            let mut running = tests.iter().enumerate().filter(|(_, test)| test.skip.is_none());
            let is_made = orders[0].len() > 1
                && running.any(|(at, test)| {
                    let takes = || takes_rows(judgement, Place { file: place.file, at }, (then, now));
                    test.asserts.iter().any(|b| is_about_names(a, b)) && takes()
                });
            let found =
                now.iter().enumerate().filter(|(_, line)| !known.contains(line.trim())).find_map(|(at, line)| {
                    let free = |start: &usize| {
                        !taken.contains(&(place.file, at, *start)) && !rows.contains(&(place.file, at, *start))
                    };
                    orders
                        .iter()
                        .flat_map(|values| starts_of(line, values))
                        .find(free)
                        .map(|start| (place.file, at, start))
                });
            rows.extend(found.filter(|_| is_made));
            is_made && found.is_some()
        };
        let is_whole =
            old.rows.is_none() && !old.asserts.is_empty() && old.asserts.iter().all(|a| is_made(a, &mut rows));
        if is_whole {
            taken.extend(rows);
        }
        is_whole
    };
    gone.iter().filter(|place| is_row(place)).copied().collect()
}

/// Whether a test is new, had rows before, or has the values of the test in whose place it stands as a row, too.
fn takes_rows(judgement: &Judgement<'_>, place: Place, (then, now): (&[String], &[String])) -> bool {
    let pair = judgement.compared.pairs.iter().find(|pair| pair.now == place);
    let Some(old) = pair.and_then(|pair| judgement.test(Side::Then, pair.then)) else { return true };
    let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
    let is_row = |a: &Assert| {
        let orders = orders_of(a);
        let mut new = now.iter().filter(|line| !known.contains(line.trim()));
        let is_in = |line: &String| orders.iter().any(|values| !starts_of(line, values).is_empty());
        orders[0].is_empty() || new.any(is_in)
    };
    old.rows.is_some() || old.asserts.iter().all(is_row)
}

/// Whether an assertion is about the result of the same call, and demands as much, with names in place of values.
fn is_about_names(a: &Assert, b: &Assert) -> bool {
    let head = |assert: &Assert| assert.subject.split_once('(').map(|(head, _)| head.trim().to_string());
    let has_value = !in_order(&b.subject).is_empty() || !in_order(&b.expected).is_empty();
    let is_negated =
        |assert: &Assert| assert.how.contains("not") || assert.how.contains("Not") || assert.how.contains('!');
    head(a).is_some() && head(a) == head(b) && b.strength >= a.strength && !has_value && is_negated(a) == is_negated(b)
}

/// The values of an assertion as a row may have them: what it is about first, or what is expected first.
fn orders_of(assert: &Assert) -> [Vec<String>; 2] {
    let (a, b) = (&assert.subject, &assert.expected);
    [format!("{a} {b}"), format!("{b} {a}")].map(|code| in_order(&code))
}

/// The texts and numbers in a piece of code, in its order.
fn in_order(code: &str) -> Vec<String> {
    found(code).map(|(_, text)| text.to_string()).collect()
}

/// Where these values begin in a line, one after the other with nothing but names and signs between them.
fn starts_of(line: &str, values: &[String]) -> Vec<usize> {
    let here: Vec<(usize, &str)> = found(line).collect();
    let is_run = |window: &&[(usize, &str)]| window.iter().map(|(_, text)| *text).eq(values);
    here.windows(values.len().max(1)).filter(is_run).map(|window| window[0].0).collect()
}

/// Whether a test runs rows and makes each kind of assertion that another one made.
fn is_table_of(old: &Test, new: &Test) -> bool {
    let makes = |how: &str, strength| new.asserts.iter().any(|b| b.how == how && b.strength >= strength);
    new.rows.is_some() && new.skip.is_none() && old.asserts.iter().all(|a| makes(&a.how, a.strength))
}

/// Whether a table is new, had rows before, or has a new line with the values of the test in whose place it stands.
fn has_own_row(judgement: &Judgement<'_>, texts: &Texts, place: Place, (then, now): (&[String], &[String])) -> bool {
    let pair = judgement.compared.pairs.iter().find(|pair| pair.now == place);
    let Some(pair) = pair else { return true };
    let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, place));
    let (Some((old, new)), Some((before, _))) = (tests, texts.lines(pair.then.file)) else { return true };
    let body = &before[extent::of(before, line_at(old.line))];
    let mine = values(body.get(1..).unwrap_or_default());
    let common: BTreeSet<String> = of_asserts(new).collect();
    let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
    let mut new_lines = now.iter().filter(|line| !known.contains(line.trim()));
    old.rows.is_some()
        || mine.is_empty()
        || new_lines.any(|line| is_within(&mine, &values(std::slice::from_ref(line)), &common))
}

/// Whether a row holds these values, but for those that the test of all rows holds; most of them are its own.
fn is_within(mine: &BTreeSet<String>, row: &BTreeSet<String>, common: &BTreeSet<String>) -> bool {
    let own = mine.iter().filter(|value| row.contains(*value)).count();
    mine.iter().all(|value| row.contains(value) || common.contains(value)) && own * 2 > mine.len()
}

/// The values in what a test asserts.
fn of_asserts(test: &Test) -> impl Iterator<Item = String> {
    test.asserts.iter().flat_map(|assert| in_order(&format!("{} {}", assert.subject, assert.expected)))
}

/// Whether a test makes all assertions of another one, of the same subjects.
fn says_the_same(old: &Test, new: &Test) -> bool {
    let is_same = |a: &Assert, b: &Assert| (&a.how, &a.subject, &a.expected) == (&b.how, &b.subject, &b.expected);
    old.asserts.iter().all(|a| new.asserts.iter().any(|b| is_same(a, b)))
}

/// Whether a row gives an empty list: `"nothing marked" => [],`
fn is_empty_row(line: &str) -> bool {
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    ["=>[]", ",[]", ":[]", "([]", "=>{}", ",{}"].iter().any(|form| text.contains(form))
        && (!text.contains('=') || text.contains("=>"))
}

/// Whether a line holds one of these values.
fn begins(line: &str, values: &BTreeSet<String>) -> bool {
    found(line).any(|(_, text)| values.contains(text) || parts(text).any(|part| values.contains(part)))
}

/// The values of a row that is written as one text: `"2024, true, 29"`.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_list = text.contains(',');
    text.split(',').map(|part| part.trim().trim_matches('\'')).filter(move |part| is_list && !part.is_empty())
}

/// The texts and numbers in these lines.
pub fn values(lines: &[String]) -> BTreeSet<String> {
    let texts =
        lines.iter().flat_map(|line| found(line)).flat_map(|(_, text)| std::iter::once(text).chain(parts(text)));
    texts.filter(|text| !text.is_empty()).map(str::to_string).collect()
}

/// The texts and numbers in a piece of code, each with where it begins.
fn found(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = VALUE.as_ref().into_iter().flat_map(move |regex| regex.captures_iter(code));
    all.filter_map(|one| one.iter().skip(1).flatten().next().map(|text| (text.start(), text.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::outline::{Digest, Strength};

    #[test]
    fn values_are_texts_and_numbers() {
        let lines = ["f('a', \"b c\", 3)".to_string(), "x1 = ''".to_string()];
        assert_eq!(values(&lines).into_iter().collect::<Vec<_>>(), ["3", "a", "b c"]);
    }

    #[test]
    fn values_stand_in_a_row_in_their_order() {
        let values = |code: &str| in_order(code);
        assert_eq!(starts_of("  Case{1, \"I\"}, Case{4, \"IV\"},", &values("f(4) \"IV\"")).len(), 1);
        assert!(starts_of("  Case{1, \"IV\"}, Case{4, \"I\"},", &values("f(4) \"IV\"")).is_empty(), "two rows");
        assert!(starts_of("  Case{14, \"IV\"}", &values("f(4) \"IV\"")).is_empty(), "another number");
    }

    #[test]
    fn an_assertion_about_names_is_of_the_same_call() {
        let assert = |subject: &str, expected: &str| Assert {
            how: "==".into(),
            subject: subject.into(),
            expected: expected.into(),
            strength: Strength::Exact,
            line: 1,
        };
        let old = assert("roman(4)", "\"IV\"");
        assert!(is_about_names(&old, &assert("roman(value)", "text")));
        assert!(
            !is_about_names(&old, &assert("arabic(value)", "text"))
                && !is_about_names(&old, &assert("roman(5)", "text"))
        );
        assert!(!is_about_names(&old, &Assert { strength: Strength::Part, ..assert("roman(value)", "text") }));
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
