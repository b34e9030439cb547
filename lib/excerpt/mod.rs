//! The excerpt of a check's output: the failures that it reports, without frames of the runtime, counters and progress.
//!
//! The formats of common test runners, compilers and linters are recognised by their lines. Of other output, the lines with an
//! error are shown before the last lines.

mod block;
mod compilers;
mod frames;
mod golang;
mod java;
mod javascript;
mod numbered;
mod python;
mod reader;
mod rust;
mod tap;
mod weight;

use crate::sys::text::{count, cut_end, last_lines};
use serde::{Deserialize, Serialize};

/// The most lines of an excerpt.
pub const LINES: usize = 15;

/// The most characters of a line.
pub const WIDTH: usize = 300;

/// The most bytes of a line that are read.
const LINE: usize = 2048;

/// The lines that each failure gets before the next failure is left out.
const PER_FAILURE: usize = 3;

/// What a check's output reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The lines of each failure, in the order of the output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Vec<String>>,
    /// How many further failures the output reports.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// If no failure was recognised: the first lines with an error that are not among the last lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<String>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Excerpt {
    /// The excerpt of an output; None if its last lines say as much.
    pub fn of(text: &str) -> Option<Excerpt> {
        let found = reader::read(text);
        let excerpt = match found.failures.is_empty() {
            false => Excerpt { failures: found.failures, left_out: found.left_out, marked: Vec::new() }.shrink(LINES),
            true => Excerpt { marked: found.marked, ..Excerpt::default() },
        };
        (!excerpt.failures.is_empty() || !excerpt.marked.is_empty()).then_some(excerpt)
    }

    /// The same with at most `lines` lines. Each failure keeps its headline and the lines that say most; the last failures are left
    /// out first.
    fn shrink(mut self, lines: usize) -> Excerpt {
        let mut used = 0;
        let fits = |failure: &&Vec<String>| {
            used += failure.len().min(PER_FAILURE);
            used <= lines
        };
        let shown = self.failures.iter().take_while(fits).count().max(1).min(self.failures.len());
        self.left_out += self.failures.len() - shown;
        self.failures.truncate(shown);
        let mut quotas: Vec<usize> =
            self.failures.iter().map(|failure| failure.len().min(PER_FAILURE).min(lines)).collect();
        let mut room = lines - quotas.iter().sum::<usize>().min(lines);
        while room > 0 && quotas.iter().zip(&self.failures).any(|(quota, failure)| *quota < failure.len()) {
            for (quota, _) in quotas.iter_mut().zip(&self.failures).filter(|(quota, failure)| **quota < failure.len()) {
                let more = room.min(1);
                *quota += more;
                room -= more;
            }
        }
        for (failure, quota) in self.failures.iter_mut().zip(quotas) {
            weight::keep_heaviest(failure, quota);
        }
        self
    }
}

/// An output with at most [`LINE`] bytes of each line. Of a line that was overwritten after a carriage return, the end counts.
pub fn short_lines(output: &[u8]) -> Vec<u8> {
    let mut short = Vec::new();
    for line in output.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let from = memchr::memrchr(b'\r', line).map_or(0, |at| at + 1);
        short.extend_from_slice(&line[from..line.len().min(from + LINE)]);
        short.push(b'\n');
    }
    short
}

/// At most `lines` lines of a check's output, each at most `width` characters long, and the number of failures that they leave out.
pub fn lines(excerpt: Option<&Excerpt>, tail: &str, lines: usize, width: usize) -> (Vec<String>, usize) {
    let Some(excerpt) = excerpt.filter(|_| lines > 0) else { return (last_lines(tail, lines, width), 0) };
    if excerpt.failures.is_empty() {
        let marked = excerpt.marked.iter().take(lines / 3).map(|line| cut_end(line, width));
        let mut shown: Vec<String> = marked.collect();
        shown.extend(last_lines(tail, lines - shown.len(), width));
        return (shown, 0);
    }
    let excerpt = excerpt.clone().shrink(lines);
    let shown = excerpt.failures.concat().iter().map(|line| cut_end(line, width)).collect();
    (shown, excerpt.left_out)
}

/// `3 more failures`
pub fn left_out(n: usize) -> Option<String> {
    (n > 0).then(|| count(n, "more failure"))
}
