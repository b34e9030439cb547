//! Sealing: the receipt is written and on disk before its record says so; a stop that was opened is closed.

use crate::TOOL;
use review_gate::answer;
use review_gate::donefile::ReviewSpec;
use review_gate::event::outcome::{self, Row};
use review_gate::event::{CheckEnd, Event, Outcome, ReceiptFields, Section, Stage, Verdict};
use review_gate::review::record::Reviews;
use review_gate::snapshot::definition::Basis;
use review_gate::store::journal;
use review_gate::store::receipt::{Policy, Receipt};
use review_gate::store::record::{Close, Given, NewRecord, Run, Sealed, Standing};
use review_gate::store::state::{State, prune};
use review_gate::store::task::{self, Task};
use review_gate::sys::clock;
use review_gate::sys::digest;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::ids;
use std::path::PathBuf;
use std::time::Duration;

/// How many receipts are kept at least, and for how long at least.
const KEPT: usize = 200;
const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// What this tool says.
pub type Said = Section<ReceiptFields>;

/// Seals what was decided about this event, or closes it where nothing was owed. What was decided for a task must be about a
/// stop that was opened there and is not closed yet, and a `done` about files over which a run is on record.
pub fn seal(event: &Event, said: &mut Said) -> Result<()> {
    let state = State::of_event(event)?;
    // A look at somebody's task by hand leaves nothing in its journal.
    let task = if outcome::is_counted(event) { task::of_event(event)? } else { None };
    if let Some(task) = &task {
        held_against_journal(event, task)?;
    }
    let ruling = outcome::ruling(event);
    let Some(word) = ruling.word else {
        return task.map_or(Ok(()), |task| close(event, &task));
    };
    if let Some(task) = task.as_ref().filter(|_| word == Outcome::Done) {
        held_against_runs(event, &state)?;
        held_against_reviews(event, task)?;
    }
    let id = ids::ulid(&["receipt", &event.id]);
    let sealed = ReceiptFields { outcome: Some(word), receipt: Some(id.clone()) };
    let unsealed = std::mem::replace(&mut said.own, sealed);
    let event = &event.with(said);
    let reason = answer::reason_digest(event);
    let by_tool = format!("{}/{}", TOOL.name, review_gate::tool::cli::VERSION);
    let decided = (word, answer::why(event, word));
    let receipt = Receipt::of(event, &id, by_tool, decided, ruling, policy(event));
    let sealed = write(&state, task.as_ref(), event, &receipt, reason);
    if sealed.is_err() {
        said.own = unsealed;
    } else {
        prune(&state.receipts(), KEPT, KEPT_FOR);
        // A task goes whole, when nobody has written to it for as long.
        prune(&state.dir().join("tasks"), KEPT, KEPT_FOR);
    }
    sealed
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
    let sealed = Sealed {
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
    };
    task.append(TOOL.name, NewRecord::new(sealed).for_process(event.pid)).map(drop)
}

/// The stop must have been opened for this budget owner, and not be closed.
fn held_against_journal(event: &Event, task: &Task) -> Result<()> {
    let open = task.ledger.unclosed().find(|stop| stop.open.event == event.id);
    match open {
        Some(stop) if stop.open.budget_owner == event.budget_owner => Ok(()),
        _ => Err(Error::unverified(format!("this stop is not open in task {}: not sealed", task.id))),
    }
}

/// Green checks must be on record for these very files.
fn held_against_runs(event: &Event, state: &State) -> Result<()> {
    let passed = event.has_verdict(&Stage::Check, Verdict::Pass);
    let snapshot = event.snapshot().unwrap_or("");
    let runs: Vec<Run> = journal::search(&state.checks(&event.root), snapshot)?;
    let is_green = |run: &Run| {
        let all_passed = run.checks.iter().all(|check| check.ended == CheckEnd::Passed);
        run.wrote.is_empty() && !run.checks.is_empty() && all_passed
    };
    let last = runs.iter().rfind(|run| run.snapshot == snapshot);
    if passed && !last.is_some_and(is_green) {
        return Err(Error::unverified("no green run of the checks over these files is on record: not sealed"));
    }
    if !event.passed(&Stage::Bounce) {
        return Err(Error::unverified("rg-bounce did not run: not sealed"));
    }
    Ok(())
}

/// An approval must be on record for these very files where the person asked for one, or a judge says that there is one.
fn held_against_reviews(event: &Event, task: &Task) -> Result<()> {
    let passed = event.has_verdict(&Stage::ReviewState, Verdict::Pass);
    let is_approved = |given: &Given| {
        given.standing == Standing::Approved
            && given.snapshot.is_some()
            && given.snapshot.as_deref() == event.snapshot()
    };
    if passed && !Reviews::of(Some(task)).given.iter().any(is_approved) {
        return Err(Error::unverified("no approval of these files is on record: not sealed"));
    }
    let by_definition = || -> Result<bool> {
        let done = Basis::of_task(event, Some(task.clone()))?.donefile(event)?;
        let is_armed = done.is_some_and(|done| done.review != ReviewSpec::default());
        Ok(is_armed && task.prompts.is_review_asked() != Some(false))
    };
    if !event.passed(&Stage::ReviewState) && (task.prompts.is_review_asked() == Some(true) || by_definition()?) {
        return Err(Error::unverified(format!(
            "{} did not run, and a review may be owed: not sealed",
            Stage::ReviewState
        )));
    }
    Ok(())
}

/// Nothing was owed after all: the stop that was opened ends without a word.
fn close(event: &Event, task: &Task) -> Result<()> {
    let why = event.verdicts().first().map_or("nothing owed", |judged| judged.why.as_str());
    task.append(TOOL.name, Close { event: event.id.clone(), why: why.to_string() }).map(drop)
}

/// Digests of what decided: the definition of done, the hooks, the programs that the event passed through.
fn policy(event: &Event) -> Policy {
    let of_file = |path: PathBuf| digest::sha256_file(&mut files::open_following(&path).ok()??).ok();
    // Under a pinned clock a receipt is the same every time, whatever was built.
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
