//! Forms: different spellings of one demand, in one dialect of assertions or in two.

pub use super::failures::{compares_value, expects_error, expects_no_error, is_about_error};
use super::features::{asks_truth, identifiers, plain};
pub use super::lengths::{measured, measures};
use super::mock_calls::calls_of;
use super::values::{TELLING, holds_words, is_anything, is_open_value};
use super::{answers, counts, demand, errors, lists, meaning, membership, responses, wholes};
use crate::outline::{Assert, Strength};

/// Values that a question for truth tells from others.
const BARE: [&str; 12] = ["[]", "{}", "\"\"", "''", "0", "None", "nil", "null", "True", "False", "true", "false"];

/// Values that matchers carry in their names, in lower case without quotes: the value, and the word in the name.
const NAMED: [(&str, &str); 11] = [
    ("undefined", "undefined"),
    ("null", "null"),
    ("nil", "nil"),
    ("nil", "null"),
    ("none", "none"),
    ("none", "null"),
    ("true", "true"),
    ("false", "false"),
    ("[]", "empty"),
    ("{}", "empty"),
    ("", "empty"),
];

/// Matchers with two names: the old one, and the one that its library prefers.
const ALIASES: [(&str, &str); 21] = [
    ("toBeCalled", "toHaveBeenCalled"),
    ("toBeCalledTimes", "toHaveBeenCalledTimes"),
    ("toBeCalledWith", "toHaveBeenCalledWith"),
    ("lastCalledWith", "toHaveBeenLastCalledWith"),
    ("nthCalledWith", "toHaveBeenNthCalledWith"),
    ("toReturn", "toHaveReturned"),
    ("toReturnTimes", "toHaveReturnedTimes"),
    ("toReturnWith", "toHaveReturnedWith"),
    ("lastReturnedWith", "toHaveLastReturnedWith"),
    ("nthReturnedWith", "toHaveNthReturnedWith"),
    ("toThrowError", "toThrow"),
    ("assertRegexpMatches", "assertRegex"),
    ("assertRaisesRegexp", "assertRaisesRegex"),
    ("assertItemsEqual", "assertCountEqual"),
    ("assertNotEquals", "assertNotEqual"),
    ("assertNotAlmostEquals", "assertNotAlmostEqual"),
    ("assertNotRegexpMatches", "assertNotRegex"),
    ("failUnlessEqual", "assertEqual"),
    ("failIfEqual", "assertNotEqual"),
    ("failUnlessRaises", "assertRaises"),
    ("failUnlessAlmostEqual", "assertAlmostEqual"),
];

/// A matcher, or a chain that ends with one, under the name that its library prefers.
pub fn preferred(how: &str) -> String {
    let last = how.rsplit('.').next().unwrap_or(how);
    let (before, _) = how.split_at(how.len() - last.len());
    let known = ALIASES.iter().find(|(old, _)| *old == last);
    format!("{before}{}", known.map_or(last, |(_, preferred)| preferred))
}

/// Whether another assertion demands the same in another form, although it counts as weaker or names another subject.
pub fn is_same_demand(a: &Assert, b: &Assert) -> bool {
    let is_same_subject = plain(&a.subject) == plain(&b.subject);
    let (how_a, how_b) = (a.how.to_ascii_lowercase(), b.how.to_ascii_lowercase());
    if b.strength == Strength::Nothing {
        return false;
    }
    if membership::of(a).is_some_and(|a| membership::of(b).is_some_and(|b| a == b)) {
        return true;
    }
    if calls_of(a).is_some_and(|a| calls_of(b).is_some_and(|b| a == b)) || answers::is_told(a, b) {
        return true;
    }
    if answers::is_narrowed(a, b) {
        return true;
    }
    // The same matcher is weaker if it was given less.
    let is_weaker = a.how == b.how && b.strength < a.strength;
    if !is_weaker && meaning::of(a).is_some_and(|a| meaning::of(b).is_some_and(|b| a == b)) || demand::is_same(a, b) {
        return true;
    }
    if errors::is_same_error(a, b) {
        return true;
    }
    let is_negated = |how: &str| ["not", "refute_", "wont_"].iter().any(|word| how.contains(word));
    if is_negated(&how_a) != is_negated(&how_b) && !asks_truth(b) || counts::is_limit_for(a, b) {
        return false;
    }
    is_predicate(a, b)
        || is_same_subject && (is_named(a, b, &how_b) || is_bare(a, b) || is_same_limit(a, b))
        || is_measured(a, b, &how_a, &how_b)
        || is_turned(a, b, &how_a, &how_b)
        || wholes::is_class_of(a, b)
        || is_same_subject && wholes::is_recorded_error(a, b)
        || answers::is_said_by_error(a, b)
        || b.strength > Strength::Nothing && emptied(a).is_some_and(|a| emptied(b).is_some_and(|b| a == b))
}

/// What an assertion says to be empty, as `plain` writes it: `x == []`, `x.isEmpty()`, `assert_empty x`, `x.length == 0`.
fn emptied(assert: &Assert) -> Option<String> {
    let how = assert.how.to_ascii_lowercase();
    let subject = plain(&assert.subject);
    let is_negated = ["not", "refute", "wont", "!=", "false", "falsy"].iter().any(|word| how.contains(word));
    let is_bare = matches!(assert.expected.trim(), "[]" | "{}" | "%{}" | "\"\"" | "''" | "()");
    let is_equal = assert.strength == Strength::Exact && is_bare || how.contains("empty");
    let is_measure =
        assert.strength >= Strength::Part && plain(&assert.expected).trim_end_matches(['u', 'U', 'l', 'L', 'z']) == "0";
    let asks = || {
        let ends = [".empty?", ".is_empty", ".isEmpty", ".empty"].iter().find_map(|end| subject.strip_suffix(end));
        let called = ["Enum.empty?", "empty?", "empty", "is_empty"]
            .iter()
            .find_map(|name| assert.subject.trim().strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')'));
        ends.map(str::to_string).or_else(|| called.map(plain))
    };
    let is_predicate = how.ends_with("predicate") && plain(&assert.expected).ends_with(":empty?");
    match () {
        () if is_negated || subject.is_empty() => None,
        () if is_equal || is_predicate => Some(subject),
        () if is_measure => measured(&assert.subject),
        () if asks_truth(assert) || assert.strength == Strength::Something && assert.expected.is_empty() => asks(),
        () => None,
    }
}

/// `x.containsKey(k) isTrue` and `x containsKey k`.
fn is_predicate(a: &Assert, b: &Assert) -> bool {
    let is_open = a.strength == Strength::Something || plain(&a.expected) == "true" || a.how.ends_with("rue");
    let asks =
        is_open && asks_truth(a) && !["not", "assertFalse", "toBeFalsy", "isFalse", "refute"].contains(&a.how.as_str());
    let is_true = a.strength == Strength::Exact && plain(&a.expected) == "true" && !a.how.contains("not");
    let is_asked = |expected: &str| plain(&a.subject) == plain(&format!("{}.{}({expected})", b.subject, b.how));
    asks && !b.expected.is_empty() && is_asked(&b.expected)
        || is_true && b.how.starts_with("is_") && b.expected.is_empty() && is_asked("")
}

/// `x == null` and `x toBeNull`.
fn is_named(a: &Assert, b: &Assert, how: &str) -> bool {
    let value = plain(&a.expected).to_ascii_lowercase();
    let is_value = a.strength == Strength::Exact && b.expected.is_empty() && !a.expected.trim().is_empty();
    is_value && NAMED.iter().any(|(known, word)| value == *known && how.contains(word))
}

/// `a == []` and `not a`.
fn is_bare(a: &Assert, b: &Assert) -> bool {
    asks_truth(b) && b.expected.is_empty() && a.how == "==" && BARE.contains(&a.expected.trim())
}

/// Two names of one limit.
fn is_same_limit(a: &Assert, b: &Assert) -> bool {
    let is_same = a.strength == Strength::Part && !a.expected.is_empty() && plain(&a.expected) == plain(&b.expected);
    is_same && b.strength == Strength::Something
}

/// `x.length == 2` and `x toHaveLength 2`.
fn is_measured(a: &Assert, b: &Assert, how_a: &str, how_b: &str) -> bool {
    let is_matcher = measures(how_b) && !b.expected.is_empty() && measured(&a.subject) == Some(plain(&b.subject));
    // `assertCountEqual` compares elements.
    let was_matcher = measures(how_a)
        && !how_a.contains("equal")
        && !a.expected.is_empty()
        && measured(&b.subject) == Some(plain(&a.subject));
    let is_same_value = !a.expected.is_empty() && plain(&a.expected) == plain(&b.expected) && a.how == b.how;
    let is_same_measure = is_same_value && measured(&a.subject).is_some_and(|of| measured(&b.subject) == Some(of));
    is_matcher || (was_matcher || is_same_measure) && b.strength >= Strength::Part
}

/// `x == y` and `y == x`; `x oneOf list` and `list toContain x`.
fn is_turned(a: &Assert, b: &Assert, how_a: &str, how_b: &str) -> bool {
    let is_turned = plain(&a.subject) == plain(&b.expected) && plain(&a.expected) == plain(&b.subject);
    let is_element = |how: &str| ["oneof", "bein", "isin"].iter().any(|word| how.contains(word)) || how == "in";
    let holds = |how: &str| ["contain", "include"].iter().any(|word| how.contains(word));
    is_turned && !a.expected.is_empty() && (b.strength >= a.strength || is_element(how_a) && holds(how_b))
}

/// Whether an assertion is a part of one about a whole value: a field of a value that it compares, or the text of an error that it
/// expects.
pub fn is_part_of(a: &Assert, b: &Assert) -> bool {
    b.strength >= Strength::Part
        && (is_field_of(a, b)
            || is_text_of(a, b)
            || demand::is_field(a, b)
            || is_compared_in(a, b)
            || is_one_call_of(a, b)
            || is_among(a, b)
            || is_link_of(a, b)
            || responses::is_of_response(a, b)
            || counts::is_element_in(a, b))
}

/// `f toHaveBeenCalledOnce` and `f toHaveBeenCalledWith x`, and `f toHaveBeenCalledExactlyOnceWith x`.
fn is_one_call_of(a: &Assert, b: &Assert) -> bool {
    let (how_a, how_b) = (a.how.to_ascii_lowercase(), b.how.to_ascii_lowercase());
    let is_python = how_b == "assert_called_once_with" || how_b == "assert_awaited_once_with";
    let is_once = how_b.ends_with("calledexactlyoncewith") || how_b.ends_with("calledonceexactly") || is_python;
    // `f.call_args == call(1)`
    let is_of_call = || {
        let arguments = a.expected.trim().trim_start_matches("mock.").strip_prefix("call(");
        let of = plain(&a.subject);
        arguments.is_some_and(|arguments| plain(arguments) == plain(&b.expected))
            && of.strip_suffix(".call_args") == Some(plain(&b.subject).as_str())
    };
    if is_python && is_of_call() {
        return true;
    }
    let is_value = how_a.ends_with("calledwith") && plain(&a.expected) == plain(&b.expected);
    let is_part =
        is_value || how_a.ends_with("calledonce") || how_a.ends_with("calledtimes") && plain(&a.expected) == "1";
    is_once && is_part && !how_b.contains("not") && !how_a.contains("not") && plain(&a.subject) == plain(&b.subject)
}

/// `x.a == 1` and `x == X(a=1, b=2)`; `x.a == y.a` and `f() == y`.
pub fn is_compared_in(a: &Assert, b: &Assert) -> bool {
    let how = b.how.to_ascii_lowercase();
    let (whole, expected) = (plain(&b.subject), plain(&b.expected));
    // The list of all calls says how many there were.
    let lists = ["call_args_list", "mock_calls", "mock.calls"];
    let of = lists.iter().find_map(|end| whole.strip_suffix(end)?.strip_suffix('.'));
    let is_call_with = |of: &str| a.how.to_ascii_lowercase().ends_with("calledwith") && plain(&a.subject) == of;
    let is_called = |of: &str| a.how.to_ascii_lowercase().ends_with("havebeencalled") && plain(&a.subject) == of;
    let has_call = |of: &str| {
        is_called(of) || is_call_with(of) && words(&a.expected).all(|word| words(&b.expected).any(|w| w == word))
    };
    if b.strength == Strength::Exact
        && of.is_some_and(|of| has_call(of) || calls_of(a).is_some_and(|(called, _)| called == of))
    {
        return !how.contains("not") && !how.contains("!=") && !is_open_value(&b.expected);
    }
    let is_open = how.contains("not") || how.contains("!=") || is_open_value(&b.expected) || whole == expected;
    if is_open || expected.is_empty() || a.expected.is_empty() {
        return false;
    }
    let rest = |of: &str, whole: &str| of.strip_prefix(whole).filter(|rest| rest.starts_with(['.', '['])).map(str::len);
    let (subject, value) = (plain(&a.subject), plain(&a.expected));
    // Both sides of the part are the same field, of the two values that the whole compares.
    // A part that one call takes of the whole: `array_keys(x)`.
    let is_call =
        |of: &str| of.strip_suffix(&whole).is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    let is_of_whole = rest(&subject, &whole).is_some() || whole.len() > 3 && subject != whole && is_call(&subject);
    let is_same_field = rest(&value, &expected).is_some_and(|len| subject.ends_with(&value[value.len() - len..]));
    let is_stated = || {
        let words: Vec<&str> = words(a.expected.trim_start_matches(['(', '%'])).filter(|word| *word != "w").collect();
        !words.is_empty() && words.iter().all(|word| self::words(&b.expected).any(|other| other == *word))
    };
    // What a name stands for is not known: all of the value is compared.
    let is_known = || is_stated() || counts::is_name(&b.expected);
    is_same_field || b.strength == Strength::Exact && is_of_whole && is_known()
}

/// `y["a"] == 1` and `x == {"a": 1, "b": 2}`: the last name of the part is a key of the whole.
pub fn is_key_of(a: &Assert, b: &Assert) -> bool {
    let subject = a.subject.trim_end_matches([']', '"', '\'']);
    let at = subject.rfind(['.', '[', '"', '\'', ':']).filter(|at| *at > 0);
    let name = at.map_or("", |at| &subject[at + 1..]);
    let is_key = |(at, _): (usize, &str)| {
        let is_begin = !b.expected[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let rest = b.expected[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        is_begin && rest.starts_with([':', '=']) && !rest.starts_with("==")
    };
    let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && b.expected.match_indices(name).any(is_key)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// `err.code == 1` and `rejects toMatchObject {code: 1}`.
fn is_field_of(a: &Assert, b: &Assert) -> bool {
    let is_keyed = b.how.ends_with("have_attributes") || b.expected.contains("=>");
    if !b.expected.contains('{') && !is_keyed || b.how.contains("not") {
        return false;
    }
    let value = |name: &str| {
        let is_key = |at: &usize| !b.expected[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let at = b.expected.match_indices(name).map(|(at, _)| at).find(is_key)?;
        let rest = b.expected[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        // `{code}` is the field and the variable of that name.
        let is_short = rest.starts_with(['}', ',']) && plain(&a.expected) == name;
        let stated = rest.strip_prefix(':').or_else(|| rest.strip_prefix("=>"));
        let value = stated.map(|value| value.split([',', '}', ')']).next().unwrap_or_default().trim());
        // A name in a pattern of ExUnit is bound, and compares nothing.
        let is_bound = |value: &str| {
            b.how == "=" && value.starts_with(char::is_lowercase) && value.chars().all(char::is_alphanumeric)
        };
        let is_stated = || value.is_some_and(|value| !is_anything(&plain(value)) && !is_bound(value));
        (is_short || is_stated()).then_some(())
    };
    let names = identifiers(&a.subject).skip(1).filter(|name| name.len() >= TELLING);
    // The last key may be short: `json["id"]`, `address.zip`.
    let last =
        a.subject.rsplit_once(['[', '.']).map(|(_, key)| key.trim_end_matches(']').trim_matches(['"', '\'', ':']));
    let key = last.filter(|key| key.len() > 1 && key.starts_with(char::is_alphabetic));
    names.chain(key).any(|name| value(name).is_some())
}

/// `x include "a"`, and `x include "a", "b"`.
fn is_among(a: &Assert, b: &Assert) -> bool {
    let holds = ["include", "contain", "have_key", "toHaveProperty"].iter().any(|word| a.how.contains(word));
    let of =
        |assert: &Assert| -> Vec<String> { lists::items(&assert.expected).iter().map(|item| plain(item)).collect() };
    let (few, many) = (of(a), of(b));
    let is_more = !few.is_empty() && few.len() < many.len() && few.iter().all(|item| many.contains(item));
    holds && a.how == b.how && !a.how.contains("not") && plain(&a.subject) == plain(&b.subject) && is_more
}

/// `x->names() toHaveCount 2`, and the chain `x names.toHaveCount 2`.
fn is_link_of(a: &Assert, b: &Assert) -> bool {
    let member = a.subject.rsplit(['.', '>']).next().map(plain).unwrap_or_default();
    let links: Vec<&str> = b.how.split('.').collect();
    let at = links.iter().position(|link| *link == member);
    let is_linked = at.is_some_and(|at| links[at..].contains(&a.how.as_str()));
    !member.is_empty()
        && is_linked
        && (a.expected.is_empty() || words(&a.expected).all(|word| words(&b.expected).any(|other| other == word)))
}

/// `err.message matches /must be a number/` and `rejects toThrow /must be a number/`.
fn is_text_of(a: &Assert, b: &Assert) -> bool {
    let how = b.how.to_ascii_lowercase();
    let is_throw = ["throw", "reject", "raise", "exception"].iter().any(|word| how.contains(word)) || how == "match";
    is_throw && is_about_error(a) && holds_words(&a.expected, &b.expected)
}

/// Whether an assertion compares how often a mock was called: `toHaveBeenCalledTimes`.
pub fn counts_calls(a: &Assert) -> bool {
    ["CalledTimes", "ReturnedTimes"].iter().any(|end| a.how.ends_with(end)) && !a.how.contains("not")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Exact, Part, Something};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn one_demand_has_several_forms() {
        let equal = |subject: &str, expected: &str| assert("equal", subject, expected, Exact);
        for (a, b, is_same) in [
            (equal("x", "undefined"), assert("toBeUndefined", "x", "", Something), true),
            (equal("x", "undefined"), assert("toBeDefined", "x", "", Something), false),
            (equal("x", "undefined"), assert("toBeUndefined", "y", "", Something), false),
            (equal("x", "undefined"), assert("not.toBeUndefined", "x", "", Something), false),
            (equal("x", "true"), assert("toBeTruthy", "x", "", Something), false),
            (equal("x", "5"), assert("toBeNull", "x", "", Something), false),
            (equal("x.length", "2"), assert("toHaveLength", "x", "2", Part), true),
            (equal("x.length", "2"), assert("toHaveLength", "y", "2", Part), false),
            (assert("toHaveLength", "x", "2", Part), equal("x.length", "2"), true),
            (assert("oneOf", "x", "list", Exact), assert("toContain", "list", "x", Part), true),
            (equal("x", "list"), assert("toContain", "list", "x", Part), false),
            (equal("x", "y"), equal("y", "x"), true),
            (assert("isTrue", "x.containsKey(k)", "", Something), assert("containsKey", "x", "k", Part), true),
            (assert("isFalse", "x.containsKey(k)", "", Something), assert("containsKey", "x", "k", Part), false),
            (assert("isTrue", "x.containsKey(k)", "", Something), assert("containsKey", "x", "j", Part), false),
        ] {
            assert_eq!(is_same_demand(&a, &b), is_same, "{a:?} {b:?}");
        }
    }

    #[test]
    fn an_assertion_about_a_whole_holds_those_about_its_parts() {
        let code = assert("equal", "error.code", "5", Exact);
        let text = assert("match", "error.message", "/must be a number/", Part);
        let whole = |expected: &str| assert("rejects.toMatchObject", "f()", expected, Part);
        let throws = |expected: &str| assert("rejects.toThrow", "f()", expected, Part);
        assert!(is_part_of(&code, &whole("{code: 6}")));
        assert!(!is_part_of(&code, &whole("{code: expect.anything()}")));
        assert!(!is_part_of(&code, &whole("{barcode: 5}")));
        let named = assert("equal", "error.code", "code", Exact);
        assert!(is_part_of(&named, &whole("{code}")) && is_part_of(&named, &whole("{name, code}")));
        assert!(!is_part_of(&code, &whole("{code}")) && !is_part_of(&named, &whole("{barcode}")));
        assert!(is_part_of(&text, &throws("'this must be a number'")));
        assert!(!is_part_of(&text, &throws("'this must be'")));
        assert!(!is_part_of(&text, &throws("")));
        assert!(!is_part_of(&assert("equal", "slug(x)", "'drops commas'", Exact), &throws("'drops commas'")));
        let name = assert("==", "user.name", "\"ada\"", Exact);
        for (how, subject, expected, strength, is_part) in [
            ("==", "user", "User(name=\"ada\", age=3)", Exact, true),
            ("==", "user", "User(name=\"bob\", age=3)", Exact, false),
            ("==", "user", "User(name=mock.ANY, ada=3)", Exact, false),
            ("==", "user", "user", Exact, false),
            ("!=", "user", "User(name=\"ada\")", Exact, false),
            ("toContain", "user", "ada", Part, false),
            ("==", "username", "\"ada\"", Exact, false),
        ] {
            assert_eq!(is_part_of(&name, &assert(how, subject, expected, strength)), is_part, "{how} {expected}");
        }
        let with = |how: &str, expected: &str| assert(how, "f", expected, Part);
        let once = with("toHaveBeenCalledExactlyOnceWith", "1");
        assert!(is_part_of(&with("toHaveBeenCalledOnce", ""), &once));
        assert!(is_part_of(&with("toHaveBeenCalledWith", "1"), &once));
        assert!(!is_part_of(&with("toHaveBeenCalledWith", "2"), &once));
        assert!(!is_part_of(&with("toHaveBeenCalledTimes", "2"), &once));
        let status = assert("eq", "actual.status", "response.status", Exact);
        assert!(is_part_of(&status, &assert("eq_response", "get(\"/\")", "response", Part)));
        assert!(!is_part_of(&status, &assert("eq_response", "get(\"/\")", "other", Part)));
        assert!(!is_part_of(&status, &assert("eq", "actual.body", "response.body", Exact)));
    }
}
