//! Assertions that are tried again until they hold: `waitFor(() => expect(x).toBe(1))`, `eventually { x == 1 }`.

use super::Judgement;
use super::extent::{self, all_words};
use super::words::{Texts, line_at};
use regex::Regex;
use review_gate::outline::compare::{Loss, Pair, Side};
use review_gate::outline::{Assert, Strength};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Calls that try a condition until it holds, or fail in the end.
static RETRIES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = concat!(
        r"wait_?for(?:_?(?:condition|value|expect|assertion|function))?|wait_?until|until_?asserted|until_?true|until",
        r"|(?:assert_?)?eventually(?:with_?t|_with_t)?|(?:expect\.)?poll|retry(?:_until|_assert)?|to_?pass|within_timeout|poll_until"
    );
    Regex::new(&format!(r"(?i)\b(?:{names})\b!?\s*(?:<[^>]*>)?\s*(?:\(|\{{|do\b|->)")).ok()
});

/// How many lines a call reaches at most.
const REACH: usize = 12;

/// The pieces of a test of today that are tried again, as lines joined.
fn pieces(lines: &[String]) -> Vec<String> {
    let begins = |line: &String| RETRIES.as_ref().is_some_and(|regex| regex.is_match(line));
    let at = lines.iter().enumerate().filter(|(_, line)| begins(line)).map(|(at, _)| at);
    at.map(|at| {
        let mut depth = 0_i64;
        let mut piece = Vec::new();
        // What is tried may stand before: `expect(async () => { … }).toPass()`.
        let is_end = lines[at].trim_start().starts_with(['}', ')']);
        let first = if is_end { at.saturating_sub(REACH) } else { at };
        for line in &lines[first..lines.len().min(at + REACH)] {
            piece.push(line.as_str());
            let step = |c| i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
            depth += line.chars().map(step).sum::<i64>();
            let is_block = line.trim_end().ends_with("do") || line.trim_end().ends_with('|');
            if !is_end && depth <= 0 && !is_block {
                break;
            }
        }
        piece.join(" ")
    })
    .collect()
}

/// Whether a piece of code makes the demand of an assertion: it names all of its subject and of what it expects, and compares.
fn demands(piece: &str, assert: &Assert) -> bool {
    let held: BTreeSet<&str> = all_words(piece).collect();
    let code = format!("{} {}", assert.subject, assert.expected);
    let mut wanted = all_words(&code).filter(|word| !word.is_empty()).peekable();
    let compares = ["==", "Equal", "equal", "toBe", "toEqual", "shouldBe", "eq(", "eq ", " is ", "assert", "expect"];
    let is_weak =
        ["!= nil", "!= null", "is not None", "toBeDefined", "toBeTruthy", "NotNil", "NotNull", "not_to be_nil"];
    wanted.peek().is_some()
        && wanted.all(|word| held.contains(word))
        && compares.iter().any(|sign| piece.contains(sign))
        && !is_weak.iter().any(|sign| piece.contains(sign))
}

/// Keeps the losses that no condition of today demands again and again.
pub fn without(judgement: &Judgement<'_>, texts: &Texts, pair: &Pair, losses: Vec<Loss>) -> Vec<Loss> {
    let lines = texts.lines(pair.now.file).map(|(_, now)| now);
    let (Some(lines), Some(test)) = (lines, judgement.test(Side::Now, pair.now)) else { return losses };
    let pieces = pieces(&lines[extent::of(lines, line_at(test.line))]);
    let is_tried = |loss: &Loss| {
        let is_strong = loss.before.strength >= Strength::Something && !loss.before.subject.is_empty();
        is_strong && pieces.iter().any(|piece| demands(piece, &loss.before))
    };
    losses.into_iter().filter(|loss| !is_tried(loss)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(subject: &str, expected: &str) -> Assert {
        Assert { subject: subject.into(), expected: expected.into(), ..Assert::default() }
    }

    #[test]
    fn a_condition_that_is_tried_again_makes_the_same_demand() {
        let is = |code: &str, subject: &str, expected: &str| {
            let lines: Vec<String> = code.lines().map(str::to_string).collect();
            pieces(&lines).iter().any(|piece| demands(piece, &assert(subject, expected)))
        };
        assert!(is("await waitFor(() => expect(list.size).toBe(3));", "list.size", "3"));
        assert!(is("await expect.poll(() => list.size).toBe(3);", "list.size", "3"));
        assert!(is("await expect(async () => {\n  expect(a.b).toBe('c');\n}).toPass();", "a.b", "\"c\""));
        assert!(is("wait_until(lambda: queue.size == 3)", "queue.size", "3"));
        assert!(is("assert.Eventually(t, func() bool {\n\treturn q.Len() == 3\n}, 5, 1)", "q.Len()", "3"));
        assert!(is("eventually {\n  queue.size shouldBe 3\n}", "queue.size", "3"));
        assert!(is("await().untilAsserted(() -> assertThat(q.size()).isEqualTo(3));", "q.size()", "3"));
        assert!(!is("await waitFor(() => expect(list.size).toBe(2));", "list.size", "3"), "another value");
        assert!(!is("await waitFor(() => expect(list.size).toBeDefined());", "list.size", ""), "less");
        assert!(!is("await waitFor(() => list);", "list", ""), "nothing is compared");
        assert!(!is("expect(list.size).toBe(3);", "list.size", "3"), "nothing is tried again");
    }
}
