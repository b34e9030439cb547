//! Assertions and how much they demand.

use super::{failing, matchers, tokens};
use crate::language::Loaded;
use crate::query::matcher::Match;
use crate::tree::{Id, Tree};
use review_gate::outline::{Assert, Strength};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// An assertion and the bytes that it covers.
pub struct Found {
    /// The bytes.
    pub range: Range<usize>,
    /// The assertion.
    pub assert: Assert,
}

/// The assertions of a file, in its order. Of two matches of a node the first counts, and takes from the second what it lacks.
pub fn find(tree: &Tree, loaded: &Loaded, matches: &[Match]) -> Vec<Found> {
    let captures = &loaded.captures;
    let mut all: BTreeMap<(usize, std::cmp::Reverse<usize>), (u16, Found)> = BTreeMap::new();
    for found in matches {
        let Some(id) = found.first(captures.assert) else { continue };
        if loaded.query.property(found.pattern, "read") == Some("failing") {
            for next in failing(tree, captures.subject, found, id) {
                all.entry((next.range.start, std::cmp::Reverse(next.range.end))).or_insert((found.pattern, next));
            }
            continue;
        }
        let (next, has_strength, rest) = match loaded.query.property(found.pattern, "read") {
            Some(form) => matched(tree, loaded, found, id, form),
            None => one(tree, loaded, found, id),
        };
        for next in rest {
            all.entry((next.range.start, std::cmp::Reverse(next.range.end))).or_insert((found.pattern, next));
        }
        let key = (next.range.start, std::cmp::Reverse(next.range.end));
        let Some((pattern, known)) = all.get_mut(&key) else {
            all.insert(key, (found.pattern, next));
            continue;
        };
        let is_first = *pattern <= found.pattern;
        let (mut kept, other) = match is_first {
            true => (std::mem::take(&mut known.assert), next.assert),
            false => (next.assert, std::mem::take(&mut known.assert)),
        };
        if kept.subject.is_empty() {
            kept.subject = other.subject;
        }
        if kept.expected.is_empty() {
            kept.expected = other.expected;
        }
        if other.strength == Strength::Nothing && (has_strength || !is_first) {
            kept.strength = Strength::Nothing;
        }
        *pattern = (*pattern).min(found.pattern);
        known.assert = kept;
    }
    all.into_values().map(|(_, found)| found).collect()
}

/// The assertion of a match, whether the match gives its strength, and further assertions of its chain.
fn one(tree: &Tree, loaded: &Loaded, found: &Match, id: Id) -> (Found, bool, Vec<Found>) {
    let Loaded { query, captures, .. } = loaded;
    let texts = |capture| found.all(capture).map(|id| tokens::shown(tree, id)).collect::<Vec<_>>();
    // A matcher in a namespace has its last name: `testing::Eq`.
    let last = |how: String| how.rsplit("::").next().map(str::to_string).unwrap_or(how);
    let mut how: Vec<String> = texts(captures.how).into_iter().map(last).collect();
    let mut expected = texts(captures.expected);
    let mut top = id;
    let mut is_bare = false;
    let mut rest = Vec::new();
    if let Some(kinds) = query.property(found.pattern, "chain") {
        let mut parts = chain(tree, id, kinds);
        rest.extend(parts.split_off(1).iter().map(|links| further(tree, loaded, links)));
        let links = parts.remove(0);
        top = links.top;
        is_bare = links.names.is_empty();
        if !is_bare {
            how = links.names;
        }
        expected.extend(links.operands.iter().map(|id| tokens::shown(tree, *id)));
        if let Some(begin) = query.property(found.pattern, "begin").filter(|_| !is_bare) {
            how.insert(0, begin.to_string());
        }
    }
    if let Some(name) = query.property(found.pattern, "how") {
        how = vec![name.to_string()];
    }
    // `assertFalse(a > b)` demands `a <= b`.
    if query.property(found.pattern, "opposite").is_some()
        && let Some(sign) = how.last_mut()
        && let Some(opposite) = failing::opposite(sign.as_bytes())
    {
        *sign = opposite.to_string();
    }
    let subject = match query.property(found.pattern, "subject") {
        Some(name) => name.to_string(),
        None => texts(captures.subject).join(", "),
    };
    if how.is_empty() {
        how.push(tokens::cut(tree.text_of(tree.first_leaf(id)), 60));
    }
    let subject = if how.last().is_some_and(|how| how == MATCHES) { without_message(&subject) } else { subject };
    let assert = Assert {
        how: how.join("."),
        subject,
        expected: tokens::cut(expected.join(", ").as_bytes(), 200),
        strength: Strength::Exact,
        line: tree.line(tree.range(top).start),
    };
    let given = query.property(found.pattern, "strength").and_then(word);
    let is_constant = found.first(captures.constant).is_some();
    // Two values that were constructed are equal only if the type says so.
    let is_same = !assert.subject.is_empty() && assert.subject == assert.expected && !constructs(&assert.subject);
    let strength = match given {
        _ if is_constant || is_bare => Strength::Nothing,
        Some(strength) => strength,
        None => match strength(&loaded.strengths, &assert.how) {
            Strength::Exact if is_same => Strength::Nothing,
            strength => strength,
        },
    };
    (Found { range: tree.range(top), assert: Assert { strength, ..assert } }, given.is_some() || is_constant, rest)
}

/// Whether a piece of code makes a new value: `new Point(1)`, `Point(1)`, `Point::new(1)`, `Point.new(1)`.
fn constructs(code: &str) -> bool {
    let head = code.split(['(', '{']).next().unwrap_or_default();
    let is_type = head.starts_with(char::is_uppercase) && head.len() < code.len() && !head.contains('.');
    head.starts_with("new ") || head.ends_with("::new") || head.ends_with(".new") || is_type
}

/// The macro whose arguments are a value, a pattern and a message.
const MATCHES: &str = "assert_matches";

/// A value and its pattern in brackets, without the message behind them.
fn without_message(arguments: &str) -> String {
    let (mut depth, mut commas, mut is_quoted, mut last) = (0, 0, false, ' ');
    for (at, c) in arguments.char_indices() {
        match c {
            '"' if last != '\\' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 1 => commas += 1,
            _ => {}
        }
        if commas == 2 {
            return format!("{})", &arguments[..at]);
        }
        last = c;
    }
    arguments.to_string()
}

/// The assertions of a condition under which a test fails: the first has the place of the call that fails, each further one its own.
fn failing(tree: &Tree, subject: Option<u16>, found: &Match, id: Id) -> Vec<Found> {
    let demands = found.first(subject).map(|condition| failing::demands(tree, condition)).unwrap_or_default();
    let one = |(at, demand): (usize, failing::Demand)| {
        let range = tree.range(if at == 0 { id } else { demand.node });
        Found { assert: Assert { line: tree.line(range.start), ..demand.assert }, range }
    };
    demands.into_iter().enumerate().map(one).collect()
}

/// The assertion of a matcher that is made of others, whether its strength is given, and further ones: those of `allOf(…)`.
fn matched(tree: &Tree, loaded: &Loaded, found: &Match, id: Id, form: &str) -> (Found, bool, Vec<Found>) {
    let Loaded { query, captures, .. } = loaded;
    let subject: Vec<String> = found.all(captures.subject).map(|id| tokens::shown(tree, id)).collect();
    let matcher = found.first(captures.expected);
    let all = matcher.map(|node| match form {
        "constraint" => matchers::constraints(tree, node),
        _ => matchers::nested(tree, node),
    });
    let given = query.property(found.pattern, "strength").and_then(word);
    let before = query.property(found.pattern, "how");
    let one = |(at, matcher): (usize, matchers::Matcher)| {
        let mut names = matcher.names;
        if let Some(before) = before {
            names.insert(0, before.to_string());
        }
        let how = names.join(".");
        let range = tree.range(id);
        // Each has a place of its own.
        let range = range.start + at..range.end;
        let expected = tokens::cut(matcher.expected.join(", ").as_bytes(), 200);
        let line = tree.line(range.start);
        let strength = given.unwrap_or_else(|| strength(&loaded.strengths, &how));
        Found { range, assert: Assert { how, subject: subject.join(", "), expected, strength, line } }
    };
    let mut all = all.unwrap_or_default().into_iter().enumerate().map(one);
    let first = all.next();
    let empty = || Found { range: tree.range(id), assert: Assert::default() };
    (first.unwrap_or_else(empty), given.is_some(), all.collect())
}

/// An assertion about another subject of a chain: `.and(x).toBe(1)`.
fn further(tree: &Tree, loaded: &Loaded, links: &Links) -> Found {
    let (subject, expected) = links.operands.split_at(links.subjects);
    let shown = |ids: &[Id]| ids.iter().map(|id| tokens::shown(tree, *id)).collect::<Vec<_>>().join(", ");
    let how = links.names.join(".");
    let strength = if how.is_empty() { Strength::Nothing } else { strength(&loaded.strengths, &how) };
    let line = tree.line(tree.range(links.top).start);
    let expected = tokens::cut(shown(expected).as_bytes(), 200);
    Found { range: tree.range(links.top), assert: Assert { how, subject: shown(subject), expected, strength, line } }
}

/// The strength that `#set!` names.
fn word(word: &str) -> Option<Strength> {
    match word {
        "nothing" => Some(Strength::Nothing),
        "something" => Some(Strength::Something),
        "part" => Some(Strength::Part),
        "exact" => Some(Strength::Exact),
        _ => None,
    }
}

/// The strength by the language's table: of a chain the strongest link that is known, of a negation at most something.
fn strength(table: &HashMap<&str, Strength>, how: &str) -> Strength {
    let known = |name: &str| table.get(name).copied();
    if let Some(strength) = known(how) {
        return strength;
    }
    if how.split('.').any(|part| matches!(part, "not" | "not_to" | "to_not" | "never")) {
        return Strength::Something;
    }
    how.split('.').filter_map(known).max().unwrap_or_default()
}

/// Whether a list with blanks between its words has a word.
fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// What follows a subject: `.to.be.above(3)`.
struct Links {
    top: Id,
    names: Vec<String>,
    operands: Vec<Id>,
    /// How many of the operands are the subject.
    subjects: usize,
}

/// Follows a chain outwards from its subject, as long as the node around it is of one of the kinds and begins with it. `and(x)` begins
/// a part with another subject.
fn chain(tree: &Tree, from: Id, kinds: &str) -> Vec<Links> {
    let mut links = Links { top: from, names: Vec::new(), operands: Vec::new(), subjects: 0 };
    let mut parts = Vec::new();
    loop {
        let up = tree.parent(links.top);
        let is_link =
            up != links.top && tree.range(up).start == tree.range(from).start && is_one_of(kinds, tree.kind_name(up));
        if !is_link {
            parts.push(links);
            return parts;
        }
        let (mut names, mut operands) = (Vec::new(), Vec::new());
        for child in
            tree.children(up).filter(|child| *child != links.top && tree.is_named(*child) && !tree.is_extra(*child))
        {
            let is_generic = tree.kind_name(child) == "generic_name";
            if !is_generic && (tree.is_leaf(child) || matches!(tree.field_name(child), "name" | "property" | "method"))
            {
                names.push(tokens::shown(tree, tree.first_leaf(child)));
            } else if is_generic || kinds.contains("navigation") && tree.kind_name(child).starts_with("type_arg") {
                // `Throw<E>()`, `isA<T>()`
                if is_generic {
                    names.push(tokens::shown(tree, tree.first_leaf(child)));
                }
                let last = tree
                    .children(child)
                    .last()
                    .filter(|id| !tree.is_leaf(*id) && tree.kind_name(*id).starts_with("type_arg"));
                let list = last.unwrap_or(child);
                operands.extend(tree.children(list).filter(|id| tree.is_named(*id) && !tree.is_extra(*id)));
            } else if !tree.kind_name(child).starts_with("type_") {
                operands.extend(tree.children(child).filter(|id| tree.is_named(*id) && !tree.is_extra(*id)));
            }
        }
        if names == ["and"] && !operands.is_empty() && !links.names.is_empty() {
            let subjects = operands.len();
            let next = Links { top: up, names: Vec::new(), operands, subjects };
            parts.push(std::mem::replace(&mut links, next));
            continue;
        }
        links.names.extend(names);
        links.operands.extend(operands);
        links.top = up;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_no_part_of_a_pattern() {
        for (text, plain) in [
            ("(a,Ok(B{c,..}))", "(a,Ok(B{c,..}))"),
            ("(a(1,2),Err(_),\"x, {a:?}\",b)", "(a(1,2),Err(_))"),
            ("(a,\"b, \\\"c\"|\"d\",\"message\")", "(a,\"b, \\\"c\"|\"d\")"),
        ] {
            assert_eq!(without_message(text), plain);
        }
    }
}
