//! Answers: a question that was compared with another one is answered now, and a text that was returned is thrown, or the reverse.

use super::failures::expects_error;
use super::features::plain;
use super::membership;
use crate::outline::{Assert, Strength};

/// How many letters a text has at least, to be the text of an error.
const LETTERS: usize = 8;

/// `a.is_subset(b) == other` and `assert not a.is_subset(b)`: whether something holds was compared, and is told now.
pub fn is_told(a: &Assert, b: &Assert) -> bool {
    let name = |subject: &str| {
        let called = subject.split('(').next().filter(|_| subject.ends_with(')')).unwrap_or_default().to_string();
        let last = called.rsplit(['.', ':', '>']).next().unwrap_or_default();
        let begins = ["is_", "has_", "can_"].iter().any(|begin| last.starts_with(begin));
        (begins || called.ends_with('?')).then_some(called)
    };
    let asked = name(a.subject.trim());
    a.strength == Strength::Exact
        && a.how == "=="
        && b.expected.is_empty()
        && matches!(b.how.as_str(), "assert" | "not")
        && asked.is_some()
        && asked == name(b.subject.trim())
}

/// `expect(x).toBe(false)` and `assert(!x)`: the condition is told to the compiler, too.
pub fn is_narrowed(a: &Assert, b: &Assert) -> bool {
    let value = a.expected.trim();
    let is_value = a.strength == Strength::Exact && a.how.starts_with("to") && matches!(value, "true" | "false");
    let (asked, is_negated) = match b.subject.trim().strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (b.subject.trim(), false),
    };
    is_value
        && b.how == "assert"
        && b.expected.is_empty()
        && plain(&a.subject) == plain(asked)
        && is_negated == (value == "false")
}

/// `text.includes("must be a number")` and `throws /must be a number/`, in either direction: what was returned is thrown now, or the reverse.
pub fn is_said_by_error(a: &Assert, b: &Assert) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let held = |assert: &Assert| membership::of(assert).and_then(|one| one.held_text().map(letters));
    let (error, text) = match (expects_error(a), expects_error(b)) {
        (true, false) => (a, held(b)),
        (false, true) => (b, held(a)),
        _ => return false,
    };
    let thrown = letters(&error.expected);
    let is_same = |text: &String| *text == thrown || thrown.contains(text.as_str()) && expects_error(b);
    error.strength >= Strength::Part && text.is_some_and(|text| text.len() >= LETTERS && is_same(&text))
}

#[cfg(test)]
mod tests {
    use super::super::forms;
    use super::*;
    use Strength::{Exact, Part, Something};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn what_holds_is_compared_or_told() {
        let compared = assert("==", "a.is_subset(b)", "(a & ~b).is_empty", Exact);
        for how in ["assert", "not"] {
            assert!(forms::is_same_demand(&compared, &assert(how, "a.is_subset(c)", "", Something)));
        }
        assert!(!forms::is_same_demand(&compared, &assert("assert", "b.is_subset(a)", "", Something)));
        assert!(!forms::is_same_demand(&compared, &assert("assert", "a.subset(b)", "", Something)));
        assert!(!forms::is_same_demand(
            &assert("==", "a.size()", "2", Exact),
            &assert("assert", "a.size()", "", Something)
        ));
    }

    #[test]
    fn what_is_true_or_false_is_asserted_for_the_compiler() {
        let asked = |value: &str| assert("toBe", "x.ok", value, Exact);
        let told = |subject: &str| assert("assert", subject, "", Something);
        assert!(forms::is_same_demand(&asked("true"), &told("x.ok")));
        assert!(forms::is_same_demand(&asked("false"), &told("!x.ok")));
        assert!(!forms::is_same_demand(&asked("true"), &told("!x.ok")), "the opposite");
        assert!(!forms::is_same_demand(&asked("3"), &told("x.ok")), "another value");
        assert!(!forms::is_same_demand(&asked("true"), &assert("toBeTruthy", "x.ok", "", Something)));
    }

    #[test]
    fn a_text_is_returned_or_thrown() {
        let thrown = assert("toThrow", "f", "/must be a number/", Part);
        let held = assert("toBe", "lines.includes(\"must be a number\")", "true", Exact);
        assert!(forms::is_same_demand(&held, &thrown) && forms::is_same_demand(&thrown, &held));
        let contains = assert("toContain", "f().text", "\"must be a number\"", Part);
        assert!(forms::is_same_demand(&contains, &thrown) && forms::is_same_demand(&thrown, &contains));
        for (a, b) in [
            (&held, assert("toThrow", "f", "/number/", Part)),
            (&held, assert("toThrow", "f", "", Something)),
            (&thrown, assert("toBe", "lines.includes(\"must be a number\")", "false", Exact)),
            (&thrown, assert("toBe", "\"must be a number\".includes(\"must be a number\")", "true", Exact)),
            (&thrown, assert("toContain", "f().text", "\"number\"", Part)),
        ] {
            assert!(!forms::is_same_demand(a, &b), "{a:?} {b:?}");
        }
    }
}
