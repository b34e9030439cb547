//! Seals receipts: the file is on disk before its record is written. A stop at which nothing was required is closed without a receipt.

use crate::TOOL;
use review_gate::answer;
use review_gate::donefile::ReviewSpec;
use review_gate::event::outcome::{self, Row};
use review_gate::event::{Event, Outcome, ReceiptFields, ReviewState, Section, Stage, Verdict};
use review_gate::review::record::Reviews;
use review_gate::snapshot;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::journal;
use review_gate::store::receipt::{Policy, Receipt};
use review_gate::store::record::{CheckedDecision, Close, NewRecord, Run, SealedReceipt, Standing};
use review_gate::store::retention::{KEPT, KEPT_FOR, prune};
use review_gate::store::state::State;
use review_gate::store::task::{self, Task};
use review_gate::sys::clock;
use review_gate::sys::digest;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::talk::announcement::announce;
use std::path::PathBuf;

pub type ReceiptSection = Section<ReceiptFields>;

/// Seals the decision about an event, or closes the stop if nothing was required. The stop must be open in the task's journal, and a
/// `done` needs a recorded run of the checks on these files.
pub fn seal(event: &Event, section: &mut ReceiptSection) -> Result<()> {
    let state = State::of_event(event)?;
    // A manual event leaves the task's journal unchanged.
    let task = if outcome::is_counted(event) { task::of_event(event)? } else { None };
    if let Some(task) = &task {
        require_open(event, task)?;
    }
    let ruling = outcome::ruling(event);
    let Some(outcome) = ruling.outcome else {
        return task.map_or(Ok(()), |task| close(event, &task));
    };
    if let Some(task) = task.as_ref().filter(|_| outcome == Outcome::Done) {
        require_run(event, &state)?;
        require_review(event, task)?;
    }
    let id = ids::ulid(&["receipt", &event.id]);
    let fields = ReceiptFields { outcome: Some(outcome), receipt: Some(id.clone()) };
    let unsealed = std::mem::replace(&mut section.own, fields);
    let event = &event.with(section);
    let reason = answer::reason_digest(event);
    let by_tool = format!("{}/{}", TOOL.name, review_gate::tool::cli::VERSION);
    let decision = (outcome, answer::why(event, outcome));
    let receipt = Receipt::of(event, &id, by_tool, decision, ruling, policy(event));
    let result = write(&state, task.as_ref(), event, &receipt, reason);
    if result.is_err() {
        section.own = unsealed;
    } else {
        prune(&state.receipts(), KEPT, KEPT_FOR);
        prune(&state.dir().join("tasks"), KEPT, KEPT_FOR);
    }
    result
}

/// Writes the receipt, then the record that seals it.
fn write(
    state: &State,
    task: Option<&Task>,
    event: &Event,
    receipt: &Receipt,
    reason_sha256: Option<String>,
) -> Result<()> {
    let bytes = receipt.bytes()?;
    state.write_whole(&state.receipt(&receipt.id), &bytes, true)?;
    let Some(task) = task else { return Ok(()) };
    let sealed = SealedReceipt {
        event: event.id.clone(),
        budget_owner: event.budget_owner.clone(),
        outcome: receipt.outcome,
        reply: receipt.reply,
        reason_sha256,
        bounce: event.bounce().cloned(),
        keys: answer::open_keys(event),
        snapshot: event.snapshot().map(str::to_string),
        receipt: receipt.id.clone(),
        file: format!("receipts/{}.json", ids::file_name(&receipt.id)),
        sha256: digest::sha256(&bytes),
        ended: event.ended().cloned(),
        deferred: receipt.row == Row::Deferred,
        awaits_user: matches!(receipt.outcome, Outcome::Unverified | Outcome::Abandoned) && answer::awaits_user(event),
    };
    if sealed.awaits_user || matches!(sealed.outcome, Outcome::Done | Outcome::Waived) {
        keep_files(state, event);
    }
    // The same files that are judged again are no news.
    let is_known = |last: &SealedReceipt| last.outcome == Outcome::Done && last.snapshot == sealed.snapshot;
    let is_news = sealed.outcome == Outcome::Done
        && event.agent.is_none()
        && !task.ledger.last_of_session().is_some_and(is_known);
    task.append(TOOL.name, NewRecord::new(sealed).for_process(event.pid))?;
    if is_news {
        announce(&event.root, &format!("task:{}", task.id), "gate", &format!("DONE: receipt {}", receipt.id));
    }
    Ok(())
}

/// Keeps the manifest of the judged files, so that the session's next task can tell what changed since. Without it, that task only
/// knows that something changed.
fn keep_files(state: &State, event: &Event) {
    let Some(digest) = event.snapshot().filter(|_| event.agent.is_none()) else { return };
    if state.read_blob(digest).is_ok() {
        return;
    }
    // The stat cache may be of an earlier snapshot, because it is not written after each one.
    let look = || Workspace::of(event).ok()?.look(event).ok().filter(|files| files.digest() == digest);
    if let Some(files) = snapshot::recall(&event.root, digest, state).or_else(look) {
        // A failed write only makes the next task's notice less exact.
        let _ = state.keep_blob(&files.manifest());
    }
}

/// Fails unless the stop is open for this budget owner in the task's journal.
fn require_open(event: &Event, task: &Task) -> Result<()> {
    let open = task.ledger.unclosed_stops().find(|stop| stop.open.event == event.id);
    match open {
        Some(stop) if stop.open.budget_owner == event.budget_owner => Ok(()),
        _ => Err(Error::unverified(format!("not sealed: the stop is not open in task {}", task.id))),
    }
}

/// Fails if the checks passed without a recorded green run on these files, or if rg-bounce did not run.
fn require_run(event: &Event, state: &State) -> Result<()> {
    let passed = event.has_verdict(&Stage::Check, Verdict::Pass);
    let snapshot = event.snapshot().unwrap_or("");
    let runs: Vec<Run> = journal::search(&state.checks(&event.root), snapshot)?;
    let is_green = |run: &Run| {
        let all_passed = run.checks.iter().all(|check| check.is_green());
        run.wrote.is_empty() && !run.checks.is_empty() && all_passed
    };
    let last = runs.iter().rfind(|run| run.snapshot == snapshot);
    if passed && !last.is_some_and(is_green) {
        return Err(Error::unverified("not sealed: no green run of the checks on these files is on record"));
    }
    if !event.passed(&Stage::Bounce) {
        return Err(Error::unverified("not sealed: rg-bounce did not run"));
    }
    Ok(())
}

/// Fails if the review passed without a recorded approval of these files, or if a review may be required and was not judged.
fn require_review(event: &Event, task: &Task) -> Result<()> {
    // `review.mode` leaves out a stop because the loop continues after it.
    if event.review().is_some_and(|review| review.state == ReviewState::Skipped) {
        return Err(Error::unverified("not sealed: no reviewer saw these files, and the loop did not continue"));
    }
    let passed = event.has_verdict(&Stage::ReviewState, Verdict::Pass);
    let is_approved = |given: &CheckedDecision| {
        given.standing == Standing::Approved
            && given.snapshot.is_some()
            && given.snapshot.as_deref() == event.snapshot()
    };
    if passed && !Reviews::of(Some(task)).decisions.iter().any(is_approved) {
        return Err(Error::unverified("not sealed: no approval of these files is on record"));
    }
    let by_definition = || -> Result<bool> {
        let done = Workspace::of_task(event, Some(task.clone()))?.donefile(event)?;
        let is_armed = done.is_some_and(|done| done.review != ReviewSpec::default());
        Ok(is_armed && task.prompts.is_review_asked() != Some(false))
    };
    if !event.passed(&Stage::ReviewState) && (task.prompts.is_review_asked() == Some(true) || by_definition()?) {
        return Err(Error::unverified(format!(
            "not sealed: {} did not run, and a review may be required",
            Stage::ReviewState
        )));
    }
    Ok(())
}

/// Closes a stop at which nothing was required.
fn close(event: &Event, task: &Task) -> Result<()> {
    let why = event.verdicts().first().map_or("nothing was required", |judged| judged.why.as_str());
    // A stop that continues a loop ends no turn.
    let is_quiet = outcome::ruling(event).row == Row::NotRequired;
    let snapshot = event.snapshot().filter(|_| is_quiet).map(str::to_string);
    task.append(TOOL.name, Close { event: event.id.clone(), why: why.to_string(), snapshot }).map(drop)
}

/// The digests of the definition of done, of the hooks, and of the programs that the event passed through.
fn policy(event: &Event) -> Policy {
    let of_file = |path: PathBuf| digest::sha256_file(&mut files::open_following(&path).ok()??).ok();
    // In tests with a pinned clock, receipts must not depend on the build.
    let bin = env::bin_dir().filter(|_| clock::pinned().is_none());
    let names = event.via().iter().map(|via| via.split('/').next().unwrap_or(""));
    let tools = names.filter_map(|name| {
        let sha256 = bin.as_ref().and_then(|bin| of_file(bin.join(ids::file_name(name))))?;
        Some((name.to_string(), sha256))
    });
    Policy {
        donefile: event.donefile.as_ref().map(|done| done.sha256.clone()),
        hooks: env::plugin_root().and_then(|root| of_file(root.join("hooks.json"))),
        tools: tools.collect(),
    }
}
