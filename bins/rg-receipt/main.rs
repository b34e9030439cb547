//! rg-receipt: seal what was decided; show it, verify it.
//!
//! Writes receipts/ and the `receipt` and `close` records of task journals.
//! man: rg-receipt(1)

mod seal;
mod show;
mod verify;

use review_gate::event::{Event, Kind, Stage};
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-receipt",
    about: "seal what was decided, show it, verify it",
    usage: "rg-receipt [-C dir]\n\
            rg-receipt list [-C dir] [--json] [--task id]\n\
            rg-receipt show [-C dir] [--json | --md] [--task id] [id]\n\
            rg-receipt verify [-C dir] [--task id] [id]",
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["list", "show", "verify"])? {
        Some("list") => show::list(args),
        Some("show") => show::show(args),
        Some(_) => verify::run(args),
        None => filter::run(args, RgReceipt),
    })
}

struct RgReceipt;

impl Filter for RgReceipt {
    type Section = seal::Said;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Receipt;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        // A stop that a loop looks at was opened, and is closed.
        let is_opened = !event.is_unjudged() || event.looping.is_some() && event.kind == Kind::Stop;
        event.kind.is_stop() && is_opened
    }

    fn pass(&self, event: &Event, said: &mut seal::Said) -> Result<()> {
        seal::seal(event, said)
    }
}
