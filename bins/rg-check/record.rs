//! Records of runs: which checks ran on which files, and their results. A later stop can reuse them.

use crate::{Results, TOOL};
use review_gate::donefile::Donefile;
use review_gate::event::Check;
use review_gate::store::journal::{self, JournalPath};
use review_gate::store::record::{Run, RunBegin};
use review_gate::store::state::State;
use review_gate::sys::clock::{self, Time};
use review_gate::sys::digest;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::surroundings;
use std::fs;

/// The size at which a journal of runs is rotated, in bytes.
const MAX_SIZE: u64 = 16 << 20;

/// The key of a run: the digest of the snapshot, the checks with all their settings, and the environment with what surrounds the process.
pub fn key(snapshot: &str, done: &Donefile) -> String {
    let checks = serde_json::to_vec(&done.checks).unwrap_or_default();
    digest::sha256_parts(&[snapshot.as_bytes(), &checks, &env::inherited_variables(), &surroundings::bytes()])
}

/// Whether a recorded run can be reused by a caller that saw the run `before` last. A green run can. A red run can only if it is
/// newer, because its cause may lie outside the files.
pub fn is_reusable(run: &Run, before: Option<&str>) -> bool {
    run.checks.iter().all(Check::is_green) || before != Some(&run.id)
}

/// The last complete run with this key; each check says when it ran.
pub fn last(journal: &JournalPath, key: &str) -> Result<Option<Run>> {
    let runs: Vec<Run> = journal::search(journal, key)?;
    let Some(mut run) = runs.into_iter().rfind(|run| run.key == key) else { return Ok(None) };
    // A green run during which undeclared files changed is about no snapshot.
    if !run.wrote.is_empty() && run.checks.iter().all(Check::is_green) {
        return Ok(None);
    }
    for check in &mut run.checks {
        check.replayed_at = Some(run.at);
    }
    Ok(Some(run))
}

/// What the runners reported on these files: the run of each check that executed most tests. A later run on the same files cannot
/// lower it.
pub fn most_tests(journal: &JournalPath, snapshot: &str) -> Vec<Check> {
    let runs: Vec<Run> = journal::search(journal, snapshot).unwrap_or_default();
    let mut most: Vec<Check> = Vec::new();
    for check in runs.into_iter().filter(|run| run.snapshot == snapshot).flat_map(|run| run.checks) {
        let executed = |check: &Check| check.tests.as_ref().map_or(0, |tests| tests.executed);
        match most.iter_mut().find(|known| known.name == check.name && known.run == check.run) {
            Some(known) if executed(&check) > executed(known) => *known = check,
            Some(_) => {}
            None => most.push(check),
        }
    }
    most.retain(|check| check.tests.as_ref().is_some_and(|tests| tests.executed > 0));
    most
}

/// The results of all complete runs since that time.
pub fn checks_since(journal: &JournalPath, since: Time) -> Vec<Check> {
    let runs: Vec<Run> = journal::search(journal, "checks").unwrap_or_default();
    runs.into_iter().filter(|run| run.at >= since).flat_map(|run| run.checks).collect()
}

/// Records that a run begins, and returns its id.
pub fn begin(state: &State, journal: &JournalPath, key: &str) -> Result<String> {
    // The caller holds the lock of this root, so no other process writes here.
    if fs::metadata(journal).is_ok_and(|meta| meta.len() > MAX_SIZE) {
        let old = journal.with_extension("old.jsonl");
        fs::rename(journal, &old).map_err(|e| Error::io("rename", journal, &e))?;
    }
    state.append(journal, TOOL.name, RunBegin { key: key.to_string() })
}

/// The ignore rules of this run's caches and logs that no earlier run has, so that the user is told once.
pub fn new_leftovers(journal: &JournalPath, rules: &[String]) -> Result<Vec<String>> {
    let mut new = Vec::new();
    for rule in rules {
        let runs: Vec<Run> = journal::search(journal, rule)?;
        if !runs.iter().any(|run| run.leftovers.contains(rule)) {
            new.push(rule.clone());
        }
    }
    Ok(new)
}

/// Records the results of a run.
pub fn end(state: &State, journal: &JournalPath, key: &str, results: &Results) -> Result<()> {
    let changes = &results.changes;
    let run = Run {
        key: key.to_string(),
        snapshot: results.judged.clone(),
        checks: results.checks.clone(),
        writes: changes.declared.clone(),
        wrote: changes.undeclared(),
        leftovers: changes.leftovers.clone(),
        id: String::new(),
        at: clock::now(),
    };
    state.append(journal, TOOL.name, run).map(drop)
}
