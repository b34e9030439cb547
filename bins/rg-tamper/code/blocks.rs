//! Blocks in which lint is suppressed, from `disable` to `enable`: one that holds nothing but new lines is on no code that existed.

use super::Judgement;
use super::extent::all_words;
use super::removed_words::line_at;
use crate::new_code::NewCode;
use crate::sides::Source;
use regex::bytes::Regex;
use review_gate::outline::{Reach, Suppression};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The largest file that is read, in bytes.
const ROOM: usize = 4 << 20;

/// What ends a block.
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)#pragma\s+warning\s+restore|#pragma\s+(?:GCC|clang)\s+diagnostic\s+pop",
        r"|\b(?:rubocop|swiftlint|pylint|phpcs)\s*:\s*enable|\b(?:eslint|ktlint|credo)[-:]enable|\b(?:c8|v8|istanbul)\s+ignore\s+(?:stop|end)",
        r"|:nocov:|\bNOLINTEND\b|\bclang-format\s+on\b|@formatter:on|\bfmt:\s*on\b|\bprettier-ignore-end\b|\bcodeCoverageIgnoreEnd\b|LCOV_EXCL_STOP"
    ))
    .ok()
});

/// Whether a block ends again, and all of its lines are new.
pub fn is_new(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    new_code: &NewCode<'_>,
    file: usize,
    suppression: &Suppression,
) -> bool {
    let change = &judgement.sides(file).change;
    if suppression.reach != Reach::Block || change.then.is_none() {
        return false;
    }
    let Some((_, now)) = source.both_texts(std::slice::from_ref(change), ROOM).and_then(|mut texts| texts.pop()) else {
        return false;
    };
    let first = line_at(suppression.line);
    last(&now, first).is_some_and(|last| new_code.are_new_lines(judgement.code.of[file], first..last + 1))
}

/// Whether the code that a suppression is about stood in an older block before, or nothing ended that block.
pub fn held(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    file: usize,
    before: &Suppression,
    now: &Suppression,
) -> bool {
    let change = &judgement.sides(file).change;
    let Some((then, _)) = source.both_texts(std::slice::from_ref(change), ROOM).and_then(|mut texts| texts.pop())
    else {
        return false;
    };
    let first = line_at(before.line);
    let Some(last) = last(&then, first) else { return true };
    let Some((lines, today)) = judgement.texts(source).lines(file) else { return false };
    let code = today.iter().skip(line_at(now.line)).map(|line| line.trim()).find(|line| !line.is_empty());
    let block = lines.get(first..=last.min(lines.len().saturating_sub(1))).unwrap_or_default();
    code.is_some_and(|code| block.iter().any(|line| is_mostly(line, code)))
}

/// Whether two lines have most of their words in common: what was suppressed may have been mended a little.
fn is_mostly(then: &str, now: &str) -> bool {
    let words = |line: &str| -> BTreeSet<String> {
        all_words(line).filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    let (then, now) = (words(then), words(now));
    !now.is_empty() && then.intersection(&now).count() * 2 > then.union(&now).count()
}

/// The line that ends the block which begins in a line.
fn last(text: &[u8], first: usize) -> Option<usize> {
    let regex = END.as_ref()?;
    let mut lines = text.split(|b| *b == b'\n').enumerate().skip(first + 1);
    lines.find(|(_, line)| regex.is_match(line)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_mended_a_little_is_the_same() {
        assert!(is_mostly("static let isbn = try! Regex(pattern)", "static let isbn = try! Regex(pattern)"));
        assert!(is_mostly("def kind(char)", "def kind(char)") && !is_mostly("def kind(char)", "def other(text)"));
    }

    #[test]
    fn a_block_ends_where_its_tool_is_turned_on_again() {
        let of = |text: &str| last(text.as_bytes(), 0);
        assert_eq!(of("#pragma warning disable CS0618\nx();\n#pragma warning restore CS0618\n"), Some(2));
        assert_eq!(of("# rubocop:disable Metrics/AbcSize\ndef a\nend\n# rubocop:enable Metrics/AbcSize"), Some(3));
        assert_eq!(of("/* eslint-disable */\nx()\n/* eslint-enable */"), Some(2));
        assert_eq!(of("/* eslint-disable */\nx()\n"), None);
    }
}
