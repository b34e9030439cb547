//! rg-guard: say whether a tool call may run
//!
//! Reads commands as a shell would and runs nothing. A hook by itself, a filter, and a program for people.
//! man: rg-guard(1)

mod corpus;
mod decode;
mod definition;
mod explain;
mod foreign;
mod hook;
mod losses;
mod pattern;
mod policy;
mod reviewer;
mod risk;
mod rules;
mod run;
mod shell;
mod tools;
mod verdict;
mod world;

use review_gate::event::{Action, Client, Event, GuardFields, Kind, Section, Stage};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use review_gate::tool::pipes;
use std::io::Read;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-guard",
    about: "say whether a tool call may run",
    hint: "rg-guard explain 'command'",
    forms: &[
        Form::BARE,
        Form { needs: &["hook"], takes: &["client"], ..Form::BARE },
        Form { operands: "command", ..Form::BARE },
        Form {
            verb: "explain",
            about: "Print what the command would do, and the rules that speak of it.",
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
        Opt::with("client", "name", "The client that calls: claude or text."),
        Opt::flag("hook", "Read a hook call on standard input; work without a pipeline."),
        Opt::flag("json", "Print JSON, one object a line."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => run(args),
        "explain" => explain::run(args),
        "test" => corpus::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut hook, mut client, mut command) = (false, None, None);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "hook" => hook = true,
            Flag::Long(name) if name == "client" => client = Some(filter::client_named(args)?),
            Flag::Operand(word) if command.is_none() => command = Some(word.clone()),
            _ => return Err(args.unknown(&flag)),
        }
    }
    match (hook, command) {
        (true, None) if client != Some(Client::Text) => hook::run(args),
        (true, None) => Err(args.wrong("client text asks with an operand: rg-guard COMMAND")),
        (true, Some(_)) => Err(args.wrong("--hook takes no command")),
        (false, _) if client.is_some() => Err(args.wrong("--client goes with --hook")),
        (false, Some(command)) => say(args, &given(&command)?),
        (false, None) => filter::run(args, RgGuard),
    }
}

/// In a pipeline: a tool call that may not run has its reply from here on.
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
        let found = match &event.tool {
            None => {
                Some(verdict::Finding::of_text("unreadable", "the tool call cannot be read, and cannot be judged", ""))
            }
            Some(tool) => {
                let role = event.agent.as_ref().and_then(|agent| agent.role.as_deref());
                let asked = tools::Asked {
                    tool: &tool.name,
                    input: &tool.input.to_string(),
                    reviewer: matches!(role, Some("review-gate:reviewer" | "reviewer")),
                    session: event.session_key(),
                };
                let definition = definition::Definition::of(event.client, event.session_key(), &event.cwd)?;
                let world = world::World::at(event.cwd.clone());
                match tools::judge(&asked, &world, &definition) {
                    Some(found) if found.level == rules::Level::Deny => Some(found),
                    found => match risk::keep(&world) {
                        Ok(kept) => {
                            let agent = event.agent.as_ref().map_or("", |agent| agent.id.as_str());
                            let session = event.session_key().unwrap_or("");
                            // What is written down is a copy: that it cannot be changes nothing.
                            let _ = risk::write_down(session, agent, &tool.name, &kept);
                            found
                        }
                        Err(failed) => Some(*failed),
                    },
                }
            }
        };
        if let Some(found) = found {
            let action = if found.level == rules::Level::Ask { Action::Ask } else { Action::Deny };
            section.reply(action, format!("rg-guard: {}", found.told()));
        }
        Ok(())
    }
}

/// The command itself, or, for `-`, standard input.
pub fn given(word: &str) -> Result<String> {
    if word != "-" {
        return Ok(word.to_string());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(verdict::LIMIT as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::stream("read standard input", e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Judges a command for a person.
fn say(args: &Args, command: &str) -> Result<Exit> {
    let world = world::World::at(args.dir()?);
    match verdict::judge(command, &world, &policy::Policy::default()) {
        None => Ok(Exit::Yes),
        Some(found) => {
            let word = if found.level == rules::Level::Ask { "ask" } else { "denied" };
            pipes::write(format!("{word}: {}\n", found.told()).as_bytes())?;
            Ok(Exit::No)
        }
    }
}
