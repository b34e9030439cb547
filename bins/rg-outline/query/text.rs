//! The tokens of a query file.

use std::borrow::Cow;

/// One token. It borrows from the text, because a query file has thousands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// `(`, `)`, `[`, `]`, `.`, `!`, `?`, `*`, `+`
    Mark(char),
    /// A name of a node, of a field (with its colon), of a predicate (with its `#`), or of a capture (with its `@`).
    Word(&'t str),
    /// A text in quotes.
    Quoted(Cow<'t, str>),
}

/// The tokens of a text, each with its line.
pub fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, (usize, String)> {
    let (mut found, mut line) = (Vec::new(), 1);
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            ';' => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '(' | ')' | '[' | ']' | '.' | '!' | '*' | '+' | '?' => found.push((line, Token::Mark(c))),
            '"' => {
                let (begin, mut escaped) = (line, false);
                let end = loop {
                    match rest.next() {
                        None => return Err((begin, "a text without its closing quote".into())),
                        Some((end, '"')) => break end,
                        Some((_, '\\')) => {
                            escaped = true;
                            rest.next();
                        }
                        Some((_, c)) => line += usize::from(c == '\n'),
                    }
                };
                let quoted = &text[start + 1..end];
                let quoted = if escaped { Cow::Owned(unescaped(quoted)) } else { Cow::Borrowed(quoted) };
                found.push((begin, Token::Quoted(quoted)));
            }
            c if is_part(c) || c == '#' || c == '@' => {
                while rest.next_if(|(_, next)| is_part(*next) || (*next == '.' && c == '@')).is_some() {}
                // A predicate ends with `?` or `!`, a field with a colon.
                let ends = if c == '#' { ['?', '!'] } else { [':', ':'] };
                let _ = rest.next_if(|(_, c)| ends.contains(c));
                let end = rest.peek().map_or(text.len(), |(end, _)| *end);
                found.push((line, Token::Word(&text[start..end])));
            }
            c => return Err((line, format!("unexpected {c:?}"))),
        }
    }
    Ok(found)
}

/// The inside of quotes without its backslashes.
fn unescaped(quoted: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(quoted.len()), quoted.chars());
    while let Some(c) = rest.next() {
        match (c, if c == '\\' { rest.next() } else { None }) {
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some('t')) => plain.push('\t'),
            ('\\', Some('r')) => plain.push('\r'),
            ('\\', Some('0')) => plain.push('\0'),
            ('\\', next) => plain.extend(next),
            (c, _) => plain.push(c),
        }
    }
    plain
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}
