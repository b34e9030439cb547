//! Aliases: conditions of skips that have a name now. The definition of the name says whether it is the same condition.

use super::condition;
use super::removed_words::is_source;
use super::words::Texts;
use super::{Judgement, extent, tree};
use crate::sides::Source;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// A comparison of what a call returns.
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^([\w.]+)\(\)\s*((?:==|!=|<|>).+)$").ok());

/// Signs that join conditions.
const JOINING: [&str; 7] = ["||", " or ", "&&", " and ", " if ", "?", "\n"];

/// Whether a new condition is a name, or calls a function, whose definition asks what the old condition asked, in each place where it is defined.
pub fn is_same(judgement: &Judgement<'_>, source: &Source<'_>, before: &str, now: &str) -> bool {
    let texts = judgement.texts(source);
    let Some(name) = name_of(now) else { return is_same_call(judgement, texts, before, now) };
    let mut values: Vec<String> = texts.files().flat_map(|(_, lines)| assigned(lines, name)).collect();
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    let Some(unchanged) = tree::assigning(source.top, source.now, &changed, name) else { return false };
    values.extend(unchanged.iter().flat_map(|line| value_of(line, name)));
    let turn = is_turned(now);
    !values.is_empty() && values.iter().all(|value| is_condition(before, value, turn))
}

/// The name that a condition consists of: `WIN`, `not WIN`, `!util.isWindows`.
fn name_of(condition: &str) -> Option<&str> {
    let text = condition.trim().trim_start_matches("not ").trim_start_matches('!').trim();
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let name = text.rsplit(['.', ':']).next()?;
    let is_name = text.chars().all(is_part) && name.len() >= 3 && !name.starts_with(|c: char| c.is_numeric());
    is_name.then_some(name)
}

fn is_turned(condition: &str) -> bool {
    let text = condition.trim();
    text.starts_with('!') || text.starts_with("not ")
}

/// What the lines of a file assign to a name.
fn assigned(lines: &[String], name: &str) -> Vec<String> {
    lines.iter().filter_map(|line| value_of(line, name)).collect()
}

/// What a line assigns to a name: `WIN = sys.platform == "win32"`, `export const isWindows: boolean = …;`.
fn value_of(line: &str, name: &str) -> Option<String> {
    let (before, rest) = line.split_once('=')?;
    let rest = rest.strip_prefix(|c| !matches!(c, '=' | '>' | '~'))?;
    let target = before.split(':').next()?.trim();
    let words: Vec<&str> = target.split_whitespace().collect();
    let is_declared = words.iter().rev().skip(1).all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'));
    (words.last() == Some(&name) && is_declared).then(|| without_reason(rest.trim().trim_end_matches(';')))
}

/// A condition without the reason that it gives: `a && 'why'`, `a ? 'why' : false`, `a ? false : "why"`.
fn without_reason(value: &str) -> String {
    let is_text = |text: &str| {
        let text = text.trim();
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        quote.is_some_and(|quote| text.len() > 1 && text.ends_with(quote) && text.matches(quote).count() == 2)
    };
    if let Some((condition, reason)) = value.rsplit_once("&&").or_else(|| value.rsplit_once(" and "))
        && is_text(reason)
    {
        return condition.trim().to_string();
    }
    let is_no = |text: &str| ["false", "nil", "null", "undefined", "None"].contains(&text.trim());
    let Some((condition, rest)) = value.split_once(" ? ") else { return value.to_string() };
    match rest.rsplit_once(" : ") {
        Some((yes, no)) if is_text(yes) && is_no(no) => condition.trim().to_string(),
        Some((yes, no)) if is_no(yes) && is_text(no) => format!("!{}", condition.trim()),
        _ => value.to_string(),
    }
}

/// Whether a value is the old condition: the same text, or one that asks the environment for the same. If it is used turned, it is the opposite.
fn is_condition(before: &str, value: &str, is_used_turned: bool) -> bool {
    let none = BTreeSet::new();
    let asks = |text: &str| condition::is_of_environment(text, "", &none);
    let parts = |text: &str| JOINING.iter().filter(|sign| text.contains(**sign)).count();
    let is_negated = |text: &str| text.contains("!=") || is_turned(text);
    let is_opposite = is_negated(before) != (is_negated(value) != is_used_turned);
    let is_alike = || {
        asks(before)
            && asks(value)
            && condition::is_alike(("", before), ("", value))
            && parts(value) == 0
            && parts(before) == 0
    };
    let bare = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '(' | ')')).collect()
    };
    !is_opposite && (bare(before) == bare(value) && !is_used_turned || is_alike())
}

/// Whether two conditions differ in one call only, and the function that is called now is source and calls the old one.
fn is_same_call(judgement: &Judgement<'_>, texts: &Texts, before: &str, now: &str) -> bool {
    let split = |text: &str| -> Option<(String, String)> {
        let found = CALL.as_ref()?.captures(text.trim())?;
        Some((found[1].to_string(), found[2].split_whitespace().collect()))
    };
    let (Some((old, old_rest)), Some((new, new_rest))) = (split(before), split(now)) else { return false };
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_string();
    let (old, new) = (last(&old), last(&new));
    let wanted = BTreeSet::from([new.as_str()]);
    let files = (0..judgement.code.files.len()).filter_map(|file| Some((file, texts.lines(file)?.1)));
    let bodies: Vec<(bool, bool)> = files
        .flat_map(|(file, lines)| {
            let of_file = extent::defining(lines, &wanted).map(|first| {
                let mut words = lines[extent::of(lines, first)].iter().flat_map(|line| extent::all_words(line));
                (is_source(judgement, file), words.any(|word| word == old))
            });
            of_file.collect::<Vec<_>>()
        })
        .collect();
    old_rest == new_rest
        && old.len() >= 4
        && !bodies.is_empty()
        && bodies.iter().all(|(is_source, calls)| *is_source && *calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_may_be_a_name() {
        assert_eq!(name_of("WIN"), Some("WIN"));
        assert_eq!(name_of("not util.WIN"), Some("WIN"));
        assert_eq!(name_of("!(isWindows)"), Some("isWindows"));
        assert_eq!((name_of("a == b"), name_of("f()"), name_of("1")), (None, None, None));
    }

    #[test]
    fn a_line_assigns_a_value() {
        for line in ["WIN = a == 'b'", "export const WIN: boolean = a == 'b';", "pub static WIN: bool = a == 'b';"] {
            assert_eq!(value_of(line, "WIN").as_deref(), Some("a == 'b'"), "{line}");
        }
        for line in ["WIN == a", "x.WIN = a", "f(WIN = a)", "WIN += a", "OTHER = WIN"] {
            assert_eq!(value_of(line, "WIN"), None, "{line}");
        }
    }

    #[test]
    fn a_value_is_the_condition_if_it_asks_for_the_same() {
        let before = "platform.system() == 'Windows'";
        assert!(is_condition(before, "platform.system() == \"Windows\"", false));
        assert!(is_condition(before, "sys.platform == 'win32'", false));
        assert!(is_condition(before, "sys.platform != 'win32'", true));
        for value in [
            "True",
            "sys.platform == 'win32' or True",
            "sys.platform == 'linux'",
            "os.environ.get('CI')",
            "sys.platform != 'win32'",
        ] {
            assert!(!is_condition(before, value, false), "{value}");
        }
        assert!(!is_condition(before, before, true), "turned");
    }

    #[test]
    fn a_reason_is_no_part_of_a_condition() {
        for (value, condition) in [
            ("process.platform === 'win32' && 'needs links'", "process.platform === 'win32'"),
            ("a ? 'why' : false", "a"),
            ("Process.respond_to?(:fork) ? false : \"no fork\"", "!Process.respond_to?(:fork)"),
            ("a && b", "a && b"),
            ("a ? b : c", "a ? b : c"),
            ("x === 'y'", "x === 'y'"),
        ] {
            assert_eq!(without_reason(value), condition);
        }
    }
}
