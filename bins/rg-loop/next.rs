//! `next`, after the judges: what is done ends its loop, and the one around it goes on.

use crate::claim::{self, Claim};
use crate::frame::Step;
use crate::steps::{give_up, go_on_judged, is_loops_stop, is_open, seen, spent};
use crate::{Steps, TOOL, frame};
use review_gate::answer;
use review_gate::event::outcome;
use review_gate::event::{EndedWhy, Event, Outcome, Stage, Verdict};
use review_gate::snapshot::definition::Basis;
use review_gate::store::loops;
use review_gate::store::loops::stack::Frame;
use review_gate::store::task::{self, Task};
use review_gate::sys::error::Result;
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// How many characters of what was found at a checkpoint are handed on.
const FOUND: usize = 1_300;

/// The filter.
pub struct Next;

impl Filter for Next {
    type Section = Steps;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Loop;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        is_loops_stop(event)
    }

    fn pass(&self, event: &Event, steps: &mut Steps) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        is_open(event, &task)?;
        let stack = loops::of_event(&task, event)?;
        // A loop that began while this stop was judged is another one.
        let noted = event.looping.as_ref().map_or("", |top| top.frame.as_str());
        let top = stack.frames.last().filter(|top| stack.wrong.is_none() && top.id() == noted);
        let Some(top) = top else { return Ok(()) };
        // What `mark` could not decide nobody decides for it.
        if event.has_verdict(&Stage::Loop, Verdict::Inconclusive) {
            return Ok(());
        }
        let ruling = outcome::ruling(event);
        let said = claim::of(event);
        let is_checkpoint = event.is_checkpoint() && top.iteration < top.begin.max;
        let now = || seen(event, &Basis::of(event)?, &task);
        match ruling.word {
            _ if ruling.block => Ok(()),
            Some(Outcome::Abandoned) if stack.frames.len() > 1 => {
                let now = now()?;
                let end = event.ended().map_or((EndedWhy::Budget, "given up"), |ended| (ended.why, &ended.text));
                // The loop around it decides what comes of that.
                steps.own.is_end_void = true;
                give_up(event, &task, &stack.frames, end, &now, steps)
            }
            Some(Outcome::Abandoned) => frame::end_all(&task, &stack, "given up"),
            // Nobody says that it is done, and nobody may: the loop goes on, with what was found.
            _ if matches!(said, Claim::Nothing | Claim::Both) && is_checkpoint => {
                let now = now()?;
                let found = answer::found(event, FOUND);
                let before = match ruling.word {
                    None | Some(Outcome::Done | Outcome::Waived) => String::new(),
                    _ => format!("Everything was judged at this checkpoint. Settle this first:\n{found}\n"),
                };
                go_on_judged(event, &task, top, (&now, &before), steps)
            }
            // Nobody could judge it: the turn may end, and the loop goes on with the next prompt.
            Some(Outcome::Unverified) => Ok(()),
            _ if said == Claim::Complete => complete(event, &task, &stack.frames, steps),
            _ => Ok(()),
        }
    }
}

/// The innermost loop is done, and the one around it goes on.
fn complete(event: &Event, task: &Task, frames: &[Frame], steps: &mut Steps) -> Result<()> {
    let Some((top, around)) = frames.split_last() else { return Ok(()) };
    if frame::end(task, top, "complete")? == Step::Over {
        return Ok(());
    }
    let Some(parent) = around.last() else {
        steps.tell(format!("review-gate: the loop is done, at iteration {}", top.iteration));
        return Ok(());
    };
    let now = seen(event, &Basis::of(event)?, task)?;
    if parent.iteration < parent.begin.max {
        return go_on_judged(event, task, parent, (&now, "The loop inside is done.\n"), steps);
    }
    give_up(event, task, around, (EndedWhy::Budget, &spent(parent)), &now, steps)
}
