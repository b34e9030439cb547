//! Membership: assertions that a list or a text holds an element, in their different forms.

use super::features::{asks_truth, plain};
use crate::outline::{Assert, Strength};

/// What an assertion says about an element of a collection.
#[derive(Debug, PartialEq, Eq)]
pub struct Membership {
    element: String,
    collection: String,
    is_held: bool,
}

/// Functions of two arguments, with the place of the element.
const FUNCTIONS: [(&str, usize); 4] = [("in_array", 0), ("Enum.member?", 1), ("slices.Contains", 1), ("member?", 1)];

/// Methods of a collection.
const METHODS: [&str; 6] = [".include?(", ".includes(", ".contains(", ".member?(", ".Contains(", ".has("];

impl Membership {
    /// The value that is said to hold something.
    pub fn holder(&self) -> Option<&str> {
        self.is_held.then_some(self.collection.as_str())
    }

    /// The text that a value is said to hold. A value that is a text itself says nothing.
    pub fn held_text(&self) -> Option<&str> {
        let is_known = self.collection.contains(self.element.as_str());
        (self.is_held && !is_known && self.collection.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .then_some(self.element.as_str())
    }
}

/// What an assertion says about an element; None if it says something else.
pub fn of(assert: &Assert) -> Option<Membership> {
    let how = assert.how.to_ascii_lowercase();
    let is_negated = ["not", "refute", "wont", "false", "falsy"].iter().any(|word| how.contains(word));
    let value = plain(&assert.expected);
    let truth = match value.as_str() {
        "true" | "True" => Some(true),
        "false" | "False" => Some(false),
        "" if asks_truth(assert) || how.contains("true") || how.contains("false") => Some(true),
        _ => None,
    };
    let of = |element: &str, collection: &str, is_held: bool| Membership {
        element: plain(element),
        collection: plain(collection),
        is_held: is_held != is_negated,
    };
    if let Some(truth) = truth
        && let Some((element, collection)) = asked(assert.subject.trim())
    {
        return Some(of(element, collection, truth));
    }
    // `containsExactly` is about all elements.
    let is_of_all = ["exact", "only", "inorder", "inanyorder"].iter().any(|word| how.contains(word));
    let holds =
        ["contain", "include"].iter().any(|word| how.contains(word)) && !how.contains("contains.") && !is_of_all;
    // Hamcrest's `contains` is about all elements, too.
    let is_whole = assert.strength == Strength::Exact && how == "contains";
    if assert.expected.is_empty() || assert.subject.is_empty() || assert.strength == Strength::Nothing || is_whole {
        return None;
    }
    match () {
        () if holds => Some(of(&assert.expected, &assert.subject, true)),
        () if matches!(how.as_str(), "in" | "not in" | "assertin" | "assertnotin") => {
            Some(of(&assert.subject, &assert.expected, true))
        }
        () => None,
    }
}

/// The element and the collection of a question: `list.include?(x)`, `in_array(x, list)`, `x in list`.
fn asked(subject: &str) -> Option<(&str, &str)> {
    let joined = ["||", "&&", " or ", " and "].iter().any(|sign| subject.contains(sign));
    if joined || subject.starts_with('!') {
        return None;
    }
    for (name, place) in FUNCTIONS {
        let Some(inner) = subject.strip_prefix(name).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')')) else {
            continue;
        };
        let (first, rest) = inner.split_once(',')?;
        let second = rest.strip_suffix(",true").unwrap_or(rest).trim();
        return Some(if place == 0 { (first, second) } else { (second, first) });
    }
    if let Some((collection, rest)) = METHODS.iter().find_map(|method| subject.split_once(method)) {
        return rest.strip_suffix(')').map(|element| (element, collection));
    }
    let inner = subject.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(subject);
    inner.split_once(" in ").or_else(|| inner.split_once("in ")).filter(|(a, b)| !a.is_empty() && !b.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_of_a_collection_is_asserted_in_several_forms() {
        let assert = |how: &str, subject: &str, expected: &str| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            ..Assert::default()
        };
        let known = Some(Membership { element: "tea".into(), collection: "list".into(), is_held: true });
        for (how, subject, expected) in [
            ("assertTrue", "list.contains(\"tea\")", ""),
            ("assert_equal", "list.include?(\"tea\")", "true"),
            ("be", "list.include?(\"tea\")", "(true)"),
            ("assert_includes", "list", "\"tea\""),
            ("include", "list", "(\"tea\")"),
            ("assertContains", "list", "\"tea\""),
            ("assertTrue", "in_array(\"tea\",list,true)", ""),
            ("==", "Enum.member?(list,\"tea\")", "true"),
            ("in", "\"tea\"", "list"),
        ] {
            let with = Assert { strength: Strength::Something, ..assert(how, subject, expected) };
            assert_eq!(of(&with), known, "{how} {subject}");
        }
        let not = |how: &str, subject: &str, expected: &str| {
            of(&Assert { strength: Strength::Something, ..assert(how, subject, expected) }).map(|one| one.is_held)
        };
        assert_eq!(not("assertFalse", "list.contains(x)", ""), Some(false));
        assert_eq!(not("==", "Enum.member?(list,x)", "false"), Some(false));
        assert_eq!(not("assertNotContains", "list", "x"), Some(false));
        assert_eq!(not("assertTrue", "list.contains(x)||true", ""), None);
        assert_eq!(not("assertEquals", "list", "x"), None);
    }
}
