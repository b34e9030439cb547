//! Puts the matches of a language's queries together to an outline. It knows no language.

mod asserts;
mod blocks;
pub mod captures;
mod comments;
mod examples;
mod failing;
mod macro_bodies;
mod marks;
mod matchers;
mod names;
mod rows;
mod suppressions;
mod tokens;

use crate::bats;
use crate::language::Loaded;
use crate::languages;
use crate::limits::Deadline;
use crate::macros;
use crate::query::matcher::{self, Aliases, Match};
use crate::statements;
use crate::tree::{Id, Tree};
use blocks::{Block, Blocks, Kind};
use marks::{ByBlock, Regions};
use review_gate::outline::{Assert, Function, Helper, Mark, Note, Outline, SkipKind, Strength, Test};
use std::collections::BTreeSet;

/// How many places of broken syntax are named.
const ERRORS: usize = 20;

/// How deep a text inside a text is read.
const DEPTH: usize = 2;

/// Reads a text. The error says why it could not be read.
pub fn read(loaded: &Loaded, path: &str, text: &[u8], deadline: Deadline) -> Result<Outline, String> {
    let mut outline = Outline { path: path.into(), language: Some(loaded.row.name.into()), ..Outline::default() };
    part(loaded, text, deadline, DEPTH, &mut outline)?;
    Ok(outline)
}

fn part(loaded: &Loaded, text: &[u8], deadline: Deadline, depth: usize, outline: &mut Outline) -> Result<(), String> {
    let Loaded { row, query, captures, .. } = loaded;
    let late = || "it takes too long to read".to_string();
    let source = match row.name {
        "bash" => bats::as_functions(text),
        "c" | "cpp" => statements::apart(text),
        "typescript" | "tsx" => macros::without_type_stars(text),
        name => macros::as_calls(text, languages::macros(name)),
    };
    let tree = Tree::parse(&loaded.grammar, text, &source, deadline)?;
    outline.errors = errors(&tree);
    let definitions =
        matcher::matches(query, &loaded.definitions, &tree, &Aliases::new(), deadline).ok_or_else(late)?;
    let (aliases, conditions) = marks::aliases(&tree, captures, &definitions.list());
    let matches = matcher::matches(query, &loaded.others, &tree, &aliases, deadline).ok_or_else(late)?;
    let matches = matches.list();

    let blocks = Blocks::of(&tree, query, captures, &matches);
    let asserts = asserts::find(&tree, loaded, &matches);
    let ranges: Vec<_> = asserts.iter().map(|found| found.range.clone()).collect();
    let regions = Regions::of(&tree, query, captures, &matches, &ranges);
    let (skips, of_functions) = marks::skips(&tree, query, captures, &matches, &blocks, &regions, &conditions);
    let focuses = marks::focuses(&tree, query, captures, &matches, &blocks);
    let rows = rows::find(&tree, query, captures, &matches, &blocks);
    let (skips, focuses) = (marks::by_block(skips), marks::by_block(focuses));
    let of_functions = marks::by_block(of_functions);
    let mut held = held(&blocks, asserts, &regions);
    let mut calls = names::calls(&tree, captures, &matches, &blocks, &regions);
    let asserts = |at: &usize| blocks.all[*at].kind == Kind::Function && !held[*at].is_empty();
    let asserting = (0..blocks.all.len()).filter(asserts).map(|at| blocks.all[at].name.as_str()).collect();
    names::add_given(&tree, &blocks, &asserting, &mut calls);

    for (at, block) in blocks.all.iter().enumerate() {
        // Only of a block that is listed: the body of a suite holds all of its tests.
        let body = || block.body.map(|id| tokens::body_digest(&tree, id)).unwrap_or_default();
        let (asserts, calls) = (std::mem::take(&mut held[at]), std::mem::take(&mut calls[at]));
        let own_skip = || of_functions.get(&Some(at)).and_then(|marks| marks.first().cloned());
        match block.kind {
            Kind::Test => {
                let (digest, count) = body();
                outline.tests.push(Test {
                    name: block.name.clone(),
                    suite: suites(&blocks, at),
                    line: block.line,
                    rows: rows.get(&at).cloned(),
                    skip: skip(&blocks, at, &skips, &regions),
                    focus: focus(&blocks, at, &focuses),
                    body: digest,
                    tokens: count,
                    asserts,
                    calls: calls.into_iter().collect(),
                });
            }
            Kind::Function | Kind::Hook if !asserts.is_empty() => outline.helpers.push(Helper {
                name: block.name.clone(),
                line: block.line,
                body: body().0,
                asserts,
                skip: own_skip(),
                calls: calls.into_iter().collect(),
            }),
            Kind::Function | Kind::Hook => outline.functions.push(Function {
                name: block.name.clone(),
                line: block.line,
                skip: own_skip(),
                calls: calls.into_iter().collect(),
            }),
            _ => {}
        }
    }
    if languages::redefines(row.name) {
        marks::replaced(&mut outline.tests);
    }
    outline.names = names::definitions(&tree, captures, &matches);
    outline.debug = notes(&tree, captures, &matches);
    let comments = in_order(&matches, captures.comment);
    comments::read(&tree, row.linters, &comments, outline);
    suppressions::read(&tree, query, captures, &matches, outline);
    if depth > 0 {
        inner(loaded, &tree, &matches, &blocks, deadline, depth, outline);
        examples::read(loaded, &tree, &matches, deadline, depth, outline);
        macro_bodies::read(loaded, &tree, deadline, depth, outline);
    }
    Ok(())
}

/// The nodes of a capture in the order of the file, each once.
fn in_order(matches: &[Match], capture: Option<u16>) -> Vec<Id> {
    let mut all: Vec<Id> = matches.iter().flat_map(|found| found.all(capture)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn errors(tree: &Tree) -> Vec<u64> {
    let lines = (0..tree.len()).filter(|id| tree.is_broken(*id)).map(|id| tree.line(tree.range(id).start));
    let mut lines: Vec<u64> = lines.collect();
    lines.dedup();
    lines.truncate(ERRORS);
    lines
}

/// The assertions of each block that can be reached. A test takes those of the functions inside it.
fn held(blocks: &Blocks, asserts: Vec<asserts::Found>, regions: &Regions) -> Vec<Vec<Assert>> {
    let mut held: Vec<Vec<Assert>> = vec![Vec::new(); blocks.all.len()];
    for asserts::Found { range, mut assert } in asserts {
        let Some(owner) = owner(blocks, blocks.around(&range)) else { continue };
        if regions.dead_at(range.start, &blocks.all[owner].range).is_some() {
            continue;
        }
        if regions.is_swallowed(range.start, &blocks.all[owner].range) {
            assert.strength = Strength::Nothing;
        }
        // `its(:street) { is_expected.to eq("Main St") }` asks a part of the subject.
        if let Some(part) = blocks.all[owner].name.strip_prefix(':').filter(|_| assert.subject == "subject") {
            assert.subject = format!("subject.{part}");
        }
        held[owner].push(assert);
    }
    held
}

/// The innermost test around a block, else the innermost function.
fn owner(blocks: &Blocks, from: Option<usize>) -> Option<usize> {
    let is = |wanted: fn(Kind) -> bool| move |(at, block): (usize, &Block)| wanted(block.kind).then_some(at);
    blocks
        .outwards(from)
        .find_map(is(|kind| kind == Kind::Test))
        .or_else(|| blocks.outwards(from).find_map(is(|kind| matches!(kind, Kind::Function | Kind::Hook))))
}

/// The names of the suites around a test, the outermost first. A test that contains others is their suite.
fn suites(blocks: &Blocks, at: usize) -> Vec<String> {
    let around = blocks.outwards(blocks.all[at].parent);
    let mut names: Vec<String> = around
        .filter(|(_, block)| matches!(block.kind, Kind::Suite | Kind::Test) && !block.name.is_empty())
        .map(|(_, block)| block.name.clone())
        .collect();
    names.reverse();
    names.extend(blocks.all[at].inside.clone());
    names
}

/// The mark that keeps a test from running. A mark that always applies counts before one with a condition, the test's own before
/// those around it.
fn skip(blocks: &Blocks, at: usize, skips: &ByBlock, regions: &Regions) -> Option<Mark> {
    // A class that a test names is around it, too.
    let named = blocks.named_by(at).iter().map(|at| Some(*at));
    let around = blocks.outwards(Some(at)).map(|(at, _)| Some(at));
    let around: Vec<Option<usize>> = around.chain(named).chain(std::iter::once(None)).collect();
    let range = &blocks.all[at].range;
    // Code that never runs around a whole test skips it.
    let dead = regions.dead_around(range).map(|(text, line)| Mark { text: text.into(), line, ..Mark::default() });
    let marks = around
        .iter()
        .enumerate()
        .flat_map(|(distance, block)| skips.get(block).into_iter().flatten().map(move |mark| (distance, mark)));
    let rank = |mark: &Mark| match mark.kind {
        SkipKind::Skip => 0,
        SkipKind::Todo => 1,
        SkipKind::Fails => 2,
    };
    let best = marks.min_by_key(|(distance, mark)| (mark.condition.is_some(), rank(mark), *distance));
    let best = best.map(|(_, mark)| mark.clone()).or_else(|| regions.built_around(range).cloned());
    match (best, dead) {
        (Some(best), Some(dead)) if best.condition.is_some() => Some(dead),
        (best, dead) => best.or(dead),
    }
}

/// The mark that keeps other tests from running: its own, or one around it.
fn focus(blocks: &Blocks, at: usize, focuses: &ByBlock) -> Option<Mark> {
    let mut around = blocks.outwards(Some(at));
    around.find_map(|(at, _)| focuses.get(&Some(at))?.first().cloned())
}

fn notes(tree: &Tree, captures: &captures::Captures, matches: &[Match]) -> Vec<Note> {
    let mut notes: Vec<(usize, Note)> = Vec::new();
    for found in matches {
        let Some(id) = found.first(captures.debug) else { continue };
        let shown = found.first(captures.what).unwrap_or(id);
        let line = tree.line(tree.range(id).start);
        let what = tokens::cut(tree.text_of(shown), 60);
        notes.push((tree.range(id).start, Note { what, line, text: tokens::line_text(tree, line) }));
    }
    notes.sort_by_key(|(at, _)| *at);
    notes.dedup_by_key(|(at, _)| *at);
    notes.into_iter().map(|(_, note)| note).collect()
}

/// Reads the texts inside a text. Their lines and suites are those of the file.
fn inner(
    loaded: &Loaded,
    tree: &Tree,
    matches: &[Match],
    blocks: &Blocks,
    deadline: Deadline,
    depth: usize,
    outline: &mut Outline,
) {
    let mut seen = BTreeSet::new();
    for found in matches {
        let Some(id) = found.first(loaded.captures.inner).filter(|id| seen.insert(*id)) else { continue };
        let name = loaded.query.property(found.pattern, "language").unwrap_or(loaded.row.name);
        let other = match name == loaded.row.name {
            true => None,
            false => languages::named(name).and_then(|row| row.load().ok().flatten()),
        };
        let range = tree.range(id);
        // Brackets around it do not belong to it.
        let text = tree.text_of(id);
        let is_in_brackets = text.len() > 1 && matches!(text[0], b'{' | b'(' | b'[');
        let (start, end) = if is_in_brackets { (range.start + 1, range.end - 1) } else { (range.start, range.end) };
        let mut part_outline = Outline::default();
        let reader = other.as_ref().unwrap_or(loaded);
        if part(reader, &tree.text[start..end], deadline, depth - 1, &mut part_outline).is_err() {
            continue;
        }
        let mut around = suites_of(blocks, &range);
        let shift = tree.line(start) - 1;
        merge(outline, part_outline, shift, &mut around);
    }
}

fn suites_of(blocks: &Blocks, range: &std::ops::Range<usize>) -> Vec<String> {
    let around = blocks.outwards(blocks.around(range));
    let mut names: Vec<String> =
        around.filter(|(_, block)| block.kind == Kind::Suite).map(|(_, block)| block.name.clone()).collect();
    names.reverse();
    names
}

/// Adds what a part of the file holds. What is broken in it is not the file's syntax.
fn merge(outline: &mut Outline, part: Outline, shift: u64, around: &mut [String]) {
    for mut test in part.tests {
        test.line += shift;
        test.suite = around.iter().cloned().chain(test.suite).collect();
        test.asserts.iter_mut().for_each(|assert| assert.line += shift);
        test.skip.iter_mut().chain(&mut test.focus).for_each(|mark| mark.line += shift);
        outline.tests.push(test);
    }
    for mut helper in part.helpers {
        helper.line += shift;
        helper.skip.iter_mut().for_each(|mark| mark.line += shift);
        helper.asserts.iter_mut().for_each(|assert| assert.line += shift);
        outline.helpers.push(helper);
    }
    for mut function in part.functions {
        function.line += shift;
        function.skip.iter_mut().for_each(|mark| mark.line += shift);
        outline.functions.push(function);
    }
    for mut found in part.suppressions {
        found.line += shift;
        if !outline.suppressions.iter().any(|known| known.line == found.line && known.linter == found.linter) {
            outline.suppressions.push(found);
        }
    }
    for mut note in part.debug {
        note.line += shift;
        outline.debug.push(note);
    }
    outline.names.extend(part.names);
    outline.names.sort();
    outline.names.dedup();
    outline.tests.sort_by_key(|test| test.line);
    outline.helpers.sort_by_key(|helper| helper.line);
    outline.functions.sort_by_key(|function| function.line);
    outline.suppressions.sort_by_key(|found| found.line);
    outline.debug.sort_by_key(|note| note.line);
}
