//! The begin of a task: the definition of done, the ignore rules and the files as they stand, before the agent works.

use review_gate::basis;
use review_gate::donefile::{self, Found};
use review_gate::error::Result;
use review_gate::event::{Event, State as Presence};
use review_gate::git::Repository;
use review_gate::ids;
use review_gate::snapshot::{self, Rules, Snapshot};
use review_gate::state::State;
use review_gate::task::{Begin, BegunWith, Kept, Task};
use serde_json::json;

/// Begins a task for the event's session. Present: at a person's prompt. Missing: at a stop of which no record stands;
/// what the files were is then not known, so everything is judged.
pub fn begin(state: &State, event: &mut Event, presence: Presence, why: &str) -> Result<Task> {
    let (root, found) = basis::root_of(&event.root)?;
    let files = match (&found, presence) {
        (Some(_), Presence::Present) => Some(snapshot::take(&root, &Rules::Today, state.dir())?),
        _ => None,
    };
    let begin = Begin {
        session: event.session.clone().unwrap_or_default(),
        client: event.client,
        worktree: snapshot::top_of(&root),
        head: Repository::find(&root).and_then(|repository| repository.head()),
        snapshot: files.as_ref().map(Snapshot::digest),
        donefile: found.as_ref().map(|found| keep_definition(state, found)).transpose()?,
        ignore: files.as_ref().map(|files| keep_rules(state, files)).transpose()?.unwrap_or_default(),
        forced: files.map(|files| files.forced).unwrap_or_default(),
        state: presence,
        root,
    };
    let _lock = state.lock()?;
    let id = ids::ulid(&["task", &begin.session, event.turn.as_deref().unwrap_or(""), &event.id]);
    let previous = Task::of_session(state, event.client, &begin.session)?;
    state.append_locked(&state.task(&id), crate::TOOL.name, "begin", &begin)?;
    if let Some(previous) = previous {
        carry_gate_off(state, &previous, &id)?;
    }
    let alias = json!({"session": begin.session, "client": event.client, "task": id, "why": why});
    state.append_locked(&state.sessions(), crate::TOOL.name, "alias", alias)?;
    event.task = Some(id.clone());
    event.root = begin.root.clone();
    event.state = presence;
    let task = Task::load(state, &id)?;
    task.ok_or_else(|| review_gate::error::Error::unjudged(format!("task {id} cannot be read back")))
}

fn keep_definition(state: &State, found: &Found) -> Result<BegunWith> {
    Ok(BegunWith {
        path: found.name.into(),
        sha256: state.keep_blob(&found.bytes)?,
        is_link: found.is_link,
        valid: donefile::parse(found.name, &found.bytes, &found.root).is_ok(),
    })
}

fn keep_rules(state: &State, files: &Snapshot) -> Result<Vec<Kept>> {
    let kept =
        files.ignores.iter().map(|(path, bytes)| Ok(Kept { path: path.clone(), sha256: state.keep_blob(bytes)? }));
    kept.collect()
}

/// `#gate:off` holds for the session, whatever task it is at.
fn carry_gate_off(state: &State, previous: &Task, id: &str) -> Result<()> {
    let waivers = previous.waivers(review_gate::clock::now());
    for waiver in waivers.iter().filter(|waiver| waiver.scope == "gate" && waiver.why == "#gate:off") {
        let off = json!({"who": waiver.who, "until": waiver.until, "carried": previous.id});
        state.append_locked(&state.task(id), crate::TOOL.name, "gate-off", off)?;
    }
    Ok(())
}
