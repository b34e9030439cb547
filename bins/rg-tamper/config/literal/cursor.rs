//! Moves through the text of a script: over blanks, comments, strings and what is not read.

use super::Reader;

impl<'a> Reader<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Moves over one character, a whole string or comment.
    pub(super) fn step(&mut self) {
        match self.peek() {
            Some(quote @ ('"' | '\'' | '`')) => drop(self.string(quote)),
            Some(c) => self.at += c.len_utf8(),
            None => {}
        }
    }

    pub(super) fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// Skips blanks and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let end = |mark: &str, more: usize| trimmed.find(mark).map_or(trimmed.len(), |at| at + more);
            match () {
                () if trimmed.starts_with("//") => self.at += end("\n", 0),
                () if trimmed.starts_with("/*") => self.at += end("*/", 2),
                () => return,
            }
        }
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.blanks();
        self.at >= self.text.len()
    }

    /// A name with its members.
    pub(super) fn word(&mut self) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '@');
        let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        self.at += end;
        word.to_string()
    }

    /// Moves behind the `=` of a declaration, over its type.
    pub(super) fn find_assignment(&mut self) -> bool {
        let mut rest = self.rest().char_indices();
        let found =
            rest.find(|(at, c)| matches!(c, ';' | '\n') || *c == '=' && !self.rest()[at + 1..].starts_with(['=', '>']));
        let Some((at, '=')) = found else { return false };
        self.at += at + 1;
        true
    }

    /// A string after its opening quote; None if it does not end or is a template with code.
    pub(super) fn string(&mut self, quote: char) -> Option<String> {
        let mut out = String::new();
        let mut is_plain = true;
        self.at += 1;
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    return is_plain.then_some(out);
                }
                '\n' if quote != '`' => break,
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, '\n')) => {}
                    Some((at, 'u')) => {
                        let digits = self.rest().get(at + 1..at + 5);
                        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                        out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                        (0..4).for_each(|_| {
                            chars.next();
                        });
                    }
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                '$' if quote == '`' && self.rest()[at..].starts_with("${") => {
                    is_plain = false;
                    out.push(c);
                }
                c => out.push(c),
            }
        }
        // A template that does not end reaches the end of the file.
        let line = self.rest().find('\n').filter(|_| quote != '`');
        self.at += line.unwrap_or(self.rest().len());
        None
    }

    /// Moves behind the sign that closes what is open.
    pub(super) fn skip_to_close(&mut self) {
        let mut open = 1usize;
        while open > 0 && !self.is_at_end() {
            match self.peek() {
                Some('(' | '[' | '{') => open += 1,
                Some(')' | ']' | '}') => open -= 1,
                _ => {}
            }
            self.step();
        }
    }

    /// Moves behind a regular expression, whose quotes open no string.
    pub(super) fn regular_expression(&mut self) {
        let line = self.rest().find('\n').unwrap_or(self.rest().len());
        let (mut is_escaped, mut is_class) = (false, false);
        let end = self.rest()[1.min(line)..line].find(|c| {
            let is_end = c == '/' && !is_escaped && !is_class;
            is_class = if is_escaped { is_class } else { c == '[' || is_class && c != ']' };
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        self.at += end.map_or(1, |at| at + 2);
    }

    /// Moves to the sign that ends an expression.
    pub(super) fn skip(&mut self) {
        let mut open = 0usize;
        while !self.is_at_end() {
            match self.peek() {
                Some('(' | '[' | '{') => open += 1,
                Some(')' | ']' | '}') if open == 0 => return,
                Some(')' | ']' | '}') => open -= 1,
                Some(',' | ';') if open == 0 => return,
                _ => {}
            }
            self.step();
        }
    }
}
