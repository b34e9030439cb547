//! Reads INI files (`setup.cfg`, `.coveragerc`, `.npmrc`, `.properties`) into a [`Value`]: a map of sections. The keys before the first
//! section are at the top.

use super::value::Value;

/// Reads an INI text. A line without `=` or `:` is a key without a value.
pub fn read(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut top: Vec<(String, Value)> = Vec::new();
    let mut section: Option<(String, Vec<(String, Value)>)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            close(&mut top, section.take());
            section = Some((name.trim().to_string(), Vec::new()));
            continue;
        }
        let entries = section.as_mut().map_or(&mut top, |(_, entries)| entries);
        let is_indented = line.starts_with([' ', '\t']);
        if let Some((_, Value::Text(text))) = entries.last_mut().filter(|_| is_indented) {
            text.push('\n');
            text.push_str(trimmed);
            continue;
        }
        let (key, value) = trimmed.split_once(['=', ':']).unwrap_or((trimmed, ""));
        let value = value.split_once(" #").or_else(|| value.split_once(" ;")).map_or(value, |(value, _)| value);
        entries.push((key.trim().to_string(), Value::Text(value.trim().trim_matches('"').to_string())));
    }
    close(&mut top, section);
    Value::Map(top)
}

fn close(top: &mut Vec<(String, Value)>, section: Option<(String, Vec<(String, Value)>)>) {
    top.extend(section.map(|(name, entries)| (name, Value::Map(entries))));
}
