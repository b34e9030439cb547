//! rg-run: run an agent until its work is judged done.
//!
//! Starts an agent with a request, judges its work with the Stop line of hooks.json, and starts it again with the reason, until there is
//! a final outcome. Writes runs.jsonl in the state directory.
//! man: rg-run(1)

mod agent;
mod amount;
mod answer;
mod budget;
mod change;
mod cycle;
mod gate;
mod orphan;
mod past;
mod progress;
mod prompt;
mod reply;
mod settings;
mod survey;

use review_gate::store::record::RunStep;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::process;
use review_gate::tool::cli::{self, Args, Form, Opt, Tool};
use settings::Options;
use std::process::ExitCode;

const TAKES: &[&str] = &[
    "budget",
    "builder",
    "dry-run",
    "effort",
    "feedback",
    "json",
    "lock",
    "minutes",
    "model",
    "patch",
    "prompt-file",
    "reviewer",
    "rounds",
];

const TOOL: Tool = Tool {
    name: "rg-run",
    about: "run an agent until its work is judged done",
    hint: "rg-run --builder claude 'fix the failing test'",
    forms: &[
        Form { takes: TAKES, operands: "[request] [command ...]", ..Form::BARE },
        Form { needs: &["resume"], takes: &["json"], ..Form::BARE },
    ],
    options: &[
        Opt::with("budget", "amount", "What the run may spend: tokens, or a cost such as 5usd."),
        Opt::with("builder", "agent", "The agent: claude, codex, gemini or a shell command."),
        Opt::flag("dry-run", "Print what would be started; start nothing."),
        Opt::with("effort", "level", "The effort that the builder shall make."),
        Opt::with("feedback", "way", "How a command gets the prompt: stdin or argument."),
        Opt::flag("json", "Print one JSON object per step, also at a terminal."),
        Opt::flag("lock", "Wait until no other run works here."),
        Opt::with("minutes", "n", "How long the run may take."),
        Opt::with("model", "name", "The model that the builder shall use."),
        Opt::flag("patch", "The agent answers with a patch, and changes no file itself."),
        Opt::with("prompt-file", "file", "The file that holds the request."),
        Opt::with("resume", "run", "Continue an interrupted run; last for the newest."),
        Opt::with("reviewer", "name", "Require a review by this model."),
        Opt::with("rounds", "n", "How often the agent may be started."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let options = Options::parse(args)?;
    process::adopt_orphans();
    let place = settings::Place::of(&args.dir()?)?;
    if let Some(id) = &options.resume {
        let _lock = place.lock(&options)?;
        return cycle::resume(&place, id, options.json);
    }
    let (start, request) = options.start(&place)?;
    if options.is_dry {
        return progress::plan(&place, &start, &request);
    }
    let _lock = place.lock(&options)?;
    let run = start.run.clone();
    cycle::Cycle::begin(&place, start, request, options.json)?.finish(&run)
}

/// Appends a step to runs.jsonl.
fn record(place: &settings::Place, step: RunStep) -> Result<()> {
    place.state.append(&place.state.runs(), TOOL.name, step).map(drop)
}
