//! The rows of tables of tests.

use super::blocks::{Blocks, Kind};
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
            let mut around = blocks.outwards(blocks.around(&tree.range(id)));
            let Some((owner, _)) = around.find(|(_, block)| block.kind == Kind::Test) else { continue };
            let list = match property {
                Some("one") => None,
                Some("name") => lists.get(tree.text_of(id)).copied(),
                _ => Some(id),
            };
            let rows = rows.entry(owner).or_default();
            match list {
                Some(list) => {
                    let children = tree.children(list).filter(|id| tree.is_named(*id) && !tree.is_extra(*id));
                    rows.extend(children.map(|id| tokens::digest(tree, id).0));
                }
                None => rows.push(tokens::digest(tree, id).0),
            }
        }
    }
    rows
}
