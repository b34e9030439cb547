//! Lints of Rust: which suppressions name single lints, that maintainers allow as a matter of style.

use super::extent::all_words;
use super::words::Texts;
use crate::config::is_single_lint;
use regex::Regex;
use review_gate::outline::{Reach, Suppression};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Lints of the compiler that tell of tests that do not fail or do not run.
const TELLING: [&str; 5] =
    ["unused_must_use", "unreachable_code", "unexpected_cfgs", "unnameable_test_items", "unconditional_panic"];

/// Directories of code that is not shipped.
const UNSHIPPED: [&str; 3] = ["tests", "benches", "examples"];

/// Whether a suppression only names single lints besides those of the one before it. For a whole file, a lint of the compiler counts as
/// one only in code that is not shipped.
pub fn is_named(now: &Suppression, before: Option<&Suppression>, shown: &str) -> bool {
    let known = before.filter(|before| before.reach >= now.reach).map_or(&[][..], |before| &before.rules);
    let mut added = now.rules.iter().map(String::as_str).filter(|rule| !known.iter().any(|known| known == rule));
    let dirs = shown.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    let is_unshipped = dirs.split('/').any(|dir| UNSHIPPED.contains(&dir));
    let is_far = now.reach > Reach::Definition;
    match now.linter.as_str() {
        _ if now.rules.is_empty() => false,
        "clippy" => added.all(is_single_lint),
        "rustc" => added.all(|rule| is_single_lint(rule) && (!is_far || is_unshipped && !TELLING.contains(&rule))),
        _ => false,
    }
}

/// Whether a rule stands for many: a group of lints of Rust, or the word of another tool for all of its rules.
pub fn is_group(linter: &str, rule: &str) -> bool {
    match linter {
        "clippy" | "rustc" => !is_single_lint(rule),
        _ => ["all", "*", "warnings"].iter().any(|word| rule.eq_ignore_ascii_case(word)),
    }
}

/// What demands lints.
static DEMAND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"#!?\[\s*(?:deny|forbid|warn)\s*\(([^\])]*)\)").ok());

/// Whether these lines demanded one of the lints that a suppression names.
pub fn were_demanded(now: &Suppression, then: &[String]) -> bool {
    let text = then.join("\n");
    let demands = DEMAND.as_ref().into_iter().flat_map(|regex| regex.captures_iter(&text));
    let words: BTreeSet<String> =
        demands.flat_map(|found| all_words(&found[1]).map(str::to_string).collect::<Vec<_>>()).collect();
    now.rules.iter().any(|rule| words.contains(rule))
}

/// Whether a suppression is about deprecated code, and the change itself deprecates some.
pub fn is_of_deprecated(now: &Suppression, texts: &Texts) -> bool {
    let count = |lines: &[String]| lines.iter().filter(|line| line.trim_start().starts_with("#[deprecated")).count();
    now.linter == "rustc" && now.rules == ["deprecated"] && texts.files().any(|(then, now)| count(now) > count(then))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_demand_what_is_suppressed_now() {
        let lines: Vec<String> =
            ["#![deny(", "    missing_docs,", "    clippy::unwrap_used,", ")]", "#![allow(clippy::len_zero)]"]
                .map(str::to_string)
                .into();
        let were = |rule: &str| were_demanded(&of("clippy", &[rule], Reach::File), &lines);
        assert!(were("unwrap_used") && were("missing_docs") && !were("len_zero") && !were("docs"));
    }

    fn of(linter: &str, rules: &[&str], reach: Reach) -> Suppression {
        let rules = rules.iter().map(|rule| rule.to_string()).collect();
        Suppression { linter: linter.into(), rules, reach, ..Suppression::default() }
    }

    #[test]
    fn a_single_lint_is_told_from_a_group() {
        let is = |linter: &str, rules: &[&str]| is_named(&of(linter, rules, Reach::File), None, "src/lib.rs");
        assert!(is("clippy", &["too_many_lines", "wildcard_imports"]));
        assert!(!is("clippy", &["too_many_lines", "all"]) && !is("clippy", &["pedantic"]) && !is("clippy", &[]));
        assert!(!is("rustc", &["dead_code"]) && !is("coverage", &["off"]));
    }

    #[test]
    fn a_lint_of_the_compiler_is_a_matter_of_style_on_one_definition_and_in_tests() {
        let is = |rule: &str, reach, shown: &str| is_named(&of("rustc", &["unused_imports", rule], reach), None, shown);
        assert!(is("dead_code", Reach::Definition, "src/lib.rs") && is("dead_code", Reach::File, "tests/util/mod.rs"));
        assert!(!is("dead_code", Reach::File, "src/tests.rs") && !is("warnings", Reach::Definition, "src/lib.rs"));
        assert!(
            !is("unused_must_use", Reach::File, "tests/a.rs") && !is("rust_2018_idioms", Reach::File, "tests/a.rs")
        );
    }

    #[test]
    fn what_was_allowed_before_is_not_added() {
        let of = |rules: &[&str], reach| of("clippy", rules, reach);
        let is =
            |then: Reach| is_named(&of(&["all", "len_zero"], Reach::File), Some(&of(&["all"], then)), "src/lib.rs");
        assert!(is(Reach::File) && !is(Reach::Definition), "it reaches further");
    }
}
