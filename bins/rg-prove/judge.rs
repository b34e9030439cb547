//! The filter: proves the change of a stop where DONE.md asks for it.

use crate::copy;
use crate::experiments::{self, Executed};
use crate::plan::Plan;
use crate::report::Report;
use crate::runs::Runs;
use review_gate::donefile::{ProofSpec, ProofTime};
use review_gate::event::{Event, Level, ProveFields, Section, Stage, Verdict};
use review_gate::review;
use review_gate::snapshot::workspace::Workspace;
use review_gate::sys::clock::Time;
use review_gate::sys::error::Result;
use review_gate::sys::text::count;
use std::time::Duration;

/// What is left of the time until the client stops listening, for the stages that follow.
const MARGIN: Duration = Duration::from_secs(60);

/// Whether a stop may have to be proved. A change is proved only if it is done otherwise.
pub fn concerns(event: &Event) -> bool {
    event.is_open_stop()
        && event.agent.is_none()
        && event.donefile.is_some()
        && event.has_verdict(&Stage::Check, Verdict::Pass)
        && event.verdicts().iter().all(|judged| matches!(judged.verdict, Verdict::Pass | Verdict::NotRequired))
}

/// Proves the change of a stop, or of a landing, if DONE.md asks for it.
pub fn judge(is_landing: bool, event: &Event, section: &mut Section<ProveFields>) -> Result<()> {
    let workspace = Workspace::of(event)?;
    let Some(done) = workspace.usable_donefile(event) else { return Ok(()) };
    if !is_due(&done.proof, event, is_landing) {
        return Ok(());
    }
    copy::prepare();
    let Some(plan) = Plan::of_event(event, &workspace)? else { return Ok(()) };
    if let Some(snapshot) = event.snapshot() {
        section.set_snapshot(snapshot.to_string());
    }
    let spec = &plan.spec;
    let left = event.until.map(Time::remaining).map(|left| left.saturating_sub(MARGIN.min(left / 4)));
    let limit = spec.limit().min(left.unwrap_or(Duration::MAX));
    let executed: Executed =
        event.checks().iter().filter_map(|check| Some((check.name.clone(), check.tests.as_ref()?.executed))).collect();
    let runs = Runs::new(&plan, limit, spec.jobs, false);
    let report = experiments::run(&plan, &runs, spec.changes, &executed)?;
    report.event_findings().for_each(|finding| section.find(finding));
    let (verdict, why) = verdict(&plan, &report);
    // A warning blocks nothing, so that only the user reads it.
    if let Some(gap) = report.findings.first() {
        let more = if report.findings.len() > 1 {
            format!(" (and {} more)", report.findings.len() - 1)
        } else {
            String::new()
        };
        section.tell(format!("review-gate: {}{more}. `rg-prove --now` shows all", gap.text));
    }
    section.judge(verdict, why);
    Ok(())
}

/// Whether DONE.md asks for a proof at this event.
fn is_due(spec: &ProofSpec, event: &Event, is_landing: bool) -> bool {
    match spec.when {
        ProofTime::Never => false,
        ProofTime::Land => is_landing,
        ProofTime::Unattended => is_landing || review::is_unattended(event),
        ProofTime::Always => true,
    }
}

/// The verdict. If nothing could be compared, nothing is known where a finding would count.
fn verdict(plan: &Plan, report: &Report) -> (Verdict, String) {
    let first = || report.not_comparable.first().cloned().unwrap_or_default();
    let blocks = report.findings.iter().any(|gap| gap.level == Level::Error);
    match (report.findings.len(), report.is_without_result()) {
        (0, true) if plan.spec.blocks() => (Verdict::Inconclusive, format!("not comparable: {}", first())),
        (0, true) => (Verdict::Pass, format!("not comparable: {}", first())),
        (0, false) => (Verdict::Pass, format!("the tests prove the change: {}", report.proved.join("; "))),
        (n, _) if blocks => (Verdict::Fail, format!("{} of the tests", count(n, "gap"))),
        (n, _) => (Verdict::Pass, format!("{} of the tests", count(n, "gap"))),
    }
}
