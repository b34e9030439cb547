//! The branch of a run: its worktree, the commit of what was judged, and the landing.

use crate::settings::Place;
use crate::{committed, index_lock, outside};
use review_gate::event::Outcome;
use review_gate::git::Repository;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::process::{self, Command, Output};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, one_line, plain};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a worktree may take to be made.
const PATIENCE: Duration = Duration::from_secs(600);

/// How long a landing may take.
const LANDING: Duration = Duration::from_secs(2 * 3600);

/// The longest subject of a commit, in characters.
const SUBJECT: usize = 72;

/// The longest name that is made of a request, in bytes.
const NAME: usize = 30;

/// A name for the branch of a request: its first words, and the end of the run's id.
pub fn name_of(request: &str, run: &str) -> String {
    let words = request.lines().next().unwrap_or("").to_lowercase();
    let plain: String = words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut name = words.join("-");
    name.truncate(NAME);
    let end = run[run.len().saturating_sub(6)..].to_lowercase();
    match name.trim_end_matches('-') {
        "" => format!("run-{end}"),
        name => format!("{name}-{end}"),
    }
}

/// Has rg-worktree make the worktree of that name. Returns its place, its branch, and whether that was there already.
pub fn make(home: &Place, name: &str) -> Result<(Place, String, bool)> {
    let repository = Repository::find(&home.root).ok_or_else(|| Error::changed("no repository"))?;
    // The commit needs it, and the agent's time is spent by then.
    if repository.line(&["var", "GIT_COMMITTER_IDENT"])?.is_none() {
        let what = "git does not know who commits";
        return Err(Error::usage(format!("{what}. Set user.name and user.email with `git config --global`")));
    }
    // The name of the branch is known only afterwards: rg-worktree makes the name safe.
    let before = repository.run(&["for-each-ref", "--format=%(refname)", "refs/heads/rg/"])?;
    let said = run(home, "rg-worktree", &["create", name], PATIENCE)?;
    if !said.success() {
        return Err(Error::child(cut_end(&one_line(&words_of(&said)), 400)));
    }
    let top = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim_end());
    let branch = Repository::at(&top).and_then(|repository| repository.branch());
    let branch = branch.ok_or_else(|| Error::changed(format!("{} has no branch checked out", top.display())))?;
    let was_there = before.split(|byte| *byte == b'\n').any(|name| name == branch.as_bytes());
    let below = home.below_top();
    let root = if below.as_os_str().is_empty() { top } else { top.join(below) };
    let place = if root.is_dir() { Some(Place::worktree(&root, home)?) } else { None };
    match place.filter(|place| place.done.is_some() || home.done.is_none()) {
        Some(place) => Ok((place, short(&branch).to_string(), was_there)),
        // Later the base may have it, and a worktree that is there is used as it is.
        None => {
            if !was_there {
                run(home, "rg-worktree", &["remove", name], PATIENCE)?;
            }
            let what = "the base of the branch has no valid definition of done";
            Err(Error::usage(format!("{what} in {}. Commit yours", root.display())))
        }
    }
}

/// Where the work of a run is, and how it lands if it is done.
pub fn place_of(start: &RunStart, outcome: Outcome) -> String {
    let branch = start.branch.as_deref().unwrap_or("no branch");
    let how = match outcome {
        Outcome::Done | Outcome::Waived if !start.land => format!(". Land it with `rg-land {branch}`"),
        _ => String::new(),
    };
    format!("the work is on {branch}, in {}{how}", start.root.display())
}

/// Delivers the work of a run, and says which files of the user's working tree changed. Returns its end, and the lines of the report
/// about that.
pub fn finish(
    place: &Place,
    start: &RunStart,
    request: &str,
    changed: &BTreeSet<PathBuf>,
    end: RunEnd,
) -> (RunEnd, String) {
    let before = end.why.clone();
    let home = start.home.as_ref().unwrap_or(&place.root);
    let end = outside::told(start, changed, deliver(home, place, start, request, end));
    let more = report(start, &end, end.why.strip_prefix(&before).unwrap_or(""));
    (end, more)
}

/// The lines that a report says about the branch, after a delivery that added `more` to the reason.
fn report(start: &RunStart, end: &RunEnd, more: &str) -> String {
    if start.branch.is_none() {
        return String::new();
    }
    let place = if end.landed { String::new() } else { place_of(start, end.outcome) };
    let lines = [more.trim_start_matches("; "), &place].map(str::to_string).into_iter();
    lines.filter(|line| !line.is_empty()).map(|line| line + "\n").collect()
}

/// Commits what was judged, and lands it if that was asked for. What fails is part of the end.
fn deliver(home: &Path, place: &Place, start: &RunStart, request: &str, end: RunEnd) -> RunEnd {
    let Some(branch) = start.branch.as_deref() else { return end };
    if !matches!(end.outcome, Outcome::Done | Outcome::Waived) {
        return end;
    }
    // A landing that was interrupted has already removed the worktree.
    let is_gone = start.land && !place.root.exists();
    let commit = if is_gone { Ok(None) } else { commit(place, branch, request, &end).map(Some) };
    let end = match commit {
        Ok(commit) => RunEnd { commit, ..end },
        Err(error) => return failed(end, &format!("not committed: {error}")),
    };
    env::crash_point();
    let lacks = end.commit.as_deref().map(|commit| committed::require_judged(place, start, commit, &end)).transpose();
    let end = match lacks {
        Err(error) => return failed(end, &error.to_string()),
        Ok(Some(lacks)) if !lacks.is_empty() => RunEnd { why: format!("{}; {lacks}", end.why), ..end },
        Ok(_) => end,
    };
    // The landing judges what a user waived, too.
    if !start.land {
        return end;
    }
    // A landing that was interrupted began with the same.
    match if is_gone { Ok(None) } else { outside::changed_programs(place, start) } {
        Ok(None) => land(home, branch, end),
        Ok(Some(names)) => {
            failed(end, &format!("not landed: what git runs changed while the agent worked: {names}. Look at it first"))
        }
        Err(error) => failed(end, &format!("not landed: {error}")),
    }
}

fn failed(end: RunEnd, why: &str) -> RunEnd {
    let why = cut_end(&one_line(&redact(why)), 600);
    RunEnd { status: Exit::No as u8, why: format!("{}; {why}", end.why), ..end }
}

/// Commits all files on the branch; returns the commit that holds the work.
fn commit(place: &Place, branch: &str, request: &str, end: &RunEnd) -> Result<String> {
    place.require_repository()?;
    let repository = Repository::find(&place.root).ok_or_else(|| Error::changed("no repository"))?;
    let now = repository.branch();
    if now.as_deref().map(short) != Some(branch) {
        let what = now.map_or("no branch".to_string(), |name| short(&name).to_string());
        return Err(Error::changed(format!("the agent left {what} checked out instead of {branch}")));
    }
    if let Some(what) = repository.operation_in_progress() {
        return Err(Error::changed(format!("the agent left {what} under way")));
    }
    index_lock::clear(&repository)?;
    let status = repository.status()?;
    if !(status.staged.is_empty() && status.unstaged.is_empty() && status.untracked.is_empty()) {
        // The agent may have written hooks.
        let quiet = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"];
        repository.run(&[&quiet[..], &["add", "--all"]].concat())?;
        let receipt = end.receipt.as_deref().unwrap_or("none");
        let text = format!("{}\n\nRun: {}\nReceipt: {receipt}\n", subject(request), end.run);
        repository.run(&[&quiet[..], &["commit", "--quiet", "--no-verify", "-m", &text]].concat())?;
    }
    repository.head().ok_or_else(|| Error::changed("the branch has no commit"))
}

/// The subject of a commit: the first line of the request.
fn subject(request: &str) -> String {
    cut_end(&one_line(&redact(request.lines().find(|line| !line.trim().is_empty()).unwrap_or("work").trim())), SUBJECT)
}

fn land(home: &Path, branch: &str, end: RunEnd) -> RunEnd {
    let said = match run_in(home, "rg-land", &[branch], LANDING) {
        Ok(said) => said,
        Err(error) => return failed(end, &format!("not landed: {error}")),
    };
    let words = words_of(&said);
    let first = words.lines().next().unwrap_or("");
    match said.success() && first.starts_with("landed ") {
        true => RunEnd { landed: true, why: format!("{}; {first}", end.why), ..end },
        false => failed(
            end,
            &format!("not landed: {}", words.trim_start_matches("rg-land: ").trim_start_matches("not landed: ")),
        ),
    }
}

/// Runs a program of review-gate for the repository of a run.
fn run(home: &Place, program: &str, args: &[&str], patience: Duration) -> Result<Output> {
    run_in(&home.root, program, args, patience)
}

fn run_in(dir: &Path, program: &str, args: &[&str], patience: Duration) -> Result<Output> {
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(bin.join(program));
    command.args(args).current_dir(dir).envs(env::own_variables()).envs(env::model_credentials());
    process::output(command, patience)
}

/// What a program printed: its result, then its errors; only the errors of one that failed.
fn words_of(said: &Output) -> String {
    let (out, err) = (plain(&said.stdout), plain(&said.stderr));
    match said.success() || err.trim().is_empty() {
        true => format!("{}\n{}", out.trim(), err.trim()).trim().to_string(),
        false => err.trim().to_string(),
    }
}

fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_named_after_the_request() {
        for (request, name) in [
            ("Fix the parser!\nmore", "fix-the-parser-ghijkl"),
            ("../../etc/passwd; rm -rf", "etc-passwd-rm-rf-ghijkl"),
            ("日本語", "run-ghijkl"),
            ("a sentence that goes on and on without an end", "a-sentence-that-goes-on-and-on-ghijkl"),
        ] {
            assert_eq!(name_of(request, "run-01ABCDEFGHIJKL"), name, "{request}");
        }
        assert_eq!(subject("\n  do it\x1b[2J \n"), "do it");
    }
}
