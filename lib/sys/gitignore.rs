//! Patterns of gitignore's language, with git's own meaning: of .gitignore files, and of every key of DONE.md that says gitignore.
//!
//! The matcher is the ignore crate's. It has braces, which git has not, no backslash in a class, and another idea of what white
//! space at the end is: each pattern is put into its words.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeSet;
use std::path::Path;

/// Patterns, the later before the earlier. Paths are relative to where they count from.
#[derive(Debug)]
pub struct Patterns(Gitignore);

impl Patterns {
    /// Of these lines. One that is no pattern matches nothing, as in git.
    pub fn new<'a>(lines: impl IntoIterator<Item = &'a str>) -> Patterns {
        let mut builder = GitignoreBuilder::new("");
        for line in lines.into_iter().filter_map(|line| translated(line, false)) {
            let _ = builder.add_line(None, &line);
        }
        Patterns(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Of a list in DONE.md, where each was held to be a pattern.
    pub fn of(list: &[String]) -> Patterns {
        Patterns::new(list.iter().map(String::as_str))
    }

    /// What the last pattern that is about this path says of it: whether it matches, or a `!` takes it out. None: no pattern is.
    pub fn decide(&self, path: &Path, is_dir: bool) -> Option<bool> {
        match self.0.matched(path, is_dir) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => None,
        }
    }

    /// Whether they match a file or a directory that it lies in. As in git, no `!` takes out what lies in a directory that matches.
    pub fn matches(&self, path: &Path) -> bool {
        is_below(path) && path.ancestors().any(|part| is_below(part) && self.decide(part, part != path) == Some(true))
    }

    /// Whether they match a file, and no `!` takes out the file or the nearest directory that a pattern is about: for what is
    /// allowed. Git would not look below a directory that matches.
    pub fn matches_strictly(&self, path: &Path) -> bool {
        let mut parts = path.ancestors().filter(|part| is_below(part));
        is_below(path) && parts.find_map(|part| self.decide(part, part != path)) == Some(true)
    }
}

/// Whether a path is relative and names something.
fn is_below(path: &Path) -> bool {
    !path.has_root() && !path.as_os_str().is_empty()
}

/// Whether a line can match anything, and all of it means something: a range that runs backwards is a slip, though git takes it.
pub fn is_pattern(line: &str) -> bool {
    translated(line, true).is_some_and(|line| GitignoreBuilder::new("").add_line(None, &line).is_ok())
}

/// What a line of a file is to the matcher; None for what is no pattern, or one that can never match; with `is_strict` for one with a
/// range that runs backwards, too.
fn translated(line: &str, is_strict: bool) -> Option<String> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.starts_with('#') {
        return None;
    }
    let line = trimmed(line);
    let (not, body) = line.strip_prefix('!').map_or(("", line), |rest| ("!", rest));
    let (body, dir) = body.strip_suffix('/').map_or((body, ""), |rest| (rest, "/"));
    let glob = glob(body.strip_prefix('/').unwrap_or(body), is_strict).filter(|glob| is_of_paths(glob))?;
    // With a slash it is about a whole path, else about a name: the one that a class must leave out says nothing.
    let place = match (body.contains('/'), glob.contains('/')) {
        (true, _) => "/",
        (false, true) => "**/",
        (false, false) => "",
    };
    Some(format!("{not}{place}{glob}{dir}"))
}

/// No path has an empty part.
fn is_of_paths(glob: &str) -> bool {
    !glob.is_empty() && !glob.starts_with('/') && !glob.ends_with('/') && !glob.contains("//")
}

/// Without the spaces at its end, but for one that a backslash keeps.
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
                // Between slashes two or more of them are any number of directories.
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
        // Where it ends a line neither may be taken for something else.
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

    /// In the matcher's words. None where nothing is in it.
    fn write(&self, negated: bool, out: &mut String) -> Option<()> {
        // No class is ever a slash.
        let mut all: Vec<char> = self.0.iter().copied().filter(|c| *c != '/').collect();
        if negated {
            all.push('/');
        }
        // A bracket is one of them at the beginning only, a dash at the end; what negates, not at the beginning.
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

/// Takes in a class behind its bracket, and returns what follows it. None where it is not closed, or of an unknown kind.
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
    fn gits_words_become_the_matchers() {
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
    fn braces_are_braces() {
        let patterns = Patterns::new(["out.{a,b}"]);
        assert!(patterns.matches(Path::new("x/out.{a,b}")));
        assert!(!patterns.matches(Path::new("out.a")) && is_pattern("a{b"));
    }

    #[test]
    fn what_lies_in_a_directory_that_matches_is_taken_out_of_what_is_allowed_only() {
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
    fn what_matches_nothing_is_no_pattern() {
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
