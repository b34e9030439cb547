//! rg-guard: may this tool call run?
//!
//! Reads commands as a shell would and runs nothing. A hook by itself, a filter, and a program for people.
//! man: rg-guard(1)

mod corpus;
mod decode;
mod explain;
mod pattern;
mod policy;
mod rules;
mod run;
mod shell;
mod verdict;
mod world;

use review_gate::cli::{self, Args, Flag, Tool};
use review_gate::error::{Error, Result};
use review_gate::exit::Exit;
use review_gate::wire;
use std::io::Read;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-guard",
    about: "may this tool call run?",
    usage: "rg-guard [-C dir]\n\
            rg-guard --hook [-C dir] [--client name]\n\
            rg-guard [-C dir] command\n\
            rg-guard explain [-C dir] command\n\
            rg-guard test [-C dir] [--json] file",
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["explain", "test"])? {
        Some("explain") => explain::run(args),
        Some(_) => corpus::run(args),
        None => run(args),
    })
}

fn run(args: &mut Args) -> Result<Exit> {
    let mut command = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if command.is_none() => command = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    match command {
        Some(command) => say(args, &given(&command)?),
        None => Err(args.wrong("no command")),
    }
}

/// The command itself, or, for `-`, standard input.
pub fn given(word: &str) -> Result<String> {
    if word != "-" {
        return Ok(word.to_string());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(verdict::LIMIT as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::unjudged(format!("unable to read standard input: {e}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Judges a command for a person.
fn say(args: &Args, command: &str) -> Result<Exit> {
    let world = world::World::at(args.dir()?);
    match verdict::judge(command, &world, &policy::Policy::default()) {
        None => Ok(Exit::Yes),
        Some(found) => {
            let word = if found.level == rules::Level::Ask { "ask" } else { "denied" };
            wire::write(format!("{word}: {}\n", found.told()).as_bytes())?;
            Ok(Exit::No)
        }
    }
}
