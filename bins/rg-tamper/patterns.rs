//! The table of patterns: marks that skip tests, suppress lint, announce unfinished work, or help debugging, in files that
//! rg-outline does not read. A new mark is a new row.

use regex::bytes::Regex;
use review_gate::event::Rule;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The kind of a mark. The variants' names are part of findings' keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A skipped test, or one that keeps others from running.
    Skip,
    /// A suppressed lint or type check.
    Lint,
    /// Unfinished work.
    Todo,
    /// A debugging aid.
    Debug,
}

/// The guard for a kind of mark, and a description of the mark.
pub fn rule_of(kind: Kind) -> (Rule, &'static str) {
    match kind {
        Kind::Skip => (Rule::NoNewSkips, "skipped or focused test"),
        Kind::Lint => (Rule::NoDisabledLint, "suppressed lint"),
        Kind::Todo => (Rule::NoNewTodos, "unfinished work"),
        Kind::Debug => (Rule::NoDebugArtifacts, "debugging aid"),
    }
}

/// A pattern for a mark.
pub struct Pattern {
    /// The kind of the mark.
    pub kind: Kind,
    /// Every line that matches contains one of these words; other lines are not matched.
    words: &'static [&'static str],
    /// The regular expression for the line.
    line: &'static str,
}

const fn mark(kind: Kind, words: &'static [&'static str], line: &'static str) -> Pattern {
    Pattern { kind, words, line }
}

/// All patterns. donegate has each of them, with the same meaning.
pub static PATTERNS: [Pattern; 40] = [
    mark(
        Kind::Skip,
        &["skip", "todo", "failing", "only", "fixme", "runIf"],
        r"\b(?:it|test|describe|suite|context)(?:\s*\.\s*\w+)*?\s*\.\s*(?:skip|skipIf|runIf|todo|failing|only|fixme)\b",
    ),
    mark(Kind::Skip, &["xit", "xdescribe", "xtest"], r"\b(?:xit|xdescribe|xtest)\s*[(`.]"),
    mark(
        Kind::Skip,
        &["xit", "xdescribe", "xspecify", "xcontext"],
        r#"^\s*(?:xit|xdescribe|xspecify|xcontext)\s+['"]"#,
    ),
    mark(Kind::Skip, &["mark"], r"@pytest\s*\.\s*mark\s*\.\s*(?:skip|skipif|xfail)\b"),
    mark(Kind::Skip, &["skip"], r"\bpytest\s*\.\s*skip\s*\("),
    mark(Kind::Skip, &["unittest"], r"\bunittest\s*\.\s*skip"),
    mark(
        Kind::Skip,
        &["skipTest", "SkipTest", "expectedFailure"],
        r"\bself\s*\.\s*skipTest\s*\(|\bSkipTest\s*\(|@(?:unittest\s*\.\s*)?expectedFailure\b",
    ),
    mark(Kind::Skip, &["Skip"], r"\bt\s*\.\s*Skip(?:f|Now)?\s*\("),
    mark(Kind::Skip, &["ignore"], r"#\s*\[\s*ignore\b"),
    mark(Kind::Skip, &["Disabled", "Ignore"], r"@(?:Disabled|Ignore)\b"),
    mark(Kind::Skip, &["skip"], r"@(?:moduletag|describetag|tag)\s+:?skip\b"),
    mark(Kind::Skip, &["Skip"], r"\[\s*(?:Fact|Theory)\s*\(.*\bSkip\s*="),
    mark(Kind::Skip, &["Ignore"], r"^\s*\[\s*Ignore\b"),
    mark(Kind::Skip, &["markTest"], r"\bmarkTest(?:Skipped|Incomplete)\b"),
    mark(Kind::Skip, &["XCTSkip"], r"\bXCTSkip(?:If|Unless)?\s*\("),
    mark(Kind::Skip, &["skip:"], r"^\s*(?:it|describe|context|test)\b.*,\s*skip:"),
    mark(Kind::Lint, &["eslint-disable"], r"eslint-disable"),
    mark(Kind::Lint, &["biome-ignore"], r"biome-ignore"),
    mark(Kind::Lint, &["@ts-"], r"@ts-(?:ignore|nocheck|expect-error)\b"),
    mark(Kind::Lint, &["noqa"], r"(?:^|\s)#\s*noqa\b"),
    mark(Kind::Lint, &["type:"], r"#\s*type:\s*ignore\b"),
    mark(Kind::Lint, &["pylint"], r"#\s*pylint:\s*disable"),
    mark(Kind::Lint, &["nolint"], r"//\s*nolint\b"),
    mark(Kind::Lint, &["allow"], r"#\s*!?\s*\[\s*allow\s*\("),
    mark(Kind::Lint, &["SuppressWarnings"], r"@SuppressWarnings\b"),
    mark(Kind::Lint, &["rubocop"], r"rubocop:\s*(?:disable|todo)\b"),
    mark(Kind::Lint, &["pragma warning"], r"#pragma\s+warning\s+disable\b"),
    mark(Kind::Lint, &["phpcs:ignore", "phpcs:disable"], r"phpcs:(?:ignore|disable)"),
    mark(Kind::Lint, &["@codingStandardsIgnore"], r"@codingStandardsIgnore"),
    mark(Kind::Lint, &["@phpstan-ignore"], r"@phpstan-ignore"),
    mark(Kind::Lint, &["credo:"], r"credo:disable"),
    mark(Kind::Lint, &["swiftlint:"], r"swiftlint:disable"),
    mark(Kind::Lint, &["deno-lint-ignore"], r"deno-lint-ignore"),
    mark(Kind::Todo, &["TODO", "FIXME", "HACK", "XXX"], r"\b(?:TODO|FIXME|HACK|XXX)\b"),
    mark(Kind::Debug, &["console"], r"\bconsole\s*\.\s*(?:log|debug)\s*\("),
    mark(Kind::Debug, &["debugger"], r"^\s*debugger\s*;?\s*$"),
    mark(Kind::Debug, &["breakpoint"], r"\bbreakpoint\s*\(\s*\)"),
    mark(Kind::Debug, &["set_trace"], r"\bpdb\s*\.\s*set_trace\s*\("),
    mark(Kind::Debug, &["binding"], r"\bbinding\s*\.\s*pry\b"),
    mark(Kind::Debug, &["dbg"], r"\bdbg!\s*\("),
];

impl Pattern {
    /// The matches in a line, each extended to the end of its word. The expression is compiled when it is first used.
    pub fn finds(&self, at: usize, line: &[u8]) -> Vec<Range<usize>> {
        static COMPILED: [OnceLock<Option<Regex>>; PATTERNS.len()] = [const { OnceLock::new() }; PATTERNS.len()];
        if !self.words.iter().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some()) {
            return Vec::new();
        }
        let regex = COMPILED[at].get_or_init(|| Regex::new(&format!("(?-u){}", self.line)).ok());
        let word_ends = |from: usize| {
            let rest = line[from..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
            from + rest.count()
        };
        let found = regex.iter().flat_map(|regex| regex.find_iter(line));
        found.map(|found| found.start()..word_ends(found.end())).collect()
    }
}

/// The length of the longest word, in bytes.
pub const LONGEST_WORD: usize = 22;

/// The expression that finds the words of these patterns in one pass; None if there are none. Compiled once per set of patterns.
pub fn words_of(patterns: &[usize]) -> Option<Regex> {
    static COMPILED: Mutex<Option<HashMap<Vec<usize>, Option<Regex>>>> = Mutex::new(None);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    compiled.get_or_insert_default().entry(patterns.to_vec()).or_insert_with(|| compile_words(patterns)).clone()
}

fn compile_words(patterns: &[usize]) -> Option<Regex> {
    let mut words: Vec<String> =
        patterns.iter().flat_map(|at| PATTERNS[*at].words).map(|word| regex::escape(word)).collect();
    words.sort();
    words.dedup();
    if words.is_empty() {
        return None;
    }
    Regex::new(&format!("(?-u)(?:{})", words.join("|"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words and the expression of each row match an example.
    #[test]
    fn every_pattern_compiles_and_finds_an_example() {
        let lines: [(Kind, &[&str]); 4] = [
            (
                Kind::Skip,
                &[
                    "it.skip('x', () => {",
                    "describe.only(\"x\"",
                    "test.concurrent.skip(",
                    "test.todo('x')",
                    "xit('a'",
                    "xdescribe(",
                    "  xspecify 'a' do",
                    "@pytest.mark.skipif(True)",
                    "pytest.skip('x')",
                    "@unittest.skip('x')",
                    "self.skipTest('x')",
                    "raise unittest.SkipTest('x')",
                    "t.Skipf(\"x\")",
                    "#[ignore]",
                    "#[ignore = \"slow\"]",
                    "@Disabled(\"x\")",
                    "@Ignore",
                    "@tag :skip",
                    "@moduletag :skip",
                    "[Fact(Skip = \"x\")]",
                    "[Ignore]",
                    "$this->markTestSkipped('x');",
                    "throw XCTSkip(\"x\")",
                    "it 'a', skip: true do",
                ],
            ),
            (
                Kind::Lint,
                &[
                    "// eslint-disable-next-line no-x",
                    "// biome-ignore lint: x",
                    "// @ts-expect-error",
                    "x = 1  # noqa: E501",
                    "x = f()  # type: ignore[arg]",
                    "# pylint: disable=all",
                    "//nolint:errcheck",
                    "#![allow(dead_code)]",
                    "#[allow(x)]",
                    "@SuppressWarnings(\"x\")",
                    "# rubocop:disable X",
                    "#pragma warning disable 1",
                    "// phpcs:ignore",
                    "// @codingStandardsIgnoreLine",
                    "// @phpstan-ignore-line",
                    "# credo:disable-for-next-line",
                    "// swiftlint:disable x",
                    "// deno-lint-ignore x",
                ],
            ),
            (Kind::Todo, &["// TODO later", "# FIXME", "/* HACK */", "XXX"]),
            (
                Kind::Debug,
                &[
                    "console.log(1)",
                    "  debugger;",
                    "breakpoint()",
                    "import pdb; pdb.set_trace()",
                    "binding.pry",
                    "dbg!(x);",
                ],
            ),
        ];
        let longest = PATTERNS.iter().flat_map(|pattern| pattern.words).map(|word| word.len()).max();
        assert_eq!(longest, Some(LONGEST_WORD));
        let mut found = [false; PATTERNS.len()];
        for (kind, lines) in lines {
            for line in lines {
                let hits: Vec<usize> = (0..PATTERNS.len())
                    .filter(|at| PATTERNS[*at].kind == kind && !PATTERNS[*at].finds(*at, line.as_bytes()).is_empty())
                    .collect();
                assert!(!hits.is_empty(), "{line}");
                hits.into_iter().for_each(|at| found[at] = true);
            }
        }
        let missed: Vec<&str> =
            PATTERNS.iter().zip(found).filter(|(_, found)| !found).map(|(pattern, _)| pattern.line).collect();
        assert!(missed.is_empty(), "no example: {missed:?}");
    }

    #[test]
    fn similar_lines_are_not_marks() {
        for line in [
            "const only = it.length",
            "exit(1)",
            "unit.test",
            "regex.test('x')",
            "todo list",
            "#noqaX",
            "mydebugger;",
            "fit(model)",
        ] {
            let hits: Vec<&str> = PATTERNS
                .iter()
                .enumerate()
                .filter(|(at, pattern)| !pattern.finds(*at, line.as_bytes()).is_empty())
                .map(|(_, pattern)| pattern.line)
                .collect();
            assert!(hits.is_empty(), "{line}: {hits:?}");
        }
    }
}
