//! `rg-tamper bless`: the user makes the current files the baseline of a task.

use crate::{TOOL, baseline};
use review_gate::donefile;
use review_gate::event::{BudgetOwner, Client, DonefileRef, Event, Kind, Source, State as Presence};
use review_gate::snapshot::workspace;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::Bless;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Appends a baseline and a `bless` record to the named task, by default to the open task of this repository.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut why = String::new();
    let mut task = None;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "why" => why = args.value()?.trim().to_string(),
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
    if task.begin.state != Presence::Present {
        return Err(Error::usage(format!("the begin of task {} is not on record: no baseline to replace", task.id)));
    }
    let mut source = Source::new(Client::Text, Kind::Prompt, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    source.donefile = donefile::at(&source.root)?.map(|found| found.reference()).or_else(|| {
        let begun = task.begin.donefile.as_ref()?;
        Some(DonefileRef { path: begun.path.clone(), sha256: begun.sha256.clone() })
    });
    let event = Event::new(source);
    let baseline = baseline::take(&event, &Workspace::of(&event)?, &task, &BudgetOwner::Main)?;
    task.append(TOOL.name, Bless { why, who: env::user() })?;
    let short = baseline.snapshot.get(..12).unwrap_or(&baseline.snapshot);
    let text = format!("blessed: snapshot {short} is the baseline of task {} since {}\n", task.id, clock::now());
    pipes::write(text.as_bytes())?;
    Ok(Exit::Yes)
}
