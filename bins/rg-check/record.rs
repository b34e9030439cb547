//! Runs as records: what was run over which files, and what it gave; the same question is answered from them.

use crate::{Answered, TOOL};
use review_gate::donefile::Donefile;
use review_gate::event::CheckEnd;
use review_gate::store::journal::{self, JournalPath};
use review_gate::store::record::{Run, RunBegin};
use review_gate::store::state::State;
use review_gate::sys::clock;
use review_gate::sys::digest;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use std::fs;

/// The size past which a journal of runs is set aside and a fresh one begun, in bytes.
const ROTATED_AT: u64 = 16 << 20;

/// What a run is known by: the files, the checks with everything that decides how they run, the environment that they
/// inherit.
pub fn key(snapshot: &str, done: &Donefile) -> String {
    let checks = serde_json::to_vec(&done.checks).unwrap_or_default();
    digest::sha256_parts(&[snapshot.as_bytes(), &checks, &env::inherited()])
}

/// Whether a recorded run can be reused by a caller that saw the run `before` last. A green run can. A red run can only if it is
/// newer, because its cause may lie outside the files.
pub fn answers(run: &Run, before: Option<&str>) -> bool {
    run.checks.iter().all(|check| check.ended == CheckEnd::Passed) || before != Some(&run.id)
}

/// The last whole run of that key, each check with when it ran.
pub fn find(journal: &JournalPath, key: &str) -> Result<Option<Run>> {
    let runs: Vec<Run> = journal::search(journal, key)?;
    let Some(mut run) = runs.into_iter().rfind(|run| run.key == key) else { return Ok(None) };
    // A green answer over files that changed under it is no answer.
    if !run.wrote.is_empty() && run.checks.iter().all(|check| check.ended == CheckEnd::Passed) {
        return Ok(None);
    }
    for check in &mut run.checks {
        check.replayed_at = Some(run.at);
    }
    Ok(Some(run))
}

/// A run begins; returns its id. One that never ends leaves this behind.
pub fn begin(state: &State, journal: &JournalPath, key: &str) -> Result<String> {
    // The caller's turn over this root is the lock: nobody else writes here now.
    if fs::metadata(journal).is_ok_and(|meta| meta.len() > ROTATED_AT) {
        let old = journal.with_extension("old.jsonl");
        fs::rename(journal, &old).map_err(|e| Error::io("rename", journal, &e))?;
    }
    state.append(journal, TOOL.name, RunBegin { key: key.to_string() })
}

/// A run has ended.
pub fn end(state: &State, journal: &JournalPath, key: &str, answered: &Answered, declared: &[String]) -> Result<()> {
    let run = Run {
        key: key.to_string(),
        snapshot: answered.judged.clone(),
        checks: answered.checks.clone(),
        writes: declared.to_vec(),
        wrote: answered.wrote.clone(),
        id: String::new(),
        at: clock::now(),
    };
    state.append(journal, TOOL.name, run).map(drop)
}
