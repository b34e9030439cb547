//! Values that are spelled out: all fields or elements of a whole value, asserted one by one, and several assertions in one.

use super::features::plain;
use super::{counts, lists};
use crate::outline::{Assert, Strength};
use std::collections::BTreeSet;

/// What only converts a value.
const CONVERTING: [&str; 5] = [".into()", ".to_string()", ".to_owned()", ".to_vec()", ".clone()"];

/// An assertion about several values, as one for each: `(a, b) == (1, 2)`, and the chain `x toHaveCount.toContain 2, "a"`.
pub fn split(assert: Assert) -> Vec<Assert> {
    let is_link = |link: &str| {
        let rest = link.strip_prefix("to").unwrap_or_default();
        rest.starts_with(char::is_uppercase)
    };
    let links: Vec<&str> = assert.how.split('.').collect();
    let operands = lists::items(&assert.expected);
    if links.len() > 1 && links.len() == operands.len() && links.iter().all(|link| is_link(link)) {
        let one = |(link, operand): (&&str, &&str)| Assert {
            how: (*link).to_string(),
            expected: operand.trim().to_string(),
            ..assert.clone()
        };
        return links.iter().zip(&operands).map(one).collect();
    }
    // `include(1).and have_attributes(size: 2)`
    if let (Some(how), [first, second]) = (assert.how.strip_suffix(".and"), operands.as_slice())
        && let Some((next, arguments)) = second.trim().split_once('(')
    {
        let first = Assert { how: how.to_string(), expected: first.trim().to_string(), ..assert.clone() };
        let second = Assert { how: next.to_string(), expected: format!("({arguments}"), ..assert.clone() };
        return vec![first, second];
    }
    let how = assert.how.to_ascii_lowercase();
    let is_comparison = ["eq", "same", "tobe", "==", "match"].iter().any(|word| how.contains(word)) || how == "is";
    let is_equal = assert.strength == Strength::Exact && is_comparison && !how.contains("not") && !how.contains('!');
    let sides = inner(&assert.subject).zip(inner(&assert.expected)).filter(|((a, _), (b, _))| is_equal && a == b);
    let Some(((_, subject), (_, expected))) = sides else { return vec![assert] };
    let (subjects, values) = (lists::items(subject), lists::items(expected));
    if subjects.len() < 2 || subjects.len() != values.len() {
        return vec![assert];
    }
    let one = |(subject, value): (&&str, &&str)| Assert {
        subject: subject.trim().to_string(),
        expected: value.trim().to_string(),
        ..assert.clone()
    };
    subjects.iter().zip(&values).map(one).collect()
}

/// The bracket that a value begins with, and what is between it and the last one.
fn inner(value: &str) -> Option<(char, &str)> {
    let value = value.trim().trim_start_matches('&').trim_start_matches("vec!");
    let open = value.chars().next()?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    value[1..].strip_suffix(close).map(|inner| (open, inner))
}

/// Whether assertions of today demand each field or element of a value that was compared whole. The number of elements of a list has to be
/// asserted, too.
pub fn is_spelled_out(a: &Assert, now: &[Assert]) -> bool {
    let value = a.expected.trim().trim_start_matches(['&', '%']);
    let begin = value
        .find(['{', '[', '('])
        .filter(|at| value[..*at].chars().all(|c| c.is_alphanumeric() || "_:! ".contains(c)));
    let is_whole = a.strength == Strength::Exact && !a.how.contains("not") && !a.subject.is_empty();
    let Some(value) = begin.map(|at| &value[at..]).filter(|_| is_whole) else { return false };
    let subject = plain(&a.subject);
    let is_counted =
        || now.iter().any(|b| counts::counted(b).is_some_and(|of| of == subject) && b.strength >= Strength::Part);
    let mut used = BTreeSet::new();
    let Some((open, parts)) = inner(value) else { return false };
    let parts = lists::items(parts);
    // A record has keys.
    let is_record = open != '[' && parts.iter().all(|part| key(part).is_some());
    !parts.is_empty()
        && (is_record || open == '[' && is_counted())
        && parts.iter().all(|part| is_asserted(part, &subject, now, &mut used))
}

/// The key of a part, and its value: `a: 1`, `"a" => 1`, `a=1`.
fn key(part: &str) -> Option<(&str, &str)> {
    let at = part.find(['=', ':', '(', '[', '{']).filter(|at| part[*at..].starts_with(['=', ':']))?;
    let name = part[..at].trim().trim_matches(['"', '\'']);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    is_name.then(|| (name, part[at + 1..].trim_start_matches(['>', '=']).trim()))
}

fn is_asserted(part: &str, subject: &str, now: &[Assert], used: &mut BTreeSet<usize>) -> bool {
    let (name, value) = key(part).map_or((None, part.trim()), |(name, value)| (Some(name), value));
    let bare = |value: &str| {
        let value = CONVERTING.iter().find_map(|end| value.trim().strip_suffix(end)).unwrap_or(value.trim());
        plain(value.trim_start_matches('&').trim_start_matches("vec!"))
    };
    let is_it = |(at, b): &(usize, &Assert)| {
        let of = plain(&b.subject);
        let rest = of.strip_prefix(subject).filter(|rest| !rest.is_empty());
        let is_about = match name {
            Some(name) => of == name || rest.is_some_and(|rest| rest.trim_end_matches(']').ends_with(name)),
            None => rest.is_some(),
        };
        let is_demand = b.strength >= Strength::Part && !b.how.contains("not") && bare(&b.expected) == bare(value);
        is_about && is_demand && !used.contains(at)
    };
    if let Some((at, _)) = now.iter().enumerate().find(is_it) {
        used.insert(at);
        return true;
    }
    let Some((_, parts)) = inner(value) else { return false };
    let parts = lists::items(parts);
    !parts.is_empty() && parts.iter().all(|part| is_asserted(part, subject, now, used))
}

#[cfg(test)]
mod tests {
    use super::super::losses;
    use super::*;
    use Strength::{Exact, Part};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn all_fields_are_the_whole_value() {
        let field = |subject: &str, expected: &str| assert("toBe", subject, expected, Exact);
        for whole in
            ["{name:\"a\",tags:[1,2]}", "User(name=\"a\", tags=[1, 2])", "User{name:\"a\".into(),tags:vec![1,2]}"]
        {
            let whole = assert("toEqual", "x", whole, Exact);
            let all = [field("x.name", "\"a\""), field("x.tags", "[1,2]")];
            assert!(is_spelled_out(&whole, &all), "{whole:?}");
            assert!(!is_spelled_out(&whole, &all[..1]), "one field is missing");
            assert!(!is_spelled_out(&whole, &[all[0].clone(), field("y.tags", "[1,2]")]), "another value");
            assert!(!is_spelled_out(&whole, &[all[0].clone(), field("x.tags", "[1]")]), "another list");
        }
        let list = assert("toEqual", "x", "[\"a\",\"b\"]", Exact);
        let both = [field("x[0]", "\"a\""), field("x[1]", "\"b\""), assert("toHaveLength", "x", "2", Part)];
        assert!(is_spelled_out(&list, &both));
        assert!(!is_spelled_out(&list, &both[..2]), "there may be more elements");
    }

    #[test]
    fn a_pair_and_a_chain_are_several_assertions() {
        let pair = assert("==", "(a.x,a.y)", "(1,2)", Exact);
        let single = [assert("==", "a.x", "1", Exact), assert("==", "a.y", "2", Exact)];
        assert_eq!(losses(&single, std::slice::from_ref(&pair)).len(), 0);
        assert_eq!(losses(std::slice::from_ref(&pair), &single[..1]).len(), 1);
        let chain = assert("toHaveCount.toContain", "x", "1, \"a\"", Part);
        assert_eq!(split(chain).len(), 2);
        assert_eq!(split(assert("toEqual", "[1,2]", "x", Exact)).len(), 1);
    }
}
