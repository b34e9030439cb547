//! The tokens of a query file.

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `(`, `)`, `[`, `]`, `.`, `!`, `?`, `*`, `+`
    Mark(char),
    /// A name of a node, of a field (with its colon), of a predicate (with its `#`), or of a capture (with its `@`).
    Word(String),
    /// A text in quotes.
    Quoted(String),
}

/// The tokens of a text, each with its line.
pub fn tokens(text: &str) -> Result<Vec<(usize, Token)>, (usize, String)> {
    let (mut found, mut line) = (Vec::new(), 1);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            ';' => while rest.next_if(|c| *c != '\n').is_some() {},
            '(' | ')' | '[' | ']' | '.' | '!' | '*' | '+' | '?' => found.push((line, Token::Mark(c))),
            '"' => {
                let (begin, mut quoted) = (line, String::new());
                loop {
                    match rest.next() {
                        None => return Err((begin, "a text without its closing quote".into())),
                        Some('"') => break,
                        Some('\\') => match rest.next() {
                            Some('n') => quoted.push('\n'),
                            Some('t') => quoted.push('\t'),
                            Some('r') => quoted.push('\r'),
                            Some('0') => quoted.push('\0'),
                            Some(c) => quoted.push(c),
                            None => {}
                        },
                        Some(c) => {
                            line += usize::from(c == '\n');
                            quoted.push(c);
                        }
                    }
                }
                found.push((begin, Token::Quoted(quoted)));
            }
            c if is_part(c) || c == '#' || c == '@' => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| is_part(*c) || (*c == '.' && word.starts_with('@'))) {
                    word.push(c);
                }
                // A predicate ends with `?` or `!`, a field with a colon.
                let end = if word.starts_with('#') { ['?', '!'] } else { [':', ':'] };
                if let Some(c) = rest.next_if(|c| end.contains(c)) {
                    word.push(c);
                }
                found.push((line, Token::Word(word)));
            }
            c => return Err((line, format!("unexpected {c:?}"))),
        }
    }
    Ok(found)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}
