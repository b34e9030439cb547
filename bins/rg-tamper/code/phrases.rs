//! Phrases: two words that stand side by side, as in `Scope.drop`, `mode: "strict"` or the text of a message. A change may remove a
//! phrase although other code holds each of its words.

use regex::Regex;
use review_gate::outline::compare::is_generic;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Two words that stand side by side in a line.
pub type Phrase<'a> = (&'a str, &'a str);

/// How many characters stand between two words at most.
pub const BETWEEN: usize = 4;

/// How many letters both words have at least.
const LETTERS: usize = 9;

/// How long a word is at least.
const SHORTEST: usize = 3;

/// How many lines a check has at most.
const CHECK: usize = 8;

/// Words of languages and of test runners, which are part of no phrase.
const COMMON: [&str; 78] = [
    "and",
    "any",
    "args",
    "assert",
    "async",
    "await",
    "bool",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "describe",
    "elif",
    "else",
    "end",
    "enum",
    "equal",
    "eq",
    "err",
    "error",
    "except",
    "expect",
    "export",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "import",
    "in",
    "int",
    "is",
    "it",
    "let",
    "match",
    "mut",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "ok",
    "or",
    "private",
    "public",
    "pub",
    "raise",
    "return",
    "self",
    "should",
    "static",
    "str",
    "string",
    "struct",
    "super",
    "switch",
    "test",
    "tests",
    "then",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "undefined",
    "unwrap",
    "use",
    "value",
    "with",
];

/// Words of languages that begin with a capital.
const VALUES: [&str; 10] = ["Err", "Error", "Exception", "False", "None", "Ok", "Self", "Some", "String", "True"];

/// What fails: it raises, throws, or gives back an error.
static FAILS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:raise|throw|panic|bail|Err|abort|reject|fail\w*|fatal\w*|Errorf|errors\.New|assert\w*|invariant)\b",
    )
    .ok()
});

/// Whether a line fails.
fn fails(line: &str) -> bool {
    FAILS.as_ref().is_some_and(|regex| regex.is_match(line))
}

/// Whether lines are little more than a check that fails: a condition, and what is raised.
pub fn is_check(lines: &[String]) -> bool {
    lines.iter().filter(|line| !line.trim().is_empty()).count() <= CHECK && lines.iter().any(|line| fails(line))
}

/// The phrases of a line, without comments.
pub fn of(line: &str) -> impl Iterator<Item = Phrase<'_>> {
    let words = words(line);
    let next: Vec<(usize, &str)> = words.iter().skip(1).copied().collect();
    let pairs = words.into_iter().zip(next);
    pairs.filter_map(|((at, a), (then, b))| {
        let between = then - (at + a.len());
        (between <= BETWEEN && is_telling(a, b)).then_some((a, b))
    })
}

/// The phrases of several lines.
pub fn of_all<'a>(lines: impl Iterator<Item = &'a String>) -> BTreeSet<Phrase<'a>> {
    lines.flat_map(|line| of(line)).collect()
}

/// The words of a line, each with its place.
fn words(line: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = 0;
    for word in line.split(|c| !is_part(c)) {
        if !word.is_empty() {
            found.push((rest, word));
        }
        rest += word.len();
        rest += line[rest..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Whether two words together name something of this project.
fn is_telling(a: &str, b: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let is_common = |word: &str| COMMON.contains(&word) || VALUES.contains(&word) || is_generic(word);
    let are_long = letters(a) >= SHORTEST && letters(b) >= SHORTEST && letters(a) + letters(b) >= LETTERS;
    are_long && a != b && !is_common(a) && !is_common(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_side_by_side_are_a_phrase() {
        let of = |line: &'static str| of(line).collect::<Vec<_>>();
        assert_eq!(of("    Undefined.__slots__,"), [("Undefined", "__slots__")]);
        assert_eq!(of("getattr(Undefined, \"__slots__\")"), [("getattr", "Undefined"), ("Undefined", "__slots__")]);
        assert_eq!(of("mode: 'drop-commas'"), [("drop", "commas")]);
        assert_eq!(of("log('Globbed Scope Path:')"), [("Globbed", "Scope"), ("Scope", "Path")]);
        assert!(of("return value").is_empty() && of("a.b(c)").is_empty(), "they tell nothing");
        assert!(of("drops      commas").is_empty(), "too far apart");
        assert_eq!(of("é.größe über").len(), 1);
    }
}
