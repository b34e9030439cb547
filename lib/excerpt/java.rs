//! Java: tests and errors as Maven and Gradle print them.

use super::block::{Begin, Block, Format, Part, Place, Step, Tier};

/// Maven and Gradle.
pub const JAVA: Format = Format { begins, read };

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
            || text.starts_with("To see the full")
            || text.starts_with("Re-run Maven")
            || text.starts_with("For more information");
        let tier = if is_place { Tier::Detail } else { Tier::Around };
        return (!is_noise).then(|| Begin::line(tier, text));
    }
    let name = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ") && !name.starts_with('>'))?;
    Some(Begin::detail(format!("{name} FAILED")))
}

fn read(block: &mut Block, line: &str) -> Step {
    let text = line.trim_start();
    if line.starts_with('[') || text.is_empty() {
        return Step::End;
    }
    if text.starts_with("at ") {
        block.part = Part::Frames;
        return block.frame(line);
    }
    match block.part {
        Part::Frames if !text.starts_with("Caused by: ") => Step::Drop,
        _ => Step::Keep,
    }
}
