//! `rg-bounce waive`: a person at a terminal lets something pass, with a reason, a scope and an end.

use crate::TOOL;
use review_gate::cli::{Args, Flag};
use review_gate::clock;
use review_gate::env;
use review_gate::error::{Error, Result};
use review_gate::exit::Exit;
use review_gate::state::State;
use review_gate::task::Task;
use review_gate::{basis, wire};
use serde_json::json;
use std::io::IsTerminal;

/// How long a waiver holds unless it says otherwise, in seconds.
const DEFAULT: f64 = 3600.0;

/// The longest it may hold.
const LONGEST: f64 = 30.0 * 86_400.0;

/// Writes a waiver into the task that was worked at last in this repository, or the one that is named.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut why = String::new();
    let mut scope = "gate".to_string();
    let mut seconds = DEFAULT;
    let mut task = None;
    while let Some(flag) = args.flag()? {
        let Flag::Long(name) = &flag else { return Err(args.unknown(&flag)) };
        match name.as_str() {
            "why" => why = args.value()?.trim().to_string(),
            "scope" => scope = args.value()?,
            "for" => {
                let word = args.value()?;
                let parsed = clock::parse_duration(&word).filter(|seconds| *seconds <= LONGEST);
                seconds = parsed.ok_or_else(|| args.wrong(&format!("--for: not a duration up to 30d: {word:?}")))?;
            }
            "task" => task = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if why.is_empty() {
        return Err(args.wrong("waive wants --why: it stands in every later receipt"));
    }
    let known =
        scope == "gate" || ["rule:", "key:"].iter().any(|kind| scope.len() > kind.len() && scope.starts_with(kind));
    if !known {
        return Err(args.wrong(&format!("--scope: gate, rule:NAME or key:KEY, not {scope:?}")));
    }
    if env::is_below_agent() {
        return Err(Error::usage("waive is for a person: this is an agent's shell"));
    }
    if !std::io::stdin().is_terminal() {
        return Err(Error::usage("waive is for a person at a terminal: standard input is none"));
    }
    let state = State::of(&basis::root_of(&args.dir()?)?.0)?;
    let id = match task {
        Some(id) => id,
        None => latest(&state)?,
    };
    let task = Task::load(&state, &id)?.ok_or_else(|| Error::usage(format!("no such task: {id}")))?;
    let until = clock::now().plus(seconds);
    let waiver = json!({"scope": scope, "why": why, "who": env::user(), "until": until});
    state.append(&state.task(&task.id), TOOL.name, "waive", waiver)?;
    wire::write(format!("waived: {scope} in task {}, until {until}\n", task.id).as_bytes())?;
    Ok(Exit::Yes)
}

/// The task that is open here; where there are several, the person must say which.
fn latest(state: &State) -> Result<String> {
    let dir = state.dir().join("tasks");
    let journals = std::fs::read_dir(&dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let ids = journals.filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_string()));
    let tasks = ids.filter_map(|id| Task::load(state, &id).ok()?);
    // What nobody touched for a day is not what a person means.
    let yesterday = clock::now().plus(-86_400.0);
    let is_recent = |task: &Task| task.records.last().and_then(|record| record.at()).is_some_and(|at| at > yesterday);
    let mut open: Vec<Task> = tasks.filter(|task| !task.is_finished() && is_recent(task)).collect();
    // A task that was sent back is what a person means; one that only asked a question is not.
    if open.iter().any(|task| !task.sealed().is_empty()) {
        open.retain(|task| !task.sealed().is_empty());
    }
    open.sort_by(|a, b| a.id.cmp(&b.id));
    match open.len() {
        1 => Ok(open.remove(0).id),
        0 => Err(Error::usage(format!("no open task in {}: nothing to waive", dir.display()))),
        _ => {
            let names: Vec<String> =
                open.iter().map(|task| format!("{} (session {})", task.id, task.begin.session)).collect();
            Err(Error::usage(format!("several tasks are open, name one with --task: {}", names.join(", "))))
        }
    }
}
