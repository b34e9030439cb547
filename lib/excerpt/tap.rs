//! The Test Anything Protocol, as `node --test` and bats print it, and the output of bats at a terminal.

use super::block::{Begin, Block, Format, Part, Place, Step};

/// `not ok 1 - name`, with YAML or comments below it.
pub const TAP: Format = Format { begins, read };

/// The keys of the YAML that are shown.
const KEYS: [&str; 6] = ["location:", "error:", "message:", "expected:", "actual:", "got:"];

fn begins(place: &Place<'_>) -> Option<Begin> {
    let text = place.line.trim_start();
    if text.starts_with("not ok ") && !text.contains("# TODO") && !text.contains("# SKIP") {
        return Some(Begin::detail(text));
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
        _ if text.starts_with("error: |") || text.starts_with("message: |") => {
            block.part = Part::Message;
            Step::Drop
        }
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
    if is_shown(text) { Step::KeepAs(format!("  {text}")) } else { Step::Drop }
}
