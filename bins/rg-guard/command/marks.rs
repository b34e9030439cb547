//! Texts of which a part is not known: what is not known stands in them as one character of a private range.

use std::borrow::Cow;

/// The value of a variable that nothing here sets: it may well be empty.
pub const UNSET: char = '\u{F8E0}';
/// Not known, and not empty.
pub const SOME: char = '\u{F8E1}';
/// What a command prints, as far as that is not known; it may be empty.
pub const PRINTED: char = '\u{F8E2}';
/// Each name of a selection of files.
pub const EACH: char = '\u{F8E3}';
/// Each name there is.
pub const ALL: char = '\u{F8E4}';
/// What was just downloaded.
pub const FETCHED: char = '\u{F8E5}';
/// What came out of a decoder.
pub const DECODED: char = '\u{F8E6}';
/// What a file here holds.
pub const FILE: char = '\u{F8E7}';
/// What a program prints for shells to run, as `ssh-agent -s` does.
pub const SETUP: char = '\u{F8E8}';
/// Wildcards that are at work.
pub const STAR: char = '\u{F8E9}';
pub const QUESTION: char = '\u{F8EA}';
pub const BRACKET: char = '\u{F8EB}';
/// The project's top directory, wherever that is.
pub const TOP: char = '\u{F8EC}';

/// How many characters of a class are looked at.
const LONGEST_CLASS: usize = 256;

/// Whether a character stands for something that is not known.
pub fn is_unknown(c: char) -> bool {
    (UNSET..=SETUP).contains(&c)
}

/// Whether a character is a mark of any kind.
pub fn is_mark(c: char) -> bool {
    (UNSET..=TOP).contains(&c)
}

/// Whether a wildcard is at work.
pub fn is_wildcard(c: char) -> bool {
    (STAR..=BRACKET).contains(&c)
}

/// Whether a pattern in which wildcards are at work stands for a name.
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

/// Whether a character, or a class of them, stands for that one.
fn is_one(piece: &&str, c: &char) -> bool {
    match piece.strip_prefix(BRACKET) {
        Some(class) => {
            let inside = class.strip_suffix(']').unwrap_or("");
            let listed = inside.trim_start_matches(['!', '^']);
            // What a range or a negation leaves out is not looked into.
            listed.contains([*c, '-']) || listed.len() < inside.len()
        }
        None => piece.starts_with([QUESTION, *c]),
    }
}

/// A text as it is written, wildcards as characters; None when a part of it is not known.
pub fn known_text(text: &str) -> Option<String> {
    if text.chars().any(is_unknown) { None } else { Some(literal(text)) }
}

/// Wildcards made characters again: a text that is quoted once more, or run.
pub fn literal(text: &str) -> String {
    if !text.contains(is_wildcard) {
        return text.to_string();
    }
    text.chars().map(|c| if is_wildcard(c) { display_char(c) } else { c }).collect()
}

/// Wildcards put to work: an unquoted value.
pub fn with_wildcards(text: &str) -> String {
    let mark = |c: char| match c {
        '*' => STAR,
        '?' => QUESTION,
        '[' => BRACKET,
        c => c,
    };
    text.chars().map(mark).collect()
}

/// A text for people: what is not known is `...`.
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

/// A text as it came in, without characters that look like marks.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    // All marks begin with the same two bytes.
    let bytes = text.as_bytes();
    if memchr::memmem::find(bytes, b"\xef\xa3").is_none() && memchr::memchr(0, bytes).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_mark(c) || c == '\0' { '\u{FFFD}' } else { c }).collect())
}

/// The names that a wildcard stands for, as values: all there are, or a selection.
pub fn expand_wildcards(text: &str) -> String {
    if !text.contains(is_wildcard) {
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
