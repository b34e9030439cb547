//! Facts: what was asked loosely of a value or of a part of it, where the whole value is compared now with one that is written out.

use super::values::is_open_value;
use crate::outline::{Assert, Strength};

/// How values begin that are written out.
/// Without blanks, as `bare` writes them.
const WRITTEN: [&str; 18] = [
    "[",
    "{",
    "%{",
    "&[",
    "vec![",
    "(\"",
    "([",
    "\"",
    "List.of(",
    "Set.of(",
    "Map.of(",
    "Arrays.asList(",
    "listOf(",
    "setOf(",
    "mapOf(",
    "ElementsAre",
    "array(",
    "new[]",
];

/// Functions that tell something of a value: its size, its kind, what it holds.
const TELLING: [&str; 48] = [
    "is_map",
    "is_list",
    "is_array",
    "is_string",
    "is_binary",
    "is_integer",
    "isset",
    "empty",
    "count",
    "sizeof",
    "len",
    "length",
    "size",
    "in_array",
    "array_key_exists",
    "has_key?",
    "key?",
    "member?",
    "empty?",
    "Map",
    "Enum",
    "List",
    "String",
    "Array",
    "isArray",
    "Object",
    "keys",
    "values",
    "not",
    "strlen",
    "str_contains",
    "strpos",
    "Keyword",
    "map_size",
    "hd",
    "isinstance",
    "bool",
    "Boolean",
    "at",
    "first",
    "last",
    "tl",
    "elem",
    "fetch!",
    "all?",
    "any?",
    "every",
    "some",
];

/// Functions that ask something of each element.
const OF_EACH: [&str; 6] = ["all?", "any?", "every", "some", "all", "any"];

/// Functions that tell the type of a value, each with whether it is text; otherwise it is a number.
const TYPES: [(&str, bool); 7] = [
    ("is_int", false),
    ("is_integer", false),
    ("is_float", false),
    ("is_numeric", false),
    ("is_number", false),
    ("is_string", true),
    ("is_binary", true),
];

/// Words of matchers that ask how something was called.
const CALLS: [&str; 6] = ["verify", "interactions", "called", "receive", "times", "expect_call"];

/// Whether an assertion compares a whole value with one that is written out.
pub fn is_whole(b: &Assert) -> bool {
    let how = b.how.to_ascii_lowercase();
    let is_negated = how.contains("not") || how.contains("!=") || how.contains("refute");
    if b.strength != Strength::Exact || is_negated || is_of_mock(b) || is_open_value(&b.expected) {
        return false;
    }
    let expected = bare(&b.expected);
    b.how == "ElementsAre" || WRITTEN.iter().any(|begin| expected.starts_with(begin)) || is_record(&expected)
}

fn is_of_mock(assert: &Assert) -> bool {
    let how = assert.how.to_ascii_lowercase();
    CALLS.iter().any(|word| how.contains(word))
}

/// Whether an assertion told a fact of a value that another one compares whole (`is_whole`). What it named must stand in the value.
pub fn is_stated(a: &Assert, b: &Assert) -> bool {
    if is_of_mock(a) {
        return false;
    }
    let expected = bare(&b.expected);
    let whole = bare(&b.subject);
    let whole = whole.trim_start_matches(['*', '&', '!']);
    // The order tells nothing of what is in it.
    let sorted = ["Enum.sort(", "sorted("].iter().find_map(|call| whole.strip_prefix(call)?.strip_suffix(')'));
    let whole = sorted.unwrap_or(whole);
    let subject = bare(&a.subject);
    if a.how == "not in" && bare(&a.expected) == whole {
        return !expected.contains(&subject);
    }
    if matches!(a.how.as_str(), "in" | "assertIn" | "assertContains") {
        let holder = bare(&a.expected);
        let is_text = subject.len() > 2 && subject.starts_with('"');
        let of_part = || around(&holder, whole).is_some_and(|(before, after)| before.is_empty() && only_members(after));
        return is_text && of_part() && expected.contains(subject.trim_matches('"'));
    }
    let Some((before, after)) = around(&subject, whole) else { return false };
    if before.is_empty() && after.is_empty() && !a.expected.is_empty() && a.how != "isinstance" {
        // Another comparison of the same value.
        return false;
    }
    let how = a.how.to_ascii_lowercase();
    let is_denied = subject.starts_with('!') || ["not", "refute", "false", "!="].iter().any(|word| how.contains(word));
    let asked = bare(&a.expected);
    let mut texts = texts(before).chain(texts(after)).chain(texts(&asked));
    let is_known = |name: &str| TELLING.contains(&name);
    // A number may be the size of the value.
    let has_numbers = names(after).chain(names(before)).any(is_known)
        || numbers(&a.expected).all(|number| numbers(&expected).any(|other| other == number));
    let has_texts = texts.all(|text| expected.contains(text));
    // `isinstance(hit, Hit)`, and the value is a `Hit(…)`.
    let is_instance = |name: &str| before.starts_with("isinstance(") && after == format!(",{name})");
    if expected.split(['(', '{']).next().is_some_and(is_instance) {
        return true;
    }
    let asks_each = names(before).any(|name| OF_EACH.contains(&name))
        && names(after).all(|name| is_known(name) || name == "String");
    names(before).all(is_known) && (asks_each || only_members(after)) && (is_denied || has_texts && has_numbers)
}

/// Whether an assertion asked for the type of a value that another one compares strictly with a literal of that type.
pub fn is_of_type(a: &Assert, b: &Assert) -> bool {
    let subject = bare(&a.subject);
    let how = b.how.to_ascii_lowercase();
    let is_strict =
        b.strength == Strength::Exact && !["not", "!=", "refute", "assertequals"].iter().any(|word| how.contains(word));
    let literal = bare(&b.expected);
    let is_literal = |is_text: bool| match is_text {
        true => literal.starts_with('"'),
        false => literal.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()),
    };
    is_strict
        && TYPES.iter().any(|(name, is_text)| {
            let value = subject.strip_prefix(name).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
            value.is_some_and(|value| value == bare(&b.subject)) && is_literal(*is_text)
        })
}

/// Whether code makes a record of values that are written out: `Endpoint(host="a", port=80)`, `&Order{Total: 9}`.
fn is_record(code: &str) -> bool {
    let name = code.trim_start_matches('&').trim_start_matches("new");
    let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(name.len());
    let last = name[..end].rsplit(['.', ':']).next().unwrap_or_default();
    let is_type = last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase)
        || last.len() > 1 && last.chars().all(char::is_uppercase);
    let is_written = name[end..].contains(|c: char| c == '"' || c.is_ascii_digit());
    // A value of Go without fields has the zero value in each.
    is_type && (name[end..].starts_with(['(', '{']) && is_written || &name[end..] == "{}")
}

/// The numbers in a piece of code.
fn numbers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// `x.valid? == true` and `%X{valid?: true} = x`.
pub fn is_in_pattern(a: &Assert, b: &Assert) -> bool {
    let (whole, pattern) = (bare(&b.subject), bare(&b.expected));
    let subject = bare(&a.subject);
    let name = subject.strip_prefix(whole.as_str()).and_then(|rest| rest.strip_prefix('.'));
    let is_pattern = pattern.starts_with('%') && b.strength >= Strength::Part && !b.how.contains("refute");
    is_pattern
        && name.is_some_and(|name| pattern.contains(&format!("{name}:{}", bare(&a.expected))) && !a.expected.is_empty())
}

/// Code without blanks, its texts in one kind of quotes.
fn bare(code: &str) -> String {
    let code = code.trim_start_matches("await ").trim_start_matches("try ");
    let bare: String = code.chars().filter(|c| !c.is_whitespace()).map(|c| if c == '\'' { '"' } else { c }).collect();
    // A link of a chain that ends where there is no value.
    bare.replace("?.", ".").replace("!!.", ".").replace("!.", ".")
}

/// What stands before and behind a value in other code.
fn around<'a>(code: &'a str, value: &str) -> Option<(&'a str, &'a str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_whole = |at: &usize| {
        !code[..*at].ends_with(|c: char| is_part(c) || matches!(c, '.' | '>'))
            && !code[*at + value.len()..].starts_with(is_part)
    };
    let is_name = value.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@'));
    let at = code.match_indices(value).map(|(at, _)| at).find(is_whole).filter(|_| is_name)?;
    Some((&code[..at], &code[at + value.len()..]))
}

/// The names in a piece of code that stand in no text.
fn names(code: &str) -> impl Iterator<Item = &str> {
    let outside = code.split('"').step_by(2);
    let words = outside.flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '?'))));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The texts in a piece of code.
fn texts(code: &str) -> impl Iterator<Item = &str> {
    code.split(['"', '\'']).skip(1).step_by(2).filter(|text| !text.is_empty())
}

/// Whether code behind a value only names members of it and constants.
fn only_members(code: &str) -> bool {
    let constants = [
        "list",
        "dict",
        "str",
        "tuple",
        "set",
        "int",
        "float",
        "bool",
        "Array",
        "Object",
        "true",
        "false",
        "null",
        "nil",
        "None",
        "True",
        "False",
        "undefined",
    ];
    names(code).all(|name| {
        let at = name.as_ptr() as usize - code.as_ptr() as usize;
        constants.contains(&name) || code[..at].ends_with(['.', '>', ':'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_fact_is_stated_by_the_whole_value() {
        let whole = |how: &str, subject: &str, expected: &str| assert(how, subject, expected, Strength::Exact);
        let fact = |how: &str, subject: &str, expected: &str| assert(how, subject, expected, Strength::Something);
        for (a, b) in [
            (whole("==", "order->front()", "\"core\""), whole("ElementsAre", "*order", "[\"core\", \"app\"]")),
            (fact("assert", "is_map(result)", ""), whole("==", "result", "%{\"db\" => %{}}")),
            (fact("assert", "Map.has_key?(result, \"db\")", ""), whole("==", "result", "%{\"db\" => %{}}")),
            (fact("assertTrue", "isset($m->parts['id'])", ""), whole("assertSame", "$m->parts", "['id' => '42']")),
            (fact("assertNotNull", "buckets[1]", ""), whole("assertEquals", "buckets", "mapOf(1 to 2)")),
            (fact("refute", "Enum.member?(list, 4)", "true"), whole("==", "Enum.sort(list)", "[1, 2]")),
            (
                whole("XCTAssertEqual", "color?.green", "128"),
                whole("XCTAssertEqual", "color", "RGB(red: 0, green: 128)"),
            ),
            (whole("==", "endpoint.path", "\"/\""), whole("==", "endpoint", "Endpoint(port=443, path=\"/\")")),
            (fact("beGreaterThan", "names.count", "1"), whole("equal", "names", "[\"high\", \"low\"]")),
            (fact("Empty", "a.Name", ""), whole("Equal", "a", "Agent{}")),
            (whole("==", "Enum.at(lines,0)", "\"the quick\""), whole("==", "lines", "[\"the quick\"]")),
            (fact("in", "\"bolt\"", "report[0]"), whole("assertListEqual", "report", "[\"bolt: 100\"]")),
            (fact("not in", "\"\"", "lines"), whole("==", "lines", "[\"abc\"]")),
            (whole("==", "hd(lines)", "\"abc\""), whole("==", "lines", "[\"abc\", \"def\"]")),
            (fact("assert", "Enum.all?(lines,&(String.length(&1)<=10))", ""), whole("==", "lines", "[\"abc\"]")),
            (
                whole("XCTAssertEqual", "feed?.entries.first?.id", "\"urn:1\""),
                whole("XCTAssertEqual", "feed.entries", "[Entry(id: \"urn:1\")]"),
            ),
        ] {
            assert!(is_whole(&b) && is_stated(&a, &b), "{a:?} {b:?}");
        }
        for (a, b) in [
            (whole("==", "order->front()", "\"core\""), whole("==", "*order", "[\"lib\", \"app\"]")),
            (fact("assert", "is_valid(result)", ""), whole("==", "result", "%{}")),
            (
                whole("XCTAssertEqual", "color?.green", "128"),
                whole("XCTAssertEqual", "color", "RGB(red: 0, green: 12)"),
            ),
            (whole("==", "endpoint.path", "\"/\""), whole("==", "endpoint", "make(\"/\")")),
            (fact("assert", "is_map(results)", ""), whole("==", "result", "%{}")),
            (fact("assert", "is_map(result)", ""), whole("==", "result", "expected")),
            (fact("assert", "is_map(result)", ""), whole("!=", "result", "%{}")),
            (fact("toBe", "x.list.includes(other)", ""), whole("toEqual", "x.list", "[1]")),
            (fact("assert", "Enum.all?(lines,&Wrap.fits?/1)", ""), whole("==", "lines", "[\"abc\"]")),
            (fact("Empty", "a.Name", ""), whole("Equal", "a", "agent{}")),
            (fact("in", "\"bolt\"", "report[0]"), whole("assertListEqual", "report", "[\"nut: 80\"]")),
            (fact("not in", "\"abc\"", "lines"), whole("==", "lines", "[\"abc\"]")),
        ] {
            assert!(!is_whole(&b) || !is_stated(&a, &b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_strict_comparison_with_a_literal_states_the_type() {
        let asked = |name: &str| assert("assertTrue", &format!("{name}($x->left(1))"), "", Strength::Something);
        let same = |how: &str, expected: &str| assert(how, "$x->left(1)", expected, Strength::Exact);
        assert!(is_of_type(&asked("is_int"), &same("assertSame", "15")));
        assert!(is_of_type(&asked("is_string"), &same("assertSame", "'a'")));
        assert!(!is_of_type(&asked("is_int"), &same("assertEquals", "15")), "15 == \"15\"");
        assert!(!is_of_type(&asked("is_int"), &same("assertSame", "'15'")));
        assert!(!is_of_type(&asked("is_int"), &same("assertNotSame", "15")));
    }
}
