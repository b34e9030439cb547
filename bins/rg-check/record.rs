//! Runs as records: what was run over which files, and what it gave; the same question is answered from them.

use crate::{Answered, TOOL};
use review_gate::digest;
use review_gate::donefile::Donefile;
use review_gate::env;
use review_gate::error::{Error, Result};
use review_gate::event::{Check, CheckEnd};
use review_gate::journal;
use review_gate::state::State;
use serde_json::json;
use std::fs;
use std::path::Path;

/// The size past which a journal of runs is set aside and a fresh one begun, in bytes.
const ROTATED_AT: u64 = 16 << 20;

/// What a run is known by: the files, the checks with everything that decides how they run, the environment that they
/// inherit.
pub fn key(snapshot: &str, done: &Donefile) -> String {
    let checks = serde_json::to_vec(&done.checks).unwrap_or_default();
    digest::sha256_parts(&[snapshot.as_bytes(), &checks, &env::inherited()])
}

/// A whole run on record.
pub struct Run {
    /// The record's id.
    pub id: String,
    /// Its checks, each with when it ran.
    pub checks: Vec<Check>,
}

impl Run {
    /// Whether it answers for whoever saw the run `before` when it asked: a green one does; a red one only when it came since,
    /// because what makes a check red may lie outside of the files.
    pub fn answers(&self, before: Option<&str>) -> bool {
        self.checks.iter().all(|check| check.ended == CheckEnd::Passed) || before != Some(&self.id)
    }
}

/// The last whole run of that key.
pub fn find(journal: &Path, key: &str) -> Result<Option<Run>> {
    let runs = journal::read_matching(journal, key)?;
    let last = runs.iter().rfind(|record| record.kind == "run" && record.text("key") == key);
    let Some(record) = last else { return Ok(None) };
    let Some(mut checks) = record.get::<Vec<Check>>("checks") else { return Ok(None) };
    // A green answer over files that changed under it is no answer.
    let wrote = record.get::<Vec<String>>("wrote").is_some_and(|wrote| !wrote.is_empty());
    if wrote && checks.iter().all(|check| check.ended == CheckEnd::Passed) {
        return Ok(None);
    }
    for check in &mut checks {
        check.replayed_at = record.at();
    }
    Ok(Some(Run { id: record.text("id").to_string(), checks }))
}

/// A run begins; returns its id. One that never ends leaves this behind.
pub fn begin(state: &State, journal: &Path, key: &str) -> Result<String> {
    // The caller's turn over this root is the lock: nobody else writes here now.
    if fs::metadata(journal).is_ok_and(|meta| meta.len() > ROTATED_AT) {
        let old = journal.with_extension("old.jsonl");
        fs::rename(journal, &old).map_err(|e| Error::io("rename", journal, &e))?;
    }
    state.append(journal, TOOL.name, "run-begin", json!({"key": key}))
}

/// A run has ended.
pub fn end(state: &State, journal: &Path, key: &str, answered: &Answered, declared: &[String]) -> Result<()> {
    let fields = json!({
        "key": key,
        "snapshot": answered.judged,
        "checks": answered.checks,
        "writes": declared,
        "wrote": answered.wrote,
    });
    state.append(journal, TOOL.name, "run", fields)?;
    Ok(())
}
