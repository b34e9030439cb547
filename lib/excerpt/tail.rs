//! The last lines of an output of which no failure was recognised, and lines from above that name the cause.

use super::frames::is_of_runtime;
use crate::sys::text::{cut_end, last_lines};

/// At most `count` lines: the marked ones that are not among the last lines, then the last lines.
pub fn with_marked(marked: &[String], text: &str, count: usize, width: usize) -> Vec<String> {
    let most = marked.len().min(count * 2 / 3);
    let mut room = 0;
    loop {
        let last = last(text, count - room, width);
        let mut shown: Vec<String> =
            marked.iter().map(|line| cut_end(line, width)).filter(|line| !holds(&last, line)).collect();
        if shown.len() <= room || room == most {
            shown.truncate(room);
            shown.extend(last);
            return shown;
        }
        // A shorter end may no longer hold a marked line, so it is compared again.
        room += 1;
    }
}

/// Whether one of the lines is this one, perhaps behind the name of a program.
pub fn holds(lines: &[String], line: &str) -> bool {
    lines.iter().any(|end| end.ends_with(line))
}

/// The last lines, without frames of runtimes unless there is nothing else.
pub fn last(text: &str, count: usize, width: usize) -> Vec<String> {
    let is_shown = |line: &&str| {
        let text = line.trim_start();
        let is_frame = (text.starts_with("at ") || text.starts_with("File \"")) && is_of_runtime(line)
            || text.starts_with("at async Promise.all ");
        !text.is_empty() && !is_frame
    };
    let mut lines: Vec<&str> = text.lines().rev().filter(is_shown).take(count).collect();
    if lines.is_empty() {
        return last_lines(text, count, width);
    }
    lines.reverse();
    lines.into_iter().map(|line| cut_end(line.trim_end(), width)).collect()
}
