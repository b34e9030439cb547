//! Expansions: `$name`, `${...}`, `$(...)`, `$((...))`, backquotes.

use super::reader::Reader;
use super::tree::*;
use super::words::{character, flush};
use std::rc::Rc;

impl Reader<'_> {
    /// Reads an expansion; false where the character is a plain one.
    pub fn expansion(&mut self, parts: &mut Vec<Part>, quoted: bool) -> bool {
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
                // `$[1+2]`, the old form of `$((1+2))`.
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

    /// Reads a variable name.
    pub fn identifier(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
            self.at += 1;
        }
        self.text(start, self.at).into_owned()
    }

    /// Reads the inside of `${...}`.
    pub fn parameter(&mut self, quoted: bool) -> Part {
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
        let mut subscript = Vec::new();
        if self.peek() == Some(b'[') {
            self.at += 1;
            all = matches!(self.peek(), Some(b'@' | b'*')) && self.peek_at(1) == Some(b']');
            indexed = !all && self.peek() != Some(b'0');
            subscript = self.parameter_text(b']', quoted);
            self.take("]");
        }
        let runs = subscript.iter().any(|part| !matches!(part, Part::Text { .. }));
        let colon = self.take(":");
        let sign = self.peek();
        if matches!(sign, Some(b'-' | b'=' | b'+' | b'?')) {
            self.at += 1;
        }
        let rest = self.parameter_text(b'}', quoted);
        if !self.take("}") {
            self.note_error("a ${ without its end");
        }
        let op = match sign {
            _ if runs => Op::Element(subscript),
            _ if length => Op::Length,
            _ if indirect => Op::Indirect,
            _ if indexed => Op::Element(Vec::new()),
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

    /// Reads the text after an operator, up to `stop`.
    pub fn parameter_text(&mut self, stop: u8, quoted: bool) -> Vec<Part> {
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

    /// Reads the inside of `((...))` up to its end; None where it is not arithmetic.
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

    /// Reads a backquoted command: unescaped, then parsed as a text of its own.
    pub fn backticks(&mut self, parts: &mut Vec<Part>, quoted: bool) -> bool {
        let start = self.at;
        self.at += 1;
        let mut inside = Vec::new();
        loop {
            match self.peek() {
                None => {
                    self.note_error("a backquote without its end");
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
}
