//! `mark`, before the judges: a stop without a mark starts the next iteration; the mark COMPLETE lets the judges run.

use crate::actions::{
    concerns_loop, give_up, give_up_issue, is_stale, next_iteration, observe, release, require_open, spent_text,
};
use crate::claim::{self, Claim};
use crate::issues::{self, Landed};
use crate::queue::Queue;
use crate::{Output, TOOL, frame, messages, prompt};
use review_gate::event::{EndedWhy, Event, Finding, Kind, Level, Rule, Stage};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::loops;
use review_gate::store::loops::stack::{Frame, OFF_FILE, Stack, has_off_file};
use review_gate::store::task::{self, Task};
use review_gate::sys::error::Result;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// After this many iterations without a change the loop is given up as stuck.
const STUCK_AFTER: usize = 3;

/// The filter `mark`.
pub struct Mark;

impl Filter for Mark {
    type Section = Output;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Loop;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Prompt => event.task.is_some() && (prompt::may_begin(event) || event.looping.is_some()),
            _ => concerns_loop(event),
        }
    }

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        match event.kind {
            Kind::Prompt => prompt::apply(event, &task, output),
            _ => {
                require_open(event, &task)?;
                handle_stop(event, task, output)
            }
        }
    }
}

fn handle_stop(event: &Event, task: Task, output: &mut Output) -> Result<()> {
    let stack = loops::of_event(&task, event)?;
    if let Some(why) = inconsistency(&task, &stack) {
        frame::set_aside(&task, &why)?;
        return release(output, &task, &format!("its records are inconsistent ({why}) and are now ignored"));
    }
    let Some(top) = stack.frames.last() else { return Ok(()) };
    if frame::is_off(&task.state)? {
        frame::end_all(&task, &stack, "off")?;
        return release(output, &task, "loops are off. Turn them on with `rg-loop on`");
    }
    if is_stale(&task, &stack, output)? {
        return Ok(());
    }
    if !top.begin.worktree.is_dir() {
        frame::end_all(&task, &stack, "its worktree is gone")?;
        return release(
            output,
            &task,
            &format!("its worktree is gone: {}", one_line(&top.begin.worktree.to_string_lossy())),
        );
    }
    let workspace = Workspace::of(event)?;
    match has_off_file(&event.root) {
        true if frame::had_off_file(&event.root, &task)? => {
            frame::end_all(&task, &stack, "off")?;
            return release(output, &task, &format!("the file {OFF_FILE} exists, as it did when the task began"));
        }
        true => {
            let text = format!("{OFF_FILE} was created during the task. Remove it");
            output.find(Finding::new(Stage::Loop, Rule::LoopDisabled, Level::Tampered, Some(OFF_FILE), "", text));
        }
        false => {}
    }
    if let Some(top) = stack.frames.first()
        && let Some((queue, issue)) = Queue::of_frame(&task, top)?
        && !queue.renew(issue)?
    {
        let why = format!("issue {issue} has ended, or another one has claimed it");
        frame::end(&task, top, &why)?;
        output.tell(format!("review-gate: {why}"));
        return issues::next(
            event,
            &task,
            top,
            &format!("Stop the work in {}: {why}.\n", top.begin.worktree.display()),
            output,
        );
    }
    let claim = claim::of(event);
    if claim == Claim::Complete {
        return if top.begin.issue.is_some() { land(event, &task, top, output) } else { Ok(()) };
    }
    let now = observe(event, &workspace, &task, top)?;
    match claim {
        Claim::GaveUp(why) => give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, output),
        _ if messages::unchanged(top, &now) >= STUCK_AFTER => {
            let why = format!("stuck: nothing changed in {STUCK_AFTER} iterations");
            give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, output)
        }
        _ if is_checkpoint(event, &workspace, top) => {
            output.own.is_checkpoint = true;
            Ok(())
        }
        _ if top.iteration >= top.begin.max && top.begin.issue.is_some() => {
            give_up_issue(event, &task, top, &spent_text(top), output)
        }
        _ if top.iteration >= top.begin.max => {
            give_up(event, &task, &stack.frames, (EndedWhy::Budget, &spent_text(top)), &now, output)
        }
        claim => {
            let twice = "Your marks contradict each other. Write only one of them.\n";
            next_iteration(event, &task, top, (&now, if claim == Claim::Contradiction { twice } else { "" }), output)
        }
    }
}

/// Lands the work for an issue. If that fails, the loop of the issue continues, or the issue is given up after its last iteration.
fn land(event: &Event, task: &Task, top: &Frame, output: &mut Output) -> Result<()> {
    let Landed::Not(why) = issues::land(event, task, top, output)? else { return Ok(()) };
    if top.iteration >= top.begin.max {
        return give_up_issue(event, task, top, &spent_text(top), output);
    }
    let now = observe(event, &Workspace::of(event)?, task, top)?;
    let before = format!("The work did not land. Fix this, commit, and write COMPLETE again:\n{why}\n");
    next_iteration(event, task, top, (&now, &before), output)
}

/// Why the loop records cannot be used; None if they can.
fn inconsistency(task: &Task, stack: &Stack) -> Option<String> {
    let unreadable = || stack.frames.iter().find_map(|frame| frame::prompt_text(task, frame).err());
    stack.wrong.clone().or_else(|| unreadable().map(|error| error.to_string()))
}

/// Whether the judges run at this iteration although the agent did not write COMPLETE.
fn is_checkpoint(event: &Event, workspace: &Workspace, top: &Frame) -> bool {
    let every = frame::spec(workspace, event).checkpoint;
    every > 0 && top.iteration < top.begin.max && top.iteration.is_multiple_of(every)
}
