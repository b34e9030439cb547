//! Passwords in URLs (`scheme://user:password@host`) and in `Authorization` headers.

use super::{is_no_word, is_placeholder};
use std::ops::Range;

/// The name of the header, in lower case.
const HEADER: &[u8] = b"authorization";

/// Schemes that a header names before its secret.
const SCHEMES: [&str; 8] = ["basic", "bearer", "token", "digest", "negotiate", "apikey", "api-key", "ntlm"];

/// The secrets of a line, in order.
pub(super) fn secrets(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = memchr::memmem::find_iter(line.as_bytes(), "://")
        .filter_map(|at| password_of(line, at + 3))
        .chain(headers(line).filter_map(|at| secret_of_header(line, at)))
        .collect();
    found.sort_by_key(|range| range.start);
    found
}

/// The password of the authority that begins at `from`.
fn password_of(line: &str, from: usize) -> Option<Range<usize>> {
    let rest = &line[from..];
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '\\' | '<' | '>' | '`' | '|');
    let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let begin = from + name.len() + 1;
    (!is_placeholder(password)).then(|| begin..begin + password.len())
}

/// The positions after each name of the header.
fn headers(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    memchr::memchr2_iter(b'a', b'A', bytes)
        .map(|at| at + HEADER.len())
        .filter(move |end| bytes.get(end - HEADER.len()..*end).is_some_and(|name| name.eq_ignore_ascii_case(HEADER)))
}

/// The secret after the header's name: after the scheme, or in its place.
fn secret_of_header(line: &str, at: usize) -> Option<Range<usize>> {
    let is_between = |b: &u8| matches!(b, b':' | b'=' | b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'>');
    let gap = line.as_bytes()[at..].iter().take(12).take_while(|b| is_between(b)).count();
    if !line.as_bytes()[at..at + gap].iter().any(|b| matches!(b, b':' | b'=')) {
        return None;
    }
    let word = |from: usize| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',' | ';' | '`' | '<');
        from..line[from..].find(ends).map_or(line.len(), |length| from + length)
    };
    let first = word(at + gap);
    if !SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(&line[first.clone()])) {
        let value = &line[first.clone()];
        return (is_no_word(value) && !value.contains(['/', '.', '(']) && !is_placeholder(value)).then_some(first);
    }
    let blanks = line[first.end..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let secret = word(first.end + blanks);
    let value = &line[secret.clone()];
    let is_odd = |b: u8| b.is_ascii_digit() || b.is_ascii_uppercase() || matches!(b, b'=' | b'+' | b'/' | b'_');
    (blanks > 0 && !is_placeholder(value) && (value.bytes().any(is_odd) || is_no_word(value))).then_some(secret)
}
