//! rg-loop: keep the agent on its task until it is done or stuck.
//!
//! `mark` looks before the judges, `next` after them; both write `frame` records into the task's journal. Verbs begin, show and
//! end loops.
//! man: rg-loop(1)

mod claim;
mod frame;
mod mark;
mod next;
mod prompt;
mod steps;
mod verbs;
mod words;

use mark::Mark;
use next::Next;
use review_gate::event::{LoopFields, Section};
use review_gate::store::record::Switch;
use review_gate::tool::cli::{self, Tool};
use review_gate::tool::filter;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-loop",
    about: "keep the agent on its task until it is done or stuck",
    usage: "rg-loop mark [-C dir]\n\
            rg-loop next [-C dir]\n\
            rg-loop off [-C dir]\n\
            rg-loop on [-C dir]\n\
            rg-loop start [-C dir] [--max n] [--task id] text\n\
            rg-loop status [-C dir] [--prompt] [--task id]\n\
            rg-loop stop [-C dir] [--task id]",
};

/// What both steps say.
type Steps = Section<LoopFields>;

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["mark", "next", "off", "on", "start", "status", "stop"])? {
        Some("mark") => filter::run(args, Mark),
        Some("next") => filter::run(args, Next),
        Some("off") => verbs::switch(args, Switch::Off),
        Some("on") => verbs::switch(args, Switch::On),
        Some("start") => verbs::start(args),
        Some("status") => verbs::status(args),
        Some(_) => verbs::stop(args),
        None => match args.flag()? {
            Some(flag) => Err(args.unknown(&flag)),
            None => Err(args.wrong("what? mark, next, off, on, start, status or stop")),
        },
    })
}
