//! Features: what a test is about, as words that can be compared.

use crate::outline::{Assert, Test};
use std::collections::BTreeSet;

/// Matchers that ask whether something holds.
const HOLDS: [&str; 10] =
    ["assert", "not", "assertTrue", "assertFalse", "ok", "toBeTruthy", "toBeFalsy", "isTrue", "isFalse", "refute"];

/// Calls that tell nothing about the subject of a test.
const GENERIC: [&str; 36] = [
    "expect",
    "assert",
    "it",
    "test",
    "describe",
    "eq",
    "ok",
    "equal",
    "equals",
    "assertEqual",
    "assertEquals",
    "assertTrue",
    "assertFalse",
    "assert_eq",
    "assert_eq!",
    "assert!",
    "assert_ne!",
    "toBe",
    "toEqual",
    "to",
    "be",
    "Run",
    "Errorf",
    "Fatalf",
    "Error",
    "Fatal",
    "Helper",
    "len",
    "str",
    "String",
    "format",
    "println",
    "print",
    "log",
    "unwrap",
    "is",
];

/// Whether an assertion asks only whether something holds.
pub fn asks_truth(assert: &Assert) -> bool {
    HOLDS.contains(&assert.how.as_str())
}

/// What a test calls and asserts.
pub fn of(test: &Test) -> BTreeSet<&str> {
    let calls = test.calls.iter().map(String::as_str).filter(|call| !is_generic(call));
    let subjects =
        test.asserts.iter().map(|assert| without_instance(&assert.subject)).filter(|subject| !subject.is_empty());
    calls.chain(subjects).collect()
}

/// What says that a name is a field of the instance.
const OF_INSTANCE: [&str; 5] = ["self.", "this.", "$this->", "@", "this->"];

/// A subject without what says that it begins with a field of the instance.
fn without_instance(subject: &str) -> &str {
    OF_INSTANCE.iter().find_map(|begin| subject.strip_prefix(begin)).unwrap_or(subject)
}

/// A subject in which fields of the instance are written like names.
pub fn of_instance(subject: &str) -> String {
    let text = OF_INSTANCE.iter().fold(subject.to_string(), |subject, begin| subject.replace(begin, ""));
    // A variable of PHP, and a private field of C#, have the same name.
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let begins_name = !plain.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\''));
        if !(begins_name && matches!(c, '$' | '_')) {
            plain.push(c);
        }
    }
    plain
}

/// The names of what a test calls and asserts, without general ones.
pub fn subjects(test: &Test) -> BTreeSet<&str> {
    let calls = test.calls.iter().map(String::as_str);
    let asserted = test.asserts.iter().flat_map(|assert| identifiers(&assert.subject));
    calls.chain(asserted).filter(|name| name.len() > 2 && !is_generic(name)).collect()
}

/// Whether a call tells nothing about the subject.
pub fn is_generic(call: &str) -> bool {
    GENERIC.contains(&call)
}

/// Whether two tests call something in common that is no assertion.
pub fn share_calls(a: &Test, b: &Test) -> bool {
    let asserts = |call: &str| a.asserts.iter().any(|assert| assert.how.split('.').any(|how| how == call));
    a.calls.iter().any(|call| !is_generic(call) && b.calls.binary_search(call).is_ok() && !asserts(call))
}

/// Whether two tests assert the same of the result of the same call.
pub fn share_subjects(a: &Test, b: &Test) -> bool {
    let head = |subject: &str| subject.split_once('(').map(|(head, _)| plain(head)).filter(|head| head.contains('.'));
    let is_same = |one: &Assert, other: &Assert| {
        let (one_head, other_head) = (head(&one.subject), head(&other.subject));
        one.how == other.how && one_head.is_some() && one_head == other_head
    };
    !a.asserts.is_empty() && a.asserts.iter().all(|one| b.asserts.iter().any(|other| is_same(one, other)))
}

/// How much two sets have in common, in thousandths.
pub fn likeness<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> u32 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    (shared * 1000).checked_div(all).and_then(|all| u32::try_from(all).ok()).unwrap_or(0)
}

/// The words of a name, in lower case: `dropsPunctuation`, `drops_punctuation` and `drops punctuation` have the same.
pub fn words(name: &str) -> BTreeSet<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    let mut was_percent = false;
    for c in name.chars() {
        // A placeholder such as `%s` is no word.
        if std::mem::replace(&mut was_percent, c == '%') && c.is_alphabetic() {
            continue;
        }
        let starts = c.is_uppercase() && was_lower;
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.into_iter().filter(|word| !word.is_empty() && word != "test").collect()
}

/// The identifiers in a piece of code.
pub fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?');
    code.split(move |c| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$'))
}

/// Code without what formatters change.
pub fn plain(code: &str) -> String {
    let is_form = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | ',' | '(' | ')');
    code.chars().filter(|c| !is_form(*c)).collect()
}

/// Whether a part of a comparison is one of its sides: it is not joined with another condition.
pub fn is_side(code: &str) -> bool {
    !code.is_empty()
        && !["||", "&&", " or ", " and ", "!", "<", ">", "==", " if "].iter().any(|sign| code.contains(sign))
}
