//! Removes expired traces when a session ends, except its own.

use review_gate::donefile::Retention;
use review_gate::store::retention;
use review_gate::store::state::State;
use std::path::Path;

/// Removes the traces that `keep` does not cover. A trace that cannot be removed stays.
pub fn prune(state: &State, keep: Retention, own: &Path) {
    let (age, keep) = keep.limits();
    let mut expired = retention::expired_traces(state, age, keep);
    expired.retain(|path| path != own);
    retention::remove(expired);
}
