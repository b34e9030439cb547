//! Wrappers: functions and macros of the project that declare tests. A test that a wrapper declares today is not removed.

use super::words::Texts;
use super::{Judgement, extent, tree};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Place, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What declares a test: a word of a runner with its arguments, or an attribute.
const DECLARES: &str =
    r#"(?:^|[^\w.])(?:it|test|specify|example|t\.Run|t\.test|Deno\.test)(?:\s*\(|\s+["'`:*\w])|#\[(?:\w+::)*test\b"#;

/// What keeps the test of a wrapper from running, or hides its failure.
const SILENT: &str = r"\b(?:x?(?:it|test|describe)\.(?:skip|todo|only|fixme)|skip\w*|xit|xtest|pending|todo|fixme|ignore|catch|rescue|except|recover|false|catch_unwind|should_panic)\b";

/// Words before a title that declare no test.
const OTHERS: [&str; 12] =
    ["describe", "context", "suite", "fn", "def", "func", "function", "const", "let", "var", "class", "mod"];

/// The removed tests that a wrapper declares today, each with the wrapper's name: the same title, and the same lines below it.
pub fn declared(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    gone: &BTreeSet<Place>,
) -> BTreeMap<Place, String> {
    let mut found: BTreeMap<Place, String> = BTreeMap::new();
    for place in gone {
        let Some((then, now)) = texts.lines(place.file) else { continue };
        let Some(test) = judgement.test(Side::Then, *place) else { continue };
        let old = body(then, super::removed_words::line_at(test.line));
        let call = now.iter().enumerate().find_map(|(at, line)| {
            let word = wrapper_of(line, &test.name)?;
            (!old.is_empty() && body(now, at) == old).then(|| word.to_string())
        });
        if let Some(word) = call {
            found.insert(*place, word);
        }
    }
    let names: BTreeSet<&str> = found.values().map(String::as_str).collect();
    let known: BTreeSet<String> = definitions(judgement, source, texts, &names);
    found.retain(|_, word| known.contains(word));
    found
}

/// The lines below a declaration, without blanks and without what only closes.
pub fn body(lines: &[String], first: usize) -> Vec<&str> {
    let range = extent::of(lines, first);
    let lines = lines.get(first + 1..range.end.max(first + 1)).unwrap_or_default().iter().map(|line| line.trim());
    lines.filter(|line| line.chars().any(char::is_alphanumeric) && *line != "end").collect()
}

/// The word that a line calls with this title as its first argument.
fn wrapper_of<'a>(line: &'a str, title: &str) -> Option<&'a str> {
    if title.is_empty() {
        return None;
    }
    line.match_indices(title).find_map(|(at, _)| called(&line[..at], &line[at + title.len()..]))
}

/// The word before a title, if it is called with the title.
fn called<'a>(before: &'a str, after: &str) -> Option<&'a str> {
    let before = before.trim_end_matches(['"', '\'', '`']).trim_end().trim_end_matches('(').trim();
    let is_end = after.trim_start_matches(['"', '\'', '`']).trim_start();
    let is_call = is_end.starts_with([',', ')', '{']) || is_end.starts_with("do");
    let word = before.rsplit(|c: char| c.is_whitespace()).next()?.trim_end_matches('!');
    let is_name = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_call && is_name && word == before.trim_end_matches('!') && !OTHERS.contains(&word)).then_some(word)
}

/// Those of these names that are defined as wrappers, in every place where they are defined.
fn definitions(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    names: &BTreeSet<&str>,
) -> BTreeSet<String> {
    if names.is_empty() {
        return BTreeSet::new();
    }
    let (Ok(declares), Ok(silent)) = (Regex::new(DECLARES), Regex::new(SILENT)) else { return BTreeSet::new() };
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    let others = tree::definers(source.top, source.now, &changed, names);
    let all = texts.files().map(|(_, now)| now).chain(others.iter().map(Vec::as_slice));
    let mut is_wrapper: BTreeMap<&str, bool> = BTreeMap::new();
    for lines in all {
        for name in names {
            let wanted = BTreeSet::from([*name]);
            for first in extent::defining(lines, &wanted) {
                let lines = &lines[extent::of(lines, first)];
                let is_one = lines.iter().any(|line| declares.is_match(line))
                    && !lines.iter().any(|line| silent.is_match(line))
                    && passes_on(lines, name);
                *is_wrapper.entry(name).or_insert(true) &= is_one;
            }
        }
    }
    is_wrapper.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_string()).collect()
}

/// Whether a definition uses the last of its parameters, which is the body of the test.
pub fn passes_on(lines: &[String], name: &str) -> bool {
    let text = lines.join("\n");
    let Some((_, rest)) = text.split_once(name) else { return false };
    let Some((_, rest)) = rest.split_once('(') else { return false };
    let Some((parameters, body)) = rest.split_once(')') else { return false };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let named = |part: &str| {
        let part = part.trim_start_matches(|c: char| !is_part(c));
        part.split(|c: char| !is_part(c)).next().unwrap_or_default().to_string()
    };
    let Some(last) = parameters.split(',').map(named).rfind(|part| !part.is_empty()) else { return false };
    body.split(|c: char| !is_part(c)).any(|word| word == last)
}

/// Whether a removed test was inside a wrapper, and each call of that wrapper is a test of its own today.
pub fn is_unwrapped(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let lines = texts.lines(place.file).map(|(then, _)| then);
    let (Some(lines), Some(test)) = (lines, judgement.test(Side::Then, place)) else { return false };
    let at = super::removed_words::line_at(test.line);
    let is_title = |line: &String| ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{}", test.name)));
    if lines.get(at).is_none_or(is_title) {
        return false;
    }
    // The definition around it that has the title as a parameter.
    let around = (0..=at).rev().take(4).find(|first| {
        extent::of(lines, *first).contains(&at)
            && extent::defined(&lines[*first]).is_some_and(|_| {
                let parameters = lines[*first].split_once('(').map_or("", |(_, rest)| rest);
                parameters.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == test.name)
            })
    });
    let Some(wrapper) = around.and_then(|first| extent::defined(&lines[first])) else { return false };
    let titles: Vec<&str> = lines.iter().filter_map(|line| title_of(line, wrapper)).collect();
    let is_test = |title: &&str| {
        let mut outlines = judgement.code.files.iter().filter_map(|(_, now)| now.as_ref());
        outlines.any(|now| now.tests.iter().any(|test| test.name == **title && test.skip.is_none() && test.tokens > 0))
    };
    !titles.is_empty() && titles.iter().all(is_test)
}

/// The quoted title of a call.
fn title_of<'a>(line: &'a str, wrapper: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(wrapper)?.trim_start().trim_start_matches('(').trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    rest[1..].split(quote).next().filter(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_wrapper_that_it_calls_with_a_title() {
        for (line, word) in [
            ("  deprecated 'drops commas' do", Some("deprecated")),
            ("testCase(\"drops commas\", async () => {", Some("testCase")),
            ("describe('drops commas', () => {", None),
            ("  // drops commas", None),
            ("  log('it drops commas', x);", None),
        ] {
            assert_eq!(wrapper_of(line, "drops commas"), word, "{line}");
        }
        assert_eq!(wrapper_of("rgtest!(drops, |dir| {", "drops"), Some("rgtest"));
        assert_eq!(wrapper_of("fn drops() {", "drops"), None);
    }

    #[test]
    fn a_wrapper_uses_the_body_that_it_is_given() {
        let is = |text: &str| passes_on(&text.lines().map(str::to_string).collect::<Vec<_>>(), "w");
        assert!(is("const w = (name, fn) => test(name, fn);"));
        assert!(is("def self.w(*args, &block)\n  it(*args) { instance_exec(&block) }\nend"));
        assert!(is("macro_rules! w {\n  ($name:ident, $fun:expr) => {\n    #[test] fn $name() { $fun() }\n  };\n}"));
        assert!(!is("const w = (name, fn) => test(name, () => {});"));
        assert!(!is("const w = test;"));
    }
}
