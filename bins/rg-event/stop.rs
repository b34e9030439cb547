//! Stops: opened in the task's journal before they are judged, and deferred while other agents run. A stop is judged even if the
//! session's records are missing.

use crate::{TOOL, begin, hook_origin, schedule, session};
use review_gate::event::{
    Action, BudgetOwner, Client, Draft, Event, Finding, Level, Origin, Rule, Stage, State as Presence,
};
use review_gate::review;
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::ReceiptFile;
use review_gate::store::record::{Body, FrameStep, NewRecord, Open, Record, ReviewStep, TracedEvent};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::tool::intake;

/// Opens a session's stop, and defers it while another agent runs.
pub fn open(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let lists_some = event.scheduled.as_ref().is_some_and(|list| !list.is_empty());
    if lists_some || task.as_ref().is_some_and(|task| task.has_scheduled) || schedule::has_file(event) {
        schedule::update(event)?;
    }
    if task.is_none() {
        session::report_lost_task(event)?;
    }
    if event.required().is_empty() && event.looping.is_none() {
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
    hook_origin::set(event);
    // A stop with another hook origin has a budget of its own, and finishes no task.
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
    }
    let state = State::of_event(event)?;
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
    record_open(event, &task)?;
    let own = event.helpers().find(|one| is_own_reviewer(&task, &one.id));
    let other = || event.helpers().next().filter(|_| !was_deferred(&task, event));
    if let Some(running) = own.or_else(other).filter(|_| !event.is_gate_waived()) {
        let what = running.description.as_deref().unwrap_or(&running.id);
        let kind = running.kind.name();
        let reason = format!("deferred to the next stop: {kind} is running ({what})");
        event.reply(Action::Allow, reason);
    }
    Ok(())
}

/// Opens a subagent's stop, which is never deferred.
pub fn open_subagents(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let is_reviewer = review::is_reviewer(event);
    let Some(task) = task.filter(|_| is_reviewer || !event.required().is_empty()) else { return Ok(()) };
    hook_origin::set(event);
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
    }
    record_open(event, &task)
}

fn record_open(event: &Event, task: &Task) -> Result<()> {
    let open = Open {
        event: event.id.clone(),
        budget_owner: event.budget_owner.clone(),
        turn: event.turn.clone(),
        until: event.until,
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

/// Whether a stop was already deferred since the user's last prompt, or in a loop since its last iteration.
fn was_deferred(task: &Task, event: &Event) -> bool {
    let prompt = task.ledger.last_user_prompt(event.pid);
    let is_step = |record: &Record| matches!(record.body, Body::Frame(FrameStep::Next(_)));
    let step = task.journal.records().rfind(|(_, record)| is_step(record)).filter(|_| event.looping.is_some());
    let since = prompt.max(step.map_or(0, |(line, _)| line.number));
    // Deferrals for our own reviewer do not count.
    task.ledger.deferred().any(|line| line > since && !is_reviewer_at_work(task, line))
}

/// Whether a reviewer began before the line `line` and had not decided there.
fn is_reviewer_at_work(task: &Task, line: usize) -> bool {
    let mut at_work: Vec<&str> = Vec::new();
    let before = task.journal.records().take_while(|(at, _)| at.number < line);
    for step in before.filter_map(|(_, record)| <&ReviewStep>::try_from(&record.body).ok()) {
        match step {
            ReviewStep::Began(began) => at_work.push(&began.agent),
            ReviewStep::Decided(given) => at_work.retain(|agent| *agent != given.by),
            _ => {}
        }
    }
    !at_work.is_empty()
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
