//! rg-event: turn a client's hook call, or an operand, into an event line.
//!
//! Reads one JSON object from standard input, or operands; writes task journals and sessions.jsonl.
//! man: rg-event(1)

mod begin;
mod calling;
mod prompt;
mod session;
mod stop;

use review_gate::cli::{self, Args, Flag, Tool, VERSION};
use review_gate::error::Result;
use review_gate::event::{Client, Event, KINDS, Kind};
use review_gate::exit::Exit;
use review_gate::intake::{self, Request};
use review_gate::task::Task;
use review_gate::{filter, wire};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-event",
    about: "turn a hook call or an operand into an event line",
    usage: "rg-event [-C dir] [--client name] [--within seconds]\n\
            rg-event kind [-C dir] [--against ref] [--message text] [--prompt text] [--session id] [--task id] \
            [--within seconds]",
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let mut client = None;
    let mut kind = None;
    let mut request = Request::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if kind.is_none() => kind = Some(named(args, word)?),
            Flag::Long(name) => match name.as_str() {
                "against" => request.against = Some(filter::against(args)?),
                "client" => client = Some(filter::client_named(args)?),
                "message" => request.message = Some(args.value()?),
                "prompt" => request.prompt = Some(args.value()?),
                "session" => request.session = Some(args.value()?),
                "task" => request.task = Some(args.value()?),
                "within" => request.within = Some(seconds(args)?),
                _ => return Err(args.unknown(&flag)),
            },
            _ => return Err(args.unknown(&flag)),
        }
    }
    let (mut event, task) = match kind {
        Some(_) if client.is_some_and(|client| client != Client::Text) => {
            return Err(args.wrong("--client reads a hook call: it takes no kind"));
        }
        Some(kind) => by_hand(args, kind, request)?,
        None if request != (Request { within: request.within, ..Request::default() }) => {
            return Err(args.wrong("without a kind, only -C, --client and --within are taken"));
        }
        None => {
            let payload = wire::read_object(filter::CALL_PATIENCE)?;
            let dir = args.dir()?;
            intake::from_client(client, &payload, request.within, &dir)?
        }
    };
    record(&mut event, task);
    event.via.push(format!("{}/{VERSION}", TOOL.name));
    wire::write(&event.line()?)?;
    Ok(Exit::Yes)
}

fn by_hand(args: &Args, kind: Kind, request: Request) -> Result<(Event, Option<Task>)> {
    let event = intake::by_hand(kind, request, &args.dir()?)?;
    let state = review_gate::state::State::of(&event.root)?;
    let task = review_gate::task::of_event(&state, &event)?;
    Ok((event, task))
}

fn named(args: &Args, word: &str) -> Result<Kind> {
    let known = KINDS.iter().find(|(name, _)| *name == word);
    known.map(|(_, kind)| kind.clone()).ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        args.wrong(&format!("unknown kind {word:?}: one of {}", names.join(", ")))
    })
}

fn seconds(args: &mut Args) -> Result<f64> {
    let word = args.value()?;
    match word.parse() {
        Ok(seconds) if seconds > 0.0 && f64::is_finite(seconds) => Ok(seconds),
        _ => Err(args.wrong(&format!("--within: not a number of seconds: {word:?}"))),
    }
}

/// Writes down what this event means for its task. What cannot be written is said, and a stop is then never green.
fn record(event: &mut Event, task: Option<Task>) {
    calling::held_against_start(event);
    let done = match event.kind {
        _ if event.session_key().is_none() => return,
        Kind::SessionStart => session::start(event),
        Kind::Prompt => prompt::submitted(event, task),
        Kind::Stop if event.agent.is_none() => stop::opened(event, task),
        _ => prompt::scheduled(event),
    };
    if let Err(error) = done {
        cli::complain(&TOOL, &error.to_string());
        match event.kind {
            Kind::Stop if !event.owed.is_empty() => {
                event.judge(TOOL.name, review_gate::event::Verdict::Unverified, error.to_string());
            }
            Kind::Stop => {}
            _ => {
                event.tell(TOOL.name, format!("review-gate: unable to keep records, stops will be unverified: {error}"))
            }
        }
    }
}
