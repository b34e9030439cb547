//! Conditions: an assertion that a condition holds, read as the matcher that demands the same: `ok(text.includes("a"))` is `toMatch "a"`.

use super::features::{is_side, plain};
use crate::outline::{Assert, Strength};

/// Matchers that ask whether a condition holds.
const TRUTHS: [&str; 14] = [
    "assert",
    "assert!",
    "assertTrue",
    "ok",
    "assert.ok",
    "True",
    "toBeTruthy",
    "isTrue",
    "be_truthy",
    "XCTAssertTrue",
    "CHECK",
    "REQUIRE",
    "EXPECT_TRUE",
    "ASSERT_TRUE",
];

/// Functions and methods that tell whether two values are equal.
const EQUALS: [&str; 8] =
    ["equal", "equals", "Equal", "DeepEqual", "array_equal", "contentEquals", "elementsEqual", "SequenceEqual"];

/// Methods that ask whether a text or a collection holds a part.
const HOLDING: [&str; 9] = [
    ".includes(",
    ".contains(",
    ".include?(",
    ".startsWith(",
    ".endsWith(",
    ".starts_with(",
    ".ends_with(",
    ".start_with?(",
    ".end_with?(",
];

/// Comparisons, with words of the matchers that demand at most as much. Longer signs come first.
const ORDERS: [(&str, &[&str]); 4] = [
    (">=", &["greaterthanorequal", "atleast", "gte"]),
    ("<=", &["lessthanorequal", "atmost", "lte"]),
    (">", &["greater", "atleast", "above", "gt"]),
    ("<", &["less", "atmost", "below", "lt"]),
];

/// The assertion `now` in the form of an older one that demands a part of the same subject. None if it is no such assertion.
pub fn like(then: &Assert, now: &Assert) -> Option<Assert> {
    let is_truth = now.strength == Strength::Something && now.expected.is_empty() && TRUTHS.contains(&now.how.as_str());
    if is_truth && then.strength == Strength::Exact && is_equality(then, &now.subject) {
        return Some(Assert { line: now.line, ..then.clone() });
    }
    if !is_truth || then.strength != Strength::Part {
        return None;
    }
    let expected = held(then, &now.subject).or_else(|| limit(then, &now.subject))?;
    Some(Assert { how: then.how.clone(), subject: then.subject.clone(), expected, ..now.clone() })
        .map(|assert| Assert { strength: Strength::Part, ..assert })
}

/// Whether a condition is that the two values of an older assertion are equal: `std::ranges::equal(a, b)`, `a.elementsEqual(b)`.
fn is_equality(then: &Assert, condition: &str) -> bool {
    let Some((called, given)) = condition.trim().strip_suffix(')').and_then(|call| call.split_once('(')) else {
        return false;
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = called.rsplit(|c| !is_part(c)).next().unwrap_or_default();
    let receiver = called.strip_suffix(name).map(|rest| rest.trim_end_matches('.')).unwrap_or_default();
    let values = (plain(&then.subject), plain(&then.expected));
    let is_pair = |a: &str, b: &str| {
        let pair = (plain(a), plain(b));
        pair == values || (&pair.1, &pair.0) == (&values.0, &values.1)
    };
    let mut commas = given.match_indices(',').map(|(at, _)| given.split_at(at));
    let is_said = commas.any(|(a, b)| is_pair(a, &b[1..])) || is_pair(receiver, given);
    EQUALS.contains(&name) && !then.how.to_ascii_lowercase().contains("not") && !values.1.is_empty() && is_said
}

/// What the subject of an older assertion has to hold.
fn held(then: &Assert, condition: &str) -> Option<String> {
    if then.how.to_ascii_lowercase().contains("not") || ORDERS.iter().any(|(_, words)| says(&then.how, words)) {
        return None;
    }
    let (subject, rest) = HOLDING.iter().find_map(|method| condition.split_once(method))?;
    let expected = rest.trim_end().strip_suffix(')')?;
    let is_same = plain(expected) == plain(&then.expected);
    let is_one = is_same || is_side(expected) && is_balanced(expected);
    let is_about = plain(subject) == plain(&then.subject) && is_side(subject);
    (is_about && is_one && !plain(expected).is_empty()).then(|| expected.to_string())
}

/// The limit of a comparison that demands at least as much as an older matcher with the same limit.
fn limit(then: &Assert, condition: &str) -> Option<String> {
    let (sign, words) = ORDERS.iter().find(|(sign, _)| condition.contains(sign))?;
    let (subject, expected) = condition.split_once(sign)?;
    let is_same = plain(subject) == plain(&then.subject) && plain(expected) == plain(&then.expected);
    (is_same && !then.expected.is_empty() && says(&then.how, words)).then(|| then.expected.clone())
}

fn says(how: &str, words: &[&str]) -> bool {
    let how: String = how.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    words.iter().any(|word| how.contains(word))
}

/// Whether no parenthesis closes what was not opened.
pub(super) fn is_balanced(code: &str) -> bool {
    let step = |depth: i32, c| match c {
        '(' => Some(depth + 1),
        ')' if depth == 0 => None,
        ')' => Some(depth - 1),
        _ => Some(depth),
    };
    code.chars().try_fold(0, step) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::super::losses;
    use super::*;

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_condition_that_demands_the_same_part_is_the_same_assertion() {
        let count = |then: &Assert, condition: &str| {
            losses(std::slice::from_ref(then), &[assert("assert", condition, "", Strength::Something)]).len()
        };
        let part = assert("toMatch", "help", "\"a <b>\"", Strength::Part);
        assert_eq!(count(&part, "help.includes(\"a <b>\")"), 0);
        assert_eq!(count(&part, "help.includes(\"\")"), 1, "everything holds it");
        assert_eq!(count(&part, "help.includes(\"a\")||true"), 1, "another condition holds");
        assert_eq!(count(&part, "help.includes(\"a\")||other.includes(\"b\")"), 1);
        assert_eq!(count(&part, "!help.includes(\"a <b>\")"), 1, "the opposite");
        assert_eq!(count(&part, "help"), 1, "no part");
        let exact = assert("toBe", "help", "\"a\"", Strength::Exact);
        assert_eq!(count(&exact, "help.includes(\"a\")"), 1, "one value became a part");
        let limit = assert("toBeGreaterThan", "list.length", "3", Strength::Part);
        assert_eq!(count(&limit, "list.length>3"), 0);
        assert_eq!(count(&limit, "list.length>=3"), 1, "a wider limit");
        assert_eq!(count(&limit, "list.length>0"), 1, "another limit");
        assert_eq!(count(&limit, "list.length<3"), 1, "another direction");
    }
}
