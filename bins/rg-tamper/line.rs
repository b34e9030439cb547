//! What one line says, as digests that formatters do not change: its text, its title, how far a mark in it reaches.

/// The longest line that is scanned whole, in bytes. In a longer one (a bundle) only the surroundings of each word are scanned.
pub const MAX_LINE: usize = 4096;

/// The weight from which a line says enough to be recognised elsewhere.
const TELLING: u8 = 4;

/// One line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The digest of its text.
    pub digest: u64,
    /// How many blanks precede it.
    pub indent: u16,
    /// It is an attribute or a decorator, which is about the line below.
    pub is_attribute: bool,
    /// How many bytes its text has without blanks and signs of form, at most 255; 0 for a blank line.
    weight: u8,
}

impl Line {
    /// Reads a line without its end.
    pub fn of(line: &[u8]) -> Line {
        let line = &line[..line.len().min(MAX_LINE)];
        let plain = plain(line);
        let blanks = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let number = |n: usize, most: u16| u16::try_from(n).unwrap_or(most).min(most);
        let weight = u8::try_from(number(plain.len(), 255)).unwrap_or(u8::MAX);
        let is_attribute = matches!(&line[blanks..], [b'@' | b'[', ..] | [b'#', b'[', ..]);
        Line { digest: fnv(&plain), indent: number(blanks, u16::MAX), is_attribute, weight }
    }

    /// Whether it has any text.
    pub fn has_text(&self) -> bool {
        self.weight > 0
    }

    /// Whether it says enough to be recognised in another file.
    pub fn is_telling(&self) -> bool {
        self.weight >= TELLING
    }
}

/// The digest of the code before a mark in its line; 0 if there are only blanks and the signs of a comment.
pub fn code_before(before: &[u8]) -> u64 {
    let is_sign = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'/' | b'*' | b'#' | b'-' | b'<' | b'!' | b'{');
    let end = before.iter().rposition(|b| !is_sign(b)).map_or(0, |at| at + 1);
    if end == 0 { 0 } else { normal(&before[..end]) }
}

/// Whether a suppression reaches further than one line or one definition. `rest` is the line from the mark on.
pub fn is_wide(mark: &[u8], rest: &[u8], code: u64) -> bool {
    let has = |word: &str| memchr::memmem::find(rest, word.as_bytes()).is_some();
    let is_eslint = memchr::memmem::find(mark, b"eslint-disable").is_some();
    let alone = ["type:", "noqa", "pylint", "rubocop"];
    let wide = [
        "ignore-all",
        "ignore-start",
        "@ts-nocheck",
        "pragma",
        "phpcs:disable",
        "ignoreFile",
        "IgnoreStart",
        "IgnoreFile",
        "for-this-file",
        "for-lines",
        "ignore-file",
    ];
    let is_inner = mark.iter().filter(|b| !b.is_ascii_whitespace()).nth(1) == Some(&b'!') && mark.starts_with(b"#");
    is_inner
        || is_eslint && !mark.ends_with(b"-line")
        || code == 0 && alone.iter().any(|word| has(word)) && !has("disable-next")
        || wide.iter().any(|word| has(word))
        || has("swiftlint:disable") && !has("swiftlint:disable:")
}

/// The 64-bit FNV-1a digest, which is stable between releases because it is a part of keys.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A line without what formatters change: blanks, quotation marks, parentheses, commas and semicolons.
fn plain(line: &[u8]) -> Vec<u8> {
    let is_form = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'`' | b'\'' | b';' | b',' | b'(' | b')');
    line.iter().copied().filter(|byte| !is_form(byte)).collect()
}

/// The digest of a line that formatters do not change.
pub fn normal(line: &[u8]) -> u64 {
    fnv(&plain(line))
}

/// The common form of marks with the same meaning.
pub fn plainest(mark: &[u8]) -> &[u8] {
    match mark {
        b"@ts-expect-error" => b"@ts-ignore",
        b"@Disabled" => b"@Ignore",
        mark => mark,
    }
}

/// The digests of the words after a mark, up to the reason that some marks take; sorted.
pub fn rules(rest: &[u8]) -> Vec<u64> {
    let reasons: [&[u8]; 2] = [b" -- ", b"reason"];
    let end = reasons.iter().filter_map(|mark| memchr::memmem::find(rest, mark)).min().unwrap_or(rest.len());
    let is_sign = |b: &u8| matches!(b, b'=' | b'!' | b'<' | b'>');
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'@' | b'.') || is_sign(b);
    let says = |word: &&[u8]| word.iter().any(|b| b.is_ascii_alphanumeric() || is_sign(b));
    let words = rest[..end].split(|b| !is_word(b)).filter(says);
    // The first word is the mark itself.
    let mut rules: Vec<u64> = words.skip(1).map(fnv).collect();
    rules.sort_unstable();
    rules
}

/// The digest of the title in a line that declares a test by a call: the first text in quotation marks; 0 for other lines.
pub fn title(line: &[u8]) -> u64 {
    let word: Vec<u8> = line.trim_ascii_start().iter().copied().take_while(u8::is_ascii_alphanumeric).collect();
    let name = word.strip_prefix(b"x").unwrap_or(&word);
    if !matches!(name, b"it" | b"test" | b"describe" | b"suite" | b"context" | b"specify" | b"scenario") {
        return 0;
    }
    let Some(start) = line.iter().position(|b| matches!(b, b'"' | b'\'' | b'`')) else { return 0 };
    let end = line[start + 1..].iter().position(|b| *b == line[start]);
    end.map_or(0, |end| fnv(&line[start + 1..start + 1 + end]))
}

/// The digest of the last line before `at` that is not blank; None if it is not near.
pub fn before(buffer: &[u8], at: usize) -> Option<u64> {
    let near = &buffer[at.saturating_sub(2 * MAX_LINE)..at];
    near.rsplit(|b| *b == b'\n')
        .skip(usize::from(near.ends_with(b"\n")))
        .find(|line| !line.trim_ascii().is_empty())
        .map(normal)
}

/// The digest of the first line after `at` that is neither blank nor an attribute; 0 if none is near.
pub fn after(buffer: &[u8], at: usize) -> u64 {
    let near = &buffer[at..buffer.len().min(at + 2 * MAX_LINE)];
    let has_text = |line: &&[u8]| {
        let text = line.trim_ascii_start();
        !text.is_empty() && !text.starts_with(b"@") && !text.starts_with(b"#[") && !text.starts_with(b"[")
    };
    near.split(|b| *b == b'\n').skip(1).find(has_text).map_or(0, normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suppression_of_one_line_or_definition_is_not_wide() {
        let wide = |mark: &str, code| is_wide(mark.as_bytes(), mark.as_bytes(), code);
        for mark in ["eslint-disable-next-line", "@ts-ignore", "nolint:x", "#[allow(x)]", "swiftlint:disable:next x"] {
            assert!(!wide(mark, 0), "{mark}");
        }
        for mark in
            ["eslint-disable", "@ts-nocheck", "#![allow(x)]", "# pylint: disable=x", "#pragma warning disable 1"]
        {
            assert!(wide(mark, 0), "{mark}");
        }
        assert!(!wide("# type: ignore", 1) && !wide("# noqa", 1));
    }
}
