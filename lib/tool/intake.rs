//! How an event comes to be: from a client's hook call, or from operands. Nothing is written here.

use crate::dialect;
use crate::event::{Actor, Client, DonefileRef, Draft, Kind, Source, Stage};
use crate::snapshot::definition;
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

/// The margin that is kept of what a client gives us, in seconds.
const MARGIN: f64 = 5.0;

/// What is asked for by hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// A task to go on with.
    pub task: Option<String>,
    /// A session made by hand; never a client's.
    pub session: Option<String>,
    /// The base to compare with.
    pub against: Option<String>,
    /// A prompt's text.
    pub prompt: Option<String>,
    /// The last message.
    pub message: Option<String>,
    /// Seconds until somebody stops waiting.
    pub within: Option<f64>,
}

/// An event made by hand in `dir`.
pub fn by_hand(kind: Kind, request: Request, dir: &Path) -> Result<Draft> {
    let mut source = Source::new(Client::Text, kind, dir.to_path_buf());
    source.by = Actor::User;
    source.session = request.session;
    source.prompt = request.prompt;
    source.message = request.message;
    source.against = request.against;
    source.until = until(request.within);
    let mut event = Draft::new(source);
    if request.task.is_some() && event.session_key().is_some() {
        return Err(Error::usage("--task and --session exclude each other: a session is at a task of its own"));
    }
    if event.against.is_some() && event.session_key().is_some() {
        return Err(Error::usage("--against and --session exclude each other: a session is judged as it began"));
    }
    let task = match (&request.task, event.session_key()) {
        (Some(id), _) => {
            let task = Task::load(&State::of(&definition::root_of(dir)?.0)?, id)?;
            Some(task.ok_or_else(|| Error::usage(format!("no such task: {id}")))?)
        }
        (None, Some(_)) => known_task(&event)?,
        (None, None) => None,
    };
    place(&mut event, task.as_ref(), dir)?;
    if let Some(against) = &event.against.clone() {
        // What the commit says judges, whatever lies here.
        let named = definition::donefile_of(&event.root, against)?;
        let source = event.set();
        source.donefile = named.map(|(name, bytes)| DonefileRef { path: name.into(), sha256: sha256(&bytes) });
        source.required_at_intake.clear();
        if event.donefile.is_some() {
            owe(&mut event);
        }
        owe_armed(&mut event);
    }
    Ok(event)
}

/// An event from a client's hook call. `dir` is where we run.
pub fn from_client(
    client: Option<Client>,
    payload: &[u8],
    within: Option<f64>,
    dir: &Path,
) -> Result<(Draft, Option<Task>)> {
    let mut source = dialect::decode(client, payload, dir)?;
    source.until = until(within);
    if open_asks::is_within_ask() {
        // A model that we asked is nobody's session.
        source.kind = Kind::Other("asked".into());
        source.session = None;
        return Ok((Draft::new(source), None));
    }
    let mut event = Draft::new(source);
    let start = start_dir(&event);
    let task = known_task(&event)?;
    place(&mut event, task.as_ref(), &start)?;
    Ok((event, task))
}

/// Puts an event to another task than the one that was known at first.
pub fn move_to(event: &mut Draft, task: &Task) -> Result<()> {
    event.set().required_at_intake.clear();
    event.unfail();
    let start = start_dir(event);
    place(event, Some(task), &start)
}

/// Where a client's event began: its project directory, else its current one.
fn start_dir(event: &Source) -> PathBuf {
    env::project_dir().filter(|dir| dir.is_dir()).unwrap_or_else(|| event.cwd.clone())
}

/// The task that the event's session is at, wherever its repository is now.
fn known_task(event: &Source) -> Result<Option<Task>> {
    match event.session_key() {
        Some(session) => Task::of_session(event.client, session),
        None => Ok(None),
    }
}

/// Fixes the root (a later current directory does not move it) and says which definition of done judges.
fn place(event: &mut Draft, task: Option<&Task>, start: &Path) -> Result<()> {
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
            begin_at(event, start)?;
            event.set().review_armed = armed_by_environment();
        }
    }
    if event.donefile.is_some() {
        owe(event);
        // A subagent answers for what changed since its start; where that was not seen, the session's own stop does.
        let began = event.subagent().is_some() && task.is_some_and(|task| task.has_baseline(&event.budget_owner));
        if event.kind == Kind::SubagentStop && began {
            event.set().required_at_intake.push(Stage::Tamper);
        }
    }
    let is_edited = |task: &Task| task.has_reviews() && task.first_edited_record().is_some();
    if event.review_armed.is_none() && task.is_some_and(is_edited) {
        owe_review(event, "the journal of this task was edited");
    }
    owe_armed(event);
    Ok(())
}

/// What arms a review where no task says anything of one.
pub fn armed_by_environment() -> Option<String> {
    env::review_forced().then(|| "RG_REVIEW".to_string())
}

/// A review is owed whatever a person said, because what they said is not known any more.
pub fn owe_review(event: &mut Draft, why: &str) {
    event.set().review_armed = Some(why.to_string());
    owe_armed(event);
}

/// Where an event belongs of which no task is known.
fn begin_at(event: &mut Draft, start: &Path) -> Result<()> {
    match definition::root_of(start) {
        Ok((root, found)) => {
            event.set().root = root;
            event.set().donefile = found.map(|found| found.reference());
        }
        // A definition of done that is there and cannot be read is never "none": nobody can judge by it.
        Err(error) if event.client != Client::Text => {
            event.set().root = crate::snapshot::top_of(start);
            if event.kind == Kind::Stop {
                owe(event);
                event.fail(error.to_string());
            }
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// An armed review must have been given at the session's own stop.
fn owe_armed(event: &mut Draft) {
    let is_armed = event.review_armed.is_some() && event.is_sessions_stop();
    if is_armed && !event.required_at_intake.contains(&Stage::ReviewState) {
        event.set().required_at_intake.push(Stage::ReviewState);
    }
}

/// From now on the guards and the checks must have spoken of a session's stop.
pub fn owe(event: &mut Draft) {
    if event.is_sessions_stop() {
        event.set().required_at_intake.extend([Stage::Tamper, Stage::Check]);
    }
}

fn until(within: Option<f64>) -> Option<clock::Time> {
    within.map(|seconds| clock::now().plus((seconds - MARGIN).max(seconds / 2.0)))
}
