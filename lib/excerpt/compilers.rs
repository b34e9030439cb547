//! Compilers and linters with one line for each finding: gcc, go, javac, mypy, tsc, eslint, ruff, shellcheck; and make.

use super::WIDTH;
use super::block::{Begin, Block, Format, Part, Place, Step, Tier};
use super::frames::split_place;
use crate::sys::text::cut_end;

/// `path:line:column: error: text` and its relatives.
pub const PLACE: Format = Format { begins: place, read: nothing, has_end: false };

/// `path:line: error: text` of mypy, with its end on the next lines.
pub const MYPY: Format = Format { begins: mypy, read: read_mypy, has_end: false };

/// `path(line,column): error TS1: text`, with explanations below it.
pub const TSC: Format = Format { begins: tsc, read: read_tsc, has_end: false };

/// A path, and below it `line:column  error  text`.
pub const ESLINT: Format = Format { begins: eslint, read: nothing, has_end: false };

/// `In path line 2:`, the line, and marks below it.
pub const SHELLCHECK: Format = Format { begins: shellcheck, read: read_shellcheck, has_end: false };

/// `make: *** [target] Error 1`
pub const MAKE: Format = Format { begins: make, read: nothing, has_end: false };

fn nothing(_: &mut Block, _: &str) -> Step {
    Step::End
}

fn place(place: &Place<'_>) -> Option<Begin> {
    let (path, rest) = split_place(place.line)?;
    let word = rest.split([':', ' ']).next().unwrap_or("");
    let tier = match word {
        // Every level of shellcheck fails it.
        _ if rest.contains("[SC") => Tier::Detail,
        "error" | "fatal" => Tier::Detail,
        _ if word.starts_with("error[") => Tier::Detail,
        "warning" => Tier::Warning,
        _ if is_rule(word) => Tier::Detail,
        // Compilers name the column; a log does not.
        _ if path.ends_with(".go") => {
            if is_column(&place.line[path.len()..]) {
                Tier::Detail
            } else {
                Tier::Logged
            }
        }
        _ => return None,
    };
    Some(Begin::line(tier, place.line))
}

/// `:3:7: text`
fn is_column(line: &str) -> bool {
    line.split(':').skip(1).take(2).all(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// `F841`, `E501`
fn is_rule(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..=5).contains(&letters) && word.len() > letters + 1 && word.bytes().skip(letters).all(|b| b.is_ascii_digit())
}

fn mypy(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let (path, rest) = line.contains(".py:").then(|| split_place(line)).flatten()?;
    let is_wrapped = path.ends_with(".py") && rest.starts_with("error: ") && !line.ends_with(']');
    is_wrapped.then(|| Begin::detail(line))
}

/// The rest of a message that was wrapped, up to its code.
fn read_mypy(block: &mut Block, line: &str) -> Step {
    if block.read > 4 || line.is_empty() || line.starts_with(' ') || block.lines[0].ends_with(']') {
        return Step::End;
    }
    if !line.ends_with(']') && block.read > 3 || split_place(line).is_some() || line.starts_with("Found ") {
        return Step::End;
    }
    block.lines[0] = cut_end(&format!("{} {line}", block.lines[0]), WIDTH);
    Step::Drop
}

fn tsc(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    let at = line.find(": error TS").or_else(|| line.find(" - error TS"))?;
    let is_place = !line.starts_with(' ') && line[..at].ends_with(|c: char| c == ')' || c.is_ascii_digit());
    is_place.then(|| Begin::detail(line))
}

fn read_tsc(block: &mut Block, line: &str) -> Step {
    let is_explained = line.starts_with("  ") && block.part == Part::Start && block.lines.len() < 3;
    if is_explained { Step::Keep } else { Step::End }
}

fn eslint(place: &Place<'_>) -> Option<Begin> {
    let line = place.line;
    if !line.starts_with(' ') || !place.heading.contains(['/', '.']) {
        return None;
    }
    let mut words = line.split_whitespace();
    let (at, level) = (words.next()?, words.next()?);
    let (row, column) = at.split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let tier = match level {
        "error" => Tier::Detail,
        "warning" => Tier::Warning,
        _ => return None,
    };
    let text: Vec<&str> = words.collect();
    (is_number(row) && is_number(column))
        .then(|| Begin::line(tier, format!("{}:{at}: {level}: {}", place.heading, text.join(" "))))
}

fn shellcheck(place: &Place<'_>) -> Option<Begin> {
    let rest = place.line.strip_prefix("In ")?.strip_suffix(':')?;
    let (_, number) = rest.rsplit_once(" line ")?;
    number.bytes().all(|b| b.is_ascii_digit()).then(|| Begin::detail(place.line))
}

fn read_shellcheck(block: &mut Block, line: &str) -> Step {
    let text = line.trim();
    match block.part {
        _ if text.is_empty() || text == "Did you mean:" => Step::End,
        Part::Start => {
            block.part = Part::Message;
            Step::Keep
        }
        _ if text.starts_with('^') => Step::KeepAs(format!("  {text}")),
        _ => Step::Drop,
    }
}

fn make(place: &Place<'_>) -> Option<Begin> {
    let (program, text) = place.line.split_once(": *** ")?;
    let is_make = program.split('[').next().is_some_and(|name| name.ends_with("make"));
    (is_make && !text.is_empty()).then(|| Begin::line(Tier::Around, place.line))
}
