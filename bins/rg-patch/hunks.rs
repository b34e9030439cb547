//! Hunks: what they remove and add, and the counts of their headers, which must be right.

use crate::input::{self, Line};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};

/// The largest number in a hunk header.
const MOST: usize = 100_000_000;

/// One hunk.
#[derive(Clone, Debug)]
pub struct Hunk<'a> {
    /// The line of its header in the input.
    pub number: usize,
    /// The part of its header between the `@@`s.
    pub ranges: String,
    /// The first line that it expects, counted from 1; the line before it if it expects none.
    pub start: usize,
    /// How many lines it expects.
    pub expects: usize,
    /// Its lines.
    pub lines: Vec<HunkLine<'a>>,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// The versions that have it.
    pub side: Side,
    /// Its bytes, with its newline if it has one.
    pub text: &'a [u8],
}

/// The versions of the file that have a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Both,
    Old,
    New,
}

impl<'a> Hunk<'a> {
    /// The lines that the file must have.
    pub fn old(&self) -> impl Iterator<Item = &'a [u8]> {
        self.lines.iter().filter(|line| line.side != Side::New).map(|line| line.text)
    }

    /// The lines that the file has afterwards.
    pub fn new_lines(&self) -> impl Iterator<Item = &'a [u8]> {
        self.lines.iter().filter(|line| line.side != Side::Old).map(|line| line.text)
    }

    /// Exchanges the versions.
    pub fn reverse(&mut self) {
        for line in &mut self.lines {
            line.side = match line.side {
                Side::Both => Side::Both,
                Side::Old => Side::New,
                Side::New => Side::Old,
            };
        }
        if let Some((_, start, count)) = ranges(&self.ranges).map(|[_, new]| ((), new.0, new.1)) {
            (self.start, self.expects) = (start, count);
        }
    }

    /// How many lines it adds and removes.
    pub fn size(&self) -> (usize, usize) {
        let of = |side: Side| self.lines.iter().filter(|line| line.side == side).count();
        (of(Side::New), of(Side::Old))
    }
}

/// Whether a line is the header of a hunk.
pub fn is_header(line: &Line<'_>) -> bool {
    line.after("@@ ").is_some() || line.trimmed() == b"@@"
}

/// Reads the hunk whose header is the first line. Returns it and the number of its lines. Errors (100): it is malformed.
pub fn read<'a>(lines: &[Line<'a>]) -> Result<(Hunk<'a>, usize)> {
    let head = lines[0];
    let shown = || cut_end(&one_line(&String::from_utf8_lossy(head.text)), 100);
    let wrong = || {
        let text = format!("line {}: not a hunk header: {}. Write `@@ -10,3 +10,4 @@`", head.number, shown());
        Error::usage(text)
    };
    let text = String::from_utf8_lossy(head.after("@@ ").unwrap_or_default()).into_owned();
    let inner = text.split(" @@").next().filter(|inner| inner.len() < text.len()).ok_or_else(wrong)?;
    let [(start, old), (_, new)] = ranges(inner).ok_or_else(wrong)?;
    let mut hunk = Hunk { number: head.number, ranges: inner.to_string(), start, expects: old, lines: Vec::new() };
    let (mut seen, mut at) = ([0, 0], 1);
    // The last line of each version, once a marker says that it has no newline.
    let mut ended = [false, false];
    while seen != [old, new] || lines.get(at).is_some_and(is_marker) {
        let Some(line) = lines.get(at) else { return Err(counts(&head, lines)) };
        at += 1;
        if is_marker(line) {
            let last = hunk.lines.last_mut().filter(|last| last.text.ends_with(b"\n"));
            let last = last.ok_or_else(|| misplaced(line))?;
            last.text = &last.text[..last.text.len() - 1];
            of(last.side).iter().zip(&mut ended).for_each(|(is_of, ended)| *ended |= is_of);
            continue;
        }
        let (side, text) = match line.text {
            [b' ', rest @ ..] => (Side::Both, rest),
            [b'-', rest @ ..] => (Side::Old, rest),
            [b'+', rest @ ..] => (Side::New, rest),
            // Editors and models remove the space of an empty line.
            b"\n" => (Side::Both, line.text),
            _ => return Err(counts(&head, lines)),
        };
        for (side, (seen, ended)) in of(side).into_iter().zip(seen.iter_mut().zip(&ended)) {
            if side && *ended {
                return Err(misplaced(line));
            }
            *seen += usize::from(side);
        }
        if seen[0] > old || seen[1] > new {
            return Err(counts(&head, lines));
        }
        if !text.ends_with(b"\n") {
            let text = "line {}: the patch ends within a line. Send it again, with its last newline";
            return Err(Error::usage(text.replace("{}", &line.number.to_string())));
        }
        hunk.lines.push(HunkLine { side, text });
    }
    // A model may have removed the space of an empty line, so more of the hunk may follow after it.
    let next = lines[at..].iter().position(|line| !line.text.trim_ascii().is_empty()).map(|empty| at + empty);
    match next {
        Some(next) if next == at && is_left_over(&lines[next..]) => Err(counts(&head, lines)),
        Some(next) if is_left_over(&lines[next..]) => Err(left_over(&head, &lines[next])),
        _ => Ok((hunk, at)),
    }
}

/// Whether a line after a complete hunk looks like a part of it. `-- ` begins the signature of a mail.
fn is_left_over(rest: &[Line<'_>]) -> bool {
    let text = rest[0].trimmed();
    matches!(text.first(), Some(b' ' | b'-' | b'+' | b'\\'))
        && !matches!(text, b"-- " | b"--")
        && !input::is_header(rest)
}

fn left_over(head: &Line<'_>, line: &Line<'_>) -> Error {
    Error::usage(format!(
        "line {}: it looks like a part of the hunk of line {}, which ends before it by its counts. Correct the counts, or put the patch into a ```diff block",
        line.number, head.number
    ))
}

fn misplaced(line: &Line<'_>) -> Error {
    Error::usage(format!("line {}: `\\ No newline at end of file` is not after the last line of the file", line.number))
}

fn is_marker(line: &Line<'_>) -> bool {
    line.text.starts_with(b"\\ ")
}

/// Whether the old and the new version have a line of that side.
fn of(side: Side) -> [bool; 2] {
    [side != Side::New, side != Side::Old]
}

/// The error for wrong counts, with the header that the lines of the hunk need.
fn counts(head: &Line<'_>, lines: &[Line<'_>]) -> Error {
    let text = String::from_utf8_lossy(head.after("@@ ").unwrap_or_default()).into_owned();
    let inner = text.split(" @@").next().unwrap_or_default();
    let [(start, old), (new_start, new)] = ranges(inner).unwrap_or_default();
    let mut seen = [0, 0];
    for (at, line) in lines.iter().enumerate().skip(1) {
        let side = match line.text.first() {
            _ if input::is_header(&lines[at..]) || matches!(line.trimmed(), b"-- " | b"--") => break,
            Some(b' ') => Side::Both,
            Some(b'-') => Side::Old,
            Some(b'+') => Side::New,
            Some(b'\\') => continue,
            // An empty line belongs to the hunk if more of it follows.
            Some(b'\n')
                if lines.get(at + 1).is_some_and(|next| matches!(next.text.first(), Some(b' ' | b'-' | b'+'))) =>
            {
                Side::Both
            }
            _ => break,
        };
        of(side).iter().zip(&mut seen).for_each(|(is_of, seen)| *seen += usize::from(*is_of));
    }
    Error::usage(format!(
        "line {}: the hunk header counts {old} old and {new} new lines; the hunk has {} and {}. Write `@@ -{start},{} +{new_start},{} @@`",
        head.number, seen[0], seen[1], seen[0], seen[1]
    ))
}

/// The start and the number of lines of both ranges: `-10,3 +10,4`.
fn ranges(text: &str) -> Option<[(usize, usize); 2]> {
    let (old, new) = text.split_once(' ')?;
    Some([range(old.strip_prefix('-')?)?, range(new.strip_prefix('+')?)?])
}

fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.len() < 12 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<usize>().ok().filter(|number| is_number && *number <= MOST)
    };
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count) = (number(start)?, number(count)?);
    (start > 0 || count == 0).then_some((start, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(text: &str) -> std::result::Result<(usize, Vec<(Side, String)>), String> {
        let lines = input::patch_lines(text.as_bytes()).unwrap();
        let (hunk, used) = read(&lines).map_err(|error| error.to_string())?;
        let shown = |line: &HunkLine<'_>| (line.side, String::from_utf8_lossy(line.text).into_owned());
        Ok((used, hunk.lines.iter().map(shown).collect()))
    }

    #[test]
    fn a_hunk_ends_where_its_counts_are_met() {
        let (used, lines) =
            hunk("@@ -1,2 +1,2 @@ fn x()\n a\n-b\n+c\n\\ No newline at end of file\n-- \n2.4\n").unwrap();
        assert_eq!((used, lines.len()), (5, 3));
        assert_eq!(lines[2], (Side::New, "c".to_string()));
        let (used, lines) = hunk("@@ -1,2 +1,2 @@\n\n-b\n+c\n").unwrap();
        assert_eq!((used, &lines[0]), (4, &(Side::Both, "\n".to_string())));
        assert!(hunk("@@ -1 +1 @@\n-b\n+c\n--- a/x\n+++ b/x\n").is_ok());
    }

    #[test]
    fn wrong_counts_are_refused_with_the_right_header() {
        for text in [
            "@@ -1,3 +1,3 @@\n a\n-b\n+c\n",
            "@@ -1 +1 @@\n a\n-b\n+c\n",
            "@@ -1,2 +1 @@\n a\n-b\n+c\n",
            "@@ -1,2 +1,9999999 @@\n a\n-b\n+c\n--- a/y\n+++ b/y\n",
        ] {
            let said = hunk(text).unwrap_err();
            assert!(said.contains("the hunk has 2 and 2. Write `@@ -1,2 +1,2 @@`"), "{text}: {said}");
        }
        for text in
            ["@@ -1,2 1,2 @@\n", "@@ -x +1 @@\n", "@@ -1 +1\n", "@@ -0,1 +1 @@\n", "@@ -1 +99999999999999999999 @@\n"]
        {
            assert!(hunk(text).unwrap_err().contains("not a hunk header"), "{text}");
        }
    }

    /// A line that an editor emptied does not cut a hunk short, so that nothing after it is lost.
    #[test]
    fn a_hunk_that_goes_on_after_an_empty_line_is_refused() {
        let said = hunk("@@ -1 +1 @@\n-b\n+c\n\n-secret\n").unwrap_err();
        assert!(said.contains("line 5: it looks like a part of the hunk of line 1"), "{said}");
        assert!(hunk("@@ -1 +1 @@\n-b\n+c\n\n\nThat is all.\n").is_ok());
        assert!(hunk("@@ -1 +1 @@\n-b\n+c\n\n--- a/x\n+++ b/x\n").is_ok());
    }

    #[test]
    fn a_marker_stands_only_after_the_last_line_of_a_version() {
        let marker = "\\ No newline at end of file\n";
        for text in [
            format!("@@ -1,2 +1,2 @@\n a\n{marker}-b\n+c\n"),
            format!("@@ -1 +1 @@\n-b\n+c\n{marker}{marker}"),
            format!("@@ -1 +1 @@\n{marker}-b\n+c\n"),
        ] {
            assert!(hunk(&text).unwrap_err().contains("No newline"), "{text}");
        }
        assert!(hunk(&format!("@@ -1 +1 @@\n-b\n{marker}+c\n{marker}")).is_ok());
        assert!(hunk("@@ -1 +1 @@\n-b\n+c").unwrap_err().contains("ends within a line"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "@@ -[0-3],[0-3] \\+[0-3],[0-3] @@\n([ +\\-\\\\]{0,2}[ab ]?\n){0,8}") {
            let _ = hunk(&text);
        }
    }
}
