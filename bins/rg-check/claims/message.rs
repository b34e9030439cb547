//! What an agent's message claims about tests and commands. Only plain statements about what was done count: a sentence with a condition, a
//! plan, a question or a negation claims nothing.

use regex::{Captures, Regex};
use review_gate::sys::markdown::quotations;
use review_gate::sys::shell;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest message that is read, in bytes. It is the length to which the source cuts one.
const MESSAGE: usize = 64 << 10;

/// The most claims of one message.
const CLAIMS: usize = 20;

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// So many tests passed or ran.
    Count {
        /// How many.
        tests: u64,
        /// Whether it says that these are all tests and that they pass.
        are_all: bool,
        /// The words, for people.
        words: String,
    },
    /// All tests pass.
    AllPass {
        /// The words, for people.
        words: String,
    },
    /// A command ran.
    Ran {
        /// The command as it is written.
        command: String,
    },
    /// A test passed.
    Test {
        /// Its name.
        name: String,
    },
}

/// Words that make a sentence something else than a statement about what was done.
static UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(if|when|whenever|once|unless|until|before|previously|originally|earlier|formerly|should|shall|would|could|might|may|must|can|cannot|will|won't|expect\w*|assum\w+|suppos\w+|presum\w+|likely|probably|perhaps|maybe|hope\w*|plan\w*|next|todo|remains?|not|no|never|none|nothing|neither|without|unable|instead|skipp\w*|fail\w*|except|however|almost|nearly|need\w*|want\w*|try|tried|attempt\w*|please|you|your|yours|let me|let's|going to|to run|to verify|to confirm|have to|says?|said|claims?|reports?|reported|according|readme|documentation|docs|ci|pipeline|upstream|main|master|baseline|base|reviewer|user|colleague|e\.g|i\.e|for example|example|such as|similar|about|around|roughly|approximately|over|more than|at least|up to|out of|estimate\w*|used to|was|were|had)\b|n't\b|[?\u{2026}]",
    )
});

/// What such a sentence may say all the same.
static NO_FAILURES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:0|no|zero|without) (?:failed|failures?|failing|errors?|skipped|warnings?|regressions?)\b")
});

/// Words beside a count that make it a part of all tests.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(new|added|add|updated|affected|related|relevant|remaining|other|these|those|both|existing|regression|more|additional|first|last|each|per|in|for|of|under|covering|two|three)\b",
    )
});

static COUNTS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        r"(?i)\b([0-9][0-9,]{0,8})(?: (?:unit|integration|e2e|end-to-end|automated|total))? (?:tests?|test cases|specs?)(?: (?:now|all|currently|still|successfully))*,? (?:pass|passed|passes|passing|succeed|succeeded|are green|are passing)\b",
        r"(?i)\b([0-9][0-9,]{0,8}) ?/ ?[0-9][0-9,]{0,8}(?: (?:unit|integration|e2e))?(?: (?:tests?|specs?))? (?:pass|passed|passing|succeed|succeeded|green)\b",
        r"(?i)\b([0-9][0-9,]{0,8}) (?:passed|passing)\b",
        r"(?i)\b(?:ran|executed) (?:all )?(?:the )?([0-9][0-9,]{0,8})(?: (?:unit|integration|e2e))? (?:tests?|specs)\b",
    ]
    .map(pattern)
});

/// What stands before the count of all tests.
static ALL_BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\ball (?:of )?(?:the )?$"));

/// A count of tests that pass, not only ran.
static PASSES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(?:pass\w*|succeed\w*|green)$"));

static ALL_PASS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:all|every|the (?:whole|full|entire|complete)|full|entire)(?: (?:the|of the|existing|unit|integration))* (?:tests?|test suite|tests suite|specs|suite)(?: (?:now|all|still|successfully))* (?:pass|passed|passes|passing|succeed|succeeds|succeeded|(?:is|are) (?:all )?(?:green|passing))\b",
    )
});

/// A code span that the agent says it ran, or that passes.
static RAN: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)(?:\b(?:i|we)(?:'ve| have)?(?: (?:also|just|then|again|now))* (?:re-?)?(?:ran|executed)|\b(?:i|we)(?:'ve| have)(?: (?:also|just|then|again|now))* (?:re-?)?run|(?:^|\b(?:and|then) )(?:also )?(?:re-?)?(?:ran|executed))(?: (?:the|full|whole|entire|complete|unit|test|tests|suite|linter|checks?|all|with|via|using|successfully|of|again|and))* `([^`]+)`",
        r"(?i)`([^`]+)` (?:(?:now|also|still|all) )*(?:passes|passed|succeeds|succeeded|exits 0|exited 0|is green|is clean|runs clean|ran clean)",
        r"(?i)^(?:tests?|lint|build|verified|checked|tested|validated)(?: (?:with|by|via|using|by running|run))+ `([^`]+)`",
    ]
    .map(pattern)
});

/// What may follow a statement that something passes. `passes the flag on` is no such statement.
const AFTER: [&str; 12] =
    [" and", " with", " locally", " cleanly", " now", " again", " as well", " too", " on my", " (", " \u{2014}", " -"];

static TEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)`((?:[A-Za-z0-9_./]+::)*(?:test_[A-Za-z0-9_]+|Test[A-Z][A-Za-z0-9_]*|[a-z0-9_]+_test))`(?: (?:test|case))?(?: (?:now|also|still))* (?:passes|passed|succeeds|succeeded|is green|is passing)",
    )
});

/// A pattern of this file.
fn pattern(text: &str) -> Regex {
    // The patterns are constants; a test compiles each of them.
    Regex::new(text).unwrap_or_else(|_| NOTHING.clone())
}

static NOTHING: LazyLock<Regex> = LazyLock::new(|| match Regex::new("[^\\s\\S]") {
    Ok(nothing) => nothing,
    Err(error) => unreachable!("{error}"),
});

/// The programs whose runs are looked up. Another code span is no command.
const PROGRAMS: [&str; 44] = [
    "cargo", "npm", "npx", "yarn", "pnpm", "bun", "deno", "node", "python", "python3", "pytest", "tox", "nox", "uv",
    "poetry", "ruff", "mypy", "black", "flake8", "pylint", "go", "make", "just", "cmake", "ctest", "mvn", "gradle",
    "gradlew", "mvnw", "rspec", "bundle", "rake", "phpunit", "composer", "dotnet", "swift", "mix", "jest", "vitest",
    "mocha", "eslint", "tsc", "prettier", "bats",
];

/// The claims of a message, each once.
pub fn claims(message: &str) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    // Most messages claim nothing, and are not parsed.
    let is_candidate = ["test", "pass", "`", "spec", "suite"].iter().any(|word| message.contains(word));
    if !is_candidate || message.len() > MESSAGE {
        return found;
    }
    for line in prose(message) {
        for sentence in sentences(line) {
            // Code does not make a sentence unsure.
            if UNSURE.is_match(&NO_FAILURES.replace_all(&without_code(sentence), "")) {
                continue;
            }
            for claim in claims_of(sentence) {
                if !found.contains(&claim) && found.len() < CLAIMS {
                    found.push(claim);
                }
            }
        }
    }
    found
}

/// The lines that are the agent's own. A line may begin with code that is a part of its sentence.
fn prose(message: &str) -> Vec<&str> {
    let quotations = quotations(message);
    let mut at = 0;
    let mut lines = Vec::new();
    for line in message.split_inclusive('\n') {
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        let quotation = quotations.iter().find(|quotation| quotation.range.contains(&begin));
        let is_span = |range: &Range<usize>| {
            let text = &message[range.clone()];
            range.start == begin && text.starts_with('`') && !text.starts_with("```") && !text.contains('\n')
        };
        if quotation.is_none_or(|quotation| is_span(&quotation.range)) && !line.trim().is_empty() {
            lines.push(line.trim_end());
        }
    }
    lines
}

fn claims_of(sentence: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let prose = without_code(sentence).replace("**", "");
    let is_whole = !PART.is_match(&prose);
    let matched = COUNTS.iter().find_map(|pattern| pattern.captures(&prose).filter(|found| ends_there(found, &prose)));
    let counted = matched.filter(|_| is_whole).and_then(|found| {
        let tests = found.get(1)?.as_str().replace(',', "").parse().ok()?;
        let words = found.get(0)?;
        let are_all = ALL_BEFORE.is_match(&prose[..words.start()]) && PASSES.is_match(words.as_str());
        Some(Claim::Count { tests, are_all, words: words.as_str().to_string() })
    });
    let all = || ALL_PASS.find(&prose).map(|words| Claim::AllPass { words: words.as_str().to_string() });
    found.extend(counted.or_else(all));
    let spans = RAN
        .iter()
        .flat_map(|pattern| pattern.captures_iter(sentence))
        .filter(|found| ends_there(found, sentence))
        .filter_map(|found| found.get(1));
    for command in spans.map(|span| span.as_str().trim()).filter(|command| is_command(command)) {
        let claim = Claim::Ran { command: command.to_string() };
        if !found.contains(&claim) {
            found.push(claim);
        }
    }
    let names =
        TEST.captures_iter(sentence).filter(|found| ends_there(found, sentence)).filter_map(|found| found.get(1));
    found.extend(names.map(|name| Claim::Test { name: name.as_str().to_string() }));
    found
}

/// Whether a statement ends where it was found: `2900 passed validation` says nothing of tests.
fn ends_there(found: &Captures<'_>, sentence: &str) -> bool {
    let Some(whole) = found.get(0) else { return false };
    let rest = &sentence[whole.end()..];
    whole.as_str().ends_with('`')
        || rest.is_empty()
        || rest.starts_with(['.', ',', ';', ':', '!', ')'])
        || AFTER.iter().any(|word| rest.starts_with(word))
}

/// Whether a code span is the command of a known program.
fn is_command(span: &str) -> bool {
    let commands = shell::commands(span);
    let first = commands.first().and_then(|words| program(words));
    first.is_some_and(|first| PROGRAMS.contains(&first))
}

/// The program of a command, after its assignments.
pub fn program(words: &[String]) -> Option<&str> {
    words.iter().find(|word| !word.contains('=')).map(|word| shell::program_name(word))
}

/// The sentences of a line. A point inside code or inside a word ends none.
fn sentences(line: &str) -> Vec<&str> {
    let line = line.trim_start().trim_start_matches(|c: char| {
        "-*+#>|".contains(c) || c.is_whitespace() || c == '\u{2705}' || c == '\u{2713}' || c == '\u{2714}'
    });
    let (mut found, mut begin, mut is_code) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        is_code ^= c == '`';
        let rest = &line[at + c.len_utf8()..];
        let ends = match c {
            '.' | '!' | '?' | ':' => rest.is_empty() || rest.starts_with(char::is_whitespace),
            ';' | '|' => true,
            _ => false,
        };
        if ends && !is_code {
            found.push(line[begin..at + c.len_utf8()].trim_end_matches('|').trim());
            begin = at + c.len_utf8();
        }
    }
    found.push(line[begin..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A sentence with the code spans replaced by a word.
fn without_code(sentence: &str) -> String {
    sentence.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "code" }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(!NOTHING.is_match("x"));
        let all = COUNTS.iter().chain(RAN.iter()).chain([
            &*UNSURE,
            &*NO_FAILURES,
            &*PART,
            &*ALL_BEFORE,
            &*PASSES,
            &*ALL_PASS,
            &*TEST,
        ]);
        assert!(all.map(Regex::as_str).all(|text| text != NOTHING.as_str()));
    }

    #[test]
    fn a_sentence_ends_at_its_point_and_not_in_code() {
        assert_eq!(sentences("- Ran `a. b`. Then x; y"), ["Ran `a. b`.", "Then x;", "y"]);
        assert_eq!(sentences("| tests | 1.5 s |"), ["tests", "1.5 s"]);
    }

    #[test]
    fn statements_are_claims() {
        let count = |tests, words: &str| Claim::Count { tests, are_all: false, words: words.into() };
        let all = |tests, words: &str| Claim::Count { tests, are_all: true, words: words.into() };
        let ran = |command: &str| Claim::Ran { command: command.into() };
        for (message, want) in [
            ("All 1,250 tests pass.", vec![all(1250, "1,250 tests pass")]),
            ("I ran `cargo test`; 12 passed, 0 failed.", vec![ran("cargo test"), count(12, "12 passed")]),
            ("All of the tests now pass!", vec![Claim::AllPass { words: "All of the tests now pass".into() }]),
            ("`test_a` passes", vec![Claim::Test { name: "test_a".into() }]),
        ] {
            assert_eq!(claims(message), want, "{message}");
        }
    }
}
