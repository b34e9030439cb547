//! Counts: assertions of how many elements something has, beside those of a limit and those of the elements themselves.

use super::features::plain;
use super::limits::is_limit;
use super::lists;
use super::values::is_open_value;
use super::{lengths, mock_calls};
use crate::outline::{Assert, Strength};

/// Ends of subjects that have as many elements as what stands before.
const KEEPING: [&str; 9] =
    [".to_a", ".to_vec", ".to_list", ".toArray", ".toList", ".as_slice", ".sort", ".sorted", ".entries"];

/// What an assertion counts, as `plain` writes it: `x.size == 2`, `assertCount(2, x)`. None for a limit.
pub fn counted(assert: &Assert) -> Option<String> {
    let how = assert.how.to_ascii_lowercase();
    let is_matcher = lengths::measures(&how)
        && (!how.contains("equal") || how.contains("count.equal"))
        && !assert.expected.is_empty();
    match () {
        () if how.contains("not") || is_limit(assert) => None,
        () if is_matcher => Some(plain(&assert.subject)),
        () if assert.strength >= Strength::Part => lengths::measured(&assert.subject),
        () => None,
    }
}

/// Whether a number of elements was asserted, and now only a limit of it.
pub fn is_limit_for(a: &Assert, b: &Assert) -> bool {
    let subject = lengths::measured(&b.subject).unwrap_or_else(|| plain(&b.subject));
    let is_called = || {
        let of = mock_calls::called(&b.subject).unwrap_or_else(|| subject.clone());
        mock_calls::calls_of(a).is_some_and(|(called, _)| called == of)
    };
    if is_limit(b) && is_called() {
        return true;
    }
    is_limit(b) && counted(a).is_some_and(|counted| counted == subject)
}

/// Whether all of a value was compared, and now only how many elements it has.
pub fn is_count_of(a: &Assert, b: &Assert) -> bool {
    let is_whole = a.strength == Strength::Exact && !a.expected.is_empty() && counted(a).is_none();
    is_whole && counted(b).is_some_and(|counted| counted == plain(&a.subject))
}

/// Whether the elements that an assertion counted are compared now: `x.size == 2`, and `x.map(f) == [1, 2]`.
pub fn is_count_in(a: &Assert, b: &Assert) -> bool {
    let Some(counted) = counted(a).filter(|counted| !counted.is_empty()) else { return false };
    let expected = b.expected.trim().trim_start_matches(['(', '&']);
    let is_list = expected.starts_with(['[', '%', '{'])
        || expected.starts_with("vec!")
        || listed(expected).is_some()
        || is_name(expected);
    let elements =
        ["contain_exactly", "match_array", "containsExactly", "toHaveExactly", "ElementsAre", "ElementsMatch"];
    let is_of_all = is_list || elements.iter().any(|how| b.how.starts_with(how));
    let subject = plain(&b.subject);
    let rest = subject.strip_prefix(counted.as_str()).unwrap_or("?");
    let is_same =
        base(&subject) == base(&counted) || [".map", ".collect", ".pluck"].iter().any(|call| rest.starts_with(call));
    b.strength == Strength::Exact && is_of_all && is_same && !is_open_value(&b.expected)
}

/// Whether one list of values holds what an assertion demands of an element: `x[1].name == "b"`, and `names == ["a", "b"]`. The number
/// of elements is that of the list.
pub fn is_element_in(a: &Assert, b: &Assert) -> bool {
    let Some(list) = listed(&b.expected) else { return false };
    let values: Vec<String> = lists::items(list).iter().map(|item| plain(item)).collect();
    let is_value = || a.subject.contains('[') && values.contains(&plain(&a.expected));
    // One bare value may be a number.
    let is_list = values.len() > 1 || list.contains(['{', '"', '\'']);
    let is_number = || counted(a).is_some() && plain(&a.expected) == values.len().to_string() && is_list;
    a.strength >= Strength::Part
        && b.strength == Strength::Exact
        && !a.how.contains("not")
        && (is_value() || is_number())
}

/// The elements of a value that is a list: `[1, 2]`, `List.of(1, 2)`, `std::vector<int>{1, 2}`, `new[] { 1, 2 }`.
fn listed(expected: &str) -> Option<&str> {
    const BEGINS: [&str; 14] = [
        "[",
        "List.of(",
        "listOf(",
        "setOf(",
        "Set.of(",
        "Arrays.asList(",
        "arrayOf(",
        "new[]{",
        "new[] {",
        "[]string{",
        "[]int{",
        "std::vector<",
        "new List<",
        "new string[]{",
    ];
    let expected = expected.trim().trim_start_matches(['(', '&']).trim_start_matches("vec!");
    BEGINS.iter().find(|begin| expected.starts_with(**begin))?;
    let at = expected.find(if expected.starts_with("std::") || expected.starts_with("new List") { '{' } else { '[' });
    let open = if expected.starts_with('[') && !expected.starts_with("[]") {
        Some(0)
    } else {
        expected.find(['(', '{']).or(at)
    }?;
    Some(expected[open + 1..].trim_end_matches([')', ']', '}']))
}

/// A subject, as `plain` writes it, without what only converts it.
pub fn base(subject: &str) -> &str {
    KEEPING.iter().find_map(|end| subject.strip_suffix(end)).unwrap_or(subject)
}

/// Whether a value is a bare name: what it stands for is not known here.
pub fn is_name(text: &str) -> bool {
    let text = text.trim().trim_start_matches('&');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.len() > 1
        && text.chars().all(is_part)
        && !text.starts_with(|c: char| c.is_numeric())
        && !["true", "false", "True", "False", "null", "nil", "None", "undefined"].contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Exact, Part};

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_limit_is_less_than_a_number() {
        let count = assert("assert_eq", "x.len()", "2", Part);
        assert!(is_limit_for(&count, &assert("<=", "x.len()", "3", Part)));
        assert!(is_limit_for(
            &assert("toHaveLength", "x", "2", Part),
            &assert("toBeGreaterThan", "x.length", "0", Part)
        ));
        assert!(is_limit_for(&count, &assert("assert_operator", "x.len", ":>=, 1", Part)));
        assert!(!is_limit_for(&count, &assert("<=", "y.len()", "3", Part)), "another subject");
        assert!(!is_limit_for(&assert("<", "x.len()", "2", Part), &assert("<", "x.len()", "3", Part)), "two limits");
    }

    #[test]
    fn a_number_of_elements_is_less_than_the_elements() {
        let all = assert("eq", "x", "[1, 2]", Exact);
        let count = assert("eq", "x.size", "2", Exact);
        assert!(is_count_of(&all, &count) && !is_count_of(&count, &all));
        assert!(!is_count_of(&all, &assert("eq", "y.size", "2", Exact)));
        assert!(is_count_in(&count, &all));
        assert!(is_count_in(&count, &assert("eq", "x.to_a", "[1, 2]", Exact)));
        assert!(is_count_in(&count, &assert("contain_exactly", "x.map(&:name)", "(\"a\", \"b\")", Exact)));
        let names = assert("assert_eq", "names", "[\"a\", \"b\"]", Exact);
        assert!(is_element_in(&assert("assert_eq", "list[1].name", "\"b\"", Exact), &names));
        assert!(!is_element_in(&assert("assert_eq", "list[1].name", "\"c\"", Exact), &names));
        assert!(is_element_in(&assert("assert_eq", "list.len()", "2", Part), &names));
        assert!(!is_element_in(&assert("assert_eq", "list.len()", "3", Part), &names));
        assert!(!is_count_in(&count, &assert("eq", "x.first", "[1]", Exact)));
        assert!(!is_count_in(&count, &assert("include", "x", "[1]", Part)));
    }
}
