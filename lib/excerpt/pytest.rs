//! Python: failures of pytest.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::{is_of_runtime, split_place};

/// Failures of pytest.
pub const PYTEST: Format = Format { begins: pytest, read: read_pytest, has_end: true };

/// The most lines of a message that are indented and may be the context of a diff.
const CONTEXT: usize = 4;

fn pytest(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let is_heading = |c: char| line.chars().take(2).eq([c, c]) && line.ends_with(c);
    if is_heading('_') || is_heading('\u{2015}') {
        let title = line.trim_matches(['_', '\u{2015}']).trim();
        let is_failure = !title.is_empty() && !title.starts_with("_ ") && !title.starts_with("coverage: ");
        return is_failure.then(|| Begin::detail(title));
    }
    if line.starts_with("FAIL Required test coverage ") {
        return Some(Begin::line(Tier::Detail, line));
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
    if line.ends_with("Traceback (most recent call last):") {
        block.part = Part::Trace;
    }
    if block.part == Part::Trace {
        return read_trace(block, line);
    }
    if matches!(line, "Expected:" | "Got:") || block.part == Part::Values && line.starts_with("    ") {
        block.part = Part::Values;
        return Step::Keep;
    }
    if let Some(error) = line.strip_prefix("E ") {
        return read_error(block, error);
    }
    if let Some(source) = line.strip_prefix('>') {
        // Whose line it is, the place below it says.
        block.source = format!("> {}", source.trim());
        return Step::Drop;
    }
    if let Some((path, rest)) = split_place(line) {
        return read_place(block, path, rest, line);
    }
    if block.part == Part::Frames {
        block.part = Part::Message;
        block.pending.push(line.to_string());
    }
    Step::Drop
}

/// A line of the error. The frame of the project that is nearest to it is kept before it.
fn read_error(block: &mut Block, line: &str) -> Step {
    let depth = line.len() - line.trim_start().len();
    let error = line.trim();
    if !block.has_error {
        block.indent = depth;
        block.has_error = true;
    }
    if !block.pending.is_empty() {
        block.keep_pending();
    }
    if !block.source.is_empty() {
        let source = std::mem::take(&mut block.source);
        let code = source.trim_start_matches("> ");
        if block.lines.last().is_none_or(|last| last.trim() != code) {
            block.source_at = Some(block.lines.len());
            block.keep(&source);
        }
    }
    let is_noise = error.is_empty()
        || error.starts_with("Use -v to get")
        || error.starts_with("Full diff:")
        || error.starts_with("Differing items:")
        || error.starts_with("Skipping ") && error.contains(" identical ")
        || error.starts_with("...Full output truncated");
    if is_noise || error.starts_with('?') {
        return Step::Drop;
    }
    // A chain of exceptions repeats its error.
    let is_known = block.lines.iter().any(|line| line.strip_prefix("E ") == Some(error));
    if is_known || block.joins_class(error) {
        return Step::Drop;
    }
    let is_context = depth >= block.indent + 4;
    if depth > block.indent && (error.starts_with("- ") || error.starts_with("+ ")) && !error.contains("where ") {
        // The lines that differ win over those around them.
        block.part = Part::Diff;
        block.lines.retain(|line| !line.starts_with("E   "));
    } else if is_context {
        let count = block.lines.iter().filter(|line| line.starts_with("E   ")).count();
        let is_kept = block.part != Part::Diff && count < CONTEXT;
        return if is_kept { Step::KeepAs(format!("E   {error}")) } else { Step::Drop };
    }
    Step::KeepAs(format!("E {error}"))
}

/// A line of Python's own traceback. Those of a group of exceptions stand behind lines that show the nesting.
fn read_trace(block: &mut Block, line: &str) -> Step {
    let inner = line.trim_start();
    let line = inner.strip_prefix(['|', '+']).map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
    let text = line.trim();
    let is_rule = text.is_empty() || ["+-", "-+", "--"].iter().any(|rule| text.starts_with(rule));
    match text {
        _ if is_rule || text.ends_with("Traceback (most recent call last):") => block.pending.clear(),
        _ if text.starts_with("The above exception") || text.starts_with("During handling") => {}
        _ if text.starts_with("File \"") && is_of_runtime(text) => block.has_frame = false,
        _ if text.starts_with("File \"") => {
            block.has_frame = true;
            block.pending = vec![format!("  {text}")];
        }
        _ if line.starts_with(' ') => {
            if block.has_frame && block.pending.len() == 1 {
                block.pending.push(format!("    {text}"));
            }
        }
        _ => {
            block.keep_pending();
            return if block.lines.iter().any(|known| known == text) {
                Step::Drop
            } else {
                Step::KeepAs(text.to_string())
            };
        }
    }
    Step::Drop
}

/// `path:3: in name`, `path:3:` before the frame that it calls, or `path:3: KeyError` below the error.
fn read_place(block: &mut Block, path: &str, rest: &str, line: &str) -> Step {
    let is_own = rest == "DocTestFailure" || !path.starts_with('/') && !path.starts_with("../") && !is_of_runtime(path);
    let is_frame = rest.is_empty() || rest.starts_with("in ");
    let source = std::mem::take(&mut block.source);
    if !is_frame {
        let source_at = block.source_at.take();
        block.part = Part::Start;
        block.has_error = false;
        let is_source = |at: &usize| *at > 1 && block.lines.get(*at).is_some_and(|line| line.starts_with("> "));
        if let Some(at) = source_at.filter(is_source).filter(|_| !is_own) {
            block.lines.remove(at);
        }
        return if is_own { Step::Keep } else { Step::Drop };
    }
    if is_own {
        block.pending = vec![line.trim_end_matches(':').to_string()];
        if rest.is_empty() && !source.is_empty() {
            block.pending.push(source);
        }
        block.part = if rest.is_empty() { block.part } else { Part::Frames };
    }
    Step::Drop
}
