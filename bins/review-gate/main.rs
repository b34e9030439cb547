//! review-gate: one name for all programs.
//!
//! Starts another program of review-gate in its place, or the shell line of a hook. It decides nothing.
//! man: review-gate(1)

use review_gate::dialect;
use review_gate::event::Client;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::process::Command;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::CALL_PATIENCE;
use review_gate::tool::pipes;
use review_gate::wiring::clients::{CLIENTS, Wired};
use review_gate::wiring::{self, HookLine};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "review-gate",
    about: "start a program of review-gate, or a hook",
    hint: "review-gate check --now",
    forms: &[
        Form { operands: "[program [argument ...]]", ..Form::BARE },
        Form {
            verb: "hook",
            about: "Run or print the line of a client's hook.",
            takes: &["matcher", "print"],
            operands: "client [event]",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("matcher", "pattern", "The line for the tools that match."),
        Opt::flag("print", "Print the line, or those of all events; run nothing."),
    ],
};

/// The shell, where POSIX systems have it.
const SHELL: &str = "/bin/sh";

/// The filter that a hook may name alone.
const CHECK: &str = "rg-check";

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    if args.verb()? == "hook" {
        return hook(args);
    }
    let word = match args.flag()? {
        // Alone it shows how things are.
        None => {
            let mut command = Command::new(bin_dir()?.join("rg-doctor"));
            command.arg("--brief").current_dir(args.dir()?);
            return Err(replace(command));
        }
        Some(Flag::Operand(word)) => word,
        Some(flag) => return Err(args.unknown(&flag)),
    };
    start(args, &word)
}

/// Starts the program of that name, with or without `rg-`, in place of this one.
fn start(args: &mut Args, word: &str) -> Result<Exit> {
    let bin = bin_dir()?;
    let name = if word.starts_with("rg-") { word.to_string() } else { format!("rg-{word}") };
    let programs = programs(&bin);
    if !programs.contains(&name) {
        return Err(no_program(args, &format!("unknown program {word:?}"), &programs));
    }
    let mut command = Command::new(bin.join(&name));
    let rest = args.rest()?;
    let mut dir = args.dir();
    // Only a filter that got no option may have got a hook call instead of an event line.
    let input = if name == CHECK && rest.is_empty() && !pipes::is_input_terminal() {
        let input = pipes::read_any(CALL_PATIENCE)?;
        if let Some((client, event)) = dialect::caller(&input) {
            (command, dir) = (line_of_call(args, client, &event)?, args.dir_of_hook());
        }
        // At its end the input itself serves the program, which asks whether it is a pipe.
        if input.is_empty() { None } else { Some(files::unnamed(&input)?) }
    } else {
        None
    };
    command.args(rest).current_dir(dir?);
    if let Some(input) = input {
        command.stdin(input);
    }
    Err(replace(command))
}

/// The line that answers a client's hook call.
fn line_of_call(args: &Args, client: Client, event: &str) -> Result<Command> {
    let client = CLIENTS.iter().find(|wired| wired.client == client);
    let client = client.ok_or_else(|| Error::bug("a call of a client that is not known"))?;
    line_of(args, client, event, None).map(|line| shell(&line.line))
}

fn no_program(args: &Args, why: &str, programs: &[String]) -> Error {
    let known: Vec<&str> = programs.iter().filter_map(|name| name.strip_prefix("rg-")).collect();
    args.wrong(&format!("{why}. Programs: hook, {}", known.join(", ")))
}

/// Runs the line of a hook in place of this program, or prints it.
fn hook(args: &mut Args) -> Result<Exit> {
    let (mut words, mut matcher, mut prints) = (Vec::new(), None, false);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if words.len() < 2 => words.push(word.clone()),
            Flag::Long(name) if name == "matcher" => matcher = Some(args.value()?),
            Flag::Long(name) if name == "print" => prints = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let names = CLIENTS.iter().map(|client| client.client.word()).collect::<Vec<_>>().join(", ");
    let [name, event @ ..] = &words[..] else {
        return Err(args.wrong(&format!("hook needs a client. Clients: {names}")));
    };
    let client = CLIENTS.iter().find(|client| client.client.word() == name);
    let client = client.ok_or_else(|| args.wrong(&format!("unknown client {name:?}. Clients: {names}")))?;
    let Some(event) = event.first() else {
        let lines = wiring::lines(client)?;
        return if prints { print_all(&lines) } else { Err(no_event(args, client, "hook needs an event", &lines)) };
    };
    let line = line_of(args, client, event, matcher)?;
    if prints {
        pipes::write(format!("{}\n", line.line).as_bytes())?;
        return Ok(Exit::Yes);
    }
    Err(replace(shell(&line.line)))
}

/// The line of an event.
fn line_of(args: &Args, client: &Wired, event: &str, matcher: Option<String>) -> Result<HookLine> {
    match wiring::lines_of(client, event)?.into_iter().find(|line| line.matcher == matcher) {
        Some(line) => Ok(line),
        None => Err(no_event(args, client, &format!("no hook for {event:?}"), &wiring::lines(client)?)),
    }
}

fn shell(line: &str) -> Command {
    // A search along PATH would take a tenth of what this program may add to a hook.
    let name = if Path::new(SHELL).exists() { SHELL } else { "sh" };
    let mut command = Command::new(name);
    command.arg("-c").arg(line);
    command
}

/// Prints the line of each event, below a comment that names it.
fn print_all(lines: &[HookLine]) -> Result<Exit> {
    let text: String = lines.iter().map(|line| format!("# {}\n{}\n", shown(line), line.line)).collect();
    pipes::write(text.as_bytes())?;
    Ok(Exit::Yes)
}

/// How the line of a hook is chosen.
fn shown(line: &HookLine) -> String {
    match &line.matcher {
        None => line.event.clone(),
        Some(matcher) => format!("{} --matcher '{matcher}'", line.event),
    }
}

fn no_event(args: &Args, client: &Wired, why: &str, lines: &[HookLine]) -> Error {
    let events: Vec<String> = lines.iter().map(shown).collect();
    args.wrong(&format!("{why}. Events of {}: {}", client.name, events.join(", ")))
}

/// Starts a program in place of this one. Returns only if that fails.
fn replace(mut command: Command) -> Error {
    let error = command.exec();
    Error::io("start", Path::new(command.get_program()), &error)
}

fn bin_dir() -> Result<PathBuf> {
    env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))
}

/// The programs of review-gate in a directory.
fn programs(bin: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(bin).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    // A build leaves files such as `rg-check.d` beside the programs.
    let mut names: Vec<String> = names.filter(|name| name.starts_with("rg-") && !name.contains('.')).collect();
    names.sort();
    names
}
