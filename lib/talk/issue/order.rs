//! What blocks what, and what can be worked on now.

use super::board::{Board, Issue};
use super::change::Relation;
use crate::sys::clock::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The issues that can be worked on: open, not claimed, and blocked by nothing. A claim that ran out does not count. The most urgent
/// come first, then the oldest.
pub fn ready(board: &Board, now: Time) -> Vec<&Issue> {
    let is_ready = |issue: &&Issue| issue.is_free(now) && board.blockers(&issue.id).is_empty();
    let mut found: Vec<&Issue> = board.issues().filter(is_ready).collect();
    found.sort_by_key(|issue| (issue.priority, issue.created, &issue.id));
    found
}

/// The circle that a new relation would close: the ids from `from` back to `from`. `Relates` has no direction and closes none.
pub fn cycle(board: &Board, from: &str, relation: Relation, to: &str) -> Option<Vec<String>> {
    if relation == Relation::Relates {
        return None;
    }
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = vec![to];
    let mut seen = BTreeSet::from([to]);
    while let Some(id) = open.pop() {
        if id == from {
            let mut path = vec![from.to_string()];
            let mut at = from;
            while at != to {
                at = came_from.get(at)?;
                path.push(at.to_string());
            }
            path.push(from.to_string());
            path.reverse();
            return Some(path);
        }
        let below = board.get(id).into_iter().flat_map(|issue| &issue.deps);
        for (_, next) in below.filter(|(kind, _)| *kind == relation) {
            if seen.insert(next) {
                came_from.insert(next, id);
                open.push(next);
            }
        }
    }
    None
}
