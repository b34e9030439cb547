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

/// Whether a pattern in which wildcards are at work stands for a name. Goes back to the last `*` only: time is at worst the product of
/// both lengths.
pub fn stands_for(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    let mut again: Option<(&str, &str)> = None;
    while let Some(next) = name.chars().next() {
        let after = &name[next.len_utf8()..];
        if let Some(rest) = pattern.strip_prefix(STAR) {
            again = Some((rest, after));
            pattern = rest;
        } else if let Some(rest) = without_first(pattern, next) {
            (pattern, name) = (rest, after);
        } else if let Some((rest, after)) = again {
            again = after.chars().next().map(|c| (rest, &after[c.len_utf8()..]));
            (pattern, name) = (rest, after);
        } else {
            return false;
        }
    }
    pattern.chars().all(|c| c == STAR)
}

/// A pattern without its first piece, where that stands for a character.
fn without_first(pattern: &str, c: char) -> Option<&str> {
    let first = pattern.chars().next()?;
    let rest = &pattern[first.len_utf8()..];
    if first != BRACKET {
        return (first == QUESTION || first == c).then_some(rest);
    }
    let (end, _) = rest.char_indices().take(LONGEST_CLASS).skip(1).find(|(_, end)| *end == ']')?;
    let class = rest[..end].trim_start_matches(['!', '^']);
    // What a range or a negation leaves out is not looked into.
    (class.contains([c, '-']) || class.len() < end).then_some(&rest[end + 1..])
}

/// A text as it is written, wildcards as characters; None when a part of it is not known.
pub fn written(text: &str) -> Option<String> {
    if text.chars().any(is_unknown) { None } else { Some(plain(text)) }
}

/// Wildcards made characters again: a text that is quoted once more, or run.
pub fn plain(text: &str) -> String {
    if !text.contains(is_wildcard) {
        return text.to_string();
    }
    text.chars().map(|c| if is_wildcard(c) { shown_char(c) } else { c }).collect()
}

/// Wildcards put to work: an unquoted value.
pub fn wild(text: &str) -> String {
    let mark = |c: char| match c {
        '*' => STAR,
        '?' => QUESTION,
        '[' => BRACKET,
        c => c,
    };
    text.chars().map(mark).collect()
}

/// A text for people: what is not known is `...`.
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if is_unknown(c) || c == TOP => out.push_str("..."),
            c => out.push(shown_char(c)),
        }
    }
    out
}

fn shown_char(c: char) -> char {
    match c {
        STAR => '*',
        QUESTION => '?',
        BRACKET => '[',
        c => c,
    }
}

/// A text as it came in, without characters that look like marks.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    // All marks begin with the same two bytes.
    let bytes = text.as_bytes();
    if memchr::memmem::find(bytes, b"\xef\xa3").is_none() && memchr::memchr(0, bytes).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_mark(c) || c == '\0' { '\u{FFFD}' } else { c }).collect())
}

/// The names that a wildcard stands for, as values: all there are, or a selection.
pub fn plain_names(text: &str) -> String {
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
            assert_eq!(stands_for(&wild(pattern), name), want, "{pattern} {name}");
        }
    }
}
