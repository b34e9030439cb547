//! rg-run: run an agent until its work is judged done.
//!
//! Starts an agent with a request, judges its work with the Stop line of hooks.json, and starts it again with the reason, until there is
//! a final outcome. Writes runs.jsonl in the state directory.
//! man: rg-run(1)

mod account;
mod agent;
mod amount;
mod batch;
mod branch;
mod budget;
mod change;
mod committed;
mod cycle;
mod gate;
mod index_lock;
mod interruption;
mod issues;
mod item;
mod lacks;
mod mark;
mod options;
mod orphan;
mod outside;
mod past;
mod permit;
mod person;
mod progress;
mod prompt;
mod proof;
mod reply;
mod reuse;
mod settings;
mod stepwise;
mod survey;
mod terminal;

use options::{Asked, Manner, Options};
use past::Found;
use review_gate::store::record::{RunStart, RunStep};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::process;
use review_gate::tool::cli::{self, Args, Form, Opt, Tool};
use settings::Place;
use std::process::ExitCode;

const TAKES: &[&str] = &[
    "branch",
    "budget",
    "builder",
    "dry-run",
    "each",
    "effort",
    "feedback",
    "json",
    "land",
    "lock",
    "minutes",
    "model",
    "parallel",
    "patch",
    "prompt-file",
    "reviewer",
    "reviewer-effort",
    "reviewer-model",
    "rounds",
    "step",
];

const TOOL: Tool = Tool {
    name: "rg-run",
    about: "run an agent until its work is judged done",
    hint: "rg-run --builder claude 'fix the failing test'",
    forms: &[
        Form { takes: TAKES, operands: "[request] [command ...]", ..Form::BARE },
        Form { needs: &["resume"], takes: &["json", "lock"], ..Form::BARE },
    ],
    options: &[
        Opt::with("branch", "name", "Work in a worktree on a branch of its own, and commit there."),
        Opt::with("budget", "amount", "What the run may spend: tokens, or a cost such as 5usd or 20usd/day."),
        Opt::with("builder", "agent", "The agent: claude, codex, gemini or a shell command."),
        Opt::flag("dry-run", "Print what would be started; start nothing."),
        Opt::with("each", "what", "A run for each issue that is ready, or for each line of the request."),
        Opt::with("effort", "level", "The effort that the builder shall make."),
        Opt::with("feedback", "way", "How a command gets the prompt: stdin or argument."),
        Opt::flag("json", "Print one JSON object per step, also at a terminal."),
        Opt::flag("land", "Land the branch of each run that is done."),
        Opt::flag("lock", "Wait until no other run works here."),
        Opt::with("minutes", "n", "How long the run may take."),
        Opt::with("model", "name", "The model that the builder shall use."),
        Opt::with("parallel", "n", "How many runs of --each work at the same time."),
        Opt::flag("patch", "The agent answers with a patch, and changes no file itself."),
        Opt::with("prompt-file", "file", "The file that holds the request."),
        Opt::with("resume", "run", "Continue an interrupted run; last for the newest."),
        Opt::with("reviewer", "name", "Require a review by this model."),
        Opt::with("reviewer-effort", "level", "The effort that the reviewer shall make."),
        Opt::with("reviewer-model", "name", "The model that the reviewer shall use."),
        Opt::with("rounds", "n", "How often the agent may be started."),
        Opt::flag("step", "Show each patch at the terminal before it is applied."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let (asked, manner) = options::parse(args)?;
    process::adopt_orphans();
    let dir = args.dir()?;
    match asked {
        Asked::Resume(id) => resume(&Place::resumed(&dir)?, &id, manner),
        Asked::New(mut options) => {
            options.find_program(&dir);
            let home = Place::of(&dir)?;
            match options.each {
                Some(each) => batch::begin(&home, &options, each, manner),
                None => begin(&home, &options, manner),
            }
        }
    }
}

fn begin(home: &Place, options: &Options, manner: Manner) -> Result<Exit> {
    let request = options.request()?;
    let start = options.start(home)?;
    let own_name = || branch::name_of(&request, &start.run);
    let name = options.branch.clone().or_else(|| start.land.then(own_name));
    if name.is_some() && !home.is_repository() {
        return Err(Error::usage("--branch and --land need a git repository"));
    }
    if options.is_dry {
        return progress::plan(home, &start, &[format!("request: {}", progress::brief(&request))], name.as_deref());
    }
    let Some(name) = name else {
        let _lock = home.lock(manner)?;
        return cycle::Cycle::begin(home, start, request, manner.json)?.finish();
    };
    let (place, branch, was_there) = branch::make(home, &name)?;
    let _lock = place.lock(manner)?;
    if was_there {
        reuse::require_known(&place)?;
    }
    let (root, base, programs) = (place.root.clone(), settings::base(&place.root), outside::keep(home)?);
    let start = RunStart { root, base, branch: Some(branch), home: Some(home.root.clone()), programs, ..start };
    cycle::Cycle::begin(&place, start, request, manner.json)?.finish()
}

fn resume(home: &Place, id: &str, manner: Manner) -> Result<Exit> {
    let start = match past::find(home, id)? {
        Found::Batch(past) => return batch::resume(home, &past.batch.run, manner),
        Found::Run(found) => found.0,
    };
    let place = match &start.branch {
        Some(_) => Place::worktree(&start.root, home)?,
        None => Place::resumed(&start.root)?,
    };
    let _lock = place.lock(manner)?;
    // It may have gone on, and ended, while this one waited.
    match past::find(home, &start.run)? {
        Found::Run(found) => cycle::resume(&place, found.0, found.1, manner.json),
        Found::Batch(_) => Err(Error::bug("a run is a batch")),
    }
}

/// Appends a step to runs.jsonl.
fn record(place: &settings::Place, step: RunStep) -> Result<()> {
    place.state.append(&place.state.runs(), TOOL.name, step).map(drop)
}
