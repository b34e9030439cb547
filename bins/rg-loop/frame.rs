//! Frames as they are written: begun, gone on with, ended, set aside. One writer, the task's own journal.

use crate::TOOL;
use review_gate::basis::Basis;
use review_gate::clock;
use review_gate::error::{Error, Result};
use review_gate::event::{By, Event};
use review_gate::frames::{Frame, MOST, Seen, Stack};
use review_gate::git::Repository;
use review_gate::ids;
use review_gate::journal;
use review_gate::made::Made;
use review_gate::redact::redact;
use review_gate::snapshot::top_of;
use review_gate::state::State;
use review_gate::task::Task;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How many loops there may be in one another.
const DEPTH: usize = 4;

/// A loop that nothing happened to for so many seconds holds nobody any more.
const TIME_TO_LIVE: f64 = 2.0 * 3600.0;

/// The file that turns loops off, where it lay before.
pub const OFF_FILE: &str = ".review-gate-disabled";

/// What is to be begun.
pub struct Wanted<'a> {
    /// The task, in words.
    pub text: &'a str,
    /// How many iterations; what DONE.md says where nobody does.
    pub max: Option<u32>,
    /// Who wants it.
    pub by: By,
}

/// Begins a loop, and returns its frame. The same words again are the same loop.
pub fn begin(event: &Event, basis: &Basis, task: &Task, wanted: Wanted<'_>) -> Result<Frame> {
    let refused = |why: String| Err(Error::refused(why));
    if wanted.max.is_some_and(|max| !(1..=MOST).contains(&max)) {
        return Err(Error::usage(format!("a loop has 1 to {MOST} iterations")));
    }
    let stack = Stack::of(&task.records);
    let text = redact(wanted.text.trim());
    let prompt = task.state.keep_blob(text.as_bytes())?;
    if let Some(top) = stack.frames.last().filter(|top| top.prompt == prompt && stack.wrong.is_none()) {
        return Ok(top.clone());
    }
    if stack.wrong.is_some() {
        set_aside(task, "a new loop begins")?;
    }
    if let Some(why) = off(task, basis, event)? {
        return refused(format!("no loop begins: {why}"));
    }
    if stack.frames.len() >= DEPTH && stack.wrong.is_none() {
        return refused(format!("no loop begins: {DEPTH} are in one another already"));
    }
    let worktree = top_of(&event.root);
    let repository = Repository::at(&worktree);
    let line = |args: &[&str]| repository.as_ref().and_then(|at| at.line(args).ok().flatten());
    let frame = Frame {
        frame: ids::ulid(&["frame", &task.id, &task.records.len().to_string()]),
        mode: "task".to_string(),
        // An agent may have less than the person gives, not more.
        max: match (wanted.max, spec(basis, event).max, wanted.by) {
            (Some(max), most, By::Agent) => max.min(most),
            (Some(max), ..) => max,
            (None, most, _) => most,
        },
        prompt,
        branch: line(&["symbolic-ref", "--quiet", "--short", "HEAD"]),
        base: Made::at(&task.state, &worktree)
            .map(|made| made.base)
            .or_else(|| repository.as_ref().and_then(Repository::head)),
        snapshot: basis.look(event)?.digest(),
        by: wanted.by,
        worktree,
        iteration: 1,
        seen: Vec::new(),
    };
    let mut fields = json!({"state": "begin"});
    let written = serde_json::to_value(&frame).map_err(|e| Error::unjudged(format!("unable to write frame: {e}")))?;
    if let (Some(fields), Value::Object(written)) = (fields.as_object_mut(), written) {
        fields.extend(written);
    }
    write(task, fields)?;
    Ok(frame)
}

/// What DONE.md says of loops; one that cannot be read says nothing.
pub fn spec(basis: &Basis, event: &Event) -> review_gate::donefile::LoopSpec {
    basis.donefile(event).ok().flatten().map(|done| done.looping).unwrap_or_default()
}

/// Why no loop holds anybody here: a person said so, now or before.
fn off(task: &Task, basis: &Basis, event: &Event) -> Result<Option<String>> {
    if is_off(&task.state)? {
        return Ok(Some("loops are off (rg-loop on)".to_string()));
    }
    if spec(basis, event).disabled {
        return Ok(Some("loop.disabled in DONE.md".to_string()));
    }
    Ok(was_off(&event.root, task).then(|| format!("there is a file {OFF_FILE}")))
}

/// Whether the file lay there as the task began: nothing of it changed since, not its name either.
fn was_off(root: &Path, task: &Task) -> bool {
    let begun = task.records.iter().find(|record| record.kind == "begin").and_then(|record| record.at());
    match (std::fs::symlink_metadata(root.join(OFF_FILE)), begun) {
        (Ok(meta), Some(begun)) => meta.ctime() * 1_000 + meta.ctime_nsec() / 1_000_000 <= begun.0 as i64,
        (found, _) => found.is_ok(),
    }
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

/// Whether that file lies there; a link that leads nowhere counts, too.
pub fn has_off_file(root: &Path) -> bool {
    std::fs::symlink_metadata(root.join(OFF_FILE)).is_ok()
}

/// The next iteration of the innermost loop.
pub fn next(task: &Task, frame: &Frame, seen: &Seen) -> Result<()> {
    let fields = json!({
        "state": "next",
        "frame": frame.frame,
        "iteration": frame.iteration + 1,
        "snapshot": seen.snapshot,
        "keys": seen.keys,
    });
    write(task, fields)
}

/// Ends a loop, and those inside of it.
pub fn end(task: &Task, frame: &Frame, why: &str) -> Result<()> {
    write(task, json!({"state": "end", "frame": frame.frame, "why": why}))
}

/// Ends all loops of a task.
pub fn end_all(task: &Task, stack: &Stack, why: &str) -> Result<()> {
    if stack.wrong.is_some() {
        return set_aside(task, why);
    }
    stack.frames.first().map_or(Ok(()), |first| end(task, first, why))
}

/// Nothing that stands there of loops counts any more.
pub fn set_aside(task: &Task, why: &str) -> Result<()> {
    write(task, json!({"state": "set-aside", "why": why}))
}

fn write(task: &Task, fields: Value) -> Result<()> {
    task.state.append(&task.state.task(&task.id), TOOL.name, "frame", fields).map(drop)
}

/// What is to be done, in words. Gone or altered: an error.
pub fn text(task: &Task, frame: &Frame) -> Result<String> {
    Ok(String::from_utf8_lossy(&task.state.read_blob(&frame.prompt)?).into_owned())
}

/// For how long nothing happened before this event, where that is too long.
pub fn is_stale(event: &Event, task: &Task) -> Option<f64> {
    let before = task.records.iter().rfind(|record| record.text("event") != event.id)?;
    let record = clock::now().since(before.at()?);
    // What its tools do stands in the trace.
    let trace = task.state.trace(event.session_key().unwrap_or_default());
    let traced = std::fs::metadata(trace).and_then(|meta| meta.modified()).map(clock::age);
    let quiet = traced.map_or(record, |age| record.min(age.as_secs_f64()));
    (quiet > TIME_TO_LIVE).then_some(quiet)
}
