//! The guards in another worktree of the repository, if the session works there when it stops.

use crate::guards::Inspection;
use review_gate::donefile::Guards;
use review_gate::event::{Event, Finding};
use review_gate::snapshot::changes;
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::sys::digest::sha256_parts;
use review_gate::sys::error::Result;

/// The findings about the changes there since the fork point, with paths that name the worktree.
pub fn findings(event: &Event, guards: &Guards) -> Result<Vec<Finding>> {
    let Some(other) = event.of_worktree() else { return Ok(Vec::new()) };
    // The task has the ignore rules of its begin, so that no later rule hides a file.
    let workspace = Workspace::of(&other)?;
    let now = workspace.look(&other)?;
    let Some(compared) = changes::compare_with_fork_point(&other, &workspace.state, &now)? else {
        return Ok(Vec::new());
    };
    let mut inspection = Inspection::new(&other, guards);
    inspection.inspect(&workspace, &compared, &now)?;
    let name = workspace::worktree_name(&event.root, &other.root);
    let place = |mut finding: Finding| {
        // The same finding about the root has another key, so that a waiver covers only one of them.
        finding.key = sha256_parts(&[finding.key.as_bytes(), name.as_bytes()])[..16].to_string();
        match &finding.path {
            Some(path) => finding.path = Some(format!("{name}/{path}")),
            None => finding.text = format!("{} (in {name})", finding.text),
        }
        finding
    };
    Ok(inspection.found.into_iter().map(place).collect())
}
