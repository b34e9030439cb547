//! rg-worktree: create one worktree per task and remove it without losing work.
//!
//! Creates `.worktrees/<id>` on the branch `rg/<id>`; writes the journal worktrees.jsonl, and backups under refs/review-gate/rescue.
//! man: rg-worktree(1)

mod create;
mod creation;
mod hidden;
mod inspect;
mod list;
mod losses;
mod name;
mod nested;
mod place;
mod remove;
mod rescue;
mod runners;

use review_gate::tool::cli::{self, Form, Opt, Tool};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-worktree",
    about: "create one worktree per task and remove it without losing work",
    hint: "rg-worktree list",
    forms: &[
        Form {
            verb: "create",
            about: "Make a worktree and its branch.",
            takes: &["base"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "list",
            about: "Print a line for each worktree and what would be lost with it.",
            takes: &["json"],
            ..Form::BARE
        },
        Form { verb: "prune", about: "Remove the worktrees that hold no work.", takes: &["dry-run"], ..Form::BARE },
        Form {
            verb: "remove",
            about: "Remove a worktree; refuse if work would be lost.",
            takes: &["force", "keep-branch"],
            operands: "id",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("base", "ref", "The commit to begin at."),
        Opt::flag("dry-run", "Print what would be removed; remove nothing."),
        Opt::flag("force", "Remove it although something would be lost; a backup is saved."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::flag("keep-branch", "Keep its branch."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "create" => create::run(args),
        "list" => list::run(args),
        "prune" => remove::prune(args),
        "remove" => remove::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}
