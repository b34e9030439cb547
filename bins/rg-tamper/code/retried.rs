//! Assertions that are tried again until they hold: `waitFor(() => expect(x).toBe(1))`, `eventually { x == 1 }`.

use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::words::Texts;
use super::{Judgement, tree};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Loss, Pair, Side};
use review_gate::outline::{Assert, Strength};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// Calls that try a condition until it holds, or fail in the end.
static RETRIES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = concat!(
        r"wait_?for(?:_?(?:condition|value|expect|assertion|function))?|wait_?until|until_?asserted|until_?true|until",
        r"|spin_?until|qtry_compare|(?:assert_?)?eventually(?:with_?t|_with_t)?|poll|retry(?:_until|_assert)?|to_?pass|within_timeout|poll_until"
    );
    Regex::new(&format!(r"(?i)\b({names})\b!?\s*(?:<[^>]*>)?\s*(?:\(|\{{|do\b|->)")).ok()
});

/// Calls of the project that try again by their name: `withRetry(…)`, `expectEventually(…)`. Their definition has to fail in the end.
static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\w*(?:retr(?:y|ies|ying)|eventually|poll(?:ing|_?until)|wait_?(?:for|until)|until)\w*)\b!?\s*(?:<[^>]*>)?\s*(?:\(|\{|do\b|->)").ok()
});

/// What fails in the end.
static FAILS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:raise|throw|rethrow|fail\w*|flunk|fatal\w*|panic|reject|xctfail|assert\w*|expect)\b").ok()
});

/// Words that say how a value is got, and are no part of it.
const KEYWORDS: [&str; 4] = ["await", "async", "return", "new"];

/// Types that a number is converted to.
const CONVERTS: [&str; 10] =
    ["int", "int32", "int64", "uint", "uint32", "uint64", "float64", "Int64", "long", "size_t"];

/// What a call says that fails because something took too long.
static LATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)tim(?:ed?|ing)[ _-]?out|too long|gave up|giv(?:e|ing) up|deadline|retr(?:y|ies)").ok()
});

/// A loop, and what waits in it.
static LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(?:loop|while|for|until|times)\b").ok());
static WAIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)sleep|delay|retr(?:y|ies)|deadline").ok());

/// Calls that fail always.
const FAILING: [&str; 7] = ["fail", "flunk", "Fatal", "Fatalf", "Fail", "XCTFail", "panic"];

/// Keeps the losses that are no failures of waiting. A loop that waits and then asserts fails there.
pub fn without_late(lines: &[String], asserts: &[Assert], losses: Vec<Loss>) -> Vec<Loss> {
    let holds =
        |regex: &Option<Regex>| lines.iter().any(|line| regex.as_ref().is_some_and(|regex| regex.is_match(line)));
    let is_demand = |assert: &Assert| assert.strength >= Strength::Part;
    if losses.is_empty() || !asserts.iter().any(is_demand) || !holds(&LOOP) || !holds(&WAIT) {
        return losses;
    }
    let is_late = |loss: &Loss| {
        let code = format!("{} {}", loss.before.subject, loss.before.expected);
        let name = loss.before.how.rsplit('.').next().unwrap_or_default();
        FAILING.contains(&name) && LATE.as_ref().is_some_and(|regex| regex.is_match(&code))
    };
    losses.into_iter().filter(|loss| !is_late(loss)).collect()
}

/// Signs of a comparison.
const COMPARES: [&str; 15] = [
    "is(", "equalTo(", "COMPARE(", "==", "Equal", "equal", "toBe", "toEqual", "toMatch", "shouldBe", "eq(", "eq ",
    " is ", "assert", "expect",
];

/// How many lines behind a loop may let it fail.
const AFTER: usize = 3;

/// How many lines a call reaches at most.
const REACH: usize = 12;

/// A piece of a test that is tried again.
struct Piece {
    /// The name of the call that tries again; none of a loop.
    call: Option<String>,
    code: String,
}

/// The pieces of a test of today that are tried again, as lines joined.
fn pieces(lines: &[String]) -> Vec<Piece> {
    let named = |line: &str, regex: &Option<Regex>| Some(regex.as_ref()?.captures(line)?[1].to_string());
    let begins = |line: &str| named(line, &RETRIES).or_else(|| named(line, &OWN));
    let calls = lines.iter().enumerate().filter_map(|(at, line)| Some((at, begins(line)?)));
    let calls = calls.map(|(at, call)| {
        let mut depth = 0_i64;
        let mut piece = Vec::new();
        // What is tried may stand before: `expect(async () => { … }).toPass()`.
        let is_end = lines[at].trim_start().starts_with(['}', ')']);
        let first = if is_end { at.saturating_sub(REACH) } else { at };
        let reached = &lines[first..lines.len().min(at + REACH)];
        for (line, next) in reached.iter().zip(reached.iter().skip(1).map(Some).chain([None])) {
            piece.push(line.as_str());
            let step = |c| i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
            depth += line.chars().map(step).sum::<i64>();
            let is_block = line.trim_end().ends_with("do") || line.trim_end().ends_with('|');
            // A chain may go on in the next line.
            let goes_on = next.is_some_and(|next| next.trim_start().starts_with('.'));
            if !is_end && depth <= 0 && !is_block && !goes_on {
                break;
            }
        }
        Piece { call: Some(call), code: piece.join(" ") }
    });
    calls.chain(loops(lines)).collect()
}

/// The loops that wait and try again, with the line that ends them. They fail in the end if they throw, or if nothing is caught in them.
fn loops(lines: &[String]) -> impl Iterator<Item = Piece> {
    let is = |regex: &Option<Regex>, line: &str| regex.as_ref().is_some_and(|regex| regex.is_match(line));
    let first = (0..lines.len()).filter(move |at| is(&LOOP, &lines[*at]));
    first.filter_map(move |at| {
        let body = extent::of(lines, at);
        let end = (body.end + AFTER).min(lines.len());
        let code = lines[at..end.max(at)].join("\n");
        let fails = |line: &String| {
            let text = line.trim_start();
            let words = ["raise", "throw ", "fail", "flunk", "t.Fatal", "panic!", "pytest.fail", "self.fail"];
            words.iter().any(|word| text.contains(word))
        };
        let waits = lines[body].iter().any(|line| is(&WAIT, line));
        (waits && lines[at..end.max(at)].iter().any(fails)).then_some(Piece { call: None, code })
    })
}

/// Whether a piece of code makes the demand of an assertion: it names all of its subject and of what it expects, and compares.
fn demands(piece: &str, assert: &Assert, is_comparing: bool) -> bool {
    let held: BTreeSet<&str> = all_words(piece).collect();
    let code = format!("{} {}", assert.subject, assert.expected);
    let mut wanted = all_words(&code).filter(|word| !word.is_empty() && !KEYWORDS.contains(word)).peekable();
    let is_weak =
        ["!= nil", "!= null", "is not None", "toBeDefined", "toBeTruthy", "NotNil", "NotNull", "not_to be_nil"];
    wanted.peek().is_some()
        && wanted.all(|word| held.contains(word) || CONVERTS.contains(&word))
        && (is_comparing || COMPARES.iter().any(|sign| piece.contains(sign)))
        && !is_weak.iter().any(|sign| piece.contains(sign))
        // This call only tells whether it became so.
        && (!piece.contains("SpinUntil") || ["Assert", "Should"].iter().any(|word| piece.contains(word)))
}

/// Keeps the losses that no condition of today demands again and again.
pub fn without(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    pair: &Pair,
    losses: Vec<Loss>,
) -> Vec<Loss> {
    let lines = texts.lines(pair.now.file).map(|(_, now)| now);
    let (Some(lines), Some(test)) = (lines, judgement.test(Side::Now, pair.now)) else { return losses };
    let lines = &lines[extent::of(lines, line_at(test.line))];
    let losses = without_late(lines, &test.asserts, losses);
    let mut pieces = pieces(lines);
    if losses.is_empty() || pieces.is_empty() {
        return losses;
    }
    let names: BTreeSet<&str> = pieces.iter().filter_map(|piece| piece.call.as_deref()).collect();
    let silent = without_definition_of(judgement, source, texts, &names, true, |lines| {
        lines.iter().skip(1).any(|line| fails(line))
    });
    pieces.retain(|piece| piece.call.as_ref().is_none_or(|call| !silent.contains(call)));
    // A function of the project may compare what it is given: `untilText(() => page.text(), 'done')`.
    let names: BTreeSet<&str> = pieces.iter().filter_map(|piece| piece.call.as_deref()).collect();
    let compares = |line: &String| COMPARES.iter().any(|sign| line.contains(sign));
    let is_comparing = |lines: &[String]| lines.iter().skip(1).any(compares);
    let asking = without_definition_of(judgement, source, texts, &names, false, is_comparing);
    let is_comparing = |piece: &Piece| piece.call.as_ref().is_some_and(|call| !asking.contains(call));
    let before = texts.lines(pair.then.file).map(|(then, _)| then);
    let old = before.zip(judgement.test(Side::Then, pair.then));
    let old = old.map_or(&[][..], |(then, test)| &then[extent::of(then, line_at(test.line))]);
    let is_tried = |loss: &Loss| {
        let is_strong = loss.before.strength >= Strength::Something && !loss.before.subject.is_empty();
        let whole = bound(old, &loss.before);
        let is_made = |piece: &Piece| {
            let makes = |assert: &Assert| demands(&piece.code, assert, is_comparing(piece));
            makes(&loss.before) || whole.as_ref().is_some_and(makes)
        };
        is_strong && pieces.iter().any(is_made)
    };
    losses.into_iter().filter(|loss| !is_tried(loss)).collect()
}

/// The assertion about the value that a name of the old test was bound to: `const text = await page.text(); expect(text)…`.
fn bound(lines: &[String], assert: &Assert) -> Option<Assert> {
    let name = assert.subject.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let value = lines.iter().filter(|_| is_name).find_map(|line| {
        let (target, value) = line.split_once('=')?;
        let is_value = !value.starts_with(['=', '>', '~']);
        (is_value && target.trim_end_matches(':').split_whitespace().last() == Some(name)).then(|| value.to_string())
    })?;
    Some(Assert { subject: value, ..assert.clone() })
}

/// Whether a line may fail.
fn fails(line: &str) -> bool {
    FAILS.as_ref().is_some_and(|regex| regex.is_match(line))
}

/// Those of these calls of which a definition of the project is not like that, and those with a name of the project that it does not
/// define. Calls of known libraries may be left undefined.
fn without_definition_of(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    names: &BTreeSet<&str>,
    may_be_known: bool,
    is_like: impl Fn(&[String]) -> bool,
) -> BTreeSet<String> {
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    let others = tree::definers(source.top, source.now, &changed, names);
    let all: Vec<&[String]> = texts.files().map(|(_, now)| now).chain(others.iter().map(Vec::as_slice)).collect();
    let is_other = |name: &&str| {
        let wanted = BTreeSet::from([*name]);
        let mut bodies = all.iter().flat_map(|lines| {
            extent::defining(lines, &wanted).map(|at| is_like(&lines[extent::of(lines, at)])).collect::<Vec<_>>()
        });
        let is_known = may_be_known && RETRIES.as_ref().is_some_and(|regex| regex.is_match(&format!("{name}(")));
        match bodies.next() {
            None => !is_known,
            Some(first) => !first || bodies.any(|is_like| !is_like),
        }
    };
    names.iter().filter(|name| is_other(name)).map(|name| (*name).to_string()).collect()
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
            pieces(&lines).iter().any(|piece| demands(&piece.code, &assert(subject, expected), false))
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
