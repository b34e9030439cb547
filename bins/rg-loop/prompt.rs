//! `mark` at a prompt: starts and ends loops as the user's prompt says. rg-event found out who wrote the prompt and recorded it.

use crate::actions::is_stale;
use crate::frame::{self, NewLoop};
use crate::issues::Begin;
use crate::queue::Queue;
use crate::{Output, issues, messages};
use review_gate::event::{Actor, Event, Scope};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::loops;
use review_gate::store::loops::stack::Stack;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;

/// Applies a prompt: ends a stale loop, then does what the user's lines say.
pub fn apply(event: &Event, task: &Task, output: &mut Output) -> Result<()> {
    let stack = loops::of_event(task, event)?;
    if stack.wrong.is_none() {
        is_stale(task, &stack, output)?;
    }
    // Each event renews the claim. If it is lost, the next stop tells.
    if let Some(top) = stack.frames.first()
        && let Some((queue, issue)) = Queue::of_frame(task, top)?
    {
        queue.renew(issue)?;
    }
    if !may_begin(event) {
        return Ok(());
    }
    let Some(said) = task.prompts.last() else { return Ok(()) };
    if said.loop_ends {
        cancel(event, task, output);
    }
    for prompt in &said.loops {
        begin(event, task, prompt.clone(), output);
    }
    Ok(())
}

/// Whether the prompt may begin a loop: the user's may, and that of a client that an agent may have started.
pub fn may_begin(event: &Event) -> bool {
    event.by == Actor::User || event.by == Actor::Agent && event.agent.is_none()
}

fn begin(event: &Event, task: &Task, prompt: String, output: &mut Output) {
    let begun = Workspace::of(event)
        .and_then(|workspace| {
            let session = loops::owning_session(task, event.client, event.session_key())?;
            if task.state.read_blob(&prompt)?.is_empty() {
                return issues::begin(event, task, &Begin { session: &session, by: event.by, max: None });
            }
            let new = NewLoop { prompt, max: None, by: event.by, session, issue: None };
            let frame = frame::begin(event, &workspace, task, new)?;
            let text = messages::start_message(task, &frame);
            Ok((frame, text))
        })
        .map(|(frame, text)| (text, frame.begin.max));
    match begun {
        // While the gate is off, no loop bounces.
        Ok((_, max)) if task.waivers_now().iter().any(|waiver| waiver.scope == Scope::Gate) => {
            let text = format!(
                "started a loop of at most {max} iterations, but the gate is off, so stops are not bounced. Turn it on with `#gate:on`"
            );
            output.tell(format!("review-gate: {text}"));
        }
        Ok((text, max)) => {
            output.context(text);
            output.tell(format!("review-gate: started a loop of at most {max} iterations. End it with `#loop:stop`"));
        }
        Err(error) => output.tell(format!("review-gate: {error}")),
    }
}

fn cancel(event: &Event, task: &Task, output: &mut Output) {
    let stack = Task::load(&task.state, &task.id)
        .and_then(|task| task.map_or(Ok(Stack::default()), |task| loops::of_event(&task, event)));
    let stack = match stack {
        Ok(stack) => stack,
        Err(error) => return output.tell(format!("review-gate: unable to end the loop: {error}")),
    };
    let text = match (stack.frames.first(), &stack.wrong) {
        (None, None) => "no loop to end".to_string(),
        (first, _) => match frame::end_all(task, &stack, "cancelled") {
            Ok(()) => {
                if let Some(frame) = first {
                    frame::post(task, frame, "CANCELLED: the user ended the loop");
                }
                let text = "The user ended the loop. Your stops are no longer bounced to continue it.".to_string();
                output.context(text);
                let at = first.map_or(String::new(), |frame| format!(" at iteration {}", frame.iteration));
                format!("ended the loop{at}")
            }
            Err(error) => format!("unable to end the loop: {error}"),
        },
    };
    output.tell(format!("review-gate: {text}"));
}
