//! rg-receipt: seal, show, export and verify receipts.
//!
//! Writes receipts/, and the `receipt` and `close` records of task journals.
//! man: rg-receipt(1)

mod base64;
mod envelope;
mod export;
mod foreign;
mod seal;
mod show;
mod ssh_signature;
mod statement;
mod strict_json;
mod verify;

use review_gate::event::{Event, Kind, Stage};
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-receipt",
    about: "seal, show, export and verify receipts",
    hint: "rg-receipt show",
    forms: &[
        Form::BARE,
        Form {
            verb: "export",
            about: "Print a signed statement about a commit, from its receipt.",
            takes: &["commit", "task"],
            ..Form::BARE
        },
        Form { verb: "list", about: "Print a line for each receipt.", takes: &["json", "task"], ..Form::BARE },
        Form {
            verb: "show",
            about: "Print one receipt; by default the last.",
            takes: &["json | md", "task"],
            operands: "[id]",
            ..Form::BARE
        },
        Form {
            verb: "verify",
            about: "Check one receipt against its journal, by default the last, or an exported one against a commit.",
            takes: &["allowed-signers", "commit", "strict", "task"],
            operands: "[id | file]",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("allowed-signers", "file", "With a file: the keys that may sign; by default those of git."),
        Opt::with("commit", "rev", "The commit that the receipt covers; export: by default HEAD."),
        Opt::flag("json", "Print JSON; list: one object a line."),
        Opt::flag("md", "Print Markdown."),
        Opt::flag("strict", "With a file: exit with 1 where the outcome is waived."),
        Opt::with("task", "id", "Only this task; by default every task."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgReceipt),
        "export" => export::run(args),
        "list" => show::list(args),
        "show" => show::show(args),
        "verify" => match show::Query::parse(args)? {
            query if query.file.is_some() => foreign::run(&query),
            query => verify::run(query),
        },
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgReceipt;

impl Filter for RgReceipt {
    type Section = seal::ReceiptSection;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Receipt;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        // A stop in a loop was opened even if nothing is required, so it must be closed.
        let is_opened = !event.is_unjudged() || event.looping.is_some() && event.kind == Kind::Stop;
        event.kind.is_stop() && is_opened
    }

    fn pass(&self, event: &Event, section: &mut seal::ReceiptSection) -> Result<()> {
        seal::seal(event, section)
    }
}
