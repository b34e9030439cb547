//! Sessions: how their client calls us, which task they are at, what their agents scheduled, and what the person has not
//! been told yet.

use crate::TOOL;
use crate::calling::is_nested;
use review_gate::event::{Draft, Event, Kind, Origin};
use review_gate::store::journal::{self, Journal};
use review_gate::store::record::{Alias, Body, Close, Gone, NewRecord, Notice, Scheduled, Start, Told};
use review_gate::store::state::{State, by_age, prune};
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::origin::Calling;
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// How many sessions are remembered at least, and for how long at least.
const KEPT: usize = 200;
const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// How many notices are shown in full.
const SHOWN: usize = 3;

/// How many of the last sessions are looked through for the one that was cleared.
const LOOKED_THROUGH: usize = 64;

/// A session began, was resumed, cleared or compacted. A start that did not come from the client is not recorded, and joins
/// nothing.
pub fn start(event: &mut Draft) -> Result<()> {
    if event.origin != Origin::Manual {
        let calling = Calling::now();
        if event.source.as_deref() == Some("clear") {
            join_cleared(event, &calling)?;
        }
        if let Some(session) = event.session_key() {
            let start = Start {
                session: session.to_string(),
                client: event.client,
                source: event.source.clone(),
                nested: is_nested(event, &calling),
                calling,
                transcript: event.transcript.clone(),
                at: clock::now(),
            };
            append(event, start)?;
        }
        prune(&State::of_user()?.sessions(), KEPT, KEPT_FOR);
    }
    let state = State::of_event(event)?;
    let task = event.session_key().and_then(|session| Task::of_session(event.client, session).ok()?);
    if let Some(task) = task {
        // Compaction happens in the middle: what was deferred may still be judged.
        left_open(&task, event.source.as_deref() != Some("compact"))?;
    }
    if event.origin != Origin::Manual && event.donefile.is_none() {
        nothing_judges(&state, event)?;
    }
    tell_unseen(&state, event)
}

/// Says once per repository that there is no definition of done.
fn nothing_judges(state: &State, event: &Event) -> Result<()> {
    let text = format!("no DONE.md in {}: nothing is checked here (DONE.md(5) says how)", event.root.display());
    let known: Vec<Notice> = journal::search(&state.notices(), &text)?;
    if known.iter().any(|notice| notice.text == text) {
        Ok(())
    } else {
        state.notice(TOOL.name, None, &text, None).map(drop)
    }
}

/// Says which task the event's session is at, and where its records lie.
pub fn alias(event: &Event, task: &str, dir: &Path, why: &str) -> Result<()> {
    alias_from(event, task, dir, why, None)
}

/// The same, of a session that was cleared for this one.
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

/// Appends a record to those of the event's session.
pub fn append(event: &Event, record: impl Into<NewRecord>) -> Result<()> {
    let Some(session) = event.session_key() else { return Ok(()) };
    let user = State::of_user()?;
    user.append(&user.session(event.client, session), TOOL.name, record).map(drop)
}

/// The journal of the event's session.
fn journal(event: &Event) -> Result<Journal> {
    match event.session_key() {
        Some(session) => Journal::open(&State::of_user()?.session(event.client, session)),
        None => Ok(Journal::default()),
    }
}

/// Says, once, that the records of the task that the event's session was at are gone or cannot be read.
pub fn tell_gone(event: &mut Draft) -> Result<()> {
    let journal = journal(event)?;
    let Some(Alias { session, task, dir, .. }) = journal.of::<Alias>().next_back() else { return Ok(()) };
    let is_said = journal.of::<Gone>().any(|gone| gone.task == *task);
    if is_said || Task::load(&State::at(dir.clone()), task)?.is_some() {
        return Ok(());
    }
    let text =
        format!("the records of task {task} are gone or damaged: a loop or a review asked for in it ended with them");
    event.tell(format!("review-gate: {text}"));
    append(event, Gone { session: session.clone(), task: task.clone() })?;
    State::of_event(event)?.notice(TOOL.name, Some(task), &text, None).map(drop)
}

/// Notes the prompts that the client will submit by itself: when they come, they are nobody's. A stop lists all that there
/// are, a tool call adds one.
pub fn note_scheduled(event: &Event) -> Result<()> {
    let Some(digests) = event.scheduled.clone().filter(|_| event.session_key().is_some()) else { return Ok(()) };
    let listed: HashSet<String> = digests.iter().cloned().collect();
    let known = scheduled(event)?;
    let is_whole = event.kind == Kind::Stop;
    let news = if is_whole { listed != known } else { !listed.is_subset(&known) };
    if news { append(event, Scheduled { digests, all: is_whole }) } else { Ok(()) }
}

/// The digests of what is scheduled now.
pub fn scheduled(event: &Event) -> Result<HashSet<String>> {
    let mut known = HashSet::new();
    for scheduled in journal(event)?.of::<Scheduled>() {
        if scheduled.all {
            known.clear();
        }
        known.extend(scheduled.digests.iter().cloned());
    }
    Ok(known)
}

/// Clearing a conversation makes a new session of the same process: it stays at the task, with its budgets.
fn join_cleared(event: &mut Draft, calling: &Calling) -> Result<()> {
    let user = State::of_user()?;
    let files = by_age(&user.sessions());
    let last = files.into_iter().rev().take(LOOKED_THROUGH).filter_map(|(_, path)| Journal::open(&path).ok());
    let mut starts: Vec<Start> = last.flat_map(|journal| journal.of::<Start>().cloned().collect::<Vec<_>>()).collect();
    starts.sort_by_key(|start| start.at);
    let before = starts.iter().rev().find(|start| {
        Some(start.session.as_str()) != event.session_key()
            && start.client == event.client
            && start.calling == *calling
            && start.calling.pid.is_some()
    });
    let Some(before) = before else { return Ok(()) };
    if let Some(task) = Task::of_session(event.client, &before.session)? {
        alias_from(event, &task.id, task.state.dir(), "clear", Some(&before.session))?;
        event.set().evidence = Some(task.state.dir().to_path_buf());
        event.set().task = Some(task.id);
    }
    Ok(())
}

/// Stops that were opened and never closed ended without anybody's word: closed, left as a notice, and returned in words.
/// While the client may still be at it (`all` is false), only those whose time has passed.
pub fn left_open(task: &Task, all: bool) -> Result<Option<String>> {
    let has_passed = |until: Option<clock::Time>| until.is_some_and(|until| until < clock::now());
    let opened = task.ledger.unclosed().map(|stop| &stop.open);
    let mut left: Vec<&str> =
        opened.filter(|open| all || has_passed(open.until)).map(|open| open.event.as_str()).collect();
    let text = match (left.len(), task.ledger.deferred_at_last().filter(|_| all)) {
        (0, None) => return Ok(None),
        (0, Some(deferred)) => {
            left.push(deferred);
            "a stop of this task was deferred and never judged: unverified".to_string()
        }
        (n, _) => format!("{} of this task began to be judged and never ended: unverified", count(n, "stop")),
    };
    for event in left {
        task.append(TOOL.name, Close { event: event.to_string(), why: "unverified: never ended".to_string() })?;
    }
    task.state.notice(TOOL.name, Some(&task.id), &text, None)?;
    Ok(Some(text))
}

/// Shows what was left for the person, and marks it as seen.
pub fn tell_unseen(state: &State, event: &mut Draft) -> Result<()> {
    let journal = Journal::open(&state.notices())?;
    let seen: HashSet<&String> = journal.of::<Told>().flat_map(|told| &told.ids).collect();
    let notices = journal.records().filter_map(|(line, record)| match &record.body {
        Body::Notice(notice) => Some((&record.envelope.id, line.at, notice)),
        _ => None,
    });
    let unseen: Vec<_> = notices.filter(|(id, _, _)| !seen.contains(id)).collect();
    if unseen.is_empty() {
        return Ok(());
    }
    for (_, at, notice) in unseen.iter().rev().take(SHOWN).rev() {
        let at = at.to_string();
        let at = at.get(..16).unwrap_or("").replace('T', " ");
        event.tell(format!("review-gate, {at}: {}", cut_end(&one_line(&notice.text), 300)));
    }
    if unseen.len() > SHOWN {
        event.tell(format!("review-gate: and {} (rg-receipt list)", count(unseen.len() - SHOWN, "earlier notice")));
    }
    let ids = unseen.iter().map(|(id, _, _)| id.to_string()).collect();
    state.append(&state.notices(), TOOL.name, Told { ids })?;
    Ok(())
}
