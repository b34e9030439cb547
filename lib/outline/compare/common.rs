//! Common forms: an assertion as most libraries would have written it, where one has an order or a name of its own.

use super::errors;
use super::features::{identifiers, plain};
use super::tolerance;
use crate::outline::{Assert, Strength};

/// How ExUnit matches a value with a pattern.
const PATTERNS: [&str; 3] = ["=", "assert_receive", "assert_received"];

/// The assertions of a test in their common form.
pub fn all(asserts: &[Assert]) -> Vec<Assert> {
    asserts.iter().map(|assert| one(assert, asserts)).collect()
}

fn one(assert: &Assert, all: &[Assert]) -> Assert {
    if PATTERNS.contains(&assert.how.as_str()) && (assert.how != "=" || assert.strength == Strength::Part) {
        return matched(assert, all);
    }
    if let Some(thrown) = errors::thrown_by(assert) {
        return thrown;
    }
    double(assert).unwrap_or_else(|| assert.clone())
}

/// What a double of PHPUnit says: `will($this->returnValue(x))` is `willReturn(x)`, and one that may be called any number of times demands
/// nothing besides its arguments.
fn double(assert: &Assert) -> Option<Assert> {
    let is_double = assert.how == "method" || assert.how.starts_with("method.");
    if !is_double {
        return None;
    }
    let mut one = assert.clone();
    let given = one
        .expected
        .rsplit_once("$this->returnValue(")
        .and_then(|(before, value)| Some(format!("{before}{}", value.strip_suffix(')')?)));
    if let Some((how, expected)) = one.how.strip_suffix(".will").zip(given) {
        (one.how, one.expected) = (format!("{how}.willReturn"), expected);
    }
    if let Some((how, before)) = one.how.strip_suffix(".will").zip(one.expected.strip_suffix(", $this->returnSelf()")) {
        (one.how, one.expected) = (format!("{how}.willReturnSelf"), before.to_string());
    }
    if one.expected.starts_with("$this->any()") && !one.how.split('.').any(|link| link == "with") {
        one.strength = Strength::Nothing;
    }
    Some(one)
}

/// The assertions with each limited difference, `abs(x - 2.5) < 0.1`, as nearness, if the other side asserts something about that value.
pub fn near(asserts: Vec<Assert>, others: &[Assert]) -> Vec<Assert> {
    let is_asserted = |subject: &str| others.iter().any(|other| plain(&other.subject) == subject);
    let one = |assert: Assert| {
        let found = tolerance::near(&assert).filter(|_| matches!(assert.how.as_str(), "<" | "<="));
        let Some((subject, value, tolerance)) = found.filter(|(subject, ..)| is_asserted(subject)) else {
            return assert;
        };
        let expected = format!("{value}, {tolerance}");
        Assert { how: "near".into(), subject, expected, strength: Strength::Part, line: assert.line }
    };
    asserts.into_iter().map(one).collect()
}

/// A pattern whose names have the values that other assertions of the test demand of them. A name of which nothing is demanded stands for
/// every value, and a pattern that leaves nothing open is a comparison.
fn matched(assert: &Assert, all: &[Assert]) -> Assert {
    let value = |name: &str| {
        let is_it =
            |b: &&Assert| b.subject.trim() == name && matches!(b.how.as_str(), "==" | "===") && !b.expected.is_empty();
        all.iter().find(is_it).map(|b| b.expected.clone())
    };
    let is_said =
        |name: &str| all.iter().any(|b| !std::ptr::eq(b, assert) && identifiers(&b.subject).any(|word| word == name));
    let text = if assert.how == "=" { &assert.expected } else { pattern_of(assert) };
    let mut pattern = String::new();
    let mut rest = text.as_str();
    let mut is_open = false;
    while let Some(at) = rest.find(|c: char| c.is_alphabetic() || c == '_' || c == '"') {
        let before = &rest[..at];
        pattern.push_str(before);
        if rest[at..].starts_with('"') {
            let end = rest[at + 1..].find('"').map_or(rest.len(), |end| at + end + 2);
            pattern.push_str(&rest[at..end]);
            rest = &rest[end..];
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | '!');
        let end = rest[at..].find(|c| !is_part(c)).map_or(rest.len(), |end| at + end);
        let (name, behind) = (&rest[at..end], rest[end..].trim_start());
        let is_bound = name.starts_with(|c: char| c.is_lowercase() || c == '_')
            && !matches!(name, "true" | "false" | "nil" | "when" | "and" | "or" | "in" | "not" | "is_nil")
            && !before.ends_with(['^', ':', '@', '.', '&'])
            && !behind.starts_with(['(', '.'])
            && (!behind.starts_with(':') || behind.starts_with("::"));
        match value(name).filter(|_| is_bound) {
            Some(value) => pattern.push_str(&value),
            None if is_bound && !is_said(name) => {
                pattern.push('_');
                is_open = true;
            }
            None => {
                is_open |= is_bound;
                pattern.push_str(name);
            }
        }
        rest = &rest[end..];
    }
    pattern.push_str(rest);
    let is_partial = pattern.contains(['%', '|', '<', '_']) || pattern.contains(" when ") || pattern.contains("\"\"\"");
    let is_whole = assert.how == "=" && !is_open && !is_partial;
    match assert.how.as_str() {
        "=" if is_whole => Assert { how: "==".into(), expected: pattern, strength: Strength::Exact, ..assert.clone() },
        "=" => Assert { expected: pattern, ..assert.clone() },
        _ if assert.expected.is_empty() => Assert { subject: pattern, ..assert.clone() },
        _ => Assert { expected: pattern, ..assert.clone() },
    }
}

/// What a message has to match.
fn pattern_of(assert: &Assert) -> &String {
    if assert.expected.is_empty() { &assert.subject } else { &assert.expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(how: &str, subject: &str, expected: &str) -> Assert {
        let strength = Strength::Part;
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn names_of_a_pattern_have_the_values_that_are_asserted_of_them() {
        let of = |pattern: &str, others: &[Assert]| {
            let mut asserts = vec![assert("=", "x", pattern)];
            asserts.extend_from_slice(others);
            let first = all(&asserts).remove(0);
            (first.how, first.expected)
        };
        let said = |how: &str, expected: &str| (how.to_string(), expected.to_string());
        assert_eq!(of("{:ok,3}", &[]), said("==", "{:ok,3}"));
        assert_eq!(of("{:ok,v}", &[assert("==", "v", "3")]), said("==", "{:ok,3}"));
        assert_eq!(of("{:ok,v}", &[]), said("=", "{:ok,_}"));
        assert_eq!(of("{:ok,v}", &[assert(">", "v.size", "3")]), said("=", "{:ok,v}"));
        assert_eq!(of("%{name: \"a b\"}", &[]), said("=", "%{name: \"a b\"}"));
        assert_eq!(of("{:ok,^id}", &[]), said("==", "{:ok,^id}"));
    }

    #[test]
    fn a_limited_difference_is_nearness() {
        let limit = vec![assert("<", "abs(x.weight-2.5)", "0.01")];
        assert_eq!(near(limit.clone(), &[assert(">", "y", "0")]), limit, "nothing is asserted of the value");
        let near = &near(limit, &[assert(">", "x.weight", "0")])[0];
        assert_eq!(
            (near.how.as_str(), near.subject.as_str(), near.expected.as_str()),
            ("near", "x.weight", "2.5, 0.01")
        );
    }
}
