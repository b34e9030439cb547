//! Frames as they are written: begun, gone on with, ended, set aside. One writer, the task's own journal.

use crate::TOOL;
use review_gate::donefile::LoopSpec;
use review_gate::event::{Actor, Event};
use review_gate::git::Repository;
use review_gate::snapshot::definition::Basis;
use review_gate::snapshot::top_of;
use review_gate::store::journal::Journal;
use review_gate::store::loops::stack::{Frame, MOST, OFF_FILE, Seen, Stack, has_off_file};
use review_gate::store::record::{FrameBegin, FrameNext, FrameStep, Kind, OpenFinding};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::store::worktrees;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use std::path::Path;

/// How many loops there may be in one another.
const DEPTH: usize = 4;

/// What is to be begun.
pub struct Wanted {
    /// The task: the digest under which its words are kept.
    pub prompt: String,
    /// How many iterations; what DONE.md says where nobody does.
    pub max: Option<u32>,
    /// Who wants it.
    pub by: Actor,
    /// The session that it is to hold.
    pub session: String,
}

/// Begins a loop, and returns its frame. The same words again are the same loop.
pub fn begin(event: &Event, basis: &Basis, task: &Task, wanted: Wanted) -> Result<Frame> {
    let refused = |why: String| Err(Error::refused(why));
    if wanted.max.is_some_and(|max| !(1..=MOST).contains(&max)) {
        return Err(Error::usage(format!("a loop has 1 to {MOST} iterations")));
    }
    let prompt = wanted.prompt.clone();
    // What was damaged before it begins is none of its own.
    let mut stack = Stack::of(&task.journal);
    if stack.is_damaged() {
        set_aside(task, "a new loop begins")?;
        stack = Stack::of(&again(task)?.journal);
    }
    let around = |stack: Stack| stack.of_session(&wanted.session).frames;
    let known = |frames: &[Frame]| frames.last().filter(|top| top.begin.prompt == prompt).cloned();
    let frames = around(stack);
    if let Some(top) = known(&frames) {
        return Ok(top);
    }
    if let Some(why) = off(task, basis, event)? {
        return refused(format!("no loop begins: {why}"));
    }
    if frames.len() >= DEPTH {
        return refused(format!("no loop begins: {DEPTH} are in one another already"));
    }
    if wanted.by == Actor::Agent && task.ledger.is_given_up() {
        return refused("no loop begins: the work was given up; a person's prompt goes on with it".to_string());
    }
    // An agent may have less than the person gives, not more: what is left of the loop around it, every step of those inside
    // of that counted.
    let most = spec(basis, event).max;
    let left = frames.last().map_or(most, |around| around.begin.max.saturating_sub(around.spent).min(most));
    if wanted.by == Actor::Agent && left == 0 {
        return refused("no loop begins: nothing is left of the loop around it".to_string());
    }
    let worktree = top_of(&event.root);
    let repository = Repository::at(&worktree);
    let line = |args: &[&str]| repository.as_ref().and_then(|at| at.line(args).ok().flatten());
    let begin = FrameBegin {
        frame: ids::ulid(&["frame", &task.id, &prompt, &task.journal.lines().len().to_string()]),
        mode: "task".to_string(),
        max: match (wanted.max, wanted.by) {
            (max, Actor::Agent) => max.unwrap_or(left).min(left),
            (max, _) => max.unwrap_or(most),
        },
        prompt: prompt.clone(),
        branch: line(&["symbolic-ref", "--quiet", "--short", "HEAD"]),
        base: worktrees::at(&task.state, &worktree)
            .map(|made| made.base)
            .or_else(|| repository.as_ref().and_then(Repository::head)),
        snapshot: basis.look(event)?.digest(),
        by: wanted.by,
        session: Some(wanted.session.clone()),
        worktree,
    };
    let frame = Frame::new(begin.clone(), wanted.session.clone());
    let (step, now) = write(task, FrameStep::Begin(begin), |stack| {
        let frames = around(stack.clone());
        match known(&frames) {
            Some(_) => Step::Ahead,
            None if frames.len() >= DEPTH => Step::Over,
            None => Step::Taken,
        }
    })?;
    match step {
        Step::Over => refused(format!("no loop begins: {DEPTH} are in one another already")),
        Step::Taken => Ok(frame),
        Step::Ahead => known(&around(now)).ok_or_else(|| Error::changed("the loop is over")),
    }
}

/// `loop` of DONE.md, with its defaults where that cannot be used: `off` has refused to begin or continue a loop before.
pub fn spec(basis: &Basis, event: &Event) -> LoopSpec {
    basis.usable_donefile(event).map(|done| done.looping).unwrap_or_default()
}

/// Why no loop holds anybody here: a person said so, now or before; or nobody can tell whether one did.
fn off(task: &Task, basis: &Basis, event: &Event) -> Result<Option<String>> {
    if is_off(&task.state)? {
        return Ok(Some("loops are off (rg-loop on)".to_string()));
    }
    match basis.donefile(event) {
        Err(error) => return Ok(Some(error.to_string())),
        Ok(Some(done)) if done.looping.disabled => return Ok(Some("loop.disabled in DONE.md".to_string())),
        Ok(_) => {}
    }
    let is_off = has_off_file(&event.root) && was_off(&event.root, task)?;
    Ok(is_off.then(|| format!("there is a file {OFF_FILE}")))
}

/// Whether the file that turns loops off lay there as the task began: as its begin says, else as it was committed then.
pub fn was_off(root: &Path, task: &Task) -> Result<bool> {
    if let Some(was_off) = task.begin.off_file {
        return Ok(was_off);
    }
    let (Some(repository), Some(head)) = (Repository::find(root), &task.begin.head) else { return Ok(false) };
    let path = root.strip_prefix(&repository.top).unwrap_or(Path::new("")).join(OFF_FILE);
    Ok(repository.tree(head)?.iter().any(|file| file.path == path))
}

/// Whether a person turned loops off in this repository.
pub fn is_off(state: &State) -> Result<bool> {
    let journal = Journal::open(&state.loops())?;
    let last = journal.records().next_back();
    Ok(last.is_some_and(|(_, record)| record.body.kind() == Kind::LoopsOff))
}

/// What became of a step that was decided on what a journal said a while ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was taken.
    Taken,
    /// Another stop of the session took it meanwhile.
    Ahead,
    /// The loop is over.
    Over,
}

/// The next iteration of a loop that was the innermost; `judged` is what a judgement just now left open.
pub fn next(task: &Task, frame: &Frame, seen: &Seen, judged: Option<&[OpenFinding]>) -> Result<Step> {
    let next = FrameNext { open: judged.map(<[OpenFinding]>::to_vec), ..frame.step(seen) };
    let (step, _) = write(task, FrameStep::Next(next), |stack| {
        let known = stack.frames.iter().find(|known| known.id() == frame.id());
        let top = stack.frames.iter().rfind(|top| top.session == frame.session);
        let is_top = top.is_some_and(|top| top.id() == frame.id() && top.iteration == frame.iteration);
        match known {
            Some(_) if is_top => Step::Taken,
            Some(_) => Step::Ahead,
            None => Step::Over,
        }
    })?;
    Ok(step)
}

/// Ends a loop, and those inside of it.
pub fn end(task: &Task, frame: &Frame, why: &str) -> Result<Step> {
    let (step, _) = write(task, frame.end(why), |stack| {
        let is_there = stack.frames.iter().any(|known| known.id() == frame.id());
        if is_there { Step::Taken } else { Step::Over }
    })?;
    Ok(step)
}

/// Ends all loops of a stack.
pub fn end_all(task: &Task, stack: &Stack, why: &str) -> Result<()> {
    if stack.wrong.is_some() {
        return set_aside(task, why);
    }
    let mut ended: Vec<&str> = Vec::new();
    for frame in &stack.frames {
        if !ended.contains(&frame.session.as_str()) {
            ended.push(&frame.session);
            end(task, frame, why)?;
        }
    }
    Ok(())
}

/// Nothing that stands there of loops counts any more.
pub fn set_aside(task: &Task, why: &str) -> Result<()> {
    write(task, FrameStep::SetAside { why: why.to_string() }, |_| Step::Taken).map(drop)
}

/// Reads the loops again under the lock and writes the step if they still allow it. Returns the result and the loops as they were
/// read.
fn write(task: &Task, step: FrameStep, may: impl Fn(&Stack) -> Step) -> Result<(Step, Stack)> {
    let _lock = task.state.lock()?;
    let stack = Stack::of(&again(task)?.journal);
    let taken = may(&stack);
    if taken == Step::Taken {
        task.state.append_locked(&task.state.task(&task.id), TOOL.name, step)?;
    }
    Ok((taken, stack))
}

/// The task as its journal stands now.
fn again(task: &Task) -> Result<Task> {
    let now = Task::load(&task.state, &task.id)?;
    now.ok_or_else(|| Error::missing(format!("task {} is gone", task.id)))
}

/// What is to be done, in words. Gone or altered: an error.
pub fn text(task: &Task, frame: &Frame) -> Result<String> {
    Ok(String::from_utf8_lossy(&task.state.read_blob(&frame.begin.prompt)?).into_owned())
}
