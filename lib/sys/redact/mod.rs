//! Removes secrets from text that is stored: known forms of tokens, private keys, values of names such as `password`, passwords of
//! URLs, headers and command lines.

mod command_lines;
mod names;
mod private_keys;
#[cfg(test)]
mod tests;
mod tokens;
mod urls;

use std::borrow::Cow;
use std::ops::Range;

use names::is_secret_name;
use private_keys::private_key;
use tokens::without_tokens;

/// The replacement of a secret.
const MARK: &str = "[redacted]";

/// The minimum length of a secret value.
const SHORTEST: usize = 8;

/// A value of this length is not a single word of prose.
const NO_WORD: usize = 16;

/// `text` with its secrets replaced; text without secrets is unchanged. Takes linear time.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((begin, length)) = private_key(rest) {
        rest[..begin].split_inclusive('\n').for_each(|line| redact_line(line, &mut out));
        out.push_str(MARK);
        rest = &rest[begin + length..];
    }
    rest.split_inclusive('\n').for_each(|line| redact_line(line, &mut out));
    out
}

/// The line with a mark in place of each range. The ranges are in order.
fn without_ranges(line: &str, ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(line);
    }
    let (mut out, mut done) = (String::with_capacity(line.len()), 0);
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        // A range that begins in another one is part of it.
        if range.start >= done {
            out.push_str(&line[done..range.start]);
            out.push_str(MARK);
        }
        done = done.max(range.end);
    }
    out.push_str(&line[done..]);
    Cow::Owned(out)
}

/// Whether a value is a placeholder or a reference, not a secret: `$PASS`, `<password>`, `{token}`, `***`, `VALUE`.
fn is_placeholder(value: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '.' | '*' | 'x' | 'X');
    value.is_empty()
        || value.starts_with(['$', '<', '{', '%', '[', '\u{2026}'])
        || value.starts_with("...")
        || value.len() > 1 && value.chars().all(is_sign) && value.chars().any(|c| c != 'x')
        || value.chars().all(|c| matches!(c, '*' | 'x' | '.'))
}

/// Characters that tokens are made of.
fn is_token(b: u8) -> bool {
    matches!(b, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
}

/// The name of a secret, and the characters since.
#[derive(Clone, Copy, Default)]
struct Named {
    /// `name=`, without a space.
    is_assigned: bool,
    /// The name is the first word of its line.
    is_first: bool,
    /// The name is in quotation marks.
    is_quoted: bool,
    /// A colon came after it.
    has_colon: bool,
    /// An equals sign came after it.
    has_equals: bool,
    /// An opening quotation mark came after it.
    is_opened: bool,
}

impl Named {
    /// Records a character after the name. Returns false if no value can follow.
    fn can_precede_value(&mut self, c: char) -> bool {
        match c {
            ':' => self.has_colon = true,
            '"' | '\'' if self.has_colon || self.has_equals || self.is_assigned => self.is_opened = true,
            '"' | '\'' => self.is_quoted = true,
            ' ' | '\t' | '\\' => {}
            '>' => return self.has_equals,
            _ => return false,
        }
        true
    }

    /// Whether the value is a secret. The word after `token` in `unexpected token: identifier` is not.
    fn is_secret(self, value: &str, after: &str) -> bool {
        let is_last = || after.bytes().all(|b| b.is_ascii() && !b.is_ascii_alphanumeric());
        let in_quotes = self.is_opened && (self.has_equals || self.is_quoted);
        if self.is_assigned || in_quotes || self.is_first && !self.has_equals && is_last() {
            return true;
        }
        // In source code, the value is mostly another name or a call.
        if self.has_equals { is_mixed(value) && !after.starts_with('(') } else { is_no_word(value) }
    }
}

fn redact_line(line: &str, out: &mut String) {
    let line = &*without_ranges(line, urls::secrets(line));
    let line = &*without_ranges(line, command_lines::secrets(line));
    let mut at = 0;
    let (mut named, mut bearer, mut is_first): (Option<Named>, bool, bool) = (None, false, true);
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let length = rest.bytes().position(|b| !is_token(b)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if word.is_empty() {
            named = named.and_then(|mut named| named.can_precede_value(c).then_some(named));
            bearer &= c.is_whitespace();
            is_first &= c.is_ascii();
            out.push(c);
            at += c.len_utf8();
            continue;
        }
        if let Some(named) = named.as_mut().filter(|_| word.bytes().all(|b| b == b'=')) {
            named.has_equals = true;
            out.push_str(word);
            at += length;
            continue;
        }
        let mut signs = word.match_indices('=').map(|(sign, _)| sign + 1);
        let value_at = signs.find(|sign| is_secret_name(&word[..sign - 1]));
        let (name, value) = word.split_at(value_at.unwrap_or(0));
        let is_secret = match named {
            _ if value.len() < SHORTEST => false,
            _ if value_at.is_some() => true,
            Some(named) => named.is_secret(value, after),
            None => bearer && (is_no_word(value) || value.trim_matches('.').contains('.')),
        };
        without_tokens(line, at, at + name.len(), out);
        if is_secret {
            out.push_str(MARK);
        } else {
            without_tokens(line, at + name.len(), at + length, out);
        }
        let has_value = || after.trim_start_matches(['"', '\'', '\\', ' ', '\t']).starts_with([':', '=']);
        named = match value_at {
            Some(_) if value.is_empty() => Some(Named { is_assigned: true, is_first, ..Named::default() }),
            None if has_value() && is_secret_name(word) => Some(Named { is_first, ..Named::default() }),
            _ => None,
        };
        bearer = word.len() >= 6 && word[word.len() - 6..].eq_ignore_ascii_case("bearer");
        is_first &= word.bytes().all(|b| !b.is_ascii_alphanumeric());
        at += length;
    }
}

/// Whether a value is not a word of prose.
fn is_no_word(value: &str) -> bool {
    let value = value.trim_matches('.');
    is_mixed(value) || value.len() >= NO_WORD && !value.contains(['/', '.'])
}

/// Whether a value has digits, signs, or capitals within a word.
fn is_mixed(value: &str) -> bool {
    let value = value.trim_matches(['.', '=']).as_bytes();
    let is_odd = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'=' | b'~');
    let words = value.split(|b| !b.is_ascii_alphabetic());
    let has_odd_case = |word: &[u8]| {
        let ends: Vec<usize> =
            (1..word.len()).filter(|at| word[at - 1].is_ascii_lowercase() && word[*at].is_ascii_uppercase()).collect();
        ends.iter().zip(ends.iter().skip(1).chain([&word.len()])).any(|(from, to)| to - from < 3)
    };
    value.len() >= SHORTEST && (value.iter().any(is_odd) || words.into_iter().any(has_odd_case))
}
