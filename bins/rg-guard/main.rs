//! rg-guard: decide whether a tool call may run.
//!
//! Reads commands as a shell would and runs nothing. It is a hook by itself, a filter, and a program for users.
//! man: rg-guard(1)

// The rooms, from the bottom: a room uses only those above it in this list, or beside it in its group. `walk` and `programs` use
// each other, because a program that runs a command continues the walk. A test holds this order.
mod shell;

mod command;

mod code;

mod rules;

mod programs;
mod walk;

mod judge;

mod client;

mod verbs;

use review_gate::event::{Client, Event, GuardFields, Kind, Section, Stage};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-guard",
    about: "decide whether a tool call may run",
    hint: "rg-guard explain 'command'",
    forms: &[
        Form::BARE,
        Form { needs: &["hook"], takes: &["client"], ..Form::BARE },
        Form { operands: "command", ..Form::BARE },
        Form {
            verb: "explain",
            about: "Print what the command would do, and the rules that apply.",
            operands: "command",
            ..Form::BARE
        },
        Form {
            verb: "test",
            about: "Judge every command of a corpus and compare.",
            takes: &["json"],
            operands: "file",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("client", "name", "The client that calls: claude, codex, gemini or cursor."),
        Opt::flag("hook", "Read a hook call on standard input; work without a pipeline."),
        Opt::flag("json", "Print JSON, one object a line."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => run(args),
        "explain" => verbs::explain::run(args),
        "test" => verbs::corpus::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut hook, mut client, mut command) = (false, None, None);
    while let Some(flag) = verbs::flag_beside(args, command.as_deref())? {
        match &flag {
            Flag::Long(name) if name == "hook" => hook = true,
            Flag::Long(name) if name == "client" => client = Some(client_named(args)?),
            Flag::Operand(word) if command.is_none() => command = Some(word.clone()),
            Flag::Operand(_) => return Err(verbs::not_one_command(args, command.as_deref().unwrap_or(""))),
            _ => return Err(args.unknown(&flag)),
        }
    }
    match (hook, command) {
        (true, None) => client::hook::run(args, client.unwrap_or(Client::Claude)),
        (true, Some(_)) => Err(args.wrong("--hook takes no command")),
        (false, _) if client.is_some() => Err(args.wrong("--client needs --hook")),
        (false, Some(command)) => verbs::judge(args, &command),
        (false, None) => filter::run(args, RgGuard),
    }
}

/// The client that `--client` names. A user has no hook calls.
fn client_named(args: &mut Args) -> Result<Client> {
    let word = args.value()?;
    let known = [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor];
    let named = known.into_iter().find(|client| client.word() == word);
    named.ok_or_else(|| args.wrong(&format!("unknown client {word:?}: use claude, codex, gemini or cursor")))
}

/// The filter: a refused tool call has its reply in the event line.
struct RgGuard;

impl Filter for RgGuard {
    type Section = Section<GuardFields>;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Guard;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        event.kind == Kind::ToolBefore && event.reply().is_none()
    }

    fn pass(&self, event: &Event, section: &mut Self::Section) -> Result<()> {
        client::filter::judge(event, section)
    }
}
