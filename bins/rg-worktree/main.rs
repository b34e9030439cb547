//! rg-worktree: one worktree per task, made, listed and taken away without losing anything.
//!
//! Makes `.worktrees/<id>` on the branch `rg/<id>`; writes the journal worktrees.jsonl, and copies under refs/review-gate/rescue.
//! man: rg-worktree(1)

mod create;
mod hidden;
mod inspect;
mod list;
mod losses;
mod making;
mod name;
mod nested;
mod place;
mod remove;
mod rescue;

use review_gate::tool::cli::{self, Tool};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-worktree",
    about: "one worktree per task, and nothing lost with it",
    usage: "rg-worktree create [-C dir] [--base ref] id\n\
            rg-worktree list [-C dir]\n\
            rg-worktree prune [-C dir] [--dry-run]\n\
            rg-worktree remove [-C dir] [--force] [--keep-branch] id",
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["create", "list", "prune", "remove"])? {
        Some("create") => create::run(args),
        Some("list") => list::run(args),
        Some("prune") => remove::prune(args),
        Some(_) => remove::run(args),
        None => match args.flag()? {
            Some(flag) => Err(args.unknown(&flag)),
            None => Err(args.wrong("what? create, list, prune or remove")),
        },
    })
}
