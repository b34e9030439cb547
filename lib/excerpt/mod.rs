//! The excerpt of a check's output: the failures that it reports, without frames of the runtime, counters and progress.
//!
//! The formats of common test runners, compilers and linters are recognised by their lines. Of other output, the lines with an
//! error are shown before the last lines, and so are warnings and lines of the programs around a runner.

mod block;
mod budget;
mod bun;
mod compilers;
mod frames;
mod golang;
mod java;
mod jest;
mod long_values;
mod node;
mod numbered;
mod places;
mod prefixes;
mod pytest;
mod reader;
mod rust;
mod tail;
mod tap;
mod unittest;
mod values;
mod weight;

use crate::sys::text::{count, cut_end};
use serde::{Deserialize, Serialize};

/// The most lines of an excerpt.
pub const LINES: usize = 15;

/// The most characters of a line.
pub const WIDTH: usize = 300;

/// The most bytes of a line that are read.
const LINE: usize = 2048;

/// What a check's output reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The lines of each failure, in the order of the output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Vec<String>>,
    /// How many further failures the output reports.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// If no failure was recognised: names of failed tests, then lines with an error, then warnings, above the last lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<String>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Excerpt {
    /// The excerpt of an output; None if its last lines say as much.
    pub fn of(text: &str) -> Option<Excerpt> {
        let found = reader::read(&prefixes::without(text));
        let excerpt = match found.failures.is_empty() {
            false => Excerpt { failures: found.failures, left_out: found.left_out, marked: Vec::new() }.shrink(LINES),
            true => Excerpt { left_out: found.left_out, marked: found.marked, failures: Vec::new() },
        };
        (!excerpt.failures.is_empty() || !excerpt.marked.is_empty()).then_some(excerpt)
    }

    /// The same with at most `lines` lines.
    fn shrink(mut self, lines: usize) -> Excerpt {
        self.left_out += budget::shorten(&mut self.failures, lines);
        self
    }
}

/// An output with at most [`LINE`] bytes of each line. Of a line that was overwritten after a carriage return, the end counts.
pub fn short_lines(output: &[u8]) -> Vec<u8> {
    let mut short = Vec::new();
    let mut add = |line: &[u8]| {
        short.extend_from_slice(&line[..line.len().min(LINE)]);
        short.push(b'\n');
    };
    let mut lines = output.split(|b| *b == b'\n').map(last_writing).peekable();
    while let Some(line) = lines.next() {
        match lines.peek().and_then(|next| long_values::cut(line, next)) {
            Some((first, second)) => {
                lines.next();
                add(&first);
                add(&second);
            }
            None => add(long_values::cut_one(line).as_deref().unwrap_or(line)),
        }
    }
    short
}

/// What a terminal shows of a line with carriage returns.
fn last_writing(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    &line[memchr::memrchr(b'\r', line).map_or(0, |at| at + 1)..]
}

/// At most `lines` lines of a check's output, each at most `width` characters long, and the number of failures that they leave out.
pub fn lines(excerpt: Option<&Excerpt>, tail: &str, lines: usize, width: usize) -> (Vec<String>, usize) {
    let Some(excerpt) = excerpt.filter(|_| lines > 0) else { return (tail::last(tail, lines, width), 0) };
    if excerpt.failures.is_empty() {
        return (tail::with_marked(&excerpt.marked, tail, lines, width), excerpt.left_out);
    }
    let excerpt = excerpt.clone().shrink(lines);
    let shown = excerpt.failures.concat().iter().map(|line| cut_end(line, width)).collect();
    (shown, excerpt.left_out)
}

/// `3 more failures`
pub fn left_out(n: usize) -> Option<String> {
    (n > 0).then(|| count(n, "more failure"))
}
