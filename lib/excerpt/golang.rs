//! Go: failed tests, messages of testify and go-cmp, panics.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::split_place;
use super::places;
use super::weight::is_legend;

/// Failed tests. With `-v` a test prints before its result.
pub const GO: Format = Format { begins, read, has_end: false };

/// How the errors begin that end a process and that no program can catch.
const FATAL: [&str; 6] =
    ["all goroutines", "stack overflow", "concurrent map", "out of memory", "sync: ", "unexpected signal"];

/// The most lines that are kept of those that one line of code printed.
const ALIKE: usize = 3;

fn begins(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if let Some(name) = line.strip_prefix("=== RUN   ") {
        return Some(Begin { tier: Tier::Running, ..Begin::detail(name) });
    }
    let is_fatal =
        line.strip_prefix("fatal error: ").is_some_and(|text| FATAL.iter().any(|word| text.starts_with(word)));
    if line.trim_start().starts_with("--- FAIL: ") || line.starts_with("panic: ") || is_fatal {
        return Some(Begin::detail(line.trim_start()));
    }
    line.starts_with("FAIL\t").then(|| Begin::line(Tier::Around, line))
}

/// The name of the test that a line gives the result of, and whether it failed.
pub fn result(line: &str) -> Option<(&str, bool)> {
    let text = line.trim_start();
    let (word, name) = text.strip_prefix("--- ")?.split_once(": ")?;
    let name = name.split(" (").next().unwrap_or(name);
    matches!(word, "FAIL" | "PASS" | "SKIP").then_some((name, word == "FAIL"))
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    let is_end = ["=== ", "FAIL", "ok  \t", "PASS", "--- ", "exit status "].iter().any(|word| line.starts_with(word));
    if is_end || block.tier == Tier::Running && text.starts_with("--- ") {
        return Step::End;
    }
    if text.starts_with("panic: ") {
        let is_known = block.lines.iter().any(|kept| kept.trim().starts_with(text));
        return if is_known { Step::Drop } else { Step::Keep };
    }
    if line.starts_with("goroutine ") || line.starts_with("[signal ") || line == "runtime stack:" {
        block.part = Part::Frames;
    }
    // An example prints both outputs without indentation.
    if block.lines[0].starts_with("--- FAIL: Example") && (line == "got:" || block.part == Part::Values) {
        block.part = Part::Values;
        return Step::Keep;
    }
    match block.part {
        Part::Frames if line.starts_with('\t') => match block.frame(line) {
            Step::Keep => Step::KeepAs(line.split(" +0x").next().unwrap_or(line).to_string()),
            step => step,
        },
        Part::Frames => Step::Drop,
        // A test that timed out is named below the panic.
        _ if line.starts_with("\t\tTest") => Step::KeepAs(format!("    running: {text}")),
        _ if line.starts_with("    ") && (!text.starts_with("--- ") || is_legend(text)) => read_message(block, line),
        _ => Step::Drop,
    }
}

/// A line that a test printed.
fn read_message(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if let Some((path, rest)) = split_place(text)
        && path.ends_with(".go")
    {
        block.part = if is_diff(rest) { Part::Diff } else { Part::Start };
        if rest.is_empty() {
            return Step::KeepAs(format!("    {}", text.trim_end_matches(':')));
        }
        let place = &text[..text.len() - rest.len()];
        let alike = block.lines.iter().rev().take_while(|kept| kept.trim_start().starts_with(place)).count();
        if alike > ALIKE {
            // Of a line of code that prints often, the last line counts.
            block.lines.pop();
        }
        return Step::Keep;
    }
    match text.split_once(':') {
        Some(("Error Trace", _)) => {
            if block.lines.len() > 1 && block.lines.last().is_some_and(|last| places::of(last).is_some()) {
                block.lines.pop();
            }
            Step::KeepAs(format!("    {}", text))
        }
        // The values say so.
        Some(("Error", rest)) if rest.trim() == "Not equal:" => Step::Drop,
        Some(("Error", rest)) => Step::KeepAs(format!("    Error: {}", rest.trim())),
        Some(("Test", _)) => Step::Drop,
        Some(("Messages", rest)) => {
            block.part = Part::Start;
            Step::KeepAs(format!("    Messages: {}", rest.trim()))
        }
        _ if text.starts_with("@@ ") || is_legend(text) => Step::Drop,
        _ => {
            // The text of an error stands below what kind of error it is.
            if let Some(last) = block.lines.last_mut()
                && last.starts_with("    Error: ")
                && last.ends_with(':')
                && !text.starts_with("expected")
                && !text.is_empty()
            {
                *last = format!("{last} {text}");
                return Step::Drop;
            }
            block.message(line)
        }
    }
}

/// `user mismatch (-want +got):`
fn is_diff(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.ends_with(':')
        && (text.contains("(-want") || text.contains("(-got") || text.contains("(+got") || text.contains("(+want"))
}
