//! Findings that become issues, once for each fingerprint, and are closed when they are gone.

use super::board::{Board, Issue};
use super::change::{Change, Fields, Holder, Status};
use super::store::Store;
use crate::event::{Finding, Level};
use crate::sys::clock;
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use crate::sys::limits;
use crate::sys::process::{self, Command};
use crate::sys::redact::redact;
use crate::sys::text::{cut_end, one_line};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// The name under which issues are filed.
const FILER: &str = "gate";

/// The longest title, in characters.
const TITLE: usize = 100;

/// The most issues that are filed at once.
const MOST: usize = 50;

/// How long the program of `issues.command` may run for one issue.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest id that this program may give an issue, in characters.
const OUTSIDE: usize = 100;

/// A finding that becomes an issue.
#[derive(Clone, Debug)]
pub struct Filing {
    /// Its fingerprint.
    pub key: String,
    /// What is wrong, in one sentence.
    pub text: String,
    /// What else is known.
    pub details: String,
    /// How urgent it is, 1 to 5.
    pub priority: u8,
}

impl Filing {
    /// A finding of a judge. `why` says how it was found.
    pub fn of(finding: &Finding, why: &str) -> Filing {
        let place = match (finding.path.as_deref(), finding.line) {
            (None | Some(""), _) => String::new(),
            (Some(path), Some(line)) => format!("{path}:{line}: "),
            (Some(path), None) => format!("{path}: "),
        };
        let text = redact(&format!("{place}{}: {}", finding.rule, finding.text));
        Filing {
            key: finding.key.clone(),
            details: format!("{text}\n{why}"),
            text,
            priority: if finding.level == Level::Tampered { 1 } else { 2 },
        }
    }
}

/// Whose findings they are: an issue is closed when its finding is not among those of the same owner any more.
#[derive(Clone, Debug)]
pub struct Owner {
    /// The tag that says where the issues come from.
    pub source: String,
    /// The tag of the task or the branch.
    pub scope: String,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filed {
    /// The ids of new issues.
    pub made: Vec<String>,
    /// The ids of issues that were closed and are open again.
    pub reopened: Vec<String>,
    /// The ids of issues whose finding is gone.
    pub closed: Vec<String>,
}

/// Files the findings of an owner that have no issue yet, and closes its issues whose finding is gone.
pub fn settle(store: &Store, owner: &Owner, found: &[Filing]) -> Result<Filed> {
    let mut filed = Filed::default();
    if found.is_empty() && !store.has_issues() {
        return Ok(filed);
    }
    store.append_changes(|board, end| {
        filed = Filed::default();
        let by = Holder { from: FILER.to_string(), session: None };
        let now = clock::now();
        let (mut changes, mut time) = (Vec::new(), end.next_time(now));
        let mut add = |issue: Option<&Issue>, key: &str, set: Fields| {
            time = issue.map_or(time, |issue| issue.next_time(time));
            let id = ids::ulid_at(time, &["rg-issue", key, &end.length.to_string()]);
            let of = issue.map_or_else(|| id.clone(), |issue| issue.id.clone());
            changes.push(Change::new(id, now, &of, &by, set));
            time.0 += 1;
            of
        };
        for filing in found.iter().take(MOST) {
            match of_key(board, &filing.key) {
                None => filed.made.push(add(None, &filing.key, fields(owner, filing))),
                // A user who calls an issue a duplicate does not want it again.
                Some(issue) if issue.course.status == Status::Closed => {
                    let set = Fields { status: Some(Status::Open), ..Fields::default() };
                    filed.reopened.push(add(Some(issue), &filing.key, set));
                }
                Some(_) => {}
            }
        }
        let is_gone = |issue: &&Issue| {
            let key = issue.key.as_deref();
            !issue.course.status.is_end()
                && issue.by.from == FILER
                && issue.tags.contains(&owner.source)
                && issue.tags.contains(&owner.scope)
                && key.is_some_and(|key| found.iter().all(|filing| filing.key != key))
        };
        for issue in board.issues().filter(is_gone) {
            let text = "the finding is gone".to_string();
            // Whoever works on it has nothing left to do.
            let set = Fields { status: Some(Status::Closed), comment: Some(text), force: true, ..Fields::default() };
            filed.closed.push(add(Some(issue), "gone", set));
        }
        Ok(changes)
    })?;
    Ok(filed)
}

/// The last issue with that key.
fn of_key<'a>(board: &'a Board, key: &str) -> Option<&'a Issue> {
    board.issues().filter(|issue| issue.key.as_deref() == Some(key)).last()
}

fn fields(owner: &Owner, filing: &Filing) -> Fields {
    Fields {
        title: Some(cut_end(&one_line(&filing.text), TITLE)),
        body: Some(filing.details.clone()),
        priority: Some(filing.priority),
        tags: vec![owner.source.clone(), owner.scope.clone()],
        key: Some(filing.key.clone()),
        ..Fields::default()
    }
}

/// Gives each new issue to a program, as a JSON object on its standard input, and keeps the first line of its output as a comment.
/// Returns what failed; the issues are filed in any case.
pub fn hand_over(store: &Store, command: &[String], dir: &Path, made: &[String]) -> Vec<Error> {
    let Some((program, words)) = command.split_first() else { return Vec::new() };
    let board = match store.read() {
        Ok(board) => board,
        Err(error) => return vec![error],
    };
    let mut failed = Vec::new();
    for issue in made.iter().filter_map(|id| board.get(id)) {
        let input = json!({"id": issue.id, "title": issue.title, "body": issue.body, "priority": issue.priority,
            "tags": issue.tags, "key": issue.key});
        let mut command = Command::new(program);
        command.args(words).current_dir(dir);
        let input = input.to_string().into_bytes();
        let given = process::output_with_input(command, input, PATIENCE, limits::LINE).and_then(|said| {
            if !said.success() {
                let how = said.how_it_ended();
                return Err(Error::child(format!("issues.command failed for {}: {how}", issue.id)));
            }
            let outside =
                cut_end(&one_line(String::from_utf8_lossy(&said.stdout).lines().next().unwrap_or("")), OUTSIDE);
            if outside.is_empty() {
                return Ok(());
            }
            let by = Holder { from: FILER.to_string(), session: None };
            let set = Fields { comment: Some(format!("issues.command: {outside}")), ..Fields::default() };
            store.change(&by, |_| Ok((issue.id.clone(), set.clone()))).map(drop)
        });
        failed.extend(given.err());
    }
    failed
}
