//! `rg-tamper bless`: the user makes the current files the baseline of a task.

use crate::{TOOL, baseline};
use review_gate::donefile::{self, FoundDonefile};
use review_gate::event::{BudgetOwner, Client, DonefileRef, Event, Kind, Source, State as Presence};
use review_gate::snapshot::workspace;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::{Bless, InitialDonefile};
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Appends a baseline and a `bless` record to the named task, by default to the open task of this repository.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut why = String::new();
    let mut task = None;
    let mut only_definition = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "why" => why = args.value()?.trim().to_string(),
            Flag::Long(name) if name == "definition" => only_definition = true,
            Flag::Long(name) if name == "task" => task = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if why.is_empty() {
        return Err(args.wrong("bless requires --why: every later receipt shows the reason"));
    }
    args.require_user("bless")?;
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let task = task::named_or_open(&state, task)?;
    task.require_unedited()?;
    if task.begin.state != Presence::Present {
        return Err(Error::usage(format!("the begin of task {} is not on record: no baseline to replace", task.id)));
    }
    let mut source = Source::new(Client::Text, Kind::Prompt, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    let found = donefile::at(&source.root)?;
    let blessed = found.as_ref().map(|found| initial_donefile(&task.state, found)).transpose()?.flatten();
    source.donefile = found.map(|found| found.reference()).or_else(|| {
        let begun = task.begin.donefile.as_ref()?;
        Some(DonefileRef { path: begun.path.clone(), sha256: begun.sha256.clone() })
    });
    let event = Event::new(source);
    let workspace = Workspace::of(&event)?;
    let baseline = match only_definition {
        false => baseline::take(&event, &workspace, &task, &BudgetOwner::Main)?,
        true if blessed.is_none() => return Err(Error::usage("bless --definition: there is no valid DONE.md")),
        true => baseline::accept_definition(&event, &task)?,
    };
    task.append(TOOL.name, Bless { why, who: review_gate::sys::user::name(), donefile: blessed })?;
    let id = &task.id;
    let text = match only_definition {
        true => format!("blessed: DONE.md judges task {id} since {}\n", clock::now()),
        false => {
            let short = baseline.snapshot.get(..12).unwrap_or(&baseline.snapshot);
            format!("blessed: snapshot {short} is the baseline of task {id} since {}\n", clock::now())
        }
    };
    pipes::write(text.as_bytes())?;
    Ok(Exit::Yes)
}

/// The DONE.md that judges from now on; None if it cannot be read, so that the one from the task's begin stays in force.
fn initial_donefile(state: &State, found: &FoundDonefile) -> Result<Option<InitialDonefile>> {
    if donefile::parse(found.name, &found.bytes, &found.root).is_err() {
        return Ok(None);
    }
    let sha256 = state.keep_blob(&found.bytes)?;
    Ok(Some(InitialDonefile { path: found.name.into(), sha256, is_link: found.is_link, valid: true }))
}
