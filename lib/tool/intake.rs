//! Builds an event from a client's hook call or from options. Writes no file.

use crate::dialect;
use crate::event::{Actor, Client, DonefileRef, Draft, Kind, RunTurn, Source, Stage};
use crate::snapshot::workspace;
use crate::store::loops;
use crate::store::open_asks;
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::clock;
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use std::path::{Path, PathBuf};

/// How long before the client's timeout the event's deadline is, in seconds.
const MARGIN: f64 = 5.0;

/// The options of a manual event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The task to continue.
    pub task: Option<String>,
    /// A session of manual events; never a client's session.
    pub session: Option<String>,
    /// The reference commit to compare with.
    pub against: Option<String>,
    /// The text of a prompt.
    pub prompt: Option<String>,
    /// The agent's last message.
    pub message: Option<String>,
    /// The agent's turn, if rg-run started the agent.
    pub run: Option<RunTurn>,
    /// Seconds until the caller stops waiting.
    pub within: Option<f64>,
}

/// A manual event in `dir`.
pub fn manual_event(kind: Kind, request: Request, dir: &Path) -> Result<Draft> {
    let mut source = Source::new(Client::Text, kind, dir.to_path_buf());
    source.by = Actor::User;
    source.session = request.session;
    source.prompt = request.prompt;
    source.message = request.message;
    source.against = request.against;
    source.run = request.run;
    source.until = until(request.within);
    let mut event = Draft::new(source);
    if request.task.is_some() && event.session_key().is_some() {
        return Err(Error::usage("--task and --session cannot be used together: a session has its own task"));
    }
    if event.against.is_some() && event.session_key().is_some() {
        return Err(Error::usage(
            "--against and --session cannot be used together: a session is compared with its baseline",
        ));
    }
    let task = match (&request.task, event.session_key()) {
        (Some(id), _) => {
            let task = Task::load(&State::of(&workspace::root_of(dir)?.0)?, id)?;
            Some(task.ok_or_else(|| Error::usage(format!("no such task: {id}")))?)
        }
        (None, Some(_)) => known_task(&event)?,
        (None, None) => None,
    };
    place_event(&mut event, task.as_ref(), dir)?;
    if let Some(against) = &event.against.clone() {
        // The DONE.md of the commit applies, not the one in the working tree.
        let named = workspace::donefile_of(&event.root, against)?;
        let source = event.set();
        source.donefile = named.map(|(name, bytes)| DonefileRef { path: name.into(), sha256: sha256(&bytes) });
        source.required_at_intake.clear();
        if event.donefile.is_some() {
            require_checks(&mut event);
        }
        require_armed_review(&mut event);
    }
    Ok(event)
}

/// Judges a manual event by that definition of done, whose checks run in `dir`, instead of the one on disk.
pub fn replace_definition(event: &mut Draft, definition: DonefileRef, dir: &Path) {
    let source = event.set();
    source.root = dir.to_path_buf();
    source.donefile = Some(definition);
    source.required_at_intake.clear();
    require_checks(event);
}

/// An event from a client's hook call. `dir` is the current directory.
pub fn from_client(
    client: Option<Client>,
    payload: &[u8],
    within: Option<f64>,
    dir: &Path,
) -> Result<(Draft, Option<Task>)> {
    let mut source = dialect::decode(client, payload, dir)?;
    source.until = until(within);
    if open_asks::is_within_ask() {
        // A model that rg-ask started has no session of its own.
        source.kind = Kind::Other("asked".into());
        source.session = None;
        return Ok((Draft::new(source), None));
    }
    let mut event = Draft::new(source);
    let start = start_dir(&event);
    let task = known_task(&event)?;
    place_event(&mut event, task.as_ref(), &start)?;
    Ok((event, task))
}

/// Moves an event to another task.
pub fn move_to(event: &mut Draft, task: &Task) -> Result<()> {
    event.set().required_at_intake.clear();
    event.clear_verdicts();
    let start = start_dir(event);
    place_event(event, Some(task), &start)
}

/// The client's project directory, else its current directory.
fn start_dir(event: &Source) -> PathBuf {
    // Codex and Cursor set no such variable: one that they inherit is another client's.
    let is_set = matches!(event.client, Client::Claude | Client::Gemini);
    let named = env::project_dir().filter(|dir| is_set && dir.is_dir());
    named.unwrap_or_else(|| event.cwd.clone())
}

/// The current task of the event's session, even if the repository was moved.
fn known_task(event: &Source) -> Result<Option<Task>> {
    match event.session_key() {
        Some(session) => Task::of_session(event.client, session),
        None => Ok(None),
    }
}

/// Sets the root, which a later current directory does not change, and the definition of done that applies.
fn place_event(event: &mut Draft, task: Option<&Task>, start: &Path) -> Result<()> {
    match task {
        Some(task) => {
            let id = ids::ulid(&["event", event.kind.name(), &task.id, &task.journal.lines().len().to_string()]);
            let source = event.set();
            source.id = id;
            source.task = Some(task.id.clone());
            source.evidence = Some(task.state.dir().to_path_buf());
            source.root = task.begin.root.clone();
            source.state = task.begin.state;
            let begun = task.begin.donefile.as_ref();
            source.donefile = begun.map(|begun| DonefileRef { path: begun.path.clone(), sha256: begun.sha256.clone() });
            if source.donefile.is_none() {
                source.donefile = crate::donefile::at(&source.root)?.map(|found| found.reference());
            }
            source.waivers_at_intake = task.waivers_now();
            if event.agent.is_none() {
                let looping = loops::of_event(task, event)?.summary();
                event.set().looping = looping;
            }
            event.set().review_armed = match task.prompts.is_review_asked() {
                Some(true) => Some("#review".into()),
                None => armed_by_environment(),
                _ => None,
            };
        }
        None => {
            place_without_task(event, start)?;
            event.set().review_armed = armed_by_environment();
        }
    }
    if event.donefile.is_some() {
        require_checks(event);
        // A subagent is judged by its changes since its start. Without a record of the start, only the session's stop is judged.
        let began = event.subagent().is_some() && task.is_some_and(|task| task.has_baseline(&event.budget_owner));
        if event.kind == Kind::SubagentStop && began {
            event.set().required_at_intake.push(Stage::Tamper);
        }
    }
    let is_edited = |task: &Task| task.has_reviews() && task.first_edited_record().is_some();
    if event.review_armed.is_none() && task.is_some_and(is_edited) {
        require_review(event, "the journal of this task was edited");
    }
    require_armed_review(event);
    Ok(())
}

/// What arms a review if the task does not.
pub fn armed_by_environment() -> Option<String> {
    env::is_review_forced().then(|| "RG_REVIEW".to_string())
}

/// Requires a review regardless of the user's prompts, because their record is unreliable.
pub fn require_review(event: &mut Draft, why: &str) {
    event.set().review_armed = Some(why.to_string());
    require_armed_review(event);
}

/// Sets the root and the definition of done of an event without a task.
fn place_without_task(event: &mut Draft, start: &Path) -> Result<()> {
    match workspace::root_of(start) {
        Ok((root, found)) => {
            event.set().root = root;
            event.set().donefile = found.map(|found| found.reference());
        }
        // A definition of done that cannot be read does not count as absent: the stop could not be judged.
        Err(error) if event.client != Client::Text => {
            event.set().root = crate::snapshot::top_of(start);
            if event.kind == Kind::Stop {
                require_checks(event);
                event.fail(error.to_string());
            }
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Requires rg-review-state at a stop of the session if a review is armed.
fn require_armed_review(event: &mut Draft) {
    let is_armed = event.review_armed.is_some() && event.is_sessions_stop();
    if is_armed && !event.required_at_intake.contains(&Stage::ReviewState) {
        event.set().required_at_intake.push(Stage::ReviewState);
    }
}

/// Requires rg-tamper and rg-check at a stop of the session.
pub fn require_checks(event: &mut Draft) {
    if event.is_sessions_stop() {
        event.set().required_at_intake.extend([Stage::Tamper, Stage::Check]);
    }
}

fn until(within: Option<f64>) -> Option<clock::Time> {
    within.map(|seconds| clock::now().plus((seconds - MARGIN).max(seconds / 2.0)))
}
