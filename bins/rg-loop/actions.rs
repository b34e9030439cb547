//! What `mark` and `next` do with a loop: start the next iteration, give the loop up, end a stale loop.

use crate::frame::Step;
use crate::{Output, TOOL, frame, issues, messages, queue};
use review_gate::answer;
use review_gate::event::outcome::{self, Tally};
use review_gate::event::{Action, BudgetOwner, EndedWhy, Event, Finding, Kind, Verdict};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::loops::stack::{Frame, IterationState, Stack};
use review_gate::store::record::OpenFinding;
use review_gate::store::task::Task;
use review_gate::store::{loops, open_findings};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::cut_end;

/// How many open findings a record of a loop holds.
const MOST_OPEN: usize = 50;

/// Whether an event is a stop of the session itself, in a loop, to which no stage has replied.
pub fn concerns_loop(event: &Event) -> bool {
    event.kind == Kind::Stop
        && event.budget_owner == BudgetOwner::Main
        && event.looping.is_some()
        && event.is_open_stop()
}

/// An error unless the task's journal holds this stop as open: any process can write an event line.
pub fn require_open(event: &Event, task: &Task) -> Result<()> {
    let mut unclosed = task.ledger.unclosed_stops();
    match unclosed.any(|stop| stop.open.event == event.id && stop.open.budget_owner == event.budget_owner) {
        true => Ok(()),
        false => Err(Error::unverified(format!("task {} has no open stop {}", task.id, event.id))),
    }
}

/// The reason that a loop has no iterations left.
pub fn spent_text(frame: &Frame) -> String {
    format!("{} iterations without COMPLETE", frame.begin.max)
}

/// Ends all loops if nothing happened in the innermost one for too long. Returns whether it did.
pub fn is_stale(task: &Task, stack: &Stack, output: &mut Output) -> Result<bool> {
    let Some(quiet) = stack.frames.last().and_then(|top| loops::longest_silence(task, top)) else { return Ok(false) };
    frame::end_all(task, stack, "stale")?;
    release(output, task, &format!("no activity for {}", clock::human(quiet)))?;
    Ok(true)
}

/// Lets the stop pass because the loop ended without a result, and notifies the user now and at the next session's start.
pub fn release(output: &mut Output, task: &Task, why: &str) -> Result<()> {
    let text = format!("the loop ended, and its task may be unfinished: {why}");
    output.tell(format!("review-gate: {text}"));
    task.state.notice(TOOL.name, Some(&task.id), &text, None).map(drop)
}

/// The current files and open findings.
pub fn observe(event: &Event, workspace: &Workspace, task: &Task, top: &Frame) -> Result<IterationState> {
    let has_helpers = event.helpers().next().is_some();
    let snapshot = match queue::event_of(event, top) {
        // Its work is in a worktree of its own, and counts once it is committed.
        Some(inside) => workspace.look(&inside)?.digest(),
        None => workspace.look(event)?.digest(),
    };
    Ok(IterationState { snapshot, keys: open_findings::keys(task), has_helpers })
}

/// Starts the next iteration after a stop that was not judged.
pub fn next_iteration(
    event: &Event,
    task: &Task,
    top: &Frame,
    (now, before): (&IterationState, &str),
    output: &mut Output,
) -> Result<()> {
    let event = event.with(output);
    let here = answer::open_findings(&event).map(|finding| finding.text.clone());
    let open = here.chain(open_findings::open(task).into_iter().map(|open| open.text)).collect();
    step(task, top, before, IterationEnd { seen: now.clone(), open, judged: None }, output)
}

/// Starts the next iteration after a judgement without a receipt: the record of the iteration keeps its open findings.
pub fn next_iteration_judged(
    event: &Event,
    task: &Task,
    top: &Frame,
    (now, before): (&IterationState, &str),
    output: &mut Output,
) -> Result<()> {
    let Tally { fail, tampered, inconclusive, .. } = outcome::tally(event);
    if inconclusive > 0 && fail + tampered == 0 {
        return next_iteration(event, task, top, (now, before), output);
    }
    let found = |finding: &Finding| OpenFinding {
        key: finding.key.clone(),
        text: cut_end(&open_findings::placed(finding.path.as_deref().unwrap_or(""), finding.line, &finding.text), 300),
    };
    let open: Vec<OpenFinding> = answer::open_findings(event).map(found).take(MOST_OPEN).collect();
    let seen = IterationState { keys: answer::open_keys(event), ..now.clone() };
    // `before` lists the open findings already.
    step(task, top, before, IterationEnd { seen, open: Vec::new(), judged: Some(open) }, output)
}

fn step(task: &Task, top: &Frame, before: &str, end: IterationEnd, output: &mut Output) -> Result<()> {
    let reason = messages::next_message(task, top, &end.seen, before, &end.open)?;
    if frame::next(task, top, &end.seen, end.judged.as_deref())? == Step::Ended {
        output.tell("review-gate: the loop was ended in the meantime");
        return Ok(());
    }
    output.tell(format!(
        "review-gate: loop iteration {} of {}. End the loop with `#loop:stop`",
        top.iteration + 1,
        top.begin.max
    ));
    output.reply(Action::Block, reason);
    Ok(())
}

/// The state of the work as an iteration ends.
struct IterationEnd {
    seen: IterationState,
    /// The texts of the open findings.
    open: Vec<String>,
    /// The open findings of the judgement of this stop, if it was judged without a receipt.
    judged: Option<Vec<OpenFinding>>,
}

/// Gives up the issue of a loop: the next one begins. After several in a row the task is abandoned.
pub fn give_up_issue(event: &Event, task: &Task, top: &Frame, text: &str, output: &mut Output) -> Result<()> {
    if !issues::abandon(event, task, top, text, output)? {
        output.judge(Verdict::Fail, "the loop was given up");
        output.end(EndedWhy::Budget, "several issues in a row were given up");
    }
    Ok(())
}

/// Gives up the innermost loop. The nearest outer loop with iterations left continues; without one the task is abandoned, whatever the
/// judges say.
pub fn give_up(
    event: &Event,
    task: &Task,
    frames: &[Frame],
    (why, text): (EndedWhy, &str),
    now: &IterationState,
    output: &mut Output,
) -> Result<()> {
    let inner = frames.len().saturating_sub(1);
    match frames[..inner].iter().rposition(|frame| frame.iteration < frame.begin.max) {
        Some(at) => {
            frame::end(task, &frames[at + 1], text)?;
            next_iteration(event, task, &frames[at], (now, &format!("The inner loop was given up: {text}.\n")), output)
        }
        None => {
            let Some(first) = frames.first() else { return Ok(()) };
            if frame::end(task, first, text)? == Step::Ended {
                return Ok(());
            }
            frame::post(task, first, &format!("STUCK: {text}"));
            output.judge(Verdict::Fail, "the loop was given up");
            output.end(why, text);
            Ok(())
        }
    }
}
