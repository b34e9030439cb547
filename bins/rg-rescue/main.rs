//! rg-rescue: save backups of a worktree and restore them.
//!
//! Backups are in the repository, or, without one, in the state directory. HEAD, branches and the stash are never changed.
//! man: rg-rescue(1)

mod backups;
mod diff;
mod plan;
mod prune;
mod restore;
mod show;
mod worktree;

use review_gate::rescue::{self, BackupOptions, Kind, TakenBackup};
use review_gate::snapshot::workspace;
use review_gate::store::state::State;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::path::PathBuf;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-rescue",
    about: "save backups of a worktree and restore them",
    hint: "rg-rescue list",
    forms: &[
        Form { verb: "save", about: "Save a backup of the files.", takes: &["ignored", "why"], ..Form::BARE },
        Form { verb: "list", about: "Print a line for each backup.", takes: &["json"], ..Form::BARE },
        Form {
            verb: "show",
            about: "Print what a backup holds; by default the last.",
            takes: &["json"],
            operands: "[id]",
            ..Form::BARE
        },
        Form {
            verb: "diff",
            about: "Compare the files with a backup.",
            takes: &["from"],
            operands: "[path ...]",
            ..Form::BARE
        },
        Form {
            verb: "restore",
            about: "Restore files from a backup.",
            takes: &["from"],
            operands: "[path ...]",
            ..Form::BARE
        },
        Form { verb: "prune", about: "Delete old backups.", takes: &["dry-run", "keep", "older"], ..Form::BARE },
    ],
    options: &[
        Opt::flag("dry-run", "Print what would be deleted; delete nothing."),
        Opt::with("from", "id", "The backup; by default the last."),
        Opt::flag("ignored", "Save the files that git ignores, too."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::with("keep", "n", "How many backups to keep."),
        Opt::with("older", "duration", "Delete only backups older than this."),
        Opt::with("why", "text", "A note for the list."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "save" => save(args),
        "list" => show::list(args),
        "show" => show::show(args),
        "diff" => diff::run(args),
        "restore" => restore::run(args),
        "prune" => prune::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

/// The root of the current directory, and its state directory.
fn here(args: &Args) -> Result<(PathBuf, State)> {
    let root = workspace::root_of(&args.dir()?)?.0;
    let state = State::of(&root)?;
    Ok((root, state))
}

fn save(args: &mut Args) -> Result<Exit> {
    let (mut ignored, mut why) = (false, String::new());
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "ignored" => ignored = true,
            Flag::Long(name) if name == "why" => why = args.value()?,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let (root, state) = here(args)?;
    let wish = BackupOptions {
        by: TOOL.name,
        why: why.trim(),
        ignored,
        anew: !why.trim().is_empty(),
        ..BackupOptions::default()
    };
    let taken = rescue::take(&root, &state, &wish)?;
    pipes::write(report(&taken).as_bytes())?;
    Ok(Exit::Yes)
}

/// Reports what was saved and what was not.
fn report(taken: &TakenBackup) -> String {
    let files = taken.files.entries.iter().filter(|entry| entry.mode != 0o160000).count();
    let id = &taken.id;
    let mut text = match taken.is_known {
        true => format!("nothing changed since backup {id}: {}\n", count(files, "file")),
        false => format!("saved backup {id}: {}\n", count(files, "file")),
    };
    for odd in taken.files.metadata.not_copied() {
        let name = one_line(&odd.path.to_string_lossy());
        let why = if odd.kind == Kind::Repository { "another repository" } else { "cannot be copied" };
        text.push_str(&format!("not included: {name}: {why}\n"));
    }
    text.push_str(&format!("Restore it with `rg-rescue restore --from {id}`\n"));
    text
}
