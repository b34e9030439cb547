//! Words: quotes, expansions, substitutions.

use super::reader::{Reader, is_delimiter};
use super::tree::*;
use crate::decode::unescape;
use std::rc::Rc;

impl Reader<'_> {
    /// One command, as the operand of a word that runs it.
    pub fn one_command(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        let before = self.at;
        nodes.extend(self.command());
        if self.at == before {
            self.skip_one();
        }
        nodes
    }

    /// A word; empty where none stands.
    pub fn word(&mut self) -> Word {
        let start = self.at;
        let mut parts: Vec<Part> = Vec::new();
        let mut text = Vec::new();
        while let Some(c) = self.peek() {
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
                    let length = self.src[self.at..self.end].iter().position(|c| *c == b'\'');
                    if length.is_none() {
                        self.wrong("a quote without its end");
                    }
                    let stop = length.map_or(self.end, |length| self.at + length);
                    let inside = String::from_utf8_lossy(&self.src[self.at..stop]).into_owned();
                    parts.push(Part::Text { text: inside, quoted: true });
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
                    parts.push(Part::Text { text: inside, quoted: true });
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
                // `!(a|b)`, `@(...)`: patterns with brackets.
                b'(' if matches!(text.last(), Some(b'@' | b'!' | b'+' | b'*' | b'?')) => self.pattern(&mut text),
                b'\r' if !matches!(self.peek_at(1), Some(b'\n') | None) => {
                    text.push(c);
                    self.at += 1;
                }
                c if is_delimiter(c) => break,
                _ => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut text, &mut parts, false);
        Word { parts, span: self.span(start) }
    }

    /// The inside of a bracketed pattern, as characters.
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

    fn double_quoted(&mut self, parts: &mut Vec<Part>) {
        let before = parts.len();
        parts.extend(self.quoted_parts(Some(b'"')));
        if parts.len() == before {
            // `""` is a word, too.
            parts.push(Part::Text { text: String::new(), quoted: true });
        }
        if !self.take("\"") {
            self.wrong("a double quote without its end");
        }
    }

    /// The parts of a double-quoted text up to `stop`, or of a here-document's body up to its end.
    pub fn quoted_parts(&mut self, stop: Option<u8>) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut text = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                c if Some(c) == stop => break,
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => self.at += 2,
                    Some(next @ (b'$' | b'`' | b'\\' | b'"')) => {
                        // In a here-document a backslash before a double quote stays.
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
                    flush(&mut text, &mut parts, true);
                    if !self.expansion(&mut parts, true) {
                        text.push(c);
                        self.at += 1;
                    }
                }
                _ => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut text, &mut parts, true);
        parts
    }

    /// What `$` or a backtick begins; false when it is a plain character.
    fn expansion(&mut self, parts: &mut Vec<Part>, quoted: bool) -> bool {
        let start = self.at;
        if self.peek() == Some(b'`') {
            return self.backticks(parts, quoted);
        }
        match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') && !self.not_arithmetic.contains(&start) => {
                self.at += 3;
                match self.nested(|reader| reader.arithmetic()) {
                    Some(inside) => parts.push(Part::Arithmetic { parts: inside }),
                    None => {
                        self.not_arithmetic.insert(start);
                        self.at = start;
                        return self.expansion(parts, quoted);
                    }
                }
            }
            Some(b'(') => {
                self.at += 2;
                let body = self.nested(Self::list);
                self.close(")");
                parts.push(Part::Output { body: Rc::new(body), quoted });
            }
            Some(b'[') => {
                // `$[1+2]`, as old as it is.
                self.at += 2;
                let inside = self.nested(|reader| reader.quoted_parts(Some(b']')));
                self.take("]");
                parts.push(Part::Arithmetic { parts: inside });
            }
            Some(b'{') => {
                self.at += 2;
                let part = self.nested(|reader| Some(reader.parameter(quoted)));
                parts.extend(part);
            }
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => {
                self.at += 1;
                let name = self.identifier();
                parts.push(Part::Variable { name, op: Op::Plain, quoted });
            }
            Some(c @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) => {
                self.at += 2;
                let op = if matches!(c, b'@' | b'*') { Op::All } else { Op::Plain };
                parts.push(Part::Variable { name: char::from(c).to_string(), op, quoted });
            }
            _ => return false,
        }
        true
    }

    fn identifier(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.src[start..self.at]).into_owned()
    }

    /// What stands in `${...}`.
    fn parameter(&mut self, quoted: bool) -> Part {
        let indirect = self.peek() == Some(b'!') && self.peek_at(1) != Some(b'}');
        let length = self.peek() == Some(b'#') && self.peek_at(1).is_some_and(|c| c != b'}');
        if indirect || length {
            self.at += 1;
        }
        let name = match self.peek() {
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.identifier(),
            Some(c) if c.is_ascii_digit() => self.identifier(),
            Some(c) if c != b'}' => {
                self.at += 1;
                char::from(c).to_string()
            }
            _ => String::new(),
        };
        let mut all = matches!(name.as_str(), "@" | "*");
        let mut indexed = false;
        if self.peek() == Some(b'[') {
            self.at += 1;
            all = matches!(self.peek(), Some(b'@' | b'*')) && self.peek_at(1) == Some(b']');
            indexed = !all && self.peek() != Some(b'0');
            self.parameter_text(b']', quoted);
            self.take("]");
        }
        let colon = self.take(":");
        let sign = self.peek();
        if matches!(sign, Some(b'-' | b'=' | b'+' | b'?')) {
            self.at += 1;
        }
        let rest = self.parameter_text(b'}', quoted);
        if !self.take("}") {
            self.wrong("a ${ without its end");
        }
        let op = match sign {
            _ if length => Op::Length,
            _ if indirect => Op::Indirect,
            _ if indexed => Op::Element,
            Some(b'-') => Op::Default(rest),
            Some(b'=') => Op::Assign(rest),
            Some(b'+') => Op::Alternate(rest),
            Some(b'?') => Op::Required(rest),
            Some(b'}') if all => Op::All,
            Some(b'}') if !colon => Op::Plain,
            _ => {
                let sign = colon.then(|| Part::Text { text: ":".into(), quoted: true });
                Op::Changed(sign.into_iter().chain(rest).collect())
            }
        };
        Part::Variable { name, op, quoted }
    }

    /// The text after an operator, up to the bracket that ends it.
    fn parameter_text(&mut self, stop: u8, quoted: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut text = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                c if c == stop => break,
                b'\\' => {
                    self.at += 1;
                    let length = character(&self.src[self.at..self.end]);
                    text.extend_from_slice(&self.src[self.at..self.at + length]);
                    self.at += length;
                }
                b'\'' if !quoted => {
                    self.at += 1;
                    while let Some(c) = self.peek() {
                        self.at += 1;
                        if c == b'\'' {
                            break;
                        }
                        text.push(c);
                    }
                }
                b'"' => {
                    flush(&mut text, &mut parts, quoted);
                    self.at += 1;
                    self.double_quoted(&mut parts);
                }
                b'$' | b'`' => {
                    flush(&mut text, &mut parts, quoted);
                    if !self.expansion(&mut parts, quoted) {
                        text.push(c);
                        self.at += 1;
                    }
                }
                _ => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut text, &mut parts, quoted);
        parts
    }

    /// The inside of `((...))` up to its end; None when it is no arithmetic.
    pub fn arithmetic(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                b'(' => {
                    open += 1;
                    self.at += 1;
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                b')' if self.peek_at(1) == Some(b')') => {
                    self.at += 2;
                    return Some(parts);
                }
                b')' => return None,
                b'$' | b'`' => {
                    if !self.expansion(&mut parts, true) {
                        self.at += 1;
                    }
                }
                b'"' | b'\'' => self.at += 1,
                b'\\' => self.at = (self.at + 2).min(self.end),
                _ => self.at += 1,
            }
        }
        None
    }

    /// A backquoted command: its text with the escapes taken away is read by itself.
    fn backticks(&mut self, parts: &mut Vec<Part>, quoted: bool) -> bool {
        let start = self.at;
        self.at += 1;
        let mut inside = Vec::new();
        loop {
            match self.peek() {
                None => {
                    self.wrong("a backquote without its end");
                    break;
                }
                Some(b'`') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    match self.peek_at(1) {
                        Some(next @ (b'`' | b'\\' | b'$')) => inside.push(next),
                        Some(next) => inside.extend([b'\\', next]),
                        None => {}
                    }
                    self.at = (self.at + 2).min(self.end);
                }
                Some(c) => {
                    inside.push(c);
                    self.at += 1;
                }
            }
        }
        let place = self.span(start);
        let body = self.nested(|outer| {
            let mut reader = Reader::new(&inside, Some(place));
            reader.depth = outer.depth;
            let mut body = reader.list();
            while reader.at < reader.end {
                reader.skip_one();
                body.extend(reader.list());
            }
            outer.too_deep |= reader.too_deep;
            body
        });
        parts.push(Part::Output { body: Rc::new(body), quoted });
        true
    }

    /// The inside of `$'...'`, its escapes made what they stand for.
    fn ansi(&mut self) -> String {
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                b'\'' => {
                    let inside = String::from_utf8_lossy(&self.src[start..self.at]).into_owned();
                    self.at += 1;
                    return unescape(&inside);
                }
                b'\\' => self.at = (self.at + 2).min(self.end),
                _ => self.at += 1,
            }
        }
        self.wrong("a quote without its end");
        unescape(&String::from_utf8_lossy(&self.src[start..self.end]))
    }
}

/// The bytes of the first character.
fn character(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        None => 0,
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..) => 4,
        Some(_) => 1,
    };
    length.min(bytes.len())
}

fn flush(text: &mut Vec<u8>, parts: &mut Vec<Part>, quoted: bool) {
    if !text.is_empty() {
        let text = String::from_utf8_lossy(text).into_owned();
        parts.push(Part::Text { text, quoted });
    }
    if text.capacity() > 0 {
        text.clear();
    }
}
