//! Filters in code: the program that runs the tests is told by code to run some of them only.

use super::Judgement;
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::Level;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A line that selects tests by their name, in GoogleTest, Catch2, doctest and Mocha.
static SELECTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let google = r#"GTEST_FLAG\(filter\)\s*=|GTEST_FLAG_SET\(\s*filter\b|\bFLAGS_gtest_filter\s*="#;
    let others = r#"\.testsOrTags\.push_back\(|\.(?:addFilter|setOption)\(\s*"test-(?:case|suite)|\bmocha\.f?grep\("#;
    Regex::new(&format!("{google}|{others}")).ok()
});

/// A line that leaves tests out by their tag, in ExUnit.
static LEAVES_OUT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:.*\bExUnit\.(?:configure|start)\b.*\b)?\s*exclude:\s*\[?\s*[:\w]").ok());

impl Inspection<'_> {
    /// Finds filters that files of tests had not.
    pub fn find_filters(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let rule = self.guards.of_focused_tests();
        let Some(level) = self.guards.level(rule) else { return };
        let is_test = |file: &usize| {
            let sides = judgement.sides(*file);
            sides.role.is_test && sides.change.then.is_some() && sides.change.now.is_some()
        };
        for file in (0..judgement.code.files.len()).filter(is_test) {
            // Which tests have the tag is not known.
            let (regex, level) = match judgement.sides(file).role.language {
                Some("cpp" | "javascript" | "typescript") => (&SELECTS, level),
                Some("elixir") => (&LEAVES_OUT, level.min(Level::Warning)),
                _ => continue,
            };
            let (Some(regex), Some((then, now))) = (regex.as_ref(), judgement.texts(source).lines(file)) else {
                continue;
            };
            let is_filter = |line: &String| regex.is_match(line) && !is_comment(line);
            // One that leaves out a further tag is new, too.
            let names = |line: &str| -> BTreeSet<String> { tags(line).map(str::to_string).collect() };
            let known: BTreeSet<String> =
                then.iter().filter(|line| is_filter(line)).flat_map(|line| names(line)).collect();
            let is_wider = |line: &String| tags(line).any(|tag| !known.contains(tag));
            let is_first = !then.iter().any(is_filter);
            let is_new = |line: &String| is_filter(line) && (is_first || is_wider(line));
            let Some(at) = now.iter().position(is_new) else { continue };
            let text = format!("not all tests are run now: `{}`", cut_end(&one_line(now[at].trim()), 80));
            let place = (judgement.shown(file), Some(at as u64 + 1));
            self.find_at(judgement.level(file, level), rule, place.0, place.1, "filter", text);
        }
    }
}

/// The tags of ExUnit in what a line leaves out.
fn tags(line: &str) -> impl Iterator<Item = &str> {
    let (_, rest) = line.split_once("exclude:").unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let list = rest.trim_start().strip_prefix('[').map_or(rest, |inner| inner.split(']').next().unwrap_or(inner));
    list.split(move |c| !is_part(c)).filter(|word| !word.is_empty() && *word != "true")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['#', '/', '*'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_selects_or_leaves_out() {
        let is = |regex: &LazyLock<Option<Regex>>, line: &str| regex.as_ref().unwrap().is_match(line);
        for line in [
            "::testing::GTEST_FLAG(filter) = \"SchedulerTest.*\";",
            "GTEST_FLAG_SET(filter, \"-Slow.*\");",
            "session.configData().testsOrTags.push_back(\"[fast]\");",
            "context.addFilter(\"test-case\", \"*math*\");",
        ] {
            assert!(is(&SELECTS, line), "{line}");
        }
        assert!(!is(&SELECTS, "::testing::GTEST_FLAG(death_test_style) = \"threadsafe\";"));
        assert!(
            is(&LEAVES_OUT, "ExUnit.start(exclude: [:slow])") && is(&LEAVES_OUT, "ExUnit.configure exclude: :slow")
        );
        assert!(is(&LEAVES_OUT, "  exclude: [:external, :ledger]") && !is(&LEAVES_OUT, "  exclude: []"));
        assert_eq!(tags("  exclude: [:external, ledger: true], trace: 1").collect::<Vec<_>>(), ["external", "ledger"]);
        assert!(!is(&LEAVES_OUT, "ExUnit.start()") && !is(&LEAVES_OUT, "ExUnit.start(exclude: [])"));
    }
}
