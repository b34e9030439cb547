//! `mark` at a prompt: what a person says of loops. rg-event has found out whose words they are, and noted it in the journal.

use crate::frame::{self, Wanted};
use crate::{TOOL, mark, words};
use review_gate::basis::Basis;
use review_gate::error::Result;
use review_gate::event::{By, Event, Said};
use review_gate::frames::Stack;
use review_gate::loops;
use review_gate::task::Task;

/// Does what it says.
pub fn submitted(event: &mut Event, task: &Task) -> Result<()> {
    let stack = loops::of_event(task, event)?;
    if stack.wrong.is_none() {
        mark::is_stale(event, task, &stack)?;
    }
    if event.by != By::Person {
        return Ok(());
    }
    let Some(said) = task.prompts.last() else { return Ok(()) };
    if said.loop_ends {
        cancel(event, task);
    }
    for prompt in &said.loops {
        begin(event, task, prompt.clone());
    }
    Ok(())
}

fn begin(event: &mut Event, task: &Task, prompt: String) {
    let begun = Basis::of(event)
        .and_then(|basis| {
            let session = loops::owner(task, event.client, event.session_key())?;
            frame::begin(event, &basis, task, Wanted { prompt, max: None, by: By::Person, session })
        })
        .map(|frame| (words::begun(task, &frame), frame.begin.max));
    match begun {
        // What the gate lets pass whole holds nobody.
        Ok((_, max)) if task.waivers_now().iter().any(|waiver| waiver.scope == "gate") => {
            let text =
                format!("a loop of at most {max} iterations, but the gate is off: nobody is sent back (#gate:on)");
            event.tell(TOOL.name, format!("review-gate: {text}"));
        }
        Ok((text, max)) => {
            event.context.push(Said { by: TOOL.name.into(), text });
            event.tell(TOOL.name, format!("review-gate: a loop of at most {max} iterations (to end it: #loop:stop)"));
        }
        Err(error) => event.tell(TOOL.name, format!("review-gate: {error}")),
    }
}

fn cancel(event: &mut Event, task: &Task) {
    let stack = Task::load(&task.state, &task.id)
        .and_then(|task| task.map_or(Ok(Stack::default()), |task| loops::of_event(&task, event)));
    let stack = match stack {
        Ok(stack) => stack,
        Err(error) => return event.tell(TOOL.name, format!("review-gate: the loop could not be ended: {error}")),
    };
    let text = match (stack.frames.first(), &stack.wrong) {
        (None, None) => "there is no loop to end".to_string(),
        (first, _) => match frame::end_all(task, &stack, "cancelled") {
            Ok(()) => {
                let text = "The person ended the loop. Nobody sends you back to it any more.".to_string();
                event.context.push(Said { by: TOOL.name.into(), text });
                let at = first.map_or(String::new(), |frame| format!(", at iteration {}", frame.iteration));
                format!("the loop ended, as you said{at}")
            }
            Err(error) => format!("the loop could not be ended: {error}"),
        },
    };
    event.tell(TOOL.name, format!("review-gate: {text}"));
}
