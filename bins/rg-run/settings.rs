//! Where a run works and what it begins with: the options, and the keys below `run` in DONE.md.

use crate::options::{Manner, Options};
use review_gate::donefile::{Donefile, Floor, FoundDonefile, RunSpec};
use review_gate::git::Repository;
use review_gate::review::ask::{self, KNOWN};
use review_gate::snapshot::workspace;
use review_gate::store::record::RunStart;
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::ids;
use review_gate::sys::lock::{self, Lock};
use review_gate::sys::procfs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long `--lock` waits.
const LONG: Duration = Duration::from_secs(7 * 86_400);

/// How long a run waits for one that is about to end.
const BRIEFLY: Duration = Duration::from_millis(300);

/// What git finds in a root.
#[derive(Clone, Debug, PartialEq)]
struct Git {
    /// The top of the working tree.
    top: PathBuf,
    /// The common directory of all working trees.
    common_dir: PathBuf,
    /// Whether it is a worktree beside the main one.
    is_linked: bool,
}

/// Where a run works.
pub struct Place {
    /// The root.
    pub root: PathBuf,
    /// The state directory.
    pub state: State,
    /// The definition of done as it is now; None if there is none.
    pub done: Option<Donefile>,
    /// What git finds in the root; None outside a repository.
    git: Option<Git>,
}

impl Place {
    /// The place of a directory. An invalid DONE.md is an error.
    pub fn of(dir: &Path) -> Result<Place> {
        let (root, found) = workspace::root_of(dir)?;
        let state = State::of(&root)?;
        let git = git_of(&root);
        Ok(Place { state, done: parsed(found)?, root, git })
    }

    /// The place of a run that began there. Its agent may have made the DONE.md invalid; the gate judges with the one of the begin.
    pub fn resumed(dir: &Path) -> Result<Place> {
        let (root, found) = workspace::root_of(dir)?;
        let (state, git) = (State::of(&root)?, git_of(&root));
        Ok(Place { state, done: parsed(found).unwrap_or_default(), root, git })
    }

    /// A worktree of the repository of `home`, whose records it shares. Its agent may have changed what git finds there.
    pub fn worktree(root: &Path, home: &Place) -> Result<Place> {
        let found = workspace::root_of(root).ok().filter(|(found, _)| found == root).and_then(|(_, found)| found);
        let below = home.below_top().components().count();
        let top = root.ancestors().nth(below).unwrap_or(root).to_path_buf();
        let git = home.git.as_ref().map(|git| Git { top, is_linked: true, ..git.clone() });
        let state = State::at(home.state.dir().to_path_buf());
        Ok(Place { state, done: parsed(found).unwrap_or_default(), root: root.to_path_buf(), git })
    }

    /// The path of the root below the top of its working tree.
    pub fn below_top(&self) -> PathBuf {
        let top = self.git.as_ref().map(|git| git.top.as_path());
        top.and_then(|top| self.root.strip_prefix(top).ok()).unwrap_or(Path::new("")).to_path_buf()
    }

    /// Whether the base has a definition of done for a landing: the one at the top of the working tree.
    fn can_land(&self) -> Result<bool> {
        match &self.git {
            Some(git) => Ok(workspace::donefile_of_head(&git.top)?.is_some()),
            None => Ok(false),
        }
    }

    /// Whether it is in a repository.
    pub fn is_repository(&self) -> bool {
        self.git.is_some()
    }

    /// An error if git finds another working tree in the root than at the begin: it would judge other files, with other records.
    pub fn require_repository(&self) -> Result<()> {
        match self.root.is_dir() && git_of(&self.root) == self.git {
            true => Ok(()),
            false => {
                Err(Error::changed(format!("{} is no longer a working tree of its repository", self.root.display())))
            }
        }
    }

    /// The keys below `run` in DONE.md, or their defaults.
    pub fn spec(&self) -> RunSpec {
        self.done.as_ref().map(|done| done.run.clone()).unwrap_or_default()
    }

    /// The lock that lets one run work in the root.
    pub fn lock(&self, manner: Manner) -> Result<Lock> {
        let path = self.state.run_lock(&self.root);
        self.state.make_parent(&path)?;
        let patience = if manner.waits { LONG } else { BRIEFLY };
        let mut lock = lock::take(&path, patience).map_err(|error| match error.kind() {
            ErrorKind::Locked { .. } => {
                let holder = lock::holder(&path).map_or(String::new(), |holder| format!(" ({holder})"));
                error.with_text(format!(
                    "another run works in {}{holder}. Wait for it with `rg-run --lock`",
                    self.root.display()
                ))
            }
            _ => error,
        })?;
        lock.sign();
        Ok(lock)
    }
}

impl Options {
    /// The first step of a run in that place, without its request.
    pub fn start(&self, place: &Place) -> Result<RunStart> {
        let spec = place.spec();
        if place.done.is_none() && self.reviewer.is_none() {
            let what = "nothing can judge the work: there is no DONE.md";
            return Err(Error::usage(format!("{what}. Run `rg-init`, or require a review with --reviewer")));
        }
        if self.lands && !place.below_top().as_os_str().is_empty() && !place.can_land()? {
            let what = "rg-land judges with the DONE.md at the top of the base, and there is none";
            return Err(Error::usage(format!("{what}. Commit one there, or leave out --land")));
        }
        if let Some(name) = &self.reviewer {
            let spec = place.done.as_ref().map(|done| done.ask.clone()).unwrap_or_default();
            ask::targets(&spec, std::slice::from_ref(name), false)?;
        }
        let agent = match (&self.builder, self.command.is_empty(), &spec.builder) {
            (_, false, _) => self.command.clone(),
            (Some(name), _, _) | (None, _, Some(name)) => agent_words(name),
            (None, _, None) => {
                let found = KNOWN.iter().find(|name| env::program(name).is_some());
                let none =
                    || Error::missing("no builder found: none of codex, gemini, claude is on PATH. Pass --builder");
                vec![found.ok_or_else(none)?.to_string()]
            }
        };
        let is_own = self.builder.is_none() && self.command.is_empty();
        let own = |value: Option<String>| value.filter(|_| is_own);
        let start = RunStart {
            run: new_id(&place.root, 0),
            root: place.root.clone(),
            request: String::new(),
            agent,
            model: self.model.clone().or(own(spec.model)),
            effort: self.effort.clone().or(own(spec.effort)),
            reviewer: self.reviewer.clone(),
            reviewer_model: self.reviewer_model.clone(),
            reviewer_effort: self.reviewer_effort.clone(),
            patch: self.is_patch,
            base: base(&place.root),
            argument: self.is_argument,
            rounds: self.rounds.or(spec.rounds),
            minutes: self.minutes.unwrap_or(spec.minutes),
            tokens: self.budget.tokens.or(spec.tokens),
            cost: self.budget.cost.or(spec.cost),
            tokens_per_day: self.budget.tokens_per_day.or(spec.tokens_per_day),
            cost_per_day: self.budget.cost_per_day.or(spec.cost_per_day),
            step: self.is_stepwise,
            strict: place.done.as_ref().is_some_and(|done| done.review.floor == Floor::Strict),
            branch: None,
            land: self.lands,
            home: None,
            programs: None,
            batch: None,
            item: None,
        };
        crate::agent::Builder::of(&start)?;
        if let [name] = start.agent.as_slice()
            && self.command.is_empty()
            && !self.is_dry
            && env::program(name).is_none()
        {
            return Err(Error::missing(format!("{name} is not on PATH. Install it, or pass another --builder")));
        }
        Ok(start)
    }
}

fn git_of(root: &Path) -> Option<Git> {
    let repository = Repository::find(root)?;
    let is_linked = repository.is_linked_worktree();
    Some(Git { top: repository.top, common_dir: repository.common_dir, is_linked })
}

fn parsed(found: Option<FoundDonefile>) -> Result<Option<Donefile>> {
    found.map(|found| review_gate::donefile::parse(found.name, &found.bytes, &found.root)).transpose()
}

/// The commit whose DONE.md says which files a patch may change; None if there is none.
pub fn base(root: &Path) -> Option<String> {
    let head = Repository::find(root)?.head()?;
    workspace::donefile_of(root, &head).ok()?.map(|_| head)
}

/// A new id. It names the session of the run, so no client's session may have it.
pub fn new_id(root: &Path, number: usize) -> String {
    let (pid, number) = (procfs::own_pid().to_string(), number.to_string());
    format!("run-{}", ids::ulid(&["run", &root.to_string_lossy(), &pid, &number]))
}

/// The words of a builder: a known program by its name, anything else as a shell command.
fn agent_words(name: &str) -> Vec<String> {
    match KNOWN.contains(&name) {
        true => vec![name.to_string()],
        false => ["sh", "-c", name].map(str::to_string).to_vec(),
    }
}
