//! Java: tests and errors as javac, Maven and Gradle print them.

use super::WIDTH;
use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::split_place;
use crate::sys::text::cut_end;

/// Maven and Gradle.
pub const JAVA: Format = Format { begins, read, has_end: false };

/// `path:line: error: text`, the code, a mark below it, and what the error is about.
pub const JAVAC: Format = Format { begins: javac, read: read_javac, has_end: false };

fn begins(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if let Some(text) = line.strip_prefix("[ERROR] ") {
        if text.contains("<<< FAILURE!") || text.contains("<<< ERROR!") {
            return (!text.starts_with("Tests run:")).then(|| Begin::detail(text.split(' ').next().unwrap_or(text)));
        }
        let is_place = text.contains(".java:[") || text.contains(".kt:");
        let is_noise = text.trim().is_empty()
            || text.starts_with("Tests run:")
            || text.starts_with("[Help")
            || text.starts_with("->")
            || text.trim_start().starts_with("at ")
            || text.starts_with("To see the full")
            || text.starts_with("Re-run Maven")
            || text.starts_with("For more information");
        if is_place {
            return Some(Begin::detail(text));
        }
        return (!is_noise && !is_explanation(text)).then(|| Begin::line(Tier::Logged, text));
    }
    let name = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ") && !name.starts_with('>'))?;
    Some(Begin::detail(format!("{name} FAILED")))
}

/// `  symbol:   method get(int)`: below an error of the compiler.
fn is_explanation(line: &str) -> bool {
    let words = ["symbol:", "location:", "required:", "found:", "reason:"];
    line.starts_with("  ") && words.iter().any(|word| line.trim_start().starts_with(word))
}

/// Adds an explanation to the headline, where it costs no line.
fn explain(block: &mut Block, line: &str) -> Step {
    let text: Vec<&str> = line.split_whitespace().collect();
    block.lines[0] = cut_end(&format!("{}; {}", block.lines[0], text.join(" ")), WIDTH);
    Step::Drop
}

fn javac(place: &Place<'_>) -> Option<Begin> {
    let (path, rest) = place.line.contains(".java:").then(|| split_place(place.line)).flatten()?;
    (path.ends_with(".java") && rest.starts_with("error: ")).then(|| Begin::detail(place.line))
}

fn read_javac(block: &mut Block, line: &str) -> Step {
    match block.part {
        Part::Start if line.trim() == "^" => {
            block.part = Part::Message;
            Step::Drop
        }
        Part::Start if block.read < 6 => Step::Drop,
        Part::Message if is_explanation(line) => explain(block, line),
        _ => Step::End,
    }
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    let below = line.strip_prefix("[ERROR] ").unwrap_or(line);
    if block.lines[0].contains(".java:[") {
        return if is_explanation(below) { explain(block, below) } else { Step::End };
    }
    let is_of_maven = ["[INFO]", "[ERROR]", "[WARNING]", "[DEBUG]"].iter().any(|level| line.starts_with(level));
    // Gradle indents all that belongs to a failure.
    let is_beside = block.lines[0].ends_with(" FAILED") && !line.starts_with([' ', '\t']) && !text.is_empty();
    if is_of_maven || is_beside || text.is_empty() && block.part == Part::Frames {
        return Step::End;
    }
    // AssertJ gives each value below its label.
    if let Some(last) = block.lines.iter_mut().skip(1).last()
        && last.ends_with(':')
        && text.starts_with('<')
    {
        *last = cut_end(&format!("{last} {text}"), WIDTH);
        return Step::Drop;
    }
    if text.starts_with("at ") {
        block.part = Part::Frames;
        return block.frame(line);
    }
    if block.joins_class(line) {
        return Step::Drop;
    }
    match block.part {
        Part::Frames if !text.starts_with("Caused by: ") => Step::Drop,
        _ => Step::Keep,
    }
}
