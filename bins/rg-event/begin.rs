//! The begin of a task: records the definition of done, the ignore rules and the files before the agent works.

use crate::{session, turns};
use review_gate::donefile;
use review_gate::event::{DonefileRef, Draft, State as Presence};
use review_gate::git::Repository;
use review_gate::snapshot::workspace;
use review_gate::snapshot::{self, Rules, Snapshot, Use};
use review_gate::store::loops::stack;
use review_gate::store::record::{Begin, InitialDonefile, KeptFile, PreviousFiles};
use review_gate::store::state::State;
use review_gate::store::survey::Survey;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::ids;
use std::path::Path;

/// Whether the files in the working tree are those that the task starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// They are: nothing is required at a stop that leaves them unchanged.
    Known,
    /// Work was done before: everything is judged.
    Unknown,
}

impl Files {
    /// The files when the session's previous task ended. A task that changed nothing passes on those that it began after.
    fn previous(self, task: &Task) -> Option<PreviousFiles> {
        let of = |snapshot: &String| PreviousFiles { task: task.id.clone(), snapshot: snapshot.clone(), quiet: None };
        match (self, task.is_quiet()) {
            (Files::Unknown, _) => None,
            (Files::Known, false) => task.ledger.last_of_session()?.snapshot.as_ref().map(of),
            (Files::Known, true) => {
                let previous = task.begin.previous.clone().or_else(|| task.begin.snapshot.as_ref().map(of));
                previous.map(|previous| PreviousFiles { quiet: Some(task.id.clone()), ..previous })
            }
        }
    }
}

/// Why a task begins whose DONE.md replaces that of the one before.
pub const REPAIRED: &str = "repaired";

/// Begins a task for the event's session. `Present`: at a user's prompt. `Missing`: at a stop of a session without records.
pub fn begin(state: &State, event: &mut Draft, presence: Presence, files: Files, why: &str) -> Result<Task> {
    begin_after(state, None, event, presence, files, why)
}

/// Like [`begin`], with a survey of the repository's tasks that was made before.
pub fn begin_after(
    state: &State,
    survey: Option<Survey>,
    event: &mut Draft,
    presence: Presence,
    files: Files,
    why: &str,
) -> Result<Task> {
    let (root, found) = workspace::root_of(&event.root)?;
    let files_are_unknown = files == Files::Unknown;
    let previous = Task::of_session(event.client, event.session_key().unwrap_or_default())?;
    let previous_files = previous.as_ref().and_then(|task| files.previous(task));
    let files = match (&found, files) {
        (found, Files::Known) if found.is_some() || event.review_armed.is_some() => {
            Some(snapshot::take(&root, &Rules::Today, state, Use::Cache)?)
        }
        _ => None,
    };
    // The committed definition judges if the agent may have edited the one on disk, or removed it.
    let needs_committed = presence == Presence::Missing || found.is_none();
    let committed = if needs_committed { workspace::donefile_of_head(&root)? } else { None };
    let donefile = match committed {
        Some((name, bytes)) => Some(keep_definition(state, &name, &bytes, false, &root)?),
        None => found
            .map(|found| keep_definition(state, found.name, &found.bytes, found.is_link, &found.root))
            .transpose()?,
    };
    let off_file = match (presence, files_are_unknown) {
        (Presence::Missing, _) => None,
        // The agent may have written the file that is there now.
        (Presence::Present, true) => previous.as_ref().and_then(|task| task.begin.off_file),
        (Presence::Present, false) => stack::has_off_file(&root).then_some(true),
    };
    let before = previous.as_ref().map(|task| task.id.clone()).unwrap_or_default();
    let unfinished = match (presence, files_are_unknown) {
        (Presence::Present, false) => turns::unfinished(state, survey, event, &root, previous.as_ref()),
        _ => None,
    };
    let begin = Begin {
        session: event.session.clone().unwrap_or_default(),
        client: event.client,
        worktree: snapshot::top_of(&root),
        head: Repository::find(&root).and_then(|repository| repository.head()),
        snapshot: files.as_ref().map(Snapshot::digest),
        donefile,
        ignore: files.as_ref().map(|files| keep_rules(state, files)).transpose()?.unwrap_or_default(),
        forced: files.as_ref().map(|files| files.forced.clone()).unwrap_or_default(),
        worktrees: files.map(|files| files.worktrees).unwrap_or_default(),
        state: presence,
        before: previous.as_ref().filter(|_| files_are_unknown).map(|task| task.id.clone()),
        unfinished,
        previous: previous_files,
        repaired: why == REPAIRED,
        off_file,
        waivers: previous.map(|task| task.waivers_now()).unwrap_or_default(),
        root,
    };
    let lock = state.lock()?;
    let id = ids::ulid(&["task", event.client.word(), &begin.session, &before]);
    state.append_locked(&state.task(&id), crate::TOOL.name, begin.clone())?;
    drop(lock);
    session::alias(event, &id, state.dir(), why)?;
    let source = event.set();
    source.task = Some(id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    source.waivers_at_intake = begin.waivers.clone();
    source.root = begin.root.clone();
    source.state = presence;
    if presence == Presence::Present {
        // The event was placed with the DONE.md of the task before.
        let judging = begin.donefile.as_ref();
        source.donefile = judging.map(|done| DonefileRef { path: done.path.clone(), sha256: done.sha256.clone() });
    }
    let task = Task::load(state, &id)?;
    task.ok_or_else(|| review_gate::sys::error::Error::missing(format!("task {id} cannot be read back")))
}

fn keep_definition(state: &State, name: &str, bytes: &[u8], is_link: bool, root: &Path) -> Result<InitialDonefile> {
    let valid = donefile::parse(name, bytes, root).is_ok();
    Ok(InitialDonefile { path: name.into(), sha256: state.keep_blob(bytes)?, is_link, valid })
}

fn keep_rules(state: &State, files: &Snapshot) -> Result<Vec<KeptFile>> {
    let kept =
        files.ignores.iter().map(|(path, bytes)| Ok(KeptFile { path: path.clone(), sha256: state.keep_blob(bytes)? }));
    kept.collect()
}
