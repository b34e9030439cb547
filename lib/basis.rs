//! What an event is judged by: the bytes of DONE.md and the ignore rules as they stood at the task's begin, in the named
//! commit, or, by hand, today.

use crate::donefile::{self, Donefile, Found};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::git::Repository;
use crate::snapshot::{self, Rules, Snapshot};
use crate::state::State;
use crate::task::Task;
use std::path::Path;

/// What judges one event.
pub struct Basis {
    /// Where the evidence lies.
    pub state: State,
    /// The task; None for an event made by hand.
    pub task: Option<Task>,
    /// Which untracked files are hidden.
    rules: Rules,
}

impl Basis {
    /// The basis of `event`.
    pub fn of(event: &Event) -> Result<Basis> {
        let state = State::of_event(event)?;
        let task = crate::task::of_event(event)?;
        let rules = match &task {
            Some(task) if task.begin.snapshot.is_some() => begun_rules(&state, task)?,
            _ => rules_by_hand(&event.root)?,
        };
        Ok(Basis { state, task, rules })
    }

    /// Walks the files that `event` is about.
    pub fn look(&self, event: &Event) -> Result<Snapshot> {
        snapshot::take(&event.root, &self.rules, self.state.dir())
    }

    /// The definition of done that judges `event`, read. Its bytes are those at the task's begin; by hand those of the
    /// commit that `against` names, else today's.
    pub fn donefile(&self, event: &Event) -> Result<Option<Donefile>> {
        let begun = self.task.as_ref().and_then(|task| task.begin.donefile.as_ref());
        let (name, bytes) = match (begun, &event.against, donefile::find(&event.root)) {
            (Some(begun), ..) => (begun.path.to_string_lossy().into_owned(), self.state.read_blob(&begun.sha256)?),
            (None, Some(against), _) => match donefile_of(&event.root, against)? {
                Some(of_commit) => of_commit,
                None => return Ok(None),
            },
            (None, None, Ok(Some(found))) => (found.name.to_string(), found.bytes),
            (None, None, Ok(None)) => return Ok(None),
            (None, None, Err(error)) => return Err(error),
        };
        donefile::parse(&name, &bytes, &event.root).map(Some)
    }
}

/// The root that a directory belongs to: where its definition of done lies, else the work tree's top, else itself.
pub fn root_of(dir: &Path) -> Result<(std::path::PathBuf, Option<Found>)> {
    let dir = std::fs::canonicalize(dir).map_err(|e| Error::io("enter", dir, &e))?;
    let found = donefile::find(&dir)?;
    let root = match &found {
        Some(found) => found.root.clone(),
        None => snapshot::top_of(&dir),
    };
    Ok((root, found))
}

fn begun_rules(state: &State, task: &Task) -> Result<Rules> {
    let ignores = task.begin.ignore.iter().map(|kept| Ok((kept.path.clone(), state.read_blob(&kept.sha256)?)));
    Ok(Rules::Fixed { ignores: ignores.collect::<Result<_>>()?, forced: task.begin.forced.clone() })
}

/// HEAD's .gitignore files, else today's.
fn rules_by_hand(root: &Path) -> Result<Rules> {
    let head = Repository::find(root).and_then(|repository| Some((repository.head()?, repository)));
    match head {
        Some((head, repository)) => {
            Ok(Rules::Fixed { ignores: repository.ignore_files_of(&head)?, forced: Vec::new() })
        }
        None => Ok(Rules::Today),
    }
}

/// The definition of done in the commit that is checked out, as its name and its bytes.
pub fn donefile_of_head(root: &Path) -> Result<Option<(String, Vec<u8>)>> {
    match Repository::find(root).and_then(|repository| Some((repository.head()?, repository))) {
        Some((head, repository)) => donefile_in(&repository, &head, root),
        None => Ok(None),
    }
}

/// The definition of done in a commit that was named, as its name and its bytes.
pub fn donefile_of(root: &Path, against: &str) -> Result<Option<(String, Vec<u8>)>> {
    let repository = Repository::find(root)
        .ok_or_else(|| Error::usage(format!("--against {against}: {} is in no repository", root.display())))?;
    let commit = repository.resolve(against)?;
    donefile_in(&repository, &commit, root)
}

/// It is looked for at the root under its names.
fn donefile_in(repository: &Repository, commit: &str, root: &Path) -> Result<Option<(String, Vec<u8>)>> {
    let below = root.strip_prefix(&repository.top).unwrap_or(Path::new(""));
    let paths = donefile::NAMES.map(|name| below.join(name));
    match repository.first_file_of(commit, &paths)? {
        Some((at, bytes)) => Ok(Some((donefile::NAMES[at].to_string(), bytes))),
        None => Ok(None),
    }
}
