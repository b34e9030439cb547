//! Stops: opened in the task's journal before they are judged, deferred once while other agents run, and never taken for
//! "nothing to judge" because the records are gone.

use crate::{TOOL, begin, calling, session};
use review_gate::event::{
    Action, BudgetOwner, Client, Draft, Event, Finding, Level, Origin, Rule, Stage, State as Presence,
};
use review_gate::review;
use review_gate::snapshot::definition;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::Filed;
use review_gate::store::record::{Body, FrameStep, NewRecord, Open, Record, ReviewStep, Traced};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::tool::intake;

/// The agent says that it is finished.
pub fn opened(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let lists_some = event.scheduled.as_ref().is_some_and(|list| !list.is_empty());
    if lists_some || task.as_ref().is_some_and(|task| task.has_scheduled) {
        session::note_scheduled(event)?;
    }
    if task.is_none() {
        session::tell_gone(event)?;
    }
    if event.required().is_empty() && event.looping.is_none() {
        // Of a session that was never seen it is not known that nothing judges here: what is committed tells.
        let unseen = task.is_none() && event.client != Client::Text;
        if !unseen {
            return Ok(());
        }
        let committed = definition::donefile_of_head(&event.root);
        if let Ok(None) = committed {
            // Nothing judges here, unless it did.
            let state = State::of_event(event)?;
            if !was_judged(&state, event.session_key().unwrap_or("")) {
                return Ok(());
            }
            intake::owe_review(event, "the records of this session are gone");
        } else {
            intake::owe(event);
            committed?;
        }
    }
    calling::held_against_start(event);
    // A stop that came another way than this session's client calls spends a budget of its own, and finishes nothing.
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
    }
    let state = State::of_event(event)?;
    let task = match task {
        Some(task) => task,
        None => {
            let task = begin::begin(&state, event, Presence::Missing, begin::Files::Unknown, "no record")?;
            let finding = records_gone(&state, event);
            event.find(finding);
            task
        }
    };
    if let Some(at) = task.edited() {
        let text = format!("the journal of this task was edited before record {at}");
        event.find(Finding::new(Stage::Event, Rule::JournalEdited, Level::Tampered, None, "", text));
    }
    open(event, &task)?;
    let own = event.helpers().find(|one| is_own_reviewer(&task, &one.id));
    let other = || event.helpers().next().filter(|_| !was_deferred(&task, event));
    if let Some(running) = own.or_else(other).filter(|_| !event.gate_waived()) {
        let what = running.description.as_deref().unwrap_or(&running.id);
        let kind = running.kind.name();
        let reason = format!("deferred: {kind} still runs ({what}); judged at the next stop");
        event.reply(Action::Allow, reason);
    }
    Ok(())
}

/// A subagent says that it is finished: opened, and never deferred.
pub fn subagent(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let is_reviewer = review::is_reviewer(event);
    let Some(task) = task.filter(|_| is_reviewer || !event.required().is_empty()) else { return Ok(()) };
    calling::held_against_start(event);
    if event.origin == Origin::Manual {
        event.set().budget_owner = BudgetOwner::Manual;
    }
    open(event, &task)
}

fn open(event: &Event, task: &Task) -> Result<()> {
    let open = Open {
        event: event.id.clone(),
        budget_owner: event.budget_owner.clone(),
        turn: event.turn.clone(),
        until: event.until,
    };
    task.append(TOOL.name, NewRecord::new(open).for_process(event.pid)).map(drop)
}

/// Whether that agent is the reviewer that the gate opened a call for: it is waited for however often.
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

/// Once per prompt of the user's, and in a loop once per iteration: then it is judged, whatever still runs.
fn was_deferred(task: &Task, event: &Event) -> bool {
    let said = task.ledger.last_user_prompt(event.pid);
    let is_step = |record: &Record| matches!(record.body, Body::Frame(FrameStep::Next(_)));
    let step = task.journal.records().rfind(|(_, record)| is_step(record)).filter(|_| event.looping.is_some());
    let since = said.max(step.map_or(0, |(line, _)| line.number));
    // A stop that waited for our own reviewer counts for nobody else.
    task.ledger.deferred().any(|line| line > since && !is_reviewer_at_work(task, line))
}

/// Whether a reviewer had begun before that line and not decided.
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

/// A stop of a session of which no record stands: at worst somebody removed them.
fn records_gone(state: &State, event: &Event) -> Finding {
    let session = event.session_key().unwrap_or("");
    let traced = was_judged(state, session);
    let (level, text) = match (traced, event.repeat) {
        (true, _) => (Level::Tampered, "the records of this session are gone, though it was judged before"),
        (false, true) => {
            (Level::Inconclusive, "a hook kept this turn going before, but no record of this session stands")
        }
        (false, false) => {
            (Level::Note, "no prompt of this session was seen: there is nothing to compare the files with")
        }
    };
    Finding::new(Stage::Event, Rule::StateMissing, level, None, session, text)
}

/// Whether the trace or a receipt shows that a session was judged.
fn was_judged(state: &State, session: &str) -> bool {
    let trace = Journal::open(&state.trace(session)).unwrap_or_default();
    trace.of::<Traced>().any(|traced| traced.receipt.is_some()) || is_in_receipts(state, session)
}

fn is_in_receipts(state: &State, session: &str) -> bool {
    let needle = serde_json::to_string(session).unwrap_or_default();
    let mut texts = Filed::all(state).into_iter().filter_map(|filed| filed.bytes().ok());
    texts.any(|bytes| memchr::memmem::find(&bytes, needle.as_bytes()).is_some())
}
