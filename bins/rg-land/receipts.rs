//! Receipts that say `done`, as far as a task's journal vouches for them.

use crate::plan::Plan;
use review_gate::digest::sha256;
use review_gate::event::{Check, CheckEnd, Outcome};
use review_gate::journal;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;

/// Those about these files, the newest first.
pub fn done(plan: &Plan, snapshot: &str) -> Vec<Value> {
    let vouched = vouched(plan);
    let entries = fs::read_dir(plan.state.dir().join("receipts")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let is_json = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "json");
    let files = paths.into_iter().rev().filter(is_json).filter_map(|path| fs::read(path).ok());
    // Cheap before dear: few receipts are about these files.
    let about = files.filter(|bytes| memchr::memmem::find(bytes, snapshot.as_bytes()).is_some());
    let known = about.filter(|bytes| vouched.contains(&sha256(bytes)));
    let values = known.filter_map(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    values.filter(|value| value["outcome"] == Outcome::Done.word() && value["snapshot"] == snapshot).collect()
}

/// Whether a receipt is of a session's own stop, by this definition of done as a whole, with every required check green.
pub fn covers(receipt: &Value, donefile: &str, require: &[String]) -> bool {
    let checks: Vec<Check> = serde_json::from_value(receipt["checks"].clone()).unwrap_or_default();
    let is_green = |name: &String| checks.iter().any(|check| check.name == *name && check.ended == CheckEnd::Passed);
    receipt["donefile"]["sha256"] == donefile
        && receipt["kind"] == "stop"
        && receipt["seat"] == "main"
        && receipt["partial"] != true
        && require.iter().all(is_green)
}

/// The digests of the receipts that stand in task journals whose chain is whole.
fn vouched(plan: &Plan) -> HashSet<String> {
    let journals = fs::read_dir(plan.state.dir().join("tasks")).into_iter().flatten().flatten();
    let paths = journals.map(|entry| entry.path());
    let whole = paths.filter(|path| journal::verify(path).is_ok_and(|chain| chain.broken.is_empty()));
    let records = whole.flat_map(|path| journal::read(&path).unwrap_or_default());
    records.filter(|record| record.kind == "receipt").map(|record| record.text("sha256").to_string()).collect()
}
