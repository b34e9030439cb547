//! rg-patch: apply a patch inside the allowed paths.
//!
//! Reads a unified diff itself; git only reads the DONE.md of a commit. It works out the new files in memory, holds them against DONE.md,
//! and then moves all of them into their places, or none.
//! man: rg-patch(1)
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod binary;
mod hunks;
mod inflate;
mod input;
mod journal;
mod links;
mod names;
mod placement;
mod plan;
mod reader;
mod report;
mod rules;
mod transfer;
mod tree;
mod version;

use review_gate::git::{Format, Repository};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::lock;
use review_gate::sys::text::count;
use review_gate::talk::directory::TalkDir;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How long to wait for another patch of the same working tree.
const PATIENCE: Duration = Duration::from_secs(10);

const TOOL: Tool = Tool {
    name: "rg-patch",
    about: "apply a patch inside the allowed paths",
    hint: "rg-patch <changes.diff",
    forms: &[Form { takes: &["against", "check", "json", "reverse"], ..Form::BARE }],
    options: &[
        Opt::with("against", "commit", "Use the DONE.md of that commit."),
        Opt::flag("check", "Print what would be changed, and change nothing."),
        Opt::flag("json", "Print JSON, one object per file."),
        Opt::flag("reverse", "Apply the patch in reverse."),
    ],
};

/// What was asked for.
#[derive(Default)]
struct Options {
    against: Option<String>,
    check: bool,
    json: bool,
    reverse: bool,
}

fn main() -> ExitCode {
    cli::main(&TOOL, |args| {
        let options = Options::parse(args)?;
        args.refuse_terminal("a patch")?;
        run(args, &options)
    })
}

impl Options {
    fn parse(args: &mut Args) -> Result<Options> {
        let mut options = Options::default();
        while let Some(flag) = args.flag()? {
            match flag {
                Flag::Long(name) if name == "against" => options.against = Some(args.value()?),
                Flag::Long(name) if name == "check" => options.check = true,
                Flag::Long(name) if name == "json" => options.json = true,
                Flag::Long(name) if name == "reverse" => options.reverse = true,
                flag => return Err(args.unknown(&flag)),
            }
        }
        Ok(options)
    }
}

fn run(args: &Args, options: &Options) -> Result<Exit> {
    let dir = args.dir()?;
    let repository = Repository::find(&dir);
    if repository.is_none()
        && let Some(bare) = Repository::enclosing_git_dir(&dir)
    {
        return Err(Error::usage(format!("{} is a git directory: a patch needs a working tree", bare.display())));
    }
    let top = repository.as_ref().map_or_else(|| dir.clone(), |found| found.top.clone());
    let state = State::of(&top)?;
    let journal = state.patch_journal(&top);
    state.make_parent(&journal)?;
    let bytes = input::normalized(pipes::read_bytes(input::LIMIT, None)?);
    let _lock = lock::take(&journal.with_extension("lock"), PATIENCE)?;
    let talk = TalkDir::of(&dir, repository.as_ref())?;
    let mut closed: Vec<&Path> = vec![state.dir(), talk.path()];
    if let Some(found) = &repository {
        closed.extend([found.git_dir.as_path(), found.common_dir.as_path()]);
    }
    let tree = tree::Tree::open(&top, &closed)?;
    if let Some(line) = transfer::recover(&tree, &journal)? {
        cli::print_error(args.tool, &line);
    }
    let lines = input::patch_lines(&bytes)?;
    let mut sections = reader::sections(&lines)?;
    if options.reverse {
        if let Some(copy) = sections.iter().find(|section| section.is_copy) {
            return Err(Error::usage(format!(
                "line {}: a copy cannot be reversed. Remove the file instead",
                copy.number
            )));
        }
        sections.iter_mut().for_each(reader::Section::reverse);
    }
    let rules = rules::Rules::of(&top, &dir, repository.as_ref(), options.against.as_deref())?;
    let format = repository.as_ref().map_or(Format::Sha1, Repository::format);
    let plan = plan::make(&sections, &tree, &rules, &submodules(repository.as_ref())?, format)?;
    if !plan.refusals.is_empty() {
        pipes::write(report::refusals(&plan.refusals, options.json).as_bytes())?;
        return Err(Error::refused(format!("refused {}: nothing was changed", count(plan.refusals.len(), "file"))));
    }
    if !options.check {
        transfer::apply(&plan.moves, &tree, &journal)?;
    }
    pipes::write(report::changes(&plan.records, options.check, options.json).as_bytes())?;
    Ok(Exit::Yes)
}

/// The submodules of a repository, which may not be checked out.
fn submodules(repository: Option<&Repository>) -> Result<BTreeSet<PathBuf>> {
    let Some(repository) = repository else { return Ok(BTreeSet::new()) };
    let index = repository.tracked()?;
    Ok(index.iter().filter(|entry| entry.is_submodule).map(|entry| entry.path.to_path_buf()).collect())
}
