//! Words: quotes, expansions, substitutions.

use super::decode::unescape;
use super::reader::{Reader, is_delimiter};
use super::tree::*;
use std::borrow::Cow;
use std::rc::Rc;

impl Reader<'_> {
    /// One command as the body of `coproc`.
    pub fn one_command(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        let before = self.at;
        nodes.extend(self.command());
        if self.at == before {
            self.skip_one();
        }
        nodes
    }

    /// Reads a word; empty where there is none.
    pub fn word(&mut self) -> Word {
        self.piece();
        let start = self.at;
        // Most words have one or two parts.
        let mut parts: Vec<Part> = Vec::with_capacity(2);
        let mut text = std::mem::take(&mut self.buffer);
        while let Some(c) = self.peek() {
            if matches!(c, b'\\' | b'\'' | b'"' | b'$' | b'`') {
                self.piece();
                if self.at >= self.end {
                    break;
                }
            }
            match c {
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'\r') if self.peek_at(2) == Some(b'\n') => self.at += 3,
                    Some(_) => {
                        flush(&mut text, &mut parts, false);
                        self.at += 1;
                        let length = character(&self.src[self.at..self.end]);
                        text.extend_from_slice(&self.src[self.at..self.at + length]);
                        self.at += length;
                        flush(&mut text, &mut parts, true);
                    }
                    None => {
                        text.push(c);
                        self.at += 1;
                    }
                },
                b'\'' => {
                    flush(&mut text, &mut parts, false);
                    self.at += 1;
                    let length = memchr::memchr(b'\'', &self.src[self.at..self.end]);
                    if length.is_none() {
                        self.note_error("a quote without its end");
                    }
                    let stop = length.map_or(self.end, |length| self.at + length);
                    let inside = self.text(self.at, stop);
                    parts.push(Part::Text { text: inside.into(), quoted: true });
                    self.at = (stop + 1).min(self.end);
                }
                b'"' => {
                    flush(&mut text, &mut parts, false);
                    self.at += 1;
                    self.double_quoted(&mut parts);
                }
                b'$' if matches!(self.peek_at(1), Some(b'\'')) => {
                    flush(&mut text, &mut parts, false);
                    self.at += 2;
                    let inside = self.ansi();
                    parts.push(Part::Text { text: inside.into(), quoted: true });
                }
                b'$' if matches!(self.peek_at(1), Some(b'"')) => self.at += 1,
                b'$' | b'`' => {
                    flush(&mut text, &mut parts, false);
                    if !self.expansion(&mut parts, false) {
                        text.push(c);
                        self.at += 1;
                    }
                }
                b'<' | b'>' if self.peek_at(1) == Some(b'(') && (parts.is_empty() && text.is_empty()) => {
                    self.at += 2;
                    let body = self.nested(Self::list);
                    self.close(")");
                    parts.push(Part::Process { body: Rc::new(body), reads: c == b'<' });
                }
                // Patterns with brackets: `!(a|b)`, `@(...)`.
                b'(' if matches!(text.last(), Some(b'@' | b'!' | b'+' | b'*' | b'?')) => self.pattern(&mut text),
                b'\r' if !matches!(self.peek_at(1), Some(b'\n') | None) => {
                    text.push(c);
                    self.at += 1;
                }
                c if is_delimiter(c) => break,
                _ => self.take_run(&mut text, |c| is_delimiter(c) || matches!(c, b'\\' | b'\'' | b'"' | b'$' | b'`')),
            }
        }
        flush(&mut text, &mut parts, false);
        self.buffer = text;
        Word { parts, span: self.span(start) }
    }

    /// Takes characters up to the next one that has a meaning.
    fn take_run(&mut self, text: &mut Vec<u8>, ends: impl Fn(u8) -> bool) {
        let rest = &self.src[self.at..self.end];
        let run = &rest[..rest.iter().position(|c| ends(*c)).unwrap_or(rest.len())];
        text.extend_from_slice(run);
        self.at += run.len();
    }

    /// Reads a pattern with brackets as characters.
    fn pattern(&mut self, text: &mut Vec<u8>) {
        let mut open = 0;
        while let Some(c) = self.peek() {
            if c == b'\n' {
                return;
            }
            text.push(c);
            self.at += 1;
            match c {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    /// Reads double-quoted parts, after the opening quote.
    pub fn double_quoted(&mut self, parts: &mut Vec<Part>) {
        let before = parts.len();
        self.push_quoted(Some(b'"'), parts);
        if parts.len() == before {
            // `""` is an empty word.
            parts.push(Part::Text { text: "".into(), quoted: true });
        }
        if !self.take("\"") {
            self.note_error("a double quote without its end");
        }
    }

    /// Reads double-quoted parts up to `stop`, or the body of a here-document up to its end.
    pub fn quoted_parts(&mut self, stop: Option<u8>) -> Vec<Part> {
        let mut parts = Vec::new();
        self.push_quoted(stop, &mut parts);
        parts
    }

    fn push_quoted(&mut self, stop: Option<u8>, parts: &mut Vec<Part>) {
        let mut text = std::mem::take(&mut self.buffer);
        while let Some(c) = self.peek() {
            match c {
                c if Some(c) == stop => break,
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => self.at += 2,
                    Some(next @ (b'$' | b'`' | b'\\' | b'"')) => {
                        // In a here-document a backslash before a double quote is literal.
                        if next == b'"' && stop.is_none() {
                            text.push(c);
                        }
                        text.push(next);
                        self.at += 2;
                    }
                    _ => {
                        text.push(c);
                        self.at += 1;
                    }
                },
                b'$' | b'`' => {
                    self.piece();
                    if self.at >= self.end {
                        break;
                    }
                    flush(&mut text, parts, true);
                    if !self.expansion(parts, true) {
                        text.push(c);
                        self.at += 1;
                    }
                }
                _ => self.take_run(&mut text, |c| Some(c) == stop || matches!(c, b'\\' | b'$' | b'`')),
            }
        }
        flush(&mut text, parts, true);
        self.buffer = text;
    }

    /// Reads the inside of `$'...'`, and decodes its escapes.
    fn ansi(&mut self) -> String {
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                b'\'' => {
                    let inside = self.text(start, self.at);
                    self.at += 1;
                    return unescape(&inside);
                }
                b'\\' => self.at = (self.at + 2).min(self.end),
                _ => self.at += 1,
            }
        }
        self.note_error("a quote without its end");
        unescape(&self.text(start, self.end))
    }
}

/// The length of the first character, in bytes.
pub fn character(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        None => 0,
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..) => 4,
        Some(_) => 1,
    };
    length.min(bytes.len())
}

/// Ends the current text part.
pub fn flush(text: &mut Vec<u8>, parts: &mut Vec<Part>, quoted: bool) {
    if !text.is_empty() {
        let whole = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        parts.push(Part::Text { text: whole.into(), quoted });
        text.clear();
    }
}
