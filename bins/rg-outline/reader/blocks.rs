//! Tests, suites and functions, and which of them contains which place.

use super::captures::Captures;
use super::tokens;
use crate::query::Query;
use crate::query::matcher::Match;
use crate::tree::{Id, Tree};
use std::collections::HashMap;
use std::ops::Range;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A test.
    Test,
    /// A suite, a class or a module.
    Suite,
    /// A function that is no test.
    Function,
    /// A function that runs with each test around it.
    Hook,
}

/// A test, a suite or a function.
#[derive(Clone, Debug)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// The bytes that belong to it, with decorators and attributes.
    pub range: Range<usize>,
    /// Its name.
    pub name: String,
    /// The name of a suite that does not contain it (the receiver of a method).
    pub inside: Option<String>,
    /// The line at which it is declared.
    pub line: u64,
    /// What runs.
    pub body: Option<Id>,
    /// The place that identifies it.
    key: usize,
    /// The block around it.
    pub parent: Option<usize>,
}

/// The blocks of a file, in the order of the file.
pub struct Blocks {
    /// A block comes behind the one that contains it.
    pub all: Vec<Block>,
    /// The suites by their names.
    suites: HashMap<String, Vec<usize>>,
}

impl Blocks {
    /// Finds the blocks. Two matches with the same name are one block.
    pub fn of(tree: &Tree, query: &Query, captures: &Captures, matches: &[Match]) -> Blocks {
        let mut all: Vec<Block> = Vec::new();
        for found in matches {
            for (kind, capture) in
                [(Kind::Test, captures.test), (Kind::Suite, captures.suite), (Kind::Function, captures.function)]
            {
                let Some(first) = found.first(capture) else { continue };
                let last = found.all(capture).last().unwrap_or(first);
                let start = found.all(capture).map(|id| tree.range(id).start).min().unwrap_or(0);
                let end = found.all(capture).map(|id| tree.range(id).end).max().unwrap_or(0);
                let name = found.first(captures.name);
                let is_hook = kind == Kind::Function && query.property(found.pattern, "kind") == Some("hook");
                all.push(Block {
                    kind: if is_hook { Kind::Hook } else { kind },
                    range: start..end,
                    name: name.map_or(String::new(), |id| tokens::name(tree, id)),
                    inside: found.first(captures.inside).map(|id| tokens::name(tree, id)),
                    line: tree.line(tree.range(found.first(captures.line).or(name).unwrap_or(last)).start),
                    body: found.first(captures.body),
                    key: name.map_or(end, |id| tree.range(id).start),
                    parent: None,
                });
            }
        }
        let all = nested(merged(all));
        let mut suites: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, block) in all.iter().enumerate().filter(|(_, block)| block.kind == Kind::Suite) {
            suites.entry(block.name.clone()).or_default().push(at);
        }
        Blocks { all, suites }
    }

    /// The suites that do not contain a block but that it names.
    pub fn named_by(&self, at: usize) -> &[usize] {
        let name = self.all[at].inside.as_ref().filter(|name| !name.is_empty());
        name.and_then(|name| self.suites.get(name)).map_or(&[], Vec::as_slice)
    }

    /// The innermost block that contains a range.
    pub fn around(&self, range: &Range<usize>) -> Option<usize> {
        let mut at = self.all.partition_point(|block| block.range.start <= range.start).checked_sub(1);
        while let Some(block) = at.map(|at| &self.all[at]) {
            if block.range.end >= range.end {
                return at;
            }
            at = block.parent;
        }
        None
    }

    /// A block and those around it, the innermost first.
    pub fn outwards(&self, from: Option<usize>) -> impl Iterator<Item = (usize, &Block)> {
        std::iter::successors(from, |at| self.all[*at].parent).map(|at| (at, &self.all[at]))
    }
}

/// One block for each place. A test is more than a suite, and a suite more than a function.
fn merged(mut all: Vec<Block>) -> Vec<Block> {
    all.sort_by_key(|block| (block.key, block.kind));
    let mut kept: Vec<Block> = Vec::new();
    for block in all {
        match kept.last_mut().filter(|last| last.key == block.key) {
            Some(last) => {
                // A suite is also a test, or the reverse, only by mistake; the widest declaration counts.
                if last.kind == block.kind {
                    last.range = last.range.start.min(block.range.start)..last.range.end.max(block.range.end);
                    last.body = last.body.or(block.body);
                    last.inside = last.inside.take().or(block.inside);
                    last.line = last.line.min(block.line);
                } else if block.kind == Kind::Hook {
                    last.kind = Kind::Hook;
                }
            }
            None => kept.push(block),
        }
    }
    kept
}

fn nested(mut all: Vec<Block>) -> Vec<Block> {
    all.sort_by_key(|block| (block.range.start, std::cmp::Reverse(block.range.end)));
    let mut open: Vec<usize> = Vec::new();
    for at in 0..all.len() {
        while open.last().is_some_and(|last| all[*last].range.end < all[at].range.end.min(all[at].range.start + 1)) {
            open.pop();
        }
        while open.last().is_some_and(|last| all[*last].range.end <= all[at].range.start) {
            open.pop();
        }
        all[at].parent = open.iter().rev().copied().find(|last| all[*last].range.end >= all[at].range.end);
        open.push(at);
    }
    all
}
