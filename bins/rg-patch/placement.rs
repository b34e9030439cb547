//! Puts hunks into a text. Every expected line must be there; the place may have moved if only one place fits.

use crate::hunks::{Hunk, HunkLine, Side};
use review_gate::sys::text::{cut_end, plain};
use serde::Serialize;
use std::collections::HashMap;

/// How many comparisons of lines one patch may take.
pub const WORK: u64 = 100_000_000;

/// How many rows of a hunk that does not fit are shown, and how many characters of each.
const ROWS: usize = 40;
const WIDTH: usize = 200;

/// How many places of an ambiguous hunk are named.
const PLACES: usize = 5;

/// A hunk that cannot be placed.
#[derive(Clone, Debug, Serialize)]
pub struct Misfit {
    /// Its number in its file, counted from 1.
    pub hunk: usize,
    /// The line of its header in the input.
    pub line: usize,
    /// Its header.
    pub header: String,
    /// Why it cannot be placed.
    pub why: String,
    /// The expected lines beside the lines of the file.
    pub rows: Vec<Row>,
}

/// One line of a comparison. Both texts are equal if the line fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The number of the line in the file.
    pub line: usize,
    /// What the patch expects.
    pub expected: String,
    /// What the file has; None after its end.
    pub found: Option<String>,
}

/// The text with all hunks applied.
pub fn applied(text: &[u8], hunks: &[Hunk<'_>], work: &mut u64) -> Result<Vec<u8>, Box<Misfit>> {
    // In a file with CR LF throughout, the lines of a patch without CR stand for lines with CR.
    let has_cr = |line: &[u8]| line.ends_with(b"\r\n");
    let is_crlf = text.contains(&b'\n')
        && text.split_inclusive(|b| *b == b'\n').all(|line| has_cr(line) || !line.ends_with(b"\n"))
        && !hunks
            .iter()
            .any(|hunk| hunk.lines.iter().any(|line| line.text.ends_with(b"\r\n") || line.text.ends_with(b"\r")));
    if !is_crlf {
        return in_lines(text, hunks, work);
    }
    let mut plain = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|b| *b == b'\n') {
        plain.extend_from_slice(line.strip_suffix(b"\r\n").unwrap_or(line));
        if has_cr(line) {
            plain.push(b'\n');
        }
    }
    let done = in_lines(&plain, hunks, work)?;
    let mut out = Vec::with_capacity(done.len() + done.len() / 32);
    for byte in done {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    Ok(out)
}

fn in_lines(text: &[u8], hunks: &[Hunk<'_>], work: &mut u64) -> Result<Vec<u8>, Box<Misfit>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let (mut out, mut next, mut shift): (Vec<&[u8]>, usize, isize) = (Vec::with_capacity(lines.len()), 0, 0);
    let mut places = None;
    for (at, hunk) in hunks.iter().enumerate() {
        let search = Search { lines: &lines, hunk, from: next, at: at + 1, shift };
        let start = search.place(&mut places, work)?;
        shift = start as isize - search.nominal() as isize;
        out.extend_from_slice(&lines[next..start]);
        out.extend(hunk.new_lines());
        next = start + hunk.expects;
    }
    out.extend_from_slice(&lines[next..]);
    let torn = out.iter().rev().skip(1).any(|line| !line.ends_with(b"\n"));
    match (torn, hunks.last()) {
        (true, Some(hunk)) => {
            let why = "a line without a newline would not be the last one of the file";
            Err(Box::new(misfit(hunk, hunks.len(), why.to_string(), Vec::new())))
        }
        _ => Ok(out.concat()),
    }
}

fn misfit(hunk: &Hunk<'_>, at: usize, why: String, rows: Vec<Row>) -> Misfit {
    Misfit { hunk: at, line: hunk.number, header: format!("@@ {} @@", hunk.ranges), why, rows }
}

/// The search for the place of one hunk.
struct Search<'a, 'b> {
    lines: &'b [&'a [u8]],
    hunk: &'b Hunk<'a>,
    /// The first line that no earlier hunk took.
    from: usize,
    at: usize,
    /// How far earlier hunks were from their stated places.
    shift: isize,
}

/// The places of each line in the file; made only if a hunk is not at its stated place.
type Places<'a> = HashMap<&'a [u8], Vec<usize>>;

impl<'a> Search<'a, '_> {
    /// The stated place: the index of the first expected line.
    fn nominal(&self) -> usize {
        if self.hunk.expects == 0 { self.hunk.start } else { self.hunk.start - 1 }
    }

    fn fits(&self, place: usize, old: &[&[u8]], work: &mut u64) -> Result<bool, Box<Misfit>> {
        let Some(there) = self.lines.get(place..place + old.len()).filter(|_| place >= self.from) else {
            return Ok(false);
        };
        let equal = there.iter().zip(old).take_while(|(there, old)| there == old).count();
        *work = work.saturating_sub(equal as u64 + 1);
        match *work {
            0 => {
                Err(self.refused("the places of the hunks cannot be found in reasonable time".to_string(), Vec::new()))
            }
            _ => Ok(equal == old.len()),
        }
    }

    fn place(&self, places: &mut Option<Places<'a>>, work: &mut u64) -> Result<usize, Box<Misfit>> {
        let old: Vec<&[u8]> = self.hunk.old().collect();
        if old.is_empty() {
            return match self.lines.is_empty() && self.from == 0 && self.hunk.start <= 1 && self.at == 1 {
                true => Ok(0),
                false => Err(self.refused(
                    "it has no line to find its place by. Add at least one unchanged line before or after".to_string(),
                    Vec::new(),
                )),
            };
        }
        let stated = self.nominal().checked_add_signed(self.shift);
        if let Some(place) = stated
            && self.is_at_its_end(place, old.len())
            && self.fits(place, &old, work)?
        {
            return Ok(place);
        }
        let places = places.get_or_insert_with(|| places_of(self.lines));
        // The rarest line has the fewest candidates.
        let of = |line: &&[u8]| places.get(*line).map_or(&[][..], Vec::as_slice);
        let rarest = old.iter().enumerate().min_by_key(|(_, line)| of(line).len());
        let mut found = Vec::new();
        if let Some((at, line)) = rarest {
            for place in of(line).iter().filter_map(|place| place.checked_sub(at)) {
                if self.fits(place, &old, work)? {
                    found.push(place);
                }
                if found.len() > PLACES {
                    break;
                }
            }
        }
        match &found[..] {
            [place] => Ok(*place),
            [] => Err(self.missing(&old, work)),
            many => {
                let shown: Vec<String> = many.iter().take(PLACES).map(|place| (place + 1).to_string()).collect();
                let more = if many.len() > PLACES { " and more" } else { "" };
                let why = match stated.filter(|place| many.contains(place)) {
                    None => format!("its lines are not at line {}, but", self.hunk.start),
                    Some(_) => "its unchanged lines end too soon for one place: its lines are".to_string(),
                };
                let mend = "Correct the line number in its header, or add unchanged lines on both sides";
                let why = format!("{why} at the lines {}{more}. {mend}", shown.join(", "));
                Err(self.refused(why, Vec::new()))
            }
        }
    }

    /// Whether a hunk is at the end of the file where it says so by its context: a diff shows fewer unchanged lines on one side only there.
    /// If it is not, its line number is wrong, or context was left out. Then only one place may fit.
    fn is_at_its_end(&self, place: usize, count: usize) -> bool {
        let is_context = |line: &&HunkLine<'_>| line.side == Side::Both;
        let before = self.hunk.lines.iter().take_while(is_context).count();
        let after = self.hunk.lines.iter().rev().take_while(is_context).count();
        (after >= before || place + count == self.lines.len()) && (before >= after || place == 0)
    }

    fn refused(&self, why: String, rows: Vec<Row>) -> Box<Misfit> {
        Box::new(misfit(self.hunk, self.at, why, rows))
    }

    /// The refusal of a hunk whose lines are nowhere: beside each expected line the one that is there.
    fn missing(&self, old: &[&[u8]], work: &mut u64) -> Box<Misfit> {
        let new: Vec<&[u8]> = self.hunk.new_lines().collect();
        let stated = self.nominal().saturating_add_signed(self.shift);
        let is_there = !new.is_empty()
            && [stated, self.nominal()].iter().any(|place| self.lines.get(*place..place + new.len()) == Some(&new[..]));
        let place = self.nearest(old, stated, work);
        let shown = |line: &&[u8]| {
            // A terminal would write what follows a CR over the text before it.
            let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).replace('\r', "\\r");
            let end = if line.ends_with(b"\n") { "" } else { " (no newline at the end of the file)" };
            format!("{}{end}", cut_end(&plain(text.as_bytes()), WIDTH))
        };
        let there = |at: usize| self.lines.get(place + at).map(shown);
        // The comparison begins shortly before the first difference.
        let differs = |at: &usize| self.lines.get(place + at) != Some(&old[*at]);
        let first = (0..old.len()).find(differs).unwrap_or(0).saturating_sub(3);
        let rows = (first..old.len()).take(ROWS);
        let rows = rows.map(|at| Row { line: place + at + 1, expected: shown(&old[at]), found: there(at) }).collect();
        let is_before = self.lines.get(place..place + old.len()) == Some(old);
        let why = match (is_there, is_before) {
            (true, _) => "its new lines are there already: it seems to be applied",
            (_, true) => "its lines overlap those of the hunk before it, or are not in order",
            _ => "its lines are not in the file",
        };
        self.refused(why.to_string(), rows)
    }

    /// The place where most lines are equal, the nearest one of these; the stated place if no line is.
    fn nearest(&self, old: &[&[u8]], stated: usize, work: &mut u64) -> usize {
        let stated = stated.min(self.lines.len());
        let cost = self.lines.len() as u64 * old.len() as u64;
        if cost > 20_000_000 || cost > *work {
            return stated;
        }
        *work -= cost;
        let equal = |place: usize| self.lines[place..].iter().zip(old).filter(|(there, old)| there == old).count();
        let best = (0..self.lines.len()).max_by_key(|place| (equal(*place), std::cmp::Reverse(place.abs_diff(stated))));
        best.filter(|place| equal(*place) > 0).unwrap_or(stated)
    }
}

fn places_of<'a>(lines: &[&'a [u8]]) -> Places<'a> {
    let mut places = Places::new();
    lines.iter().enumerate().for_each(|(at, line)| places.entry(*line).or_default().push(at));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hunks, input};

    fn patched(text: &str, hunks: &str) -> Result<String, Misfit> {
        let lines = input::patch_lines(hunks.as_bytes()).unwrap();
        let (mut all, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            let (hunk, used) = hunks::read(&lines[at..]).unwrap();
            all.push(hunk);
            at += used;
        }
        let done = applied(text.as_bytes(), &all, &mut { WORK }).map_err(|misfit| *misfit)?;
        Ok(String::from_utf8(done).unwrap())
    }

    #[test]
    fn a_hunk_is_placed_where_its_lines_are() {
        let text = "a\nb\nc\nd\ne\n";
        assert_eq!(patched(text, "@@ -2,2 +2,2 @@\n b\n-c\n+C\n").unwrap(), "a\nb\nC\nd\ne\n");
        // One place fits.
        assert_eq!(patched(text, "@@ -1,2 +1,2 @@\n b\n-c\n+C\n").unwrap(), "a\nb\nC\nd\ne\n");
        assert_eq!(patched(text, "@@ -40,2 +40,1 @@\n d\n-e\n").unwrap(), "a\nb\nc\nd\n");
        // A later hunk moves as far as the one before it.
        let moved = "x\nx\na\nk\nb\nk\n";
        assert_eq!(patched(moved, "@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-k\n+K\n").unwrap(), "x\nx\nA\nK\nb\nk\n");
        assert_eq!(patched("", "@@ -0,0 +1 @@\n+a\n").unwrap(), "a\n");
    }

    #[test]
    fn a_hunk_that_fits_nowhere_or_twice_is_refused() {
        let why = |text: &str, hunk: &str| patched(text, hunk).unwrap_err();
        let found = why("a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
        assert_eq!(found.why, "its lines are not in the file");
        let row =
            |line, expected: &str, found: &str| Row { line, expected: expected.into(), found: Some(found.into()) };
        assert_eq!(found.rows, [row(1, "a", "a"), row(2, "b", "B"), row(3, "c", "c")]);
        assert!(why("k\nk\n", "@@ -9 +9 @@\n-k\n+K\n").why.contains("but at the lines 1, 2"));
        assert!(why("a\nb\n", "@@ -1,0 +2 @@\n+x\n").why.contains("no line to find its place by"));
        assert!(why("a\nx\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x\n").why.contains("applied"));
        assert!(why("a\nb\nc\n", "@@ -2 +2 @@\n-b\n+x\n@@ -1 +1 @@\n-a\n+y\n").why.contains("not in order"));
        let found = why("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert!(found.rows[1].found.as_deref().unwrap().contains("no newline"), "{found:?}");
        let torn = "@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n";
        assert!(why("a\nb\n", torn).why.contains("would not be the last one"));
    }

    /// Fewer unchanged lines after a hunk than before it mean the end of the file.
    #[test]
    fn a_hunk_of_the_end_of_a_file_is_not_put_elsewhere() {
        let cut = "@@ -1,2 +1,1 @@\n k\n-x\n";
        assert!(patched("k\nx\na\nk\nx\n", cut).unwrap_err().why.contains("at the lines 1, 4"));
        assert_eq!(patched("k\nx\na\n", cut).unwrap(), "k\na\n");
        let first = "@@ -3,2 +3,1 @@\n-x\n k\n";
        assert!(patched("x\nk\nx\nk\n", first).unwrap_err().why.contains("at the lines 1, 3"));
    }

    #[test]
    fn line_ends_of_the_file_are_kept() {
        assert_eq!(patched("a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n").unwrap(), "a\r\nc\r\nd\r\n");
        assert_eq!(patched("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n").unwrap(), "a\r\nc\n");
        let found = patched("a\r\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n").unwrap_err();
        assert_eq!(found.rows[0].found.as_deref(), Some("a\\r"));
    }

    #[test]
    fn a_hostile_patch_does_not_take_forever() {
        let text = "k\n".repeat(100_000);
        let body = " k\n".repeat(20_000);
        let hunk = format!("@@ -1,20001 +1,20001 @@\n{body}-x\n+y\n");
        assert!(patched(&text, &hunk).is_err());
        let many = format!("@@ -90000,20000 +90000,20000 @@\n{}", body).repeat(3);
        assert!(patched(&text, &many).is_err());
    }
}
