//! `next`, after the judges: a task that is done ends its loop, and the outer loop continues.

use crate::actions::{concerns_loop, give_up, next_iteration_judged, observe, require_open, spent_text};
use crate::claim::{self, Claim};
use crate::frame::Step;
use crate::{Output, TOOL, frame};
use review_gate::answer;
use review_gate::event::outcome;
use review_gate::event::{EndedWhy, Event, Outcome, Stage, Verdict};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::loops;
use review_gate::store::loops::stack::Frame;
use review_gate::store::task::{self, Task};
use review_gate::sys::error::Result;
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// How many characters of the findings at a checkpoint the agent receives.
const FOUND: usize = 1_300;

/// The filter `next`.
pub struct Next;

impl Filter for Next {
    type Section = Output;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Loop;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        concerns_loop(event)
    }

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        require_open(event, &task)?;
        let stack = loops::of_event(&task, event)?;
        // A loop that started while this stop was judged does not concern it.
        let noted = event.looping.as_ref().map_or("", |top| top.frame.as_str());
        let top = stack.frames.last().filter(|top| stack.wrong.is_none() && top.id() == noted);
        let Some(top) = top else { return Ok(()) };
        // `mark` failed, so nothing decided for this loop.
        if event.has_verdict(&Stage::Loop, Verdict::Inconclusive) {
            return Ok(());
        }
        let ruling = outcome::ruling(event);
        let claim = claim::of(event);
        let is_checkpoint = event.is_checkpoint() && top.iteration < top.begin.max;
        let now = || observe(event, &Workspace::of(event)?, &task, top);
        match ruling.outcome {
            _ if ruling.is_blocked => Ok(()),
            Some(Outcome::Abandoned) if stack.frames.len() > 1 => {
                let now = now()?;
                let end = event.ended().map_or((EndedWhy::Budget, "given up"), |ended| (ended.why, &ended.text));
                // The outer loop continues, so the inner loop's end does not end the task.
                output.own.is_end_void = true;
                give_up(event, &task, &stack.frames, end, &now, output)
            }
            Some(Outcome::Abandoned) => frame::end_all(&task, &stack, "given up"),
            // A checkpoint without COMPLETE: the loop continues with the findings, whatever the outcome.
            _ if matches!(claim, Claim::Nothing | Claim::Contradiction) && is_checkpoint => {
                let now = now()?;
                let found = answer::open_work(event, FOUND);
                let before = match ruling.outcome {
                    None | Some(Outcome::Done | Outcome::Waived) => String::new(),
                    _ => format!("The judges ran at this checkpoint. Fix this first:\n{found}\n"),
                };
                next_iteration_judged(event, &task, top, (&now, &before), output)
            }
            // The work could not be judged: the turn may end, and the loop continues with the next prompt.
            Some(Outcome::Unverified) => Ok(()),
            _ if claim == Claim::Complete => complete(event, &task, &stack.frames, output),
            _ => Ok(()),
        }
    }
}

/// Ends the innermost loop as done; the outer loop continues.
fn complete(event: &Event, task: &Task, frames: &[Frame], output: &mut Output) -> Result<()> {
    let Some((top, around)) = frames.split_last() else { return Ok(()) };
    if frame::end(task, top, "complete")? == Step::Ended {
        return Ok(());
    }
    let Some(parent) = around.last() else {
        output.tell(format!("review-gate: the loop is done at iteration {}", top.iteration));
        return Ok(());
    };
    let now = observe(event, &Workspace::of(event)?, task, parent)?;
    if parent.iteration < parent.begin.max {
        return next_iteration_judged(event, task, parent, (&now, "The inner loop is done.\n"), output);
    }
    give_up(event, task, around, (EndedWhy::Budget, &spent_text(parent)), &now, output)
}
