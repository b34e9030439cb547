//! JavaScript: the spec reporter of `node --test`, and errors that end a process of node.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::is_of_runtime;
use super::{WIDTH, places};
use crate::sys::text::cut_end;

/// Failures of `node --test`.
pub const NODE: Format = Format { begins: node, read: read_node, has_end: false };

/// An uncaught error: its place, the code, the error, its frames and the version of node. TAP has `# ` before each line.
pub const CRASH: Format = Format { begins: crash, read: read_crash, has_end: false };

fn node(place: &Place<'_>) -> Option<Begin> {
    let name = place.line.strip_prefix("\u{2716} ")?;
    let test = without_time(name);
    match place.previous.strip_prefix("test at ") {
        Some(at) => Some(Begin::detail(format!("\u{2716} {test} ({at})"))),
        None if test.len() == name.len() => None,
        // A file fails if its tests do, or if it does not load.
        None if is_file(test) => Some(Begin::line(Tier::Around, format!("\u{2716} {test}"))),
        None => Some(Begin::line(Tier::Summary, format!("\u{2716} {test}"))),
    }
}

fn is_file(name: &str) -> bool {
    let ends = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    !name.contains(' ') && ends.iter().any(|end| name.ends_with(end))
}

/// A name without the time in brackets after it.
fn without_time(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("ms)") => name,
        _ => name,
    }
}

fn read_node(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if text.starts_with("test at ") || !text.is_empty() && !line.starts_with(' ') {
        return Step::End;
    }
    if text == "'test failed'" {
        // The process of the file failed; the cause stands where its output does.
        block.tier = Tier::Around;
        return Step::Drop;
    }
    if text.starts_with("at ") {
        block.part = Part::Frames;
        return match block.frame(line) {
            Step::Keep => Step::KeepAs(line.trim_end_matches([' ', '{']).to_string()),
            step => step,
        };
    }
    match block.part {
        Part::Frames => Step::Drop,
        _ => block.message(line),
    }
}

fn crash(place: &Place<'_>) -> Option<Begin> {
    let line = without_comment(place.line);
    let is_script = line.starts_with("node:") || line.starts_with("file://") || line.starts_with('/');
    (is_script && !line.contains(' ') && places::of(line).is_some()).then(|| Begin::detail(line))
}

fn without_comment(line: &str) -> &str {
    line.strip_prefix("# ").unwrap_or(if line == "#" { "" } else { line })
}

fn read_crash(block: &mut Block, line: &str) -> Step {
    let line = without_comment(line);
    let text = line.trim();
    if text.starts_with("Node.js v") {
        return Step::End;
    }
    match block.part {
        Part::Start if !text.is_empty() && text.chars().all(|c| c == '^') => {
            block.part = Part::Message;
            if is_of_runtime(&block.lines[0]) {
                block.lines.truncate(1);
                block.part = Part::Rest;
            }
            Step::Drop
        }
        // The place of the call in node says nothing: the error becomes the headline.
        Part::Rest if !text.is_empty() => {
            block.lines[0] = cut_end(text, WIDTH);
            block.part = Part::Message;
            Step::Drop
        }
        // Only the place of an error has the code and marks below it.
        Part::Start if block.read > 2 || text.is_empty() => Step::Discard,
        Part::Start => Step::KeepAs(line.to_string()),
        _ if text.starts_with("at ") && line.starts_with(' ') => {
            block.part = Part::Frames;
            match block.frame(line) {
                Step::Keep => Step::KeepAs(line.trim_end_matches([' ', '{']).to_string()),
                step => step,
            }
        }
        Part::Frames if line.starts_with(' ') || text.starts_with('}') || text.is_empty() => Step::Drop,
        Part::Frames => Step::End,
        _ if text.is_empty() => Step::Drop,
        _ => Step::KeepAs(line.to_string()),
    }
}
