//! Receipts that say `done`, as far as a task's journal vouches for them.

use crate::plan::Plan;
use review_gate::baseline::Baseline;
use review_gate::digest::{raw, sha256};
use review_gate::error::Result;
use review_gate::event::{Check, CheckEnd, Outcome};
use review_gate::git::{Repository, TreeFile};
use review_gate::journal::{self, Record};
use review_gate::snapshot::{File, What};
use review_gate::task::Task;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;

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
        && receipt["budget_owner"] == "main"
        && receipt["partial"] != true
        && require.iter().all(is_green)
}

/// Whether everything that lands was judged in it: what the files were held against is on the base. A session that began on work
/// which is not there took that work as given.
pub fn is_of_all(plan: &Plan, scratch: &Repository, upstream: &str, receipt: &Value) -> Result<bool> {
    let Some(commit) = receipt["base"]["commit"].as_str() else { return Ok(false) };
    if !plan.repository.descends(upstream, commit)? {
        return Ok(false);
    }
    if receipt["base"]["kind"] != "task" {
        return Ok(true);
    }
    // Files that were changed and not committed when it began were taken as given, too.
    let task = Task::load(&plan.state, receipt["task"].as_str().unwrap_or_default());
    let Some(task) = task.ok().flatten() else { return Ok(false) };
    let is_its = |record: &&Record| record.kind == "baseline" && record.text("seat") == "main";
    let baselines = task.records.iter().filter(is_its);
    let baselines: Vec<Baseline> =
        baselines.filter_map(|record| Baseline::deserialize(&Value::Object(record.fields.clone())).ok()).collect();
    let tree = scratch.tree(commit)?;
    // A record that is gone says nothing; then the guards look.
    let is_clean = |baseline: &Baseline| {
        baseline.head.as_deref() == Some(commit)
            && baseline.files(&plan.state).is_ok_and(|files| is_same(scratch, &tree, &files))
    };
    Ok(!baselines.is_empty() && baselines.iter().all(is_clean))
}

/// Whether files are those of a commit, and no others. What is not known to be so is not so.
fn is_same(scratch: &Repository, tree: &[TreeFile], files: &[File]) -> bool {
    let same = |(then, now): (&TreeFile, &File)| {
        then.path == now.path
            && match (then.mode, now.entry.what) {
                (0o100644, What::File) | (0o100755, What::Executable) => then.id == now.id,
                (0o120000, What::Link) => fs::read_link(scratch.top.join(&now.path)).is_ok_and(|target| {
                    let target = target.as_os_str().as_bytes();
                    then.id.names("blob", target) && raw(target) == now.entry.sha256
                }),
                _ => false,
            }
    };
    tree.len() == files.len() && tree.iter().zip(files).all(same)
}

/// The digests of the receipts that stand in task journals whose chain is whole.
fn vouched(plan: &Plan) -> HashSet<String> {
    let journals = fs::read_dir(plan.state.dir().join("tasks")).into_iter().flatten().flatten();
    let paths = journals.map(|entry| entry.path());
    let whole = paths.filter(|path| journal::verify(path).is_ok_and(|chain| chain.broken.is_empty()));
    let records = whole.flat_map(|path| journal::read(&path).unwrap_or_default());
    records.filter(|record| record.kind == "receipt").map(|record| record.text("sha256").to_string()).collect()
}
