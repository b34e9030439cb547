//! Assertions that a test no longer makes itself: a new test beside it makes them of a value with another name, or a helper in an unchanged
//! file, which the test calls now.

use super::Judgement;
use super::calls::is_asserting;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::tree;
use super::weight::Lost;
use super::words::Texts;
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Helper, Strength, Test};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// Quotation marks.
const QUOTES: [char; 2] = ['\'', '`'];

/// A text or a number.
pub static VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"]*"|'[^']*'|\b\d[\d_.]*\b"#).ok());

/// How long an expected value is at least, to be recognised without its subject.
const LONG: usize = 12;

/// Drops the lost assertions that new tests of the same file make: the test was split.
pub fn drop_split(judgement: &Judgement<'_>, found: &mut Vec<(&Pair, Lost)>) {
    let mut taken: BTreeSet<(usize, usize, usize)> = BTreeSet::new();
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let beside = judgement.compared.new.iter().filter(|place| place.file == pair.now.file);
        let beside: Vec<(usize, &Test)> = beside
            .filter_map(|place| Some((place.at, judgement.test(Side::Now, *place)?)))
            .filter(|(_, test)| test.skip.is_none())
            .collect();
        losses.retain(|loss| {
            let asserts = beside
                .iter()
                .flat_map(|(at, test)| test.asserts.iter().enumerate().map(|(index, assert)| (*at, index, assert)));
            let mut free = asserts.filter(|(at, index, _)| !taken.contains(&(pair.now.file, *at, *index)));
            let Some((at, index, _)) = free.find(|(.., assert)| is_same(&loss.before, assert)) else { return true };
            taken.insert((pair.now.file, at, index));
            false
        });
        !losses.is_empty()
    });
}

/// Code without blanks, in which a field of the group has the name of a variable: `a` for `$this->a`, `self.a` and `@a`.
pub fn without_group(code: &str) -> String {
    let code =
        ["$this->", "this.", "self.", "@", "$"].iter().fold(code.to_string(), |code, form| code.replace(form, ""));
    let bare: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    // A private field of C#.
    bare.strip_prefix('_').map_or(bare.clone(), str::to_string)
}

/// Whether an assertion makes the demand of another one about the same value, which may have another name.
fn is_same(old: &Assert, new: &Assert) -> bool {
    let plain = without_group;
    let members =
        |text: &str| text.rsplit_once(['.', '>']).map(|(_, member)| plain(member)).filter(|member| member.len() > 1);
    let is_same_value = !old.expected.is_empty() && plain(&old.expected) == plain(&new.expected);
    let is_same_member = members(&old.subject).is_some_and(|rest| members(&new.subject) == Some(rest));
    // The subject of the block around it: `it { is_expected.to be_valid }`.
    let is_implicit = new.subject == "subject" && new.expected == old.expected && !old.subject.contains('(');
    let is_same_subject = !old.subject.is_empty() && (is_implicit || plain(&old.subject) == plain(&new.subject));
    old.how == new.how
        && new.strength >= old.strength
        && (is_same_subject || is_same_value && (is_same_member || old.expected.len() >= LONG))
}

/// Drops the lost assertions that a helper in an unchanged file makes, if the test did not call the helper before.
pub fn drop_helped(judgement: &Judgement<'_>, source: &Source<'_>, found: &mut Vec<(&Pair, Lost)>) {
    let called = |pair: &Pair| -> BTreeSet<&str> {
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let Some((old, new)) = tests else { return BTreeSet::new() };
        let is_new = |call: &&str| old.calls.binary_search_by(|known| known.as_str().cmp(call)).is_err();
        new.calls.iter().map(String::as_str).filter(|call| is_asserting(call)).filter(is_new).collect()
    };
    let is_some = |lost: &Lost| matches!(lost, Lost::Some { .. });
    let names: BTreeSet<&str> =
        found.iter().filter(|(_, lost)| is_some(lost)).flat_map(|(pair, _)| called(pair)).collect();
    if names.is_empty() {
        return;
    }
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    let files = tree::definers(source.top, source.now, &changed, &names);
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let mine = called(pair);
        let held: BTreeSet<&str> = files.iter().flat_map(|lines| helper_words(lines, &mine)).collect();
        losses.retain(|loss| held.is_empty() || !is_held(&loss.before, &held));
        !losses.is_empty()
    });
}

/// Drops the lost assertions that a new helper of the same file makes for each of its calls: `check("a", 1); check("b", 2)`.
pub fn drop_repeated(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let outline = judgement.outline(Side::Now, pair.now.file);
        let lines = texts.lines(pair.now.file).map(|(_, now)| now);
        let (Some((old, new)), Some(outline), Some(lines)) = (tests, outline, lines) else { return true };
        let body = &lines[extent::of(lines, line_at(new.line))];
        let is_new = |helper: &&Helper| new.calls.contains(&helper.name) && !old.calls.contains(&helper.name);
        for helper in outline.helpers.iter().filter(is_new) {
            let calls = body.iter().filter(|line| all_words(line).any(|word| word == helper.name));
            let calls: Vec<String> = calls.map(|line| line.replace(QUOTES, "\"")).collect();
            if !calls.is_empty() {
                losses.retain(|loss| !helper.asserts.iter().any(|assert| is_in_call(&loss.before, assert, &calls)));
            }
        }
        !losses.is_empty()
    });
}

/// Whether a helper makes the demand of an assertion about its parameters, and a call of it holds all values of the assertion.
fn is_in_call(old: &Assert, new: &Assert, calls: &[String]) -> bool {
    let words = |text: &str| all_words(text).filter(|word| word.len() > 2).map(str::to_string).collect::<BTreeSet<_>>();
    let code = format!("{} {}", old.subject, old.expected).replace(QUOTES, "\"");
    let values: Vec<&str> =
        VALUE.as_ref().into_iter().flat_map(|regex| regex.find_iter(&code)).map(|found| found.as_str()).collect();
    // One call tells by a text whose assertion it holds.
    let is_told = calls.len() > 1 || values.iter().any(|value| value.starts_with('"'));
    let is_about = calls.len() == 1 || !words(&old.subject).is_disjoint(&words(&new.subject));
    let is_held = calls.iter().any(|call| values.iter().all(|value| call.contains(value)));
    old.how == new.how && new.strength >= old.strength && is_about && is_told && !values.is_empty() && is_held
}

/// The words of the definitions of these names that assert something.
fn helper_words<'a>(lines: &'a [String], names: &BTreeSet<&str>) -> Vec<&'a str> {
    let all = extent::defining(lines, names).map(|at| &lines[extent::of(lines, at)]);
    let asserting = all.filter(|body| body.iter().skip(1).flat_map(|line| all_words(line)).any(is_asserting));
    asserting.flat_map(|body| body.iter().skip(1)).flat_map(|line| all_words(line)).collect()
}

/// Whether a helper asks for the member that an assertion was about. The value has another name there.
fn is_held(assert: &Assert, held: &BTreeSet<&str>) -> bool {
    let member = all_words(&assert.subject).filter(|word| word.len() > 2).last();
    assert.strength > Strength::Nothing
        && assert.subject.contains(['.', '-', ':'])
        && member.is_some_and(|member| held.contains(member))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(how: &str, subject: &str, expected: &str) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), ..Assert::default() }
    }

    #[test]
    fn the_same_demand_about_a_value_with_another_name() {
        let old = assert("assert_equal", "v.major", "1");
        assert!(is_same(&old, &assert("assert_equal", "@version.major", "1")));
        assert!(!is_same(&old, &assert("assert_equal", "@version.minor", "1")), "another member");
        assert!(!is_same(&old, &assert("assert_equal", "@version.major", "2")), "another value");
        assert!(!is_same(&old, &assert("assert_includes", "@version.major", "1")), "another demand");
        let long = assert("assertSame", "$other", "\"https://example.com/a\"");
        assert!(is_same(&long, &assert("assertSame", "$uri->withPort(null)", "\"https://example.com/a\"")));
        assert!(is_same(&long, &assert("assertSame", "$other", "self::FULL")));
    }

    #[test]
    fn a_helper_holds_the_members_that_it_asserts() {
        let text = "pub fn assert_money(money: &Money, cents: i64) {\n    assert_eq!(money.cents, cents);\n}\nfn other() {\n    money.currency();\n}";
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let words: BTreeSet<&str> = helper_words(&lines, &["assert_money"].into()).into_iter().collect();
        assert!(is_held(&assert("assert_eq", "price.cents", "5"), &words));
        assert!(!is_held(&assert("assert_eq", "price.currency", "\"EUR\""), &words));
        assert!(helper_words(&lines, &["other"].into()).is_empty(), "it asserts nothing");
    }
}
