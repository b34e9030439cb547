//! The rows of tables of tests.

use super::blocks::{Block, Blocks, Kind};
use super::captures::Captures;
use super::tokens;
use crate::query::Query;
use crate::query::matcher::Match;
use crate::tree::{Id, Tree};
use review_gate::outline::Digest;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The rows of each block that has a table, in the order of the file.
pub fn find(
    tree: &Tree,
    query: &Query,
    captures: &Captures,
    matches: &[Match],
    blocks: &Blocks,
) -> BTreeMap<usize, Vec<Digest>> {
    let mut lists: HashMap<&[u8], Id> = HashMap::new();
    for found in matches {
        if let (Some(list), Some(name)) = (found.first(captures.list), found.first(captures.name)) {
            lists.entry(tree.text_of(name)).or_insert(list);
        }
    }
    let (mut rows, mut seen) = (BTreeMap::<usize, Vec<Digest>>::new(), HashSet::new());
    for found in matches {
        let property = query.property(found.pattern, "rows");
        for id in found.all(captures.rows).filter(|id| seen.insert(*id)) {
            let owners = match query.property(found.pattern, "of") {
                Some("parameter") => users(tree, captures, found, blocks),
                _ => owners(tree, captures, found, id, blocks),
            };
            if owners.is_empty() {
                continue;
            }
            let list = match property {
                Some("one") => None,
                Some("name") => lists.get(provider(tree, id)).copied(),
                _ => Some(id),
            };
            let digests: Vec<Digest> = match list {
                Some(list) if property == Some("template") => template(tree, list),
                Some(list) => {
                    let children = tree.children(list).filter(|id| tree.is_named(*id) && !tree.is_extra(*id));
                    children.map(|id| tokens::digest(tree, id).0).collect()
                }
                None if property == Some("one") => vec![tokens::digest(tree, id).0],
                None => vec![Digest(0)],
            };
            for owner in owners {
                rows.entry(owner).or_default().extend(&digests);
            }
        }
    }
    rows
}

/// The rows of a table in a template string: its first line has the columns, and each row a value for each of them.
fn template(tree: &Tree, id: Id) -> Vec<Digest> {
    let values = tree.children(id).filter(|id| tree.kind_name(*id) == "template_substitution");
    let values: Vec<Id> = values.collect();
    let text = tree.text_of(id);
    let head = values.first().map_or(text.len(), |first| tree.range(*first).start - tree.range(id).start);
    let columns = 1 + text[..head].iter().filter(|byte| **byte == b'|').count();
    let join = |row: &[Id]| row.iter().fold(0_u64, |all, id| all.rotate_left(7) ^ tokens::digest(tree, *id).0.0);
    values.chunks(columns).map(|row| Digest(join(row))).collect()
}

/// The name of a list: the text itself, or what a comment names as the provider of data.
fn provider<'t>(tree: &'t Tree<'_>, id: Id) -> &'t [u8] {
    let text = tree.text_of(id);
    let words = |text: &'t [u8]| text.split(|byte| byte.is_ascii_whitespace() || *byte == b'(');
    let after = || words(text).skip_while(|word| *word != b"@dataProvider").skip(1).find(|word| !word.is_empty());
    if tree.is_extra(id) { after().unwrap_or_default() } else { text }
}

/// The tests that name a fixture with a table among their parameters or decorators.
fn users(tree: &Tree, captures: &Captures, found: &Match, blocks: &Blocks) -> Vec<usize> {
    let Some(fixture) = found.first(captures.target).map(|id| tree.text_of(id)) else { return Vec::new() };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let uses = |block: &Block| {
        let end = block.body.map_or(block.range.start, |body| tree.range(body).start);
        let head = tree.text.get(block.range.start..end).unwrap_or_default();
        head.split(|byte| !is_part(byte)).any(|word| word == fixture)
    };
    let tests = blocks.all.iter().enumerate().filter(|(_, block)| block.kind == Kind::Test && uses(block));
    tests.map(|(at, _)| at).collect()
}

/// The tests that a table belongs to: the innermost one around it, or those in the loop over it.
fn owners(tree: &Tree, captures: &Captures, found: &Match, rows: Id, blocks: &Blocks) -> Vec<usize> {
    let is_test = |(_, block): &(usize, &Block)| block.kind == Kind::Test;
    match found.first(captures.each).map(|id| tree.range(id)) {
        Some(each) => {
            let inside = |block: &Block| each.start <= block.range.start && block.range.end <= each.end;
            blocks.all.iter().enumerate().filter(is_test).filter(|(_, block)| inside(block)).map(|(at, _)| at).collect()
        }
        None => blocks.outwards(blocks.around(&tree.range(rows))).find(is_test).map(|(at, _)| at).into_iter().collect(),
    }
}
