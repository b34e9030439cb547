//! JavaScript: failures of `bun test`, which names a test below its error.

use super::block::{Begin, Block, Format, Place, Step, Tier};
use crate::sys::text::cut_end;

/// Failures of `bun test`.
pub const BUN: Format = Format { begins, read, has_end: false };

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
