//! Tries a check: rg-check runs it once, with a definition of done that holds only this check.

use crate::definition;
use crate::proposal::{Proposal, Trial};
use review_gate::event::{Check, CheckEnd};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::{self, Command, Output};
use review_gate::sys::text::{cut_end, last_lines, one_line};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// The most output of rg-check that is read, in bytes.
const OUTPUT: usize = 16 << 20;

/// How much longer than the check rg-check may take, for its snapshots and its wait for other runs.
const MARGIN: Duration = Duration::from_secs(120);

/// How much of a reason is kept, in characters.
const REASON: usize = 200;

/// The part of rg-check's verdict that is needed here.
#[derive(Deserialize)]
struct Verdict {
    status: u8,
    why: String,
    #[serde(default)]
    checks: Vec<Check>,
    #[serde(default)]
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    text: String,
}

/// Tries a check in the root, for at most `limit` seconds. Also returns whether its output reported tests.
pub fn try_once(check: &Proposal, root: &Path, limit: f64) -> Result<(Trial, bool)> {
    if let Some(why) = missing_program(check, root) {
        return Ok((Trial::LeftOut(why), false));
    }
    let output = rg_check(definition::of_trial(check, limit), root, limit)?;
    let Ok(verdict) = serde_json::from_slice::<Verdict>(&output.stdout) else {
        let why = last_lines(&String::from_utf8_lossy(&output.stderr), 1, REASON).concat();
        return Ok((Trial::LeftOut(format!("rg-check could not run it: {}", one_line(&why))), false));
    };
    let tests = verdict.checks.first().and_then(|ran| ran.tests.as_ref());
    let has_evidence = tests.is_some_and(|tests| tests.executed > 0 && !tests.incomplete);
    let trial = match verdict.checks.first() {
        Some(ran) if verdict.status == 0 && ran.ended == CheckEnd::Passed => Trial::Passed(ran.seconds),
        Some(ran) if ran.ended == CheckEnd::TimedOut => Trial::LeftOut(format!("it did not end within {limit} s")),
        Some(ran) if ran.ended == CheckEnd::Failed => Trial::LeftOut(failure(ran)),
        _ => {
            let why = verdict.findings.first().map_or(verdict.why, |finding| finding.text.clone());
            Trial::LeftOut(cut_end(&one_line(&why), REASON))
        }
    };
    Ok((trial, has_evidence))
}

/// Runs all checks of a definition, which may take so many seconds together.
pub fn try_definition(text: &str, root: &Path, seconds: f64) -> Result<Vec<Check>> {
    let output = rg_check(text.to_string(), root, seconds)?;
    let verdict = serde_json::from_slice::<Verdict>(&output.stdout);
    verdict.map(|verdict| verdict.checks).map_err(|_| {
        let why = last_lines(&String::from_utf8_lossy(&output.stderr), 1, REASON).concat();
        Error::child(format!("rg-check could not run the checks: {}", one_line(&why)))
    })
}

/// Runs rg-check with a definition of done, for at most so many seconds and a margin.
fn rg_check(text: String, root: &Path, seconds: f64) -> Result<Output> {
    let program = env::bin_dir().map(|dir| dir.join("rg-check")).filter(|path| path.is_file());
    let program = program.ok_or_else(|| Error::missing("rg-check is not installed beside rg-init"))?;
    let mut command = Command::new(program);
    command.arg("-C").arg(root).args(["--now", "--json", "--fresh", "--definition"]).envs(env::own_variables());
    let deadline = Duration::from_secs_f64(seconds) + MARGIN;
    process::output_with_input(command, text.into_bytes(), deadline, OUTPUT)
}

/// Why a program that the command needs cannot be found. Only the first word is looked at.
fn missing_program(check: &Proposal, root: &Path) -> Option<String> {
    let word = check.run.split_whitespace().next()?;
    let is_plain = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b));
    // `CI=1 program`, `(program` and the like are left to the shell.
    if !is_plain(word) || matches!(word, "cd" | "test" | "true" | "false" | "exit" | "set" | "if" | "for") {
        return None;
    }
    let is_there =
        if word.contains('/') { root.join(&check.below).join(word).is_file() } else { env::program(word).is_some() };
    if is_there {
        None
    } else {
        Some(format!("{word} is not {}", if word.contains('/') { "there" } else { "on PATH" }))
    }
}

/// How a check failed, with the most telling line of its output.
fn failure(ran: &Check) -> String {
    let exit = ran.exit.map_or("a signal killed it".to_string(), |exit| format!("exit status {exit}"));
    let excerpt = ran.excerpt.as_ref();
    let first = excerpt.and_then(|excerpt| excerpt.failures.first().and_then(|lines| lines.first()));
    let marked = excerpt.and_then(|excerpt| excerpt.marked.first());
    let line = first.or(marked).cloned().or_else(|| last_lines(&ran.tail, 1, REASON).pop());
    match line {
        Some(line) => cut_end(&format!("it fails here: {exit}: {}", one_line(&line)), REASON),
        None => format!("it fails here: {exit}, without output"),
    }
}
