//! rg-loop: keep the agent on its task until it is done or stuck.
//!
//! `mark` runs before the judges, `next` after them; both write `frame` records into the task's journal. The other verbs start, show
//! and end loops.
//! man: rg-loop(1)

mod actions;
mod claim;
mod frame;
mod issues;
mod mark;
mod messages;
mod next;
mod prompt;
mod queue;
mod verbs;

use mark::Mark;
use next::Next;
use review_gate::event::{LoopFields, Section};
use review_gate::store::record::Switch;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-loop",
    about: "keep the agent on its task until it is done or stuck",
    hint: "rg-loop show",
    forms: &[
        Form { verb: "mark", about: "In a pipeline, before the judges: read the agent's marks.", ..Form::BARE },
        Form { verb: "next", about: "In a pipeline, after the judges: begin the next iteration.", ..Form::BARE },
        Form { verb: "off", about: "Turn loops off in this repository.", ..Form::BARE },
        Form { verb: "on", about: "Turn loops on again.", ..Form::BARE },
        Form { verb: "show", about: "Print the loops of the task.", takes: &["prompt", "task"], ..Form::BARE },
        Form {
            verb: "start",
            about: "Begin a loop; without a text, over the issues that are ready.",
            takes: &["max", "task"],
            operands: "[text]",
            ..Form::BARE
        },
        Form { verb: "stop", about: "End all loops of the task.", takes: &["task"], ..Form::BARE },
    ],
    options: &[
        Opt::with("max", "n", "The most iterations."),
        Opt::flag("prompt", "Print only the prompt of the innermost loop, in full."),
        Opt::with("task", "id", "The task; by default the open one."),
    ],
};

/// The section that both filters write.
type Output = Section<LoopFields>;

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "mark" => filter::run(args, Mark),
        "next" => filter::run(args, Next),
        "off" => verbs::switch(args, Switch::Off),
        "on" => verbs::switch(args, Switch::On),
        "show" => verbs::show(args),
        "start" => verbs::start(args),
        "stop" => verbs::stop(args),
        verb => Err(args.unknown_verb(verb)),
    })
}
