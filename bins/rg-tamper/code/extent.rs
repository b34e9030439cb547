//! Extents: the lines of a definition by their indentation, lines without comments, and the words of a line.

use std::collections::BTreeSet;
use std::ops::Range;

/// The lines of the definition that begins in a line, with the marks above it. Too few lines if it is not indented as usual.
pub fn of(lines: &[String], first: usize) -> Range<usize> {
    let Some(line) = lines.get(first) else { return 0..0 };
    let base = indent(line);
    let is_inner = |line: &str| line.trim().is_empty() || indent(line) > base || indent(line) == base && closes(line);
    let end = first + 1 + lines[first + 1..].iter().take_while(|line| is_inner(line)).count();
    let is_mark = |line: &&String| {
        let text = line.trim_start();
        !text.is_empty()
            && (indent(line) > base || indent(line) == base && (closes(line) || text.starts_with(['@', '#', '['])))
    };
    // A line that closes something above may belong to the definition before: only a mark at the top makes it one of this.
    let above = lines[..first].iter().rev().take_while(is_mark).count();
    let is_top = |at: &usize| indent(&lines[*at]) == base && lines[*at].trim_start().starts_with(['@', '#', '[']);
    let begin = (first - above..first).find(is_top).unwrap_or(first);
    begin..end
}

/// The words that begin a definition.
const DEFINING: [&str; 15] = [
    "class",
    "struct",
    "record",
    "interface",
    "object",
    "def",
    "defp",
    "fun",
    "fn",
    "func",
    "function",
    "const",
    "let",
    "var",
    "macro_rules",
];

/// The name that a line defines.
pub fn defined(line: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = line.split(move |c| !is_part(c)).filter(|word| !word.is_empty());
    words.by_ref().find(|word| DEFINING.contains(word))?;
    words.find(|word| *word != "self")
}

/// The lines that define one of these names.
pub fn defining<'a>(lines: &'a [String], names: &'a BTreeSet<&str>) -> impl Iterator<Item = usize> + 'a {
    let defines = |line: &String| defined(line).is_some_and(|name| names.contains(name));
    lines.iter().enumerate().filter(move |(_, line)| defines(line)).map(|(at, _)| at)
}

/// The lines of the definitions of these names.
pub fn definitions<'a>(lines: &'a [String], names: &'a BTreeSet<&str>) -> impl Iterator<Item = usize> + 'a {
    defining(lines, names).flat_map(|at| of(lines, at))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line ends what was begun above.
fn closes(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with([')', ']', '}', '{']) || text == "end" || text.starts_with("end)")
}

/// The lines of a file without comments. Strings of several lines that document are comments.
pub fn code_lines(text: &[u8], has_hash_comments: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let mut until: Option<&str> = None;
    // A value in such quotes that goes on is code.
    let mut value: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        if let Some(end) = value {
            value = (line.matches(end).count() % 2 == 0).then_some(end);
            lines.push(line.to_string());
            continue;
        }
        if let Some(end) = until {
            let Some((_, after)) = rest.split_once(end) else {
                lines.push(String::new());
                continue;
            };
            (rest, until) = (after, None);
        }
        let begin = rest.trim_start();
        let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| has_hash_comments && begin.starts_with(quotes));
        if let Some(quotes) = quotes {
            until = (!begin[quotes.len()..].contains(quotes)).then_some(quotes);
            lines.push(String::new());
            continue;
        }
        let code = without_line_comment(rest, has_hash_comments);
        let opens = |quotes: &&str| has_hash_comments && code.matches(quotes).count() % 2 == 1;
        value = ["\"\"\"", "'''"].into_iter().find(|quotes| until.is_none() && opens(quotes));
        let mut kept = String::new();
        while let Some(at) = first_sign(rest, "/*").filter(|_| !has_hash_comments) {
            kept.push_str(&rest[..at]);
            match rest[at + 2..].split_once("*/") {
                Some((_, after)) => rest = after,
                None => (rest, until) = ("", Some("*/")),
            }
        }
        kept.push_str(rest);
        lines.push(without_line_comment(&kept, has_hash_comments).to_string());
    }
    lines
}

/// A line up to its comment.
fn without_line_comment(line: &str, has_hash_comments: bool) -> &str {
    first_sign(line, if has_hash_comments { "#" } else { "//" }).map_or(line, |at| &line[..at])
}

/// Where the first sign is that begins the line or follows a blank: others stand in strings, as in `"src/*.js"`.
fn first_sign(line: &str, sign: &str) -> Option<usize> {
    let is_sign = |at: &usize| *at == 0 || line[..*at].ends_with(char::is_whitespace);
    line.match_indices(sign).map(|(at, _)| at).find(is_sign)
}

/// The identifiers and the names with hyphens in a line.
pub fn all_words(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let whole = line.split(move |c| !is_part(c)).map(|word| word.trim_matches('-'));
    let parts = line.split(move |c: char| !(is_part(c) && c != '-'));
    whole.filter(|word| word.contains('-')).chain(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, is_hash: bool) -> Vec<String> {
        code_lines(text.as_bytes(), is_hash).iter().map(|line| line.trim().to_string()).collect()
    }

    #[test]
    fn comments_hold_no_words() {
        let plain = code("a // b\n/* c\n * d\n */ e\nf('src/*.js') /* g */ h", false);
        assert_eq!(plain, ["a", "", "", "e", "f('src/*.js')  h"]);
        let hash = code("a # b\n\"\"\"c\nd\n\"\"\"\n'''e'''\nf('#g')", true);
        assert_eq!(hash, ["a", "", "", "", "", "f('#g')"]);
        let value = code("a = \"\"\"b\n# c\n\"\"\"\nd # e\n\"\"\"f\"\"\"", true);
        assert_eq!(value, ["a = \"\"\"b", "# c", "\"\"\"", "d", ""], "a value is code, and ends");
    }

    #[test]
    fn a_definition_ends_with_its_indentation() {
        let of = |text: &str, first| {
            let lines: Vec<String> = text.lines().map(str::to_string).collect();
            let range = of(&lines, first);
            (range.start, range.end)
        };
        assert_eq!(of("a()\n@mark(\n  1,\n)\ndef b(\n  c\n):\n  d\n\n  e\nf", 4), (1, 10));
        assert_eq!(of("  it('a', () => {\n    b\n  })\n  it('c')", 0), (0, 3));
        assert_eq!(of("  }\n  it('c')\n}", 1), (1, 2));
        assert_eq!(of("", 7), (0, 0));
    }
}
