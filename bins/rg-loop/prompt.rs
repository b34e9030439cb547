//! `mark` at a prompt: what a person says of loops. rg-event has found out whose words they are, and noted it in the journal.

use crate::frame::{self, Wanted};
use crate::steps::is_stale;
use crate::{Steps, words};
use review_gate::event::{Actor, Event, Scope};
use review_gate::snapshot::definition::Basis;
use review_gate::store::loops;
use review_gate::store::loops::stack::Stack;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;

/// Does what it says.
pub fn submitted(event: &Event, task: &Task, steps: &mut Steps) -> Result<()> {
    let stack = loops::of_event(task, event)?;
    if stack.wrong.is_none() {
        is_stale(task, &stack, steps)?;
    }
    if event.by != Actor::User {
        return Ok(());
    }
    let Some(said) = task.prompts.last() else { return Ok(()) };
    if said.loop_ends {
        cancel(event, task, steps);
    }
    for prompt in &said.loops {
        begin(event, task, prompt.clone(), steps);
    }
    Ok(())
}

fn begin(event: &Event, task: &Task, prompt: String, steps: &mut Steps) {
    let begun = Basis::of(event)
        .and_then(|basis| {
            let session = loops::owner(task, event.client, event.session_key())?;
            frame::begin(event, &basis, task, Wanted { prompt, max: None, by: Actor::User, session })
        })
        .map(|frame| (words::begun(task, &frame), frame.begin.max));
    match begun {
        // What the gate lets pass whole holds nobody.
        Ok((_, max)) if task.waivers_now().iter().any(|waiver| waiver.scope == Scope::Gate) => {
            let text =
                format!("a loop of at most {max} iterations, but the gate is off: nobody is sent back (#gate:on)");
            steps.tell(format!("review-gate: {text}"));
        }
        Ok((text, max)) => {
            steps.context(text);
            steps.tell(format!("review-gate: a loop of at most {max} iterations (to end it: #loop:stop)"));
        }
        Err(error) => steps.tell(format!("review-gate: {error}")),
    }
}

fn cancel(event: &Event, task: &Task, steps: &mut Steps) {
    let stack = Task::load(&task.state, &task.id)
        .and_then(|task| task.map_or(Ok(Stack::default()), |task| loops::of_event(&task, event)));
    let stack = match stack {
        Ok(stack) => stack,
        Err(error) => return steps.tell(format!("review-gate: the loop could not be ended: {error}")),
    };
    let text = match (stack.frames.first(), &stack.wrong) {
        (None, None) => "there is no loop to end".to_string(),
        (first, _) => match frame::end_all(task, &stack, "cancelled") {
            Ok(()) => {
                let text = "The person ended the loop. Nobody sends you back to it any more.".to_string();
                steps.context(text);
                let at = first.map_or(String::new(), |frame| format!(", at iteration {}", frame.iteration));
                format!("the loop ended, as you said{at}")
            }
            Err(error) => format!("the loop could not be ended: {error}"),
        },
    };
    steps.tell(format!("review-gate: {text}"));
}
