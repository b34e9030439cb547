//! Sessions: how their client calls us, which task they are at, what their agents scheduled, and what the person has not
//! been told yet.

use crate::TOOL;
use crate::calling::is_nested;
use review_gate::calling::Calling;
use review_gate::clock;
use review_gate::error::Result;
use review_gate::event::{Draft, Event, Kind, Origin};
use review_gate::journal::{self, Record};
use review_gate::state::{State, by_age, prune};
use review_gate::task::Task;
use review_gate::text::{count, cut_end, one_line};
use serde_json::{Value, json};
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
        let start = json!({"session": event.session, "client": event.client, "source": event.source, "calling": calling, "transcript": event.transcript, "nested": is_nested(event, &calling).then_some(true)});
        append(event, "start", start)?;
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
    let known = journal::read_matching(&state.notices(), &text)?;
    if known.iter().any(|record| record.text("text") == text) {
        Ok(())
    } else {
        state.notice(TOOL.name, None, &text, None).map(drop)
    }
}

/// Says which task the event's session is at, and where its records lie.
pub fn alias(event: &Event, task: &str, dir: &Path, why: &str) -> Result<()> {
    append(
        event,
        "alias",
        json!({"session": event.session, "client": event.client, "task": task, "dir": dir, "why": why}),
    )
}

/// Appends a record to those of the event's session.
pub fn append(event: &Event, kind: &str, fields: Value) -> Result<()> {
    let Some(session) = event.session_key() else { return Ok(()) };
    let user = State::of_user()?;
    user.append(&user.session(event.client, session), TOOL.name, kind, fields).map(drop)
}

/// The records of the event's session.
pub fn records(event: &Event) -> Result<Vec<Record>> {
    match event.session_key() {
        Some(session) => journal::read(&State::of_user()?.session(event.client, session)),
        None => Ok(Vec::new()),
    }
}

/// Says, once, that the records of the task that the event's session was at are gone or cannot be read.
pub fn tell_gone(event: &mut Draft) -> Result<()> {
    let records = records(event)?;
    let Some(alias) = records.iter().rfind(|record| record.kind == "alias") else { return Ok(()) };
    let (task, state) = (alias.text("task"), State::at(alias.text("dir").into()));
    let is_said = records.iter().any(|record| record.kind == "gone" && record.text("task") == task);
    if is_said || Task::load(&state, task)?.is_some() {
        return Ok(());
    }
    let text =
        format!("the records of task {task} are gone or damaged: a loop or a review asked for in it ended with them");
    event.tell(format!("review-gate: {text}"));
    append(event, "gone", json!({"session": event.session, "task": task}))?;
    State::of_event(event)?.notice(TOOL.name, Some(task), &text, None).map(drop)
}

/// Notes the prompts that the client will submit by itself: when they come, they are nobody's. A stop lists all that there
/// are, a tool call adds one.
pub fn note_scheduled(event: &Event) -> Result<()> {
    let Some(digests) = event.scheduled.as_ref().filter(|_| event.session_key().is_some()) else { return Ok(()) };
    let listed: HashSet<String> = digests.iter().cloned().collect();
    let known = scheduled(event)?;
    let is_whole = event.kind == Kind::Stop;
    let news = if is_whole { listed != known } else { !listed.is_subset(&known) };
    if news { append(event, "scheduled", json!({"digests": digests, "all": is_whole})) } else { Ok(()) }
}

/// The digests of what is scheduled now.
pub fn scheduled(event: &Event) -> Result<HashSet<String>> {
    let mut known = HashSet::new();
    for record in records(event)?.iter().filter(|record| record.kind == "scheduled") {
        if record.get::<bool>("all") == Some(true) {
            known.clear();
        }
        known.extend(record.fields.get("digests").into_iter().flat_map(strings));
    }
    Ok(known)
}

fn strings(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str()).map(str::to_string)
}

/// Clearing a conversation makes a new session of the same process: it stays at the task, with its budgets.
fn join_cleared(event: &mut Draft, calling: &Calling) -> Result<()> {
    let user = State::of_user()?;
    let files = by_age(&user.sessions());
    let last = files.into_iter().rev().take(LOOKED_THROUGH).filter_map(|(_, path)| journal::read(&path).ok());
    let mut starts: Vec<Record> = last.flatten().filter(|record| record.kind == "start").collect();
    starts.sort_by(|a, b| a.text("at").cmp(b.text("at")));
    let before = starts.iter().rev().find(|record| {
        Some(record.text("session")) != event.session_key()
            && record.text("client") == event.client.word()
            && record.get::<Calling>("calling").is_some_and(|then| then == *calling && then.pid.is_some())
    });
    let Some(before) = before else { return Ok(()) };
    if let Some(task) = Task::of_session(event.client, before.text("session"))? {
        let from = before.text("session");
        append(
            event,
            "alias",
            json!({"session": event.session, "client": event.client, "task": task.id, "dir": task.state.dir(), "why": "clear", "from": from}),
        )?;
        event.set().evidence = Some(task.state.dir().to_path_buf());
        event.set().task = Some(task.id);
    }
    Ok(())
}

/// Stops that were opened and never closed ended without anybody's word: closed, left as a notice, and returned in words.
/// While the client may still be at it (`all` is false), only those whose time has passed.
pub fn left_open(task: &Task, all: bool) -> Result<Option<String>> {
    let passed = |open: &&&Record| open.get("until").is_some_and(|until: clock::Time| until < clock::now());
    let opened = task.unclosed();
    let mut left: Vec<&Record> = opened.iter().filter(|open| all || passed(open)).copied().collect();
    let text = match (left.len(), task.deferred().filter(|_| all)) {
        (0, None) => return Ok(None),
        (0, Some(deferred)) => {
            left.push(deferred);
            "a stop of this task was deferred and never judged: unverified".to_string()
        }
        (n, _) => format!("{} of this task began to be judged and never ended: unverified", count(n, "stop")),
    };
    for open in &left {
        let close = json!({"event": open.text("event"), "why": "unverified: never ended"});
        task.state.append(&task.state.task(&task.id), TOOL.name, "close", close)?;
    }
    task.state.notice(TOOL.name, Some(&task.id), &text, None)?;
    Ok(Some(text))
}

/// Shows what was left for the person, and marks it as seen.
pub fn tell_unseen(state: &State, event: &mut Draft) -> Result<()> {
    let records = journal::read(&state.notices())?;
    let seen: HashSet<String> = records
        .iter()
        .filter(|r| r.kind == "seen")
        .flat_map(|r| r.get::<Vec<String>>("ids").unwrap_or_default())
        .collect();
    let unseen: Vec<&Record> = records.iter().filter(|r| r.kind == "notice" && !seen.contains(r.text("id"))).collect();
    if unseen.is_empty() {
        return Ok(());
    }
    for notice in unseen.iter().rev().take(SHOWN).rev() {
        let at = notice.text("at").get(..16).unwrap_or("").replace('T', " ");
        event.tell(format!("review-gate, {at}: {}", cut_end(&one_line(notice.text("text")), 300)));
    }
    if unseen.len() > SHOWN {
        event.tell(format!("review-gate: and {} (rg-receipt list)", count(unseen.len() - SHOWN, "earlier notice")));
    }
    let ids: Vec<&str> = unseen.iter().map(|record| record.text("id")).collect();
    state.append(&state.notices(), TOOL.name, "seen", json!({"ids": ids}))?;
    Ok(())
}
