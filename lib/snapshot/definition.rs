//! What an event is judged by: the bytes of DONE.md and the ignore rules as they stood at the task's begin, in the named
//! commit, or, by hand, today.

use crate::donefile::{self, Donefile, Found, Gate};
use crate::event::Event;
use crate::git::Repository;
use crate::snapshot::{self, Rules, Snapshot, Use};
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::env;
use crate::sys::error::{Error, Result};
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
    /// What `against` names; git is asked once, so that every part of a judgement sees the same commit.
    reference: OnceCell<Option<Reference>>,
}

/// The commit that an event's `against` names.
pub struct Reference {
    /// The repository that has it.
    pub repository: Repository,
    /// The commit.
    pub commit: String,
    /// The commit from which that one and what is checked out went apart.
    pub fork_point: Option<String>,
}

impl Basis {
    /// The basis of `event`.
    pub fn of(event: &Event) -> Result<Basis> {
        Basis::of_task(event, crate::store::task::of_event(event)?)
    }

    /// The same, with the event's task as it was read before.
    pub fn of_task(event: &Event, task: Option<Task>) -> Result<Basis> {
        // What CI finds out, and what is held against a named commit, rests on every file's bytes.
        let fresh = event.against.is_some() || env::is_ci();
        let state = State::of_event(event)?;
        Ok(Basis { state, task, fresh, rules: OnceCell::new(), reference: OnceCell::new() })
    }

    /// What `against` names; None without it, and where nothing is checked out of any repository.
    pub fn reference(&self, event: &Event) -> Result<Option<&Reference>> {
        if self.reference.get().is_none() {
            let repository = event.against.as_ref().and_then(|_| Repository::find(&event.root));
            let reference = match (repository, &event.against) {
                (Some(repository), Some(name)) => {
                    let commit = repository.resolve(name)?;
                    let fork_point = repository.fork_point(&commit);
                    Some(Reference { repository, commit, fork_point })
                }
                _ => None,
            };
            let _ = self.reference.set(reference);
        }
        Ok(self.reference.get().and_then(Option::as_ref))
    }

    /// Walks the files that `event` is about.
    pub fn look(&self, event: &Event) -> Result<Snapshot> {
        let rules = match self.rules.get() {
            Some(rules) => rules,
            None => {
                let rules = match &self.task {
                    Some(task) if task.begin.snapshot.is_some() => begun_rules(&self.state, task)?,
                    _ => match self.reference(event)? {
                        Some(reference) => rules_against(reference)?,
                        None => rules_by_hand(&event.root)?,
                    },
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
            (None, Some(against)) => match self.reference(event)? {
                Some(Reference { repository, commit, .. }) => donefile_in(repository, commit, &event.root)?,
                None => return Err(in_no_repository(against, &event.root)),
            },
            (None, None) => donefile::find(&event.root)?.map(|found| (found.name.to_string(), found.bytes)),
        };
        judging.map(|(name, bytes)| donefile::parse(&name, &bytes, &event.root)).transpose()
    }

    /// The definition of done for a stage that works without one, too: None where it is absent, invalid or unreadable. Whoever
    /// has a DONE.md also has rg-check and rg-tamper among the required judges, and those report why it cannot be used; a
    /// further report here would only add a second finding for one cause.
    pub fn usable_donefile(&self, event: &Event) -> Option<Donefile> {
        self.donefile(event).ok().flatten()
    }

    /// `gate`, with its defaults where the definition cannot be used: bounces are counted all the same, so that breaking
    /// DONE.md neither refills nor ends the budget.
    pub fn gate_or_default(&self, event: &Event) -> Gate {
        self.usable_donefile(event).map(|done| done.gate).unwrap_or_default()
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

/// The .gitignore files of HEAD, else today's.
fn rules_by_hand(root: &Path) -> Result<Rules> {
    let head = Repository::find(root).and_then(|repository| Some((repository.head()?, repository)));
    let Some((head, repository)) = head else { return Ok(Rules::Today) };
    Ok(Rules::Fixed { ignores: repository.ignore_files_of(&head)?, forced: Vec::new() })
}

/// The .gitignore files of the point where the named commit and this branch went apart, so that no later rule hides anything.
/// What that commit tracks is in, whatever hides it now.
fn rules_against(reference: &Reference) -> Result<Rules> {
    let Reference { repository, commit, fork_point } = reference;
    if repository.head().is_none() {
        return Ok(Rules::Today);
    }
    let commit = fork_point.as_ref().unwrap_or(commit);
    let forced =
        repository.tree(commit)?.iter().filter(|file| !file.is_submodule()).map(|file| file.path.clone()).collect();
    Ok(Rules::Fixed { ignores: repository.ignore_files_of(commit)?, forced })
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
    let repository = Repository::find(root).ok_or_else(|| in_no_repository(against, root))?;
    let commit = repository.resolve(against)?;
    donefile_in(&repository, &commit, root)
}

fn in_no_repository(against: &str, root: &Path) -> Error {
    Error::usage(format!("--against {against}: {} is in no repository", root.display()))
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
