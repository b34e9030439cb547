//! Sessions: their hook origin, their task, and unread notices.

use crate::{TOOL, turns};
use review_gate::event::{Draft, Event, Origin};
use review_gate::store::journal::{self, Journal};
use review_gate::store::record::{Alias, Body, NewRecord, Notice, RecordsGone, ShownNotices, Start};
use review_gate::store::retention::{KEPT, KEPT_FOR, prune};
use review_gate::store::state::{State, files_by_age};
use review_gate::store::survey::Survey;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::authority::is_nested;
use review_gate::tool::origin::{Calling, first_client, starts};
use std::collections::HashSet;
use std::path::Path;

/// How many notices are shown in full.
const SHOWN: usize = 3;

/// How many of the last sessions are searched for the one that was cleared.
const SEARCHED: usize = 64;

/// Handles the start of a session, also after it was resumed, cleared or compacted. A start with another hook origin is not
/// recorded, and continues no task.
pub fn start(event: &mut Draft) -> Result<()> {
    if event.origin != Origin::Manual {
        let calling = Calling::now(event.client);
        if event.source.as_deref() == Some("clear") {
            join_cleared(event, &calling)?;
        }
        if let Some(session) = event.session_key() {
            let start = Start {
                session: session.to_string(),
                client: event.client,
                source: event.source.clone(),
                nested: is_nested(&calling)?,
                calling,
                transcript: event.transcript.clone(),
                at: clock::now(),
            };
            append(event, start)?;
        }
        let user = State::of_user()?;
        prune(&user.sessions(), KEPT, KEPT_FOR);
        // A session has two marks.
        prune(&user.calls(), 2 * KEPT, KEPT_FOR);
    }
    let state = State::of_event(event)?;
    let task = event.session_key().and_then(|session| Task::of_session(event.client, session).ok()?);
    if let Some(task) = &task {
        // After a compaction during a task, a deferred stop may still be judged; so may one of a client that runs, if this start is not its.
        let is_other =
            event.origin == Origin::Manual || first_client(&starts(event)?, &Calling::now(event.client)).is_some();
        turns::close_own(task, event, !is_other && event.source.as_deref() != Some("compact"))?;
    }
    turns::report_others(&state, event, task.as_ref().map(|task| task.id.as_str()));
    if event.origin != Origin::Manual && event.donefile.is_none() {
        notice_no_donefile(&state, event)?;
    }
    show_unread(&state, event)
}

/// Leaves a notice, once per directory, that there is no definition of done.
fn notice_no_donefile(state: &State, event: &Event) -> Result<()> {
    let text = format!("no DONE.md in {}: nothing is checked. Write one with `rg-init`", event.root.display());
    let known: Vec<Notice> = journal::search(&state.notices(), &text)?;
    if known.iter().any(|notice| notice.text == text) {
        Ok(())
    } else {
        state.notice(TOOL.name, None, &text, None).map(drop)
    }
}

/// Records which task the event's session is at, and the state directory of its journal.
pub fn alias(event: &Event, task: &str, dir: &Path, why: &str) -> Result<()> {
    alias_from(event, task, dir, why, None)
}

/// The same, with the session that was cleared for this one.
fn alias_from(event: &Event, task: &str, dir: &Path, why: &str, from: Option<&str>) -> Result<()> {
    let Some(session) = event.session_key() else { return Ok(()) };
    let alias = Alias {
        session: session.to_string(),
        client: event.client,
        task: task.to_string(),
        dir: dir.to_path_buf(),
        why: why.to_string(),
        from: from.map(str::to_string),
    };
    append(event, alias)
}

/// Appends a record to the journal of the event's session.
pub fn append(event: &Event, record: impl Into<NewRecord>) -> Result<()> {
    let Some(session) = event.session_key() else { return Ok(()) };
    let user = State::of_user()?;
    user.append(&user.session(event.client, session), TOOL.name, record).map(drop)
}

/// The journal of the event's session.
pub fn journal(event: &Event) -> Result<Journal> {
    match event.session_key() {
        Some(session) => Journal::open(&State::of_user()?.session(event.client, session)),
        None => Ok(Journal::default()),
    }
}

/// Why the session's own records are not enough for a prompt to weaken the gate: they were edited or removed, so that it is unknown
/// what an agent scheduled.
pub fn doubt(event: &Event) -> Result<Option<String>> {
    let journal = journal(event)?;
    let chain = journal.chain();
    if !chain.broken.is_empty() || !chain.unlocked.is_empty() {
        return Ok(Some("the records of this session were edited".to_string()));
    }
    let is_its = |task: &Task| Some(task.begin.session.as_str()) == event.session_key();
    let was_known = || Ok::<_, Error>(Survey::of(&State::of_event(event)?).others(None).any(is_its));
    let is_removed = journal.lines().is_empty() && was_known()?;
    Ok(is_removed.then(|| "the records of this session were removed".to_string()))
}

/// Tells the user, once, that the journal of the session's task is missing or damaged.
pub fn report_lost_task(event: &mut Draft) -> Result<()> {
    let journal = journal(event)?;
    let Some(Alias { session, task, dir, .. }) = journal.of::<Alias>().next_back() else { return Ok(()) };
    let is_reported = journal.of::<RecordsGone>().any(|gone| gone.task == *task);
    if is_reported || Task::load(&State::at(dir.clone()), task)?.is_some() {
        return Ok(());
    }
    let text = format!("the journal of task {task} is missing or damaged: its loops and review requests ended");
    event.tell(format!("review-gate: {text}"));
    append(event, RecordsGone { session: session.clone(), task: task.clone() })?;
    State::of_event(event)?.notice(TOOL.name, Some(task), &text, None).map(drop)
}

/// Continues the task of the session that the client cleared in the same process, with its budgets.
fn join_cleared(event: &mut Draft, calling: &Calling) -> Result<()> {
    let user = State::of_user()?;
    let files = files_by_age(&user.sessions());
    let last = files.into_iter().rev().take(SEARCHED).filter_map(|(_, path)| Journal::open(&path).ok());
    let mut starts: Vec<Start> = last.flat_map(|journal| journal.of::<Start>().cloned().collect::<Vec<_>>()).collect();
    starts.sort_by_key(|start| start.at);
    let cleared = starts.iter().rev().find(|start| {
        Some(start.session.as_str()) != event.session_key()
            && start.client == event.client
            && start.calling.is_same_process(calling)
            && (&start.calling.stdin, &start.calling.parent) == (&calling.stdin, &calling.parent)
            && start.calling.pid.is_some()
    });
    let Some(cleared) = cleared else { return Ok(()) };
    if let Some(task) = Task::of_session(event.client, &cleared.session)? {
        alias_from(event, &task.id, task.state.dir(), "clear", Some(&cleared.session))?;
        event.set().evidence = Some(task.state.dir().to_path_buf());
        event.set().task = Some(task.id);
    }
    Ok(())
}

/// Shows the user the unread notices, and marks them as read.
fn show_unread(state: &State, event: &mut Draft) -> Result<()> {
    let journal = Journal::open(&state.notices())?;
    let seen: HashSet<&String> = journal.of::<ShownNotices>().flat_map(|told| &told.ids).collect();
    let notices = journal.records().filter_map(|(line, record)| match &record.body {
        Body::Notice(notice) => Some((&record.envelope.id, line.at, notice)),
        _ => None,
    });
    let unread: Vec<_> = notices.filter(|(id, _, _)| !seen.contains(id)).collect();
    if unread.is_empty() {
        return Ok(());
    }
    for (_, at, notice) in unread.iter().rev().take(SHOWN).rev() {
        event.tell(format!("review-gate, {}: {}", at.local_minute(), cut_end(&one_line(&notice.text), 300)));
    }
    if unread.len() > SHOWN {
        event.tell(format!("review-gate: {} more: `rg-receipt list`", count(unread.len() - SHOWN, "earlier notice")));
    }
    let ids = unread.iter().map(|(id, _, _)| id.to_string()).collect();
    state.append(&state.notices(), TOOL.name, ShownNotices { ids })?;
    Ok(())
}
