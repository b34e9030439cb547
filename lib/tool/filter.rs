//! A filter: one function from event to event. Reading, writing, `--hook`, `--now`, deadlines and failures are here.

use crate::answer;
use crate::event::{Client, Event, KINDS, Kind, Part, Stage};
use crate::store::state::State;
use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use crate::sys::exit::Exit;
use crate::sys::process;
use crate::tool::cli::{Args, Flag, Tool, VERSION, complain};
use crate::tool::intake;
use crate::tool::pipes::{self, Line};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How long a hook call may take to arrive.
pub const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// How often a working filter looks whether anybody still reads what it will say.
const LOOK_UP: Duration = Duration::from_millis(100);

/// One step: it reads the event and writes its own section of it, which is merged here.
pub trait Filter: Send + Sync + 'static {
    /// What it may write: its section, or `()`.
    type Section: Part;

    /// What the tool says of itself.
    const TOOL: Tool;

    /// Which stage fails where it fails.
    const STAGE: Stage;

    /// Whether a failure must show in the word: a judge that fails adds `unverified`, a recorder passes the event on
    /// unchanged.
    const DECIDES: bool;

    /// Whether `--against` alone asks it so.
    const AGAINST_IS_NOW: bool = false;

    /// Takes in an option of its own; false when it is none.
    fn option(&mut self, _flag: &Flag, _args: &mut Args) -> Result<bool> {
        Ok(false)
    }

    /// Whether this event has anything to do with it. One that has not is passed on without a thread or a file.
    fn concerns(&self, event: &Event) -> bool;

    /// Does its step.
    fn pass(&self, event: &Event, section: &mut Self::Section) -> Result<()>;
}

/// Runs a filter in a pipeline, or as both ends itself with `--hook` and `--now`.
pub fn run<F: Filter>(args: &mut Args, mut filter: F) -> Result<Exit> {
    speaks_for_itself::<F>()?;
    let (mut hook, mut now, mut as_json) = (false, false, false);
    let mut client = None;
    let mut request = intake::Request::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "hook" => hook = true,
            Flag::Long(name) if name == "now" => now = true,
            Flag::Long(name) if name == "client" => client = Some(client_named(args)?),
            Flag::Long(name) if name == "against" => request.against = Some(against(args)?),
            Flag::Long(name) if name == "json" => as_json = true,
            _ if filter.option(&flag, args)? => {}
            _ => return Err(args.unknown(&flag)),
        }
    }
    match (hook, now || F::AGAINST_IS_NOW && request.against.is_some()) {
        (true, true) => Err(args.wrong("--hook and --now exclude each other")),
        (true, false) => self::hook(args, filter, client),
        (false, true) => self::now(args, filter, request, as_json),
        (false, false) if request.against.is_some() => Err(args.wrong("--against goes with --now")),
        (false, false) if as_json => Err(args.wrong("--json goes with --now")),
        (false, false) => pipe(args, filter),
    }
}

/// A filter fails, and writes, under its own name. Only rg-review speaks for another stage: it judges a review anew.
fn speaks_for_itself<F: Filter>() -> Result<()> {
    let is_own = match F::Section::STAGE {
        None => true,
        Some(Stage::ReviewState) => matches!(F::STAGE, Stage::ReviewState | Stage::Review),
        Some(stage) => stage == F::STAGE,
    };
    let (name, stage) = (F::TOOL.name, F::STAGE);
    if is_own && stage.name() == name { Ok(()) } else { Err(Error::bug(format!("{name} writes as another stage"))) }
}

/// An event's kind, as operands and `--kind` take it.
pub fn kind_named(args: &Args, word: &str) -> Result<Kind> {
    let known = KINDS.iter().find(|(name, _)| *name == word);
    known.map(|(_, kind)| kind.clone()).ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        args.wrong(&format!("unknown kind {word:?}: one of {}", names.join(", ")))
    })
}

/// The value of `--within`, in seconds.
pub fn seconds(args: &mut Args) -> Result<f64> {
    let word = args.value()?;
    match word.parse() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err(args.wrong(&format!("--within: not a number of seconds: {word:?}"))),
    }
}

/// A client's name, as `--client` takes it.
pub fn client_named(args: &mut Args) -> Result<Client> {
    let word = args.value()?;
    match word.as_str() {
        "claude" => Ok(Client::Claude),
        "text" => Ok(Client::Text),
        _ => Err(args.wrong(&format!("unknown client {word:?}: claude or text"))),
    }
}

/// The value of `--against`; an empty one (an unset variable in CI) is an error, never "none".
pub fn against(args: &mut Args) -> Result<String> {
    let name = args.value()?;
    if name.trim().is_empty() { Err(args.wrong("--against: empty")) } else { Ok(name) }
}

fn pipe<F: Filter>(args: &Args, filter: F) -> Result<Exit> {
    args.wants_pipe("an event line")?;
    let via = format!("{}/{VERSION}", args.tool.name);
    match pipes::read_line(None)? {
        Line::Nothing => Err(Error::disconnected("no event line: the stage before ended without one")),
        Line::Record(line) => judged(args, filter, &line, via),
        Line::Quiet(line) => match Event::passed_on(&line, &via) {
            Some(line) => pipes::write(&line).map(|()| Exit::Yes),
            None => judged(args, filter, &line, via),
        },
    }
}

// Kept apart, as is what else needs much of the stack: a stop that owes nothing is passed on without touching it.
#[inline(never)]
fn judged<F: Filter>(args: &Args, filter: F, line: &[u8], via: String) -> Result<Exit> {
    let mut event = Event::parse(line)?;
    if filter.concerns(&event) {
        let (passed, error) = supervise(filter, event)?;
        if let Some(error) = error {
            complain(args.tool, &error.to_string());
        }
        event = passed;
    }
    event.pass_through(via);
    pipes::write(&event.line()?)?;
    Ok(Exit::Yes)
}

/// One process instead of a pipeline, called by a client. A recorder that fails says so and stops nobody.
#[inline(never)]
fn hook<F: Filter>(args: &Args, filter: F, client: Option<Client>) -> Result<Exit> {
    let done = pipes::read_object(CALL_PATIENCE).and_then(|payload| {
        let event = intake::from_client(client, &payload, None, &args.dir()?)?.0.finish();
        if filter.concerns(&event) { supervise(filter, event).map(drop) } else { Ok(()) }
    });
    match done {
        Ok(()) => Ok(Exit::Yes),
        Err(error) => {
            complain(args.tool, &error.to_string());
            Ok(Exit::Yes)
        }
    }
}

/// A stop made by hand, judged by this tool alone, told to a person.
#[inline(never)]
fn now<F: Filter>(args: &Args, filter: F, request: intake::Request, as_json: bool) -> Result<Exit> {
    let mut draft = intake::by_hand(Kind::Stop, request, &args.dir()?)?;
    draft.require_only(&F::STAGE);
    let mut event = draft.finish();
    if filter.concerns(&event) {
        let (judged, error) = supervise(filter, event)?;
        if let Some(error) = error.filter(|error| error.exit() == Exit::Usage) {
            return Err(error);
        }
        event = judged;
    }
    let format = as_json.then_some(answer::Format::Verdict);
    let answer = answer::answer(event, &answer::Style { format, ..answer::Style::for_user() });
    pipes::write(answer.out.as_bytes())?;
    Ok(answer.exit)
}

/// Lets the filter work in a thread of its own, and ends the wait when time is up or nobody reads any more. Whatever
/// goes wrong inside, an event comes out, with what went wrong.
fn supervise<F: Filter>(filter: F, mut event: Event) -> Result<(Event, Option<Error>)> {
    let (sender, receiver) = sync_channel(1);
    let until = event.until;
    let seen = event.clone();
    let worker = std::thread::spawn(move || {
        let mut section = F::Section::of(&seen);
        let done = filter.pass(&seen, &mut section);
        // Nobody may be listening any more: then there is nothing to say either.
        let _ = sender.send((done, section));
    });
    loop {
        match receiver.recv_timeout(left(until)) {
            Ok((done, section)) => {
                // A recorder that fails passes on what it was given; a judge keeps what it found before it failed.
                if done.is_ok() || F::DECIDES {
                    section.merge(&mut event);
                }
                return Ok(match done {
                    Ok(()) => (event, None),
                    Err(error) => failed::<F>(event, error),
                });
            }
            Err(RecvTimeoutError::Disconnected) => {
                let _ = worker.join();
                process::stop_all();
                return Ok(failed::<F>(event, Error::bug("it broke down (a bug)")));
            }
            Err(RecvTimeoutError::Timeout) if pipes::is_output_closed() => {
                process::stop_all();
                return Err(Error::disconnected("nobody reads the answer: stopped"));
            }
            Err(RecvTimeoutError::Timeout) if until.is_some_and(|until| until.remaining().is_zero()) => {
                process::stop_all();
                return Ok(failed::<F>(event, Error::deadline("no time left")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn left(until: Option<Time>) -> Duration {
    let left = until.map_or(LOOK_UP, Time::remaining);
    left.clamp(Duration::from_millis(1), LOOK_UP)
}

/// A failure inside a filter stands in the event where the tool decides; elsewhere word is left for the person.
fn failed<F: Filter>(mut event: Event, error: Error) -> (Event, Option<Error>) {
    if F::DECIDES {
        event.fail(F::STAGE, error.to_string());
    } else if let Ok(state) = State::of_event(&event) {
        let text = format!("{} failed: {error}", F::TOOL.name);
        // Where even that cannot be written, standard error has said it.
        let _ = state.notice(F::TOOL.name, event.task.as_deref(), &text, None);
    }
    (event, Some(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{CheckFields, Section};
    use crate::tool::cli::Form;

    struct Liar;

    impl Filter for Liar {
        type Section = Section<CheckFields>;
        const TOOL: Tool =
            Tool { name: "rg-guard", about: "speak as another", hint: "", forms: &[Form::BARE], options: &[] };
        const STAGE: Stage = Stage::Guard;
        const DECIDES: bool = true;

        fn concerns(&self, _: &Event) -> bool {
            true
        }

        fn pass(&self, _: &Event, _: &mut Self::Section) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_filter_that_writes_as_another_stage_does_not_run() {
        let error = speaks_for_itself::<Liar>().unwrap_err();
        assert_eq!((error.exit(), error.to_string().contains("rg-guard")), (Exit::Bug, true));
    }
}
