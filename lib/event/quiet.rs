//! The fast path: a stop that concerns no stage is passed on without being parsed.

use super::Event;
use super::section::STAGE_FIELDS;
use super::source::SOURCE_FIELDS;
use super::table::{loud_count, loud_names};

/// The fields that make a stop concern a stage.
const LOUD: [&[u8]; loud_count(SOURCE_FIELDS) + loud_count(STAGE_FIELDS)] = loud_names(SOURCE_FIELDS, STAGE_FIELDS);

impl Event {
    /// Whether a line is a stop, as these programs write it, that has none of the fields in `LOUD`, so it concerns no filter.
    /// The line is not parsed: quotation marks inside strings are escaped, so a quoted name is a field, at any depth.
    pub fn is_quiet_stop(line: &[u8]) -> bool {
        const KIND: &[u8] = b"\",\"kind\":\"stop\",";
        // v, id, at, client and kind come first and are short.
        let head = &line[..line.len().min(160)];
        let kind = find(head, KIND);
        let is_ours = kind.is_some_and(|at| line.starts_with(b"{\"v\":1,\"id\":\"") && !head[1..at].contains(&b'{'));
        is_ours && line.ends_with(b"}") && !line.split(|byte| *byte == b'"').any(|text| LOUD.contains(&text))
    }

    /// Whether a line, as these programs write it, is a manual event. The line is not parsed.
    pub fn is_manual(line: &[u8]) -> bool {
        find(&line[..line.len().min(160)], b"\",\"client\":\"text\",").is_some()
    }

    /// The line with one more program in `via`; None if that field does not have the form that these programs write.
    pub fn with_via(line: &[u8], via: &str) -> Option<Vec<u8>> {
        let start = find(line, b"\"via\":[\"")?;
        let end = start + line[start..].iter().position(|b| *b == b']')?;
        let mut out = Vec::with_capacity(line.len() + via.len() + 8);
        out.extend_from_slice(&line[..end]);
        out.extend_from_slice(format!(",\"{via}\"").as_bytes());
        out.extend_from_slice(&line[end..]);
        out.push(b'\n');
        Some(out)
    }
}

/// The first position of a text. Lines are short, so a search that needs preparation would cost more.
fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    line.windows(text.len()).position(|bytes| bytes == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Client, Kind, Source};
    use serde_json::{Value, json};

    fn quiet_stop() -> Vec<u8> {
        let mut source = Source::new(Client::Claude, Kind::Stop, "/".into());
        source.message = Some("he said \"required\": [\"via\":[\"x\"] and \\".into());
        source.scheduled = Some(Vec::new());
        let mut event = Event::new(source);
        event.pass_through("rg-event/1".into());
        line(&event)
    }

    fn line(event: &Event) -> Vec<u8> {
        let mut line = event.line().unwrap();
        line.pop();
        line
    }

    /// The fast path writes the same bytes as the slow one.
    #[test]
    fn a_quiet_stop_is_passed_on_as_if_it_were_parsed() {
        let line = quiet_stop();
        assert!(Event::is_quiet_stop(&line), "{}", String::from_utf8_lossy(&line));
        let short = Event::with_via(&line, "rg-check/1").unwrap();
        let mut read = Event::parse(&line).unwrap();
        read.pass_through("rg-check/1".into());
        assert_eq!(String::from_utf8(short), String::from_utf8(read.line().unwrap()));
    }

    #[test]
    fn only_a_stop_is_quiet() {
        let mut event = Event::parse(&quiet_stop()).unwrap();
        event.source_mut().kind = Kind::Prompt;
        assert!(!Event::is_quiet_stop(&line(&event)));
    }

    /// Each field of the table, added to a quiet stop at any depth: a loud one makes it loud, a quiet one does not.
    #[test]
    fn each_loud_field_makes_a_line_loud() {
        let quiet: Value = serde_json::from_slice(&quiet_stop()).unwrap();
        for field in SOURCE_FIELDS.iter().chain(STAGE_FIELDS) {
            let Value::Object(mut fields) = quiet.clone() else { panic!("no object") };
            fields.entry(field.name).or_insert(json!(true));
            let line = serde_json::to_vec(&fields).unwrap();
            assert_eq!(!Event::is_quiet_stop(&line), field.is_loud, "{}", field.name);
            let line = serde_json::to_vec(
                &json!({"v": 1, "id": "x", "client": "claude", "kind": "stop", "z": {field.name: 1}}),
            );
            assert_eq!(!Event::is_quiet_stop(&line.unwrap()), field.is_loud, "deeper: {}", field.name);
        }
    }
}
