//! rg-event: turn a client's hook call, or an operand, into an event line.
//!
//! Reads one JSON object from standard input, or operands; writes task journals and sessions.
//! man: rg-event(1)

mod begin;
mod calling;
mod fork;
mod prompt;
mod session;
mod sigils;
mod stop;

use review_gate::event::{Client, Draft, Event, Kind, Stage};
use review_gate::store::task::Task;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::process;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool, VERSION};
use review_gate::tool::filter;
use review_gate::tool::intake::{self, Request};
use review_gate::tool::pipes;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

const TOOL: Tool = Tool {
    name: "rg-event",
    about: "turn a hook call or an operand into an event line",
    hint: "rg-event stop",
    forms: &[
        Form { takes: &["client", "within"], ..Form::BARE },
        Form { takes: &["against", "message", "prompt", "session", "task", "within"], operands: "kind", ..Form::BARE },
    ],
    options: &[
        Opt::with("against", "ref", "The commit to compare with; its DONE.md judges."),
        Opt::with("client", "name", "The client that calls: claude or text."),
        Opt::with("message", "text", "The agent's last message."),
        Opt::with("prompt", "text", "The user's prompt."),
        Opt::with("session", "id", "A manual session."),
        Opt::with("task", "id", "The task to continue."),
        Opt::with("within", "seconds", "How long the pipeline has."),
    ],
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
            Flag::Operand(word) if kind.is_none() => kind = Some(filter::kind_named(args, word)?),
            Flag::Long(name) => match name.as_str() {
                "against" => request.against = Some(filter::against(args)?),
                "client" => client = Some(filter::client_named(args)?),
                "message" => request.message = Some(args.value()?),
                "prompt" => request.prompt = Some(args.value()?),
                "session" => request.session = Some(args.value()?),
                "task" => request.task = Some(args.value()?),
                "within" => request.within = Some(filter::seconds(args)?),
                _ => return Err(args.unknown(&flag)),
            },
            _ => return Err(args.unknown(&flag)),
        }
    }
    let payload = match kind {
        Some(_) if client.is_some_and(|client| client != Client::Text) => {
            return Err(args.wrong("--client reads a hook call: it takes no kind"));
        }
        Some(_) => None,
        None if request != (Request { within: request.within, ..Request::default() }) => {
            return Err(args.wrong("without a kind, only -C, --client and --within are taken"));
        }
        None => {
            args.wants_pipe("a hook call")?;
            Some(pipes::read_object(filter::CALL_PATIENCE)?)
        }
    };
    let dir = args.dir()?;
    let within = request.within;
    let work = move || -> Result<Event> {
        let (mut event, task) = match (kind, payload) {
            (Some(kind), _) => by_hand(kind, request, &dir)?,
            (None, payload) => intake::from_client(client, &payload.unwrap_or_default(), request.within, &dir)?,
        };
        record(&mut event, task);
        event.pass_through([format!("{}/{VERSION}", Stage::Event)]);
        Ok(event.finish())
    };
    pipes::write(&in_time(within, work)?.line()?)?;
    Ok(Exit::Yes)
}

/// Does the work while somebody listens: a file system or a git that hangs must not take the pipeline along in silence.
fn in_time(within: Option<f64>, work: impl FnOnce() -> Result<Event> + Send + 'static) -> Result<Event> {
    let Some(seconds) = within else { return work() };
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        // Nobody may be listening any more: then there is nothing to say either.
        let _ = sender.send(work());
    });
    let done = receiver.recv_timeout(Duration::from_secs_f64(seconds * 0.9));
    done.unwrap_or_else(|_| {
        process::stop_all();
        Err(Error::deadline("no time left"))
    })
}

fn by_hand(kind: Kind, request: Request, dir: &Path) -> Result<(Draft, Option<Task>)> {
    let event = intake::by_hand(kind, request, dir)?;
    let task = review_gate::store::task::of_event(&event)?;
    Ok((event, task))
}

/// Writes down what this event means for its task. What cannot be written is said, and a stop is then never green.
fn record(event: &mut Draft, task: Option<Task>) {
    // A stop is held against the session's start where it turns out that something is owed.
    if !event.kind.is_stop() {
        calling::held_against_start(event);
    }
    let done = match event.kind {
        _ if event.session_key().is_none() => return,
        Kind::SessionStart => session::start(event),
        Kind::Prompt => prompt::submitted(event, task),
        Kind::Stop if event.agent.is_none() => fork::joined(event, task).and_then(|task| stop::opened(event, task)),
        Kind::SubagentStop => stop::subagent(event, task),
        _ => session::note_scheduled(event),
    };
    if let Err(error) = done {
        cli::complain(&TOOL, &error.to_string());
        match event.kind {
            Kind::Stop | Kind::SubagentStop if !event.required().is_empty() => {
                event.fail(error.to_string());
            }
            Kind::Stop | Kind::SubagentStop => {}
            // Where nothing judges, nothing is lost.
            _ if event.donefile.is_none() => {}
            _ => event.tell(format!("review-gate: unable to keep records, stops will be unverified: {error}")),
        }
    }
}
