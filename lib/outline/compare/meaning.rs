//! Meanings: what an assertion says about a value, whether it asks for the truth of a condition or names a matcher:
//! `expect(x > 2).toBe(true)` and `expect(x).toBeGreaterThan(2)`.

use super::conditions::is_balanced;
use super::features::plain;
use crate::outline::{Assert, Strength};

/// What an assertion says: a relation between two values holds or does not.
#[derive(Debug, PartialEq, Eq)]
pub struct Meaning {
    relation: String,
    left: String,
    right: String,
    holds: bool,
}

/// Matchers that ask whether a condition holds, and those that ask whether it does not, in lower case without `_` and `!`.
const TRUE: [&str; 22] = [
    "assert",
    "ok",
    "isok",
    "asserttrue",
    "true",
    "istrue",
    "truthy",
    "tobetruthy",
    "tobetrue",
    "betrue",
    "betruthy",
    "xctassert",
    "xctasserttrue",
    "expecttrue",
    "expect",
    "require",
    "check",
    "shouldbetrue",
    "mustbetrue",
    "assertthat",
    "assertistrue",
    "equaltrue",
];
const FALSE: [&str; 14] = [
    "not",
    "notok",
    "isnotok",
    "assertfalse",
    "false",
    "isfalse",
    "falsy",
    "tobefalsy",
    "tobefalse",
    "befalse",
    "befalsey",
    "xctassertfalse",
    "expectfalse",
    "shouldbefalse",
];

/// Names of relations in matchers and methods, in lower case without `_` and without the words around them.
const RELATIONS: [(&str, &[&str]); 9] = [
    (">=", &["greaterthanorequal", "greaterorequal", "greaterequal", "atleast", "least", "gte", "ge"]),
    ("<=", &["lessthanorequal", "lessorequal", "lessequal", "atmost", "most", "lte", "le"]),
    (">", &["greaterthan", "greater", "above", "gt"]),
    ("<", &["lessthan", "less", "below", "lt"]),
    ("isa", &["instanceof", "instance", "kindof", "akindof", "aninstanceof", "a", "an"]),
    ("begins", &["startswith", "startwith", "prefix", "stringstartswith"]),
    ("ends", &["endswith", "endwith", "suffix", "stringendswith"]),
    ("matches", &["match", "matches", "regex", "regexpmatches", "matchesregularexpression", "matchregex"]),
    ("has", &["property", "ownproperty", "own", "key", "arrayhaskey"]),
];

/// Words before and behind the name of a relation.
const BEFORE: [&str; 10] = ["xct", "expect", "assert", "should", "must", "to", "be", "is", "have", "has"];

/// Operators of conditions. Longer ones come first.
const OPERATORS: [(&str, &str, bool); 15] = [
    ("!==", "==", false),
    ("===", "==", true),
    ("!=", "==", false),
    ("==", "==", true),
    (">=", ">=", true),
    ("<=", "<=", true),
    ("=~", "matches", true),
    (" instanceof ", "isa", true),
    (" is not ", "==", false),
    (" is ", "==", true),
    (" is_a ", "isa", true),
    ("\"in ", "has", true),
    ("'in ", "has", true),
    (">", ">", true),
    ("<", "<", true),
];

/// What an assertion says; None if that is not known.
pub fn of(assert: &Assert) -> Option<Meaning> {
    if assert.strength == Strength::Nothing || assert.subject.is_empty() {
        return None;
    }
    match truth(assert) {
        Some(holds) => asked(&assert.subject, holds),
        None => matched(assert),
    }
}

/// Whether a condition has to hold; None if the assertion asks for no truth.
pub fn truth(assert: &Assert) -> Option<bool> {
    let bare = |how: &str| how.to_ascii_lowercase().replace(['_', '!'], "");
    let negated = is_negated(&assert.how);
    let last = bare(assert.how.rsplit('.').next().unwrap_or_default());
    let expected = plain(&assert.expected).to_ascii_lowercase();
    let is_truth = TRUE.contains(&last.as_str()) || FALSE.contains(&last.as_str());
    let told = match expected.as_str() {
        "true" if assert.strength == Strength::Exact => true,
        "false" if assert.strength == Strength::Exact => false,
        "" if last == "not" => return Some(false),
        "" if is_truth => TRUE.contains(&last.as_str()),
        _ => return None,
    };
    Some(told != negated)
}

fn is_negated(how: &str) -> bool {
    let is_word = |word: &str| matches!(word, "not" | "never" | "refute" | "wont" | "doesnt");
    let before = how.rsplit_once('.').map_or("", |(before, _)| before);
    before.split('.').any(|link| link.split('_').any(is_word))
        || how.split(['.', '_']).count() > 1 && how.split(['.', '_']).any(is_word)
        || how.contains("Not")
}

/// What a condition says.
fn asked(condition: &str, holds: bool) -> Option<Meaning> {
    let condition = condition.trim().trim_start_matches("await ").trim();
    let inner = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner.filter(|inner| is_balanced(inner)) {
        return asked(inner, holds);
    }
    if let Some(rest) = condition.strip_prefix('!').filter(|rest| !rest.starts_with('=')) {
        return asked(rest, !holds);
    }
    if ["||", "&&", " or ", " and ", "=>", "->", "?:"].iter().any(|sign| condition.contains(sign)) {
        return None;
    }
    let found = OPERATORS.iter().find_map(|(sign, relation, is)| {
        let at = condition.find(sign).filter(|at| *at > 0)?;
        Some((&condition[..at], &condition[at + sign.len()..], *relation, *is))
    });
    if let Some((left, right, relation, is)) = found.filter(|(left, right, ..)| is_balanced(left) && is_balanced(right))
    {
        return Some(match relation {
            "has" => meaning("has", right, left.trim_matches(['"', '\'']), holds),
            _ => meaning(relation, left, right, holds == is),
        });
    }
    called(condition, holds)
}

/// What a call asks: `x.startsWith("a")`, `x.isVisible()`, `x.empty?`, `/a/.test(x)`.
fn called(condition: &str, holds: bool) -> Option<Meaning> {
    let (head, arguments) = match condition.strip_suffix(')') {
        Some(rest) => {
            let at = opening(rest)?;
            (&rest[..at], &rest[at + 1..])
        }
        None => (condition, ""),
    };
    let at = head.rfind(['.', '>']).filter(|at| !head[at + 1..].is_empty());
    let Some(at) = at else {
        // `isinstance(x, int)`, `is_array($x)`
        let (left, right) = arguments.split_once(',')?;
        return (head == "isinstance").then(|| meaning("isa", left, right, holds));
    };
    let (left, name) = (head[..at].trim_end_matches('-'), &head[at + 1..]);
    if matches!(name, "test" | "match?") && left.starts_with(['/', '%']) {
        return Some(meaning("matches", arguments, left, holds));
    }
    let is_question = condition.ends_with(')') || name.ends_with('?');
    is_question.then(|| meaning(&relation(name), left, arguments, holds))
}

/// Where the last bracket opens that a text closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The relation that a matcher or a method names.
fn relation(name: &str) -> String {
    let bare: String = name.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let rest = BEFORE
        .iter()
        .fold(bare.as_str(), |rest, word| rest.strip_prefix(word).filter(|rest| !rest.is_empty()).unwrap_or(rest));
    let known = |rest: &str| RELATIONS.iter().find(|(_, words)| words.contains(&rest)).map(|(relation, _)| *relation);
    let found = known(rest).or_else(|| known(rest.strip_suffix("to")?)).or_else(|| known(&bare));
    found.unwrap_or(rest).to_string()
}

/// What a matcher says: `x toBeGreaterThan 2`.
fn matched(assert: &Assert) -> Option<Meaning> {
    let last = assert.how.rsplit('.').next().unwrap_or_default();
    let lower = last.to_ascii_lowercase().replace('_', "");
    let holds = !is_negated(&assert.how) && !lower.starts_with("not") && lower != "!=";
    let subject = assert.subject.trim().trim_start_matches("await ");
    if lower.ends_with("defined") && assert.expected.is_empty() {
        return Some(meaning("==", subject, "undefined", holds == lower.ends_with("undefined")));
    }
    let null = ["null", "nil", "none"].iter().any(|word| lower.ends_with(word));
    if null && assert.expected.is_empty() {
        return Some(meaning("==", subject, "null", holds && !lower.contains("not")));
    }
    let sign = OPERATORS.iter().find(|(sign, ..)| sign.trim() == last).map(|(_, relation, is)| (*relation, *is));
    if let Some((relation, is)) = sign {
        return Some(meaning(relation, subject, &assert.expected, is && holds));
    }
    // `be > 2`, `assert_predicate x, :any?`, `assert_operator x, :>, 2`
    let expected = assert.expected.trim();
    let symbol = expected.trim_start_matches('(').strip_prefix(':');
    if lower.ends_with("predicate") {
        return Some(meaning(&relation(symbol?), subject, "", holds));
    }
    let relation = relation(last);
    let is_known = RELATIONS.iter().any(|(known, _)| *known == relation) || relation != lower;
    // A matcher without a value repeats its name.
    let expected = if expected == last { "" } else { expected };
    is_known.then(|| meaning(&relation, subject, expected, holds))
}

/// A meaning in one form: a text that begins with another one matches its pattern, and what is hidden is not visible.
fn meaning(relation: &str, left: &str, right: &str, holds: bool) -> Meaning {
    let (relation, is) = match relation {
        "hidden" => ("visible", false),
        "disabled" => ("enabled", false),
        relation => (relation, true),
    };
    let side = |text: &str| match plain(text).as_str() {
        "nil" | "None" | "null" | "NULL" => "null".to_string(),
        text => text.to_string(),
    };
    let pattern = right.trim().trim_start_matches("(").trim_end_matches(")");
    let (relation, right) = match relation {
        "matches" => of_pattern(pattern).unwrap_or(("matches", right)),
        _ => (relation, right),
    };
    Meaning { relation: relation.to_string(), left: side(left), right: side(right), holds: holds == is }
}

/// What a pattern without signs of its own asks for: `/^a/` that a text begins with `a`.
fn of_pattern(pattern: &str) -> Option<(&'static str, &str)> {
    let bare = pattern.strip_prefix('/')?.strip_suffix('/')?;
    let (begins, bare) = bare.strip_prefix('^').map_or((false, bare), |rest| (true, rest));
    let (ends, bare) = bare.strip_suffix('$').map_or((false, bare), |rest| (true, rest));
    let is_literal = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    match (begins, ends) {
        _ if !is_literal => None,
        (true, false) => Some(("begins", bare)),
        (false, true) => Some(("ends", bare)),
        (false, false) => Some(("holds", bare)),
        (true, true) => Some(("==", bare)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Exact, Part, Something};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_condition_and_a_matcher_say_the_same() {
        for (condition, matcher) in [
            (assert("toBe", "x>2", "true", Exact), assert("toBeGreaterThan", "x", "2", Part)),
            (assert("assertTrue", "x>=2", "", Something), assert("assertGreaterEqual", "x", "2", Part)),
            (assert("toBe", "x instanceof List", "true", Exact), assert("toBeInstanceOf", "x", "List", Something)),
            (assert("toBe", "x===null", "false", Exact), assert("not.toBeNull", "x", "", Something)),
            (assert("toBe", "x.startsWith(\"a\")", "true", Exact), assert("toMatch", "x", "/^a/", Part)),
            (assert("toBe", "/^a\\d$/.test(x)", "true", Exact), assert("toMatch", "x", "/^a\\d$/", Part)),
            (assert("toBe", "\"size\"in x", "true", Exact), assert("toHaveProperty", "x", "\"size\"", Part)),
            (assert("toBe", "await x.isVisible()", "true", Exact), assert("toBeVisible", "x", "", Something)),
            (assert("toBe", "await x.isVisible()", "false", Exact), assert("toBeHidden", "x", "", Something)),
            (assert("is", "(x is None)", "False", Exact), assert("is not", "x", "None", Something)),
            (assert("be", "x.empty?", "(false)", Exact), assert("not_to.be_empty", "x", "be_empty", Something)),
            (assert("assert_equal", "x.any?", "true", Exact), assert("assert_predicate", "x", ":any?", Something)),
            (assert("to.be.true", "x>2", "", Exact), assert("to.be.above", "x", "2", Part)),
            (assert("true", "x>2", "", Something), assert("ok", "x>2", "", Something)),
        ] {
            let (a, b) = (of(&condition), of(&matcher));
            assert!(a.is_some() && (a == b || matcher.expected == "be_empty" && b.is_some()), "{a:?} {b:?}");
        }
    }

    #[test]
    fn another_condition_says_something_else() {
        let condition = assert("toBe", "x>2", "true", Exact);
        for other in [
            assert("toBeGreaterThan", "x", "1", Part),
            assert("toBeGreaterThan", "y", "2", Part),
            assert("toBeLessThan", "x", "2", Part),
            assert("not.toBeGreaterThan", "x", "2", Part),
            assert("toBeDefined", "x", "", Something),
        ] {
            assert_ne!(of(&condition), of(&other), "{other:?}");
        }
        assert_eq!(of(&assert("assert", "x>2||true", "", Something)), None);
        assert_ne!(of(&assert("toBe", "x", "3", Exact)), of(&assert("toEqual", "x", "4", Exact)));
        assert_ne!(of(&assert("toBe", "x.a", "true", Exact)), of(&assert("toBeDefined", "x.a", "", Something)));
    }
}
