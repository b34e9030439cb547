//! Writes the `frame` records of a task's journal: begin, next, end, set-aside.

use crate::{TOOL, queue};
use review_gate::donefile::LoopSpec;
use review_gate::event::{Actor, Event};
use review_gate::git::Repository;
use review_gate::snapshot::top_of;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::journal::Journal;
use review_gate::store::loops::stack::{Frame, IterationState, MOST, OFF_FILE, Stack, has_off_file};
use review_gate::store::record::{FrameBegin, FrameNext, FrameStep, Kind, OpenFinding};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::store::worktrees;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::count;
use review_gate::talk::announcement::announce;
use std::path::{Path, PathBuf};

/// How deep loops may nest.
const DEPTH: usize = 4;

/// A loop to start.
pub struct NewLoop {
    /// The digest of the task's text, which is stored as a blob.
    pub prompt: String,
    /// The most iterations; None: `loop.max` in DONE.md.
    pub max: Option<u32>,
    /// Who starts it.
    pub by: Actor,
    /// The session whose stops it bounces.
    pub session: String,
    /// The issue that it works on.
    pub issue: Option<IssueWork>,
}

/// An issue and the worktree that was made for it.
pub struct IssueWork {
    /// Its id.
    pub id: String,
    /// The worktree.
    pub worktree: PathBuf,
}

/// Starts a loop and returns its frame. If the innermost loop has the same text, that loop is returned.
pub fn begin(event: &Event, workspace: &Workspace, task: &Task, new: NewLoop) -> Result<Frame> {
    let refused = |why: String| Err(Error::refused(why));
    require_max(new.max)?;
    let prompt = new.prompt.clone();
    // Damage in older records does not concern a new loop.
    let mut stack = Stack::of(&task.journal);
    if stack.is_damaged() {
        set_aside(task, "a new loop begins")?;
        stack = Stack::of(&reload(task)?.journal);
    }
    let of_session = |stack: Stack| stack.of_session(&new.session).frames;
    let known = |frames: &[Frame]| frames.last().filter(|top| top.begin.prompt == prompt).cloned();
    let frames = of_session(stack);
    if let Some(top) = known(&frames) {
        return Ok(top);
    }
    require_on(task, workspace, event)?;
    if frames.len() >= DEPTH {
        return refused(format!("no loop started: {DEPTH} loops are nested already"));
    }
    if new.by == Actor::Agent && task.ledger.is_given_up() {
        return refused("no loop started: the task was abandoned. A prompt of the user continues it".to_string());
    }
    // An agent cannot get more iterations than the user gave: at most what the outer loop has left, less the iterations of its other
    // inner loops.
    let most = spec(workspace, event).max;
    let left = frames.last().map_or(most, |outer| outer.begin.max.saturating_sub(outer.spent).min(most));
    if new.by == Actor::Agent && left == 0 {
        return refused("no loop started: the outer loop has no iterations left".to_string());
    }
    if new.issue.is_some() {
        require_outermost(task, &new.session)?;
    }
    let worktree = new.issue.as_ref().map_or_else(|| top_of(&event.root), |work| work.worktree.clone());
    let repository = Repository::at(&worktree);
    let line = |args: &[&str]| repository.as_ref().and_then(|at| at.line(args).ok().flatten());
    let begin = FrameBegin {
        frame: ids::ulid(&["frame", &task.id, &prompt, &task.journal.lines().len().to_string()]),
        mode: if new.issue.is_some() { queue::MODE } else { "task" }.to_string(),
        max: match (new.max, new.by) {
            (max, Actor::Agent) => max.unwrap_or(left).min(left),
            (max, _) => max.unwrap_or(most),
        },
        prompt: prompt.clone(),
        branch: line(&["symbolic-ref", "--quiet", "--short", "HEAD"]),
        base: worktrees::at_path(&task.state, &worktree)
            .map(|made| made.base)
            .or_else(|| repository.as_ref().and_then(Repository::head)),
        snapshot: match new.issue.is_some() {
            // It is new: its first iteration has changed something if there is a commit or a file.
            true => String::new(),
            false => workspace.look(event)?.digest(),
        },
        by: new.by,
        session: Some(new.session.clone()),
        worktree,
        issue: new.issue.as_ref().map(|work| work.id.clone()),
    };
    let frame = Frame::new(begin.clone(), new.session.clone());
    let (step, now) = write(task, FrameStep::Begin(begin), |stack| {
        let frames = of_session(stack.clone());
        match known(&frames) {
            Some(_) => Step::Overtaken,
            None if frames.len() >= DEPTH => Step::Ended,
            None => Step::Written,
        }
    })?;
    match step {
        Step::Ended => refused(format!("no loop started: {DEPTH} loops are nested already")),
        Step::Written => {
            let max = count(frame.begin.max as usize, "iteration");
            post(task, &frame, &format!("STARTED: at most {max}"));
            Ok(frame)
        }
        Step::Overtaken => known(&of_session(now)).ok_or_else(|| Error::changed("the loop has ended")),
    }
}

/// An error unless a loop may have so many iterations.
pub fn require_max(max: Option<u32>) -> Result<()> {
    match max.is_none_or(|max| (1..=MOST).contains(&max)) {
        true => Ok(()),
        false => Err(Error::usage(format!("--max must be from 1 to {MOST}"))),
    }
}

/// An error if the session has a loop: a loop over issues cannot be inside another one.
pub fn require_outermost(task: &Task, session: &str) -> Result<()> {
    let stack = Stack::of(&task.journal);
    match stack.is_damaged() || stack.of_session(session).frames.is_empty() {
        true => Ok(()),
        false => Err(Error::refused("no loop started: a loop over issues cannot be inside another loop")),
    }
}

/// An error if loops are off.
pub fn require_on(task: &Task, workspace: &Workspace, event: &Event) -> Result<()> {
    match why_off(task, workspace, event)? {
        Some(why) => Err(Error::refused(format!("no loop started: {why}"))),
        None => Ok(()),
    }
}

/// `loop` in DONE.md, or its defaults if DONE.md is unusable: `why_off` has refused to start a loop by then.
pub fn spec(workspace: &Workspace, event: &Event) -> LoopSpec {
    workspace.usable_donefile(event).map(|done| done.looping).unwrap_or_default()
}

/// Why loops are off: `rg-loop off`, DONE.md, the file that turns them off, or a DONE.md that cannot be read. None if they are on.
fn why_off(task: &Task, workspace: &Workspace, event: &Event) -> Result<Option<String>> {
    if is_off(&task.state)? {
        return Ok(Some("loops are off. Turn them on with `rg-loop on`".to_string()));
    }
    match workspace.donefile(event) {
        Err(error) => return Ok(Some(error.to_string())),
        Ok(Some(done)) if done.looping.disabled => return Ok(Some("`loop.disabled` is set in DONE.md".to_string())),
        Ok(_) => {}
    }
    let is_off = has_off_file(&event.root) && had_off_file(&event.root, task)?;
    Ok(is_off.then(|| format!("the file {OFF_FILE} exists")))
}

/// Whether the file that turns loops off existed when the task began: as the task's `begin` record says, else as the commit of then.
pub fn had_off_file(root: &Path, task: &Task) -> Result<bool> {
    if let Some(was_off) = task.begin.off_file {
        return Ok(was_off);
    }
    let (Some(repository), Some(head)) = (Repository::find(root), &task.begin.head) else { return Ok(false) };
    let path = root.strip_prefix(&repository.top).unwrap_or(Path::new("")).join(OFF_FILE);
    Ok(repository.tree(head)?.iter().any(|file| file.path == path))
}

/// Whether the user turned loops off in this repository.
pub fn is_off(state: &State) -> Result<bool> {
    let journal = Journal::open(&state.loops())?;
    let last = journal.records().next_back();
    Ok(last.is_some_and(|(_, record)| record.body.kind() == Kind::LoopsOff))
}

/// The result of a step that was decided from an earlier reading of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The step was written.
    Written,
    /// Another stop of the session wrote it first.
    Overtaken,
    /// The loop has ended.
    Ended,
}

/// Writes the next iteration of the innermost loop. `judged`: the open findings of the judgement of this stop.
pub fn next(task: &Task, frame: &Frame, seen: &IterationState, judged: Option<&[OpenFinding]>) -> Result<Step> {
    let next = FrameNext { open: judged.map(<[OpenFinding]>::to_vec), ..frame.step(seen) };
    let (step, _) = write(task, FrameStep::Next(next), |stack| {
        let known = stack.frames.iter().find(|known| known.id() == frame.id());
        let top = stack.frames.iter().rfind(|top| top.session == frame.session);
        let is_top = top.is_some_and(|top| top.id() == frame.id() && top.iteration == frame.iteration);
        match known {
            Some(_) if is_top => Step::Written,
            Some(_) => Step::Overtaken,
            None => Step::Ended,
        }
    })?;
    Ok(step)
}

/// Ends a loop and its inner loops.
pub fn end(task: &Task, frame: &Frame, why: &str) -> Result<Step> {
    let (step, _) = write(task, frame.end(why), |stack| {
        let is_there = stack.frames.iter().any(|known| known.id() == frame.id());
        if is_there { Step::Written } else { Step::Ended }
    })?;
    if step == Step::Written {
        // The loop has ended even if the issue cannot be let go: then its claim runs out.
        let _ = queue::let_go(task, frame, why);
    }
    Ok(step)
}

/// Posts what happened to a loop for the readers of the talk.
pub fn post(task: &Task, frame: &Frame, text: &str) {
    announce(&frame.begin.worktree, &format!("task:{}", task.id), "loop", text);
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

/// Writes that the earlier loop records no longer count.
pub fn set_aside(task: &Task, why: &str) -> Result<()> {
    write(task, FrameStep::SetAside { why: why.to_string() }, |_| Step::Written).map(drop)
}

/// Reads the loops again under the lock, and writes the step if `decide` still allows it. Returns the result and the loops as read.
fn write(task: &Task, step: FrameStep, decide: impl Fn(&Stack) -> Step) -> Result<(Step, Stack)> {
    let _lock = task.state.lock()?;
    let stack = Stack::of(&reload(task)?.journal);
    let result = decide(&stack);
    if result == Step::Written {
        task.state.append_locked(&task.state.task(&task.id), TOOL.name, step)?;
    }
    Ok((result, stack))
}

/// The task, read again from its journal.
pub fn reload(task: &Task) -> Result<Task> {
    let now = Task::load(&task.state, &task.id)?;
    now.ok_or_else(|| Error::missing(format!("the journal of task {} is gone", task.id)))
}

/// The text of a loop's task. An error if its blob is missing or was changed.
pub fn prompt_text(task: &Task, frame: &Frame) -> Result<String> {
    Ok(String::from_utf8_lossy(&task.state.read_blob(&frame.begin.prompt)?).into_owned())
}
