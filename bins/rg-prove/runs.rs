//! Runs the checks in copies with rg-check, several at a time if the checks permit it, and keeps the results by what they ran on.

use crate::TOOL;
use crate::change::Content;
use crate::copy::{Copies, Copy};
use crate::plan::Plan;
use review_gate::event::{Check, CheckEnd};
use review_gate::evidence::{Ending, TestList};
use review_gate::excerpt;
use review_gate::store::retention;
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::one_line;
use review_gate::sys::{digest, env, files, limits};
use review_gate::tool::cli;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How many results are kept.
const KEPT: usize = 500;

/// An experiment may take so many times as long as the checks on the files as they are,
const SLOWER: u32 = 5;

/// and this time in any case.
const PATIENCE: Duration = Duration::from_secs(30);

/// Files with which the checks run, in place of those of the work tree.
pub struct Mixture {
    /// What it is, for people; it identifies the files, given those of the plan.
    pub what: String,
    /// The replaced files; None for one that is not there.
    pub files: Vec<(PathBuf, Option<Content>)>,
}

/// The result of one check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub is_green: bool,
    /// How many tests it executed, if its runner reports that.
    pub executed: Option<u64>,
    /// The names of the tests that passed.
    pub passed: Vec<String>,
    /// The names of the tests that failed.
    pub failed: Vec<String>,
    /// What its output says about the failure.
    pub excerpt: Vec<String>,
}

impl Ran {
    /// The tests that ran and failed. A module that could not be loaded is no test.
    pub fn failed_tests(&self) -> impl Iterator<Item = &str> {
        self.failed.iter().map(String::as_str).filter(|name| !name.contains("_FailedTest"))
    }

    /// Whether tests ran of which no name is known.
    pub fn is_unnamed(&self) -> bool {
        self.executed.is_some_and(|tests| tests > 0) && self.passed.is_empty() && self.failed.is_empty()
    }

    /// The line of its output that most likely says why it failed, after a colon.
    pub fn reason(&self) -> String {
        let line = self.excerpt.iter().find(|line| line.to_lowercase().contains("error")).or(self.excerpt.last());
        line.map(|line| format!(": {}", line.trim())).unwrap_or_default()
    }

    /// Whether its tests ran at all. `control` is the same check on the files as they are.
    pub fn has_run_tests(&self, control: Option<&Ran>) -> bool {
        match self.executed {
            None => control.is_none_or(|control| control.executed.is_none()),
            Some(0) => false,
            Some(_) => !self.passed.is_empty() || self.failed.is_empty() || self.failed_tests().next().is_some(),
        }
    }
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub enum NoResult {
    /// The time for all runs is over.
    Time,
    /// It could not be found out.
    Unknown(String),
}

/// What a mixture gave.
pub type Outcome = std::result::Result<Vec<Ran>, NoResult>;

/// The runs of one call.
pub struct Runs<'a> {
    plan: &'a Plan,
    deadline: Instant,
    is_fresh: bool,
    jobs: usize,
    dir: PathBuf,
    copies: OnceCell<Copies<'a>>,
    idle: Mutex<Vec<Copy>>,
    /// How long the checks took on the files as they are.
    usual: OnceLock<Duration>,
}

impl<'a> Runs<'a> {
    /// Runs that end before the limit.
    pub fn new(plan: &'a Plan, limit: Duration, jobs: usize, is_fresh: bool) -> Runs<'a> {
        let dir = plan.state.dir().join("prove").join("results");
        let deadline = Instant::now() + limit;
        let (copies, idle, usual) = (OnceCell::new(), Mutex::new(Vec::new()), OnceLock::new());
        Runs { plan, deadline, is_fresh, jobs, dir, copies, idle, usual }
    }

    /// Runs these checks on each mixture. An error means that there can be no copy.
    pub fn run(&self, mixtures: &[Mixture], names: &[&str]) -> Result<Vec<Outcome>> {
        let mut found: Vec<Option<Outcome>> =
            mixtures.iter().map(|mixture| self.kept(&mixture.what, names).map(Ok)).collect();
        let open: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
        if open.is_empty() || self.left().is_zero() {
            return Ok(found.into_iter().map(|one| one.unwrap_or(Err(NoResult::Time))).collect());
        }
        if self.copies.get().is_none() {
            let _ = self.copies.set(Copies::new(self.plan)?);
        }
        let Some(copies) = self.copies.get() else { return Err(Error::bug("no copies")) };
        let is_parallel =
            self.plan.checks.iter().filter(|check| names.contains(&check.name.as_str())).all(|c| c.is_parallel);
        let jobs = if is_parallel { self.jobs.min(open.len()) } else { 1 };
        let next = AtomicUsize::new(0);
        let work = Work { plan: self.plan, copies, idle: &self.idle, deadline: self.deadline, usual: &self.usual };
        let one = || {
            let mut done = Vec::new();
            let mut copy: Option<Copy> = None;
            loop {
                let turn = next.fetch_add(1, Ordering::SeqCst);
                let Some(at) = open.get(turn) else { break };
                let mixture = &mixtures[*at];
                if !work.left().is_zero() {
                    cli::progress(&format!("{}: [{}/{}] {} ...", TOOL.name, turn + 1, open.len(), mixture.what));
                }
                done.push((*at, work.run(mixture, names, &mut copy)));
            }
            work.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(copy);
            done
        };
        let results: Vec<(usize, Result<Outcome>)> = match jobs {
            1 => one(),
            _ => std::thread::scope(|scope| {
                let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(one)).collect();
                workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
            }),
        };
        for (at, result) in results {
            let outcome = result?;
            if let Ok(ran) = &outcome {
                self.keep(&mixtures[at].what, names, ran);
            }
            found[at] = Some(outcome);
        }
        let lost = || Err(NoResult::Unknown("the experiment did not end".to_string()));
        Ok(found.into_iter().map(|one| one.unwrap_or_else(lost)).collect())
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn path(&self, what: &str, names: &[&str]) -> PathBuf {
        let key = digest::sha256_parts(&[self.plan.key.as_bytes(), what.as_bytes(), names.join("\0").as_bytes()]);
        self.dir.join(format!("{key}.json"))
    }

    fn kept(&self, what: &str, names: &[&str]) -> Option<Vec<Ran>> {
        let bytes = files::try_read(&self.path(what, names), limits::BLOB).filter(|_| !self.is_fresh)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// A result that cannot be kept is found out again.
    fn keep(&self, what: &str, names: &[&str], ran: &[Ran]) {
        if let Ok(text) = serde_json::to_vec(ran)
            && self.plan.state.write_whole(&self.path(what, names), &text, false).is_ok()
        {
            retention::prune(&self.dir, KEPT, Duration::ZERO);
        }
    }
}

/// What the threads share.
struct Work<'a> {
    plan: &'a Plan,
    copies: &'a Copies<'a>,
    idle: &'a Mutex<Vec<Copy>>,
    deadline: Instant,
    usual: &'a OnceLock<Duration>,
}

impl Work<'_> {
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn run(&self, mixture: &Mixture, names: &[&str], place: &mut Option<Copy>) -> Result<Outcome> {
        if self.left().is_zero() {
            return Ok(Err(NoResult::Time));
        }
        let mut copy = match place.take().or_else(|| self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()) {
            Some(copy) => copy,
            None => self.copies.make()?,
        };
        let usual = self.usual.get().map(|usual| *usual * SLOWER + PATIENCE);
        let patience = self.left().min(usual.unwrap_or(Duration::MAX));
        for (path, content) in &mixture.files {
            copy.put(path, content.as_ref())?;
        }
        let begun = Instant::now();
        let checked = check(self.plan, &copy, names, patience);
        let took = begun.elapsed();
        for (path, _) in &mixture.files {
            let known = self.plan.changed.iter().find(|changed| changed.path == *path);
            copy.put(path, known.and_then(|changed| changed.new.as_ref()))?;
        }
        let outcome = match checked {
            Ok(checks) => {
                // The first run is that of the files as they are.
                self.usual.get_or_init(|| took);
                match checks.iter().find(|check| !matches!(check.ended, CheckEnd::Passed | CheckEnd::Failed)) {
                    Some(check) => Err(NoResult::Unknown(format!("check \"{}\" did not end", check.name))),
                    None => Ok(checks.iter().map(|check| ran(check, &copy)).collect()),
                }
            }
            Err(_) if self.left().is_zero() => Err(NoResult::Time),
            Err(_) if took >= patience => {
                Err(NoResult::Unknown(format!("the checks take longer than {} s", patience.as_secs())))
            }
            Err(error) => Err(NoResult::Unknown(error.to_string())),
        };
        *place = Some(copy);
        Ok(outcome)
    }
}

fn check(plan: &Plan, copy: &Copy, names: &[&str], patience: Duration) -> Result<Vec<Check>> {
    let dir = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(dir.join("rg-check"));
    command.args(["--now", "--json", "--fresh", "--definition", "--only", &names.join(",")]);
    command.current_dir(&copy.root).env("RG_STATE", &copy.state);
    let said = process::output_with_input(command, plan.definition.clone(), patience, limits::LINE)?;
    #[derive(Deserialize)]
    struct Judged {
        checks: Vec<Check>,
    }
    let judged: Judged = serde_json::from_slice(&said.stdout).map_err(|_| {
        Error::child(format!("rg-check printed no result: {}", one_line(&String::from_utf8_lossy(&said.stderr))))
    })?;
    match names.len() == judged.checks.len() {
        true => Ok(judged.checks),
        false => Err(Error::child("rg-check ran other checks than those that were named")),
    }
}

fn ran(check: &Check, copy: &Copy) -> Ran {
    let list = check.tests.as_ref().and_then(|tests| tests.list.as_ref());
    let bytes = list.and_then(|list| State::at(copy.state.clone()).read_blob(list).ok());
    let tests = TestList::parse(&bytes.unwrap_or_default());
    let named = |ending: Ending| tests.named(ending).map(str::to_string).collect();
    let excerpt = match check.is_green() {
        true => Vec::new(),
        false => excerpt::lines(check.excerpt.as_ref(), &check.tail, 8, 200).0,
    };
    // A place is shown as it is in the user's own files.
    let top = format!("{}/", copy.top.display());
    let excerpt = excerpt.into_iter().map(|line: String| line.replace(&top, "")).collect();
    Ran {
        name: check.name.clone(),
        is_green: check.is_green(),
        executed: check.tests.as_ref().map(|tests| tests.executed),
        passed: named(Ending::Passed),
        failed: named(Ending::Failed),
        excerpt,
    }
}
