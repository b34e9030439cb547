//! JavaScript: failures of jest and vitest.

use super::block::{Begin, Block, Format, Part, Place, Step};
use super::frames::is_numbered;

/// Failures of jest.
pub const JEST: Format = Format { begins: jest, read: read_jest, has_end: false };

/// Failures of vitest.
pub const VITEST: Format = Format { begins: vitest, read: read_vitest, has_end: false };

/// The headline of a file that does not load. It names no file; the line above it does.
const SUITE: &str = "Test suite failed to run";

fn jest(place: &Place<'_>) -> Option<Begin> {
    let name = place.line.strip_prefix("  \u{25cf} ")?;
    if name == "Console" {
        return None;
    }
    match place.heading.trim().strip_prefix("FAIL ") {
        Some(file) if name == SUITE => {
            let file = file.rsplit_once(" (").map_or(file, |(file, _)| file).trim();
            Some(Begin::detail(format!("\u{25cf} {SUITE}: {file}")))
        }
        _ => Some(Begin::detail(format!("\u{25cf} {name}"))),
    }
}

fn read_jest(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    // In colour, a badge with white space around it stands before the path of a file.
    let is_end = !line.starts_with("  ") || text.starts_with('\u{203a}') || text.starts_with("\u{25cf} ");
    if !text.is_empty() && is_end {
        return Step::End;
    }
    if text.starts_with("at ") {
        return block.frame(line);
    }
    if is_numbered(line, '|') {
        block.part = Part::Message;
        return if text.starts_with('>') { Step::KeepAs(format!("    {text}")) } else { Step::Drop };
    }
    if block.lines[0].contains(SUITE) {
        // Advice stands between the error of a file that does not load and its cause.
        match text {
            "Details:" => block.part = Part::Start,
            _ if text.starts_with("Jest failed to parse a file") || text.ends_with("Either:") => {
                block.part = Part::Rest
            }
            _ if text.starts_with("See https://") || text.contains("https://jestjs.io") => return Step::Drop,
            _ => {}
        }
        // The code of a module stands behind the function that wraps it.
        if let Some((_, code)) = text.split_once("require,__dirname,__filename,jest){") {
            return Step::KeepAs(format!("    {code}"));
        }
        if text == "Details:" || text.chars().all(|c| c == '^' || c == '~') {
            return Step::Drop;
        }
    }
    match text.starts_with('|') {
        true => Step::Drop,
        false => block.message(line),
    }
}

fn vitest(place: &Place<'_>) -> Option<Begin> {
    let rule = place.line.trim_matches(['\u{23af}', ' ']);
    if place.line.starts_with('\u{23af}') && matches!(rule, "Uncaught Exception" | "Unhandled Rejection") {
        return Some(Begin::detail(rule));
    }
    let name = place.line.strip_prefix(" FAIL  ")?.trim();
    // Jest prints only the path of a file.
    (name.contains(" > ") || name.ends_with(']')).then(|| Begin::detail(format!("FAIL {name}")))
}

fn read_vitest(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if line.starts_with("\u{23af}\u{23af}") || text.starts_with("Test Files ") {
        return Step::End;
    }
    if text.starts_with("This error originated in ") {
        block.part = Part::Rest;
        return Step::Drop;
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
