//! land.jsonl: what is about to land, and what did. On disk before anything is pushed.

use crate::TOOL;
use crate::plan::Plan;
use crate::verify::Verified;
use review_gate::error::{Error, Result};
use review_gate::journal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;

/// One landing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Landing {
    /// The branch, by its whole name.
    pub branch: String,
    /// Its tip.
    pub tip: String,
    /// The local name of the base.
    pub base: String,
    /// The remote; None where nothing was pushed.
    #[serde(default)]
    pub remote: Option<String>,
    /// Where the base was.
    pub old: String,
    /// The commit that lands.
    pub new: String,
    /// The receipt that covers it.
    pub receipt: String,
    /// The files.
    pub snapshot: String,
}

impl Landing {
    /// The landing of `new` on `old`.
    pub fn new(plan: &Plan, old: &str, new: &str, verified: &Verified) -> Landing {
        Landing {
            branch: plan.branch.clone(),
            tip: plan.tip.clone(),
            base: plan.base.clone(),
            remote: plan.remote.as_ref().map(|remote| remote.name.clone()),
            old: old.to_string(),
            new: new.to_string(),
            receipt: verified.receipt.clone(),
            snapshot: verified.snapshot.clone(),
        }
    }
}

fn path(plan: &Plan) -> PathBuf {
    plan.state.dir().join("land.jsonl")
}

/// Writes a record, and waits until it is on disk.
pub fn write(plan: &Plan, kind: &str, landing: &Landing) -> Result<()> {
    let path = path(plan);
    plan.state.append(&path, TOOL.name, kind, landing)?;
    File::open(&path).and_then(|file| file.sync_all()).map_err(|e| Error::io("sync", &path, &e))
}

fn of_branch(plan: &Plan) -> Vec<Landing> {
    let records = journal::read(&path(plan)).unwrap_or_default();
    let landings = records.into_iter().filter(|record| matches!(record.kind.as_str(), "landing" | "landed"));
    let landings = landings.filter_map(|record| Landing::deserialize(&Value::Object(record.fields)).ok());
    landings.filter(|landing| landing.branch == plan.branch && landing.base == plan.base).collect()
}

/// A landing of this very tip that the base holds: somebody killed us after it.
pub fn landed(plan: &Plan, upstream: &str) -> Result<Option<Landing>> {
    for landing in of_branch(plan).into_iter().rev().filter(|landing| landing.tip == plan.tip) {
        // A commit that is not here at all is on no base of ours.
        if plan.repository.tip(&landing.new)?.is_some() && plan.repository.descends(upstream, &landing.new)? {
            return Ok(Some(landing));
        }
    }
    Ok(None)
}

/// The tip of a branch that is gone because it landed.
pub fn tip_of_landed(plan: &Plan) -> Option<String> {
    of_branch(plan).pop().map(|landing| landing.tip)
}
