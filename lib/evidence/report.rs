//! Reads a report file: XML, one JSON document, or lines as a runner prints them.

use super::{Evidence, OutputReader, document, xml};

/// What a report file says. Errors: why it cannot be used.
pub fn read_report(bytes: &[u8]) -> Result<Evidence, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?;
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let of = |found| Evidence::of(vec![found]).ok_or_else(|| "it is empty".to_string());
    if begin.is_empty() {
        return Err("it is empty".into());
    }
    if begin.starts_with('<') {
        return xml::read(text).and_then(of);
    }
    // One document ends with the file; lines of go are several values.
    if begin.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(begin)
    {
        return document::read(&value).and_then(of);
    }
    let mut lines = OutputReader::default();
    lines.take(bytes);
    lines.finish(Vec::new).ok_or_else(|| match begin.starts_with(['{', '[']) {
        true => "it is incomplete JSON".to_string(),
        false => "it is in no format that is known".to_string(),
    })
}
