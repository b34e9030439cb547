//! What an event is judged with: DONE.md and the ignore rules from the start of the task or from the reference commit, and for other
//! manual events from the working tree and HEAD.

use crate::donefile::{self, Donefile, FoundDonefile, Gate};
use crate::event::Event;
use crate::git::Repository;
use crate::snapshot::handover::{self, Handover};
use crate::snapshot::{self, Cache, Rules, Snapshot, Use};
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::{files, limits};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

/// What one event is judged with.
pub struct Workspace {
    /// The state directory.
    pub state: State,
    /// The task; None for a manual event without one.
    pub task: Option<Task>,
    /// Whether the stat cache is not used.
    pub fresh: bool,
    /// The digest of the files that the previous judge of this line read. Without it every file is read.
    pub handover: Option<String>,
    /// The files that the previous judge or this program read, if the stat cache is not used.
    read: RefCell<Option<Cache>>,
    /// Which untracked files are hidden; computed at the first snapshot, because it may need git.
    rules: OnceCell<Rules>,
    /// The reference commit, resolved once, so that every part of a judgement uses the same one.
    reference: OnceCell<Option<Reference>>,
}

/// The reference commit of an event.
pub struct Reference {
    /// Its repository.
    pub repository: Repository,
    /// The commit.
    pub commit: String,
    /// The merge base of that commit and HEAD.
    pub merge_base: Option<String>,
}

impl Workspace {
    /// The workspace of `event`.
    pub fn of(event: &Event) -> Result<Workspace> {
        Workspace::of_task(event, crate::store::task::of_event(event)?)
    }

    /// Like [`Workspace::of`], with the event's task, which was read before.
    pub fn of_task(event: &Event, task: Option<Task>) -> Result<Workspace> {
        // In CI and with --against, one judge reads every file.
        let fresh = event.against.is_some() || env::is_ci();
        let handover = event.handover().filter(|_| fresh).map(str::to_string);
        let (state, read) = (State::of_event(event)?, RefCell::default());
        Ok(Workspace { state, task, fresh, handover, read, rules: OnceCell::new(), reference: OnceCell::new() })
    }

    /// The reference commit; None without `against`, and outside of a repository.
    pub fn reference(&self, event: &Event) -> Result<Option<&Reference>> {
        if self.reference.get().is_none() {
            let repository = event.against.as_ref().and_then(|_| Repository::find(&event.root));
            let reference = match (repository, &event.against) {
                (Some(repository), Some(name)) => {
                    let commit = repository.resolve(name)?;
                    let merge_base = repository.merge_base(&commit);
                    Some(Reference { repository, commit, merge_base })
                }
                _ => None,
            };
            let _ = self.reference.set(reference);
        }
        Ok(self.reference.get().and_then(Option::as_ref))
    }

    /// Uses the files and the rules of the previous judge of this line.
    fn accept_handover(&self, event: &Event) {
        let is_first = self.fresh && self.rules.get().is_none();
        let Some(digest) = self.handover.as_ref().filter(|_| is_first) else { return };
        if let Some(handover) = Handover::load(&self.state, &snapshot::top_of(&event.root), digest) {
            let _ = self.rules.set(handover.rules);
            *self.read.borrow_mut() = Some(handover.cache);
        }
    }

    /// Takes a snapshot of the files that `event` is about.
    pub fn look(&self, event: &Event) -> Result<Snapshot> {
        self.accept_handover(event);
        let rules = match self.rules.get() {
            Some(rules) => rules,
            None => {
                let rules = match &self.task {
                    Some(task) if task.begin.snapshot.is_some() => begun_rules(&self.state, task)?,
                    _ => match self.reference(event)? {
                        Some(reference) => rules_against(reference)?,
                        None => rules_without_task(&event.root)?,
                    },
                };
                self.rules.get_or_init(|| rules)
            }
        };
        if !self.fresh {
            return snapshot::take(&event.root, rules, &self.state, Use::Cache);
        }
        let mut read = self.read.borrow_mut();
        let (snapshot, began) = snapshot::take_fresh(&event.root, rules, &self.state, read.as_ref())?;
        *read = Some(Cache::of(&snapshot::top_of(&event.root), &snapshot, began));
        Ok(snapshot)
    }

    /// Like [`Workspace::look`], and writes the handover for the next judge of this line; returns its digest.
    pub fn look_and_hand_over(&self, event: &Event) -> Result<(Snapshot, Option<String>)> {
        let snapshot = self.look(event)?;
        let (Some(rules), Some(read)) = (self.rules.get(), &*self.read.borrow()) else { return Ok((snapshot, None)) };
        // Without a handover, the next judge reads every file.
        let digest = handover::write(&self.state, &snapshot::top_of(&event.root), rules, read).unwrap_or_default();
        Ok((snapshot, digest))
    }

    /// The files of the event's last snapshot, from the cache if it still has them, else from a new walk.
    pub fn last_look(&self, event: &Event) -> Result<Snapshot> {
        let seen = event.snapshot().filter(|_| !self.fresh);
        match seen.and_then(|digest| snapshot::recall(&event.root, digest, &self.state)) {
            Some(snapshot) => Ok(snapshot),
            None => self.look(event),
        }
    }

    /// The definition of done that applies to `event`, parsed: the version from the start of the task, else from the reference commit,
    /// else from the working tree.
    pub fn donefile(&self, event: &Event) -> Result<Option<Donefile>> {
        let applicable = self.definition(event)?;
        applicable.map(|(name, bytes)| donefile::parse(&name, &bytes, &event.root)).transpose()
    }

    /// The name and the bytes of the definition of done that applies to `event`.
    pub fn definition(&self, event: &Event) -> Result<Option<(String, Vec<u8>)>> {
        let begun = self.task.as_ref().and_then(|task| task.begin.donefile.as_ref());
        Ok(match (begun, &event.against) {
            (Some(begun), _) => Some((begun.path.to_string_lossy().into_owned(), self.state.read_blob(&begun.sha256)?)),
            (None, Some(against)) => match definition_on_disk(event) {
                // Most branches leave it as it is, so that no object of the commit need be read.
                Some(same) => Some(same),
                None => match self.reference(event)? {
                    Some(Reference { repository, commit, .. }) => donefile_in(repository, commit, &event.root)?,
                    None => return Err(not_in_repository(against, &event.root)),
                },
            },
            (None, None) => donefile::find(&event.root)?.map(|found| (found.name.to_string(), found.bytes)),
        })
    }

    /// The definition of done for a stage that also works without one: None if it is absent, invalid or unreadable. With a DONE.md,
    /// rg-check and rg-tamper are required and report why it cannot be used, so this stage does not report it again.
    pub fn usable_donefile(&self, event: &Event) -> Option<Donefile> {
        self.donefile(event).ok().flatten()
    }

    /// `gate`, or its defaults if the definition of done cannot be used. Bounces are still counted then, so that an invalid DONE.md does
    /// not change the budget.
    pub fn gate_or_default(&self, event: &Event) -> Gate {
        self.usable_donefile(event).map(|done| done.gate).unwrap_or_default()
    }
}

/// The root of a directory: the directory of its definition of done, else the top of the work tree, else the directory itself.
pub fn root_of(dir: &Path) -> Result<(PathBuf, Option<FoundDonefile>)> {
    let dir = std::fs::canonicalize(dir).map_err(|e| Error::io("enter", dir, &e))?;
    let found = donefile::find(&dir)?;
    let root = match &found {
        Some(found) => found.root.clone(),
        None => snapshot::top_of(&dir),
    };
    Ok((root, found))
}

/// The directory that corresponds to `root` in the worktree of the same repository that contains `dir`. None if that is the same
/// worktree, or if `dir` is in no worktree of that repository.
pub fn other_worktree(root: &Path, dir: &Path) -> Option<PathBuf> {
    // The usual case costs nothing.
    if root == dir {
        return None;
    }
    let dir = std::fs::canonicalize(dir).ok()?;
    let (own, other) = (Repository::find(root)?, Repository::find(&dir)?);
    if own.top == other.top || own.common_dir != other.common_dir {
        return None;
    }
    let below = root.strip_prefix(&own.top).unwrap_or(Path::new(""));
    let same = other.top.join(below);
    Some(if same.is_dir() { same } else { other.top })
}

/// The name of another worktree for people: its path below the root, else its whole path.
pub fn worktree_name(root: &Path, other: &Path) -> String {
    other.strip_prefix(root).unwrap_or(other).display().to_string()
}

/// The definition of done on disk, if it has the bytes of the one that applies.
fn definition_on_disk(event: &Event) -> Option<(String, Vec<u8>)> {
    let applies = event.donefile.as_ref()?;
    let bytes = files::try_read(&event.root.join(&applies.path), limits::DEFINITION)?;
    let name = applies.path.to_str()?.to_string();
    (sha256(&bytes) == applies.sha256).then_some((name, bytes))
}

fn begun_rules(state: &State, task: &Task) -> Result<Rules> {
    let ignores = task.begin.ignore.iter().map(|kept| Ok((kept.path.clone(), state.read_blob(&kept.sha256)?)));
    Ok(Rules::Fixed { ignores: ignores.collect::<Result<_>>()?, forced: task.begin.forced.clone() })
}

/// The .gitignore files of HEAD, else those in the working tree.
fn rules_without_task(root: &Path) -> Result<Rules> {
    let head = Repository::find(root).and_then(|repository| Some((repository.head()?, repository)));
    let Some((head, repository)) = head else { return Ok(Rules::Today) };
    Ok(Rules::Fixed { ignores: repository.ignore_files_of(&head)?, forced: Vec::new() })
}

/// The .gitignore files of the merge base with the reference commit, so that no later rule hides a file. Files that the merge base
/// tracks are included even if a rule hides them.
fn rules_against(reference: &Reference) -> Result<Rules> {
    let Reference { repository, commit, merge_base } = reference;
    if repository.head().is_none() {
        return Ok(Rules::Today);
    }
    let commit = merge_base.as_ref().unwrap_or(commit);
    let forced =
        repository.tree(commit)?.iter().filter(|file| !file.is_submodule()).map(|file| file.path.clone()).collect();
    Ok(Rules::Fixed { ignores: repository.ignore_files_of(commit)?, forced })
}

/// The definition of done in HEAD: its name and its bytes.
pub fn donefile_of_head(root: &Path) -> Result<Option<(String, Vec<u8>)>> {
    match Repository::find(root).and_then(|repository| Some((repository.head()?, repository))) {
        Some((head, repository)) => donefile_in(&repository, &head, root),
        None => Ok(None),
    }
}

/// The definition of done in the commit `against`: its name and its bytes.
pub fn donefile_of(root: &Path, against: &str) -> Result<Option<(String, Vec<u8>)>> {
    let repository = Repository::find(root).ok_or_else(|| not_in_repository(against, root))?;
    let commit = repository.resolve(against)?;
    donefile_in(&repository, &commit, root)
}

fn not_in_repository(against: &str, root: &Path) -> Error {
    Error::usage(format!("--against {against}: not in a git repository: {}", root.display()))
}

/// The definition of done of the root in a commit: its name and its bytes.
fn donefile_in(repository: &Repository, commit: &str, root: &Path) -> Result<Option<(String, Vec<u8>)>> {
    let below = root.strip_prefix(&repository.top).unwrap_or(Path::new(""));
    match repository.first_file_of(commit, below, &donefile::NAMES)? {
        Some((at, bytes)) => Ok(Some((donefile::NAMES[at].to_string(), bytes))),
        None => Ok(None),
    }
}
