//! Reads the YAML of DONE.md into a tree of values with line numbers. The scanner is saphyr's. Unquoted words have donegate's types, and
//! lines that donegate accepts and YAML refuses are quoted and scanned again.

use super::syntax::explain;
use crate::sys::error::{Error, Result};
use crate::sys::limits::YAML_MENDED;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::collections::HashSet;

/// How deep collections may nest.
const DEPTH: usize = 32;

/// How many lines may be mended before the file is refused.
const MENDS: usize = 1000;

const NO_TAGS: &str = "anchors and tags are not supported: quote the text";

/// A value with its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line, from 1, in the file that the text was taken from.
    pub line: usize,
    /// The value.
    pub value: Value,
}

/// A value. Unquoted words are typed as donegate does: `yes`, `on` and `0x1` are texts.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `null` or `~`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a decimal.
    Number(f64),
    /// Everything else.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in its order.
    Map(Vec<(String, Node)>),
}

impl Value {
    /// The name of its type, for error messages.
    pub fn name(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

/// Reads `text`, whose first line is line `first` of `file`. Errors name the file and the line.
pub fn read(file: &str, text: &str, first: usize) -> Result<Node> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    // The scanner starts again after each mended line, so fewer lines are mended in a longer text.
    for _ in 0..MENDS.min(YAML_MENDED / text.len().max(1)).max(1) {
        match (Reader { file, first, parser: Parser::new_from_str(&lines.join("\n")) }).document() {
            Ok(node) => return Ok(node),
            Err(Problem::Ours(error)) => return Err(error),
            Err(Problem::Scan { line, words }) => {
                // The scanner reports an error on its line or on the next one.
                let suspects = [line.saturating_sub(1), line.saturating_sub(2)];
                let mended = suspects.into_iter().find_map(|at| Some((at, mend(lines.get(at)?)?)));
                match mended {
                    Some((at, better)) => lines[at] = better,
                    None if words == NO_TAGS => return Err(wrong(file, line + first - 1, &words)),
                    None => {
                        let (line, words) = explain(&text.lines().collect::<Vec<_>>(), line, &words);
                        return Err(wrong(file, line + first - 1, &words));
                    }
                }
            }
        }
    }
    Err(wrong(file, first, "too many lines that are not YAML"))
}

/// An error that names a file and a line.
pub fn wrong(file: &str, line: usize, words: &str) -> Error {
    Error::definition(file, Some(line), words)
}

/// Quotes the value of a line for YAML if donegate accepts it and YAML refuses it: `: ` inside, a leading `!`, `&`, `@`, `*` or
/// backtick, or an unknown escape. None if the line cannot be mended.
fn mend(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let (lead, body) = line.split_at(indent);
    let colon = body.find(": ").filter(|at| is_key(&body[..*at]));
    let (key, value) = match colon {
        Some(at) => (&body[..at + 2], body[at + 2..].trim()),
        None if lead.ends_with("- ") => ("", body.trim()),
        None => return None,
    };
    let quoted = quoted(value)?;
    (quoted != value).then(|| format!("{lead}{key}{quoted}"))
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./-".contains(&b))
}

/// A value in quotes, or a one-line list of them; None if it is not a single value.
fn quoted(value: &str) -> Option<String> {
    if let Some(items) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items: Option<Vec<String>> =
            items.split(',').map(str::trim).filter(|item| !item.is_empty()).map(quoted_item).collect();
        return Some(format!("[{}]", items?.join(", ")));
    }
    let text = match value.strip_prefix('"') {
        Some(_) => unescape(value)?,
        None if value.starts_with(['\'', '|', '>', '[', '{', '#']) || value.is_empty() => return None,
        None => match value.find(" #") {
            Some(at) => value[..at].trim_end().to_string(),
            None => value.to_string(),
        },
    };
    serde_json::to_string(&text).ok()
}

/// An item of a one-line list, quoted unless YAML reads it alike.
fn quoted_item(item: &str) -> Option<String> {
    let is_quoted = item.len() > 1 && ['"', '\''].iter().any(|q| item.starts_with(*q) && item.ends_with(*q));
    if is_quoted || !matches!(plain(item), Value::Text(_)) { Some(item.to_string()) } else { quoted(item) }
}

/// A double-quoted scalar by donegate's rule: `\n \t \r \0` are escapes, and any other escaped character means itself.
fn unescape(value: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = value.chars().skip(1);
    loop {
        match chars.next()? {
            '"' => {
                let rest: String = chars.collect();
                let rest = rest.trim();
                return (rest.is_empty() || rest.starts_with('#')).then_some(out);
            }
            '\\' => out.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                c => c,
            }),
            c => out.push(c),
        }
    }
}

enum Problem {
    Ours(Error),
    Scan { line: usize, words: String },
}

struct Reader<'a> {
    file: &'a str,
    first: usize,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> std::result::Result<(Event<'a>, Span), Problem> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(e)) => Err(Problem::Scan { line: e.marker().line(), words: e.info().to_string() }),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn ours<T>(&self, line: usize, words: &str) -> std::result::Result<T, Problem> {
        Err(Problem::Ours(wrong(self.file, line, words)))
    }

    fn document(mut self) -> std::result::Result<Node, Problem> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
                (Event::StreamEnd, _) => return Ok(Node { line: self.first, value: Value::Null }),
                (event, span) => {
                    let node = self.node(event, span, 0)?;
                    return match self.next()? {
                        (Event::DocumentEnd | Event::StreamEnd, _) => self.end(node),
                        (_, span) => {
                            self.ours(self.first + span.start.line() - 1, "unexpected content after the document")
                        }
                    };
                }
            }
        }
    }

    fn end(mut self, node: Node) -> std::result::Result<Node, Problem> {
        match self.next()? {
            (Event::StreamEnd, _) => Ok(node),
            (_, span) => self.ours(self.first + span.start.line() - 1, "more than one YAML document"),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> std::result::Result<Node, Problem> {
        let line = self.first + span.start.line().max(1) - 1;
        if depth > DEPTH {
            return self.ours(line, "nested too deep");
        }
        let value = match event {
            // donegate reads such a text literally, so it is quoted and scanned again.
            Event::Scalar(_, _, anchor, ref tag) if anchor > 0 || tag.is_some() => {
                return Err(Problem::Scan { line: span.start.line().max(1), words: NO_TAGS.to_string() });
            }
            Event::SequenceStart(anchor, ref tag) | Event::MappingStart(anchor, ref tag)
                if anchor > 0 || tag.is_some() =>
            {
                return self.ours(line, "anchors and tags are not supported");
            }
            Event::Alias(_) => return self.ours(line, "aliases are not supported: quote the text"),
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Value::Text(text.into_owned()),
            Event::SequenceStart(..) => Value::List(self.list(depth)?),
            Event::MappingStart(..) => Value::Map(self.map(depth)?),
            _ => return self.ours(line, "unexpected end"),
        };
        Ok(Node { line, value })
    }

    fn list(&mut self, depth: usize) -> std::result::Result<Vec<Node>, Problem> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> std::result::Result<Vec<(String, Node)>, Problem> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut known = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            let line = self.first + span.start.line().max(1) - 1;
            let key = match event {
                Event::MappingEnd => return Ok(entries),
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return self.ours(line, "a key must be a word"),
            };
            if !known.insert(key.clone()) {
                return self.ours(line, &format!("duplicate key {key:?}"));
            }
            let (event, span) = self.next()?;
            let mut node = self.node(event, span, depth + 1)?;
            // An error about a value names the line of its key.
            node.line = line;
            entries.push((key, node));
        }
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if is_decimal(text) => text.parse().map_or_else(|_| Value::Text(text.to_string()), Value::Number),
        _ => Value::Text(text.to_string()),
    }
}

/// `-?[0-9]+(\.[0-9]+)?`: no exponents, no hexadecimal.
fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Value {
        Value::Text(of.into())
    }

    fn get(node: &Node, key: &str) -> Value {
        let Value::Map(entries) = &node.value else { panic!("not a map: {node:?}") };
        entries.iter().find(|(name, _)| name == key).unwrap().1.value.clone()
    }

    #[test]
    fn plain_words_have_donegates_types() {
        let node = read("f", "a: yes\nb: 0x1\nc: 1.5\nd: ~\ne: true\nf: 1e3\ng: -2\nh:", 1).unwrap();
        let want = [
            text("yes"),
            text("0x1"),
            Value::Number(1.5),
            Value::Null,
            Value::Bool(true),
            text("1e3"),
            Value::Number(-2.0),
            Value::Null,
        ];
        for (key, want) in ["a", "b", "c", "d", "e", "f", "g", "h"].iter().zip(want) {
            assert_eq!(get(&node, key), want, "{key}");
        }
    }

    #[test]
    fn lines_that_donegate_reads_are_read() {
        let node =
            read("f", "a: grep -q \"status: ok\" x\nb: @x\nc: *.sh # all\nd: \"grep \\. x\"\ne: 'it''s'\nf: `date`", 1)
                .unwrap();
        assert_eq!(get(&node, "a"), text("grep -q \"status: ok\" x"));
        assert_eq!(get(&node, "b"), text("@x"));
        assert_eq!(get(&node, "c"), text("*.sh"));
        assert_eq!(get(&node, "d"), text("grep . x"));
        assert_eq!(get(&node, "e"), text("it's"));
        assert_eq!(get(&node, "f"), text("`date`"));
        let node =
            read("f", "a: ! grep -q x y\nb: &x true\nc: [**/*.test.*, 'q', *.lock, 3]\nd:\n  - **/gen/**\n  - @x/y", 1)
                .unwrap();
        assert_eq!(get(&node, "a"), text("! grep -q x y"));
        assert_eq!(get(&node, "b"), text("&x true"));
        let items = |key: &str| match get(&node, key) {
            Value::List(items) => items.into_iter().map(|item| item.value).collect(),
            other => vec![other],
        };
        assert_eq!(items("c"), [text("**/*.test.*"), text("q"), text("*.lock"), Value::Number(3.0)]);
        assert_eq!(items("d"), [text("**/gen/**"), text("@x/y")]);
    }

    #[test]
    fn errors_name_the_line_in_the_file() {
        for (yaml, want) in [
            ("a: 1\na: 2", "f:11: duplicate key \"a\""),
            ("a: &x\n  - 1", "f:10: anchors and tags are not supported"),
            ("a: 1\n---\nb: 2", "f:11: "),
            ("a: [1", "f:"),
            ("a:\n\tb: 1", "f:11: "),
        ] {
            let error = read("f", yaml, 10).unwrap_err().to_string();
            assert!(error.starts_with(want), "{yaml:?}: {error}");
        }
    }

    #[test]
    fn a_mebibyte_of_any_text_is_read_or_refused_in_time() {
        let keys: String = (0..100_000).map(|n| format!("k{n}: 1\n")).collect();
        let deep: String = (0..1_400).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        let units = [
            "[",
            "{",
            "]",
            "[[]",
            "[a, ",
            "{a: ",
            "- ",
            "? ",
            ": ",
            "a: ",
            "a: b: c\n",
            "a: @x\n",
            "- @x\n",
            "a: &b c\n",
            "&a ",
            "*a ",
            "!a ",
            "&a [",
            "\"",
            "'",
            "\"\\",
            "|\n",
            ">\n",
            "a: |\n",
            "#",
            "# a\n",
            "\n",
            " ",
            "\t",
            "a",
            "a ",
            "a\n",
            "a: \"\\.\"\n",
            "---\n",
            "...\n",
            "%a\n",
            "<<: *a\n",
            "a: [b: @c]\n",
            "a: [b, *c]\n",
            "\u{feff}",
            "\u{e9}",
            "a: 'b\n",
            "a: \"b\n",
        ];
        let texts = units.map(|unit| unit.repeat((1 << 20) / unit.len()));
        for text in texts.into_iter().chain([keys, deep]) {
            let began = crate::sys::procfs::processor_time();
            let _ = read("f", &text, 1);
            let begin: String = text.chars().take(12).collect();
            let took = crate::sys::procfs::processor_time().saturating_sub(began);
            assert!(took.as_secs() < 20, "{begin:?}: {took:?}");
        }
    }

    #[test]
    fn fewer_lines_are_mended_in_a_long_file() {
        let line = "a: @x\n";
        let some = |count: usize| -> String { (0..count).map(|n| format!("k{n}{line}")).collect() };
        assert!(read("f", &some(900), 1).is_ok());
        let long = some(50) + &"# a\n".repeat(1 << 18);
        assert_eq!(read("f", &long, 1).unwrap_err().to_string(), "f:1: too many lines that are not YAML");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "[a-z:\\-\\[\\]{}\"'#&*!|> \n\t@`\\\\]{0,80}") {
            let _ = read("f", &text, 1);
        }
    }
}
