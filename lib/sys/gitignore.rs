//! Gitignore patterns with git's meaning, for .gitignore files and for the keys of DONE.md that take gitignore patterns.
//!
//! The ignore crate matches. Unlike git it has braces, takes no backslash in a class and treats trailing white space differently, so
//! each pattern is translated into its syntax.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeSet;
use std::path::Path;

/// Patterns, of which the last match decides. Paths are relative to the directory of the patterns.
#[derive(Debug)]
pub struct Patterns(Gitignore);

impl Patterns {
    /// The patterns of these lines. An invalid one matches nothing, as in git.
    pub fn new<'a>(lines: impl IntoIterator<Item = &'a str>) -> Patterns {
        let mut builder = GitignoreBuilder::new("");
        for line in lines.into_iter().filter_map(|line| translated(line, false)) {
            let _ = builder.add_line(None, &line);
        }
        Patterns(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// The patterns of a list in DONE.md, each of which was validated.
    pub fn of(list: &[String]) -> Patterns {
        Patterns::new(list.iter().map(String::as_str))
    }

    /// The decision of the last pattern that matches the path: true for a match, false for a `!` pattern. None if no pattern matches.
    pub fn decide(&self, path: &Path, is_dir: bool) -> Option<bool> {
        match self.0.matched(path, is_dir) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => None,
        }
    }

    /// Whether they match a file or a directory above it. As in git, a `!` pattern has no effect below a directory that matches.
    pub fn matches(&self, path: &Path) -> bool {
        is_below(path) && path.ancestors().any(|part| is_below(part) && self.decide(part, part != path) == Some(true))
    }

    /// Whether the pattern that matches the file, or else the nearest directory above it, is not a `!` pattern. For lists of allowed
    /// files: unlike in git, a `!` pattern also has effect below a directory that matches.
    pub fn matches_strictly(&self, path: &Path) -> bool {
        let mut parts = path.ancestors().filter(|part| is_below(part));
        is_below(path) && parts.find_map(|part| self.decide(part, part != path)) == Some(true)
    }
}

/// Whether a path is relative and not empty.
fn is_below(path: &Path) -> bool {
    !path.has_root() && !path.as_os_str().is_empty()
}

/// Whether a line is a pattern that can match a path. A reversed range such as `[z-a]` is invalid here, although git accepts it.
pub fn is_pattern(line: &str) -> bool {
    translated(line, true).is_some_and(|line| GitignoreBuilder::new("").add_line(None, &line).is_ok())
}

/// A line in the matcher's syntax; None if it is not a pattern or can never match. With `is_strict` a reversed range is invalid, too.
fn translated(line: &str, is_strict: bool) -> Option<String> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.starts_with('#') {
        return None;
    }
    let line = trimmed(line);
    let (not, body) = line.strip_prefix('!').map_or(("", line), |rest| ("!", rest));
    let (body, dir) = body.strip_suffix('/').map_or((body, ""), |rest| (rest, "/"));
    let glob = glob(body.strip_prefix('/').unwrap_or(body), is_strict).filter(|glob| is_of_paths(glob))?;
    // A pattern with a slash matches a whole path, any other a name. The slash that a negated class excludes does not count.
    let place = match (body.contains('/'), glob.contains('/')) {
        (true, _) => "/",
        (false, true) => "**/",
        (false, false) => "",
    };
    Some(format!("{not}{place}{glob}{dir}"))
}

/// Whether a glob has no empty component, which no path has.
fn is_of_paths(glob: &str) -> bool {
    !glob.is_empty() && !glob.starts_with('/') && !glob.ends_with('/') && !glob.contains("//")
}

/// The line without trailing spaces, except for one that is escaped with a backslash.
fn trimmed(line: &str) -> &str {
    let (mut end, mut escaped) = (0, false);
    for (at, byte) in line.bytes().enumerate() {
        if escaped || byte != b' ' {
            end = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    &line[..end]
}

fn glob(body: &str, is_strict: bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '\\' => {
                let next = after.chars().next()?;
                literal(next, &mut out);
                rest = &after[next.len_utf8()..];
            }
            '*' => {
                rest = after.trim_start_matches('*');
                let begins = out.is_empty() || out.ends_with('/');
                let ends = rest.is_empty() || rest.starts_with('/') || rest.starts_with("\\/");
                // Two or more stars between slashes match any number of directories.
                out.push_str(if rest.len() < after.len() && begins && ends { "**" } else { "*" });
            }
            '?' => out.push('?'),
            '[' => rest = class(after, is_strict, &mut out)?,
            c => literal(c, &mut out),
        }
    }
    Some(out)
}

fn literal(c: char, out: &mut String) {
    match c {
        // In a class, neither is special at the end of a line.
        c if c.is_whitespace() || c == '\\' => out.extend(['[', c, ']']),
        '*' | '?' | '[' | ']' | '{' | '}' | ',' | '!' | '#' => out.extend(['\\', c]),
        c => out.push(c),
    }
}

/// The characters of a class.
#[derive(Default)]
struct Members(BTreeSet<char>);

impl Members {
    fn add_kind(&mut self, name: &str) -> Option<()> {
        let is_in: fn(&char) -> bool = match name {
            "alnum" => char::is_ascii_alphanumeric,
            "alpha" => char::is_ascii_alphabetic,
            "blank" => |c| matches!(c, ' ' | '\t'),
            "cntrl" => char::is_ascii_control,
            "digit" => char::is_ascii_digit,
            "graph" => char::is_ascii_graphic,
            "lower" => char::is_ascii_lowercase,
            "print" => |c| matches!(c, ' '..='~'),
            "punct" => char::is_ascii_punctuation,
            "space" => |c| c.is_ascii_whitespace() || *c == '\x0b',
            "upper" => char::is_ascii_uppercase,
            "xdigit" => char::is_ascii_hexdigit,
            _ => return None,
        };
        self.0.extend(('\0'..='\x7f').filter(is_in));
        Some(())
    }

    /// Writes the class in the matcher's syntax. None if it has no members.
    fn write(&self, negated: bool, out: &mut String) -> Option<()> {
        // A class never matches a slash.
        let mut all: Vec<char> = self.0.iter().copied().filter(|c| *c != '/').collect();
        if negated {
            all.push('/');
        }
        // A bracket is literal only at the beginning, a dash at the end, and `!` or `^` anywhere else.
        let place = |c: &char| match c {
            ']' => 0,
            '!' | '^' => 2,
            '-' => 3,
            _ => 1,
        };
        all.sort_by_key(place);
        match all.as_slice() {
            [] => return None,
            [one] if !negated => literal(*one, out),
            ['!' | '^', ..] if !negated => {
                let either: Vec<String> = all.iter().map(|c| format!("\\{c}")).collect();
                out.push_str(&format!("{{{}}}", either.join(",")));
            }
            _ => {
                out.push_str(if negated { "[!" } else { "[" });
                out.extend(all);
                out.push(']');
            }
        }
        Some(())
    }
}

/// Translates the class after an opening bracket and returns the rest of the text. None if it is not closed or names an unknown kind.
fn class<'a>(body: &'a str, is_strict: bool, out: &mut String) -> Option<&'a str> {
    let negated = body.starts_with(['!', '^']);
    let mut rest = &body[usize::from(negated)..];
    let mut members = Members::default();
    let mut last: Option<char> = None;
    let next = |rest: &mut &'a str| {
        let c = rest.chars().next()?;
        *rest = &rest[c.len_utf8()..];
        Some(c)
    };
    loop {
        let mut c = next(&mut rest)?;
        let range = last.filter(|_| c == '-' && !rest.is_empty() && !rest.starts_with(']'));
        if let Some(first) = range {
            let mut to = next(&mut rest)?;
            if to == '\\' {
                to = next(&mut rest)?;
            }
            if is_strict && first > to {
                return None;
            }
            members.0.extend((first..=to).take(256));
            last = None;
        } else if let Some(inner) = rest.strip_prefix(':').filter(|_| c == '[') {
            let end = inner.find(']')?;
            match inner[..end].strip_suffix(':') {
                Some(name) => {
                    members.add_kind(name)?;
                    rest = &inner[end + 1..];
                    last = None;
                }
                None => {
                    members.0.insert(c);
                    last = Some(c);
                }
            }
        } else {
            if c == '\\' {
                c = next(&mut rest)?;
            }
            members.0.insert(c);
            last = Some(c);
        }
        if let Some(after) = rest.strip_prefix(']') {
            members.write(negated, out)?;
            return Some(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_syntax_is_translated_for_the_matcher() {
        for (git, ours) in [
            ("*.log", Some("*.log")),
            ("*.{log,tmp}", Some("*.\\{log\\,tmp\\}")),
            ("[a\\-c]", Some("[ac-]")),
            ("/target/", Some("/target/")),
            ("a/b", Some("/a/b")),
            ("!keep  ", Some("!keep")),
            ("end\\ ", Some("end[ ]")),
            ("tab\t\r", Some("tab[\t]")),
            ("\\#x", Some("\\#x")),
            ("a/**/b/***", Some("/a/**/b/**")),
            ("a**", Some("a*")),
            ("[]a-]", Some("[]a-]")),
            ("[!!^]", Some("**/[!/!^]")),
            ("[!", None),
            ("[[:none:]]", None),
            ("end\\", None),
            ("# no", None),
            ("  ", None),
            ("/", None),
        ] {
            assert_eq!(translated(git, false).as_deref(), ours, "{git:?}");
        }
    }

    #[test]
    fn braces_match_themselves() {
        let patterns = Patterns::new(["out.{a,b}"]);
        assert!(patterns.matches(Path::new("x/out.{a,b}")));
        assert!(!patterns.matches(Path::new("out.a")) && is_pattern("a{b"));
    }

    #[test]
    fn a_negated_pattern_below_a_matching_directory_counts_only_in_strict_matching() {
        let patterns = Patterns::new(["src/", "!src/gen/", "!*.md"]);
        for (path, matches, strictly) in [
            ("src/a.rs", true, true),
            ("src/gen/a.rs", true, false),
            ("src/a.md", true, false),
            ("a.md", false, false),
            ("src", false, false),
            ("/src/a.rs", false, false),
            ("", false, false),
        ] {
            let path = Path::new(path);
            assert_eq!((patterns.matches(path), patterns.matches_strictly(path)), (matches, strictly), "{path:?}");
        }
    }

    #[test]
    fn a_line_that_matches_nothing_is_not_a_pattern() {
        for (line, is_one) in [
            ("a", true),
            ("!a", true),
            ("a{b", true),
            ("#a", false),
            ("", false),
            ("[", false),
            ("[z-a]", false),
            ("a\\", false),
        ] {
            assert_eq!(is_pattern(line), is_one, "{line:?}");
        }
    }
}
