//! Attributes and annotations that turn off lint.

use super::captures::Captures;
use super::tokens;
use crate::query::Query;
use crate::query::matcher::Match;
use crate::tree::{Id, Tree};
use review_gate::outline::{Digest, Outline, Reach, Suppression};
use std::collections::BTreeMap;

/// Adds those of the queries to those of the comments.
pub fn read(tree: &Tree, query: &Query, captures: &Captures, matches: &[Match], outline: &mut Outline) {
    // An attribute may name lints of several tools.
    let mut all: BTreeMap<(Id, &str), Suppression> = BTreeMap::new();
    let language = outline.language.clone().unwrap_or_default();
    for found in matches {
        let Some(id) = found.first(captures.suppress) else { continue };
        let line = tree.line(tree.range(id).start);
        let reach = match query.property(found.pattern, "reach") {
            Some("line") => Reach::Line,
            Some("block") => Reach::Block,
            Some("file") => Reach::File,
            _ => Reach::Definition,
        };
        let target = match reach {
            Reach::Block | Reach::File => Digest::default(),
            _ => found
                .first(captures.target)
                .or_else(|| definition(tree, id))
                .map_or(Digest::default(), |id| tokens::digest(tree, id).0),
        };
        let linter = query.property(found.pattern, "linter").unwrap_or(&language);
        let entry = all.entry((id, linter)).or_insert_with(|| Suppression {
            linter: linter.to_string(),
            rules: Vec::new(),
            reach,
            line,
            target,
            text: tokens::line_text(tree, line),
        });
        entry.rules.extend(found.all(captures.rule).map(|id| tokens::name(tree, id)));
        entry.rules.sort();
        entry.rules.dedup();
    }
    outline.suppressions.extend(all.into_values());
    outline.suppressions.sort_by_key(|found| found.line);
}

/// What an attribute is about: the next node that is no attribute of its kind, else what is around it.
fn definition(tree: &Tree, id: Id) -> Option<Id> {
    let parent = tree.parent(id);
    let mut next = tree.next(id);
    while next < tree.next(parent) && (tree.kind(next) == tree.kind(id) || tree.is_extra(next) || !tree.is_named(next))
    {
        next = tree.next(next);
    }
    if next < tree.next(parent) {
        return Some(next);
    }
    // The attribute is the last of a list of attributes, which stands in the definition.
    let around = tree.parent(parent);
    (parent != around).then_some(around)
}
