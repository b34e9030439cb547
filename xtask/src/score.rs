//! What the measures of rg-tamper share: the programs, the findings of an event line, rows of files.

use crate::place::Set;
use crate::{Failure, plugin};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A finding of rg-tamper.
#[derive(Clone, Debug)]
pub struct Finding {
    pub level: String,
    pub rule: String,
    pub path: String,
    pub line: Option<u64>,
    pub text: String,
}

impl Finding {
    /// Whether the verdict is `tampered`: the stop is bounced.
    pub fn sends_back(&self) -> bool {
        matches!(self.level.as_str(), "tampered" | "error")
    }

    /// Whether it is a warning or more. Notes, and files that could not be judged, are not.
    pub fn counts(&self) -> bool {
        self.sends_back() || self.level == "warning"
    }

    /// Whether a file could not be judged.
    pub fn is_inconclusive(&self) -> bool {
        self.level == "inconclusive"
    }
}

/// The findings of an event line; an error if rg-tamper gave no verdict.
pub fn findings(line: &str) -> Result<Vec<Finding>, Failure> {
    let event: Value = serde_json::from_str(line.trim()).map_err(|_| "rg-tamper printed no event line")?;
    let verdicts = event["verdicts"].as_array().map(Vec::as_slice).unwrap_or_default();
    if verdicts.iter().all(|verdict| verdict["by"] != "rg-tamper") {
        return Err("rg-tamper gave no verdict".into());
    }
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("").to_string();
    let rows = event["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = rows.iter().filter(|row| row["by"] == "rg-tamper").map(|row| Finding {
        level: text(row, "level"),
        rule: text(row, "rule"),
        path: text(row, "path"),
        line: row["line"].as_u64(),
        text: text(row, "text"),
    });
    Ok(found.collect())
}

/// The programs in a directory, or the debug build of this checkout.
pub fn programs(bin: Option<PathBuf>) -> Result<Set, Failure> {
    let bin = bin.map_or_else(plugin::build, Ok)?;
    let bin = fs::canonicalize(&bin).map_err(|error| format!("{}: {error}", bin.display()))?;
    Ok(Set { bin, tree: plugin::checkout() })
}

/// The JSON objects of a file, one a line.
pub fn rows(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let row = |(at, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", file.display(), at + 1).into())
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(row).collect()
}

/// A share in percent; 0 of nothing.
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_line_without_a_verdict_of_rg_tamper_is_an_error() {
        assert!(findings("").is_err());
        assert!(findings(r#"{"v":1,"findings":[]}"#).is_err());
        assert!(findings(r#"{"verdicts":[{"by":"rg-check","verdict":"pass"}]}"#).is_err());
        assert!(findings(r#"{"verdicts":[{"by":"rg-tamper","verdict":"not-required"}]}"#).unwrap().is_empty());
    }

    #[test]
    fn only_findings_of_rg_tamper_count_and_a_note_is_no_accusation() {
        let line = r#"{"verdicts":[{"by":"rg-tamper"}],"findings":[
            {"by":"rg-check","level":"error"},
            {"by":"rg-tamper","level":"note","rule":"head-moved"},
            {"by":"rg-tamper","level":"tampered","rule":"no_new_skips","path":"a.test.js","line":3}]}"#;
        let found = findings(line).unwrap();
        let seen: Vec<_> = found.iter().map(|finding| (finding.counts(), finding.sends_back(), finding.line)).collect();
        assert_eq!(seen, [(false, false, None), (true, true, Some(3))]);
    }
}
