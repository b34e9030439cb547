//! Reduced assertions: about less of the same value, about a value with a default, or with more values that fit.

use super::features::plain;
use super::lists::items;
use super::{options, tolerance};
use crate::outline::{Assert, Strength};

/// Functions around a subject that many values give the same result for, without blanks.
const AROUND: [&str; 30] = [
    "Math.round(",
    "Math.floor(",
    "Math.ceil(",
    "Math.trunc(",
    "Math.sign(",
    "Math.abs(",
    "parseInt(",
    "typeof",
    "Object.keys(",
    "Array.isArray(",
    "Boolean(",
    "!!",
    "round(",
    "int(",
    "bool(",
    "abs(",
    "type(",
    "floor(",
    "ceil(",
    "(int)",
    "(bool)",
    "intval(",
    "boolval(",
    "gettype(",
    "strtolower(",
    "strtoupper(",
    "is_array(",
    "is_list(",
    "strings.ToLower(",
    "strings.ToUpper(",
];

/// The same as ends of a subject.
const BEHIND: [&str; 31] = [
    ".toLowerCase()",
    ".toUpperCase()",
    ".lower()",
    ".upper()",
    ".casefold()",
    ".downcase",
    ".upcase",
    ".to_lowercase()",
    ".to_uppercase()",
    ".to_ascii_lowercase()",
    ".lowercase()",
    ".uppercase()",
    ".lowercased()",
    ".uppercased()",
    ".ToLower()",
    ".ToUpper()",
    ".slice(",
    ".substring(",
    ".substr(",
    ".charAt(",
    ".toFixed(",
    ".round",
    ".floor",
    ".ceil",
    ".trunc()",
    ".keys()",
    ".keys",
    ".first(",
    ".take(",
    ".constructor",
    ".class",
];

/// Calls whose last argument is given if there is no value.
const DEFAULTS: [&str; 13] = [
    ".get",
    ".fetch",
    ".unwrap_or",
    ".getOrDefault",
    ".orElse",
    ".getOrElse",
    ".GetValueOrDefault",
    ".dig",
    ".pop",
    "getattr",
    ".value_or",
    ".ifEmpty",
    "Map.get",
];

/// Words of values that stand for many, in lower case, beside those that stand for all.
const OPEN: [&str; 14] = [
    "objectcontaining",
    "arraycontaining",
    "stringcontaining",
    "stringmatching",
    "hash_including",
    "array_including",
    "a_kind_of",
    "an_instance_of",
    "instance_of(",
    "kind_of(",
    "any_args",
    "any(",
    "match.any",
    "be_a(",
];

/// Words for all elements, and those for some of them.
const QUANTIFIERS: [(&str, &str); 10] = [
    ("all(", "include("),
    ("every(", "some("),
    ("all(", "any("),
    ("all?", "any?"),
    ("allMatch", "anyMatch"),
    ("allSatisfy", "anySatisfy"),
    ("All(", "Any("),
    (".all{", ".any{"),
    ("allSatisfy", "contains"),
    ("shouldForAll", "shouldForAny"),
];

/// Words in names of matchers that leave differences out, in lower case.
const IGNORING: [&str; 6] = ["ignoring", "canonicaliz", "caseinsensitive", "ignorecase", "equalfold", "strcaseeq"];

/// Calls in options of comparisons that leave parts of values out, in lower case.
const LEAVING: [&str; 8] = [
    "excluding(",
    "excludingmissing",
    "cmpopts.ignorefields",
    "cmpopts.ignoremapentries",
    "cmpopts.ignoresliceelements",
    "ignoringfields(",
    "ignorecase:true",
    "ignorecase: true",
];

/// Whether an assertion is about less of what an older one was about, or fits more of it.
pub fn is_reduced(a: &Assert, b: &Assert) -> bool {
    is_about_less(a, b)
        || is_near(a, b)
        || is_defaulted(a, b)
        || is_alternative(a, b)
        || is_other_pattern(a, b)
        || is_one_of(a, b)
        || is_for_some(a, b)
}

/// Whether an assertion of the same subject fits more: a part of the value stands for many, or differences are left out.
pub fn is_opened(a: &Assert, b: &Assert) -> bool {
    let (before, after) = (a.expected.to_ascii_lowercase(), b.expected.to_ascii_lowercase());
    let is_open = OPEN.iter().any(|word| after.contains(word) && !before.contains(word));
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(str::to_string).collect()
    };
    let kept = words(&after);
    // What was named before is named still.
    let is_named = !before.is_empty() && words(&before).iter().all(|word| kept.contains(word));
    let (how_a, how_b) = (a.how.to_ascii_lowercase(), b.how.to_ascii_lowercase());
    let ignores = |how: &str| IGNORING.iter().any(|word| how.replace('_', "").contains(word));
    let links: Vec<&str> = a.how.split('.').collect();
    let is_link = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let is_added = |link: &str| {
        b.how.split('.').any(|other| is_link(other, link)) && !links.iter().any(|other| is_link(other, link))
    };
    // Options of a comparison that leave parts out: `o => o.Excluding(…)`, `ignoringFields("a")`.
    let leaves_out = |text: &str| LEAVING.iter().any(|word| text.contains(word));
    if leaves_out(&after) && !leaves_out(&before) {
        return true;
    }
    let is_looser =
        a.how.rsplit('.').next() == b.how.rsplit('.').next() && ["include", "any"].into_iter().any(is_added);
    options::is_loosened(a, b)
        || is_for_some(a, b)
        || is_open && !is_named
        || ignores(&how_b) && !ignores(&how_a)
        || is_looser
        || is_added("or")
}

/// `x.toLowerCase() toBe "a"` instead of `x toBe "a"`.
fn is_about_less(a: &Assert, b: &Assert) -> bool {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (old, new) = (bare(&a.subject), bare(&b.subject));
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_reduced = |(at, _): (usize, &str)| {
        let (before, behind) = (&new[..at], &new[at + old.len()..]);
        // The name of a function may end with the text of the subject, and `typeof` stands before it without a blank.
        let is_whole = !before.ends_with(is_part) || AROUND.iter().any(|name| before.ends_with(name));
        let is_around = AROUND.iter().any(|name| before.ends_with(name)) && !behind.starts_with(is_part);
        let is_behind = BEHIND.iter().any(|name| {
            let rest = behind.strip_prefix(name);
            rest.is_some_and(|rest| name.ends_with('(') || !rest.starts_with(is_part))
        });
        is_whole && (is_around || is_behind)
    };
    let is_other = !old.is_empty() && old != new;
    is_other && a.strength >= Strength::Part && !a.how.contains("not") && new.match_indices(&old).any(is_reduced)
}

/// How far a value may be from the expected one, if only their difference is limited.
const NEAR: f64 = 0.01;

/// `Math.abs(x - 3) toBeLessThan 5` instead of `x toBe 3`.
fn is_near(a: &Assert, b: &Assert) -> bool {
    let (subject, how) = (b.subject.to_ascii_lowercase(), b.how.to_ascii_lowercase());
    let (old, value, new) = (plain(&a.subject), plain(&a.expected), plain(&b.subject));
    let is_limit = ["less", "below", "<"].iter().any(|word| how.contains(word));
    let is_difference = subject.contains("abs") && !a.subject.to_ascii_lowercase().contains("abs");
    let is_far = tolerance::number(&b.expected).is_none_or(|limit| limit > NEAR);
    is_limit && is_difference && is_far && !value.is_empty() && new.contains(&old) && new.contains(&value)
}

/// `x ?? 3 toBe 3`: without a value it holds, too.
fn is_defaulted(a: &Assert, b: &Assert) -> bool {
    let (expected, subject) = (plain(&b.expected), b.subject.trim());
    let is_value = !expected.is_empty() && plain(&a.expected) == expected && a.subject != b.subject;
    let is_it = |text: &str| plain(text) == expected;
    let by_sign =
        || ["??", "||", " or ", "?:"].iter().any(|sign| subject.rsplit_once(sign).is_some_and(|(_, last)| is_it(last)));
    let by_call = || {
        let Some((head, arguments)) = subject.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) else {
            return false;
        };
        let last = items(arguments).last().copied().unwrap_or_default();
        DEFAULTS.iter().any(|name| head.ends_with(name)) && is_it(last)
    };
    is_value && (by_sign() || by_call())
}

/// `x === 3 || x === undefined`: one of several conditions is enough.
fn is_alternative(a: &Assert, b: &Assert) -> bool {
    let signs = ["||", " or "];
    let (subject, value, all) = (plain(&a.subject), plain(&a.expected), plain(&b.subject));
    let is_one = a.strength >= Strength::Part && !value.is_empty() && all.contains(&subject) && all.contains(&value);
    let was_one = signs.iter().any(|sign| a.subject.contains(sign));
    is_one && !was_one && signs.iter().any(|sign| b.subject.contains(sign)) && b.subject.contains("==")
}

/// `matches!(x, A | B)` instead of `matches!(x, A)`, and `matches!(x, A { a: 1, .. })` instead of `x == A { a: 1, b: 2 }`.
fn is_other_pattern(a: &Assert, b: &Assert) -> bool {
    let bars = |text: &str| text.replace("||", "").matches('|').count();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(str::to_string).collect()
    };
    let (old, new) = (words(&format!("{} {}", a.subject, a.expected)), words(&b.subject));
    let is_same = a.how == b.how && bars(&b.subject) > bars(&a.subject) && old.iter().all(|word| new.contains(word));
    let is_rest = a.strength == Strength::Exact
        && b.expected.is_empty()
        && b.subject.contains("..}")
        && plain(&b.subject).starts_with(&plain(&a.subject))
        && !old.iter().all(|word| new.contains(word));
    is_same && b.how == "assert" || is_rest
}

/// `[3, 4] toContain x` instead of `x toBe 3`.
fn is_one_of(a: &Assert, b: &Assert) -> bool {
    let list = b.subject.trim();
    let is_list = list.starts_with(['[', '(']) && items(list.trim_matches(['[', ']', '(', ')'])).len() > 1;
    a.strength >= Strength::Part && is_list && plain(&b.expected) == plain(&a.subject) && !a.subject.is_empty()
}

/// `x.some(f)` instead of `x.every(f)`.
fn is_for_some(a: &Assert, b: &Assert) -> bool {
    let text = |assert: &Assert| {
        let text = format!("{}({}({}", assert.how, assert.subject, assert.expected);
        text.chars().filter(|c| !c.is_whitespace()).collect::<String>()
    };
    let (before, after) = (text(a), text(b));
    QUANTIFIERS.iter().any(|(all, some)| before.contains(all) && before.replace(all, some) == after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Exact, Part, Something};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn less_of_a_value_is_reduced() {
        let whole = assert("toBe", "x.name", "\"a\"", Exact);
        for subject in ["x.name.toLowerCase()", "x.name.slice(0,1)", "typeof x.name", "Object.keys(x.name)"] {
            assert!(is_reduced(&whole, &assert("toBe", subject, "\"a\"", Exact)), "{subject}");
        }
        for subject in ["x.name.first_part", "x.names", "parse(x.name)", "x.name", "x.name.value"] {
            assert!(!is_reduced(&whole, &assert("toBe", subject, "\"a\"", Exact)), "{subject}");
        }
    }

    #[test]
    fn a_value_that_may_be_missing_is_reduced() {
        let value = assert("==", "x[\"a\"]", "5", Exact);
        for subject in ["x.get(\"a\",5)", "x[\"a\"] or 5", "x[\"a\"]??5", "x.map(f).unwrap_or(5)", "x.first() ?: 5"] {
            assert!(is_reduced(&value, &assert("==", subject, "5", Exact)), "{subject}");
        }
        for subject in ["x.get(\"a\",6)", "x.get(\"a\")", "x[\"b\"]"] {
            assert!(!is_reduced(&value, &assert("==", subject, "5", Exact)), "{subject}");
        }
    }

    #[test]
    fn one_of_several_values_or_elements_is_reduced() {
        let value = assert("toBe", "x", "3", Exact);
        assert!(is_reduced(&value, &assert("toBe", "x===3||x===undefined", "true", Exact)));
        assert!(!is_reduced(&value, &assert("toBe", "y===3&&x===3", "true", Exact)));
        assert!(is_reduced(&value, &assert("toContain", "[3,4]", "x", Part)));
        assert!(!is_reduced(&value, &assert("toContain", "[3]", "x", Part)));
        let all = assert("toBe", "x.every((y)=>y>1)", "true", Exact);
        assert!(is_reduced(&all, &assert("toBe", "x.some((y)=>y>1)", "true", Exact)));
        assert!(!is_reduced(&all, &assert("toBe", "x.some((y)=>y>2)", "true", Exact)), "another condition");
        let chain = assert("allMatch", "x", "f", Part);
        assert!(is_reduced(&chain, &assert("anyMatch", "x", "f", Part)));
    }

    #[test]
    fn a_value_that_stands_for_many_is_opened() {
        let whole = assert("toEqual", "x", "{name:\"a\",age:3}", Exact);
        let is = |how: &str, expected: &str| is_opened(&whole, &assert(how, "x", expected, Exact));
        assert!(is("toEqual", "expect.objectContaining({})"));
        assert!(is("toEqual", "expect.objectContaining({name:\"a\"})"));
        assert!(!is("toEqual", "expect.objectContaining({name:\"a\",age:3})"), "all is named");
        assert!(is("toEqual", "{name:\"a\",age:expect.any(Number)}"));
        assert!(!is("toStrictEqual", "{name:\"a\",age:3}"));
        let of = |before: &str, after: &str| {
            is_opened(&assert(before, "x", "\"a\"", Exact), &assert(after, "x", "\"a\"", Something))
        };
        assert!(of("assertSame", "assertEqualsIgnoringCase") && of("to.have.members", "to.include.members"));
        assert!(of("eq", "eq.or") && of("isEqualTo", "ignoringFields.isEqualTo"));
        assert!(!of("to.include.members", "to.have.members") && !of("toBe", "toEqual"));
    }
}
