//! Scans one file's bytes, piece by piece, for lines that match a pattern, with the lines around them. Lines are split at LF,
//! whatever other bytes they hold.

use crate::line::{self, Line, MAX_LINE};
use crate::patterns::{Kind, LONGEST_WORD, PATTERNS, words_of};
use regex::bytes::Regex;
use review_gate::sys::digest::{Raw, Stream};
use std::ops::Range;

/// How many bytes are scanned at once.
const PIECE: usize = 1 << 20;

/// How many bytes before and after a word are scanned in a line that is too long.
const SURROUNDINGS: usize = 200;

/// How many marks of each kind are kept for a file.
pub const MAX_MARKS: usize = 10_000;

/// The longest snippet that is shown, in characters.
pub const SNIPPET: usize = 120;

/// How many lines of a file are kept as digests, to find where they moved.
const MAX_LINES: usize = 20_000;

/// One line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern's index in the table.
    pub pattern: usize,
    /// The line number, from 1.
    pub line: u64,
    /// The line, cut.
    pub text: String,
    /// The digest of the match, in its plainest form.
    pub mark: u64,
    /// The digests of the rules, or of the condition, after the mark; sorted.
    pub rules: Vec<u64>,
    /// The digest of the title of the test that the line declares; 0 if it declares none.
    pub title: u64,
    /// It keeps other tests from running.
    pub is_focus: bool,
    /// It suppresses more than one line or one definition.
    pub is_wide: bool,
    /// The digest of the code before the mark in its line; 0 if there is none.
    pub code: u64,
    /// The digest of the whole line.
    pub own: u64,
    /// It is an attribute or a decorator, which is about the line below.
    pub is_bare: bool,
    /// The digest of the previous line that is not blank; 0 if there is none.
    pub before: u64,
    /// The digest of the next line that is neither blank nor an attribute; 0 if there is none.
    pub after: u64,
}

impl Hit {
    /// The kind of its pattern.
    pub fn kind(&self) -> Kind {
        PATTERNS[self.pattern].kind
    }
}

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The hits, in the order of the lines.
    pub hits: Vec<Hit>,
    /// The kinds with more than `MAX_MARKS` marks.
    pub more: Vec<Kind>,
    /// The bytes contain a NUL.
    pub has_nul: bool,
    /// SHA-256 of the bytes.
    pub sha256: Raw,
    /// SHA-256 of the bytes with every CRLF replaced by LF.
    pub folded: Raw,
    /// The first bytes: enough for a git-lfs pointer, or a whole settings file.
    pub head: Vec<u8>,
    /// The first `MAX_LINES` lines.
    pub lines: Vec<Line>,
    /// Something in it may run as a test without a declaration.
    pub has_undeclared: bool,
}

/// A scan in progress.
pub struct Scanner {
    /// The indices of the patterns to look for.
    patterns: Vec<usize>,
    words: Option<Regex>,
    keeps_lines: bool,
    undeclared: Option<&'static Regex>,
    /// How many of the first bytes are kept.
    head: usize,
    buffer: Vec<u8>,
    /// How many lines are before the buffer.
    passed: u64,
    /// The digest of the last line before the buffer that is not blank.
    last: u64,
    hash: Stream,
    folded: Stream,
    ends_in_return: bool,
    /// How many marks of each kind were found.
    counts: [usize; 4],
    scan: Scan,
}

impl Scanner {
    /// A scanner for the patterns of these kinds.
    pub fn new(kinds: &[Kind], keeps_lines: bool) -> Scanner {
        let applies = |at: &usize| kinds.contains(&PATTERNS[*at].kind);
        let patterns: Vec<usize> = (0..PATTERNS.len()).filter(applies).collect();
        Scanner {
            words: words_of(&patterns),
            patterns,
            keeps_lines,
            undeclared: None,
            head: 1024,
            buffer: Vec::new(),
            passed: 0,
            last: 0,
            hash: Stream::default(),
            folded: Stream::default(),
            ends_in_return: false,
            counts: [0; 4],
            scan: Scan::default(),
        }
    }

    /// Keeps this many of the first bytes.
    pub fn with_head(self, head: usize) -> Scanner {
        Scanner { head, ..self }
    }

    /// Looks for what may run as a test without a declaration.
    pub fn with_undeclared(self, undeclared: Option<&'static Regex>) -> Scanner {
        Scanner { undeclared, ..self }
    }

    /// Scans the next piece.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.fold(bytes);
        self.scan.has_nul |= memchr::memchr(0, bytes).is_some();
        let missing = self.head.saturating_sub(self.scan.head.len());
        self.scan.head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        if self.words.is_none() && !self.keeps_lines {
            return;
        }
        self.buffer.extend_from_slice(bytes);
        while self.buffer.len() >= 2 * PIECE {
            // The line after the piece stays in the buffer, because a mark in the last line may be about it.
            let end = memchr::memrchr(b'\n', &self.buffer[..PIECE]).map_or(PIECE, |at| at + 1);
            self.look(end);
            // A word may cross the cut in a long line, so its last bytes are scanned again.
            let keep = if self.buffer[end - 1] == b'\n' { 0 } else { LONGEST_WORD - 1 };
            self.buffer.drain(..end - keep);
        }
    }

    /// Ends the scan and returns its result.
    pub fn finish(mut self) -> Scan {
        self.look(self.buffer.len());
        if self.ends_in_return {
            self.folded.update(b"\r");
        }
        self.scan.sha256 = self.hash.finish_raw();
        self.scan.folded = self.folded.finish_raw();
        self.scan
    }

    fn fold(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        if self.ends_in_return && *first != b'\n' {
            self.folded.update(b"\r");
        }
        self.ends_in_return = bytes.last() == Some(&b'\r');
        let body = if self.ends_in_return { &bytes[..bytes.len() - 1] } else { bytes };
        let mut start = 0;
        for at in memchr::memchr_iter(b'\r', body) {
            if body.get(at + 1) == Some(&b'\n') {
                self.folded.update(&body[start..at]);
                start = at + 1;
            }
        }
        self.folded.update(&body[start..]);
    }

    /// Scans the buffer up to `end`.
    fn look(&mut self, end: usize) {
        let buffer = std::mem::take(&mut self.buffer);
        let (mut at, mut counted, mut line) = (0, 0, 0..0);
        while let Some(found) = self.words.as_ref().and_then(|words| words.find_at(&buffer[..end], at)) {
            if found.start() >= line.end {
                let start =
                    memchr::memrchr(b'\n', &buffer[counted..found.start()]).map_or(counted, |at| counted + at + 1);
                let stop =
                    memchr::memchr(b'\n', &buffer[found.start()..]).map_or(buffer.len(), |at| found.start() + at);
                self.passed += memchr::memchr_iter(b'\n', &buffer[counted..start]).count() as u64;
                (counted, line) = (start, start..stop);
            }
            if line.len() <= MAX_LINE {
                self.take(&buffer, line.clone(), true);
                at = line.end;
            } else {
                let start = found.start().saturating_sub(SURROUNDINGS).max(line.start);
                let part = start..(found.end() + SURROUNDINGS).min(line.end);
                self.take(&buffer, part, false);
                at = found.end();
            }
            if at >= end {
                break;
            }
        }
        self.passed += memchr::memchr_iter(b'\n', &buffer[counted..end]).count() as u64;
        if self.keeps_lines && end > 0 {
            let room = MAX_LINES.saturating_sub(self.scan.lines.len());
            let whole = buffer[..end].strip_suffix(b"\n").unwrap_or(&buffer[..end]);
            self.scan.lines.extend(whole.split(|b| *b == b'\n').take(room).map(Line::of));
        }
        self.scan.has_undeclared |= self.undeclared.is_some_and(|regex| regex.is_match(&buffer[..end]));
        self.last = line::before(&buffer, end).unwrap_or(self.last);
        self.buffer = buffer;
    }

    /// Matches one line, or a part of one that is too long, against the patterns.
    fn take(&mut self, buffer: &[u8], part: Range<usize>, is_whole: bool) {
        let line = &buffer[part.clone()];
        let mut kinds: Vec<Kind> = Vec::new();
        for at in 0..self.patterns.len() {
            let pattern = self.patterns[at];
            let kind = PATTERNS[pattern].kind;
            // Two patterns of a kind are one mark; one pattern that matches twice is two.
            if kinds.contains(&kind) || self.scan.more.contains(&kind) {
                continue;
            }
            let marks = PATTERNS[pattern].finds(pattern, line);
            if marks.is_empty() {
                continue;
            }
            kinds.push(kind);
            let count = &mut self.counts[kind as usize];
            *count += marks.len();
            if *count > MAX_MARKS {
                self.scan.more.push(kind);
                continue;
            }
            let text = review_gate::sys::text::one_line(&String::from_utf8_lossy(line));
            let hit = Hit {
                pattern,
                line: self.passed + 1,
                text: review_gate::sys::text::cut_end(&text, SNIPPET),
                mark: 0,
                rules: Vec::new(),
                title: line::title(line),
                is_focus: false,
                is_wide: false,
                code: 0,
                own: line::normal(line),
                is_bare: matches!(line.trim_ascii_start(), [b'@' | b'[', ..] | [b'#', b'[', ..]),
                before: if is_whole { line::before(buffer, part.start).unwrap_or(self.last) } else { 0 },
                after: if is_whole { line::after(buffer, part.end) } else { 0 },
            };
            self.scan.hits.extend(marks.into_iter().map(|mark| {
                let (word, rest) = (&line[mark.clone()], &line[mark.start..]);
                let code = line::code_before(&line[..mark.start]);
                Hit {
                    mark: line::fnv(line::plainest(word)),
                    rules: line::rules(rest),
                    is_focus: kind == Kind::Skip && word.ends_with(b"only"),
                    is_wide: kind == Kind::Lint && line::is_wide(word, rest, code),
                    code,
                    ..hit.clone()
                }
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Kind; 4] = [Kind::Skip, Kind::Lint, Kind::Todo, Kind::Debug];

    fn scan(text: &[u8], step: usize) -> Scan {
        let mut scanner = Scanner::new(&ALL, true);
        text.chunks(step).for_each(|piece| scanner.feed(piece));
        scanner.finish()
    }

    #[test]
    fn line_numbers_are_right_after_any_bytes() {
        let mut text = b"a\n++ notes.md\n\0\r\n".to_vec();
        text.extend(b"x".repeat(3 << 20));
        text.extend(b"\n  it.skip('x', () => {\n    body\n");
        let scan = scan(&text, 1000);
        let kinds: Vec<(Kind, u64)> = scan.hits.iter().map(|hit| (hit.kind(), hit.line)).collect();
        assert_eq!(kinds, [(Kind::Skip, 5)]);
        assert!(scan.has_nul && scan.hits[0].text == "it.skip('x', () => {");
    }

    #[test]
    fn a_bundle_of_one_line_is_scanned_in_linear_time() {
        let mut text = b"var a=1;// TODO x\t".repeat(100_000);
        text.extend(b"/* eslint-disable */");
        let took = |length: usize| {
            let began = std::time::Instant::now();
            scan(&text[..length], 64 << 10);
            began.elapsed().as_secs_f64()
        };
        // Eight times the input takes about eight times as long; quadratic time would be sixty-four times.
        let (short, long) = (took(text.len() / 8), took(text.len()));
        assert!(long < 30.0 * short.max(0.05), "{short} s, {long} s");
        let scan = scan(&text, 64 << 10);
        assert!(
            scan.more == [Kind::Todo]
                && scan.hits.iter().all(|hit| hit.line == 1 && hit.text.chars().count() <= SNIPPET)
        );
    }

    #[test]
    fn folding_line_endings_does_not_depend_on_pieces() {
        let (dos, unix) = (b"a\r\nb\rc\r\r\n\r", b"a\nb\rc\r\n\r");
        for step in 1..6 {
            assert_eq!(scan(dos, step).folded, scan(unix, step).sha256, "{step}");
        }
    }

    proptest! {
        #[test]
        fn a_scan_does_not_depend_on_pieces(bytes in proptest::collection::vec(any::<u8>(), 0..400), step in 1usize..60) {
            let (a, b) = (scan(&bytes, step), scan(&bytes, 4096));
            prop_assert_eq!(a.hits, b.hits);
            prop_assert_eq!((a.sha256, a.folded, a.lines), (b.sha256, b.folded, b.lines));
            prop_assert_eq!(a.sha256, review_gate::sys::digest::raw(&bytes));
        }
    }
}
