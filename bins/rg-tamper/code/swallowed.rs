//! Swallowed assertions: those in a callback of a function of the project that hides their failures.

use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::words::Texts;
use super::{Judgement, tree, wrappers};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Strength, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A call with a callback or a block: `swallow(() => {`, `swallow do`, `with swallow():`.
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let callback = r"(?:async\s*)?(?:\([^()]*\)\s*(?:=>|->)|\w+\s*=>|function\b|func\s*\(|lambda\b|\|[^|]*\|)";
    Regex::new(&format!(r"\b(\w+)\s*\(\s*{callback}|\b(\w+)\s+do\b|\b([a-z_]\w*)\s*\{{|\bwith\s+(\w+)\(.*\):")).ok()
});

/// What catches a failure, and what lets it pass.
static CATCHES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:catch|rescue|except|recover|catch_unwind|suppress)\b").ok());
static FAILS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:raise|throw|throws|rethrow|reject|fail\w*|flunk|fatal\w*|panic\w*|resume_unwind|assert\w*|expect\w*|done|exit|t\.Error|errorf)\b").ok()
});

/// Whether a test with assertions differs and calls something that it did not call before.
pub fn calls_more(judgement: &Judgement<'_>, pair: &Pair) -> bool {
    let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
    tests.is_some_and(|(old, new)| {
        let is_new = |call: &String| old.calls.binary_search(call).is_err();
        old.body != new.body && !old.asserts.is_empty() && new.calls.iter().any(is_new)
    })
}

/// The tests that call such a function around an assertion that was there before.
pub fn hidden<'a>(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    pairs: &[&'a Pair],
) -> Vec<(&'a Pair, String)> {
    let mut called: BTreeMap<String, Vec<&'a Pair>> = BTreeMap::new();
    for pair in pairs.iter().copied() {
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { continue };
        for name in around_asserts((old, then), (new, now)) {
            called.entry(name).or_default().push(pair);
        }
    }
    let names: BTreeSet<&str> = called.keys().map(String::as_str).collect();
    let silent = silent(judgement, source, texts, &names);
    let mut found: Vec<(&'a Pair, String)> = Vec::new();
    for (name, pairs) in called.into_iter().filter(|(name, _)| silent.contains(name)) {
        for pair in pairs {
            if !found.iter().any(|(known, _)| known.now == pair.now) {
                found.push((pair, name.clone()));
            }
        }
    }
    found
}

/// The names that a test did not use before, and in whose callbacks it makes an assertion now that it made before.
fn around_asserts((old, then): (&Test, &[String]), (new, now): (&Test, &[String])) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(regex) = CALL.as_ref() else { return found };
    let known: BTreeSet<&str> =
        then[extent::of(then, line_at(old.line))].iter().flat_map(|line| all_words(line)).collect();
    let body = extent::of(now, line_at(new.line));
    for at in body.clone().skip(1) {
        let Some(call) = regex.captures(&now[at]) else { continue };
        let name = call.iter().skip(1).flatten().next().map(|name| name.as_str()).unwrap_or_default();
        let is_closed = call.get(1).is_some_and(|name| is_closed(&now[at][name.end()..]));
        let end = if is_closed { at + 1 } else { extent::of(now, at).end.min(body.end) };
        let is_inside = |line: u64| (at..end).contains(&line_at(line));
        let mut asserts =
            new.asserts.iter().filter(|assert| is_inside(assert.line) && assert.strength > Strength::Nothing);
        let is_old = asserts
            .any(|assert| old.asserts.iter().any(|other| other.subject == assert.subject && other.how == assert.how));
        if is_old && !known.contains(name) && new.calls.iter().any(|call| call == name) {
            found.insert(name.to_string());
        }
    }
    found
}

/// Whether the call whose brackets a text begins with ends in it, so that the lines below are not in its callback.
fn is_closed(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ')' && depth == 0
    })
}

/// Those of these functions that the project defines, and that catch what fails in them or do not run what they are given.
fn silent(judgement: &Judgement<'_>, source: &Source<'_>, texts: &Texts, names: &BTreeSet<&str>) -> BTreeSet<String> {
    if names.is_empty() {
        return BTreeSet::new();
    }
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let others = tree::definers(source.top, source.now, &read.collect(), names);
    let all: Vec<&[String]> = texts.files().map(|(_, now)| now).chain(others.iter().map(Vec::as_slice)).collect();
    let is_silent = |name: &&str| {
        let wanted = BTreeSet::from([*name]);
        all.iter().any(|lines| extent::defining(lines, &wanted).any(|at| hides(&lines[extent::of(lines, at)], name)))
    };
    names.iter().filter(|name| is_silent(name)).map(|name| (*name).to_string()).collect()
}

/// Whether a definition hides the failures of what it is given.
fn hides(lines: &[String], name: &str) -> bool {
    let has = |regex: &Option<Regex>, lines: &[String]| {
        lines.iter().any(|line| regex.as_ref().is_some_and(|regex| regex.is_match(line)))
    };
    if is_other(lines, name) {
        return false;
    }
    let is_run = lines.iter().any(|line| line.contains("yield")) || wrappers::passes_on(lines, name);
    let Some(caught) = lines.iter().position(|line| has(&CATCHES, std::slice::from_ref(line))) else { return !is_run };
    // What is caught has a name that tells nothing: `except AssertionError:`.
    let handler = lines[caught].rsplit_once(['{', ':']).map_or("", |(_, handler)| handler).to_string();
    let fails = has(&FAILS, &[handler]) || has(&FAILS, &lines[caught + 1..]);
    !is_run || !fails
}

/// Whether a definition is of something else that has the name: a value, `let name = Type {`, or a function of Rust without parameters.
fn is_other(lines: &[String], name: &str) -> bool {
    let first = lines.first().map(|line| line.trim()).unwrap_or_default();
    let head = lines[..lines.len().min(HEAD)].join(" ");
    let is_bound = first.starts_with("let ") && (first.ends_with('{') || first.contains("::"));
    let is_function = ["=>", "function", "|", "lambda", "func", "fn"].iter().any(|word| head.contains(word));
    is_bound && !is_function || first.contains("fn ") && first.contains(&format!("{name}()"))
}

/// How many lines the head of a function has at most.
const HEAD: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_ends_in_its_line_is_around_nothing_below() {
        assert!(is_closed("(|&x| x) {") && is_closed("(|x| (x, 1)).sum();"));
        assert!(!is_closed("(() => {") && !is_closed("(|cx| { f(cx);"));
    }

    #[test]
    fn a_function_hides_failures_if_it_catches_them_or_runs_nothing() {
        let hides = |text: &str| hides(&text.lines().map(str::to_string).collect::<Vec<_>>(), "swallow");
        assert!(hides("function swallow(f) {\n  try {\n    f();\n  } catch {\n  }\n}"));
        assert!(hides("def swallow(f):\n    try:\n        f()\n    except AssertionError:\n        pass"));
        assert!(hides("def swallow\n  yield\nrescue Exception\n  nil\nend"));
        assert!(hides("const swallow = (f) => {};"));
        assert!(!hides("const swallow = (f) => f();"));
        assert!(hides("pub fn swallow<F: Fn()>(run: F) {\n}") && !hides("pub fn swallow() -> Mock {\n    Mock\n}"));
        assert!(!hides("let swallow = Mock {\n    list,\n};") && hides("const swallow = (\n  f,\n) => {\n};"));
        assert!(hides("const swallow = noop;"));
        assert!(!hides("function swallow(f) {\n  try {\n    f();\n  } catch (e) {\n    throw e;\n  }\n}"));
        assert!(!hides("function swallow(f) {\n  try {\n    f();\n  } finally {\n    close();\n  }\n}"));
    }
}
