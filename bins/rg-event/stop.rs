//! Stops: opened in the task's journal before they are judged, and deferred while other agents run. A stop is judged even if the
//! session's records are missing.

use crate::{TOOL, authorship, begin, cut, hook_origin, schedule, session};
use review_gate::event::{
    Action, Background, BudgetOwner, Client, Draft, Event, Finding, Level, Origin, Rule, Stage, State as Presence,
};
use review_gate::review;
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::ReceiptFile;
use review_gate::store::record::{Body, Close, FrameStep, NewRecord, Open, Record, ReviewStep, TracedEvent};
use review_gate::store::state::State;
use review_gate::store::survey::Survey;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::tool::intake;
use std::collections::HashSet;

/// Opens a session's stop, and defers it while another agent runs.
pub fn open(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let lists_some = event.scheduled.as_ref().is_some_and(|list| !list.is_empty());
    if lists_some || task.as_ref().is_some_and(|task| task.has_scheduled) || schedule::has_file(event) {
        schedule::update(event)?;
    }
    if task.is_none() {
        session::report_lost_task(event)?;
    }
    // A run ends with a receipt, even if nothing was required.
    let is_failed_run = event.run.as_ref().is_some_and(|run| run.failure.is_some());
    if event.required().is_empty() && event.looping.is_none() && !is_failed_run {
        // The agent may have removed the DONE.md of a session without records, so the committed one decides.
        let is_unrecorded = task.is_none() && event.client != Client::Text;
        if !is_unrecorded {
            return Ok(());
        }
        let committed = workspace::donefile_of_head(&event.root);
        if let Ok(None) = committed {
            // If the session was judged before, something was required.
            let state = State::of_event(event)?;
            if !was_judged(&state, event.session_key().unwrap_or("")) {
                return Ok(());
            }
            intake::require_review(event, "the records of this session are missing");
        } else {
            intake::require_checks(event);
            committed?;
        }
    }
    let task = task.map(|task| cut::record(event, task)).transpose()?;
    hook_origin::set(event);
    // A stop with another hook origin has a budget of its own, and finishes no task.
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
        if event.client != Client::Text {
            let how = "If you restarted the client, quit it and resume the session";
            event.tell(format!(
                "review-gate: the process that ended this turn is not the one that began the session. {how}"
            ));
        }
    }
    // If the proof fails, the stop is judged.
    if let Some(task) = task.as_ref().filter(|task| authorship::is_by_others(event, task).unwrap_or(false)) {
        return pass_over(event, task);
    }
    let state = State::of_event(event)?;
    set_worktree(&state, event);
    let task = match task {
        Some(task) => task,
        None => {
            let task = begin::begin(&state, event, Presence::Missing, begin::Files::Unknown, "no record")?;
            let finding = missing_records(&state, event);
            event.find(finding);
            task
        }
    };
    if let Some(at) = task.first_edited_record() {
        let text = format!("the journal of this task was edited before record {at}");
        event.find(Finding::new(Stage::Event, Rule::JournalEdited, Level::Tampered, None, "", text));
    }
    let own = event.helpers().find(|one| is_own_reviewer(&task, &one.id)).cloned();
    let others = if own.is_some() { Vec::new() } else { helpers_to_wait_for(&task, event) };
    // A review that the gate asked for after a bounce is no news.
    let is_review = own.is_some();
    let running = own.or_else(|| others.first().cloned()).filter(|_| !event.is_gate_waived());
    let ids = others.into_iter().map(|one| one.id).filter(|_| running.is_some());
    record_open(event, &task, ids.collect())?;
    if let Some(running) = running {
        let what = running.description.as_deref().unwrap_or(&running.id);
        let kind = running.kind.name();
        let reason = format!("deferred to the next stop: {kind} is running ({what})");
        // Otherwise the turn could end after a bounce without a word.
        let bounced = task.ledger.since_user(&BudgetOwner::Main, event.pid);
        if !is_review
            && bounced.iter().any(|entry| entry.sealed.as_ref().is_some_and(|sealed| sealed.reply == Action::Block))
        {
            event.tell(format!("review-gate: not done yet: a stop was bounced, and this one is {reason}"));
        }
        event.reply(Action::Allow, reason);
    }
    Ok(())
}

/// Ends the stop of a session that cannot have changed the files: no judge is required. The task goes on with its baseline, so that a
/// later stop judges these changes, too.
fn pass_over(event: &mut Draft, task: &Task) -> Result<()> {
    const WHY: &str = "the files changed, but not by this session";
    record_open(event, task, Vec::new())?;
    task.append(TOOL.name, Close { event: event.id.clone(), why: WHY.to_string(), snapshot: None })?;
    let source = event.set();
    source.required_at_intake.clear();
    // Without a definition of done no judge is concerned.
    source.donefile = None;
    event.tell(format!("review-gate: {WHY}: not judged"));
    Ok(())
}

/// Sets the other worktree in which the session works, unless another client works on a task of its own there.
fn set_worktree(state: &State, event: &mut Draft) {
    let Some(other) = workspace::other_worktree(&event.root, &event.cwd).filter(|_| event.client != Client::Text)
    else {
        return;
    };
    let survey = Survey::of(state);
    if !survey.is_worked_on(&other, event.task.as_deref(), event.pid) {
        event.set().worktree = Some(other);
    }
}

/// Opens a subagent's stop, which is never deferred.
pub fn open_subagents(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let is_reviewer = review::is_reviewer(event);
    let Some(task) = task.filter(|_| is_reviewer || !event.required().is_empty()) else { return Ok(()) };
    hook_origin::set(event);
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
    }
    record_open(event, &task, Vec::new())
}

fn record_open(event: &Event, task: &Task, deferred_for: Vec<String>) -> Result<()> {
    let open = Open {
        event: event.id.clone(),
        budget_owner: event.budget_owner.clone(),
        turn: event.turn.clone(),
        until: event.until,
        deferred_for,
    };
    task.append(TOOL.name, NewRecord::new(open).for_process(event.pid)).map(drop)
}

/// Whether the agent `id` is the reviewer that the gate opened a call for: every stop waits for it.
fn is_own_reviewer(task: &Task, id: &str) -> bool {
    let mut has_begun = false;
    for step in task.journal.of::<ReviewStep>() {
        match step {
            ReviewStep::Began(began) if began.agent == id => has_begun = true,
            ReviewStep::Decided(given) if given.by == id => return false,
            ReviewStep::Uninvited { agent, .. } if agent == id => return false,
            _ => {}
        }
    }
    has_begun
}

/// The running agents for which this stop is deferred, those that it was never deferred for first. Empty if each of them deferred a
/// stop before, or if the last stop was deferred for such agents: then this one is judged, whatever still runs.
fn helpers_to_wait_for(task: &Task, event: &Event) -> Vec<Background> {
    // In a loop each iteration may wait: the stop after it is judged, and iterations are limited.
    let is_step = |record: &Record| matches!(record.body, Body::Frame(FrameStep::Next(_)));
    let step = task.journal.records().rfind(|(_, record)| is_step(record)).filter(|_| event.looping.is_some());
    let waited: HashSet<&str> = task.ledger.deferred_for(step.map_or(0, |(line, _)| line.number)).collect();
    let mut running: Vec<Background> = event.helpers().cloned().collect();
    let is_known = |one: &Background| waited.contains(one.id.as_str());
    let was_last = task.ledger.deferred_stop().is_some_and(|stop| !stop.open.deferred_for.is_empty());
    if was_last || running.iter().all(is_known) {
        return Vec::new();
    }
    running.sort_by_key(is_known);
    running
}

/// The finding about a session without records; somebody may have removed them.
fn missing_records(state: &State, event: &Event) -> Finding {
    let session = event.session_key().unwrap_or("");
    let was_judged = was_judged(state, session);
    let (level, text) = match (was_judged, event.repeat) {
        (true, _) => (Level::Tampered, "the records of this session were removed after it was judged"),
        (false, true) => {
            (Level::Inconclusive, "the records of this session are missing, but a hook blocked a stop of it")
        }
        (false, false) => (Level::Note, "no prompt of this session is on record: there is no baseline of the files"),
    };
    Finding::new(Stage::Event, Rule::StateMissing, level, None, session, text)
}

/// Whether the trace or a receipt shows that a session was judged.
fn was_judged(state: &State, session: &str) -> bool {
    let trace = Journal::open(&state.trace(session)).unwrap_or_default();
    trace.of::<TracedEvent>().any(|traced| traced.receipt.is_some()) || is_in_receipts(state, session)
}

fn is_in_receipts(state: &State, session: &str) -> bool {
    let needle = serde_json::to_string(session).unwrap_or_default();
    let mut texts = ReceiptFile::all(state).into_iter().filter_map(|filed| filed.bytes().ok());
    texts.any(|bytes| memchr::memmem::find(&bytes, needle.as_bytes()).is_some())
}
