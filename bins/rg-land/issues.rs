//! Issues: the one of the branch is closed with the commit that landed; what a landing failed on becomes issues.

use crate::local::Step;
use crate::plan::Plan;
use review_gate::answer;
use review_gate::donefile::{IssueSource, IssueSpec};
use review_gate::event::Event;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line, plain};
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::change::{Fields, Holder, Status};
use review_gate::talk::issue::filing::{self, Filing, Owner};
use review_gate::talk::issue::store::Store;

/// The longest text of an issue for a reviewer, in characters.
const TEXT: usize = 4_000;

/// The name under which issues are closed.
const HOLDER: &str = "land";

/// Closes the issue of a branch that landed, and those about its earlier landings.
pub fn close(plan: &Plan, commit: &str) -> Step {
    match try_close(plan, commit) {
        Ok(step) => step,
        Err(error) => Step::Left(format!("the issue of {} was not closed: {error}", plan.short())),
    }
}

fn try_close(plan: &Plan, commit: &str) -> Result<Step> {
    let Some(store) = store(plan)?.filter(Store::has_issues) else { return Ok(Step::Nothing) };
    let gone = filing::settle(&store, &owner(plan), &[])?.closed;
    let board = store.read_all()?;
    let is_open = |id: &&String| board.get(id).is_some_and(|issue| !issue.course.status.is_end());
    let mut closed = gone.len();
    if let Some(id) = plan.issue.as_ref().filter(is_open) {
        // The work is on the base, whoever has claimed it.
        let set =
            Fields { status: Some(Status::Closed), commit: Some(commit.to_string()), force: true, ..Fields::default() };
        let by = Holder { from: HOLDER.to_string(), session: None };
        store.change(&by, |_| Ok((id.clone(), set.clone())))?;
        closed += 1;
    }
    match closed {
        0 => Ok(Step::Nothing),
        n => Ok(Step::Done(format!("closed {}", count(n, "issue")))),
    }
}

/// What the branch is for, for a reviewer: the text of its issue. Agents can write issues, so it says where it comes from.
pub fn purpose(plan: &Plan) -> Option<String> {
    let board = store(plan).ok()?.filter(Store::has_issues)?.read_all().ok()?;
    let issue = board.get(plan.issue.as_deref()?)?;
    let body = cut_end(&plain(issue.body.trim().as_bytes()), TEXT);
    Some(format!(
        "(no prompt: this is the issue of the branch, which an agent may have written)\nIssue {}: {}\n\n{body}",
        issue.id,
        one_line(&issue.title)
    ))
}

/// Files what the judges found, if the base's DONE.md says so. Returns what failed, for the user.
pub fn file(plan: &Plan, spec: &IssueSpec, event: &Event) -> Vec<String> {
    if !spec.from.contains(&IssueSource::Land) {
        return Vec::new();
    }
    let store = match store(plan) {
        Ok(Some(store)) => store,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![format!("no issue was filed: {error}")],
    };
    let why = format!("The landing of {} on {} failed on this.", plan.short(), plan.base);
    let found: Vec<Filing> = answer::open_findings(event).map(|finding| Filing::of(finding, &why)).collect();
    match filing::settle(&store, &owner(plan), &found) {
        Ok(filed) => {
            let command = spec.command.as_deref().unwrap_or_default();
            let failed = filing::hand_over(&store, command, &plan.repository.top, &filed.made);
            failed.iter().map(ToString::to_string).collect()
        }
        Err(error) => vec![format!("no issue was filed: {error}")],
    }
}

fn store(plan: &Plan) -> Result<Option<Store>> {
    let repository = &plan.repository;
    let talk = TalkDir::of(&repository.top, Some(repository))?;
    Ok((!talk.is_judged(Some(repository))).then(|| Store::of(talk)))
}

fn owner(plan: &Plan) -> Owner {
    Owner { source: IssueSource::Land.to_string(), scope: format!("branch:{}", plan.short()) }
}
