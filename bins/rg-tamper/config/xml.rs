//! Reads XML (`pom.xml`, `phpunit.xml`, `.csproj`) into a [`Value`]: an element is a map of its attributes (`@name`) and its children, or a
//! text. No entity is expanded and nothing is fetched.

use super::value::{DEPTH, VALUES, Value};

/// An element that is not closed yet: its name, its attributes and children, its text.
type Element = (String, Vec<(String, Value)>, String);

/// Reads an XML text; None if its tags do not match.
pub fn read(text: &str) -> Option<Value> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut open: Vec<Element> = vec![Element::default()];
    let mut left = VALUES;
    while let Some(start) = rest.find('<') {
        if let Some((_, _, text)) = open.last_mut() {
            text.push_str(&plain(&rest[..start]));
        }
        rest = &rest[start..];
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("<!", ">")];
        if let Some(body) = rest.strip_prefix("<![CDATA[") {
            let end = body.find("]]>")?;
            open.last_mut()?.2.push_str(&body[..end]);
            rest = &body[end + 3..];
        } else if let Some((mark, end)) = skipped.iter().find(|(mark, _)| rest.starts_with(mark)) {
            let at = rest[mark.len()..].find(end)?;
            rest = &rest[mark.len() + at + end.len()..];
        } else if let Some(body) = rest.strip_prefix("</") {
            let end = body.find('>')?;
            let (name, entries, text) = open.pop()?;
            if name != body[..end].trim() {
                return None;
            }
            open.last_mut()?.1.push((name, element(entries, &text)));
            rest = &body[end + 1..];
        } else {
            left = left.checked_sub(1)?;
            let end = end_of_tag(&rest[1..])? + 1;
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            let is_empty = tag.ends_with('/');
            let tag = tag.trim_end_matches('/');
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            let entries = read_attributes(attributes);
            match is_empty {
                true => open.last_mut()?.1.push((name.to_string(), element(entries, ""))),
                false => open.push((name.to_string(), entries, String::new())),
            }
            if open.len() > DEPTH {
                return None;
            }
        }
    }
    let (_, entries, _) = open.pop()?;
    (open.is_empty() && !entries.is_empty()).then_some(Value::Map(entries))
}

fn element(mut entries: Vec<(String, Value)>, text: &str) -> Value {
    let text = text.trim();
    match entries.is_empty() {
        true => Value::Text(text.to_string()),
        false => {
            entries.extend((!text.is_empty()).then(|| ("#text".to_string(), Value::Text(text.to_string()))));
            Value::Map(entries)
        }
    }
}

/// Where a tag ends: at the first `>` outside of quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| match (quote, c) {
        (None, '>') => Some(at),
        (None, '"' | '\'') => {
            quote = Some(c);
            None
        }
        (Some(open), c) => {
            quote = quote.filter(|_| open != c);
            None
        }
        _ => None,
    })
}

fn read_attributes(mut text: &str) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    while let Some((name, rest)) = text.split_once('=') {
        let rest = rest.trim_start();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, rest)) = rest[1..].split_once(quote) else { break };
        entries.push((format!("@{}", name.trim()), Value::Text(plain(value))));
        text = rest;
    }
    entries
}

/// A text with the five entities that XML has by itself.
fn plain(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    signs.iter().fold(text.to_string(), |text, (name, sign)| text.replace(name, sign))
}
