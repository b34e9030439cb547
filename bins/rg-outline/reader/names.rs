//! The names that a file defines and calls.

use super::blocks::Blocks;
use super::captures::Captures;
use super::marks::Regions;
use super::{in_order, owner, tokens};
use crate::query::matcher::Match;
use crate::tree::Tree;
use std::collections::BTreeSet;

/// The longest name that is kept, in bytes.
const LIMIT: usize = 100;

/// The names that it defines.
pub fn definitions(tree: &Tree, captures: &Captures, matches: &[Match]) -> Vec<String> {
    let names = in_order(matches, captures.define).into_iter().map(|id| tokens::cut(tree.text_of(id), LIMIT));
    // Ruby defines some names by symbols.
    let names = names.map(|name| name.trim_start_matches(':').to_string());
    let names: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
    names.into_iter().collect()
}

/// Adds to the calls of each block the functions that it gives to another one, if they assert: `f.Fuzz(checkRoundTrip)`.
pub fn add_given(tree: &Tree, blocks: &Blocks, asserting: &BTreeSet<&str>, calls: &mut [BTreeSet<String>]) {
    let is_given = |id: &crate::tree::Id| {
        let around = tree.kind_name(tree.parent(*id));
        tree.is_leaf(*id) && tree.kind_name(*id) == "identifier" && around.contains("argument")
    };
    if asserting.is_empty() {
        return;
    }
    for id in (0..tree.len()).filter(is_given) {
        let Ok(name) = std::str::from_utf8(tree.text_of(id)) else { continue };
        let owner = owner(blocks, blocks.around(&tree.range(id))).filter(|_| asserting.contains(name));
        if let Some(owner) = owner {
            calls[owner].insert(tokens::cut(tree.text_of(id), LIMIT));
        }
    }
}

/// The names that each block calls. Code that never runs calls nothing.
pub fn calls(
    tree: &Tree,
    captures: &Captures,
    matches: &[Match],
    blocks: &Blocks,
    regions: &Regions,
) -> Vec<BTreeSet<String>> {
    let mut calls = vec![BTreeSet::new(); blocks.all.len()];
    for id in in_order(matches, captures.call) {
        let owner = owner(blocks, blocks.around(&tree.range(id)));
        // The call that declares a test is not one of the test.
        let is_inside = |owner: &usize| {
            let body = blocks.all[*owner].body.map(|body| tree.range(body));
            let at = tree.range(id).start;
            let is_dead = || regions.dead_at(at, &blocks.all[*owner].range).is_some();
            body.is_some_and(|body| body.contains(&at)) && !is_dead()
        };
        if let Some(owner) = owner.filter(is_inside) {
            calls[owner].insert(tokens::cut(tree.text_of(id), LIMIT));
        }
    }
    calls
}
