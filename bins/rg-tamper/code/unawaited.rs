//! Assertions that a test does not wait for: it may end before they fail.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::{Rarer, Weight};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Pair, Side};
use std::sync::LazyLock;

/// What runs a function later, or beside the test.
static LATER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:set(?:Timeout|Immediate)|process\.nextTick|queueMicrotask|requestAnimationFrame)\(|^go func\(|^(?:tokio::)?spawn\(|^DispatchQueue\..*async|^(?:_\s*=\s*)?Task(?:\.detached)?\s*(?:\([^)]*\)\s*)?\{|^(?:GlobalScope|scope|CoroutineScope\(.*\))\.launch\b|^(?:_\s*=\s*)?Task\.Run\(|^Thread\s*\{|^thread\s*\{")
        .ok()
});

/// Words of matchers that wait: those of promises, and those of pages. Others fail at once, and an `await` before them is for nothing.
const LATE: [&str; 14] = [
    "resolves",
    "rejects",
    "eventually",
    "rejected",
    "fulfilled",
    "throwsAsync",
    "toHaveText",
    "toContainText",
    "toBeVisible",
    "toBeHidden",
    "toHaveURL",
    "toHaveCount",
    "toHaveValue",
    "toBeChecked",
];

/// What waits for it.
static WAITS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bawait\b|\bdone\b|resolve|\bwait|\.join\(|expectation|timers|<-|\bsync\b").ok());

/// Why the failure of an assertion is not seen that was seen before.
pub fn of(judgement: &Judgement<'_>, source: &Source<'_>, pair: &Pair) -> Option<Rarer> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    if old.body == new.body || old.asserts.is_empty() || new.skip.is_some() {
        return None;
    }
    let texts = judgement.texts(source);
    let ((then, _), (_, now)) = (texts.lines(pair.then.file)?, texts.lines(pair.now.file)?);
    let line =
        |lines: &'_ [String], assert: &Assert| lines.get(line_at(assert.line)).map(|line| line.trim().to_string());
    let end = extent::of(now, line_at(new.line)).end;
    let waits = |line: &String| WAITS.as_ref().is_some_and(|regex| regex.is_match(line));
    let is_waiting =
        |from: usize| now.get(from..end).into_iter().flatten().chain(now.get(line_at(new.line))).skip(1).any(waits);
    new.asserts.iter().find_map(|assert| {
        let is_it = |other: &&Assert| {
            (&other.how, &other.subject, &other.expected) == (&assert.how, &assert.subject, &assert.expected)
        };
        let before = old.asserts.iter().find(is_it)?;
        let is_late = LATE.iter().any(|word| assert.how.contains(word));
        let (was, is) = (line(then, before)?, line(now, assert)?);
        if is_late
            && is_awaited(&was)
            && was.trim_start_matches("await ").trim_start_matches("return ") == is
            && !is_inside(now, assert)
        {
            return Some(Rarer { line: is, how: "does not wait for an assertion", weight: Weight::Certain });
        }
        let head = later(now, line_at(assert.line)).filter(|_| !is_waiting(line_at(assert.line)))?;
        let was_later = later(then, line_at(before.line)).is_some();
        (!was_later).then_some(Rarer { line: head, how: "does not wait for an assertion", weight: Weight::Certain })
    })
}

fn is_awaited(line: &str) -> bool {
    (line.starts_with("await ") || line.starts_with("return ")) && (line.contains("expect") || line.contains("assert"))
}

/// Whether the line before goes on in that of an assertion.
fn is_inside(lines: &[String], assert: &Assert) -> bool {
    let at = line_at(assert.line).min(lines.len());
    let before = lines[..at].iter().rev().map(|line| line.trim_end()).find(|line| !line.is_empty()).unwrap_or_default();
    before.ends_with(['(', '[', ',', '=', '?', ':'])
        || ["await", "return", "=>"].iter().any(|word| before.ends_with(word))
}

/// The call around a line that runs it later.
fn later(lines: &[String], at: usize) -> Option<String> {
    let indent = |line: &String| line.len() - line.trim_start().len();
    let inner = indent(lines.get(at)?);
    let is_later = |line: &str| LATER.as_ref().is_some_and(|regex| regex.is_match(line.trim()));
    if is_later(&lines[at]) {
        return Some(lines[at].trim().to_string());
    }
    let head = lines[..at].iter().rev().find(|line| !line.trim().is_empty() && indent(line) < inner)?;
    is_later(head).then(|| head.trim().trim_end_matches(['{', ' ']).to_string())
}
