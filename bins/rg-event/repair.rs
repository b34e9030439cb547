//! Repairs of DONE.md: when the DONE.md of a user's prompt replaces the one that the task began with.
//!
//! A definition that could not judge at all may be replaced: one that was malformed, or a check whose command names a program or a
//! script that never existed. Everything else needs the user at a terminal (`rg-tamper bless`).

use review_gate::donefile::{self, CheckSpec, Donefile, FoundDonefile};
use review_gate::event::{BudgetOwner, Check, CheckEnd, Event, Stage, Verdict};
use review_gate::snapshot::{self, baseline};
use review_gate::store::journal;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::record::Run;
use review_gate::store::task::Task;
use review_gate::sys::env;
use review_gate::sys::shell::{INTERPRETERS, SHELLS};
use review_gate::sys::text::{cut_end, one_line};
use std::path::{Path, PathBuf};

/// Characters that mean something to a shell, so that the words of a command are not its program and its operands.
const SPECIAL: &str = "|&;<>()$`\\\"'*?[{~=#!\n";

/// The exit status of a shell that finds no program of that name.
const NOT_FOUND: i32 = 127;

/// What the user is told if today's DONE.md replaces the one that the task began with; None if it does not.
pub fn notice(task: &Task) -> Option<String> {
    let begun = task.begin.donefile.as_ref()?;
    let found = donefile::find(&task.begin.root).ok()??;
    let path = begun.path.display();
    let now = donefile::parse(found.name, &found.bytes, &found.root).ok()?;
    if !begun.valid {
        return Some(format!("review-gate: {path} was repaired and judges from now on. Check who wrote it."));
    }
    let repaired = repaired_checks(task, &found, &now)?;
    let shown = repaired.iter().map(|(then, now)| {
        let command = |check: &CheckSpec| cut_end(&one_line(&check.run), 80);
        format!("check \"{}\" could not run: `{}` is now `{}`", then.name, command(then), command(now))
    });
    let shown = shown.collect::<Vec<_>>().join("; ");
    Some(format!("review-gate: {path}: {shown}. It judges from now on. Check who wrote it."))
}

/// The checks whose commands changed, before and after; None if anything else changed, if one of them could run, or if DONE.md
/// already differed at the last stop.
fn repaired_checks(task: &Task, found: &FoundDonefile, now: &Donefile) -> Option<Vec<(CheckSpec, CheckSpec)>> {
    let begun = task.begin.donefile.as_ref()?;
    if found.is_link || Path::new(found.name) != begun.path || task.first_edited_record().is_some() {
        return None;
    }
    let then = donefile::parse(found.name, &task.state.read_blob(&begun.sha256).ok()?, &found.root).ok()?;
    let is_same_otherwise = Donefile { checks: then.checks.clone(), ..now.clone() } == then;
    let pairs = || then.checks.iter().zip(&now.checks);
    let only_commands = pairs().all(|(then, now)| CheckSpec { run: then.run.clone(), ..now.clone() } == *then);
    let changed: Vec<_> = pairs().filter(|(then, now)| then.run != now.run).collect();
    if !is_same_otherwise || !only_commands || then.checks.len() != now.checks.len() || changed.is_empty() {
        return None;
    }
    let last = last_receipt(task)?.to_event();
    let could_run = |check: &CheckSpec| {
        let red = result(&last, check).filter(|ran| !ran.is_green());
        !red.is_some_and(|red| names_what_never_existed(task, check, red)) || has_passed(task, check)
    };
    if !is_unedited_at(&last, &then) || changed.iter().any(|(then, _)| could_run(then)) {
        return None;
    }
    Some(changed.into_iter().map(|(then, now)| (then.clone(), now.clone())).collect())
}

/// The session's last receipt, if its file is the one that was sealed.
fn last_receipt(task: &Task) -> Option<Receipt> {
    let sealed = task.ledger.last_of_session()?;
    let file = ReceiptFile::at(task.state.receipt(&sealed.receipt));
    let receipt = file.receipt().ok()?;
    matches!(file.integrity(&task.state, &receipt), Ok(Integrity::Sealed { .. })).then_some(receipt)
}

/// Whether rg-tamper judged that stop and DONE.md was the one that the task began with: the edit came after the agent's turn.
fn is_unedited_at(stop: &Event, definition: &Donefile) -> bool {
    let judged = stop.verdict_of(&Stage::Tamper).is_some_and(|judged| judged.verdict != Verdict::Inconclusive);
    definition.guards.protects_definition()
        && judged
        && !stop.findings().iter().any(|finding| finding.rule.is_about_definition())
}

fn result<'a>(stop: &'a Event, check: &CheckSpec) -> Option<&'a Check> {
    stop.checks().iter().find(|ran| ran.name == check.name && ran.run == check.run)
}

/// Whether a recorded run of the same command passed.
fn has_passed(task: &Task, check: &CheckSpec) -> bool {
    let runs: Vec<Run> = journal::search(&task.state.checks(&task.begin.root), &check.run).unwrap_or_default();
    let ran = runs.iter().flat_map(|run| &run.checks).filter(|ran| ran.run == check.run);
    ran.into_iter().any(|ran| ran.ended == CheckEnd::Passed)
}

/// Whether the command is one program with its operands, and the program or the script that it runs is not installed, did not exist
/// when the task began, and does not exist now. What the agent removed existed at the begin.
fn names_what_never_existed(task: &Task, check: &CheckSpec, red: &Check) -> bool {
    if check.run.trim().contains(|letter| SPECIAL.contains(letter)) {
        return false;
    }
    let mut words = check.run.split_whitespace();
    let Some(program) = words.next() else { return false };
    let never_existed = |name: &str| is_absent_since_begin(task, check, name).unwrap_or(false);
    match INTERPRETERS.contains(&program) || SHELLS.contains(&program) {
        _ if program.contains('/') => never_existed(program),
        true if env::program(program).is_some() => {
            words.next().is_some_and(|operand| !operand.starts_with('-') && never_existed(operand))
        }
        // A word that is no program may be a command of the shell, which ends with another status.
        _ => env::program(program).is_none() && check.env.is_empty() && red.exit == Some(NOT_FOUND),
    }
}

/// Whether a file of that name is missing now and was missing in the baseline. None if the baseline cannot be read.
fn is_absent_since_begin(task: &Task, check: &CheckSpec, name: &str) -> Option<bool> {
    let dir = task.begin.root.join(check.cwd.as_deref().unwrap_or(""));
    let whole: PathBuf = dir.join(name).components().collect();
    let top = snapshot::top_of(&task.begin.root);
    // A file outside of the working tree is in no baseline.
    let below = whole.strip_prefix(&top).ok().filter(|path| !path.components().any(|part| part.as_os_str() == ".."))?;
    let then = baseline::last(task, &BudgetOwner::Main)?.files(&task.state).ok()?;
    Some(std::fs::symlink_metadata(&whole).is_err() && !then.iter().any(|file| file.path == below))
}
