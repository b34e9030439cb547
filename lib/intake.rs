//! How an event comes to be: from a client's hook call, or from operands. Nothing is written here.

use crate::asks;
use crate::basis;
use crate::clock;
use crate::dialect;
use crate::digest::sha256;
use crate::env;
use crate::error::{Error, Result};
use crate::event::{By, Client, DonefileRef, Event, Kind, Review, Verdict};
use crate::ids;
use crate::loops;
use crate::state::State;
use crate::task::Task;
use std::path::{Path, PathBuf};

/// The margin that is kept of what a client gives us, in seconds.
const MARGIN: f64 = 5.0;

/// The tools to whom the guards and the checks of a DONE.md are owed.
const GUARDS: &str = "rg-tamper";
const CHECKS: &str = "rg-check";

/// Who says whether a review is owed.
const REVIEW: &str = "rg-review-state";

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
pub fn by_hand(kind: Kind, request: Request, dir: &Path) -> Result<Event> {
    let mut event = Event::new(Client::Text, kind.clone(), dir.to_path_buf());
    event.by = By::Person;
    event.session = request.session;
    event.prompt = request.prompt;
    event.message = request.message;
    event.against = request.against;
    event.until = until(request.within);
    if request.task.is_some() && event.session_key().is_some() {
        return Err(Error::usage("--task and --session exclude each other: a session is at a task of its own"));
    }
    if event.against.is_some() && event.session_key().is_some() {
        return Err(Error::usage("--against and --session exclude each other: a session is judged as it began"));
    }
    let task = match (&request.task, event.session_key()) {
        (Some(id), _) => {
            let task = Task::load(&State::of(&basis::root_of(dir)?.0)?, id)?;
            Some(task.ok_or_else(|| Error::usage(format!("no such task: {id}")))?)
        }
        (None, Some(_)) => known_task(&event)?,
        (None, None) => None,
    };
    place(&mut event, task.as_ref(), dir)?;
    if let Some(against) = &event.against.clone() {
        // What the commit says judges, whatever lies here.
        let named = basis::donefile_of(&event.root, against)?;
        event.donefile = named.map(|(name, bytes)| DonefileRef { path: name.into(), sha256: sha256(&bytes) });
        event.owed.clear();
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
) -> Result<(Event, Option<Task>)> {
    let mut event = dialect::decode(client, payload, dir)?;
    event.until = until(within);
    if asks::is_within_one() {
        // A model that we asked is nobody's session.
        event.kind = Kind::Other("asked".into());
        event.session = None;
        return Ok((event, None));
    }
    let start = start_dir(&event);
    let task = known_task(&event)?;
    place(&mut event, task.as_ref(), &start)?;
    Ok((event, task))
}

/// Puts an event to another task than the one that was known at first.
pub fn move_to(event: &mut Event, task: &Task) -> Result<()> {
    event.owed.clear();
    event.judged.clear();
    let start = start_dir(event);
    place(event, Some(task), &start)
}

/// Where a client's event began: its project directory, else its current one.
fn start_dir(event: &Event) -> PathBuf {
    env::project_dir().filter(|dir| dir.is_dir()).unwrap_or_else(|| event.cwd.clone())
}

/// The task that the event's session is at, wherever its repository is now.
fn known_task(event: &Event) -> Result<Option<Task>> {
    match event.session_key() {
        Some(session) => Task::of_session(event.client, session),
        None => Ok(None),
    }
}

/// Fixes the root (a later current directory does not move it) and says which definition of done judges.
fn place(event: &mut Event, task: Option<&Task>, start: &Path) -> Result<()> {
    match task {
        Some(task) => {
            event.id = ids::ulid(&["event", event.kind.name(), &task.id, &task.journal.lines().len().to_string()]);
            event.task = Some(task.id.clone());
            event.evidence = Some(task.state.dir().to_path_buf());
            event.root = task.begin.root.clone();
            event.state = task.begin.state;
            event.donefile = task
                .begin
                .donefile
                .as_ref()
                .map(|begun| DonefileRef { path: begun.path.clone(), sha256: begun.sha256.clone() });
            if event.donefile.is_none() {
                event.donefile = crate::donefile::at(&event.root)?.map(|found| found.reference());
            }
            event.waivers = task.waivers_now();
            if event.agent.is_none() {
                event.looping = loops::of_event(task, event)?.summary();
            }
            event.review = match task.prompts.is_review_asked() {
                Some(true) => Some(Review::armed("#review")),
                None if env::review_forced() => Some(Review::armed("RG_REVIEW")),
                _ => None,
            };
        }
        None => {
            begin_at(event, start)?;
            event.review = env::review_forced().then(|| Review::armed("RG_REVIEW"));
        }
    }
    if event.donefile.is_some() {
        owe(event);
        // A subagent answers for what changed since its start; where that was not seen, the session's own stop does.
        let began = event.subagent().is_some() && task.is_some_and(|task| task.has_baseline(&event.seat));
        if event.kind == Kind::SubagentStop && began {
            event.owed.push(GUARDS.to_string());
        }
    }
    if event.review.is_none() && task.is_some_and(|task| task.knows_reviews() && task.edited().is_some()) {
        owe_review(event, "the journal of this task was edited");
    }
    owe_armed(event);
    Ok(())
}

/// A review is owed whatever a person said, because what they said is not known any more.
pub fn owe_review(event: &mut Event, why: &str) {
    event.review = Some(Review::armed(why));
    owe_armed(event);
}

/// Where an event belongs of which no task is known.
fn begin_at(event: &mut Event, start: &Path) -> Result<()> {
    match basis::root_of(start) {
        Ok((root, found)) => {
            event.root = root;
            event.donefile = found.map(|found| found.reference());
        }
        // A definition of done that is there and cannot be read is never "none": nobody can judge by it.
        Err(error) if event.client != Client::Text => {
            event.root = crate::snapshot::top_of(start);
            if event.kind == Kind::Stop {
                owe(event);
                event.judge("rg-event", Verdict::Unverified, error.to_string());
            }
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// An armed review must have been given at the session's own stop.
fn owe_armed(event: &mut Event) {
    let is_armed = event.review.is_some() && event.kind == Kind::Stop && event.agent.is_none();
    if is_armed && !event.owed.iter().any(|owed| owed == REVIEW) {
        event.owed.push(REVIEW.to_string());
    }
}

/// From now on the guards and the checks must have spoken of a session's stop.
pub fn owe(event: &mut Event) {
    if event.kind == Kind::Stop && event.agent.is_none() {
        event.owed.extend([GUARDS, CHECKS].map(String::from));
    }
}

fn until(within: Option<f64>) -> Option<clock::Time> {
    within.map(|seconds| clock::now().plus((seconds - MARGIN).max(seconds / 2.0)))
}
