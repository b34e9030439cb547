//! Meanings: what an assertion says about a value, whether it asks for the truth of a condition or names a matcher:
//! `expect(x > 2).toBe(true)` and `expect(x).toBeGreaterThan(2)`.

use super::conditions::is_balanced;
use super::features::plain;
use super::lengths;
use super::lists::items;
use super::relations::{FALSE, FILLERS, PACKAGES, RELATIONS, TRUE, relation};
use crate::outline::{Assert, Strength};

/// What an assertion says: a relation between two values holds or does not.
#[derive(Debug, PartialEq, Eq)]
pub struct Meaning {
    relation: String,
    left: String,
    right: String,
    holds: bool,
}

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

impl Meaning {
    /// The relation, both values, and whether it holds.
    pub fn parts(&self) -> (&str, &str, &str, bool) {
        (&self.relation, &self.left, &self.right, self.holds)
    }
}

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
        let is_type = || {
            right.trim().starts_with(char::is_uppercase) && !matches!(right.trim(), "None" | "True" | "False" | "NULL")
        };
        return Some(match relation {
            // Kotlin and C# ask for a type with `is`.
            "==" if condition[left.len()..].starts_with(" is ") && is_type() => {
                meaning("isa", left, right, holds == is)
            }
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
        let Some((left, right)) = arguments.split_once(',') else {
            // `is_nil(x)`, `is_list(x)`
            let kind =
                head.strip_prefix("is_").or_else(|| head.strip_prefix("is")).filter(|_| condition.ends_with(')'))?;
            return match kind {
                "nil" | "null" | "Null" | "_null" => Some(meaning("==", arguments, "null", holds)),
                "list" | "map" | "binary" | "integer" | "float" | "atom" | "tuple" | "number" | "boolean"
                | "struct" => Some(meaning("isa", arguments, kind, holds)),
                _ => None,
            };
        };
        return (head == "isinstance").then(|| meaning("isa", left, right, holds));
    };
    let (left, name) = (head[..at].trim_end_matches('-'), &head[at + 1..]);
    // Functions of packages: `errors.Is(err, ErrFull)`, `String.contains?(x, "a")`.
    if PACKAGES.contains(&left)
        && let [left, right] = items(arguments).as_slice()
    {
        return Some(meaning(&relation(name), left, right, holds));
    }
    if matches!(name, "test" | "match?") && left.starts_with(['/', '%']) {
        return Some(meaning("matches", arguments, left, holds));
    }
    let is_name = name.strip_prefix("is").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let is_question = condition.ends_with(')') || name.ends_with('?') || is_name;
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

/// What a matcher says: `x toBeGreaterThan 2`.
fn matched(assert: &Assert) -> Option<Meaning> {
    let last = assert.how.rsplit('.').next().unwrap_or_default();
    let lower = last.to_ascii_lowercase().replace('_', "");
    let holds = !is_negated(&assert.how) && !lower.starts_with("not") && lower != "!=";
    let subject = assert.subject.trim().trim_start_matches("await ");
    if lower.ends_with("defined") && assert.expected.is_empty() {
        return Some(meaning("==", subject, "undefined", holds == lower.ends_with("undefined")));
    }
    let bare = assert.expected.trim().trim_matches(['(', ')']);
    let null = ["null", "nil", "none", "nullvalue", "nonnull"].iter().any(|word| lower.ends_with(word));
    if null && bare.is_empty() {
        let is_not = ["not", "nonnull", "nonnil"].iter().any(|word| lower.contains(word));
        return Some(meaning("==", subject, "null", holds && !is_not));
    }
    // An error that is not there is none.
    let of_error = match last {
        "NoError" | "NoErr" | "NilError" | "Succeed" => Some(true),
        "HaveOccurred" | "Err" => Some(false),
        "Error" if bare.is_empty() => Some(false),
        _ => None,
    };
    if let Some(is_none) = of_error.filter(|_| bare.is_empty()) {
        return Some(meaning("==", subject, "null", is_none != is_negated(&assert.how)));
    }
    let sign = OPERATORS.iter().find(|(sign, ..)| sign.trim() == last).map(|(_, relation, is)| (*relation, *is));
    if let Some((relation, is)) = sign {
        return Some(meaning(
            relation,
            subject,
            &assert.expected,
            is && !is_negated(&assert.how) || !is && is_negated(&assert.how),
        ));
    }
    // `be > 2`, `assert_predicate x, :any?`, `assert_operator x, :>, 2`
    let expected = assert.expected.trim();
    let symbol = expected.trim_start_matches('(').strip_prefix(':');
    if lower.ends_with("predicate") {
        return Some(meaning(&relation(symbol?), subject, "", holds));
    }
    if matches!(lower.as_str(), "ne" | "requirene" | "checkne" | "expectne" | "assertne") {
        return Some(meaning("==", subject, &assert.expected, !holds));
    }
    // Hamcrest's `contains` is about all elements.
    if assert.strength == Strength::Exact && lower == "contains" {
        return Some(meaning("elements", subject, expected, holds));
    }
    // A limit that is named by its sign: `BeNumerically(">", 2)`.
    if lower == "benumerically" {
        let (sign, value) = expected.trim_matches(['(', ')']).split_once(',')?;
        let sign = sign.trim().trim_matches(['"', '\'']);
        let (relation, is) = OPERATORS.iter().find(|(known, ..)| *known == sign).map(|(_, to, is)| (*to, *is))?;
        return Some(meaning(relation, subject, value, holds == is));
    }
    let of = |link: &&str| {
        let link = link.to_ascii_lowercase().replace('_', "");
        !FILLERS.contains(&link.as_str()) && !matches!(link.as_str(), "not" | "never" | "no" | "notto" | "tonot")
    };
    let links: Vec<&str> = assert.how.split('.').filter(of).collect();
    let found = relation(last);
    // What stands before says what is compared: `Count.GreaterThan`, `everyItem.greaterThan`.
    let measure = |link: &str| lengths::measures(&link.to_ascii_lowercase());
    let is_exactly = links.len() > 1 && links[0] == "Exactly" && lower == "items";
    let is_of_length =
        links.len() > 1 && measure(links[0]) || is_exactly || links.len() == 1 && measure(last) && !expected.is_empty();
    if is_of_length {
        let words = ["greaterthan", "lessthan", "atleast", "atmost"];
        let limit = words.iter().find_map(|word| lower.find(word).map(|at| relation(&lower[at..])));
        let relation =
            limit.or_else(|| (links.len() > 1 && !is_exactly).then(|| found.clone())).unwrap_or_else(|| "==".into());
        let of = format!("#{}", plain(subject));
        let value = items(expected).first().copied().unwrap_or_default();
        return Some(Meaning { relation, left: of, right: plain(value), holds });
    }
    if links.len() > 1 {
        return (found != "==")
            .then(|| meaning(&format!("{}.{found}", links[..links.len() - 1].join(".")), subject, expected, holds));
    }
    if lower.ends_with("empty") && (bare.is_empty() || bare == last) {
        return Some(meaning("empty", subject, "", holds && !lower.contains("not")));
    }
    if lower.ends_with("zero") && bare.is_empty() {
        return Some(meaning("==", subject, "0", holds && !lower.contains("not")));
    }
    let is_known = RELATIONS.iter().any(|(known, _)| *known == found) || found != lower;
    // A matcher without a value repeats its name.
    let expected = if expected == last { "" } else { expected };
    is_known.then(|| meaning(&found, subject, expected, holds))
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
    // What is empty has no elements.
    if relation == "empty" && right.trim().is_empty() {
        return Meaning {
            relation: "==".into(),
            left: format!("#{}", side(left)),
            right: "0".into(),
            holds: holds == is,
        };
    }
    // A number of elements is told by the value that has them.
    let is_compared = matches!(relation, "==" | ">" | "<" | ">=" | "<=");
    let length = |text: &str| lengths::measured(text).filter(|_| is_compared).map(|of| format!("#{of}"));
    let turned = if relation == "==" { length(right).filter(|_| length(left).is_none()) } else { None };
    if let Some(of) = turned {
        return Meaning { relation: "==".to_string(), left: of, right: side(left), holds: holds == is };
    }
    if let Some(of) = length(left) {
        let right = side(right).trim_end_matches(['u', 'U', 'l', 'L', 'z']).to_string();
        return Meaning { relation: relation.to_string(), left: of, right, holds: holds == is };
    }
    if relation == "isa" {
        let ends = [".class", "::class.java", "::class", ".self", ")", ">"];
        let bare = right.trim().trim_start_matches("typeof(").trim_start_matches('<');
        let name = ends.iter().fold(bare, |name, end| name.trim_end_matches(end));
        return Meaning { relation: "isa".to_string(), left: side(left), right: plain(name), holds: holds == is };
    }
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
