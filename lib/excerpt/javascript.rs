//! JavaScript: jest, vitest and the spec reporter of `node --test`.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::is_numbered;

/// Failures of jest.
pub const JEST: Format = Format { begins: jest, read: read_jest };

/// Failures of vitest.
pub const VITEST: Format = Format { begins: vitest, read: read_vitest };

/// Failures of `node --test`.
pub const NODE: Format = Format { begins: node, read: read_node };

fn jest(place: &Place<'_>) -> Option<Begin> {
    let name = place.line.strip_prefix("  \u{25cf} ")?;
    (name != "Console").then(|| Begin::detail(format!("\u{25cf} {name}")))
}

fn read_jest(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if !text.is_empty() && !line.starts_with(' ') {
        return Step::End;
    }
    if text.starts_with("at ") {
        return block.frame(line);
    }
    if is_numbered(line, '|') {
        block.part = Part::Message;
        return if text.starts_with('>') { Step::KeepAs(format!("    {text}")) } else { Step::Drop };
    }
    match text.starts_with('|') {
        true => Step::Drop,
        false => block.message(line),
    }
}

fn vitest(place: &Place<'_>) -> Option<Begin> {
    let name = place.line.strip_prefix(" FAIL  ")?;
    (!name.trim().is_empty()).then(|| Begin::detail(format!("FAIL {}", name.trim())))
}

fn read_vitest(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if line.starts_with("\u{23af}\u{23af}") || text.starts_with("Test Files ") {
        return Step::End;
    }
    if text.starts_with('\u{276f}') {
        return block.frame(line);
    }
    let is_source = is_numbered(line, '|') || text.starts_with('|');
    match is_source {
        true => Step::Drop,
        false => block.message(line),
    }
}

fn node(place: &Place<'_>) -> Option<Begin> {
    let name = place.line.strip_prefix("\u{2716} ")?;
    match place.previous.strip_prefix("test at ") {
        Some(at) => Some(Begin::detail(format!("\u{2716} {} ({at})", without_time(name)))),
        None => {
            let test = without_time(name);
            (test.len() < name.len()).then(|| Begin::line(Tier::Summary, format!("\u{2716} {test}")))
        }
    }
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
    if text.starts_with("at ") {
        block.part = Part::Frames;
        return block.frame(line.trim_end_matches([' ', '{']));
    }
    match block.part {
        Part::Frames => Step::Drop,
        _ => block.message(line),
    }
}
