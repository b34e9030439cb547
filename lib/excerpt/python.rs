//! Python: pytest, unittest, tracebacks.

use super::block::{Begin, Block, Format, Part, Place, Step};
use super::frames::{is_of_runtime, split_place};

/// Failures of pytest.
pub const PYTEST: Format = Format { begins: pytest, read: read_pytest };

/// Failures of unittest, and tracebacks.
pub const TRACEBACK: Format = Format { begins: traceback, read: read_traceback };

fn pytest(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if line.starts_with("__") && line.ends_with('_') {
        let title = line.trim_matches('_').trim();
        return (!title.is_empty() && !title.starts_with("_ ")).then(|| Begin::detail(title));
    }
    let is_summary = (line.starts_with("FAILED ") || line.starts_with("ERROR ")) && line.contains(".py");
    let name = line.split_once(' ')?.1.split(" - ").next()?;
    is_summary.then(|| Begin::summary(line, name.rsplit("::").next().unwrap_or(name)))
}

fn read_pytest(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    if line.starts_with("=====") || line.starts_with("!!!!!") {
        return Step::End;
    }
    if line.starts_with("-----") && text.contains("Captured ") {
        block.part = Part::Rest;
    }
    if block.part == Part::Rest {
        return Step::Drop;
    }
    if let Some(error) = line.strip_prefix("E ") {
        let error = error.trim();
        let is_noise = error.is_empty()
            || error.starts_with("Use -v to get")
            || error.starts_with("Full diff:")
            || error.starts_with("Differing items:");
        return if is_noise || error.starts_with('?') { Step::Drop } else { Step::KeepAs(format!("E {error}")) };
    }
    if let Some(source) = line.strip_prefix('>') {
        if block.part == Part::Start {
            block.part = Part::Message;
            return Step::KeepAs(format!("> {}", source.trim()));
        }
        return Step::Drop;
    }
    if let Some((path, rest)) = split_place(line) {
        let is_own = !path.starts_with('/') && !is_of_runtime(path);
        block.part = if is_own && rest.starts_with("in ") { Part::Frames } else { block.part };
        return if is_own && !rest.is_empty() { Step::Keep } else { Step::Drop };
    }
    if block.part == Part::Frames {
        block.part = Part::Message;
        return Step::Keep;
    }
    Step::Drop
}

fn traceback(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let is_named = line.starts_with("FAIL: ") || line.starts_with("ERROR: ");
    let begins = line == "Traceback (most recent call last):" || is_named && place.previous.starts_with("=====");
    begins.then(|| Begin::detail(line))
}

fn read_traceback(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    match block.part {
        _ if line.starts_with("=====") => Step::End,
        Part::Start if text.is_empty() || line.starts_with("-----") || line.starts_with("Traceback ") => Step::Drop,
        Part::Message if line.starts_with("-----") => Step::End,
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
            let is_cause = !text.is_empty() && !text.starts_with('?') && !text.starts_with("During handling");
            if !is_cause { Step::Drop } else { Step::Keep }
        }
        _ => Step::Drop,
    }
}
