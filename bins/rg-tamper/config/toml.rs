//! Reads TOML into a [`Value`], tolerantly: a redefined table is merged, a date is a text.

use super::value::{DEPTH, VALUES, Value};

/// Reads a TOML text; None if it is none.
pub fn read(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader { text: &text, at: 0, left: VALUES };
    let mut top = Vec::new();
    let mut table: Vec<String> = Vec::new();
    loop {
        reader.blanks(true);
        match reader.peek() {
            None => return Some(Value::Map(top)),
            Some('[') => {
                reader.at += 1;
                let is_list = reader.eat('[');
                table = reader.keys()?;
                let is_closed = reader.eat(']') && (!is_list || reader.eat(']'));
                if !is_closed || table.len() > DEPTH {
                    return None;
                }
                match is_list {
                    true => push(&mut top, &table)?,
                    false => drop(map_at(&mut top, &table)?),
                }
            }
            Some(_) => {
                let mut keys = reader.keys()?;
                let value = if reader.eat('=') { reader.value(0)? } else { return None };
                let last = keys.pop()?;
                let path: Vec<String> = table.iter().cloned().chain(keys).collect();
                map_at(&mut top, &path)?.push((last, value));
            }
        }
        reader.blanks(false);
        if reader.peek().is_some_and(|c| c != '\n') {
            return None;
        }
    }
}

/// The map below `path`, made if it is not there. Of a list of tables it is the last one.
fn map_at<'a>(top: &'a mut Vec<(String, Value)>, path: &[String]) -> Option<&'a mut Vec<(String, Value)>> {
    let mut map = top;
    for key in path.iter().take(DEPTH) {
        let at = map.iter().rposition(|(name, _)| name == key).unwrap_or_else(|| {
            map.push((key.clone(), Value::Map(Vec::new())));
            map.len() - 1
        });
        map = match &mut map.get_mut(at)?.1 {
            Value::Map(entries) => entries,
            Value::List(items) => match items.last_mut()? {
                Value::Map(entries) => entries,
                _ => return None,
            },
            _ => return None,
        };
    }
    Some(map)
}

/// Adds a table to the list of tables at `path`.
fn push(top: &mut Vec<(String, Value)>, path: &[String]) -> Option<()> {
    let (last, parents) = path.split_last()?;
    let map = map_at(top, parents)?;
    match map.iter_mut().rev().find(|(name, _)| name == last) {
        Some((_, Value::List(items))) => items.push(Value::Map(Vec::new())),
        Some(_) => return None,
        None => map.push((last.clone(), Value::List(vec![Value::Map(Vec::new())]))),
    }
    Some(())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How many values may still be read.
    left: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips blanks and comments, and with `lines` the ends of lines.
    fn blanks(&mut self, lines: bool) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\n') if lines => self.at += 1,
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn eat(&mut self, sign: char) -> bool {
        self.blanks(false);
        let found = self.peek() == Some(sign);
        self.at += usize::from(found);
        found
    }

    /// A key with its dots.
    fn keys(&mut self) -> Option<Vec<String>> {
        let mut keys = Vec::new();
        loop {
            self.blanks(false);
            keys.push(match self.peek()? {
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => {
                    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                    let end = self.rest().find(|c| !is_part(c))?;
                    let word = self.rest()[..end].to_string();
                    self.at += end;
                    (!word.is_empty()).then_some(word)?
                }
            });
            if !self.eat('.') {
                return Some(keys);
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        let three = quote.to_string().repeat(3);
        if self.rest().starts_with(&three) {
            self.at += 3;
            let end = self.rest().find(&three)?;
            let text = self.rest()[..end].trim_start_matches('\n').to_string();
            self.at += end + 3;
            while self.peek() == Some(quote) {
                self.at += 1;
            }
            return Some(text);
        }
        self.at += 1;
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => return None,
                c if c == quote => {
                    self.at += at + 1;
                    return Some(out);
                }
                '\\' if quote == '"' => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    c @ ('"' | '\\') => out.push(c),
                    c => out.extend(['\\', c]),
                },
                c => out.push(c),
            }
        }
        None
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        self.blanks(false);
        Some(match self.peek()? {
            quote @ ('"' | '\'') => Value::Text(self.string(quote)?),
            '[' => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.blanks(true);
                    match self.peek()? {
                        ']' => break,
                        ',' => self.at += 1,
                        _ => items.push(self.value(depth + 1)?),
                    }
                }
                self.at += 1;
                Value::List(items)
            }
            '{' => {
                self.at += 1;
                let mut entries = Vec::new();
                loop {
                    self.blanks(true);
                    match self.peek()? {
                        '}' => break,
                        ',' => self.at += 1,
                        _ => {
                            let mut keys = self.keys()?;
                            let value = if self.eat('=') { self.value(depth + 1)? } else { return None };
                            let last = keys.pop()?;
                            map_at(&mut entries, &keys)?.push((last, value));
                        }
                    }
                }
                self.at += 1;
                Value::Map(entries)
            }
            _ => {
                let end = self.rest().find([',', ']', '}', '\n', '#']).unwrap_or(self.rest().len());
                let word = self.rest()[..end].trim();
                self.at += end;
                match word {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "" => return None,
                    _ => match word.replace('_', "").parse::<f64>() {
                        Ok(number) if number.is_finite() => Value::Number(number),
                        _ => Value::Text(word.to_string()),
                    },
                }
            }
        })
    }
}
