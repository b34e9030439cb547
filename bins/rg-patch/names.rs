//! Names of files in a patch: quotation, prefixes, and names that no patch may have.

use review_gate::donefile::folded;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The longest name, in bytes.
const LONGEST: usize = 4096;

/// The longest `diff --git` line of which both names are found without other header lines.
const LONGEST_LINE: usize = 4 * LONGEST;

/// A name of a header line. None if its quotation is invalid. An unquoted one ends at a tab, after which a time may stand.
pub fn read(text: &[u8]) -> Option<Vec<u8>> {
    if text.first() == Some(&b'"') {
        let (name, rest) = unquoted(text)?;
        return (rest.is_empty() || rest.starts_with(b"\t")).then_some(name);
    }
    Some(text.split(|byte| *byte == b'\t').next().unwrap_or_default().to_vec())
}

/// A name that stands alone in its line, as after `rename from`.
pub fn read_whole(text: &[u8]) -> Option<Vec<u8>> {
    match text.first() {
        Some(b'"') => unquoted(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name),
        _ => Some(text.to_vec()),
    }
}

/// The one path that both names of a `diff --git` line mean; None if it cannot be told.
pub fn of_git_line(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > LONGEST_LINE {
        return None;
    }
    if text.contains(&b'"') {
        let (first, rest) = match text.first() {
            Some(b'"') => unquoted(text)?,
            _ => {
                let at = text.windows(2).position(|pair| pair == b" \"")?;
                (text[..at].to_vec(), &text[at..])
            }
        };
        return same(&first, &read_whole(rest.strip_prefix(b" ")?)?);
    }
    let spaces = text.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
    let mut found = spaces.filter_map(|at| same(&text[..at], &text[at + 1..]));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The one path that two names mean: they are equal, or equal without their first parts, such as `a/` and `b/`.
pub fn same(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if old == new {
        return Some(old.to_vec());
    }
    let (old, new) = (stripped(old)?, stripped(new)?);
    (old == new).then(|| old.to_vec())
}

/// Whether a name means that path, with or without a prefix.
pub fn means(name: &[u8], path: &[u8]) -> bool {
    name == path || stripped(name) == Some(path)
}

/// The only name of a created or removed file, without git's prefix.
pub fn alone(name: &[u8], prefix: &[u8]) -> Vec<u8> {
    name.strip_prefix(prefix).unwrap_or(name).to_vec()
}

fn stripped(name: &[u8]) -> Option<&[u8]> {
    let at = name.iter().position(|byte| *byte == b'/').filter(|at| *at > 0)?;
    Some(&name[at + 1..])
}

/// A name in double quotes with C's escapes, and the rest of the text.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        let (first, after) = rest.split_first()?;
        rest = after;
        match first {
            b'"' => return Some((out, rest)),
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                out.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => *escaped,
                    b'0'..=b'3' => {
                        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                        let low = u8::from_str_radix(digits, 8).ok().filter(|_| !digits.starts_with('+'))?;
                        rest = &rest[2..];
                        (escaped - b'0') * 64 + low
                    }
                    _ => return None,
                });
            }
            byte => out.push(*byte),
        }
    }
}

/// The path of a name below the top, or why no patch may name it.
pub fn checked(name: &[u8]) -> Result<PathBuf, &'static str> {
    let mut parts = name.split(|byte| *byte == b'/');
    match () {
        _ if name.is_empty() => Err("the name is empty"),
        _ if name.len() > LONGEST => Err("the name is too long"),
        _ if name.contains(&0) => Err("the name contains a NUL byte"),
        _ if name[0] == b'/' => Err("the path is absolute: name files from the top of the working tree"),
        _ if parts.clone().any(|part| part == b"..") => Err("the path leads outside with `..`"),
        _ if parts.clone().any(|part| part.is_empty() || part == b".") => Err("the path has an empty part or `.`"),
        _ if parts.any(is_git) => Err("the path is in git's own directory"),
        _ => Ok(Path::new(OsStr::from_bytes(name)).to_path_buf()),
    }
}

/// Whether a file system could take a part of a path for `.git`: one that folds case, ignores characters or shortens names.
fn is_git(part: &[u8]) -> bool {
    // HFS+ ignores invisible characters.
    let is_ignored = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let name: String = String::from_utf8_lossy(part).chars().filter(|c| !is_ignored(c)).collect();
    let name = folded(&name);
    // NTFS ignores dots and spaces at the end, and names streams after a colon.
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let short = name.strip_prefix("git~").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    name == ".git" || short || name.split('\\').any(|part| part == ".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_writes_them() {
        let text = |name: &str| read(name.as_bytes()).map(|name| String::from_utf8_lossy(&name).into_owned());
        assert_eq!(text("a/x y").as_deref(), Some("a/x y"));
        assert_eq!(text("a/x\t2026-01-01").as_deref(), Some("a/x"));
        assert_eq!(text("\"a/\\303\\251\\t\\\"\\\\\"").as_deref(), Some("a/\u{e9}\t\"\\"));
        for wrong in ["\"a", "\"a\\", "\"a\\9\"", "\"a\\40\"", "\"a\\+12\"", "\"a\\400\"", "\"a\" b"] {
            assert_eq!(text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_git_line_is_split_only_if_one_path_is_meant() {
        let split = |text: &str| of_git_line(text.as_bytes()).map(|name| String::from_utf8_lossy(&name).into_owned());
        for (text, path) in [
            ("a/x b/x", Some("x")),
            ("a/x y b/x y", Some("x y")),
            ("x x", Some("x")),
            ("i/x w/x", Some("x")),
            ("\"a/\\tx\" \"b/\\tx\"", Some("\tx")),
            ("\"a/x\" b/x", Some("x")),
            ("a/x \"b/x\"", Some("x")),
            ("a/x b/y", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(split(text).as_deref(), path, "{text}");
        }
    }

    #[test]
    fn names_that_lead_outside_or_into_git_are_refused() {
        for name in [
            "",
            "/etc/passwd",
            "..",
            "a/../b",
            "a//b",
            "./a",
            "a/",
            "a\0b",
            ".git",
            ".git/config",
            "a/.GIT/x",
            ".Git",
            ".git.",
            ".git /x",
            ".git::$INDEX_ALLOCATION/x",
            "git~1/config",
            ".g\u{200c}it/config",
            "a\\.git\\x",
            ".gi\u{200d}t",
        ] {
            assert!(checked(name.as_bytes()).is_err(), "{name:?}");
        }
        for name in ["a", ".gitignore", ".github/x", "git", "x.git", "..a", "caf\u{e9}", "a b", "a:b", "\u{e9}.git"] {
            assert!(checked(name.as_bytes()).is_ok(), "{name:?}");
        }
        assert!(checked(&[0xff, b'/', b'x']).is_ok() && checked(&[b'a'; LONGEST + 1]).is_err());
    }
}
