//! Turns that were never judged: prompts without a stop, stops whose judging never ended, deferred stops. The user is told once, in any
//! session of the repository.

use crate::TOOL;
use review_gate::event::{Actor, Client, Draft, Event, Kind, Origin, Source, Stage};
use review_gate::snapshot;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::receipt::Receipt;
use review_gate::store::record::{Close, SealedReceipt};
use review_gate::store::state::State;
use review_gate::store::survey::{LastWork, Survey};
use review_gate::store::task::{OpenTurn, Task};
use review_gate::sys::clock::{self, Time};
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::limits;
use review_gate::sys::procfs;
use review_gate::sys::text::{count, cut_end, one_line};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How many turns are named.
const NAMED: usize = 3;

/// Why a turn has no stop.
const NO_STOP: &str = "no stop followed: it was interrupted or failed, or the hooks did not run";

/// Closes what was left unjudged in the session's own task, leaves a notice, and returns its text. If `all` is false, the client may
/// still be judging: only stops whose time has passed are closed.
pub fn close_own(task: &Task, event: &Event, all: bool) -> Result<Option<String>> {
    let opened = task.ledger.unclosed_stops().map(|stop| &stop.open);
    let mut unclosed: Vec<&str> =
        opened.filter(|open| all || has_passed(open.until)).map(|open| open.event.as_str()).collect();
    let text = match (unclosed.len(), task.ledger.last_deferred_event().filter(|_| all)) {
        (0, None) => match task.ledger.open_turn().filter(|_| all && expects_stops(task)) {
            Some(turn) => return close_turn(task, event, turn),
            None => return Ok(None),
        },
        (0, Some(deferred)) => {
            unclosed.push(deferred);
            "unverified: a stop of this task was deferred and never judged".to_string()
        }
        (n, _) => format!("unverified: judging of {} of this task never ended", count(n, "stop")),
    };
    for event in unclosed {
        close(task, event, &format!("{}: never ended", Close::UNVERIFIED))?;
    }
    task.state.notice(TOOL.name, Some(&task.id), &text, None)?;
    Ok(Some(text))
}

/// Closes the open turn of a session that starts again.
fn close_turn(task: &Task, event: &Event, turn: &OpenTurn) -> Result<Option<String>> {
    if !has_changes(task, event) {
        close(task, &turn.id, "no file changed")?;
        return Ok(None);
    }
    close(task, &turn.id, &format!("{}: no stop", Close::UNVERIFIED))?;
    let text = format!("unverified: the last turn of this task (since {}): {NO_STOP}", turn.at.local_minute());
    task.state.notice(TOOL.name, Some(&task.id), &text, None)?;
    Ok(Some(text))
}

/// Tells the user, at a prompt that begins another turn of the task, that the turn before had no stop. The next stop judges both.
pub fn report_own(task: &Task, event: &mut Draft) {
    let Some(turn) = task.ledger.open_turn().filter(|_| is_asked(event) && expects_stops(task)) else { return };
    let is_same_turn = turn.turn.is_none() || turn.turn == event.turn;
    // A client that runs beside this one in the same session may still work on it.
    let is_over = turn.pid == event.pid || turn.pid.is_some_and(|pid| !procfs::is_running(pid));
    if !is_same_turn && is_over && has_changes(task, event) {
        let off = switched_off(&task.begin.root);
        event.tell(format!(
            "review-gate: the turn before (since {}): {NO_STOP}. The next stop judges its changes, too{off}",
            turn.at.local_minute()
        ));
    }
}

/// Tells the user what other sessions of the repository left unjudged. At a session's start the notice is shown with the other ones.
/// A failure is told, and hinders nothing else. Returns the survey of the tasks if it is still about their journals.
pub fn report_others(state: &State, event: &mut Draft, own: Option<&str>) -> Option<Survey> {
    if !is_asked(event) {
        return None;
    }
    let survey = Survey::of(state);
    match try_report_others(state, &survey, event, own) {
        Ok(has_closed) => Some(survey).filter(|_| !has_closed),
        Err(error) => {
            event.tell(format!("review-gate: cannot record what other sessions left unjudged: {error}"));
            None
        }
    }
}

/// Closes what was left unjudged, and returns whether there was something.
fn try_report_others(state: &State, survey: &Survey, event: &mut Draft, own: Option<&str>) -> Result<bool> {
    let mut has_closed = false;
    let mut left: Vec<(&Task, String)> = Vec::new();
    for task in survey.others(own) {
        let is_over = |pid, at| survey.is_over(task, pid, at, event.pid);
        let session = cut_end(&one_line(&task.begin.session), 40);
        let mut leave =
            |at: Time, what: &str| left.push((task, format!("session {session} ({}): {what}", at.local_minute())));
        for stop in
            task.ledger.unclosed_stops().filter(|stop| has_passed(stop.open.until) || is_over(stop.pid, stop.at))
        {
            close(task, &stop.open.event, &format!("{}: never ended", Close::UNVERIFIED))?;
            has_closed = true;
            leave(stop.at, "judging of its stop never ended");
        }
        if let Some(stop) = task.ledger.deferred_stop().filter(|stop| is_over(stop.pid, stop.at)) {
            close(task, &stop.open.event, &format!("{}: never judged", Close::UNVERIFIED))?;
            has_closed = true;
            leave(stop.at, "its stop was deferred and never judged");
        }
        let turn = task.ledger.open_turn().filter(|turn| expects_stops(task) && is_over(turn.pid, turn.at));
        if let Some(turn) = turn {
            let has_changes = has_changes(task, event);
            let why = if has_changes { format!("{}: no stop", Close::UNVERIFIED) } else { "no file changed".into() };
            close(task, &turn.id, &why)?;
            has_closed = true;
            if has_changes {
                leave(turn.at, &format!("{NO_STOP}. Files changed since"));
            }
        }
    }
    let Some((task, _)) = left.last() else { return Ok(has_closed) };
    let named: Vec<&str> = left.iter().rev().take(NAMED).rev().map(|(_, text)| text.as_str()).collect();
    let more = match left.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let off = switched_off(&task.begin.root);
    let text = format!("unverified: {} never judged: {}{more}{off}", count(left.len(), "turn"), named.join("; "));
    let task = task.id.clone();
    if event.kind == Kind::Prompt {
        event.tell(format!("review-gate: {text}"));
    }
    state.notice(TOOL.name, Some(&task), &text, None)?;
    Ok(true)
}

/// The task of another session whose work in `root` was red or never judged when this one begins. The user is told about red work
/// once. `previous` is the session's task before.
pub fn unfinished(
    state: &State,
    survey: Option<Survey>,
    event: &mut Draft,
    root: &Path,
    previous: Option<&Task>,
) -> Option<String> {
    if !is_asked(event) {
        return None;
    }
    let survey = survey.unwrap_or_else(|| Survey::of(state));
    let (task, work) = survey.unfinished(root, event.pid)?;
    let inherited = previous.and_then(|previous| previous.begin.unfinished.clone());
    // The session's own work stays in its own task, or the user accepted it. What it took over itself is not finished by that.
    // Without a task before, the session's records were removed.
    if previous.is_some() && Some(task.begin.session.as_str()) == event.session_key() {
        return inherited;
    }
    if inherited.as_ref() == Some(&task.id) {
        return inherited;
    }
    if let LastWork::Judged(sealed, at) = work {
        let session = cut_end(&one_line(&task.begin.session), 40);
        let carried = match has_tampering(task, sealed) {
            true => ". What rg-tamper found there counts in this task, too, until it is mended or waived",
            false => "",
        };
        event.tell(format!(
            "review-gate: session {session} left the files here {} ({}): `rg-receipt show {}`{carried}",
            sealed.outcome,
            at.local_minute(),
            sealed.receipt
        ));
    }
    Some(task.id.clone())
}

/// Whether a finding of rg-tamper is open in the receipt. If the receipt is missing, any open finding may be one.
fn has_tampering(task: &Task, sealed: &SealedReceipt) -> bool {
    match Receipt::load(&task.state, &sealed.receipt) {
        Ok(receipt) => {
            let mut own = receipt.findings.iter().filter(|finding| finding.by == Stage::Tamper);
            own.any(|finding| sealed.keys.contains(&finding.key))
        }
        Err(_) => !sealed.keys.is_empty(),
    }
}

/// Whether the user is there to be told: a client's prompt or session start that is the user's own.
fn is_asked(event: &Event) -> bool {
    let is_users = event.kind == Kind::SessionStart || event.by == Actor::User;
    event.client != Client::Text && event.origin != Origin::Manual && event.session_key().is_some() && is_users
}

/// Whether each stop of the task is opened, because a judge is required.
fn expects_stops(task: &Task) -> bool {
    task.begin.client != Client::Text && (task.begin.donefile.is_some() || task.prompts.is_review_asked() == Some(true))
}

/// Whether the files of a task differ from those that were judged last, or from those of its begin. If that is unknown, they do.
fn has_changes(task: &Task, event: &Event) -> bool {
    let judged = task.ledger.last_judged().and_then(|entry| entry.sealed.as_ref()?.snapshot.clone());
    let Some(known) = judged.or_else(|| task.begin.snapshot.clone()) else { return true };
    files_now(task, event).is_none_or(|now| now != known)
}

/// The digest of a task's files; None if it is unknown.
pub fn files_now(task: &Task, event: &Event) -> Option<String> {
    let source = Source {
        root: task.begin.root.clone(),
        evidence: Some(task.state.dir().to_path_buf()),
        against: None,
        ..(**event).clone()
    };
    let probe = Event::new(source);
    let workspace = Workspace::of_task(&probe, Some(task.clone()));
    workspace.and_then(|workspace| workspace.look(&probe)).ok().map(|now| now.digest())
}

fn close(task: &Task, event: &str, why: &str) -> Result<()> {
    task.append(TOOL.name, Close { event: event.to_string(), why: why.to_string(), snapshot: None }).map(drop)
}

fn has_passed(until: Option<Time>) -> bool {
    until.is_some_and(|until| until < clock::now())
}

/// Which settings of the client switch all hooks off, as the end of a sentence; empty if none do.
fn switched_off(root: &Path) -> String {
    let names = [".claude/settings.local.json", ".claude/settings.json"];
    let top = snapshot::top_of(root);
    let dirs = [Some(root.to_path_buf()), Some(top), env::home()];
    let paths = dirs.into_iter().flatten().flat_map(|dir| names.map(|name| dir.join(name)));
    let own = env::claude_config_dir().map(|dir| dir.join("settings.json"));
    let is_off = |path: &PathBuf| {
        let bytes = files::try_read_following(path, limits::SETTINGS).unwrap_or_default();
        let settings: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        settings.get("disableAllHooks") == Some(&Value::Bool(true))
    };
    let found = paths.chain(own).find(is_off);
    found.map_or(String::new(), |path| format!(". {} switches all hooks off", one_line(&path.display().to_string())))
}
