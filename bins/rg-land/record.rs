//! Writes land.jsonl: what is about to land, and what landed. A record is on disk before anything is pushed.

use crate::plan::Plan;
use crate::verify::Verified;
use crate::{TOOL, landings};
use review_gate::store::record::{Landing, NewRecord};
use review_gate::sys::error::Result;
use review_gate::sys::files;

/// The record of the landing of `new` on `old`.
pub fn landing(plan: &Plan, old: &str, new: &str, verified: &Verified) -> Landing {
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

/// Writes a record and waits until it is on disk.
pub fn write(plan: &Plan, draft: impl Into<NewRecord>) -> Result<()> {
    let path = plan.state.land();
    plan.state.append(&path, TOOL.name, draft)?;
    files::sync(&path)
}

/// An earlier landing of this tip that the base contains: an earlier run was killed after its push.
pub fn earlier_landing(plan: &Plan, upstream: &str) -> Result<Option<Landing>> {
    for landing in landings::of_branch(&plan.state, &plan.branch, &plan.base)
        .into_iter()
        .rev()
        .filter(|landing| landing.tip == plan.tip)
    {
        // A commit that is not in this repository is not on its base.
        if plan.repository.tip(&landing.new)?.is_some() && plan.repository.is_descendant(upstream, &landing.new)? {
            return Ok(Some(landing));
        }
    }
    Ok(None)
}
