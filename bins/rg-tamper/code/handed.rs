//! Values that a test hands to a helper, which compares all of them: the test compared them one by one.

use super::Judgement;
use super::extent::{self, all_words};
use super::inlined::bare;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Helper, Strength};

/// Drops the lost assertions whose values a new call of a helper of the same file is given, which compares exactly.
pub fn drop_handed(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Some((old, new)), Some((_, now))) = (tests, texts.lines(pair.now.file)) else { return true };
        let outline = judgement.outline(Side::Now, pair.now.file);
        let helpers = outline.map_or(&[][..], |outline| &outline.helpers).iter();
        let is_new = |helper: &&Helper| new.calls.contains(&helper.name) && !old.calls.contains(&helper.name);
        let helpers: Vec<&Helper> = helpers.filter(is_new).filter(|helper| compares(helper)).collect();
        if helpers.is_empty() {
            return true;
        }
        let body = now[extent::of(now, line_at(new.line))].join(" ");
        let calls: Vec<&str> = helpers.iter().filter_map(|helper| call(&body, &helper.name)).collect();
        losses.retain(|loss| !calls.iter().any(|call| is_given(&loss.before, call)));
        !losses.is_empty()
    });
}

/// Whether a helper compares a value exactly with one that it is given.
fn compares(helper: &Helper) -> bool {
    let is_name = |text: &str| text.trim_start_matches(['*', '&']).chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_exact = |a: &Assert| {
        a.strength == Strength::Exact
            && !a.expected.is_empty()
            && is_name(a.expected.split(',').next().unwrap_or_default())
    };
    helper.asserts.iter().any(is_exact)
}

/// The arguments of a call.
fn call<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = body.split_once(&format!("{name}("))?;
    let mut depth = 1_i64;
    let step = |c| i64::from(matches!(c, '(' | '[' | '{')) - i64::from(matches!(c, ')' | ']' | '}'));
    let end = rest.char_indices().find(|(_, c)| {
        depth += step(*c);
        depth == 0
    })?;
    Some(&rest[..end.0])
}

/// Whether a call is given what an assertion expected. The size of a list is the list's.
fn is_given(a: &Assert, arguments: &str) -> bool {
    let is_size =
        ["len", "length", "size", "count"].iter().any(|word| all_words(&a.subject).any(|other| other == *word));
    let expected = bare(&a.expected);
    let is_list = arguments.contains(['[', '{']);
    is_size && is_list || !expected.is_empty() && is_value(&expected) && bare(arguments).contains(&expected)
}

/// Whether a value is a text, or a name that tells.
fn is_value(text: &str) -> bool {
    text.starts_with('"') || text.len() > 3 && text.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_given_what_was_expected() {
        let body = "{ assert_tokens( \"let x\", &[(Kind::Let, \"let\"), (Kind::Ident, \"x\")], ); f(\"y\"); }";
        let arguments = call(body, "assert_tokens").unwrap();
        let is = |subject: &str, expected: &str| {
            is_given(&Assert { subject: subject.into(), expected: expected.into(), ..Assert::default() }, arguments)
        };
        assert!(is("tokens[0].kind", "Kind::Let") && is("tokens[0].text", "\"let\"") && is("tokens.len()", "2"));
        assert!(!is("tokens[0].text", "\"y\"") && !is("tokens[0].kind", "Kind::Number") && !is("x", "1"));
        assert_eq!(call("f(", "f"), None);
    }
}
