//! Rewritten lines: code that a change wrote in the place of other code. A suppression on it is new, or is the one that was there.

use super::extent::all_words;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::BTreeSet;
use std::ops::Range;

/// The hunks of a file without comments: the lines that went, and the lines that took their place.
pub struct Hunks<'a> {
    then: &'a [String],
    now: &'a [String],
    all: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Hunks<'a> {
    /// Compares the lines of both sides.
    pub fn of((then, now): (&'a [String], &'a [String])) -> Hunks<'a> {
        let mut input = InternedInput::default();
        input.update_before(then.iter().map(|line| line.trim()));
        input.update_after(now.iter().map(|line| line.trim()));
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let diff = Diff::compute(Algorithm::Histogram, &input);
        Hunks { then, now, all: diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect() }
    }

    /// The lines of each hunk before and after.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        self.all.iter().cloned()
    }

    /// The lines that went where a line of today stands, if its code was not there before.
    pub fn replaced(&self, line: usize) -> Option<Range<usize>> {
        let code = self.now.get(line)?.trim();
        let is_new = !code.is_empty() && !self.then.iter().any(|line| line.trim() == code);
        let found = self.all.iter().find(|(_, after)| after.contains(&line))?;
        is_new.then(|| found.0.clone())
    }

    /// Whether a line of today has less than half of its words in common with each line that went in its place.
    pub fn is_other(&self, line: usize) -> bool {
        let Some(before) = self.replaced(line) else { return false };
        let words = |line: &'a str| -> BTreeSet<&'a str> { all_words(line).filter(|word| !word.is_empty()).collect() };
        let new = words(&self.now[line]);
        let is_alike = |line: &String| {
            let old: BTreeSet<&str> = all_words(line).filter(|word| !word.is_empty()).collect();
            old.intersection(&new).count() * 2 >= old.union(&new).count()
        };
        !before.is_empty() && !self.then[before].iter().any(is_alike)
    }

    /// The first line with code from a line on.
    pub fn code_from(&self, line: usize) -> Option<usize> {
        (line..self.now.len()).find(|at| !self.now[*at].trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_anew_if_little_of_it_was_there() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let is_other = |then: &str, now: &str| Hunks::of((&lines(then), &lines(now))).is_other(1);
        assert!(is_other("a()\nrv = concat(\nb()", "a()\nrv = self._context.environment.concat(\nb()"));
        assert!(!is_other("a()\nx = f(y)\nb()", "a()\nx = f(y, z)\nb()"), "an argument more");
        assert!(!is_other("a()\nx = f(y)\nb()", "a()\nx = f(y)\nb()"), "it was there");
        assert!(!is_other("a()\nb()", "a()\nx = f(y)\nb()"), "nothing went");
    }
}
