//! What an event is judged by: the bytes of DONE.md and the ignore rules as they stood at the task's begin, in the named
//! commit, or, by hand, today.

use crate::donefile::{self, Donefile, Found};
use crate::env;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::git::Repository;
use crate::snapshot::{self, Rules, Snapshot, Use};
use crate::state::State;
use crate::task::Task;
use std::cell::OnceCell;
use std::path::Path;

/// What judges one event.
pub struct Basis {
    /// Where the evidence lies.
    pub state: State,
    /// The task; None for an event made by hand.
    pub task: Option<Task>,
    /// Every file is read, whatever the stat cache says.
    pub fresh: bool,
    /// Which untracked files are hidden; found out at the first look, because by hand that asks git.
    rules: OnceCell<Rules>,
}

impl Basis {
    /// The basis of `event`.
    pub fn of(event: &Event) -> Result<Basis> {
        // What CI finds out, and what is held against a named commit, rests on every file's bytes.
        let fresh = event.against.is_some() || env::is_ci();
        let (state, task) = (State::of_event(event)?, crate::task::of_event(event)?);
        Ok(Basis { state, task, fresh, rules: OnceCell::new() })
    }

    /// Walks the files that `event` is about.
    pub fn look(&self, event: &Event) -> Result<Snapshot> {
        let rules = match self.rules.get() {
            Some(rules) => rules,
            None => {
                let rules = match &self.task {
                    Some(task) if task.begin.snapshot.is_some() => begun_rules(&self.state, task)?,
                    _ => rules_by_hand(&event.root, event.against.as_deref())?,
                };
                self.rules.get_or_init(|| rules)
            }
        };
        let cached = if self.fresh { Use::Fresh } else { Use::Cache };
        snapshot::take(&event.root, rules, &self.state, cached)
    }

    /// The files that the last judge saw, without another walk where the cache still holds them; walked where it does not.
    pub fn last_look(&self, event: &Event) -> Result<Snapshot> {
        let seen = event.snapshot().filter(|_| !self.fresh);
        match seen.and_then(|digest| snapshot::recall(&event.root, digest, &self.state)) {
            Some(snapshot) => Ok(snapshot),
            None => self.look(event),
        }
    }

    /// The definition of done that judges `event`, read. Its bytes are those at the task's begin; by hand those of the
    /// commit that `against` names, else today's.
    pub fn donefile(&self, event: &Event) -> Result<Option<Donefile>> {
        let begun = self.task.as_ref().and_then(|task| task.begin.donefile.as_ref());
        let judging = match (begun, &event.against) {
            (Some(begun), _) => Some((begun.path.to_string_lossy().into_owned(), self.state.read_blob(&begun.sha256)?)),
            (None, Some(against)) => donefile_of(&event.root, against)?,
            (None, None) => donefile::find(&event.root)?.map(|found| (found.name.to_string(), found.bytes)),
        };
        judging.map(|(name, bytes)| donefile::parse(&name, &bytes, &event.root)).transpose()
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

/// The .gitignore files of the point where the named commit and this branch went apart, so that no later rule hides anything;
/// without a name HEAD's, else today's.
fn rules_by_hand(root: &Path, against: Option<&str>) -> Result<Rules> {
    let head = Repository::find(root).and_then(|repository| Some((repository.head()?, repository)));
    let Some((head, repository)) = head else { return Ok(Rules::Today) };
    let commit = match against {
        None => head,
        Some(name) => {
            let named = repository.resolve(name)?;
            repository.fork_point(&named).unwrap_or(named)
        }
    };
    // What that commit tracks is in, whatever hides it now.
    let forced = if against.is_some() { repository.tree(&commit)? } else { Vec::new() };
    let forced = forced.into_iter().filter(|file| !file.is_submodule()).map(|file| file.path).collect();
    Ok(Rules::Fixed { ignores: repository.ignore_files_of(&commit)?, forced })
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
