//! Blocks in which lint is suppressed, from `disable` to `enable`: one that holds nothing but new lines is on no code that existed.

use super::Judgement;
use super::extent::all_words;
use super::removed_words::line_at;
use crate::new_code::NewCode;
use crate::sides::Source;
use regex::bytes::Regex;
use review_gate::outline::{Reach, Suppression};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::LazyLock;

/// The largest file that is read, in bytes.
const ROOM: usize = 4 << 20;

/// How many lines after its begin a block about a statement ends at most.
const SHORT: usize = 5;

/// What ends a block.
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)#pragma\s+warning\s+restore|#pragma\s+(?:GCC|clang)\s+diagnostic\s+pop",
        r"|\b(?:rubocop|swiftlint|pylint|phpcs)\s*:\s*enable|\b(?:eslint|ktlint|credo)[-:]enable|\b(?:c8|v8|istanbul)\s+ignore\s+(?:stop|end)",
        r"|:nocov:|\bNOLINTEND\b|\bclang-format\s+on\b|@formatter:on|\bfmt:\s*on\b|\bprettier-ignore-end\b|\bcodeCoverageIgnoreEnd\b|LCOV_EXCL_STOP"
    ))
    .ok()
});

/// The lines that end blocks in a file, before and today.
struct Ends {
    then: Vec<usize>,
    now: Vec<usize>,
}

/// The ends of blocks in the changed files. Each file is read once, however many suppressions it holds.
pub struct Blocks<'a, 'b> {
    judgement: &'a Judgement<'b>,
    source: &'a Source<'a>,
    ends: RefCell<BTreeMap<usize, Option<Rc<Ends>>>>,
}

impl<'a, 'b> Blocks<'a, 'b> {
    pub fn of(judgement: &'a Judgement<'b>, source: &'a Source<'a>) -> Self {
        Blocks { judgement, source, ends: RefCell::default() }
    }

    /// The ends of blocks in a file; None if it cannot be read.
    fn ends(&self, file: usize) -> Option<Rc<Ends>> {
        let read = || {
            let change = &self.judgement.sides(file).change;
            let (then, now) = self.source.both_texts(std::slice::from_ref(change), ROOM)?.pop()?;
            Some(Rc::new(Ends { then: ends(&then), now: ends(&now) }))
        };
        self.ends.borrow_mut().entry(file).or_insert_with(read).clone()
    }

    /// Whether a block ends again, and all of its lines are new.
    pub fn is_new(&self, new_code: &NewCode<'_>, file: usize, suppression: &Suppression) -> bool {
        if suppression.reach != Reach::Block || self.judgement.sides(file).change.then.is_none() {
            return false;
        }
        let first = line_at(suppression.line);
        let last = self.ends(file).and_then(|ends| last(&ends.now, first));
        last.is_some_and(|last| new_code.are_new_lines(self.judgement.code.of[file], first..last + 1))
    }

    /// Whether a block in which named rules are off ends again after a few lines, so that it is about a statement.
    pub fn is_short(&self, file: usize, suppression: &Suppression) -> bool {
        let first = line_at(suppression.line);
        let last = || self.ends(file).and_then(|ends| last(&ends.now, first));
        suppression.reach == Reach::Block
            && !suppression.rules.is_empty()
            && last().is_some_and(|last| last - first <= SHORT)
    }

    /// Whether the code that a suppression is about stood in an older block before, or nothing ended that block.
    pub fn held(&self, file: usize, before: &Suppression, now: &Suppression) -> bool {
        let Some(ends) = self.ends(file) else { return false };
        let first = line_at(before.line);
        let Some(last) = last(&ends.then, first) else { return true };
        let Some((lines, today)) = self.judgement.texts(self.source).lines(file) else { return false };
        let code = today.iter().skip(line_at(now.line)).map(|line| line.trim()).find(|line| !line.is_empty());
        let block = lines.get(first..=last.min(lines.len().saturating_sub(1))).unwrap_or_default();
        code.is_some_and(|code| {
            let code = words(code);
            block.iter().any(|line| is_mostly(&words(line), &code))
        })
    }
}

fn words(line: &str) -> BTreeSet<&str> {
    all_words(line).filter(|word| !word.is_empty()).collect()
}

/// Whether two lines have most of their words in common: what was suppressed may have been mended a little.
fn is_mostly(then: &BTreeSet<&str>, now: &BTreeSet<&str>) -> bool {
    !now.is_empty() && then.intersection(now).count() * 2 > then.union(now).count()
}

/// The lines that end blocks.
fn ends(text: &[u8]) -> Vec<usize> {
    let lines = text.split(|b| *b == b'\n').enumerate();
    let Some(regex) = END.as_ref() else { return Vec::new() };
    lines.filter(|(_, line)| regex.is_match(line)).map(|(at, _)| at).collect()
}

/// The line that ends the block which begins in a line.
fn last(ends: &[usize], first: usize) -> Option<usize> {
    ends.get(ends.partition_point(|end| *end <= first)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_mended_a_little_is_the_same() {
        let is_mostly = |then: &str, now: &str| super::is_mostly(&words(then), &words(now));
        assert!(is_mostly("static let isbn = try! Regex(pattern)", "static let isbn = try! Regex(pattern)"));
        assert!(is_mostly("def kind(char)", "def kind(char)") && !is_mostly("def kind(char)", "def other(text)"));
    }

    #[test]
    fn a_block_ends_where_its_tool_is_turned_on_again() {
        let of = |text: &str| last(&ends(text.as_bytes()), 0);
        assert_eq!(of("#pragma warning disable CS0618\nx();\n#pragma warning restore CS0618\n"), Some(2));
        assert_eq!(of("# rubocop:disable Metrics/AbcSize\ndef a\nend\n# rubocop:enable Metrics/AbcSize"), Some(3));
        assert_eq!(of("/* eslint-disable */\nx()\n/* eslint-enable */"), Some(2));
        assert_eq!(of("/* eslint-disable */\nx()\n"), None);
    }
}
