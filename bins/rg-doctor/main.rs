//! rg-doctor: show what is gated here, and what does not protect.
//!
//! Reads the settings of clients, DONE.md, and the records of this repository. Each problem names the command that mends it.
//! man: rg-doctor(1)
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod clients;
mod definition;
mod history;
mod live;
mod live_calls;
mod prune;
mod report;
mod reset;
mod screen;
mod state;
mod unfired;

use report::Report;
use review_gate::git::Repository;
use review_gate::snapshot::{self, workspace};
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-doctor",
    about: "show what is gated here, and what does not protect",
    hint: "rg-doctor",
    forms: &[
        Form { takes: &["brief | quiet", "json", "live"], ..Form::BARE },
        Form { needs: &["prune"], ..Form::BARE },
        Form { needs: &["reset"], ..Form::BARE },
    ],
    options: &[
        Opt::flag("brief", "Print a line for each client, for DONE.md and for the last receipt, and the problems."),
        Opt::flag("json", "Print one JSON object."),
        Opt::flag("live", "Call each hook as its client does, and see whether it replies and blocks."),
        Opt::flag("prune", "Remove the records that have expired."),
        Opt::flag("quiet", "Print only the problems."),
        Opt::flag("reset", "Put the records of this repository aside; only for the user."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut is_brief, mut is_quiet, mut is_json, mut is_live) = (false, false, false, false);
    let (mut prunes, mut resets) = (false, false);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "brief" => is_brief = true,
            Flag::Long(name) if name == "quiet" => is_quiet = true,
            Flag::Long(name) if name == "json" => is_json = true,
            Flag::Long(name) if name == "live" => is_live = true,
            Flag::Long(name) if name == "prune" => prunes = true,
            Flag::Long(name) if name == "reset" => resets = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    if is_brief && is_quiet {
        return Err(args.wrong("--brief and --quiet cannot be used together"));
    }
    let dir = args.dir()?;
    let root = workspace::root_of(&dir).map_or_else(|_| dir.clone(), |(root, _)| root);
    let state = State::of(&root)?;
    env::talk_override()?;
    if prunes || resets {
        if prunes && resets || is_brief || is_quiet || is_json || is_live {
            return Err(args.wrong("--prune and --reset take no other option"));
        }
        if resets {
            args.require_user("--reset")?;
        }
        let text = if resets { reset::run(&state)? } else { prune::run(&root, &state)? };
        pipes::write(text.as_bytes())?;
        return Ok(Exit::Yes);
    }
    let mut report = Report { version: cli::VERSION, root: root.clone(), ..Report::default() };
    let top = snapshot::top_of(&root);
    clients::look(&top, &mut report)?;
    if Repository::find(&top).is_some() && env::program("git").is_none() {
        report.problem(
            "no-git",
            "git is not on PATH: a stop in this repository is not judged",
            "install git, or add it to PATH",
        );
    }
    definition::look(&root, &mut report);
    state::look(&state, &mut report)?;
    history::look(&state, &mut report);
    unfired::look(&state, &mut report);
    if is_live {
        live::look(&top, &dir, &mut report)?;
    }
    if is_quiet && report.problems.is_empty() {
        return Ok(Exit::Yes);
    }
    let text = match (is_json, is_brief) {
        (true, _) => serde_json::to_string(&report).map_err(|error| Error::bug(error.to_string()))? + "\n",
        (false, _) if is_quiet => screen::problems(&report),
        (false, true) => screen::brief(&report),
        (false, false) => screen::whole(&report),
    };
    pipes::write(text.as_bytes())?;
    Ok(if report.problems.is_empty() { Exit::Yes } else { Exit::No })
}
