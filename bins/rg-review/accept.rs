//! `rg-review accept`: the user accepts the reviewer's program and the instruction files as they are now, for one task.

use crate::TOOL;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::review::record::Reviews;
use review_gate::review::{instructions, programs};
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::store::record::{LaunchedReviewStep, ReviewPins, ReviewStep};
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Pins the programs, the files of the reviewer's command and the instruction files anew, and prints those that differ.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut id = None;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "task" => id = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    args.require_user("accept")?;
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let task = task::named_or_open(&state, id)?;
    let mut source = Source::new(Client::Text, Kind::Stop, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let workspace = Workspace::of(&event)?;
    let (spec, ask) = workspace.usable_donefile(&event).map(|done| (done.review, done.ask)).unwrap_or_default();
    let then = Reviews::of(Some(&task)).pins.unwrap_or_default();
    let now = ReviewPins { instructions: instructions::now(&event.root), ..programs::now(&spec, &ask, &event.root) };
    let programs = now.programs.iter().filter(|(name, program)| then.programs.get(*name) != Some(program));
    let files = now.files.iter().filter(|(path, id)| then.files.get(*path) != Some(id));
    let instructions = now.instructions.iter().filter(|(path, digest)| then.instructions.get(*path) != Some(digest));
    let names = programs.map(|(name, _)| name).chain(files.chain(instructions).map(|(path, _)| path));
    let text: String = names.map(|name| format!("accepted: {name}\n")).collect();
    let text = if text.is_empty() { "nothing changed\n".to_string() } else { text };
    task.append(TOOL.name, LaunchedReviewStep(ReviewStep::Pinned(now)))?;
    pipes::write(text.as_bytes())?;
    Ok(Exit::Yes)
}
