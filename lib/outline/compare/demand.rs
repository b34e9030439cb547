//! Demands: what an assertion says about a value in the terms of no library: that it is one value, or near it, beyond a limit, one of
//! several, that it holds a part, or that it is there.

use super::features::plain;
use super::lists::items;
use super::{lengths, meaning, tolerance};
use crate::outline::{Assert, Strength};

/// What is said about a value.
#[derive(Debug, PartialEq)]
enum Demand {
    /// It is this value.
    Value(String),
    /// It is this far from a value at most.
    Near(String, f64),
    /// It is beyond a limit.
    Limit(String, Option<f64>),
    /// It is one of several values, or between two.
    OneOf,
    /// It has this relation to a part: it holds it, begins or ends with it, or matches it.
    Part(String, String),
    /// It holds something.
    Filled,
    /// It is there.
    Present,
    /// It is of a type.
    Type,
    /// It is another value than this one.
    Not(String),
    /// A condition holds, or it does not.
    Truth(bool),
}

/// Relations of a value and a part of it.
const PARTS: [&str; 4] = ["holds", "begins", "ends", "matches"];

/// The value that an assertion is about, a length with `#`, and what it says.
fn of(assert: &Assert) -> Option<(String, Demand)> {
    if assert.strength == Strength::Nothing || assert.subject.trim().is_empty() {
        return None;
    }
    if let Some((subject, value, tolerance)) = tolerance::near(assert) {
        return Some((subject, Demand::Near(value, tolerance)));
    }
    let truth = || Some((plain(&assert.subject), Demand::Truth(meaning::truth(assert)?)));
    let Some(said) = meaning::of(assert) else { return truth() };
    let (relation, left, right, holds) = said.parts();
    let is_null = matches!(right, "null" | "nullptr" | "undefined");
    let is_filled = left.starts_with('#')
        && matches!((relation, right, holds), ("==", "0", false) | (">", "0", true) | (">=", "1", true));
    let demand = match relation {
        _ if is_filled => return Some((left.trim_start_matches('#').to_string(), Demand::Filled)),
        "==" if is_null && !holds => Demand::Present,
        "==" if holds => Demand::Value(right.to_string()),
        "==" => Demand::Not(right.to_string()),
        "isa" if holds => Demand::Type,
        ">" | "<" | ">=" | "<=" => {
            let relation = if holds { relation } else { opposite(relation) };
            Demand::Limit(relation.to_string(), tolerance::number(right))
        }
        "positive" if holds => Demand::Limit(">".into(), Some(0.0)),
        "negative" if holds => Demand::Limit("<".into(), Some(0.0)),
        "several" if holds => Demand::OneOf,
        _ if PARTS.contains(&relation) && holds => Demand::Part(relation.to_string(), right.to_string()),
        _ => return truth(),
    };
    Some((left.to_string(), demand))
}

fn opposite(relation: &str) -> &str {
    match relation {
        ">" => "<=",
        "<" => ">=",
        ">=" => "<",
        _ => ">",
    }
}

/// Whether a value is about the same as another one: the elements of a value, or the number of them, are asked for by it.
fn is_about(old: &str, new: &str) -> bool {
    old.trim_start_matches('#') == new.trim_start_matches('#')
}

/// Whether both say that a value is as near to another one, however the library writes it.
pub fn is_same(a: &Assert, b: &Assert) -> bool {
    let (Some((old, before)), Some((new, after))) = (of(a), of(b)) else { return false };
    let turned = |value: &str| old == value;
    match (before, after) {
        (Demand::Near(value, before), Demand::Near(other, after)) => {
            after <= before * 1.000_001 && (old == new && value == other || turned(&other) && value == new)
        }
        (Demand::Near(value, _), Demand::Value(other)) => old == new && is_same_number(&value, &other),
        (Demand::Limit(sign, Some(before)), Demand::Limit(other, Some(after))) => {
            old == new && sign == other && is_equal(before, after)
        }
        (Demand::Filled, Demand::Filled) => old == new,
        _ => false,
    }
}

fn is_same_number(a: &str, b: &str) -> bool {
    a == b || tolerance::number(a).zip(tolerance::number(b)).is_some_and(|(a, b)| is_equal(a, b))
}

fn is_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= f64::EPSILON * a.abs().max(1.0)
}

/// Whether many more values meet an assertion than an older one about the same value.
pub fn is_less(a: &Assert, b: &Assert) -> bool {
    let (Some((old, before)), Some((new, after))) = (of(a), of(b)) else { return false };
    if !is_about(&old, &new) {
        return false;
    }
    let is_open = |demand: &Demand| {
        matches!(
            demand,
            Demand::Limit(..) | Demand::OneOf | Demand::Filled | Demand::Present | Demand::Type | Demand::Not(_)
        )
    };
    match (&before, &after) {
        // A value of two, or one that is there or not, is told by what it is not.
        (Demand::Value(value), Demand::Not(_)) if matches!(value.as_str(), "true" | "false" | "null") => false,
        (Demand::Value(_) | Demand::Near(..), after) if is_open(after) => true,
        (Demand::Value(_), Demand::Part(..)) => old == new,
        (Demand::Near(value, before), Demand::Near(other, after)) => value == other && after > before,
        (Demand::Limit(sign, Some(before)), Demand::Limit(other, Some(after))) if old == new => {
            let is_down = sign.starts_with('>');
            is_down == other.starts_with('>')
                && match () {
                    () if is_equal(*before, *after) => sign.len() < other.len(),
                    () if is_down => after < before,
                    () => after > before,
                }
        }
        (Demand::Limit(..) | Demand::Part(..), Demand::Filled | Demand::Present | Demand::Type | Demand::Not(_)) => {
            true
        }
        (Demand::Part(..), Demand::Limit(..)) => new.starts_with('#'),
        (Demand::Part(relation, part), Demand::Part(other, text)) => {
            let is_free = other == "holds" && relation != "holds" && relation != "matches" && part == text;
            is_free || text.is_empty() && !part.is_empty()
        }
        (Demand::OneOf, Demand::Present | Demand::Filled | Demand::Type) => true,
        (Demand::Truth(_), Demand::Present | Demand::OneOf) => true,
        // What is true is of one type; what counts as true may be of any.
        (Demand::Truth(_), Demand::Type) => a.how.ends_with("rue") && a.expected.is_empty(),
        (Demand::Value(_), Demand::Value(_)) => a.strength == Strength::Exact && new == format!("#{old}"),
        _ => false,
    }
}

/// Whether an assertion is about a field that a whole value states, which is compared now: `card.emails.isEmpty`, and
/// `card == VCard(name: "a", emails: [])`.
pub fn is_field(a: &Assert, b: &Assert) -> bool {
    // What is compared with a value of its own is judged by that value.
    if !plain(&a.expected).is_empty() {
        return false;
    }
    let Some((old, _)) = of(a) else { return false };
    let whole = plain(&b.subject);
    let rest = old.trim_start_matches('#').strip_prefix(whole.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let Some(name) = rest.filter(|_| !whole.is_empty()) else { return false };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    let is_value =
        b.strength == Strength::Exact && !b.how.to_ascii_lowercase().contains("not") && b.expected.contains('(');
    let states = |(at, _): (usize, &str)| {
        let is_begin = !b.expected[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let value = b.expected[at + name.len()..].trim_start().strip_prefix([':', '=']).map(str::trim_start);
        is_begin
            && value.is_some_and(|value| !value.starts_with(['_', '=']) && !value.to_ascii_lowercase().contains("any"))
    };
    is_name && is_value && b.expected.match_indices(name).any(states)
}

/// Whether an assertion that a value is there, or holds something, is a part of one that says what it is.
pub fn is_implied(a: &Assert, b: &Assert) -> bool {
    let Some((old, before)) = of(a) else { return false };
    // A value that is built from its type is of that type.
    if before == Demand::Type && b.strength == Strength::Exact {
        let kind = a.subject.rsplit_once(" is ").map(|(_, kind)| plain(kind)).unwrap_or_else(|| plain(&a.expected));
        let built = plain(&b.expected);
        return !kind.is_empty()
            && of(b).is_some_and(|(new, _)| new == old)
            && b.expected.contains('(')
            && built.starts_with(&kind);
    }
    if !matches!(before, Demand::Present | Demand::Filled) {
        return false;
    }
    let is_value = |value: &str| !matches!(value, "" | "0" | "[]" | "{}" | "null" | "nullptr" | "false" | "undefined");
    let is_whole = |assert: &Assert| {
        let how = assert.how.to_ascii_lowercase();
        assert.strength == Strength::Exact
            && how.contains("contain")
            && !how.contains("not")
            && !assert.expected.is_empty()
    };
    if plain(&b.subject) == old && is_whole(b) {
        return true;
    }
    match of(b) {
        Some((new, Demand::Value(value))) if b.strength >= Strength::Part => {
            is_value(&value) && (new == old || before == Demand::Present && new == format!("#{old}"))
        }
        _ => false,
    }
}

/// Names of matchers that ask for all of several, for one of them, for each element and for one element.
const ALL: [&str; 4] = ["and", "allof", "all", "every"];
const ANY: [&str; 4] = ["or", "anyof", "any", "some"];
const EACH: [&str; 9] =
    ["everyitem", "each", "all", "allsatisfy", "onlycontain", "forall", "haveeach", "allpass", "shouldforall"];
const SOME: [&str; 13] = [
    "hasitem",
    "contains",
    "contain",
    "some",
    "exists",
    "anymatch",
    "forany",
    "foratleastone",
    "forsome",
    "containelement",
    "any",
    "shouldforany",
    "forone",
];

/// Whether one of several demands, or one element, is enough now.
pub fn is_for_some(a: &Assert, b: &Assert) -> bool {
    let links = |assert: &Assert| -> Vec<String> {
        assert.how.split('.').map(|link| link.to_ascii_lowercase().replace('_', "")).collect()
    };
    let (before, after) = (links(a), links(b));
    let has = |links: &[String], names: &[&str]| links.iter().any(|link| names.contains(&link.as_str()));
    let is_same_value = plain(&a.subject) == plain(&b.subject) || a.subject.is_empty() && b.subject.is_empty();
    // The rest of the chain is the same: `All.GreaterThan` and `Some.GreaterThan`.
    let is_rest = before.len() == after.len() && before.iter().zip(&after).filter(|(a, b)| a != b).count() == 1;
    let is_or = has(&after, &ANY) && !has(&before, &ANY);
    let is_one = has(&before, &EACH) && has(&after, &SOME) && !has(&after, &EACH);
    let is_joined = has(&before, &ALL) && is_or && is_rest;
    // `startsWith("a") and endsWith("b")`, and with `or`.
    let is_sign = [(" and ", " or "), ("&&", "||")]
        .iter()
        .any(|(and, or)| a.expected.contains(and) && a.expected.replace(and, or) == b.expected);
    // A matcher of every value in a matcher of elements: `everyItem(notNullValue())`.
    let is_any = |links: &[String]| {
        let open = ["any", "anything", "notnullvalue", "isa", "null", "_", "beanil", "notnull"];
        links.len() > 1 && links.last().is_some_and(|last| open.contains(&last.as_str()))
    };
    let is_element = |links: &[String]| has(links, &EACH) || has(links, &SOME);
    let is_opened = is_any(&after) && is_element(&after) && !is_any(&before);
    is_same_value
        && (is_sign
            || is_opened
            || is_joined
            || is_one && (is_rest || plain(&a.expected) == plain(&b.expected) || before.len() > 1))
}

/// Matchers that compare elements in any order, in lower case without `_`.
const ANY_ORDER: [&str; 10] = [
    "areequivalent",
    "beequivalentto",
    "equivalentto",
    "elementsmatch",
    "consistof",
    "containsexactlyinanyorder",
    "containsinanyorder",
    "unorderedelementsare",
    "shouldcontainexactlyinanyorder",
    "setequals",
];

/// Whether the order of elements was asserted, and no longer is.
pub fn is_unordered(a: &Assert, b: &Assert) -> bool {
    let last =
        |assert: &Assert| assert.how.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().replace('_', "");
    let is_list = |text: &str| {
        let text = text.trim();
        let begin = text.find(['[', '{', '(']).unwrap_or(0);
        items(text[begin..].trim_matches(['[', ']', '{', '}', '(', ')'])).len() > 1
    };
    let (before, after) = (last(a), last(b));
    let is_ordered = b.expected.contains("WithStrictOrdering");
    ANY_ORDER.contains(&after.as_str())
        && !ANY_ORDER.contains(&before.as_str())
        && a.strength == Strength::Exact
        && !is_ordered
        && is_list(&a.expected)
        && is_list(&b.expected)
        && plain(&a.subject) == plain(&b.subject)
        && lengths::measured(&a.subject).is_none()
}
