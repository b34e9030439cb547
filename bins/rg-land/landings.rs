//! Earlier landings of one branch on one base, from land.jsonl.

use review_gate::store::journal::Journal;
use review_gate::store::record::{Body, Landed, Landing};
use review_gate::store::state::State;

/// The landings of a branch on a base, the oldest first, both started and completed ones.
pub fn of_branch(state: &State, branch: &str, base: &str) -> Vec<Landing> {
    let journal = Journal::open(&state.land()).unwrap_or_default();
    let landings = journal.records().filter_map(|(_, record)| match &record.body {
        Body::Landing(landing) | Body::Landed(Landed(landing)) => Some(landing.clone()),
        _ => None,
    });
    landings.filter(|landing| landing.branch == branch && landing.base == base).collect()
}
