//! The verbs that start, show and end loops and turn them off and on. An agent may start a loop inside its own.

use crate::frame::{self, NewLoop};
use crate::issues::{self, Begin};
use crate::{TOOL, messages};
use review_gate::event::{Actor, Client, Event, Kind, Source};
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::store::loops;
use review_gate::store::loops::stack::{Frame, Stack};
use review_gate::store::record::{LoopsOff, LoopsOn, Switch};
use review_gate::store::state::State;
use review_gate::store::task::{self, Task};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line, plain};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// The task: the named one, else that of the session whose shell this is, else the open one. The session, if this is a session's
/// shell.
fn task_of(args: &Args, id: Option<String>) -> Result<(Task, Option<String>)> {
    if id.is_none()
        && let Some(session) = env::client_session()
        && let Some(task) = Task::of_session(Client::Claude, &session)?
    {
        let owner = loops::owning_session(&task, Client::Claude, Some(&session))?;
        return Ok((task, Some(owner)));
    }
    Ok((task::named_or_open(&State::of(&workspace::root_of(&args.dir()?)?.0)?, id)?, None))
}

/// The task whose loops `show` and `stop` mean: without `--task` the open one if it has a loop, else the only one that has.
fn task_with_loops(args: &Args, id: Option<String>) -> Result<(Task, Option<String>)> {
    let has_loops = |task: &Task| {
        let stack = Stack::of(&task.journal);
        stack.wrong.is_some() || !stack.frames.is_empty()
    };
    let is_named = id.is_some();
    let found = task_of(args, id);
    if is_named || found.as_ref().is_ok_and(|(task, session)| session.is_some() || has_loops(task)) {
        return found;
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let tasks = state.task_ids().into_iter().filter_map(|id| Task::load(&state, &id).ok()?);
    let mut tasks: Vec<Task> = tasks.filter(has_loops).collect();
    match tasks.len() {
        0 => found,
        1 => Ok((tasks.remove(0), None)),
        _ => {
            tasks.sort_by(|a, b| a.id.cmp(&b.id));
            let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
            Err(Error::usage(format!("several tasks have loops: {}. Name one with `--task ID`", ids.join(", "))))
        }
    }
}

/// The loops of the session, else all loops of the task.
fn stack_of(task: &Task, session: Option<String>) -> Stack {
    let all = Stack::of(&task.journal);
    match session {
        Some(session) => all.of_session(&session),
        None => all,
    }
}

/// `start`: starts a loop and prints what the agent is told. Without a text it is the loop over issues.
pub fn start(args: &mut Args) -> Result<Exit> {
    let (mut max, mut id, mut text) = (None, None, None);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "max" => {
                let word = args.value()?;
                max = Some(word.parse().map_err(|_| args.wrong(&format!("--max: not a number: {word:?}")))?);
            }
            Flag::Long(name) if name == "task" => id = Some(args.value()?),
            Flag::Operand(word) if text.is_none() => text = Some(word.clone()),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(args.wrong("the text of the task is empty"));
    }
    let (task, session) = task_of(args, id)?;
    if task.is_finished() {
        return Err(Error::refused(format!("task {} is done. Start the loop after the next prompt", task.id)));
    }
    let is_of_ended_client = session.is_none() && task.client_is_running() == Some(false);
    let mut source = Source::new(Client::Text, Kind::Prompt, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(task.state.dir().to_path_buf());
    let event = Event::new(source);
    // An agent can hide that a shell is its own, but it has no terminal there.
    let by = if args.require_user("start").is_ok() { Actor::User } else { Actor::Agent };
    let session = session.unwrap_or_else(|| task.begin.session.clone());
    let owner = session.clone();
    let (frame, words) = match text {
        None => issues::begin(&event, &task, &Begin { session: &session, by, max })?,
        Some(text) => {
            let prompt = task.state.keep_blob(redact(text.trim()).as_bytes())?;
            let new = NewLoop { prompt, max, by, session, issue: None };
            let frame = frame::begin(&event, &Workspace::of(&event)?, &task, new)?;
            let words = messages::start_message(&task, &frame);
            (frame, words)
        }
    };
    // A user has no use for what the agent is told.
    let words = if by == Actor::User { started(&task, &frame, &owner) } else { words };
    let mut words = words.trim_end().to_string() + "\n";
    if is_of_ended_client {
        let when = "the loop goes on only if its session is resumed";
        words.push_str(&format!("The client of task {} has ended: {when}.\n", task.id));
    }
    pipes::write(words.as_bytes())?;
    Ok(Exit::Yes)
}

/// What a user who starts a loop is told.
fn started(task: &Task, frame: &Frame, session: &str) -> String {
    let session = one_line(session);
    let max = count(frame.begin.max as usize, "iteration");
    format!(
        "task {}: started a loop of at most {max} in session {session}. Its agent gets the text at its next stop",
        task.id
    )
}

/// `show`: prints the loops of a task.
pub fn show(args: &mut Args) -> Result<Exit> {
    let (mut id, mut prompt) = (None, false);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "task" => id = Some(args.value()?),
            Flag::Long(name) if name == "prompt" => prompt = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let (task, session) = task_with_loops(args, id)?;
    let stack = stack_of(&task, session);
    let off =
        if frame::is_off(&task.state)? { ". Loops are off in this repository; `rg-loop on` turns them on" } else { "" };
    if let Some(why) = &stack.wrong {
        return Err(Error::refused(format!("the loop records of task {} are inconsistent: {why}", task.id)));
    }
    let Some(top) = stack.frames.last() else {
        return Err(Error::refused(format!("no loop in task {}{off}", task.id)));
    };
    if prompt {
        pipes::write((plain(frame::prompt_text(&task, top)?.as_bytes()) + "\n").as_bytes())?;
        return Ok(Exit::Yes);
    }
    let kind = if stack.frames.len() > 1 { "nested loop" } else { "loop" };
    let mut out = format!("task {}: {}{off}\n", task.id, count(stack.frames.len(), kind));
    for (depth, frame) in stack.frames.iter().enumerate() {
        let branch =
            frame.begin.branch.as_ref().map_or(String::new(), |branch| format!(", branch {}", one_line(branch)));
        let text = cut_end(&one_line(&frame::prompt_text(&task, frame)?), 100);
        out.push_str(&format!(
            "{:indent$}iteration {} of {}, by {} in {}{branch}: {text}\n",
            "",
            frame.iteration,
            frame.begin.max,
            frame.begin.by,
            one_line(&frame.begin.worktree.to_string_lossy()),
            indent = 2 * (depth + 1)
        ));
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// `stop`: ends all loops of a task.
pub fn stop(args: &mut Args) -> Result<Exit> {
    let mut id = None;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "task" => id = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if env::is_below_agent() {
        let how = "an agent ends its loop with a mark: <loop-done>COMPLETE</loop-done> or <loop-done>STUCK</loop-done>";
        return Err(Error::usage(format!("stop is for the user; {how}")));
    }
    let (task, session) = task_with_loops(args, id)?;
    let stack = stack_of(&task, session);
    if stack.frames.is_empty() && stack.wrong.is_none() {
        return Err(Error::refused(format!("no loop in task {}", task.id)));
    }
    frame::end_all(&task, &stack, "stopped")?;
    if let Some(frame) = stack.frames.first() {
        frame::post(&task, frame, "CANCELLED: the user ended the loop");
    }
    pipes::write(format!("task {}: {} ended\n", task.id, count(stack.frames.len(), "loop")).as_bytes())?;
    Ok(Exit::Yes)
}

/// `off` and `on`: only for a user at a terminal; for this repository.
pub fn switch(args: &mut Args, to: Switch) -> Result<Exit> {
    if let Some(flag) = args.flag()? {
        return Err(args.unknown(&flag));
    }
    args.require_user(to.word())?;
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let who = review_gate::sys::user::name();
    match to {
        Switch::Off => state.append(&state.loops(), TOOL.name, LoopsOff { who })?,
        Switch::On => state.append(&state.loops(), TOOL.name, LoopsOn { who })?,
    };
    pipes::write(format!("loops are {to} in this repository\n").as_bytes())?;
    Ok(Exit::Yes)
}
