//! Reads JSON, with comments and trailing commas or without, and the literals that a JavaScript or TypeScript file exports. What is no
//! literal becomes [`Value::Computed`].

mod cursor;

use super::value::{DEPTH, VALUES, Value};
use std::collections::HashMap;

/// How much deeper a parenthesis counts, because what is in it is read twice.
const PARENTHESIS: usize = 8;

/// Reads a JSON text; None if it is none.
pub fn json(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { is_json: true, ..Reader::new(text) };
    if reader.is_at_end() {
        return None;
    }
    let value = reader.expression(0)?;
    let is_whole = reader.is_at_end() && !value.is_computed();
    is_whole.then_some(value)
}

/// Reads what a script exports; None if it nests too deep. Without a literal the result is computed.
pub fn script(text: &str) -> Option<Value> {
    let mut reader = Reader::new(text);
    let mut exported = None;
    let mut parts: Vec<(String, Value)> = Vec::new();
    while !reader.is_at_end() {
        let start = reader.at;
        let word = reader.word();
        match word.as_str() {
            "" => reader.step(),
            "const" | "let" | "var" => {
                let name = {
                    reader.blanks();
                    reader.word()
                };
                if reader.find_assignment() {
                    reader.names.insert(name, reader.at);
                }
            }
            "default" => exported = Some(reader.expression(0)?),
            // `export = { ... }` of TypeScript.
            "export" => {
                reader.blanks();
                if reader.eat("=") {
                    exported = Some(reader.expression(0)?);
                }
            }
            "module.exports" | "exports.default" => {
                reader.blanks();
                if reader.rest().starts_with('=') && !reader.rest().starts_with("==") {
                    reader.at += 1;
                    exported = Some(reader.expression(0)?);
                }
            }
            // The file of Deno, Cypress and others calls a function with its settings.
            name if name.starts_with("module.exports.") => {
                reader.blanks();
                if reader.eat("=") {
                    parts.push((name["module.exports.".len()..].to_string(), reader.expression(0)?));
                }
            }
            _ => {}
        }
        if reader.at == start {
            reader.step();
        }
    }
    // Karma calls a function with its settings.
    if let Some(at) =
        text.find("config.set(").filter(|_| exported.as_ref().is_none_or(|value| value.entries().is_empty()))
    {
        reader.at = at + "config.set(".len();
        exported = Some(reader.expression(0)?);
    }
    match exported {
        Some(value) => Some(value),
        None if parts.is_empty() => Some(Value::Computed(squeeze(text))),
        None => Some(Value::Map(parts)),
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the values of names begin.
    names: HashMap<String, usize>,
    /// How many values may still be read.
    left: usize,
    /// Nothing but literals is allowed.
    is_json: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader { text, at: 0, names: HashMap::new(), left: VALUES, is_json: false }
    }

    /// An expression up to the sign that ends it. None if there is too much to read.
    fn expression(&mut self, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        self.blanks();
        let start = self.at;
        let value = self.primary(depth)?;
        let end = self.at;
        self.blanks();
        while ["as const", "satisfies ", "as ", "!"].iter().any(|word| self.rest().starts_with(word))
            && !self.rest().starts_with("!=")
        {
            self.eat("!");
            let end = self.rest().find([',', ';', '\n', '}', ')', ']']).unwrap_or(self.rest().len());
            self.at += if self.rest().starts_with(['a', 's']) { end } else { 0 };
            self.blanks();
        }
        let is_end = self.peek().is_none_or(|c| matches!(c, ',' | '}' | ']' | ')' | ';' | ':'));
        // A statement may end at the end of its line.
        let is_next = depth == 0 && self.text[end..self.at].contains('\n') && !self.rest().starts_with(['.', '(', '?']);
        match value {
            Some(value) if is_end || is_next => Some(value),
            _ if self.is_json => None,
            _ => {
                if !self.text[start..].starts_with('/') {
                    self.at = start;
                }
                self.skip();
                // A name that stands for much code costs as much as the code.
                self.left = self.left.checked_sub((self.at - start) / 64)?;
                Some(Value::Computed(squeeze(&self.text[start..self.at])))
            }
        }
    }

    /// A literal, a name, a call or a function. The inner value is None if it is none of these.
    fn primary(&mut self, depth: usize) -> Option<Option<Value>> {
        let Some(first) = self.peek() else { return Some(None) };
        Some(match first {
            '{' => Some(self.object(depth)?),
            '[' => {
                self.at += 1;
                Some(Value::List(self.list(']', depth)?))
            }
            '"' | '\'' | '`' => self.string(first).map(Value::Text),
            '(' if self.is_json => return None,
            '(' => return self.parenthesis(depth),
            '0'..='9' | '-' | '+' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
                let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
                let number = self.rest()[..end].replace('_', "").parse().ok().filter(|n: &f64| n.is_finite());
                self.at += end;
                number.map(Value::Number)
            }
            c if c.is_alphabetic() || matches!(c, '_' | '$') => return self.named(depth),
            '/' => {
                self.regular_expression();
                None
            }
            _ => None,
        })
    }

    fn named(&mut self, depth: usize) -> Option<Option<Value>> {
        let word = self.word();
        self.blanks();
        Some(match word.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" | "undefined" => Some(Value::Null),
            "require" | "function" | "new" | "import" | "await" | "process.env" => None,
            "async" => return self.primary(depth),
            _ if self.eat("(") => {
                let args = self.list(')', depth)?;
                let is_data = |value: &&Value| matches!(value, Value::Map(_) | Value::List(_));
                match args.iter().filter(is_data).count() {
                    0 => None,
                    1 if args.len() == 1 => args.into_iter().next(),
                    _ => Some(merged(args)),
                }
            }
            name => match self.names.get(name).copied() {
                Some(place) => {
                    let back = std::mem::replace(&mut self.at, place);
                    let value = self.expression(depth + 1)?;
                    self.at = back;
                    (!matches!(value, Value::Computed(_))).then_some(value)
                }
                None => None,
            },
        })
    }

    /// An expression in parentheses, or a function that returns a literal.
    fn parenthesis(&mut self, depth: usize) -> Option<Option<Value>> {
        let start = self.at;
        self.at += 1;
        self.skip_to_close();
        self.blanks();
        if self.eat("=>") {
            self.blanks();
            if !self.rest().starts_with('{') {
                return Some(Some(self.expression(depth + PARENTHESIS)?));
            }
            let body = self.at;
            self.at += 1;
            self.skip_to_close();
            let end = self.at;
            let Some(place) = self.text[body..end].rfind("return ") else { return Some(None) };
            self.at = body + place + "return ".len();
            let value = self.expression(depth + PARENTHESIS)?;
            self.at = end;
            return Some(Some(value));
        }
        self.at = start + 1;
        let value = self.expression(depth + PARENTHESIS)?;
        self.blanks();
        Some(self.eat(")").then_some(value))
    }

    /// The items up to a closing sign.
    fn list(&mut self, close: char, depth: usize) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek()? {
                c if c == close => {
                    self.at += 1;
                    return Some(items);
                }
                ',' => self.at += 1,
                '}' | ']' | ')' | ':' | ';' => return None,
                _ => {
                    let is_spread = self.eat("...");
                    match self.expression(depth + 1)? {
                        Value::List(more) if is_spread => items.extend(more),
                        item => items.push(item),
                    }
                }
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            let key = match self.peek()? {
                '}' => {
                    self.at += 1;
                    return Some(Value::map(entries));
                }
                ',' => {
                    self.at += 1;
                    continue;
                }
                ']' | ')' | ';' | ':' => return None,
                quote @ ('"' | '\'') => self.string(quote)?,
                '.' if self.eat("...") => {
                    match self.expression(depth + 1)? {
                        Value::Map(more) => entries.extend(more),
                        other => entries.push((format!("...{}", other.shown()), other)),
                    }
                    continue;
                }
                '[' => {
                    let from = self.at;
                    self.at += 1;
                    self.skip_to_close();
                    squeeze(&self.text[from..self.at])
                }
                _ => {
                    let start = self.at;
                    let word = self.word();
                    if word.is_empty() {
                        self.step();
                    }
                    if self.at == start {
                        return None;
                    }
                    word
                }
            };
            self.blanks();
            let value = if self.eat(":") {
                self.expression(depth + 1)?
            } else {
                // A method, or the short form of `name: name`.
                match self.names.get(&key).copied() {
                    Some(place) if self.rest().starts_with([',', '}']) => {
                        let back = std::mem::replace(&mut self.at, place);
                        let value = self.expression(depth + 1)?;
                        self.at = back;
                        value
                    }
                    _ => {
                        let from = self.at;
                        self.skip();
                        Value::Computed(squeeze(&self.text[from..self.at]))
                    }
                }
            };
            entries.push((key, value));
        }
    }
}

/// The arguments of a call as one value: maps in one map if all are maps with different keys, otherwise a list.
fn merged(args: Vec<Value>) -> Value {
    let are_lists = args.iter().any(|arg| arg.get("rules").is_some() || matches!(arg, Value::List(_)));
    if are_lists {
        let flat = args.into_iter().flat_map(|arg| if let Value::List(items) = arg { items } else { vec![arg] });
        return Value::List(flat.collect());
    }
    Value::Map(
        args.into_iter().flat_map(|arg| if let Value::Map(entries) = arg { entries } else { Vec::new() }).collect(),
    )
}
