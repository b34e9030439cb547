//! The verbs for users: judge one command, `explain` one, `test` a file of labelled commands.

pub mod corpus;
pub mod explain;

use crate::judge::{self, LIMIT};
use crate::rules::{Context, Level};
use review_gate::donefile::Commands;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::spelling::nearest;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::io::Read;

/// Judges the command of an operand, and prints the answer. The status is 1 where there is one.
pub fn judge(args: &Args, operand: &str) -> Result<Exit> {
    let command = command_of(operand)?;
    let context = Context::at(args.dir()?);
    match judge::judge(&command, &context, &Commands::default()) {
        None => {
            pipes::write(b"allowed\n")?;
            Ok(Exit::Yes)
        }
        Some(refusal) => {
            let level = if refusal.level == Level::Ask { "ask" } else { "denied" };
            pipes::write(format!("{level}: {}\n", refusal.message()).as_bytes())?;
            Ok(Exit::No)
        }
    }
}

/// The next argument. After the command, one that is no option of rg-guard is probably a word of the command.
pub fn flag_beside(args: &mut Args, command: Option<&str>) -> Result<Option<Flag>> {
    let next = args.flag();
    match command {
        Some(command) if next.as_ref().is_err_and(|error| *error.kind() == ErrorKind::Usage) => {
            Err(not_one_command(args, command))
        }
        _ => next,
    }
}

/// The error about a command of several words, or about a verb that does not exist.
pub fn not_one_command(args: &Args, first: &str) -> Error {
    let verbs: Vec<&str> = args.tool.verbs().map(|form| form.verb).collect();
    match nearest(first, verbs.iter().copied()) {
        Some(_) if !verbs.contains(&first) => args.unknown_verb(first),
        _ => args.wrong(&format!(
            "the command must be one argument: quote it, for example `rg-guard 'git status'`. Verbs: {}",
            verbs.join(", ")
        )),
    }
}

/// The command of an operand: the operand itself, or, for `-`, standard input.
fn command_of(operand: &str) -> Result<String> {
    if operand != "-" {
        return Ok(operand.to_string());
    }
    let mut bytes = Vec::new();
    // One byte more than the limit, so that a longer command is denied.
    let read = std::io::stdin().lock().take(LIMIT as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::stream("read standard input", e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
