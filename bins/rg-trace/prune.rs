//! Removes expired traces when a session ends, except its own.

use review_gate::donefile::Retention;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::clock;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Removes the traces that `keep` does not cover. A trace that cannot be removed stays.
pub fn prune(state: &State, keep: Retention, own: &Path) {
    let traces = files_by_age(&state.dir().join("trace"));
    let count = traces.len();
    for (at, (modified, path)) in traces.into_iter().enumerate() {
        let is_old = match keep {
            Retention::Seconds(seconds) => clock::age(modified) > Duration::from_secs_f64(seconds.min(1e12)),
            Retention::Sessions(kept) => at + kept < count,
        };
        if is_old && path != own {
            let _ = fs::remove_file(path);
        }
    }
}
