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
    let mut lines: Vec<&str> = Vec::new();
    // Python shows the code below a frame.
    let mut depth = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let inner = line.trim_start();
        if depth.is_some_and(|depth| line.len() - inner.len() > depth) {
            continue;
        }
        let is_python = inner.starts_with("File \"") && is_of_runtime(line);
        depth = is_python.then(|| line.len() - inner.len());
        let is_frame = inner.starts_with("at ") && (is_of_runtime(line) || inner.starts_with("at async Promise.all "));
        if !is_python && !is_frame {
            lines.push(line);
        }
    }
    match lines.is_empty() {
        true => last_lines(text, count, width),
        false => {
            lines[lines.len().saturating_sub(count)..].iter().map(|line| cut_end(line.trim_end(), width)).collect()
        }
    }
}
