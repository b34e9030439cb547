//! Marks that keep tests from running: their own, those of suites and files, and code that never runs.

use super::blocks::{Block, Blocks, Kind};
use super::captures::Captures;
use super::tokens;
use crate::query::Query;
use crate::query::matcher::{Aliases, Match};
use crate::tree::{Id, Tree};
use review_gate::outline::{Bearer, Mark, SkipKind, Test};
use std::collections::HashMap;
use std::ops::Range;

/// The longest text of a mark, in bytes.
const LIMIT: usize = 80;

/// What says of a mark that it is about the tests inside of it.
const INSIDE: &str = "inside";

/// The most texts that a name stands for.
const ALIASES: usize = 4;

/// Code that is not reached or whose failures are lost.
#[derive(Default)]
pub struct Regions {
    /// What never runs, with the text and the line that say so, in the order of the file.
    dead: Vec<(Range<usize>, String, u64)>,
    /// What runs only under a condition.
    branches: Vec<(Range<usize>, String)>,
    /// What is built only under a condition, with the mark that says so.
    built: Vec<(Range<usize>, Mark)>,
    /// What may fail without a test failing, in the order of the file.
    swallowed: Vec<Range<usize>>,
}

impl Regions {
    /// The regions of a file. `asserts` are the ranges of its assertions.
    pub fn of(tree: &Tree, query: &Query, captures: &Captures, matches: &[Match], asserts: &[Range<usize>]) -> Regions {
        let mut regions = Regions::default();
        let mut handled: Vec<usize> =
            matches.iter().flat_map(|found| found.all(captures.throw)).map(|id| tree.range(id).start).collect();
        handled.extend(asserts.iter().map(|range| range.start));
        handled.sort_unstable();
        for found in matches {
            for id in found.all(captures.skip).filter(|_| query.property(found.pattern, "of") == Some(INSIDE)) {
                let (range, condition) = (tree.range(id), found.first(captures.condition));
                let condition = condition.map(|id| tokens::shown(tree, id));
                let mark =
                    Mark { text: first_line(tree, id), line: tree.line(range.start), condition, ..Mark::default() };
                regions.built.push((range, mark));
            }
            for id in found.all(captures.returns) {
                let range = tree.range(id).end..tree.range(tree.parent(id)).end;
                let line = tree.line(tree.range(id).start);
                regions.dead.push((range, first_line(tree, id), line));
            }
            for id in found.all(captures.dead) {
                let shown = found.first(captures.mark).unwrap_or(id);
                regions.dead.push((tree.range(id), first_line(tree, shown), tree.line(tree.range(id).start)));
            }
            if let (Some(id), Some(condition)) = (found.first(captures.branch), found.first(captures.condition)) {
                regions.branches.push((tree.range(id), tokens::shown(tree, condition)));
            }
            for id in found.all(captures.swallow) {
                let is_handled = |range: &Range<usize>| {
                    let first = handled.partition_point(|at| *at < range.start);
                    handled.get(first).is_some_and(|at| *at < range.end)
                };
                if !found.all(captures.handler).any(|handler| is_handled(&tree.range(handler))) {
                    regions.swallowed.push(tree.range(id));
                }
            }
        }
        regions.dead.sort_by_key(|(range, ..)| range.start);
        regions.swallowed.sort_by_key(|range| range.start);
        regions
    }

    /// The dead code inside `scope` that contains a place, and what says so.
    pub fn dead_at(&self, at: usize, scope: &Range<usize>) -> Option<(&str, u64)> {
        let first = self.dead.partition_point(|(range, ..)| range.start < scope.start);
        let mut near = self.dead[first..].iter().take_while(|(range, ..)| range.start <= at);
        let found = near.find(|(range, ..)| range.contains(&at) && range.end <= scope.end);
        found.map(|(_, text, line)| (text.as_str(), *line))
    }

    /// The dead code around a whole range, and what says so.
    pub fn dead_around(&self, range: &Range<usize>) -> Option<(&str, u64)> {
        let before = self.dead.partition_point(|(dead, ..)| dead.start <= range.start);
        let found = self.dead[..before].iter().rev().find(|(dead, ..)| dead.end >= range.end);
        found.map(|(_, text, line)| (text.as_str(), *line))
    }

    /// The mark of the innermost code around a whole range that is built only under a condition.
    pub fn built_around(&self, range: &Range<usize>) -> Option<&Mark> {
        let around = self.built.iter().filter(|(built, _)| built.start <= range.start && built.end >= range.end);
        around.min_by_key(|(built, _)| built.len()).map(|(_, mark)| mark)
    }

    /// Whether a failure inside `scope` at a place is lost.
    pub fn is_swallowed(&self, at: usize, scope: &Range<usize>) -> bool {
        let first = self.swallowed.partition_point(|range| range.start < scope.start);
        let mut near = self.swallowed[first..].iter().take_while(|range| range.start <= at);
        near.any(|range| range.contains(&at) && range.end <= scope.end)
    }

    /// The condition of the innermost branch inside `scope` that contains a place.
    fn condition_at(&self, at: usize, scope: &Range<usize>) -> Option<&str> {
        let inside = |range: &Range<usize>| range.contains(&at) && range.start >= scope.start && range.end <= scope.end;
        let all = self.branches.iter().filter(|(range, _)| inside(range));
        all.min_by_key(|(range, _)| range.len()).map(|(_, condition)| condition.as_str())
    }
}

/// A condition as it is written. A comment has no tokens.
fn condition(tree: &Tree, id: Id) -> String {
    let shown = tokens::shown(tree, id);
    let text = if shown.is_empty() { first_line(tree, id) } else { shown };
    // The old form of a build tag of Go: a blank is `||`, a comma is `&&`.
    let tags = text.strip_prefix("// +build ").or_else(|| text.strip_prefix("//+build "));
    let all = |tags: &str| tags.split_whitespace().map(|one| one.replace(',', " && ")).collect::<Vec<_>>().join(" || ");
    tags.map(|tags| format!("//go:build {}", all(tags))).unwrap_or(text)
}

/// Marks the tests that a later definition of the same name replaces.
pub fn replaced(tests: &mut [Test]) {
    let mut last: HashMap<(Vec<String>, String), u64> = HashMap::new();
    for test in tests.iter_mut().rev() {
        let line = *last.entry((test.suite.clone(), test.name.clone())).or_insert(test.line);
        if line != test.line && test.skip.is_none() {
            test.skip = Some(Mark { text: format!("{} is defined again", test.name), line, ..Mark::default() });
        }
    }
}

fn first_line(tree: &Tree, id: Id) -> String {
    let text = tree.text_of(id);
    if tree.is_extra(id) {
        // A comment of several lines says what it says in one of the others.
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty() && word != b"*");
        return tokens::cut(&words.collect::<Vec<_>>().join(&b' '), LIMIT);
    }
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = tokens::cut(line, LIMIT);
    line.trim_end_matches(['{', ':', ' ']).to_string()
}

/// A mark and the block that bears it; none for the file.
pub struct Placed {
    /// The mark.
    mark: Mark,
    /// The block.
    block: Option<usize>,
}

/// The marks of each block; those of the file are under none.
pub type ByBlock = HashMap<Option<usize>, Vec<Mark>>;

/// The marks by the block that bears them.
pub fn by_block(marks: Vec<Placed>) -> ByBlock {
    let mut all = ByBlock::new();
    for Placed { mark, block } in marks {
        all.entry(block).or_default().push(mark);
    }
    all
}

/// The marks that skip tests, and those in functions that only some tests call.
pub fn skips(
    tree: &Tree,
    query: &Query,
    captures: &Captures,
    matches: &[Match],
    blocks: &Blocks,
    regions: &Regions,
    aliases: &Conditions,
) -> (Vec<Placed>, Vec<Placed>) {
    let mut all: Vec<(Id, u16, Placed)> = Vec::new();
    let mut of_functions: Vec<Placed> = Vec::new();
    for found in matches {
        for id in found.all(captures.skip) {
            let range = tree.range(id);
            let of = query.property(found.pattern, "of").filter(|of| *of != INSIDE);
            if of.is_none() && query.property(found.pattern, "of").is_some() {
                continue;
            }
            let block = match found.first(captures.target) {
                Some(name) => named(blocks, tree.text_of(name)).map(Some),
                None => bearer(blocks, &range, of),
            };
            let is_of_function = block.is_none() && found.first(captures.target).is_none();
            let block = if is_of_function { function_around(blocks, &range).map(Some) } else { block };
            let Some(block) = block else { continue };
            let scope = block.map_or(0..tree.text.len(), |at| blocks.all[at].range.clone());
            let condition = found
                .first(captures.condition)
                .map(|id| condition(tree, id))
                .or_else(|| regions.condition_at(range.start, &scope).map(str::to_string))
                .or_else(|| aliases.of(tree, id));
            let of = match block.map(|at| blocks.all[at].kind) {
                Some(Kind::Test | Kind::Function) => Bearer::Test,
                Some(_) => Bearer::Suite,
                None => Bearer::File,
            };
            let kind = match query.property(found.pattern, "kind") {
                Some("todo") => SkipKind::Todo,
                Some("fails") => SkipKind::Fails,
                _ => SkipKind::Skip,
            };
            // A build tag is its condition.
            let tag = condition.clone().filter(|condition| condition.starts_with("//go:build "));
            let text = tag.unwrap_or_else(|| text(tree, query, captures, found, id));
            let mark = Mark { text, line: tree.line(range.start), condition, of, kind };
            // A hook skips tests of other files, too, if their classes extend the one around it.
            if let Some(hook) = hook_around(blocks, &range) {
                of_functions.push(Placed { mark: mark.clone(), block: Some(hook) });
            }
            match is_of_function {
                true => of_functions.push(Placed { mark, block }),
                false => all.push((id, found.pattern, Placed { mark, block })),
            }
        }
    }
    // Of several matches of a mark the first pattern counts, with the condition of another one.
    all.sort_by_key(|(id, pattern, _)| (*id, *pattern));
    all.dedup_by(|(id, _, next), (known, _, kept)| {
        if id == known && kept.mark.condition.is_none() {
            kept.mark.condition = next.mark.condition.take();
        }
        id == known
    });
    (all.into_iter().map(|(.., placed)| placed).collect(), of_functions)
}

/// The hook around a mark.
fn hook_around(blocks: &Blocks, range: &Range<usize>) -> Option<usize> {
    let (at, block) = blocks.outwards(blocks.around(range)).next()?;
    (block.kind == Kind::Hook).then_some(at)
}

/// The innermost function around a mark.
fn function_around(blocks: &Blocks, range: &Range<usize>) -> Option<usize> {
    blocks.outwards(blocks.around(range)).find_map(|(at, block)| (block.kind == Kind::Function).then_some(at))
}

/// The text of a mark.
fn text(tree: &Tree, query: &Query, captures: &Captures, found: &Match, id: Id) -> String {
    match query.property(found.pattern, "mark") {
        Some(text) => text.to_string(),
        None => first_line(tree, found.first(captures.mark).unwrap_or(id)),
    }
}

/// The last test or suite of a name. A symbol's colon does not belong to it.
fn named(blocks: &Blocks, name: &[u8]) -> Option<usize> {
    let name = name.strip_prefix(b":").unwrap_or(name);
    let is_it = |block: &Block| matches!(block.kind, Kind::Test | Kind::Suite) && block.name.as_bytes() == name;
    blocks.all.iter().rposition(is_it)
}

/// What bears a mark. None if it is in a function that only some tests call.
fn bearer(blocks: &Blocks, range: &Range<usize>, of: Option<&str>) -> Option<Option<usize>> {
    let around = blocks.around(range);
    if of == Some("file") {
        return Some(None);
    }
    let is_suite = |kind: Kind| kind == Kind::Suite;
    let mut is_helper = false;
    for (at, block) in blocks.outwards(around) {
        match block.kind {
            Kind::Test if of != Some("suite") => return Some(Some(at)),
            kind if is_suite(kind) && (!is_helper || of == Some("suite")) => return Some(Some(at)),
            Kind::Function => is_helper = true,
            _ => {}
        }
    }
    (!is_helper || of.is_some()).then_some(None)
}

/// The marks that focus.
pub fn focuses(tree: &Tree, query: &Query, captures: &Captures, matches: &[Match], blocks: &Blocks) -> Vec<Placed> {
    let mut all = Vec::new();
    for found in matches {
        for id in found.all(captures.focus) {
            let range = tree.range(id);
            let of = query.property(found.pattern, "of");
            let Some(block) = bearer(blocks, &range, of) else { continue };
            let of = match block.map(|at| blocks.all[at].kind) {
                Some(Kind::Test) => Bearer::Test,
                Some(_) => Bearer::Suite,
                None => Bearer::File,
            };
            let text = text(tree, query, captures, found, id);
            all.push(Placed { mark: Mark { text, line: tree.line(range.start), of, ..Mark::default() }, block });
        }
    }
    all
}

/// The conditions under which a name stands for its value.
#[derive(Default)]
pub struct Conditions {
    all: HashMap<Vec<u8>, String>,
}

impl Conditions {
    fn of(&self, tree: &Tree, id: Id) -> Option<String> {
        self.all.get(tree.text_of(tree.first_leaf(id))).cloned()
    }
}

/// The names that stand for others, and their conditions.
pub fn aliases<'t>(tree: &Tree<'t>, captures: &Captures, matches: &[Match]) -> (Aliases<'t>, Conditions) {
    let (mut names, mut conditions) = (Aliases::new(), Conditions::default());
    for found in matches.iter().filter(|found| found.first(captures.alias).is_some()) {
        let Some(name) = found.first(captures.name).map(|id| tree.text_of(id)) else { continue };
        let known = names.entry(name).or_default();
        for value in found.all(captures.value).map(|id| tree.text_of(id)) {
            if value.len() <= 100 && value != name && known.len() < ALIASES && !known.contains(&value) {
                known.push(value);
            }
        }
        if let Some(condition) = found.first(captures.condition) {
            let shown = tokens::shown(tree, condition);
            // `ready() ? describe : describe.skip` skips if it is not ready.
            let skips = |id: Id| memchr::memmem::find(tree.text_of(id), b"skip").is_some();
            let values: Vec<Id> = found.all(captures.value).collect();
            let is_turned = matches!(values.as_slice(), [a, b] if !skips(*a) && skips(*b));
            let text = match shown.strip_prefix('!') {
                Some(rest) if is_turned => rest.to_string(),
                None if is_turned => format!("!{shown}"),
                _ => shown,
            };
            conditions.all.insert(name.to_vec(), text);
        }
    }
    names.retain(|_, values| !values.is_empty());
    (names, conditions)
}
