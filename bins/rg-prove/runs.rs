//! Runs the checks in the copy with rg-check, and keeps the results by what they ran on.

use crate::TOOL;
use crate::copy::Copy;
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
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How many results are kept.
const KEPT: usize = 500;

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

    /// Whether its tests ran at all, as far as its runner reports that.
    pub fn has_run_tests(&self) -> bool {
        match self.executed {
            None => true,
            Some(0) => false,
            Some(_) => !self.passed.is_empty() || self.failed.is_empty() || self.failed_tests().next().is_some(),
        }
    }
}

/// Why there is no result.
pub enum NoResult {
    /// The time for all runs is over.
    Time,
    /// It could not be found out.
    Unknown(String),
}

/// The runs of one call.
pub struct Runs<'a> {
    plan: &'a Plan,
    copy: &'a Copy,
    deadline: Instant,
    is_fresh: bool,
    dir: PathBuf,
}

impl Runs<'_> {
    /// Runs that end before the limit.
    pub fn new<'a>(plan: &'a Plan, copy: &'a Copy, limit: Duration, is_fresh: bool) -> Runs<'a> {
        let dir = plan.state.dir().join("prove").join("results");
        Runs { plan, copy, deadline: Instant::now() + limit, is_fresh, dir }
    }

    /// Runs these checks on the copy as it is now. `what` names its files, given those of the plan.
    pub fn run(&self, what: &str, names: &[&str]) -> std::result::Result<Vec<Ran>, NoResult> {
        let key = digest::sha256_parts(&[self.plan.key.as_bytes(), what.as_bytes(), names.join("\0").as_bytes()]);
        let kept = self.dir.join(format!("{key}.json"));
        if !self.is_fresh
            && let Some(bytes) = files::try_read(&kept, limits::BLOB)
            && let Ok(ran) = serde_json::from_slice(&bytes)
        {
            return Ok(ran);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(NoResult::Time);
        }
        cli::progress(&format!("{}: {what} ...", TOOL.name));
        let checks = self.check(names, left).map_err(|error| match Instant::now() >= self.deadline {
            true => NoResult::Time,
            false => NoResult::Unknown(error.to_string()),
        })?;
        if let Some(check) = checks.iter().find(|check| !matches!(check.ended, CheckEnd::Passed | CheckEnd::Failed)) {
            return Err(NoResult::Unknown(format!("check \"{}\" did not end", check.name)));
        }
        let ran: Vec<Ran> = checks.iter().map(|check| self.ran(check)).collect();
        if let Ok(text) = serde_json::to_vec(&ran)
            && self.plan.state.write_whole(&kept, &text, false).is_ok()
        {
            retention::prune(&self.dir, KEPT, Duration::ZERO);
        }
        Ok(ran)
    }

    fn check(&self, names: &[&str], patience: Duration) -> Result<Vec<Check>> {
        let dir = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
        let mut command = Command::new(dir.join("rg-check"));
        command.args(["--now", "--json", "--fresh", "--definition", "--only", &names.join(",")]);
        command.current_dir(&self.copy.root).env("RG_STATE", &self.copy.state);
        let said = process::output_with_input(command, self.plan.definition.clone(), patience, limits::LINE)?;
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

    fn ran(&self, check: &Check) -> Ran {
        let list = check.tests.as_ref().and_then(|tests| tests.list.as_ref());
        let bytes = list.and_then(|list| State::at(self.copy.state.clone()).read_blob(list).ok());
        let tests = TestList::parse(&bytes.unwrap_or_default());
        let named = |ending: Ending| tests.named(ending).map(str::to_string).collect();
        let excerpt = match check.is_green() {
            true => Vec::new(),
            false => excerpt::lines(check.excerpt.as_ref(), &check.tail, 8, 200).0,
        };
        // A place is shown as it is in the user's own files.
        let top = format!("{}/", self.copy.top.display());
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
}
