//! JSON with comments, parsed into positions in its text, so that an edit keeps every other byte.

use serde_json::Value;

/// How deep values may nest.
const DEPTH: usize = 64;

/// A value and its position in the text.
#[derive(Debug)]
pub struct Node {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of a value.
#[derive(Debug)]
pub enum Kind {
    /// Members in their order, by their unescaped names.
    Object(Vec<(String, Node)>),
    /// Elements in their order.
    Array(Vec<Node>),
    /// A string, a number or a word.
    Scalar,
}

impl Node {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// How many members or elements there are.
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Object(members) => members.len(),
            Kind::Array(elements) => elements.len(),
            Kind::Scalar => 0,
        }
    }
}

/// A string's value.
pub fn string(text: &str, node: &Node) -> Option<String> {
    serde_json::from_str(&text[node.start..node.end]).ok()
}

/// Parses a text. The error names the line.
pub fn parse(text: &str) -> Result<Node, String> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0).and_then(|node| {
        reader.space()?;
        if reader.at == text.len() { Ok(node) } else { Err("text after the end") }
    });
    node.map_err(|why| format!("line {}: {why}", text[..reader.at.min(text.len())].matches('\n').count() + 1))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Read<()> {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").ok_or("unterminated comment")? + 2;
            } else if rest.starts_with([' ', '\t', '\r', '\n', '\u{feff}']) {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Read<Node> {
        self.space()?;
        let start = self.at;
        if depth > DEPTH {
            return Err("nested too deep");
        }
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.elements(depth)?),
            Some(b'"') => {
                self.skip_string()?;
                Kind::Scalar
            }
            Some(_) => {
                let rest = &self.text[start..];
                let length = rest.find([',', '}', ']', ' ', '\t', '\r', '\n', '/']).unwrap_or(rest.len());
                if serde_json::from_str::<Value>(&rest[..length]).is_err() {
                    return Err("not a JSON value");
                }
                self.at += length;
                Kind::Scalar
            }
            None => return Err("unexpected end"),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn members(&mut self, depth: usize) -> Read<Vec<(String, Node)>> {
        let mut members: Vec<(String, Node)> = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(members);
                }
                Some(b',') if !members.is_empty() => self.at += 1,
                Some(b'"') => {
                    let start = self.at;
                    self.skip_string()?;
                    let name: String =
                        serde_json::from_str(&self.text[start..self.at]).map_err(|_| "not a JSON string")?;
                    self.space()?;
                    if self.peek() != Some(b':') {
                        return Err("expected : after a name");
                    }
                    self.at += 1;
                    if members.iter().any(|(known, _)| *known == name) {
                        return Err("duplicate name");
                    }
                    members.push((name, self.value(depth + 1)?));
                }
                _ => return Err("expected a name or }"),
            }
        }
    }

    fn elements(&mut self, depth: usize) -> Read<Vec<Node>> {
        let mut elements = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(elements);
                }
                Some(b',') if !elements.is_empty() => self.at += 1,
                _ => elements.push(self.value(depth + 1)?),
            }
        }
    }

    fn skip_string(&mut self) -> Read<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\\') => self.at += 2,
                Some(b'"') => {
                    self.at += 1;
                    let whole = self.text.get(start..self.at).ok_or("not a JSON string")?;
                    return serde_json::from_str::<String>(whole).map(drop).map_err(|_| "not a JSON string");
                }
                Some(_) => self.at += 1,
                None => return Err("unterminated string"),
            }
        }
    }
}

/// One edit: replaces the bytes from `start` to `end` by `with`.
pub struct Edit {
    start: usize,
    end: usize,
    with: String,
}

impl Edit {
    /// The text after the edit.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.start], self.with, &text[self.end..])
    }

    /// Adds a member at the end of an object.
    pub fn member(text: &str, object: &Node, name: &str, value: &Value) -> Edit {
        let last = match &object.kind {
            Kind::Object(members) => members.last().map(|(_, node)| node),
            _ => None,
        };
        let name = serde_json::to_string(name).unwrap_or_default();
        insert(text, object, last, |indent| format!("{name}: {}", pretty(value, indent)))
    }

    /// Adds an element at the end of a list.
    pub fn element(text: &str, list: &Node, value: &Value) -> Edit {
        let last = match &list.kind {
            Kind::Array(elements) => elements.last(),
            _ => None,
        };
        insert(text, list, last, |indent| pretty(value, indent))
    }

    /// Removes a member from an object.
    pub fn remove_member(text: &str, object: &Node, name: &str) -> Edit {
        let Kind::Object(members) = &object.kind else { return Edit { start: 0, end: 0, with: String::new() } };
        let at = members.iter().position(|(known, _)| known == name).unwrap_or(0);
        let before = if at == 0 { object.start + 1 } else { members[at - 1].1.end };
        let alone = members.len() == 1;
        remove(text, before, members[at].1.end, at == 0, alone, object.end - 1)
    }

    /// Removes an element from a list.
    pub fn remove_element(text: &str, elements: &[Node], at: usize) -> Edit {
        let before =
            if at == 0 { text[..elements[0].start].rfind('[').map_or(0, |at| at + 1) } else { elements[at - 1].end };
        let closing = elements[elements.len() - 1].end;
        remove(text, before, elements[at].end, at == 0, elements.len() == 1, closing)
    }
}

/// Removes the text from the end of the previous value to the end of this one; for the first value, with the comma after it.
fn remove(text: &str, before: usize, end: usize, first: bool, alone: bool, closing: usize) -> Edit {
    let with = String::new();
    match (first, alone) {
        (_, true) => Edit { start: before, end: closing, with },
        (true, false) => {
            let comma = text[end..].find(',').map_or(end, |at| end + at + 1);
            Edit { start: before, end: comma, with }
        }
        (false, false) => Edit { start: before, end, with },
    }
}

/// Inserts a value after `last`, or as the only one, with the indentation of its neighbours.
fn insert(text: &str, inside: &Node, last: Option<&Node>, render: impl Fn(&str) -> String) -> Edit {
    let outer = indent_of(text, inside.start);
    match last {
        Some(last) => {
            let indent = match text[inside.start..last.start].contains('\n') {
                true => indent_of(text, last.start),
                false => format!("{outer}  "),
            };
            Edit { start: last.end, end: last.end, with: format!(",\n{indent}{}", render(&indent)) }
        }
        None => {
            let indent = format!("{outer}  ");
            let with = format!("\n{indent}{}\n{outer}", render(&indent));
            let interior = &text[inside.start + 1..inside.end - 1];
            // Keep a comment in an empty object.
            let start = if interior.trim().is_empty() { inside.start + 1 } else { inside.end - 1 };
            Edit { start, end: inside.end - 1, with }
        }
    }
}

/// The indentation of the line that contains `at`.
fn indent_of(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

fn pretty(value: &Value, indent: &str) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default().replace('\n', &format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_member_is_added_at_the_end_and_removed_again() {
        for text in [
            "{}",
            "{\n}\n",
            "{\"a\": 1}",
            "{\n    // why\n    \"a\": [1, 2],\n    \"b\": {}\n}\n",
            "{ \"a\": \"}\\\"\" , }",
        ] {
            let tree = parse(text).unwrap();
            let with = Edit::member(text, &tree, "hooks", &json!({"x": [1]})).apply(text);
            let tree = parse(&with).unwrap();
            assert_eq!(with[tree.get("hooks").unwrap().start..].chars().next(), Some('{'), "{with}");
            let again = Edit::remove_member(&with, &tree, "hooks").apply(&with);
            parse(&again).unwrap();
            assert!(!again.contains("hooks") && text.contains("why") == again.contains("why"), "{again}");
        }
    }

    #[test]
    fn an_error_names_its_line() {
        for (text, why) in [
            ("{\n\"a\" 1}", "line 2: expected : after a name"),
            ("{\"a\":1", "line 1: expected a name or }"),
            ("[", "line 1: unexpected end"),
            ("{} x", "line 1: text after the end"),
            ("{\"a\":1,\"a\":2}", "line 1: duplicate name"),
            ("{\"a\":nope}", "line 1: not a JSON value"),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_panic(text in "[\\[\\]{}\",:/*a1 \n\\\\é]{0,60}") {
            let _ = parse(&text);
        }
    }
}
