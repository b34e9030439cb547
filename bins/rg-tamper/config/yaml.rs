//! Reads YAML into a [`Value`], with anchors, aliases and merge keys within a limit. Several documents are one map.

use super::value::{DEPTH, VALUES, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use std::collections::HashMap;

/// Reads a YAML text; None if it is none, or if its aliases repeat too much.
pub fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { parser: Parser::new_from_str(text), anchors: HashMap::new(), left: VALUES };
    let mut documents: Vec<Value> = Vec::new();
    loop {
        match reader.next()? {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => documents.push(reader.node(event, 0)?),
        }
    }
    if documents.len() < 2 {
        return Some(documents.pop().unwrap_or(Value::Null));
    }
    Some(Value::Map(documents.iter().flat_map(Value::entries).cloned().collect()))
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The anchored values, each with its size.
    anchors: HashMap<usize, (Value, usize)>,
    /// How many values may still be read or repeated.
    left: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Event<'a>> {
        match self.parser.next_event() {
            Some(event) => event.ok().map(|(event, _)| event),
            None => Some(Event::StreamEnd),
        }
    }

    fn node(&mut self, event: Event<'a>, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        let before = self.left;
        let (anchor, value) = match event {
            Event::Alias(id) => {
                let (value, size) = self.anchors.get(&id)?.clone();
                self.left = self.left.checked_sub(size)?;
                (0, value)
            }
            Event::Scalar(text, style, anchor, _) => {
                // A long text costs as much as many values, because aliases repeat it.
                self.left = self.left.checked_sub(text.len() / 64)?;
                let is_plain = style == ScalarStyle::Plain;
                (anchor, if is_plain { plain(&text) } else { Value::Text(text.into_owned()) })
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => items.push(self.node(event, depth + 1)?),
                    }
                }
                (anchor, Value::List(items))
            }
            Event::MappingStart(anchor, _) => (anchor, Value::map(self.map(depth)?)),
            _ => return None,
        };
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), before - self.left));
        }
        Some(value)
    }

    fn map(&mut self, depth: usize) -> Option<Vec<(String, Value)>> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        // Merged entries come first, because the map's own entries win.
        let mut merged: Vec<(String, Value)> = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, Event::MappingEnd) {
                merged.extend(entries);
                return Some(merged);
            }
            let key = match self.node(event, depth + 1)? {
                Value::Text(text) => text,
                other => other.text().unwrap_or_else(|| other.shown()),
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            match key == "<<" {
                true => merged.extend(value.items().iter().flat_map(Value::entries).cloned()),
                false => entries.push((key, value)),
            }
        }
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        _ => match text.parse::<f64>() {
            Ok(number) if number.is_finite() && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Value::Number(number)
            }
            _ => Value::Text(text.to_string()),
        },
    }
}
