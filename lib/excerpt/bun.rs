//! JavaScript: failures of `bun test`, which names a test below its error, and of `deno test`.

use super::block::{Begin, Block, Format, Place, Step, Tier};
use super::places;
use crate::sys::text::cut_end;

/// Failures of `bun test`.
pub const BUN: Format = Format { begins, read, has_end: false };

/// Failures of `deno test`: `name => ./path:3:7`, and below it the error.
pub const DENO: Format = Format { begins: deno, read: read_deno, has_end: false };

fn deno(place: &Place<'_>) -> Option<Begin> {
    let (name, at) = place.line.split_once(" => ")?;
    let is_test = at.starts_with("./") && places::of(at).is_some();
    // The list at the end names it once more, without an error.
    is_test.then(|| Begin { tier: Tier::Running, ..Begin::detail(format!("{name} ({})", at.trim_start_matches("./"))) })
}

fn read_deno(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    match line.strip_prefix("error: ") {
        Some(error) if block.read == 1 => {
            block.tier = Tier::Detail;
            Step::KeepAs(error.to_string())
        }
        _ if text.is_empty() || block.tier == Tier::Running => Step::End,
        _ if text.starts_with("at ") => block.frame(line),
        _ => Step::Drop,
    }
}

fn begins(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let class = line.split_once(": ").map_or("", |(class, _)| class);
    let is_class = class.ends_with("Error") && class.bytes().all(|b| b.is_ascii_alphanumeric());
    // A mark below the code stands before each error.
    let is_error = (is_class || line.starts_with("error: ")) && place.previous.trim() == "^";
    // Only the line that names the test shows that it is one.
    is_error.then(|| Begin { tier: Tier::Running, ..Begin::detail(line) })
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if line.starts_with("(fail) ") {
        let error = std::mem::take(&mut block.lines[0]);
        let name = line.rsplit_once(" [").map_or(line, |(name, _)| name);
        block.lines[0] = cut_end(name, super::WIDTH);
        block.lines.insert(1, error);
        block.tier = Tier::Detail;
        return Step::End;
    }
    let is_of_error = line.starts_with([' ', '+', '-', '}', ']']) || line.is_empty();
    match text {
        _ if text.starts_with("at ") => block.frame(line),
        _ if ["Expected", "Received"].iter().any(|label| line.starts_with(label)) || is_of_error => block.message(line),
        _ => Step::Discard,
    }
}
