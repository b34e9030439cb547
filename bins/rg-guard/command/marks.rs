//! Marks: characters of a private range that stand in a text for what is not known before it runs.

use std::borrow::Cow;

/// A variable that the text does not set; it may be empty.
pub const UNSET: char = '\u{F8E0}';
/// An unknown text that is not empty.
pub const SOME: char = '\u{F8E1}';
/// The unknown output of a command; it may be empty.
pub const PRINTED: char = '\u{F8E2}';
/// Each name of a selection of files.
pub const EACH: char = '\u{F8E3}';
/// Each name that exists.
pub const ALL: char = '\u{F8E4}';
/// Downloaded text.
pub const FETCHED: char = '\u{F8E5}';
/// The unknown output of a decoder.
pub const DECODED: char = '\u{F8E6}';
/// The unknown contents of a file.
pub const FILE: char = '\u{F8E7}';
/// Output that is meant to be run by a shell, such as that of `ssh-agent -s`.
pub const SETUP: char = '\u{F8E8}';
/// An active `*`: unquoted, so that it matches names.
pub const STAR: char = '\u{F8E9}';
/// An active `?`.
pub const QUESTION: char = '\u{F8EA}';
/// An active `[`.
pub const BRACKET: char = '\u{F8EB}';
/// The project's top directory.
pub const TOP: char = '\u{F8EC}';

/// What a program prints that prints the whole environment. A text, so that filters keep it.
pub const ENVIRONMENT: &str = "$ENVIRONMENT";

/// What `ps` prints beside its names: a list of processes. A text, so that filters keep it.
pub const PROCESSES: &str = "$PROCESSES";

/// The longest character class that is parsed, in characters.
const LONGEST_CLASS: usize = 256;

/// Whether a character stands for an unknown text.
pub fn is_unknown(c: char) -> bool {
    (UNSET..=SETUP).contains(&c)
}

/// Whether a character is a mark of any kind.
pub fn is_mark(c: char) -> bool {
    (UNSET..=TOP).contains(&c)
}

/// Whether a character is an active wildcard.
pub fn is_wildcard(c: char) -> bool {
    (STAR..=BRACKET).contains(&c)
}

/// Whether a text may have a mark: all of them begin with the same two bytes.
pub fn may_have_mark(text: &str) -> bool {
    let bytes = text.as_bytes();
    !text.is_ascii() && memchr::memchr_iter(0xef, bytes).any(|at| bytes.get(at + 1) == Some(&0xa3))
}

/// Whether a pattern with active wildcards matches a name.
pub fn matches_name(pattern: &str, name: &str) -> bool {
    let (mut pieces, mut rest) = (Vec::new(), pattern);
    while let Some(first) = rest.chars().next() {
        let class = || rest.char_indices().take(LONGEST_CLASS).skip(2).find(|(_, end)| *end == ']');
        let end = if first == BRACKET { class().map(|(at, _)| at + 1) } else { None };
        let (piece, after) = rest.split_at(end.unwrap_or(first.len_utf8()));
        pieces.push(piece);
        rest = after;
    }
    let name: Vec<char> = name.chars().collect();
    super::wildcard::is_match(&pieces, &name, |piece| piece.starts_with(STAR), is_one)
}

/// Whether a character, or a character class, matches a character.
fn is_one(piece: &&str, c: &char) -> bool {
    match piece.strip_prefix(BRACKET) {
        Some(class) => {
            let inside = class.strip_suffix(']').unwrap_or("");
            let listed = inside.trim_start_matches(['!', '^']);
            // A range or a negation is taken to match.
            listed.contains([*c, '-']) || listed.len() < inside.len()
        }
        None => piece.starts_with([QUESTION, *c]),
    }
}

/// The text with its wildcards as characters; None where a part of it is not known.
pub fn known_text(text: &str) -> Option<String> {
    if may_have_mark(text) && text.chars().any(is_unknown) { None } else { Some(literal(text)) }
}

/// The text with its wildcards as characters: what a text is that is quoted or run.
pub fn literal(text: &str) -> String {
    as_literal(text).into_owned()
}

/// The same; borrowed where it has no wildcards.
pub fn as_literal(text: &str) -> Cow<'_, str> {
    if !may_have_mark(text) || !text.contains(is_wildcard) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_wildcard(c) { display_char(c) } else { c }).collect())
}

/// The text with its wildcards active: what an unquoted value is.
pub fn with_wildcards(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|c| matches!(c, b'*' | b'?' | b'[')) {
        return Cow::Borrowed(text);
    }
    let mark = |c: char| match c {
        '*' => STAR,
        '?' => QUESTION,
        '[' => BRACKET,
        c => c,
    };
    Cow::Owned(text.chars().map(mark).collect())
}

/// The text for people: `...` for what is not known.
pub fn display(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if is_unknown(c) || c == TOP => out.push_str("..."),
            c => out.push(display_char(c)),
        }
    }
    out
}

fn display_char(c: char) -> char {
    match c {
        STAR => '*',
        QUESTION => '?',
        BRACKET => '[',
        c => c,
    }
}

/// A text from outside, without characters that look like marks.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !may_have_mark(text) && memchr::memchr(0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_mark(c) || c == '\0' { '\u{FFFD}' } else { c }).collect())
}

/// The text after pathname expansion: each component with wildcards is all names, or a selection.
pub fn expand_wildcards(text: &str) -> String {
    if !may_have_mark(text) || !text.contains(is_wildcard) {
        return text.to_string();
    }
    let name = |part: &str| {
        let mark = if part.chars().all(|c| is_wildcard(c) || c == '.') { ALL } else { EACH };
        if part.contains(is_wildcard) { mark.to_string() } else { part.to_string() }
    };
    text.split('/').map(name).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_names() {
        for (pattern, name, want) in [
            (".g*", ".git", true),
            (".[g]it", ".git", true),
            (".[!a]it", ".git", true),
            (".g??", ".git", true),
            (".*t*", ".git", true),
            ("*a*b", "xaab", true),
            ("r[m]", "rm", true),
            (".g?", ".git", false),
            (".[ab]it", ".git", false),
            ("*a*b", "xaac", false),
            (".github*", ".git", false),
            (".[g", ".git", false),
        ] {
            assert_eq!(matches_name(&with_wildcards(pattern), name), want, "{pattern} {name}");
        }
    }
}
