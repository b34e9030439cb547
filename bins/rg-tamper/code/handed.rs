//! Values that a test hands to a helper, which compares all of them: the test compared them one by one.

use super::Judgement;
use super::extent::{self, all_words};
use super::inlined::bare;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Pair, Place, Side, is_generic};
use review_gate::outline::{Assert, Helper, Strength};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Drops the lost assertions whose values a new call of a helper of the same file is given, which compares exactly.
pub fn drop_handed(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Some((old, new)), Some((_, now))) = (tests, texts.lines(pair.now.file)) else { return true };
        let files = 0..judgement.code.files.len();
        let helpers = files.filter_map(|file| judgement.outline(Side::Now, file)).flat_map(|outline| &outline.helpers);
        let is_new = |helper: &&Helper| new.calls.contains(&helper.name) && !old.calls.contains(&helper.name);
        let helpers: Vec<&Helper> =
            helpers.filter(is_new).filter(|helper| compares(helper) || is_near(helper)).collect();
        if helpers.is_empty() {
            return true;
        }
        let body = now[extent::of(now, line_at(new.line))].join(" ");
        let calls: Vec<(&Helper, &str)> =
            helpers.iter().flat_map(|helper| calls_of(&body, &helper.name).map(|call| (*helper, call))).collect();
        losses.retain(|loss| {
            !calls.iter().any(|(helper, call)| {
                compares(helper) && (is_given(&loss.before, call) || is_absent(&loss.before, helper, call))
                    || is_given_near(&loss.before, helper, call)
            })
        });
        !losses.is_empty()
    });
}

/// The removed tests whose expected texts a new test of the same suite hands to a helper that compares exactly and calls what the removed
/// test called, each with the name of the helper. Each new test takes one place.
pub fn successors(judgement: &Judgement<'_>, texts: &Texts, gone: &BTreeSet<Place>) -> BTreeMap<Place, String> {
    let mut taken: BTreeSet<Place> = BTreeSet::new();
    let mut found = BTreeMap::new();
    for place in gone {
        let (Some(old), Some((_, now))) = (judgement.test(Side::Then, *place), texts.lines(place.file)) else {
            continue;
        };
        let demands: Vec<&Assert> = old.asserts.iter().filter(|assert| assert.strength > Strength::Nothing).collect();
        let Some(outline) = judgement.outline(Side::Now, place.file).filter(|_| !demands.is_empty()) else { continue };
        let is_subject = |call: &String| !is_generic(call) && !demands.iter().any(|assert| assert.how == *call);
        let is_one = |helper: &&Helper| {
            compares(helper) && helper.calls.iter().any(|call| is_subject(call) && old.calls.contains(call))
        };
        let helpers: Vec<&Helper> = outline.helpers.iter().filter(is_one).collect();
        let hands = |other: &&Place| {
            let new = judgement.test(Side::Now, **other).filter(|new| new.skip.is_none() && new.suite == old.suite);
            let free = new.filter(|_| other.file == place.file && !taken.contains(*other))?;
            let body = now[extent::of(now, line_at(free.line))].join(" ");
            let is_text = |a: &Assert| a.expected.contains(['"', '\'', '`']);
            let is_it = |helper: &&&Helper| {
                free.calls.contains(&helper.name)
                    && calls_of(&body, &helper.name).any(|call| demands.iter().all(|a| is_text(a) && is_given(a, call)))
            };
            helpers.iter().find(is_it).map(|helper| (**other, helper.name.clone()))
        };
        if let Some((other, name)) = judgement.compared.new.iter().find_map(|other| hands(&other)) {
            taken.insert(other);
            found.insert(*place, name);
        }
    }
    found
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

/// The difference of a value and a number: `std::abs(x - 0.6)`.
static DIFFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:abs\(|^\()(?:.*[\w)\]])([-+])(\d[\w.]*)\)(?:\.abs\(\))?$").ok());

/// Whether a helper compares a difference of two values with a tolerance.
fn is_near(helper: &Helper) -> bool {
    helper.asserts.iter().any(|a| a.how == "<" && a.subject.contains("abs(") && !has_number(&a.subject))
}

fn has_number(subject: &str) -> bool {
    DIFFERENCE.as_ref().is_some_and(|regex| regex.is_match(&bare(subject)))
}

/// Whether a helper that compares with the same tolerance is given the number from which a value differed by less.
fn is_given_near(a: &Assert, helper: &Helper, arguments: &str) -> bool {
    let subject = bare(&a.subject);
    let Some(found) = DIFFERENCE.as_ref().and_then(|regex| regex.captures(&subject)) else { return false };
    let number = if &found[1] == "+" { format!("-{}", &found[2]) } else { found[2].to_string() };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let is_same = |b: &Assert| b.how == a.how && b.expected == a.expected && b.strength >= a.strength;
    helper.asserts.iter().any(is_same) && arguments.split(|c| !is_part(c)).any(|part| part == number)
}

/// The arguments of each call of a function or a macro.
pub(super) fn calls_of<'a>(body: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let name = name.to_string();
    let all = body.match_indices(name.as_str()).filter(|(_, name)| !name.is_empty());
    let found: Vec<usize> = all.map(|(at, _)| at).collect();
    found.into_iter().filter_map(move |at| call(&body[at..], &name))
}

/// The arguments of the call with which code begins.
fn call<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let rest = body.strip_prefix(name)?;
    let rest = rest.strip_prefix('!').unwrap_or(rest).strip_prefix('(')?;
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
    // `Token::Num(2)`, and `Num(2)` where it is imported.
    let short = expected.rsplit("::").next().filter(|short| short.contains('(')).unwrap_or(&expected);
    let given = bare(arguments);
    is_size && is_list || is_value(&expected) && (given.contains(&expected) || given.contains(short))
}

/// Whether a helper compares a whole value, an assertion was about its size or about what is not in it, and the call does not name that.
fn is_absent(a: &Assert, helper: &Helper, arguments: &str) -> bool {
    let is_whole = |b: &Assert| {
        b.how == "==" && b.strength == Strength::Exact && b.subject.contains('(') && b.expected == "expected"
    };
    let is_size = a.how == "==" && ["len(", "length("].iter().any(|begin| a.subject.starts_with(begin));
    let is_out = a.how == "not in" && !arguments.contains(a.subject.trim_matches(['"', '\'']));
    helper.asserts.iter().any(is_whole) && (is_size || is_out)
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
        let arguments = calls_of(body, "assert_tokens").next().unwrap();
        let is = |subject: &str, expected: &str| {
            is_given(&Assert { subject: subject.into(), expected: expected.into(), ..Assert::default() }, arguments)
        };
        assert!(is("tokens[0].kind", "Kind::Let") && is("tokens[0].text", "\"let\"") && is("tokens.len()", "2"));
        assert!(!is("tokens[0].text", "\"y\"") && !is("tokens[0].kind", "Kind::Number") && !is("x", "1"));
        assert_eq!(call("f(", "f"), None);
    }

    #[test]
    fn a_helper_is_given_the_number_that_is_near() {
        let less = |subject: &str| Assert {
            how: "<".into(),
            subject: subject.into(),
            expected: "1e-12".into(),
            ..Assert::default()
        };
        let helper = Helper { asserts: vec![less("std::abs(actual(row,col)-expected(row,col))")], ..Helper::default() };
        assert!(is_near(&helper));
        let is = |subject: &str| is_given_near(&less(subject), &helper, "inverse(m), {0.6, -0.7, 0}");
        assert!(is("std::abs(r(0,0)-0.6)") && is("std::abs(r(0,1)+0.7)"));
        assert!(is_given_near(&less("(variance(&[1.0,1.0])-0.0).abs()"), &helper, "variance(&[1.0, 1.0]), 0.0"));
        assert_eq!(calls_of("f!(1); f(2); g(3)", "f").collect::<Vec<_>>(), ["1", "2"]);
        assert!(!is("std::abs(r(0,0)-0.5)") && !is("std::abs(r(0,1)-0.7)") && !is("std::abs(r(0,1))"));
    }
}
