//! rg-event: turn a hook call or an operand into an event line.
//!
//! Reads one JSON object from standard input, or operands. Writes task journals and session journals.
//! man: rg-event(1)

mod authorship;
mod begin;
mod cut;
mod fork;
mod hook_origin;
mod prompt;
mod repair;
mod schedule;
mod session;
mod sigils;
mod stop;
mod turns;

use review_gate::event::{Client, Draft, Event, Finding, Kind, Level, Rule, RunNote, RunNoteKind, RunTurn, Stage};
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
        Form {
            takes: &["against", "message", "prompt", "run", "session", "task", "within"],
            operands: "kind",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("against", "ref", "The commit to compare with; its DONE.md judges."),
        Opt::with("client", "name", "The client that calls: claude, codex, gemini, cursor or text."),
        Opt::with("message", "text", "The agent's last message."),
        Opt::with("prompt", "text", "The user's prompt."),
        Opt::with("run", "json", "The agent's turn, as rg-run reports it."),
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
                "run" => request.run = Some(run_turn(args)?),
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
            return Err(args.wrong("--client reads a hook call: omit the kind"));
        }
        Some(_) => None,
        None if request != (Request { within: request.within, ..Request::default() }) => {
            return Err(args.wrong("without a kind, only -C, --client and --within are allowed"));
        }
        None => {
            args.refuse_terminal("a hook call")?;
            Some(pipes::read_object(filter::CALL_PATIENCE)?)
        }
    };
    let dir = if payload.is_some() { args.dir_of_hook()? } else { args.dir()? };
    let within = request.within;
    let work = move || -> Result<Event> {
        let (mut event, task) = match (kind, payload) {
            (Some(kind), _) => manual_event(kind, request, &dir)?,
            (None, payload) => intake::from_client(client, &payload.unwrap_or_default(), request.within, &dir)?,
        };
        record(&mut event, task);
        event.pass_through([format!("{}/{VERSION}", Stage::Event)]);
        Ok(event.finish())
    };
    pipes::write(&run_within(within, work)?.line()?)?;
    Ok(Exit::Yes)
}

/// Does the work, or fails after nine tenths of `within` seconds: a hanging file system or git must not block the pipeline.
fn run_within(within: Option<f64>, work: impl FnOnce() -> Result<Event> + Send + 'static) -> Result<Event> {
    let Some(seconds) = within else { return work() };
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        // After the deadline nobody receives it.
        let _ = sender.send(work());
    });
    let done = receiver.recv_timeout(Duration::from_secs_f64(seconds * 0.9));
    done.unwrap_or_else(|_| {
        process::stop_all();
        Err(Error::deadline("no time left"))
    })
}

/// The value of `--run`.
fn run_turn(args: &mut Args) -> Result<RunTurn> {
    let text = args.value()?;
    serde_json::from_str(&text).map_err(|error| args.wrong(&format!("--run: {error}")))
}

/// What the change of a run's agent lacks, as findings.
fn run_findings(event: &mut Draft) {
    let notes = event.run.as_ref().filter(|_| event.kind == Kind::Stop).map(|run| run.notes.clone());
    for RunNote { what, path, text, blocks } in notes.into_iter().flatten() {
        let rule = match what {
            RunNoteKind::Untested => Rule::UntestedChange,
            RunNoteKind::Unplanned => Rule::UnplannedChange,
            RunNoteKind::UnnamedDependency => Rule::UnnamedDependency,
        };
        let level = if blocks { Level::Error } else { Level::Warning };
        event.find(Finding::new(Stage::Event, rule, level, Some(&path), &text, text.as_str()));
    }
}

fn manual_event(kind: Kind, request: Request, dir: &Path) -> Result<(Draft, Option<Task>)> {
    let event = intake::manual_event(kind, request, dir)?;
    let task = review_gate::store::task::of_event(&event)?;
    Ok((event, task))
}

/// Records what this event means for its task. If a record cannot be written, the stop fails.
fn record(event: &mut Draft, task: Option<Task>) {
    // A stop's origin is only looked at if a judge is required.
    if !event.kind.is_stop() {
        hook_origin::set(event);
    }
    let done = match event.kind {
        _ if event.session_key().is_none() => return,
        Kind::SessionStart => session::start(event).and_then(|()| schedule::update(event).map(drop)),
        Kind::Prompt => prompt::record(event, task),
        Kind::Stop if event.agent.is_none() => fork::join(event, task).and_then(|task| stop::open(event, task)),
        Kind::SubagentStop => stop::open_subagents(event, task),
        _ if event.scheduled.is_some() => schedule::update(event).map(drop),
        _ => Ok(()),
    };
    if let (Kind::Stop, Some(failure)) = (&event.kind, event.run.as_ref().and_then(|run| run.failure.clone())) {
        event.fail(failure);
    }
    run_findings(event);
    if let Err(error) = done {
        cli::print_error(&TOOL, &error.to_string());
        match event.kind {
            Kind::Stop | Kind::SubagentStop if !event.required().is_empty() => {
                event.fail(error.to_string());
            }
            Kind::Stop | Kind::SubagentStop => {}
            // Without a definition of done, the stop is not judged.
            _ if event.donefile.is_none() => {}
            _ => event.tell(format!("review-gate: cannot write records, so stops will be unverified: {error}")),
        }
    }
}
