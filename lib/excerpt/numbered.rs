//! Numbered failures: rspec, minitest, phpunit and mocha.

use super::WIDTH;
use super::block::{Begin, Block, Format, Part, Place, Step};
use crate::sys::text::cut_end;

/// `1) name`, after a line that announces failures.
pub const NUMBERED: Format = Format { begins, read, has_end: false };

/// The most lines of a title.
const TITLES: usize = 8;

/// Whether a line announces numbered failures.
pub fn announces(line: &str) -> bool {
    let text = line.trim();
    text == "Failures:"
        || text.ends_with(" failing")
        || text.starts_with("There was ") && text.ends_with(':')
        || text.starts_with("There were ") && text.ends_with(':')
        || text.starts_with("Finished in ") && text.contains(" runs/s")
}

fn begins(place: &Place<'_>) -> Option<Begin> {
    if !place.is_numbered {
        return None;
    }
    let text = place.line.strip_prefix("  ").unwrap_or(place.line);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_item = digits > 0 && text[digits..].starts_with(") ") && text.len() > digits + 2;
    is_item.then(|| Begin::detail(text))
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    let is_end = ["Finished in ", "Failed examples:", "FAILURES!", "ERRORS!", "There w", "Top "];
    if line == "--" || is_end.iter().any(|end| line.starts_with(end)) {
        return Step::End;
    }
    if text.contains(" runs, ") && text.contains(" assertions, ") {
        return Step::End;
    }
    if block.part == Part::Start {
        if !text.is_empty() && block.read <= TITLES && is_title(&block.lines[0], line) {
            block.lines[0] = cut_end(&format!("{} {text}", block.lines[0]), WIDTH);
            return Step::Drop;
        }
        block.part = Part::Message;
    }
    // Jasmine gives a message and a stack below their labels.
    if text == "Message:" || text == "Stack:" {
        return Step::Drop;
    }
    if block.part == Part::Message && block.joins_class(line) {
        return Step::Drop;
    }
    let is_frame = text.starts_with("# ") || text.starts_with("at ") || line.starts_with("    /") || is_php_frame(line);
    if is_frame {
        block.part = Part::Frames;
        return block.frame(line);
    }
    if text.starts_with("(compared using") || text.starts_with("@@ ") || text == "Diff:" {
        block.part = if text == "Diff:" { Part::Frames } else { block.part };
        return Step::Drop;
    }
    // Mocha repeats the diff of node's assert with the signs the other way round.
    if text == "+ expected - actual" && block.lines.iter().any(|line| line.starts_with("+ actual - expected")) {
        block.part = Part::Rest;
    }
    match block.part {
        Part::Frames => Step::Drop,
        _ => block.message(line),
    }
}

/// Whether a line continues a headline: minitest gives the name below `Failure:`, mocha each inner name more indented until a colon.
fn is_title(headline: &str, line: &str) -> bool {
    let is_of_minitest = headline.ends_with(") Failure:") || headline.ends_with(") Error:");
    is_of_minitest || line.starts_with("       ") && !headline.ends_with(':')
}

/// `/path/ShopTest.php:4`
fn is_php_frame(line: &str) -> bool {
    line.starts_with('/') && line.rsplit_once(".php:").is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
}
