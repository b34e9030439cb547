//! rg-answer: turns an event line into the client's reply, or into text and an exit status.
//!
//! Reads one event line. If it is missing or incomplete, or an earlier stage failed, the outcome is `unverified`.
//! man: rg-answer(1)

use review_gate::answer::{self, Format, Style};
use review_gate::event::outcome::Ruling;
use review_gate::event::{Client, Draft, Event, Kind, Outcome, Source, Stage};
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter;
use review_gate::tool::pipes::{self, Line};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const TOOL: Tool = Tool {
    name: "rg-answer",
    about: "turn an event line into a reply and an exit status",
    hint: "rg-event stop | rg-check | rg-answer",
    forms: &[Form { takes: &["client", "format", "kind", "strict", "within"], ..Form::BARE }],
    options: &[
        Opt::with("client", "name", "The client to answer where no event line comes; by default text."),
        Opt::with(
            "format",
            "form",
            "Print text, json, markdown, github, sarif or junit instead of the client's reply.",
        ),
        Opt::with("kind", "kind", "The kind of event to answer where no event line comes."),
        Opt::flag("strict", "Exit with 1 where the outcome is waived."),
        Opt::with("within", "seconds", "How long to wait for the event line."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let mut client = Client::Text;
    let mut kind = Kind::Stop;
    let mut style = Style::for_user();
    let mut deadline = None;
    while let Some(flag) = args.flag()? {
        let Flag::Long(name) = &flag else { return Err(args.unknown(&flag)) };
        match name.as_str() {
            "client" => client = filter::client_named(args)?,
            "format" => style.format = Some(format(args)?),
            "kind" => {
                let word = args.value()?;
                kind = filter::kind_named(args, &word)?;
            }
            "strict" => style.strict = true,
            "within" => deadline = Some(Instant::now() + Duration::from_secs_f64(filter::seconds(args)?)),
            _ => return Err(args.unknown(&flag)),
        }
    }
    args.refuse_terminal("an event line")?;
    let (event, failure) = match read_event(deadline, client != Client::Text && style.format.is_none()) {
        // To allow a stop at which nothing was required, a client needs no output.
        Ok(None) => return Ok(Exit::Yes),
        Ok(Some(event)) => (event, None),
        Err(error) => {
            // A wrong variable fails every stage: its name is the reason that the user can use.
            let error = State::of_user().err().unwrap_or(error);
            (failed_event(args, client, kind, &error)?, Some(error))
        }
    };
    let answer = answer::answer(event.clone(), &style);
    leave_notice(&event, &answer.notice, answer.ruling);
    match event.client {
        Client::Text => pipes::write(answer.out.as_bytes())?,
        _ => pipes::write_answer(answer.out.as_bytes())?,
    }
    match failure {
        Some(error) if event.client == Client::Text => Ok(error.exit()),
        _ => Ok(answer.exit),
    }
}

/// Reads the event. None for a client's stop at which nothing was required, which need not be parsed.
fn read_event(deadline: Option<Instant>, for_client: bool) -> Result<Option<Event>> {
    match pipes::read_line(deadline)? {
        Line::Quiet(line) if for_client && !Event::is_manual(&line) => Ok(None),
        Line::Record(line) | Line::Quiet(line) => Event::parse(&line).map(Some),
        Line::Nothing => Err(Error::disconnected("no event line: an earlier stage is missing or failed")),
    }
}

/// The event that replaces one that could not be read: of the kind that `--kind` says, not judged.
fn failed_event(args: &Args, client: Client, kind: Kind, error: &Error) -> Result<Event> {
    let mut source = Source::new(client, kind, args.dir_of_hook()?);
    if let Ok((root, _)) = review_gate::snapshot::workspace::root_of(&source.cwd) {
        source.root = root;
    }
    let mut event = Draft::by(Stage::Answer, source);
    event.pass_through([Stage::Event, Stage::Bounce, Stage::Receipt].map(|stage| stage.name().to_string()));
    if event.kind.is_stop() {
        event.fail(error.to_string());
    } else {
        event.tell(format!("review-gate: {}: {error}", event.kind.name()));
    }
    Ok(event.finish())
}

/// Leaves the text for the user as a notice, too, because a client's text mode shows no messages of hooks. A failure does not change
/// the answer.
fn leave_notice(event: &Event, tell: &str, ruling: Option<Ruling>) {
    // The user knows about a waiver.
    let is_news = |ruling: Ruling| ruling.notify && ruling.outcome != Some(Outcome::Waived);
    let needs_notice = ruling.is_some_and(is_news) && event.client != Client::Text;
    if needs_notice && !tell.is_empty() {
        let state = env::project_dir().map_or_else(|| State::of_event(event), |dir| State::of(&dir));
        let result = state.and_then(|state| state.notice(TOOL.name, event.task.as_deref(), tell, event.receipt()));
        if let Err(error) = result {
            cli::print_error(&TOOL, &error.to_string());
        }
    }
}

fn format(args: &mut Args) -> Result<Format> {
    let word = args.value()?;
    match word.as_str() {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        "markdown" => Ok(Format::Markdown),
        "github" => Ok(Format::Github),
        "sarif" => Ok(Format::Sarif),
        "junit" => Ok(Format::Junit),
        _ => Err(args.wrong(&format!("unknown format {word:?}. Use text, json, markdown, github, sarif or junit"))),
    }
}
