//! Renamed values: a test that gives a value another name asserts the same about it.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use review_gate::outline::compare::{Pair, Side};
use std::collections::BTreeMap;

/// How many lines an assertion has at most.
const REACH: usize = 24;

/// How short a value is that tells a name from others: `t = x` tells nothing.
const SHORTEST: usize = 6;

/// Drops what tests assert about the same values under other names now.
pub fn drop_renamed(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { return true };
        let (old_body, new_body) = (extent::of(then, line_at(old.line)), extent::of(now, line_at(new.line)));
        let names = renamed(&then[old_body], &now[new_body.clone()]);
        if names.is_empty() {
            return true;
        }
        let today: Vec<String> = now[new_body].iter().map(|line| plain(line)).collect();
        let is_kept = |line: u64| stands(&statement(then, line_at(line), &names), &today);
        match lost {
            Lost::Some { losses, .. } => {
                losses.retain(|loss| !is_kept(loss.before.line));
                !losses.is_empty()
            }
            Lost::All(_) => old.asserts.is_empty() || !old.asserts.iter().all(|assert| is_kept(assert.line)),
            Lost::Outcome(_) | Lost::Hidden(_) | Lost::Rarer(_) => true,
        }
    });
}

/// The names of values that have another name now: both are bound to the same expression.
fn renamed<'a>(then: &'a [String], now: &'a [String]) -> BTreeMap<&'a str, &'a str> {
    let bound = |lines: &'a [String]| {
        let mut bound: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        lines
            .iter()
            .filter_map(|line| binding(line))
            .for_each(|(name, value)| bound.entry(value).or_default().push(name));
        bound
    };
    let (before, today) = (bound(then), bound(now));
    let mut names = BTreeMap::new();
    for (value, old) in before {
        // Several names of one value tell nothing, unless they are the same one.
        let one = |names: &[&'a str]| names.iter().all(|name| *name == names[0]).then(|| names[0]);
        let new = today.get(value).and_then(|names| one(names));
        if let (Some(old), Some(new)) = (one(&old), new)
            && old != new
        {
            names.insert(old, new);
        }
    }
    names
}

/// The name and the value of a line that binds: `const t = tspl(t, { plan: 3 })`.
pub(super) fn binding(line: &str) -> Option<(&str, &str)> {
    let (target, value) = line.split_once('=')?;
    let value = value.strip_prefix('=').map_or(value, |_| "").trim().trim_end_matches(';');
    let target = target.trim_end().trim_end_matches(':').split(':').next()?.trim();
    let name = target.split_whitespace().last()?;
    let bare = name.strip_prefix('$').unwrap_or(name);
    let is_name = bare.chars().all(|c| c.is_alphanumeric() || c == '_') && !bare.is_empty();
    let is_value = value.len() >= SHORTEST && !value.starts_with('>') && value.contains('(');
    (is_name && is_value).then_some((name, value))
}

/// The lines of the statement at a line, with the new names.
fn statement(lines: &[String], first: usize, names: &BTreeMap<&str, &str>) -> Vec<String> {
    let mut depth = 0_i64;
    let mut found = Vec::new();
    for line in lines.iter().skip(first).take(REACH) {
        let step = |c| i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
        depth += line.chars().map(step).sum::<i64>();
        found.push(plain(&with_names(line, names)));
        if depth <= 0 {
            break;
        }
    }
    found
}

/// A line with other names for whole words.
fn with_names(line: &str, names: &BTreeMap<&str, &str>) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(is_part) {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(|c| !is_part(c)).map_or(rest.len(), |len| at + len);
        let word = &rest[at..end];
        out.push_str(names.get(word).unwrap_or(&word));
        rest = &rest[end..];
    }
    out + rest
}

/// A line with one blank for the indentation, which tells a statement in a branch of its own from others.
fn plain(line: &str) -> String {
    let text = line.trim_end().trim_end_matches(';');
    let indent = text.len() - text.trim_start().len();
    format!("{indent} {}", text.trim())
}

/// Whether lines stand one after the other.
fn stands(lines: &[String], today: &[String]) -> bool {
    !lines.is_empty() && today.windows(lines.len()).any(|window| window == lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn the_same_value_under_another_name_is_found() {
        let names = |then: &str, now: &str| -> Vec<String> {
            renamed(&lines(then), &lines(now)).into_iter().map(|(a, b)| format!("{a}:{b}")).collect()
        };
        assert_eq!(names("  t = tspl(t, { plan: 3 })", "  const plan = tspl(t, { plan: 3 });"), ["t:plan"]);
        assert_eq!(names("let a = make(1)\nlet b = make(2)", "let c = make(1)\nlet b = make(2)"), ["a:c"]);
        assert!(names("a = make(1)", "c = make(2)").is_empty(), "another value");
        assert!(names("a = f(1, 2)", "c = f(1, 2)\nd = f(1, 2)").is_empty(), "two names");
        assert!(names("if a == make(1):", "if c == make(1):").is_empty(), "a comparison");
    }

    #[test]
    fn a_statement_has_the_new_names_and_its_place() {
        let names = BTreeMap::from([("t", "plan")]);
        let then = lines("  t.equal(f(t), {\n    at: 1\n  })\n  t.end()");
        let today = |text: &str| lines(text).iter().map(|line| plain(line)).collect::<Vec<_>>();
        assert!(stands(&statement(&then, 0, &names), &today("  plan.equal(f(plan), {\n    at: 1\n  });")));
        assert!(!stands(&statement(&then, 0, &names), &today("    plan.equal(f(plan), {\n      at: 1\n    });")));
        assert!(!stands(&statement(&then, 0, &names), &today("  plan.equal(f(plan), {\n    at: 2\n  });")));
    }
}
