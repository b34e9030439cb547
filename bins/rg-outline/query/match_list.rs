//! The matches of a query.

use crate::tree::Id;

/// Many matches, with all captures in one list: a list for each match would take half of the time.
#[derive(Debug, Default)]
pub struct Matches {
    /// The pattern of each match, and where its captures end.
    ends: Vec<(u16, u32)>,
    captures: Vec<(u16, Id)>,
}

impl Matches {
    /// Adds a match.
    pub fn push(&mut self, pattern: u16, captures: &[(u16, Id)]) {
        self.captures.extend_from_slice(captures);
        self.ends.push((pattern, self.captures.len() as u32));
    }

    /// The matches, in the order in which they were found.
    pub fn list(&self) -> Vec<Match<'_>> {
        let mut start = 0;
        let one = |(pattern, end): &(u16, u32)| {
            let captures = &self.captures[start..*end as usize];
            start = *end as usize;
            Match { pattern: *pattern, captures }
        };
        self.ends.iter().map(one).collect()
    }
}

/// One match: its pattern and what its captures hold, in the order of the pattern.
#[derive(Clone, Copy, Debug)]
pub struct Match<'m> {
    /// The number of the pattern.
    pub pattern: u16,
    /// The captures and their nodes.
    pub captures: &'m [(u16, Id)],
}

impl Match<'_> {
    /// The nodes of a capture.
    pub fn all(&self, capture: Option<u16>) -> impl Iterator<Item = Id> + '_ {
        self.captures.iter().filter(move |(number, _)| Some(*number) == capture).map(|(_, node)| *node)
    }

    /// The first node of a capture.
    pub fn first(&self, capture: Option<u16>) -> Option<Id> {
        self.all(capture).next()
    }
}
