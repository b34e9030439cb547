//! Removed words: the identifiers in lines of source that a change removed.

use super::extent::all_words;
use super::phrases::{self, Phrase};
use super::rewritten::Hunks;
use super::{Judgement, extent};
use review_gate::outline::compare::Side;
use std::collections::{BTreeMap, BTreeSet};

/// How short a word may be.
const SHORTEST: usize = 4;

/// How short a telling word may be.
const TELLING: usize = 8;

/// Words of languages, which name nothing of a project.
const KEYWORDS: [&str; 75] = [
    "abstract",
    "async",
    "await",
    "begin",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "defer",
    "elif",
    "else",
    "elsif",
    "ensure",
    "enum",
    "except",
    "export",
    "extends",
    "fallthrough",
    "false",
    "final",
    "finally",
    "float",
    "foreach",
    "func",
    "function",
    "global",
    "goto",
    "guard",
    "implements",
    "import",
    "include",
    "instanceof",
    "interface",
    "internal",
    "lambda",
    "match",
    "module",
    "namespace",
    "none",
    "null",
    "override",
    "package",
    "private",
    "protected",
    "public",
    "raise",
    "readonly",
    "rescue",
    "return",
    "select",
    "self",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "true",
    "typeof",
    "undefined",
    "unless",
    "until",
    "using",
    "void",
    "volatile",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

/// Names of standard libraries, beside those of errors that end as usual: they name nothing of a project.
const STANDARD: [&str; 14] = [
    "empty",
    "out_of_range",
    "invalid_argument",
    "runtime_error",
    "logic_error",
    "domain_error",
    "overflow_error",
    "length_error",
    "abort",
    "assert",
    "sync",
    "errors",
    "time",
    "math",
];

/// Errors of standard libraries, without their ends.
const ERRORS: [&str; 26] = [
    "Value",
    "Type",
    "Key",
    "Index",
    "Runtime",
    "Attribute",
    "Lookup",
    "Arithmetic",
    "ZeroDivision",
    "NotImplemented",
    "Range",
    "Syntax",
    "Argument",
    "IllegalArgument",
    "IllegalState",
    "NullPointer",
    "IndexOutOfBounds",
    "UnsupportedOperation",
    "NoSuchElement",
    "InvalidArgument",
    "Logic",
    "Domain",
    "ArgumentNull",
    "ArgumentOutOfRange",
    "InvalidOperation",
    "OutOfBounds",
];

/// Whether a word is a name of a standard library.
pub fn is_standard(word: &str) -> bool {
    let error = word.strip_suffix("Error").or_else(|| word.strip_suffix("Exception"));
    STANDARD.contains(&word) || error.is_some_and(|error| error.is_empty() || ERRORS.contains(&error))
}

/// How much shorter a hunk has to become, so that its words are removed and not replaced: at least half of its lines go.
const SHRINKS: usize = 2;

/// The lines of a file on both sides, without comments.
#[derive(Default)]
pub struct Lines {
    pub then: Vec<String>,
    pub now: Vec<String>,
}

/// What was removed from the source of all changed files.
#[derive(Default)]
pub struct Removed<'a> {
    /// The words of all lines that are gone or differ.
    pub changed: BTreeSet<&'a str>,
    /// The words of hunks that became shorter.
    pub shrunk: BTreeSet<&'a str>,
    /// The words of hunks that nothing replaced.
    pub cut: BTreeSet<&'a str>,
    /// The phrases of hunks that became shorter.
    pub phrases: BTreeSet<Phrase<'a>>,
    /// The phrases of such hunks that were little more than a check, which failed.
    pub checks: BTreeSet<Phrase<'a>>,
    /// How often each word was there before, and how much more often than today.
    change: BTreeMap<&'a str, (i64, i64)>,
}

impl<'a> Removed<'a> {
    /// Reads the source among the changed files.
    pub fn of(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>) -> Removed<'a> {
        let mut removed = Removed::default();
        for (file, lines) in files.iter().filter(|(file, _)| is_source(judgement, **file)) {
            removed.add_file(judgement, *file, lines);
        }
        removed
    }

    /// Reads one source file.
    pub fn of_file(judgement: &Judgement<'_>, file: usize, lines: &'a Lines) -> Removed<'a> {
        let mut removed = Removed::default();
        removed.add_file(judgement, file, lines);
        removed
    }

    fn add_file(&mut self, judgement: &Judgement<'_>, file: usize, lines: &'a Lines) {
        let hidden = [(Side::Then, &lines.then), (Side::Now, &lines.now)]
            .map(|(side, lines)| tests_of(judgement, side, file, lines));
        self.add(lines, &hidden);
    }

    /// Adds a file. Lines that belong to tests are hidden.
    fn add(&mut self, lines: &'a Lines, hidden: &[Vec<bool>; 2]) {
        for (lines, hidden, one) in [(&lines.then, &hidden[0], 1), (&lines.now, &hidden[1], -1)] {
            let shown = lines.iter().zip(hidden).filter(|(_, hidden)| !**hidden);
            shown.flat_map(|(line, _)| words(line)).for_each(|word| {
                let (then, change) = self.change.entry(word).or_default();
                (*then, *change) = (*then + one.max(0), *change + one);
            });
        }
        for (before, after) in Hunks::of((&lines.then, &lines.now)).ranges() {
            let count = |lines: &[String]| lines.iter().filter(|line| !line.trim().is_empty()).count();
            let (then, now) = (count(&lines.then[before.clone()]), count(&lines.now[after]));
            let words = || before.clone().filter(|at| !hidden[0][*at]).flat_map(|at| words(&lines.then[at]));
            self.changed.extend(words());
            if then > 0 && now * SHRINKS <= then {
                self.shrunk.extend(words());
                let shown = before.clone().filter(|at| !hidden[0][*at]);
                let is_check = phrases::is_check(&lines.then[before.clone()]);
                let of = if is_check { &mut self.checks } else { &mut self.phrases };
                of.extend(shown.flat_map(|at| phrases::of(&lines.then[at])));
            }
            if now == 0 {
                self.cut.extend(words());
            }
        }
    }

    /// Whether a word is there less often than before.
    pub fn is_fewer(&self, word: &str) -> bool {
        self.change.get(word).is_some_and(|(_, change)| *change > 0)
    }

    /// Whether a word that stands so often in files that did not change is there less than half as often as before.
    pub fn is_mostly_gone(&self, word: &str, elsewhere: i64) -> bool {
        self.change.get(word).is_some_and(|(then, change)| *change * 2 > *then + elsewhere)
    }
}

/// The place of a line that is counted from 1.
pub fn line_at(line: u64) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1)
}

/// Whether words of a file count as source: it is no test, and in a language with marked tests it holds none unless they are Rust's inline tests.
pub fn is_source(judgement: &Judgement<'_>, file: usize) -> bool {
    let role = &judgement.sides(file).role;
    let holds_tests = judgement.outline(Side::Then, file).is_some_and(|outline| !outline.tests.is_empty());
    !role.is_test && !role.was_test && !judgement.is_foreign(file) && (!holds_tests || role.language == Some("rust"))
}

/// Which lines of a file belong to tests, or to what is compiled for tests only.
pub fn tests_of(judgement: &Judgement<'_>, side: Side, file: usize, lines: &[String]) -> Vec<bool> {
    let mut hidden = vec![false; lines.len()];
    let tests = judgement.outline(side, file).map_or(&[][..], |outline| &outline.tests);
    let of_tests = tests.iter().map(|test| line_at(test.line));
    let only_tests = (0..lines.len()).filter(|at| lines[*at].trim_start().starts_with("#[cfg(test)]"));
    for first in of_tests.chain(only_tests.map(|at| at + 1)) {
        hidden[extent::of(lines, first)].fill(true);
    }
    hidden
}

/// The specific words of a line: identifiers and names with hyphens.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    all_words(line).filter(|word| is_specific(word))
}

/// Whether a word is long enough and names something of this project.
pub fn is_specific(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters >= SHORTEST && !word.starts_with(|c: char| c.is_numeric()) && !is_keyword(word)
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || matches!(word, "True" | "False" | "None")
}

/// Whether a word is made of several, as names of options are: `useSemicolon`, `max_size`, `dry-run`.
pub fn is_telling(word: &str) -> bool {
    let is_joined = word.trim_matches('_').contains(['_', '-']);
    let is_camel = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    word.len() >= TELLING && (is_joined || is_camel)
}
