//! Which lines of a failure say most.

/// Words of lines that give the cause.
const CAUSES: [&str; 15] = [
    "expected",
    "expecting",
    "received:",
    "got:",
    "got ",
    "actual:",
    "left:",
    "right:",
    "error",
    "panicked",
    "exception",
    "assertion",
    " != ",
    " !== ",
    "want",
];

/// Beginnings of lines that give one of two values. They are of use only together.
const VALUES: [&str; 13] = [
    "left:",
    "right:",
    "Expected:",
    "Received:",
    "expected:",
    "Actual:",
    "actual:",
    "actual  :",
    "got:",
    "want:",
    "have:",
    "- Expected:",
    "+ Received:",
];

/// Beginnings of lines that explain a diff or repeat the call.
const LEGENDS: [&str; 10] = [
    "+ actual",
    "+ expected",
    "- expected",
    "+ received",
    "- snapshot",
    "--- expected",
    "+++ actual",
    "--- want",
    "+++ got",
    "expect(",
];

/// Whether a line explains the signs of a diff or repeats the call: `- Expected  - 1`.
pub fn is_legend(line: &str) -> bool {
    let text = line.trim_start();
    let text = text.get(..text.len().min(20)).unwrap_or("").to_ascii_lowercase();
    let is_count = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+- ".contains(c)).is_empty();
    let is_sign = |legend: &str| legend.starts_with(['+', '-']);
    LEGENDS.iter().any(|legend| match text.strip_prefix(legend) {
        Some(rest) if is_sign(legend) => is_count(rest) || rest.starts_with(" - ") || rest.starts_with(" + "),
        rest => rest.is_some(),
    })
}

/// Beginnings of lines that give the first of two values, and of the second.
const HALVES: [(&[&str], &[&str]); 2] = [
    (
        &["left:", "expected", "snapshot", "want", "-", "e -"],
        &["right:", "received", "actual", "got", "but was", "+", "e +"],
    ),
    (&["received", "actual", "got", "+", "e +"], &["expected", "want", "-", "e -"]),
];

/// Whether two lines give two values that differ, so that one without the other is of no use.
pub fn is_pair(first: &str, second: &str) -> bool {
    let begins = |line: &str, words: &[&str]| {
        let text = line.trim_start().get(..line.trim_start().len().min(12)).unwrap_or("").to_ascii_lowercase();
        words.iter().any(|word| text.starts_with(word)) && weight(line) > 2
    };
    HALVES.iter().any(|(left, right)| begins(first, left) && begins(second, right))
}

/// How much a line says.
pub fn weight(line: &str) -> u8 {
    let text = line.trim();
    let text_of_e = text.strip_prefix("E ").unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let is_label = text.contains('^') && text.contains(char::is_alphabetic);
    match () {
        _ if is_legend(text) => 0,
        _ if text.starts_with("E   ") => 1,
        _ if text.starts_with("Failure/Error:") => 2,
        _ if line.starts_with("> ") => 2,
        _ if text.starts_with(['>', '|']) && !is_label || super::places::of(text).as_deref() == Some(text) => 1,
        _ if VALUES.iter().any(|value| text.starts_with(value)) => 4,
        _ if text.starts_with("E + ") && text_of_e[1..].trim_start().starts_with("where ") => 2,
        _ if text.starts_with("E ") => 4,
        _ if is_label || text.starts_with(['+', '-']) && !text.starts_with("--") => 3,
        _ if text.starts_with("--> ") || text.starts_with("location:") => 3,
        _ if text.starts_with("at ") || text.starts_with("# ") || text.starts_with("File ") => 2,
        // What it announces stands below it.
        _ if text.ends_with(':') => 2,
        _ if CAUSES.iter().any(|cause| lower.contains(cause)) => 3,
        _ if super::frames::split_place(text).is_some() => 2,
        _ => 1,
    }
}
