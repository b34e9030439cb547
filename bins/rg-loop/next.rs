//! `next`, after the judges: what is done ends its loop, and the one around it goes on.

use crate::said::{self, Said};
use crate::{TOOL, frame, mark};
use review_gate::basis::Basis;
use review_gate::cli::Tool;
use review_gate::error::Result;
use review_gate::event::{EndedWhy, Event, Outcome};
use review_gate::filter::Filter;
use review_gate::loops;
use review_gate::outcome;
use review_gate::task;

/// The filter.
pub struct Next;

impl Filter for Next {
    const TOOL: Tool = TOOL;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        mark::is_loops_stop(event)
    }

    fn pass(&self, event: &mut Event) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        mark::is_open(event, &task)?;
        let stack = loops::of_event(&task, event)?;
        let Some(top) = stack.frames.last().filter(|_| stack.wrong.is_none()) else { return Ok(()) };
        let ruling = outcome::ruling(event);
        let is_complete = said::of(event.message.as_deref().unwrap_or_default()) == Said::Complete;
        let basis = Basis::of(event)?;
        match ruling.word {
            _ if ruling.block => Ok(()),
            Some(Outcome::Abandoned) => frame::end_all(&task, &stack, "given up"),
            // Nobody could judge it: the turn may end, and the loop goes on with the next prompt.
            Some(Outcome::Unverified) if is_complete => Ok(()),
            _ if !is_complete => mark::go_on(event, &task, top, &mark::seen(event, &basis, &task)?, ""),
            _ => {
                frame::end(&task, top, "complete")?;
                let around = stack.frames.iter().rev().nth(1);
                let Some(parent) = around else {
                    event.tell(TOOL.name, format!("review-gate: the loop is done, at iteration {}", top.iteration));
                    return Ok(());
                };
                let now = mark::seen(event, &basis, &task)?;
                if parent.iteration < parent.max {
                    return mark::go_on(event, &task, parent, &now, "The loop inside is done.\n");
                }
                let around = &stack.frames[..stack.frames.len() - 1];
                mark::give_up(event, &task, around, EndedWhy::Budget, &mark::spent(parent), &now)
            }
        }
    }
}
