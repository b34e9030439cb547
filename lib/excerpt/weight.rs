//! Which lines of a failure say most.

/// Words of lines that give the cause.
const CAUSES: [&str; 13] = [
    "expected",
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
    "want",
];

/// Beginnings of lines that give one of two values. They are of use only together.
const VALUES: [&str; 10] = [
    "left:",
    "right:",
    "Expected:",
    "Received:",
    "expected:",
    "Actual:",
    "actual:",
    "got:",
    "- Expected:",
    "+ Received:",
];

/// Beginnings of lines that explain a diff or repeat the call.
const LEGENDS: [&str; 8] =
    ["+ actual", "+ expected", "- Expected", "+ Received", "--- Expected", "+++ Actual", "expect(", "note: "];

/// Keeps the headline and the heaviest other lines, in their order.
pub fn keep_heaviest(lines: &mut Vec<String>, count: usize) {
    if lines.len() <= count {
        return;
    }
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| (*at > 0, std::cmp::Reverse(weight(&lines[*at])), *at));
    order.truncate(count);
    let mut at = 0;
    lines.retain(|_| {
        at += 1;
        order.contains(&(at - 1))
    });
}

fn weight(line: &str) -> u8 {
    let text = line.trim();
    let lower = text.to_ascii_lowercase();
    let is_label = text.contains('^') && text.contains(char::is_alphabetic);
    match () {
        _ if LEGENDS.iter().any(|legend| text.starts_with(legend)) => 0,
        _ if text.starts_with(['>', '|']) && !is_label => 1,
        _ if VALUES.iter().any(|value| text.starts_with(value)) => 4,
        _ if text.starts_with("E ") && !text.starts_with("E +") && !text.starts_with("E -") => 4,
        _ if is_label || text.starts_with(['+', '-']) && !text.starts_with("--") => 3,
        _ if text.starts_with("--> ") || text.starts_with("location:") => 3,
        _ if text.starts_with("at ") || text.starts_with("# ") || text.starts_with("File ") => 2,
        _ if CAUSES.iter().any(|cause| lower.contains(cause)) => 3,
        _ if super::frames::split_place(text).is_some() => 2,
        _ => 1,
    }
}
