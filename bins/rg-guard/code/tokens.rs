//! The tokens of code: names, strings, signs. One lexer reads all languages.

/// The languages that the lexer knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    Script,
    Perl,
    Ruby,
    Php,
    Lua,
    Other,
}

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name with its dots: `os.path.join`. A name after a bracket begins with a dot.
    Name(String),
    /// The value of a string.
    Text(String),
    /// A string that a shell runs: backquotes, `qx`, `%x`.
    Shell(String),
    /// Any other character that is not blank.
    Sign(char),
}

/// The tokens of a text, in time proportional to its length.
pub fn tokens(text: &str, language: Language) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut lexer = Lexer { chars: &chars, at: 0, language };
    let mut found = Vec::new();
    while let Some(token) = lexer.next(&found) {
        found.push(token);
    }
    found
}

struct Lexer<'a> {
    chars: &'a [char],
    at: usize,
    language: Language,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    /// Skips `/pattern/` of Perl, up to a slash without a backslash before it. A pattern without an end is a plain slash.
    fn skip_pattern(&mut self) {
        let rest = &self.chars[self.at + 1..];
        let mut escaped = false;
        let end = rest.iter().take_while(|c| **c != '\n').position(|c| {
            let ends = *c == '/' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        self.at += end.map_or(1, |end| end + 2);
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn next(&mut self, before: &[Token]) -> Option<Token> {
        loop {
            let c = self.peek(0)?;
            let hash = matches!(
                self.language,
                Language::Python | Language::Perl | Language::Ruby | Language::Php | Language::Other
            );
            let slashes = matches!(self.language, Language::Script | Language::Php | Language::Other);
            match c {
                // A line end is a token: it ends a statement outside of brackets.
                '\n' => {
                    self.at += 1;
                    return Some(Token::Sign('\n'));
                }
                c if c.is_whitespace() => self.at += 1,
                '#' if hash => self.skip_line(),
                '/' if slashes && self.peek(1) == Some('/') => self.skip_line(),
                '/' if slashes && self.peek(1) == Some('*') => {
                    while self.at < self.chars.len() && !self.starts("*/") {
                        self.at += 1;
                    }
                    self.at += 2;
                }
                '/' if self.language == Language::Perl && begins_pattern(before) => self.skip_pattern(),
                '-' if self.language == Language::Lua && self.peek(1) == Some('-') => self.skip_line(),
                '"' | '\'' => return Some(Token::Text(self.string(c))),
                '`' => {
                    let text = self.string(c);
                    return Some(if self.language == Language::Script {
                        Token::Text(text)
                    } else {
                        Token::Shell(text)
                    });
                }
                '%' if self.language == Language::Ruby
                    && matches!(self.peek(1), Some('x' | 'q' | 'Q'))
                    && is_open_bracket(self.peek(2)) =>
                {
                    let shell = self.peek(1) == Some('x');
                    self.at += 2;
                    let text = self.bracketed_text();
                    return Some(if shell { Token::Shell(text) } else { Token::Text(text) });
                }
                '<' if self.language == Language::Perl && self.is_pattern() => {
                    return Some(Token::Text(self.bracketed_text()));
                }
                c if c.is_alphabetic() || matches!(c, '_' | '$' | '@') => return Some(self.name()),
                '.' if matches!(before.last(), Some(Token::Sign(')' | ']') | Token::Text(_))) => {
                    return Some(self.name());
                }
                _ => {
                    self.at += 1;
                    return Some(Token::Sign(c));
                }
            }
        }
    }

    /// Whether `<` begins a glob of Perl: `<*.c>`, not `<$file>` nor `$a < $b`.
    fn is_pattern(&self) -> bool {
        let inside = self.chars[self.at + 1..].iter().take(256).take_while(|c| !c.is_whitespace());
        let inside: String = inside.collect();
        inside.split_once('>').is_some_and(|(pattern, _)| pattern.contains(['*', '?']) && !pattern.contains(['<', ';']))
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(c) if c.is_alphanumeric() || c == '_' => self.at += 1,
                Some('.') if self.peek(1).is_some_and(|c| c.is_alphabetic() || c == '_') => self.at += 1,
                Some('?') if self.peek(1) == Some('.') => self.at += 1,
                Some(':') if self.peek(1) == Some(':') => self.at += 2,
                // `File.rm_rf!(...)`
                Some('!') if self.peek(1) == Some('(') => self.at += 1,
                _ => break,
            }
        }
        let name: String = self.chars[start..self.at].iter().filter(|c| !matches!(c, '?' | '!')).collect();
        match name.as_str() {
            "qx" | "q" | "qq" | "qw"
                if self.language == Language::Perl
                    && (is_open_bracket(self.peek(0))
                        || self.peek(0).is_some_and(|c| matches!(c, '/' | '|' | '!'))) =>
            {
                let text = self.bracketed_text();
                if name == "qx" { Token::Shell(text) } else { Token::Text(text) }
            }
            // String prefixes of Python.
            "r" | "b" | "f" | "u" | "rb" | "br" | "fr" | "rf" | "R" | "F" | "B"
                if self.language == Language::Python && matches!(self.peek(0), Some('"' | '\'')) =>
            {
                let sign = self.peek(0).unwrap_or('"');
                Token::Text(self.string(sign))
            }
            _ => Token::Name(name.replace("::", ".")),
        }
    }

    fn string(&mut self, sign: char) -> String {
        let triple: String = std::iter::repeat_n(sign, 3).collect();
        let stop = if self.language == Language::Python && self.starts(&triple) { triple } else { sign.to_string() };
        self.at += stop.len();
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            if self.starts(&stop) {
                break;
            }
            text.push(c);
            self.at += 1;
            if c == '\\'
                && let Some(next) = self.peek(0)
            {
                text.push(next);
                self.at += 1;
            }
        }
        self.at = (self.at + stop.len()).min(self.chars.len());
        crate::shell::decode::unescape(&text).replace("\\$", "$").replace("\\`", "`")
    }

    fn bracketed_text(&mut self) -> String {
        let open = self.peek(0).unwrap_or('(');
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            other => other,
        };
        self.at += 1;
        let mut depth = 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else if c == open {
                depth += 1;
            }
            text.push(c);
        }
        text
    }
}

/// Whether a slash after these tokens begins a pattern: the last one cannot be divided.
fn begins_pattern(before: &[Token]) -> bool {
    match before.last() {
        Some(Token::Name(name)) => {
            matches!(name.as_str(), "if" | "unless" | "and" | "or" | "not" | "split" | "grep" | "while")
        }
        Some(Token::Sign(c)) => matches!(c, '(' | '~' | '!' | '&' | '|' | '{' | ';' | '\n'),
        Some(_) => false,
        None => true,
    }
}

fn is_open_bracket(c: Option<char>) -> bool {
    matches!(c, Some('(' | '{' | '[' | '<'))
}
