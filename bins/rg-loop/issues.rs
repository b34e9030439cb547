//! The loop over issues: begins the next one, lands what is done, gives an issue up.

use crate::frame::{self, IssueWork, NewLoop};
use crate::queue::{self, ABANDONED, PATIENCE, Queue};
use crate::{Output, messages};
use review_gate::event::{Action, Actor, Event};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::loops::stack::Frame;
use review_gate::store::record::{Body, FrameStep};
use review_gate::store::task::Task;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::Output as Said;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line, plain};
use review_gate::talk::issue::board::Issue;
use std::path::Path;
use std::time::Duration;

/// The time that stays for the reply after a landing.
const MARGIN: Duration = Duration::from_secs(20);

/// After so many issues in a row that were given up, the loop ends.
const MOST_ABANDONED: usize = 3;

/// The longest text of an issue that the agent gets, in characters.
const TEXT: usize = 4_000;

/// How much of a landing's messages the agent gets, in characters.
const SAID: usize = 1_300;

/// Who begins a loop over issues.
pub struct Begin<'a> {
    /// The session whose stops it bounces.
    pub session: &'a str,
    /// Who begins it.
    pub by: Actor,
    /// The most iterations for each issue; None: `loop.max` in DONE.md.
    pub max: Option<u32>,
}

/// Begins the loop over issues: the context for the agent and the frame, or why there is none.
pub fn begin(event: &Event, task: &Task, begin: &Begin) -> Result<(Frame, String)> {
    let started = start_next(event, task, begin, &Queue::of(&task.begin.root, begin.session)?)?;
    started.ok_or_else(|| {
        Error::refused(
            "no loop started: the task is missing, and no issue is ready. Name the task, or make an issue with `rg-issue new`",
        )
    })
}

fn start_next(event: &Event, task: &Task, begin: &Begin, queue: &Queue) -> Result<Option<(Frame, String)>> {
    let &Begin { session, by, max } = begin;
    frame::require_max(max)?;
    let workspace = Workspace::of(event)?;
    frame::require_on(task, &workspace, event)?;
    // The loop of the last issue ended meanwhile.
    let task = &frame::reload(task)?;
    frame::require_outermost(task, session)?;
    let Some((id, worktree)) = queue.take()? else { return Ok(None) };
    let begun = (|| {
        let board = queue.board()?;
        let issue = board.get(&id).ok_or_else(|| Error::changed(format!("issue {id} is gone")))?;
        let prompt = task.state.keep_blob(redact(&text(issue)).as_bytes())?;
        let work = IssueWork { id: id.clone(), worktree };
        let new = NewLoop { prompt, max, by, session: session.to_string(), issue: Some(work) };
        frame::begin(event, &workspace, task, new)
    })();
    match begun {
        Ok(frame) => {
            let text = frame::prompt_text(task, &frame)?;
            let words = format!("{}\n\n{}", messages::start_message(task, &frame), cut_end(&text, TEXT));
            Ok(Some((frame, words)))
        }
        Err(error) => {
            queue.release(&id)?;
            Err(error)
        }
    }
}

/// What the agent is to do about an issue.
fn text(issue: &Issue) -> String {
    let body = plain(issue.body.trim().as_bytes());
    let comments = match issue.comments.len() {
        0 => String::new(),
        n => format!("\n\n{}: `rg-issue brief {}`", count(n, "comment"), issue.id),
    };
    format!(
        "Issue {}: {}\n\n{body}{comments}\n\nCommit your work in the worktree. The commit lands if it passes the definition of done.",
        issue.id,
        one_line(&issue.title)
    )
}

/// Lands what is done for an issue. Then the next issue begins, or the loop ends. If nothing landed, the loop of the issue continues.
pub fn land(event: &Event, task: &Task, top: &Frame, output: &mut Output) -> Result<Landed> {
    let Some((queue, issue)) = Queue::of_frame(task, top)? else { return Ok(Landed::Not(String::new())) };
    let Some(branch) = top.begin.branch.as_deref() else {
        return Ok(Landed::Not("the worktree has no branch checked out".to_string()));
    };
    let patience = event.until.map_or(PATIENCE, |until| until.remaining().saturating_sub(MARGIN));
    // If the directory of the agent's shell is gone, the client does not run the agent's next command.
    let keep = if is_inside(event, &top.begin.worktree) { &["--keep"][..] } else { &[] };
    let said = queue.run("rg-land", &[&[branch], keep].concat(), patience)?;
    if said.success() && queue.has_ended(issue)? {
        let words = queue::first_line(&said.stdout);
        frame::end(task, top, "complete")?;
        remove_landed(event, task, &queue);
        output.tell(format!("review-gate: issue {issue}: {words}"));
        next(event, task, top, &format!("{words}. Issue {issue} is closed.\n"), output)?;
        return Ok(Landed::Done);
    }
    let said = [said.stderr, said.stdout].concat();
    Ok(Landed::Not(cut_end(&plain(String::from_utf8_lossy(&said).trim().as_bytes()), SAID)))
}

/// Whether the agent's shell is in that worktree.
fn is_inside(event: &Event, worktree: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    real(&event.cwd).starts_with(real(worktree))
}

/// Removes the worktrees of issues that landed, once the agent's shell has left them. What would lose something is kept.
fn remove_landed(event: &Event, task: &Task, queue: &Queue) {
    let begun = task.journal.of::<FrameStep>().filter_map(|step| match step {
        FrameStep::Begin(begin) if begin.issue.is_some() => Some(begin),
        _ => None,
    });
    let landed = begun.filter(|begin| {
        let is_end = |step: &FrameStep| matches!(step, FrameStep::End { frame, why } if *frame == begin.frame && why == "complete");
        task.journal.of::<FrameStep>().any(is_end)
    });
    for begin in landed.filter(|begin| begin.worktree.is_dir() && !is_inside(event, &begin.worktree)) {
        // What is left is for `rg-worktree prune`.
        let _ = queue.run("rg-worktree", &["remove", &begin.worktree.to_string_lossy()], PATIENCE);
    }
}

/// What a landing did.
pub enum Landed {
    /// The work landed, and the loop went on.
    Done,
    /// Why nothing landed.
    Not(String),
}

/// Gives an issue up after its last iteration: it is paused, and the next one begins. False if the loop is to end, because too many were
/// given up in a row.
pub fn abandon(event: &Event, task: &Task, top: &Frame, why: &str, output: &mut Output) -> Result<bool> {
    let Some((queue, issue)) = Queue::of_frame(task, top)? else { return Ok(false) };
    let place = top.begin.worktree.display();
    let anchor = queue.run("rg-anchor", &["show", "--task", &task.id], PATIENCE).ok().filter(Said::success);
    let anchor = anchor.map_or(String::new(), |said| plain(&said.stdout));
    queue.pause(issue, &format!("Given up: {why}. The work is in {place}.\n\n{anchor}"))?;
    frame::end(task, top, &format!("{ABANDONED}: {why}"))?;
    frame::post(task, top, &format!("STUCK: {why}"));
    output.tell(format!("review-gate: issue {issue} is paused: {why}. Its worktree is kept: {place}"));
    if abandoned_in_a_row(task)? + 1 >= MOST_ABANDONED {
        return Ok(false);
    }
    next(event, task, top, &format!("Issue {issue} is paused: {why}.\n"), output)?;
    Ok(true)
}

/// Begins the next issue after one that ended, or ends the loop.
pub fn next(event: &Event, task: &Task, ended: &Frame, before: &str, output: &mut Output) -> Result<()> {
    let queue = Queue::of(&task.begin.root, &ended.session)?;
    let begin = Begin { session: &ended.session, by: ended.begin.by, max: Some(ended.begin.max) };
    match start_next(event, task, &begin, &queue) {
        Ok(Some((frame, words))) => {
            let issue = frame.begin.issue.unwrap_or_default();
            output.tell(format!("review-gate: the loop goes on with issue {issue}. End it with `#loop:stop`"));
            output.reply(Action::Block, format!("{before}{words}"));
        }
        Ok(None) => {
            output.tell("review-gate: the loop is done: no issue is ready");
            let place = ended.begin.worktree.display();
            if queue.has_ended(ended.begin.issue.as_deref().unwrap_or_default())? && ended.begin.worktree.is_dir() {
                output.tell(format!(
                    "review-gate: the agent is in {place}. Remove it later with `rg-worktree remove {place}`"
                ));
            }
        }
        Err(error) => output.tell(format!("review-gate: the loop ended: {error}")),
    }
    Ok(())
}

/// How many issues were given up, one after the other, since the user's last prompt.
fn abandoned_in_a_row(task: &Task) -> Result<usize> {
    let mut found = 0;
    for (_, record) in task.journal.records() {
        match &record.body {
            Body::Prompt(prompt) if prompt.by == Actor::User => found = 0,
            Body::Frame(FrameStep::End { why, .. }) if why.starts_with(ABANDONED) => found += 1,
            Body::Frame(FrameStep::End { why, .. }) if why == "complete" => found = 0,
            _ => {}
        }
    }
    Ok(found)
}
