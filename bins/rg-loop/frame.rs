//! Frames as they are written: begun, gone on with, ended, set aside. One writer, the task's own journal.

use crate::TOOL;
use review_gate::basis::Basis;
use review_gate::donefile::LoopSpec;
use review_gate::error::{Error, Result};
use review_gate::event::{Actor, Event, Outcome};
use review_gate::frames::{Frame, MOST, OFF_FILE, Seen, Stack, has_off_file};
use review_gate::git::Repository;
use review_gate::ids;
use review_gate::journal::{self, Record};
use review_gate::left::Open;
use review_gate::loops;
use review_gate::made::Made;
use review_gate::snapshot::top_of;
use review_gate::state::State;
use review_gate::task::Task;
use serde_json::{Value, json};
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
    if loops::believed(task)?.wrong.is_some() || loops::of(task)?.wrong.is_some() {
        set_aside(task, "a new loop begins")?;
    }
    let around = |stack: Stack| stack.of_session(&wanted.session).frames;
    let known = |frames: &[Frame]| frames.last().filter(|top| top.prompt == prompt).cloned();
    let frames = around(loops::of(&again(task)?)?);
    if let Some(top) = known(&frames) {
        return Ok(top);
    }
    if let Some(why) = off(task, basis, event)? {
        return refused(format!("no loop begins: {why}"));
    }
    if frames.len() >= DEPTH {
        return refused(format!("no loop begins: {DEPTH} are in one another already"));
    }
    if wanted.by == Actor::Agent && is_given_up(task) {
        return refused("no loop begins: the work was given up; a person's prompt goes on with it".to_string());
    }
    // An agent may have less than the person gives, not more: what is left of the loop around it, every step of those inside
    // of that counted.
    let most = spec(basis, event).max;
    let left = frames.last().map_or(most, |around| around.max.saturating_sub(around.spent).min(most));
    if wanted.by == Actor::Agent && left == 0 {
        return refused("no loop begins: nothing is left of the loop around it".to_string());
    }
    let worktree = top_of(&event.root);
    let repository = Repository::at(&worktree);
    let line = |args: &[&str]| repository.as_ref().and_then(|at| at.line(args).ok().flatten());
    let frame = Frame {
        frame: ids::ulid(&["frame", &task.id, &prompt, &task.records.len().to_string()]),
        mode: "task".to_string(),
        max: match (wanted.max, wanted.by) {
            (max, Actor::Agent) => max.unwrap_or(left).min(left),
            (max, _) => max.unwrap_or(most),
        },
        prompt: prompt.clone(),
        branch: line(&["symbolic-ref", "--quiet", "--short", "HEAD"]),
        base: Made::at(&task.state, &worktree)
            .map(|made| made.base)
            .or_else(|| repository.as_ref().and_then(Repository::head)),
        snapshot: basis.look(event)?.digest(),
        by: wanted.by,
        session: wanted.session.clone(),
        worktree,
        iteration: 1,
        seen: Vec::new(),
        spent: 0,
    };
    let mut fields =
        serde_json::to_value(&frame).map_err(|e| Error::unjudged(format!("unable to write frame: {e}")))?;
    fields["state"] = "begin".into();
    let step = write(task, fields, |stack| {
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
        Step::Ahead => known(&around(loops::of(&again(task)?)?)).ok_or_else(|| Error::unjudged("the loop is over")),
    }
}

/// Whether the work was given up, and no person has spoken since.
fn is_given_up(task: &Task) -> bool {
    let is_person = |record: &Record| record.kind == "prompt" && record.text("by") == Actor::User.word();
    let gave_up = |record: &Record| {
        let is_main = record.kind == "receipt" && record.text("seat") == "main";
        is_main && record.text("outcome") == Outcome::Abandoned.word()
    };
    task.records.iter().rfind(|record| is_person(record) || gave_up(record)).is_some_and(gave_up)
}

/// What DONE.md says of loops; one that cannot be read says nothing.
pub fn spec(basis: &Basis, event: &Event) -> LoopSpec {
    basis.donefile(event).ok().flatten().map(|done| done.looping).unwrap_or_default()
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
    let records = journal::read(&switches(state))?;
    Ok(records.last().is_some_and(|record| record.kind == "off"))
}

/// Where that is written.
pub fn switches(state: &State) -> std::path::PathBuf {
    state.dir().join("loops.jsonl")
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
pub fn next(task: &Task, frame: &Frame, seen: &Seen, judged: Option<&[Open]>) -> Result<Step> {
    let fields = json!({
        "state": "next",
        "frame": frame.frame,
        "iteration": frame.iteration + 1,
        "snapshot": seen.snapshot,
        "keys": seen.keys,
        "waits": seen.waits.then_some(true),
        "judged": judged.map(|_| &seen.snapshot),
        "open": judged,
    });
    write(task, fields, |stack| {
        let known = stack.frames.iter().find(|known| known.frame == frame.frame);
        let top = stack.frames.iter().rfind(|top| top.session == frame.session);
        let is_top = top.is_some_and(|top| top.frame == frame.frame && top.iteration == frame.iteration);
        match known {
            Some(_) if is_top => Step::Taken,
            Some(_) => Step::Ahead,
            None => Step::Over,
        }
    })
}

/// Ends a loop, and those inside of it.
pub fn end(task: &Task, frame: &Frame, why: &str) -> Result<Step> {
    write(task, json!({"state": "end", "frame": frame.frame, "why": why}), |stack| {
        let is_there = stack.frames.iter().any(|known| known.frame == frame.frame);
        if is_there { Step::Taken } else { Step::Over }
    })
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
    write(task, json!({"state": "set-aside", "why": why}), |_| Step::Taken).map(drop)
}

/// Writes a record where the loops, as they stand under the lock, still allow it: meanwhile others may have written.
fn write(task: &Task, fields: Value, may: impl Fn(&Stack) -> Step) -> Result<Step> {
    let _lock = task.state.lock()?;
    let step = may(&loops::of(&again(task)?)?);
    if step == Step::Taken {
        task.state.append_locked(&task.state.task(&task.id), TOOL.name, "frame", fields)?;
    }
    Ok(step)
}

/// The task as its journal stands now.
fn again(task: &Task) -> Result<Task> {
    let now = Task::load(&task.state, &task.id)?;
    now.ok_or_else(|| Error::unjudged(format!("task {} is gone", task.id)))
}

/// What is to be done, in words. Gone or altered: an error.
pub fn text(task: &Task, frame: &Frame) -> Result<String> {
    Ok(String::from_utf8_lossy(&task.state.read_blob(&frame.prompt)?).into_owned())
}
