//! Wider expectations: the same subject is asserted in the same way, and what is expected allows more.

use super::features::{asks_truth, plain};
use super::lists::{self, ORDERS, items};
use super::{counts, demand, errors, failures, patterns, reduced, tolerance, values};
use crate::outline::{Assert, Strength};

/// Names of placeholders that match everything, in lower case: `_`, `any()`, `mock.ANY`, `anyInt()`, `It.IsAny<int>()`.
const PLACEHOLDERS: [&str; 15] = [
    "_",
    "any",
    "anything",
    "anyint",
    "anylong",
    "anydouble",
    "anyboolean",
    "anystring",
    "anylist",
    "anyset",
    "anymap",
    "anycollection",
    "anyobject",
    "isany",
    "isa",
];

/// Patterns that every text matches.
const ANY_TEXT: [&str; 4] = ["~r/.*/", "~r/.+/", "/.*/", "/.+/"];

/// Words of mocks that leave open how often something is called, in lower case without underscores.
const OFTEN: [&str; 7] = ["atleast", "atmost", "anynumber", "zeroormore", ">any()", "::any()", "anytimes"];

/// Links of chains that demand nothing.
const FILLERS: [&str; 19] = [
    "to",
    "be",
    "been",
    "is",
    "that",
    "which",
    "and",
    "has",
    "have",
    "same",
    "a",
    "an",
    "also",
    "it",
    "as",
    "describedAs",
    "withFailMessage",
    "because",
    "deep",
];

/// Links of mocks that say what a call gives.
const GIVES: [&str; 7] =
    ["andReturn", "andReturns", "and_return", "willReturn", "willReturnSelf", "thenReturn", "and_call_original"];

/// Matchers that ask only whether there is a value, in lower case without underscores.
const PRESENCE: [&str; 7] =
    ["assertnotnull", "isnotnull", "refutenil", "assertnotnil", "tobedefined", "notnil", "assertisnotnone"];

/// Whether an assertion about the same subject allows more: everything, itself, or a limit that is further away.
pub fn is_wider(a: &Assert, b: &Assert) -> bool {
    let (before, after) = (plain(&a.expected), plain(&b.expected));
    if matches!(a.how.as_str(), "==" | "===") && ORDERS.contains(&b.how.as_str()) || counts::is_limit_for(a, b) {
        return true;
    }
    if demand::is_less(a, b) || demand::is_for_some(a, b) || demand::is_unordered(a, b) {
        return true;
    }
    if before == after {
        return reduced::is_opened(a, b);
    }
    if values::is_anything(&after) && !values::is_anything(&before) || !after.is_empty() && after == plain(&b.subject) {
        return true;
    }
    if patterns::is_looser(a, b) || reduced::is_opened(a, b) || is_shortened(a, b) || has_fewer_fields(a, b) {
        return true;
    }
    if tolerance::is_wider(a, b) || a.how == b.how && (is_open(&a.expected, &b.expected) || holds_all(a, b)) {
        return true;
    }
    let is_presence = PRESENCE.contains(&b.how.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str());
    let is_dropped =
        failures::expects_error(a) && (a.how == b.how || is_presence) && !before.is_empty() && after.is_empty();
    if is_dropped || errors::is_any_error(a, b) || is_open_search(a, b) {
        return true;
    }
    if is_often(&b.expected) && !is_often(&a.expected) {
        return true;
    }
    let (Some(old), Some(new)) = (tolerance::number(&before), tolerance::number(&after)) else { return false };
    let how = a.how.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    if a.how != b.how {
        return false;
    }
    if says(&["greater", "atleast", ">", "above", "morethan"]) {
        return new < old;
    }
    says(&["less", "atmost", "<", "below"]) && new > old
}

/// Whether a text is another one in which placeholders stand for parts: `{:error, _}` for `{:error, :count}`.
pub fn is_open(before: &str, after: &str) -> bool {
    let (before, after) = (bare(before), bare(after));
    let (old, new) = (pieces(&before), pieces(&after));
    let (Some(first), Some(last)) = (new.first(), new.last()) else { return false };
    if before == after || new.len() <= old.len() || first.len() + last.len() > before.len() {
        return false;
    }
    let Some(mut rest) = before.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for piece in &new[1..new.len() - 1] {
        let Some((_, behind)) = rest.split_once(piece) else { return false };
        rest = behind;
    }
    true
}

/// A text without spaces, but for one between two words.
fn bare(text: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let words: Vec<&str> = text.split_whitespace().collect();
    let join = |mut bare: String, word: &&str| {
        if is_word(bare.chars().next_back()) && is_word(word.chars().next()) {
            bare.push(' ');
        }
        bare + word
    };
    words.iter().fold(String::new(), join)
}

/// What stands before, between and behind the placeholders of a text.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':');
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with("{}") {
            // A pattern without fields matches every value of its type.
            pieces.push(&text[from..at + 1]);
            (from, at) = (at + 1, at + 2);
            continue;
        }
        if let Some(any) = ANY_TEXT.iter().find(|any| text[at..].starts_with(**any)) {
            pieces.push(&text[from..at]);
            (from, at) = (at + any.len(), at + any.len());
            continue;
        }
        if !is_word(c) {
            at += c.len_utf8();
            continue;
        }
        let mut end = at + text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at);
        let is_path = text[at..].starts_with('$') && text[end..].starts_with("->");
        if is_path {
            end += 2;
            end += text[end..].find(|c| !is_word(c)).unwrap_or(text.len() - end);
        }
        let word = &text[at..end];
        let name = word.rsplit(['.', ':', '>']).next().unwrap_or(word).to_ascii_lowercase();
        let is_rest = word == ".." && !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == ')');
        let call = arguments(&text[end..]);
        let is_value = name == "_" || word.ends_with("ANY") || name == "anything";
        if is_rest || PLACEHOLDERS.contains(&name.as_str()) && (is_value || call > 0) {
            pieces.push(&text[from..at]);
            end += if name == "_" { 0 } else { call };
            from = end;
        }
        at = end;
    }
    pieces.push(&text[from..]);
    pieces
}

/// The length of the type arguments and arguments at the begin of a text.
fn arguments(text: &str) -> usize {
    let closed = |text: &str, open: char, close: char| -> usize {
        let mut depth = 0;
        for (at, c) in text.char_indices() {
            depth += i32::from(c == open) - i32::from(c == close);
            if depth == 0 {
                return if at == 0 { 0 } else { at + 1 };
            }
        }
        0
    };
    let types = closed(text, '<', '>');
    let call = closed(&text[types..], '(', ')');
    if call == 0 { 0 } else { types + call }
}

/// Whether a part is asked for that every text holds.
fn holds_all(a: &Assert, b: &Assert) -> bool {
    let is_empty = |text: &str| {
        let text = text.trim();
        matches!(text, "\"\"" | "''" | "//" | "~r//" | "r\"\"") || text.ends_with("(\"\")") || text.ends_with(", ~r//")
    };
    let how = a.how.to_ascii_lowercase();
    let is_matching = a.strength == Strength::Part || how.contains("death");
    is_matching && !how.contains("not") && is_empty(&b.expected) && !is_empty(&a.expected)
}

/// Matchers that compare a value only if it is given, as ends of their names in lower case.
const OPTIONAL: [&str; 10] = [
    "inlinesnapshot",
    "tohaveproperty",
    "tohaveattribute",
    "have_attribute",
    "assertsessionhas",
    "assertviewhas",
    "assertheader",
    "assertcookie",
    "have_header",
    "hasheader",
];

/// Matchers of some of the fields of a value, as ends of their names.
const OF_FIELDS: [&str; 7] =
    ["have_attributes", "include", "toMatchObject", "assertJsonFragment", "assertDatabaseHas", "contain", "toContain"];

/// Whether fewer of the same fields are asked for: `have_attributes(a: 1, b: 2)` and `have_attributes(a: 1)`.
fn has_fewer_fields(a: &Assert, b: &Assert) -> bool {
    let of = |text: &str| -> Vec<String> { lists::parts(text).iter().map(|item| plain(item)).collect() };
    let (old, new) = (of(&a.expected), of(&b.expected));
    a.how == b.how
        && OF_FIELDS.iter().any(|end| a.how.ends_with(end))
        && !a.how.contains("not")
        && !new.is_empty()
        && new.len() < old.len()
        && new.iter().all(|item| old.contains(item))
}

/// Whether a matcher has no value to compare any more: `toHaveProperty("a", 1)` and `toHaveProperty("a")`.
fn is_shortened(a: &Assert, b: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase();
    let (old, new) = (items(&a.expected), items(&b.expected));
    let is_begin = new.len() < old.len() && new.iter().zip(&old).all(|(a, b)| plain(a) == plain(b));
    a.how == b.how && OPTIONAL.iter().any(|end| how.ends_with(end)) && is_begin
}

/// Whether something is looked for on a page, and no longer how often or with which text: `have_selector(".line", count: 3)`.
fn is_open_search(a: &Assert, b: &Assert) -> bool {
    let is_search = |how: &str| {
        ["have_selector", "have_css", "have_xpath", "have_link", "have_button", "assert_selector", "assert_select"]
            .iter()
            .any(|word| how.ends_with(word))
    };
    let (old, new) = (items(&a.expected), items(&b.expected));
    a.how == b.how
        && is_search(&a.how)
        && !new.is_empty()
        && new.len() < old.len()
        && new.iter().zip(&old).all(|(a, b)| plain(a) == plain(b))
}

fn is_often(text: &str) -> bool {
    let text: String = text.to_ascii_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    OFTEN.iter().any(|word| text.contains(word))
}

/// The demands of a chain that another one about the same subject no longer makes: `isNotEmpty.hasSize` and `isNotEmpty`.
pub fn lost_links<'a>(a: &'a Assert, b: &Assert) -> Vec<&'a str> {
    // What a mock gives is no demand.
    let is_demand = |link: &&str| !GIVES.contains(link);
    let old: Vec<&str> = a.how.split('.').filter(is_demand).collect();
    let new: Vec<&str> = b.how.split('.').filter(is_demand).collect();
    let mut rest = new.iter().peekable();
    let mut lost = Vec::new();
    for link in &old {
        match rest.next_if(|next| *next == link) {
            Some(_) => {}
            None if *link == "not" => return Vec::new(),
            None => lost.push(*link),
        }
    }
    if rest.peek().is_some() || new.len() < 2 && !old.starts_with(&new) {
        return Vec::new();
    }
    // `from(1).to(2)` names two values.
    let is_filler = |link: &&str| FILLERS.contains(link) && !(**link == *"to" && old.contains(&"from"));
    lost.retain(|link| !is_filler(link));
    lost
}

/// Whether one assertion asks only whether there is a value, and the other one whether a condition holds.
pub fn is_presence_for_condition(a: &Assert, b: &Assert) -> bool {
    let how: String = b.how.to_ascii_lowercase().chars().filter(|c| *c != '_').collect();
    let asks_presence = || {
        let subject = a.subject.to_ascii_lowercase();
        ["ispresent", "null", "nil", "none", "is_some", "defined", "exist"].iter().any(|word| subject.contains(word))
    };
    let is_presence = PRESENCE.contains(&how.as_str());
    let is_truth = asks_truth(b) || matches!(how.as_str(), "betruthy" | "tobetruthy");
    let is_asked = is_presence && asks_truth(a) && a.subject.contains('(');
    (is_asked || (is_presence || is_truth) && is_holder(a, b)) && !asks_presence()
}

/// Whether an assertion is only about the object that the other one asked for something: `expect(board)`, `expect(board.moves("e1"))`.
fn is_holder(a: &Assert, b: &Assert) -> bool {
    let rest = plain(&a.subject).strip_prefix(plain(&b.subject).as_str()).map(str::to_string);
    let is_asked = rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("->"));
    is_asked && !b.subject.contains('(') && !a.expected.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(how: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: "x".into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn a_placeholder_opens_a_part_of_what_is_expected() {
        for (before, after) in [
            ("{:error, :count}", "{:error, _}"),
            ("{:added, \"tea\", 350}", "{:added, _, _}"),
            ("{:added, \"tea\"}", "_"),
            ("charge(350)", "charge(::testing::_)"),
            ("(350)", "(anyInt())"),
            ("(350, \"a\")", "(any(Foo.class), \"a\")"),
            ("[\"charge\", 350]", "[\"charge\", $this->anything()]"),
            ("{gateway.charge(350)}", "{gateway.charge(any())}"),
            ("Err(Error::Empty)", "Err(_)"),
            ("Point { x: 1, y: 2 }", "Point { x: 1, .. }"),
            ("%Cart{lines: []}", "%Cart{}"),
            ("call(1)", "call(mock.ANY)"),
            ("fn 350 -> :ok end", "fn _ -> :ok end"),
        ] {
            assert!(is_open(before, after), "{before} {after}");
            assert!(!is_open(after, before), "{after} {before}");
        }
        for (before, after) in [
            ("{:error, :count}", "{:error, :other}"),
            ("{:error, :count}", "{:ok, _}"),
            ("{:error, _}", "{:error, _reason}"),
            ("f(1)", "f(_name)"),
            ("f(1)", "f(any_of(2))"),
            ("1..2", "1..3"),
            ("f(a)", "f(many())"),
        ] {
            assert!(!is_open(before, after), "{before} {after}");
        }
    }

    #[test]
    fn a_call_that_may_happen_more_often_and_an_empty_text_are_wider() {
        let is = |how: &str, before: &str, after: &str, strength| {
            is_wider(&assert(how, before, strength), &assert(how, after, strength))
        };
        assert!(is("expects", "($this->once())", "($this->any())", Strength::Exact));
        assert!(is("coVerify", "(exactly = 1)", "(atLeast = 0)", Strength::Exact));
        assert!(!is("expects", "($this->once())", "($this->exactly(2))", Strength::Exact));
        assert!(is("=~", "\"total\"", "\"\"", Strength::Part));
        assert!(!is("==", "\"total\"", "\"\"", Strength::Exact));
        assert!(!is("not.toContain", "\"total\"", "\"\"", Strength::Part));
    }

    #[test]
    fn a_chain_that_ends_early_lost_its_links() {
        let links = |a: &str, b: &str| {
            let (a, b) = (assert(a, "", Strength::Exact), assert(b, "", Strength::Exact));
            lost_links(&a, &b).len()
        };
        assert_eq!(links("toBe.and.toBe", "toBe"), 1);
        assert_eq!(links("expects.method.with.willReturn", "expects.method.willReturn"), 1);
        assert_eq!(links("to.have.been.called", "called"), 0);
        assert_eq!(links("not.toBe", "toBe"), 0);
        assert_eq!(links("toBe", "toEqual"), 0);
        assert_eq!(links("hasSize.isSorted", "hasSize.contains"), 0);
    }

    #[test]
    fn a_value_that_is_there_does_not_meet_a_condition() {
        let of = |how: &str, subject: &str| Assert { subject: subject.into(), ..assert(how, "", Strength::Something) };
        assert!(is_presence_for_condition(&of("assertTrue", "list.isEmpty()"), &of("assertNotNull", "list")));
        assert!(!is_presence_for_condition(
            &of("assertTrue", "found.isPresent()"),
            &of("assertNotNull", "found.get()")
        ));
        assert!(!is_presence_for_condition(&of("assertTrue", "ready"), &of("assertNotNull", "ready")));
    }
}
