//! Go: failed tests and panics.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};

/// Failed tests. With `-v` a test prints before its result.
pub const GO: Format = Format { begins, read };

fn begins(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if let Some(name) = line.strip_prefix("=== RUN   ") {
        return Some(Begin { tier: Tier::Running, ..Begin::detail(name) });
    }
    if line.trim_start().starts_with("--- FAIL: ")
        || line.starts_with("panic: ")
        || line.starts_with("fatal error: all gor")
    {
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
    if line.starts_with("goroutine ") || line.starts_with("[signal ") {
        block.part = Part::Frames;
    }
    match block.part {
        Part::Frames if line.starts_with('\t') => block.frame(line),
        Part::Frames => Step::Drop,
        _ if line.starts_with("    ") && !text.starts_with("--- ") => Step::Keep,
        _ => Step::Drop,
    }
}
