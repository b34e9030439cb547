//! The checks in another worktree of the repository, if the session works there when it stops. What fails there is a finding.

use crate::{CheckSection, RgCheck};
use review_gate::answer;
use review_gate::event::{Check, CheckEnd, Event, Finding, Level, Rule, Stage};
use review_gate::snapshot::changes;
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::sys::clock;
use review_gate::sys::error::Result;

/// Runs the checks of the task's DONE.md there, unless no file differs from the fork point. The verdict stays about the root.
pub fn judge(tool: &RgCheck, event: &Event, section: &mut CheckSection) -> Result<()> {
    let Some(other) = event.of_worktree() else { return Ok(()) };
    let workspace = Workspace::of(&other)?;
    // The root's verdict reports a definition that cannot be used.
    let Some(done) = workspace.usable_donefile(&other) else { return Ok(()) };
    let before = workspace.look(&other)?;
    let taken = clock::file_nanos();
    let base = changes::compare_with_fork_point(&other, &workspace.state, &before)?;
    if base.is_none_or(|compared| compared.changes.is_empty()) {
        return Ok(());
    }
    let name = workspace::worktree_name(&event.root, &other.root);
    let can_reuse = !before.is_blind(None);
    let results = tool.results(&other, &workspace, &done, (&before, taken), can_reuse)?;
    let find = |rule: Rule, level, what: &str, text| {
        Finding::new(Stage::Check, rule, level, None, &format!("{what} in {name}"), text)
    };
    for check in results.checks.iter().filter(|check| !check.is_green()) {
        let how = answer::how_it_ended(check);
        let finding = match check.ended {
            CheckEnd::NotRun => {
                let text = format!("check \"{}\" could not be judged in {name}: {}", check.name, check.tail);
                find(Rule::CheckNotRun, Level::Inconclusive, &check.name, text)
            }
            _ => {
                find(Rule::CheckFailed, Level::Error, &check.name, format!("check \"{}\" {how} in {name}", check.name))
            }
        };
        section.find(finding);
    }
    for (what, text) in results.changes.reports() {
        section.find(find(Rule::CheckWrote, Level::Inconclusive, &what, format!("{text} (in {name})")));
    }
    let named = results.checks.into_iter().map(|check| Check { name: format!("{} in {name}", check.name), ..check });
    section.own.checks.extend(named);
    Ok(())
}
