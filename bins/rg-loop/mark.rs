//! `mark`, before the judges: an agent that does not say that it is done goes on; what it says then opens the gate, no more.

use crate::claim::{self, Claim};
use crate::steps::{give_up, go_on, is_loops_stop, is_open, is_stale, let_go, seen, spent};
use crate::{Steps, TOOL, frame, prompt, words};
use review_gate::event::{Actor, EndedWhy, Event, Finding, Kind, Level, Rule, Stage};
use review_gate::snapshot::definition::Basis;
use review_gate::store::loops;
use review_gate::store::loops::stack::{Frame, OFF_FILE, Stack, has_off_file};
use review_gate::store::task::{self, Task};
use review_gate::sys::error::Result;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// After so many iterations in which nothing changed it is stuck.
const STUCK_AFTER: usize = 3;

/// The filter.
pub struct Mark;

impl Filter for Mark {
    type Section = Steps;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Loop;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Prompt => event.task.is_some() && (event.by == Actor::User || event.looping.is_some()),
            _ => is_loops_stop(event),
        }
    }

    fn pass(&self, event: &Event, steps: &mut Steps) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        match event.kind {
            Kind::Prompt => prompt::submitted(event, &task, steps),
            _ => {
                is_open(event, &task)?;
                stopped(event, task, steps)
            }
        }
    }
}

fn stopped(event: &Event, task: Task, steps: &mut Steps) -> Result<()> {
    let stack = loops::of_event(&task, event)?;
    if let Some(why) = wrong(&task, &stack) {
        frame::set_aside(&task, &why)?;
        return let_go(steps, &task, &format!("its records make no sense ({why}): set aside"));
    }
    let Some(top) = stack.frames.last() else { return Ok(()) };
    if frame::is_off(&task.state)? {
        frame::end_all(&task, &stack, "off")?;
        return let_go(steps, &task, "loops are off");
    }
    if is_stale(&task, &stack, steps)? {
        return Ok(());
    }
    if !top.begin.worktree.is_dir() {
        frame::end_all(&task, &stack, "its worktree is gone")?;
        return let_go(
            steps,
            &task,
            &format!("its worktree {} is gone", one_line(&top.begin.worktree.to_string_lossy())),
        );
    }
    let basis = Basis::of(event)?;
    match has_off_file(&event.root) {
        true if frame::was_off(&event.root, &task)? => {
            frame::end_all(&task, &stack, "off")?;
            return let_go(steps, &task, &format!("there is a file {OFF_FILE}, as there was when the task began"));
        }
        true => {
            let text = format!("{OFF_FILE} was not there when the task began: remove it");
            steps.find(Finding::new(Stage::Loop, Rule::LoopDisabled, Level::Tampered, Some(OFF_FILE), "", text));
        }
        false => {}
    }
    let said = claim::of(event);
    if said == Claim::Complete {
        return Ok(());
    }
    let now = seen(event, &basis, &task)?;
    match said {
        Claim::GaveUp(why) => give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, steps),
        _ if words::unchanged(top, &now) >= STUCK_AFTER => {
            let why = format!("stuck: nothing changed in {STUCK_AFTER} iterations");
            give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, steps)
        }
        _ if is_checkpoint(event, &basis, top) => {
            steps.own.is_checkpoint = true;
            Ok(())
        }
        _ if top.iteration >= top.begin.max => {
            give_up(event, &task, &stack.frames, (EndedWhy::Budget, &spent(top)), &now, steps)
        }
        said => {
            let twice = "Your marks contradict each other; one of them alone counts.\n";
            go_on(event, &task, top, (&now, if said == Claim::Both { twice } else { "" }), steps)
        }
    }
}

/// Why what stands there of loops cannot be believed.
fn wrong(task: &Task, stack: &Stack) -> Option<String> {
    let unreadable = || stack.frames.iter().find_map(|frame| frame::text(task, frame).err());
    stack.wrong.clone().or_else(|| unreadable().map(|error| error.to_string()))
}

/// Whether everything is to be judged at this iteration, though nobody says that it is done.
fn is_checkpoint(event: &Event, basis: &Basis, top: &Frame) -> bool {
    let every = frame::spec(basis, event).checkpoint;
    every > 0 && top.iteration < top.begin.max && top.iteration.is_multiple_of(every)
}
