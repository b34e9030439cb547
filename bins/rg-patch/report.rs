//! What is printed: a record for each changed file, or for each refused one.

use crate::plan::{Record, Refusal};
use review_gate::sys::text::one_line;
use serde_json::{Value, json};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How many refused files are printed as text.
const MOST: usize = 100;

/// The widest expected line that its neighbour stands beside, in characters.
const BESIDE: usize = 44;

/// The records of the changed files.
pub fn changes(records: &[Record], is_check: bool, is_json: bool) -> String {
    let line = |record: &Record| match is_json {
        true => format!("{}\n", object(record, is_check)),
        false => format!("{}{}\n", if is_check { "would be " } else { "" }, words(record)),
    };
    records.iter().map(line).collect()
}

fn shown(path: &Path) -> String {
    quoted(path.as_os_str().as_bytes())
}

/// A name for people: with git's quotation if it has a control character or is not UTF-8.
pub fn quoted(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if one_line(text) == text && !text.starts_with('"') && !text.is_empty() => text.to_string(),
        _ => {
            let escaped = name.iter().map(|byte| match byte {
                b'"' | b'\\' => format!("\\{}", *byte as char),
                b' '..=b'~' => (*byte as char).to_string(),
                byte => format!("\\{byte:03o}"),
            });
            format!("\"{}\"", escaped.collect::<String>())
        }
    }
}

fn words(record: &Record) -> String {
    let mut out = match (&record.from, record.change) {
        (Some(from), change) => format!("{change} {} to {}", shown(from), shown(&record.path)),
        (None, change) => format!("{change} {}", shown(&record.path)),
    };
    let (added, removed) = record.lines;
    if added > 0 || removed > 0 {
        out.push_str(&format!(" (+{added} -{removed})"));
    }
    if let Some(mode) = record.mode {
        out.push_str(&format!(", mode {mode}"));
    }
    out
}

fn object(record: &Record, is_check: bool) -> Value {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut object = json!({
        "path": text(&record.path),
        "change": record.change,
        "applied": !is_check,
        "added": record.lines.0,
        "removed": record.lines.1,
    });
    let optional = [
        ("from", record.from.as_deref().map(text)),
        ("mode", record.mode.map(str::to_string)),
        ("sha256", record.sha256.clone()),
    ];
    for (key, value) in optional {
        if let Some(value) = value {
            object[key] = value.into();
        }
    }
    object
}

/// The refused files, each with the reason, and the hunk that does not fit.
pub fn refusals(refusals: &[Refusal], is_json: bool) -> String {
    let mut out = String::new();
    let most = if is_json { refusals.len() } else { MOST };
    for refusal in refusals.iter().take(most) {
        if is_json {
            let mut object = json!({
                "path": String::from_utf8_lossy(&refusal.name),
                "change": "refused",
                "applied": false,
                "line": refusal.line,
                "why": refusal.why,
            });
            if let Some(misfit) = &refusal.misfit {
                object["hunk"] = json!(misfit);
            }
            out.push_str(&format!("{object}\n"));
            continue;
        }
        out.push_str(&format!("refused {}: {}\n", quoted(&refusal.name), one_line(&refusal.why)));
        let Some(misfit) = refusal.misfit.as_ref().filter(|misfit| !misfit.rows.is_empty()) else { continue };
        out.push_str(&format!("    {}\n", misfit.header));
        let fits = misfit.rows.iter().all(|row| row.expected.chars().count() <= BESIDE);
        let width =
            misfit.rows.iter().map(|row| row.expected.chars().count()).max().unwrap_or(0).max("the patch".len());
        if fits {
            out.push_str(&format!("    line      {:<width$} | the file\n", "the patch"));
        }
        for row in &misfit.rows {
            let mark = if row.found.as_ref() == Some(&row.expected) { ' ' } else { '!' };
            let found = row.found.as_deref().unwrap_or("(the file has ended)");
            let line = match fits {
                true => format!("    {:>6} {mark}  {:<width$} | {found}", row.line, row.expected),
                false if mark == ' ' => format!("    {:>6}             {found}", row.line),
                false => {
                    format!("    {:>6} ! patch:    {}\n    {:>6} ! file:     {found}", row.line, row.expected, row.line)
                }
            };
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    if refusals.len() > MOST && !is_json {
        out.push_str(&format!("and {} more\n", refusals.len() - MOST));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_if_it_could_mislead() {
        assert_eq!(quoted(b"src/a b.rs"), "src/a b.rs");
        assert_eq!(quoted("caf\u{e9}".as_bytes()), "caf\u{e9}");
        assert_eq!(quoted(b"a\nrefused b"), "\"a\\012refused b\"");
        assert_eq!(quoted(b"\xff"), "\"\\377\"");
        assert_eq!(quoted(b""), "\"\"");
    }
}
