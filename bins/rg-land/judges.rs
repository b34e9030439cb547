//! Runs the judges on the scratch worktree: compared with the base, in an environment of their own.

use crate::TOOL;
use crate::checkout;
use crate::environment::Environment;
use crate::issues;
use crate::plan::Plan;
use crate::review::OldReview;
use review_gate::donefile::IssueSpec;
use review_gate::event::{Event, Outcome, Rewritten};
use review_gate::git::Repository;
use review_gate::snapshot::Snapshot;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::limits;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one judge may run; each check has its own limit.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// The judges of one landing.
pub struct Judges<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The scratch worktree.
    pub scratch: &'a Repository,
    /// The commit of the base.
    pub upstream: &'a str,
    /// The environment.
    pub environment: Environment,
    /// The patterns of the files that the checks declare to write. They are to be committed or ignored.
    pub written: Vec<String>,
    /// Whether DONE.md asks for a proof of the change.
    pub is_proof_due: bool,
    /// What becomes an issue.
    pub issues: IssueSpec,
}

impl Judges<'_> {
    /// Runs all judges and returns the id of the receipt. The files must be `files` before and after.
    pub fn judge(&self, review: OldReview, files: &Snapshot) -> Result<String> {
        // A recorded run may be one of the caller, in the same place with other ignored files.
        let check = vec!["rg-check", "--fresh"];
        let purpose = issues::purpose(self.plan);
        let mut event = vec!["rg-event", "stop", "--against", self.upstream];
        event.extend(purpose.iter().flat_map(|text| ["--prompt", text.as_str()]));
        let mut stages: Vec<Vec<&str>> = vec![event, vec!["rg-tamper"], check];
        if self.is_proof_due {
            stages.push(vec!["rg-prove", "--land"]);
        }
        if review != OldReview::Holds {
            stages.extend([vec!["rg-review-state"], vec!["rg-review"]]);
        }
        stages.push(vec!["rg-receipt"]);
        let stages: Vec<&[&str]> = stages.iter().map(Vec::as_slice).collect();
        let (event, line) = self.run_stages(&stages, review == OldReview::RequiredAgain)?;
        if event.outcome() != Some(Outcome::Done) {
            return Err(self.refusal(&event, line));
        }
        let differing = checkout::differing(&self.plan.state, self.scratch, files)?;
        match event.receipt() {
            Some(receipt) if self.is_about(&event, files, &differing) => Ok(receipt.to_string()),
            _ => {
                // A check may have changed files: land only the files that were judged.
                let words = differing.first().map_or_else(String::new, |path| {
                    let name = cut_end(&one_line(&path.to_string_lossy()), 80);
                    format!(" ({name}). Ignore or commit the files that checks write")
                });
                Err(Error::changed(format!("not landed: files changed while they were judged{words}")))
            }
        }
    }

    /// Prints what the judges found, and returns the error.
    fn refusal(&self, event: &Event, line: Vec<u8>) -> Error {
        let (status, words) = match self.run_stage(&["rg-answer"], line, false) {
            Ok(answer) => answer,
            Err(error) => return error,
        };
        cli::print_report(&words);
        for hint in self.environment.hints(self.plan, event.checks()) {
            cli::print_error(&TOOL, &hint);
        }
        for error in issues::file(self.plan, &self.issues, event) {
            cli::print_error(&TOOL, &error);
        }
        let word = event.outcome().map_or("unverified", Outcome::word);
        let text = format!("not landed: {} on {} is {word}", self.plan.short(), self.plan.base);
        match status {
            Some(1) => Error::refused(text),
            Some(3) => Error::tampered(text),
            _ => Error::unverified(text),
        }
    }

    /// Runs these programs as a pipeline. Returns the event and its line.
    pub fn run_stages(&self, stages: &[&[&str]], asks: bool) -> Result<(Event, Vec<u8>)> {
        let mut line = Vec::new();
        for stage in stages {
            line = self.run_stage(stage, line, asks)?.1;
        }
        Ok((Event::parse(line.trim_ascii_end())?, line))
    }

    /// Runs one program of review-gate. Returns its status and its output.
    fn run_stage(&self, words: &[&str], input: Vec<u8>, asks: bool) -> Result<(Option<i32>, Vec<u8>)> {
        let place = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
        let mut command = Command::new(place.join(words[0]));
        command.args(&words[1..]).current_dir(&self.scratch.top);
        self.environment.set(&mut command, words[0]);
        if asks {
            command.env("RG_REVIEW", "1");
        }
        let said = process::output_with_input(command, input, PATIENCE, limits::LINE)?;
        // A filter without output has failed; the stages after it would get no event.
        if said.stdout.is_empty() && words[0] != "rg-answer" {
            let why = String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("").to_string();
            return Err(Error::child(format!("{} printed no event: {why}", words[0])));
        }
        Ok((said.code(), said.stdout))
    }

    /// Whether the outcome is about these files. Caches and logs that the checks added, as rg-check permits, are no part of the commit.
    fn is_about(&self, event: &Event, files: &Snapshot, differing: &[PathBuf]) -> bool {
        let digest = files.digest();
        if differing.is_empty() {
            return event.snapshot() == Some(&digest);
        }
        let is_rewritten =
            |rewritten: &Rewritten| rewritten.seen_before == digest && event.snapshot() == Some(&rewritten.seen_after);
        let written = Patterns::new(self.written.iter().map(String::as_str));
        let is_written = |path: &Path| {
            let whole = self.scratch.top.join(path);
            whole.strip_prefix(&event.root).is_ok_and(|path| written.matches_strictly(path))
        };
        event.rewritten().is_some_and(is_rewritten)
            && differing.iter().all(|path| files.get(path).is_none() && !is_written(path))
    }
}
