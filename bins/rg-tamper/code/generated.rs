//! Generated tests: removed ones whose name a macro of Rust is given today, which declares a test for each name and asserts as much.

use super::Judgement;
use super::extent::{self, all_words};
use super::words::Texts;
use review_gate::outline::Test;
use review_gate::outline::compare::{Place, Side};
use std::collections::BTreeMap;

/// Whether a macro of the changed files declares a removed test today.
pub fn run(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let (Some(old), Some((_, now))) = (judgement.test(Side::Then, place), texts.lines(place.file)) else {
        return false;
    };
    judgement.sides(place.file).role.language == Some("rust")
        && macros_given(now, &old.name).iter().any(|name| {
            let mut all = texts.files().filter_map(|(_, lines)| definition(lines, name));
            all.any(|body| declares(body) && asserts_as_much(body, old))
        })
}

/// The macros that are called with a name in a place where a list of names may stand: `limits! { one: u8, two: u16 }`.
fn macros_given<'a>(lines: &'a [String], wanted: &str) -> Vec<&'a str> {
    let called = |line: &'a str| {
        let (name, rest) = line.trim().split_once('!')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_name && name != "macro_rules" && rest.trim_start().starts_with(['{', '(', '['])).then_some(name)
    };
    let is_given = |line: &String| {
        let mut words = line.split("//").next().unwrap_or_default().split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| word == wanted)
    };
    let calls = lines.iter().enumerate().filter_map(|(at, line)| Some((at, called(line)?)));
    calls.filter(|(at, _)| lines[extent::of(lines, *at)].iter().any(is_given)).map(|(_, name)| name).collect()
}

/// The lines of a macro.
fn definition<'a>(lines: &'a [String], name: &str) -> Option<&'a [String]> {
    let is_head = |line: &&String| {
        let text = line.trim();
        text.strip_prefix("macro_rules!")
            .is_some_and(|rest| all_words(rest).find(|word| !word.is_empty()) == Some(name))
    };
    let at = lines.iter().position(|line| is_head(&line))?;
    Some(&lines[extent::of(lines, at)])
}

/// Whether a macro declares a test under a name that it is given, and none of them is ignored.
fn declares(body: &[String]) -> bool {
    let is_attribute = |line: &String| {
        let text = line.trim();
        text.starts_with("#[") && text.trim_end_matches(|c| c != ']').trim_end_matches(']').ends_with("test")
    };
    let names = body.iter().any(|line| {
        line.split_whitespace()
            .zip(line.split_whitespace().skip(1))
            .any(|(word, next)| word == "fn" && next.starts_with('$'))
    });
    names
        && body.iter().any(is_attribute)
        && !body.iter().any(|line| line.contains("ignore") || line.contains("should_panic"))
}

/// Whether a macro makes each kind of assertion as often as a test made it.
fn asserts_as_much(body: &[String], old: &Test) -> bool {
    let text = body.join("\n");
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    old.asserts.iter().for_each(|assert| *wanted.entry(assert.how.as_str()).or_default() += 1);
    let count = |how: &str| text.matches(&format!("{how}!(")).count();
    !wanted.is_empty() && wanted.iter().all(|(how, times)| count(how) >= *times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::outline::Assert;

    #[test]
    fn a_macro_declares_a_test_for_each_name() {
        let text = |mark: &str| {
            format!(
                "macro_rules! limits {{\n    ($($name:ident: $ty:ty),+) => {{\n        $(\n            #[test]\n{mark}            fn $name() {{\n                assert_eq!(read::<$ty>(&x), 1);\n            }}\n        )+\n    }};\n}}\n\nlimits! {{\n    one: u8,\n    two: u16,\n}}\n"
            )
        };
        let lines = |text: String| text.lines().map(str::to_string).collect::<Vec<_>>();
        let plain = lines(text(""));
        assert_eq!(macros_given(&plain, "two"), ["limits"]);
        assert!(macros_given(&plain, "three").is_empty());
        let body = definition(&plain, "limits").unwrap();
        assert!(declares(body));
        assert!(!declares(definition(&lines(text("            #[ignore]\n")), "limits").unwrap()));
        let test = |hows: &[&str]| Test {
            asserts: hows.iter().map(|how| Assert { how: (*how).into(), ..Assert::default() }).collect(),
            ..Test::default()
        };
        assert!(asserts_as_much(body, &test(&["assert_eq"])));
        assert!(!asserts_as_much(body, &test(&["assert_eq", "assert_eq"])), "one is missing");
        assert!(!asserts_as_much(body, &test(&["assert_ne"])) && !asserts_as_much(body, &test(&[])));
    }
}
