//! The Test Anything Protocol, as `node --test` and bats print it, and the output of bats at a terminal.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};

/// `not ok 1 - name`, with YAML or comments below it.
pub const TAP: Format = Format { begins, read, has_end: false };

/// The keys of the YAML that are shown.
const KEYS: [&str; 8] = ["location:", "at:", "error:", "message:", "expected:", "actual:", "actual  :", "got:"];

fn begins(place: &Place<'_>) -> Option<Begin> {
    let text = place.line.trim_start();
    if text.starts_with("not ok ") && !text.contains("# TODO") && !text.contains("# SKIP") {
        return Some(Begin::detail(text));
    }
    if let Some(name) = text.strip_prefix("#   Failed test ") {
        // Perl reports a failure in comments.
        return Some(Begin::detail(format!("Failed test {name}")));
    }
    let (_, name) = place.line.split_once(" \u{2717} ")?;
    Some(Begin::detail(format!("\u{2717} {name}")))
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    if block.lines[0].starts_with('\u{2717}') {
        let is_detail = line.starts_with("   ") && !text.contains('\u{2713}') && !text.contains('\u{2717}');
        return if is_detail { Step::Keep } else { Step::End };
    }
    if block.lines[0].starts_with("Failed test ") {
        let comment = text.strip_prefix('#').filter(|comment| comment.starts_with("   "));
        return comment.map_or(Step::End, |comment| Step::KeepAs(format!("  {}", comment.trim())));
    }
    match block.part {
        Part::Start if text == "---" => {
            block.part = Part::Rest;
            Step::Drop
        }
        Part::Start => match text.strip_prefix('#') {
            Some(comment) if !comment.starts_with(" Subtest:") => Step::KeepAs(format!("  {}", comment.trim())),
            _ => Step::End,
        },
        _ if text == "..." => Step::End,
        // A suite fails with its tests.
        _ if text.starts_with("failureType: 'subtestsFailed'") => Step::Discard,
        // The process of a file failed; the cause stands where its output does.
        _ if text == "error: 'test failed'" => {
            block.tier = Tier::Around;
            block.part = Part::Rest;
            Step::Drop
        }
        _ if text.starts_with("error: |") || text.starts_with("message: |") => {
            block.part = Part::Message;
            Step::Drop
        }
        Part::Values if is_key(text) => value(block, text),
        Part::Values => Step::KeepAs(format!("    {text}")),
        // The text of an error ends at the next key.
        Part::Message | Part::Diff if is_key(text) => value(block, text),
        Part::Message | Part::Diff => match block.message(line) {
            Step::Keep => Step::KeepAs(format!("  {text}")),
            step => step,
        },
        _ => value(block, text),
    }
}

fn is_key(text: &str) -> bool {
    ["code:", "name:", "stack:", "operator:", "duration_ms:"].iter().any(|key| text.starts_with(key)) || is_shown(text)
}

fn is_shown(text: &str) -> bool {
    KEYS.iter().any(|key| text.strip_prefix(key).is_some_and(|value| value.starts_with(' ')))
}

fn value(block: &mut Block, text: &str) -> Step {
    block.part = Part::Rest;
    if let Some((label, "|-" | "|")) = text.split_once(": ") {
        // A diff in the error says more than both values in full.
        let has_diff = block.lines.iter().any(|line| line.trim_start().starts_with(['+', '-']));
        block.part = if has_diff || !is_shown(text) { Part::Rest } else { Part::Values };
        return if has_diff || !is_shown(text) { Step::Drop } else { Step::KeepAs(format!("  {label}:")) };
    }
    if is_shown(text) { Step::KeepAs(format!("  {text}")) } else { Step::Drop }
}
