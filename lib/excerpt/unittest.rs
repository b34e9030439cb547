//! Python: failures of unittest and doctest, tracebacks, and signals that end Python.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::is_of_runtime;
use super::places;

/// Failures of unittest, and tracebacks.
pub const TRACEBACK: Format = Format { begins: traceback, read: read_traceback, has_end: false };

/// Failures of doctest.
pub const DOCTEST: Format = Format { begins: doctest, read: read_doctest, has_end: false };

/// `Fatal Python error: Segmentation fault`, and the frames of each thread.
pub const FATAL: Format = Format { begins: fatal, read: read_fatal, has_end: false };

fn fatal(place: &Place<'_>) -> Option<Begin> {
    place.line.find("Fatal Python error: ").map(|at| Begin::detail(&place.line[at..]))
}

fn read_fatal(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    match text.starts_with("File \"") {
        true => block.frame(line),
        false if text.is_empty() || text.ends_with("(most recent call first):") => Step::Drop,
        false => Step::End,
    }
}

fn doctest(place: &Place<'_>) -> Option<Begin> {
    if place.line != "Failed example:" {
        return None;
    }
    let (file, name) = place.previous.rsplit_once(", in ")?;
    let at = places::of(file)?;
    Some(Begin::detail(format!("{name} ({at})")))
}

fn read_doctest(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    match block.part {
        _ if line.starts_with("****") => Step::End,
        Part::Start | Part::Values if line.starts_with("    ") => Step::Keep,
        _ if matches!(text, "Expected:" | "Got:") => {
            block.part = Part::Values;
            Step::Keep
        }
        _ if text == "Exception raised:" => {
            block.part = Part::Trace;
            Step::Drop
        }
        // Below the frames, which are more indented, stands the error.
        Part::Trace if line.starts_with("    ") && !line.starts_with("     ") && !text.starts_with("Traceback ") => {
            Step::Keep
        }
        _ => Step::Drop,
    }
}

fn traceback(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let is_named = line.starts_with("FAIL: ") || line.starts_with("ERROR: ");
    let begins = line == "Traceback (most recent call last):" || is_named && place.previous.starts_with("=====");
    let tier = if is_named { Tier::Detail } else { Tier::Logged };
    begins.then(|| Begin { tier, ..Begin::detail(line) })
}

fn read_traceback(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    match block.part {
        _ if line.starts_with("=====") => Step::End,
        Part::Start if text.is_empty() || line.starts_with("-----") || line.starts_with("Traceback ") => Step::Drop,
        Part::Message if line.starts_with("-----") => Step::End,
        Part::Message if line.starts_with("Traceback ") => {
            block.part = Part::Start;
            Step::Drop
        }
        Part::Message if text.is_empty() && block.lines[0].starts_with("Traceback") => Step::End,
        Part::Start if text.starts_with("File \"") => {
            if !is_of_runtime(line) {
                block.pending = vec![line.to_string()];
                block.has_frame = true;
            } else {
                block.has_frame = false;
            }
            Step::Drop
        }
        Part::Start if line.starts_with("    ") => {
            let is_marks = text.chars().all(|c| matches!(c, '^' | '~' | ' '));
            if block.has_frame && !is_marks && block.pending.len() == 1 {
                block.pending.push(line.to_string());
            }
            Step::Drop
        }
        Part::Start | Part::Message => {
            block.keep_pending();
            block.part = Part::Message;
            let is_cause = !text.is_empty()
                && !text.starts_with('?')
                && !text.starts_with("During handling")
                && !text.starts_with("The above exception");
            if !is_cause { Step::Drop } else { Step::Keep }
        }
        _ => Step::Drop,
    }
}
