//! Tables that stand elsewhere now: a list that has a name, and a fixture with parameters that moved to conftest.py.

use super::Judgement;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use std::sync::LazyLock;

/// The first line of a loop over values.
static LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bfor\b|\.each\b|\.forEach\b|\.for_each\b|\bforeach\b|\.each_with_index\b|\.times\b|\.map\b").ok()
});

/// How many characters stand between a name and its list: the sign, and a type.
const BEFORE: usize = 60;

/// The longest test whose lists are looked for, in bytes without blanks: each bracket is followed to its end.
const LONGEST: usize = 16 << 10;

/// Words that bind a name.
const KEYWORDS: [&str; 6] = ["const", "let", "var", "val", "static", "final"];

/// Whether a line begins a loop over values.
pub fn is_loop(line: &str) -> bool {
    LOOP.as_ref().is_some_and(|regex| regex.is_match(line))
}

/// Whether the whole table of a test stands elsewhere now.
pub fn kept(judgement: &Judgement<'_>, texts: &Texts, pair: &Pair) -> bool {
    let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
    let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
    let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { return false };
    let rows = old.rows.as_ref().map_or(0, Vec::len);
    let before = &then[extent::of(then, line_at(old.line))];
    let after = &now[extent::of(now, line_at(new.line))];
    rows > 1
        && (is_named(before, after, rows)
            || is_handed(before, after, now, rows)
            || fixture_moved(judgement, texts, pair, before))
}

/// Whether a list with so many values has a name now, and a loop uses it.
fn is_named(then: &[String], now: &[String], rows: usize) -> bool {
    let (before, after) = (plain(&then.join("\n")), plain(&now.join("\n")));
    if before.len() > LONGEST {
        return false;
    }
    lists(&before).filter(|list| count(list) == rows).any(|list| {
        let Some(at) = after.find(list) else { return false };
        let start = (0..=at).rev().take(BEFORE).filter(|at| after.is_char_boundary(*at)).last().unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        // Only a type stands between the sign and the list: an inner list is no table.
        let is_type = |text: &str| text.chars().all(|c| is_part(c) || "[]<>.*&!:".contains(c));
        let bound = after[start..at].rsplit_once('=').filter(|(_, between)| is_type(between));
        let target = bound.map(|(target, _)| target.trim_end_matches(':'));
        let name = target.and_then(|target| target.rsplit(|c| !is_part(c)).next()).filter(|name| !name.is_empty());
        // Without blanks, a keyword stands before the name.
        let bare =
            |name: &str| KEYWORDS.iter().find_map(|word| name.strip_prefix(word)).unwrap_or_default().to_string();
        let uses = |line: &String, name: &str| {
            is_loop(line) && all_words(line).any(|word| !word.is_empty() && (word == name || word == bare(name)))
        };
        name.is_some_and(|name| now.iter().any(|line| uses(line, name)))
    })
}

/// Whether a list with so many values is given to a function of the file, which loops.
fn is_handed(then: &[String], test: &[String], file: &[String], rows: usize) -> bool {
    let (before, after) = (plain(&then.join("\n")), plain(&test.join("\n")));
    if before.len() > LONGEST {
        return false;
    }
    lists(&before).filter(|list| count(list) == rows).any(|list| {
        let Some(at) = after.find(list) else { return false };
        // Without blanks, another word may stand before the name.
        let is_called = |name: &&str| after[..at].strip_suffix('(').is_some_and(|head| head.ends_with(name));
        let names = file.iter().filter_map(|line| extent::defined(line)).filter(is_called).collect();
        let mut bodies = extent::defining(file, &names).map(|at| &file[extent::of(file, at)]);
        bodies.any(|body| body.iter().any(|line| is_loop(line)))
    })
}

/// The lists in brackets, the outer ones first.
fn lists(text: &str) -> impl Iterator<Item = &str> {
    let first = text.match_indices(['[', '{', '(']).map(|(at, _)| at);
    first.filter_map(move |at| {
        let mut depth = 0_i64;
        let end = text[at..].char_indices().find(|(_, c)| {
            depth += i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
            depth == 0
        });
        end.map(|(len, _)| &text[at..=at + len])
    })
}

/// How many values a list has.
fn count(list: &str) -> usize {
    let inner = list[1..list.len() - 1].trim_end_matches(',');
    let mut depth = 0_i64;
    let commas = inner.chars().filter(|c| {
        depth += i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
        depth == 0 && *c == ','
    });
    if inner.is_empty() { 0 } else { commas.count() + 1 }
}

/// Whether a fixture of the test moved unchanged to a conftest.py in the same directory, or in one above it.
fn fixture_moved(judgement: &Judgement<'_>, texts: &Texts, pair: &Pair, test: &[String]) -> bool {
    let Some((then, now)) = texts.lines(pair.then.file) else { return false };
    let is_above = |file: &usize| {
        let (path, own) = (judgement.shown(*file), judgement.shown(pair.now.file));
        path.strip_suffix("conftest.py")
            .is_some_and(|dir| own.starts_with(dir) && (dir.is_empty() || dir.ends_with('/')))
    };
    let others: Vec<usize> = (0..judgement.code.files.len()).filter(is_above).collect();
    let fixtures = |lines: &[String]| -> Vec<(String, String)> {
        let defines = lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("def "));
        let all = defines.filter_map(|(at, line)| {
            let text = plain(&lines[extent::of(lines, at)].join("\n"));
            let is_table = text.contains("fixture(") && text.contains("params=");
            is_table.then(|| (extent::defined(line).unwrap_or_default().to_string(), text))
        });
        all.collect()
    };
    let today = fixtures(now);
    let moved = |(name, text): &(String, String)| {
        let is_used = test.iter().any(|line| all_words(line).any(|word| word == name));
        let is_there = |file: &usize| {
            let lines = texts.lines(*file).map(|(_, now)| now).unwrap_or_default();
            fixtures(lines).iter().any(|(_, other)| other == text)
        };
        is_used && !today.iter().any(|(other, _)| other == name) && others.iter().any(is_there)
    };
    fixtures(then).iter().any(moved)
}

/// A text without blanks.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_a_name_is_the_same_table() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let then = lines("for _, lvl := range []Level{Debug, Info, Warn} {\n  check(lvl)\n}");
        let is = |text: &str| is_named(&then, &lines(text), 3);
        assert!(is("levels := []Level{Debug, Info, Warn}\nfor _, lvl := range levels {\n}"));
        assert!(is("var levels = []Level{\n  Debug,\n  Info,\n  Warn}\nfor _, lvl := range levels {\n}"));
        assert!(!is("levels := []Level{Debug, Info}\nfor _, lvl := range levels {\n}"), "one is gone");
        assert!(!is("levels := []Level{Debug, Info, Warn}\ncheck(levels[0])"), "no loop");
        let rows = lines("cases := []case{{a, 1}, {b, 2}}\nfor _, c := range cases {\n}");
        assert!(!is_named(&rows, &lines("cases := []case{{a, 1}}\nfor _, c := range cases {\n}"), 2), "an inner list");
    }

    #[test]
    fn a_list_is_given_to_a_function_that_loops() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let then = lines("test \"a\" do\n  for value <- [0, 1, -1] do\n    assert f(value)\n  end\nend");
        let helper = "  defp round_trip(values) do\n    for value <- values do\n      assert f(value)\n    end\n  end";
        let is = |call: &str, helper: &str| is_handed(&then, &lines(call), &lines(&format!("{call}\n{helper}")), 3);
        assert!(is("  round_trip([0, 1, -1])", helper));
        assert!(!is("  round_trip([0, 1])", helper), "one is gone");
        assert!(!is("  round_trip([0, 1, -1])", "  defp round_trip(values) do\n    f(hd(values))\n  end"), "no loop");
    }

    #[test]
    fn the_values_of_a_list_are_counted() {
        assert_eq!(["[]", "[a]", "[a,b,]", "{f(a,b),[c,d]}"].map(count), [0, 1, 2, 2]);
        assert_eq!(lists("f([a,(b)])").collect::<Vec<_>>(), ["([a,(b)])", "[a,(b)]", "(b)"]);
    }
}
