//! Absorbed tests: removed ones whose lines a surviving test of the file runs now, alone, together with its own, or without an option that
//! became the default.

use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::words::Texts;
use super::{Judgement, literals, wrappers};
use review_gate::outline::Test;
use review_gate::outline::compare::{Pair, Place, Side};
use std::collections::{BTreeMap, BTreeSet};

/// How many tokens the body of a test has at least.
const TELLING: u64 = 8;

/// How many tokens an option has at most, with its value.
const OPTION: usize = 12;

/// What happens before each test of a suite.
const HOOKS: [&str; 9] = ["before", "after", "setup", "teardown", "let(", "let!(", "subject", "fixture", "use("];

/// The removed tests that a running test of their file stands for now, each with the name of that test.
pub fn of(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> BTreeMap<Place, String> {
    let has_other_source = texts.has_other_source(judgement);
    let mut found = BTreeMap::new();
    for place in gone {
        let Some(old) = judgement.test(Side::Then, *place).filter(|test| test.tokens >= TELLING) else { continue };
        let Some((then, now)) = texts.lines(place.file) else { continue };
        let lost = wrappers::body(then, line_at(old.line));
        let near =
            judgement.compared.pairs.iter().filter(|pair| pair.then.file == place.file && pair.now.file == place.file);
        let is_one = |pair: &&Pair| {
            let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
            let Some((before, after)) = tests.filter(|(_, after)| after.skip.is_none()) else { return false };
            let other = Other {
                before: wrappers::body(then, line_at(before.line)),
                after: wrappers::body(now, line_at(after.line)),
                is_changed: before.body != after.body,
            };
            let is_inner = is_inner(old, after) && old.name == after.name;
            // What the other one is today is compared with what both were.
            let is_copy = self::is_inner(old, before) && old.body == before.body && !has_hooks(then, old, before);
            let is_default = has_other_source && other.is_changed && is_inner && old.body == after.body;
            is_copy
                || is_default
                || other.is_changed && other.holds(&lost)
                || has_other_source && old.suite == after.suite && other.is_without_option(&lost, then, now)
        };
        let one = near.filter(is_one).find_map(|pair| judgement.test(Side::Now, pair.now));
        if let Some(test) = one.filter(|test| !lost.is_empty() && test.rows == old.rows) {
            found.insert(*place, test.name.clone());
        }
    }
    found
}

/// A test that survives, before and today.
struct Other<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    is_changed: bool,
}

impl Other<'_> {
    /// Whether the test holds each statement of a removed one now, in their order, and did not before.
    fn holds(&self, lost: &[&str]) -> bool {
        let all = |lines: &[&str]| plain(&lines.join("\n"));
        let (wanted, after, before) = (all(lost), all(&self.after), all(&self.before));
        if after.contains(&wanted) {
            return !before.contains(&wanted);
        }
        // The beginning that both tests have in common is run once.
        let common = lost.iter().zip(&self.after).take_while(|(a, b)| a == b).count();
        let rest = all(&lost[common..]);
        common > 0 && !rest.is_empty() && after.contains(&rest) && !before.contains(&rest)
    }

    /// Whether the test is the removed one without an option, which its file does not use any more, and was another one before.
    fn is_without_option(&self, lost: &[&str], then: &[String], now: &[String]) -> bool {
        let (long, short) = (tokens(lost), tokens(&self.after));
        let Some(option) = extra(&long, &short) else { return false };
        let words = |lines: &[String]| -> BTreeSet<String> {
            lines.iter().flat_map(|line| literals::used(line)).map(str::to_string).collect()
        };
        let (then, now) = (words(then), words(now));
        let text = option.join(" ");
        let mut names = literals::used(&text).chain(all_words(&text)).filter(|word| then.contains(*word)).peekable();
        let asserts = ["expect", "assert", "should", "raises", "verify"];
        let is_assert = option.iter().any(|token| asserts.iter().any(|word| token.starts_with(word)));
        self.is_changed && !is_assert && names.peek().is_some() && names.all(|name| !now.contains(name))
    }
}

/// The tokens that the longer list has and the shorter one has not, if they stand in one place.
fn extra<'a>(long: &'a [String], short: &[String]) -> Option<&'a [String]> {
    let more = long.len().checked_sub(short.len()).filter(|more| *more > 0 && *more <= OPTION)?;
    let first = long.iter().zip(short).take_while(|(a, b)| a == b).count();
    (long[first + more..] == short[first..]).then(|| &long[first..first + more])
}

/// The words and signs of some lines. A text in quotes is one token, and a comma before a closing bracket is none.
fn tokens(lines: &[&str]) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quote: Option<char> = None;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for c in lines.join("\n").chars() {
        let is_inner = quote.is_some() || is_part(c) && tokens.last().is_some_and(|last| last.ends_with(is_part));
        match tokens.last_mut().filter(|_| is_inner) {
            Some(last) => last.push(c),
            None => tokens.push(c.to_string()),
        }
        quote = match quote {
            Some(open) => (c != open).then_some(open),
            None => matches!(c, '"' | '\'' | '`').then_some(c),
        };
    }
    tokens.retain(|token| !token.trim().is_empty());
    let is_last = |at: usize| {
        tokens[at] == "," && tokens.get(at + 1).is_some_and(|next| [")", "]", "}"].contains(&next.as_str()))
    };
    (0..tokens.len()).filter(|at| !is_last(*at)).map(|at| tokens[at].clone()).collect()
}

/// Whether a test stood in a suite inside the one of another test.
fn is_inner(old: &Test, other: &Test) -> bool {
    let depth = other.suite.len();
    old.suite.len() > depth && old.suite[..depth] == other.suite[..]
}

/// Whether something happens before the tests of the inner suite that does not before those of the outer one.
fn has_hooks(lines: &[String], old: &Test, outer: &Test) -> bool {
    let inner = &old.suite[outer.suite.len()..];
    let heads = inner.iter().map(|title| {
        lines[..line_at(old.line).min(lines.len())].iter().rposition(|line| line.contains(title.as_str()))
    });
    let is_hook = |line: &String| HOOKS.iter().any(|hook| line.trim_start().starts_with(hook));
    let has = |first: Option<usize>| first.is_none_or(|first| lines[extent::of(lines, first)].iter().any(is_hook));
    heads.into_iter().any(has)
}

/// A text without blanks, and without a comma before a closing bracket.
fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.replace(",)", ")").replace(",]", "]").replace(",}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_what_one_place_has_more() {
        let of = |text: &'static str| tokens(&[text]);
        let (long, short) = (of("run('a', '--fast', b)"), of("run('a', b,)"));
        assert_eq!(extra(&long, &short), Some(&["'--fast'".to_string(), ",".to_string()][..]));
        assert_eq!(extra(&short, &long), None, "it has less");
        assert_eq!(extra(&of("run('a', '--fast', b, c)"), &short), None, "in two places");
        assert_eq!(extra(&short, &short), None);
        assert_eq!(of("f(a,\n  'b c',\n)").join(" "), "f ( a , 'b c' )");
    }
}
