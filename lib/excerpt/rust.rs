//! Rust: errors of rustc, cargo and clippy, failed tests and panics. Ruff prints its findings in the same form.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::is_numbered;

/// Errors and warnings.
pub const COMPILER: Format = Format { begins: error, read: read_error, has_end: false };

/// Failed tests.
pub const TEST: Format = Format { begins: test, read: read_test, has_end: false };

/// Findings of ruff: `F841 text`, then the place.
pub const RUFF: Format = Format { begins: finding, read: read_finding, has_end: false };

/// Lines of cargo and deno that only repeat that something failed.
const SUMMARIES: [&str; 7] = [
    "could not compile",
    "aborting due to",
    "test failed, to rerun",
    "Test failed",
    "build failed",
    "doctest failed",
    "could not document",
];

fn error(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let (word, text) = line.split_once(": ")?;
    let kind = word.split('[').next()?;
    let is_code = word.len() == kind.len() || word.ends_with(']');
    match kind {
        _ if !is_code || word.len() > 60 => None,
        "error" if SUMMARIES.iter().any(|summary| text.starts_with(summary)) => Some(Begin::line(Tier::Around, line)),
        "error" if text.ends_with("targets failed:") || text.ends_with("target failed:") => {
            Some(Begin::line(Tier::Around, line))
        }
        "error" => Some(Begin::detail(line)),
        "warning" => Some(Begin { tier: Tier::Warning, ..Begin::detail(line) }),
        _ => None,
    }
}

fn read_error(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if text.is_empty() {
        return if block.part == Part::Start && block.read < 3 { Step::Drop } else { Step::End };
    }
    if text.starts_with("--> ") && block.part == Part::Start {
        block.part = Part::Message;
        return Step::KeepAs(format!("  {text}"));
    }
    if block.part == Part::Start {
        // An error without a place: the lines below it explain it.
        return if line.starts_with(' ') && block.lines.len() < 5 && text.len() > 1 { Step::Keep } else { Step::End };
    }
    if text.starts_with("help:") || text.starts_with("note:") || text.starts_with("= ") || text.starts_with("::: ") {
        block.part = Part::Rest;
    }
    if block.part != Part::Message {
        return Step::Drop;
    }
    let marks = text.strip_prefix('|').map(str::trim_start).filter(|marks| marks.contains('^'));
    match marks {
        Some(_) => {
            block.keep_pending();
            block.part = Part::Rest;
            Step::Keep
        }
        None if is_numbered(line, '|') => {
            block.pending = vec![line.to_string()];
            Step::Drop
        }
        None => Step::Drop,
    }
}

fn finding(place: &Place<'_>) -> Option<Begin> {
    let (code, text) = place.line.split_once(' ')?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let is_code = (1..=5).contains(&letters)
        && (2..=5).contains(&(code.len() - letters))
        && code.bytes().skip(letters).all(|b| b.is_ascii_digit());
    (is_code && !text.is_empty()).then(|| Begin::detail(place.line))
}

fn read_finding(block: &mut Block, line: &str) -> Step {
    if block.part == Part::Start && !line.trim_start().starts_with("--> ") {
        return Step::Discard;
    }
    read_error(block, line)
}

fn test(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if let Some(name) = line.strip_prefix("---- ") {
        let name = name.strip_suffix(" stdout ----").or_else(|| name.strip_suffix(" stderr ----"))?;
        return Some(Begin::detail(format!("test {name} failed")));
    }
    if line.trim_start().starts_with("thread '") && line.contains(" panicked at ") {
        return Some(Begin::detail(line.trim_start()));
    }
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(Begin::summary(line, name.trim_end_matches(" - should panic")))
}

/// The name of a test that passed because it panicked.
pub fn should_panic(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" - should panic ... ok")
}

fn read_test(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if line == "failures:" || line.starts_with("test result:") || should_panic(line).is_some() {
        return Step::End;
    }
    let is_own_panic = block.read == 1 && block.lines[0].starts_with("thread '");
    if is_own_panic && block.part == Part::Start {
        block.part = Part::Message;
    }
    match block.part {
        _ if text.starts_with("stack backtrace:") || text.starts_with("note: run with `RUST_BACKTRACE") => {
            block.part = Part::Rest;
            Step::Drop
        }
        Part::Message if text.is_empty() => {
            block.part = Part::Rest;
            Step::Drop
        }
        Part::Message => Step::Keep,
        Part::Start if text.starts_with("thread '") && text.contains(" panicked at ") => {
            block.part = Part::Message;
            // What the test printed before it panicked is no cause.
            block.lines.truncate(1);
            Step::KeepAs(text.find("panicked at ").map_or(text, |at| &text[at..]).to_string())
        }
        Part::Start
            if text.starts_with("Error: ") || text.starts_with("error") || text.starts_with("note: test did not") =>
        {
            Step::Keep
        }
        Part::Start if text.starts_with("--> ") => Step::Keep,
        _ if block.lines[0].starts_with("thread '") && (text.is_empty() || text.starts_with("thread '")) => Step::End,
        _ => Step::Drop,
    }
}
