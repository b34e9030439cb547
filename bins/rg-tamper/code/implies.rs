//! Implications between conditions: whether one condition holds wherever another one holds, by a table of truth.

use std::collections::BTreeSet;

/// How many different parts two conditions have at most.
const PARTS: usize = 8;

/// The longest condition that is read, in bytes: each bracket and each `not` is one call deeper.
const LONGEST: usize = 1000;

/// Systems and the families that they belong to.
const FAMILIES: [(&str, &str); 7] = [
    ("linux", "unix"),
    ("macos", "unix"),
    ("android", "unix"),
    ("freebsd", "unix"),
    ("openbsd", "unix"),
    ("ios", "unix"),
    ("windows", "windows"),
];

/// A condition.
#[derive(Debug, PartialEq)]
enum Term {
    Part(String),
    Not(Box<Term>),
    All(Vec<Term>),
    Any(Vec<Term>),
}

/// Whether `b` holds wherever `a` holds. Each part that is no `and`, `or` or `not` may be true or false.
pub fn implies(a: &str, b: &str) -> bool {
    if a.len().max(b.len()) > LONGEST {
        return false;
    }
    let (Some(a), Some(b)) = (parse(a), parse(b)) else { return false };
    let mut parts: BTreeSet<&str> = BTreeSet::new();
    collect(&a, &mut parts);
    collect(&b, &mut parts);
    let parts: Vec<&str> = parts.into_iter().collect();
    let holds = |row: u32| {
        let is_true = |part: &str| parts.iter().position(|other| *other == part).is_some_and(|at| row >> at & 1 == 1);
        let is_possible = FAMILIES.iter().all(|(system, family)| {
            let is_known = parts.iter().any(|part| part == family);
            !is_known || !is_true(&format!("target_os={system}")) || is_true(family)
        });
        !is_possible || !value(&a, &is_true) || value(&b, &is_true)
    };
    parts.len() <= PARTS && (0..1_u32 << parts.len()).all(holds)
}

fn collect<'a>(term: &'a Term, parts: &mut BTreeSet<&'a str>) {
    match term {
        Term::Part(part) => drop(parts.insert(part.as_str())),
        Term::Not(inner) => collect(inner, parts),
        Term::All(inner) | Term::Any(inner) => inner.iter().for_each(|term| collect(term, parts)),
    }
}

fn value(term: &Term, is_true: &dyn Fn(&str) -> bool) -> bool {
    match term {
        Term::Part(part) => is_true(part),
        Term::Not(inner) => !value(inner, is_true),
        Term::All(inner) => inner.iter().all(|term| value(term, is_true)),
        Term::Any(inner) => inner.iter().any(|term| value(term, is_true)),
    }
}

/// Reads a condition: `all(a, not(b))` of Rust, `a && !b`, `a and not b`. None if brackets are not closed.
fn parse(text: &str) -> Option<Term> {
    let text = bare(text);
    if text.is_empty() {
        return None;
    }
    for (signs, of) in [([" or ", "||"], Term::Any as fn(Vec<Term>) -> Term), ([" and ", "&&"], Term::All)] {
        let parts = split(text, &signs)?;
        if parts.len() > 1 {
            return parts.into_iter().map(parse).collect::<Option<Vec<_>>>().map(of);
        }
    }
    if let Some(rest) =
        text.strip_prefix('!').filter(|rest| !rest.starts_with('=')).or_else(|| text.strip_prefix("not "))
    {
        return Some(Term::Not(Box::new(parse(rest)?)));
    }
    for (name, of) in [("all", Term::All as fn(Vec<Term>) -> Term), ("any", Term::Any), ("not", Term::All)] {
        let Some(list) = text.strip_prefix(name).map(str::trim_start).filter(|list| list.starts_with('(')) else {
            continue;
        };
        let inner = list.strip_prefix('(').and_then(|list| list.strip_suffix(')'))?;
        let parts: Vec<&str> = split(inner, &[","])?.into_iter().filter(|part| !part.trim().is_empty()).collect();
        let terms = of(parts.into_iter().map(parse).collect::<Option<Vec<_>>>()?);
        return Some(if name == "not" { Term::Not(Box::new(terms)) } else { terms });
    }
    Some(part(text))
}

/// A condition that is no `and`, `or` or `not`. `a != b` is the opposite of `a == b`.
fn part(text: &str) -> Term {
    let part: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
    match part.contains("!=") && !part.contains("!==") {
        true => Term::Not(Box::new(Term::Part(part.replace("!=", "==")))),
        false => Term::Part(part),
    }
}

/// A condition without the brackets around all of it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner.filter(|inner| split(inner, &["\u{0}"]).is_some()) {
        Some(inner) => bare(inner),
        None => text,
    }
}

/// The parts of a text between signs that stand in no brackets and no quotes. None if brackets are not closed.
fn split<'a>(text: &'a str, signs: &[&str]) -> Option<Vec<&'a str>> {
    let (mut depth, mut first, mut skip) = (0_i64, 0, 0);
    let mut quote: Option<char> = None;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_ascii()) {
        match quote {
            Some(open) => quote = (c != open).then_some(open),
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => depth += i64::from(matches!(c, '(' | '[' | '{')) - i64::from(matches!(c, ')' | ']' | '}')),
        }
        if depth < 0 {
            return None;
        }
        let sign = signs.iter().find(|sign| text[at..].starts_with(**sign));
        if let Some(sign) = sign.filter(|_| depth == 0 && quote.is_none() && at >= skip) {
            parts.push(&text[first..at]);
            (first, skip) = (at + sign.len(), at + sign.len());
        }
    }
    parts.push(&text[first..]);
    (depth == 0 && quote.is_none()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::implies;

    #[test]
    fn a_condition_holds_wherever_a_narrower_one_holds() {
        for (a, b) in [
            ("(unix)", "(any(unix, windows))"),
            ("all(unix, feature = \"slow\")", "unix"),
            ("all(test, not(windows))", "not(all(windows, slow))"),
            ("a && b", "b"),
            ("all(test, target_os = \"linux\")", "all(test, unix)"),
            ("a and not b", "a or c"),
            ("(a || b) && c", "c && (b || a)"),
            ("f(x, y)", "f(x, y) || g"),
            ("!(a && b)", "!a || !b"),
            ("!(env[\"CI\"] != nil)", "env[\"CI\"] == nil"),
        ] {
            assert!(implies(a, b), "{a} => {b}");
        }
        for (a, b) in [
            ("any(unix, windows)", "unix"),
            ("unix", "target_os = \"linux\""),
            ("target_os = \"windows\"", "unix"),
            ("a", "a && b"),
            ("not(a)", "a"),
            ("a == 1", "a != 1"),
            ("f(a || b)", "f(a)"),
            ("(a", "a"),
            ("", "a"),
            ("a", ""),
        ] {
            assert!(!implies(a, b), "{a} => {b}");
        }
    }

    #[test]
    fn a_deep_condition_ends_the_reading_and_not_the_program() {
        for deep in [
            "(".repeat(400) + "a" + &")".repeat(400),
            "!".repeat(900) + "a",
            "not(".repeat(150) + "a" + &")".repeat(150),
        ] {
            assert!(implies(&deep, &deep));
        }
        for deep in ["(".repeat(1 << 20) + "a" + &")".repeat(1 << 20), "!".repeat(1 << 20) + "a"] {
            assert!(!implies(&deep, &deep), "too long to be read");
        }
    }
}
