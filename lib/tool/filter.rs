//! The frame of a filter, which turns one event into another: reading, writing, `--hook`, `--now`, deadlines and failures.

use crate::answer;
use crate::event::{Client, DonefileRef, Event, KINDS, Kind, Part, Stage};
use crate::store::state::State;
use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use crate::sys::exit::Exit;
use crate::sys::process;
use crate::tool::cli::{Args, Flag, Tool, VERSION, print_error};
use crate::tool::intake;
use crate::tool::pipes::{self, Line};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How long a hook call may take to arrive.
pub const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// How often a filter checks whether standard output is still open.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A filter: it reads the event and writes its own section, which is then merged.
pub trait Filter: Send + Sync + 'static {
    /// The section that it may write, or `()`.
    type Section: Part;

    /// The description of the tool.
    const TOOL: Tool;

    /// The stage that gets the verdict `inconclusive` if the filter fails.
    const STAGE: Stage;

    /// Whether a failure affects the outcome. If so, a failure adds the verdict `inconclusive`; else the event is passed on unchanged.
    const DECIDES: bool;

    /// Whether `--against` implies `--now`.
    const AGAINST_IS_NOW: bool = false;

    /// Parses one option. Returns false if the option is not recognised.
    fn option(&mut self, _flag: &Flag, _args: &mut Args) -> Result<bool> {
        Ok(false)
    }

    /// What the tool does if an option asks for something else than judging an event. `judges` says whether other options ask for a
    /// judgement, too.
    fn other_work(&self, _args: &Args, _as_json: bool, _judges: bool) -> Option<Result<Exit>> {
        None
    }

    /// The definition of done that an option names for `--now`. It applies instead of the one on disk.
    fn definition(&self) -> Option<DonefileRef> {
        None
    }

    /// Whether this event concerns the filter. Any other is passed on without starting a thread or opening a file.
    fn concerns(&self, event: &Event) -> bool;

    /// Processes the event.
    fn pass(&self, event: &Event, section: &mut Self::Section) -> Result<()>;
}

/// How `--now` prints the result.
#[derive(Clone, Copy, Default)]
struct Print {
    /// As one JSON object.
    is_json: bool,
    /// Only if the status is not 0.
    is_quiet: bool,
}

/// Runs a filter in a pipeline, or alone with `--hook` or `--now`.
pub fn run<F: Filter>(args: &mut Args, mut filter: F) -> Result<Exit> {
    check_stage::<F>()?;
    let (mut hook, mut now) = (false, false);
    let mut print = Print::default();
    let mut client = None;
    let mut request = intake::Request::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "hook" => hook = true,
            Flag::Long(name) if name == "now" => now = true,
            Flag::Long(name) if name == "client" => client = Some(client_named(args)?),
            Flag::Long(name) if name == "against" => request.against = Some(against(args)?),
            Flag::Long(name) if name == "json" => print.is_json = true,
            Flag::Long(name) if name == "quiet" => print.is_quiet = true,
            _ if filter.option(&flag, args)? => {}
            _ => return Err(args.unknown(&flag)),
        }
    }
    if let Some(ended) = filter.other_work(args, print.is_json, hook || now || request.against.is_some()) {
        return ended;
    }
    match (hook, now || F::AGAINST_IS_NOW && request.against.is_some()) {
        (true, true) => Err(args.wrong("--hook and --now cannot be used together")),
        (true, false) => self::hook(args, filter, client),
        (false, true) => self::now(args, filter, request, print),
        (false, false) if request.against.is_some() => Err(args.wrong("--against needs --now")),
        (false, false) if filter.definition().is_some() => Err(args.wrong("--definition needs --now")),
        (false, false) if print.is_json => Err(args.wrong("--json needs --now")),
        (false, false) if print.is_quiet => Err(args.wrong("--quiet needs --now")),
        (false, false) => pipe(args, filter),
    }
}

/// Checks that a filter writes and fails under its own name. Only rg-review writes for another stage, because it judges a review again.
fn check_stage<F: Filter>() -> Result<()> {
    let is_own = match F::Section::STAGE {
        None => true,
        Some(Stage::ReviewState) => matches!(F::STAGE, Stage::ReviewState | Stage::Review),
        Some(stage) => stage == F::STAGE,
    };
    let (name, stage) = (F::TOOL.name, F::STAGE);
    if is_own && stage.name() == name { Ok(()) } else { Err(Error::bug(format!("{name} writes as another stage"))) }
}

/// The kind that an operand or `--kind` names.
pub fn kind_named(args: &Args, word: &str) -> Result<Kind> {
    let known = KINDS.iter().find(|(name, _)| *name == word);
    known.map(|(_, kind)| kind.clone()).ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        args.wrong(&format!("unknown kind {word:?}: use one of {}", names.join(", ")))
    })
}

/// The value of `--within`, in seconds.
pub fn seconds(args: &mut Args) -> Result<f64> {
    let word = args.value()?;
    match word.parse() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err(args.wrong(&format!("--within is not a number of seconds: {word:?}"))),
    }
}

/// The client that `--client` names.
pub fn client_named(args: &mut Args) -> Result<Client> {
    let word = args.value()?;
    let known = [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor, Client::Text];
    let named = known.into_iter().find(|client| client.word() == word);
    named.ok_or_else(|| args.wrong(&format!("unknown client {word:?}: use claude, codex, gemini, cursor or text")))
}

/// The value of `--against`. An empty one, for example from an unset variable in CI, is an error.
pub fn against(args: &mut Args) -> Result<String> {
    let name = args.value()?;
    if name.trim().is_empty() { Err(args.wrong("--against is empty: pass a commit or a branch")) } else { Ok(name) }
}

fn pipe<F: Filter>(args: &Args, filter: F) -> Result<Exit> {
    args.refuse_terminal("an event line")?;
    let via = format!("{}/{VERSION}", args.tool.name);
    match pipes::read_line(None)? {
        Line::Nothing => {
            let error = Error::disconnected("no event line: the previous stage ended without one");
            // Between two stages the one that failed has reported, and rg-answer reports that no event line came.
            if pipes::is_between_pipes() { Ok(error.exit()) } else { Err(error) }
        }
        Line::Record(line) => judged(args, filter, &line, via),
        Line::Quiet(line) => match Event::with_via(&line, &via) {
            Some(line) => write::<F>(&line).map(|()| Exit::Yes),
            None => judged(args, filter, &line, via),
        },
    }
}

// Not inlined, because it needs much stack: a stop for which no judge is required is passed on without touching those pages.
#[inline(never)]
fn judged<F: Filter>(args: &Args, filter: F, line: &[u8], via: String) -> Result<Exit> {
    let mut event = Event::parse(line)?;
    if filter.concerns(&event) {
        let (passed, error) = supervise(filter, event)?;
        if let Some(error) = error {
            print_error(args.tool, &error.to_string());
        }
        event = passed;
    }
    event.pass_through(via);
    write::<F>(&event.line()?)?;
    Ok(Exit::Yes)
}

/// Writes the event line. It is an error if a judge cannot pass its line on.
fn write<F: Filter>(line: &[u8]) -> Result<()> {
    if F::DECIDES { pipes::write_answer(line) } else { pipes::write(line) }
}

/// Handles a hook call without a pipeline, and answers the client if the filter has something to tell. A failure is printed and never
/// blocks the client.
#[inline(never)]
fn hook<F: Filter>(args: &Args, filter: F, client: Option<Client>) -> Result<Exit> {
    let done = pipes::read_object(CALL_PATIENCE).and_then(|payload| {
        let event = intake::from_client(client, &payload, None, &args.dir()?)?.0.finish();
        if !filter.concerns(&event) {
            return Ok(());
        }
        let (event, error) = supervise(filter, event)?;
        if !event.tell().is_empty() {
            pipes::write(answer::answer(event, &answer::Style::for_client()).out.as_bytes())?;
        }
        error.map_or(Ok(()), Err)
    });
    match done {
        Ok(()) => Ok(Exit::Yes),
        Err(error) => {
            print_error(args.tool, &error.to_string());
            Ok(Exit::Yes)
        }
    }
}

/// Judges a manual stop with this tool alone and prints the result for the user.
#[inline(never)]
fn now<F: Filter>(args: &Args, filter: F, request: intake::Request, print: Print) -> Result<Exit> {
    let dir = args.dir()?;
    let mut draft = intake::manual_event(Kind::Stop, request, &dir)?;
    if let Some(definition) = filter.definition() {
        if draft.against.is_some() {
            return Err(args.wrong("--against and --definition cannot be used together"));
        }
        intake::replace_definition(&mut draft, definition, &dir);
    }
    draft.require_only(&F::STAGE);
    let mut event = draft.finish();
    if filter.concerns(&event) {
        let (judged, error) = supervise(filter, event)?;
        if let Some(error) = error.filter(|error| error.exit() == Exit::Usage) {
            return Err(error);
        }
        event = judged;
    }
    let format = print.is_json.then_some(answer::Format::Verdict);
    let answer = answer::answer(event, &answer::Style { format, ..answer::Style::for_user() });
    if !(print.is_quiet && answer.exit == Exit::Yes) {
        pipes::write(answer.out.as_bytes())?;
    }
    Ok(answer.exit)
}

/// Runs the filter in its own thread, and stops waiting at the deadline or when standard output is closed. If the filter fails or
/// panics, the event is still returned, with the error.
fn supervise<F: Filter>(filter: F, mut event: Event) -> Result<(Event, Option<Error>)> {
    let (sender, receiver) = sync_channel(1);
    let until = event.until;
    let seen = event.clone();
    let worker = std::thread::spawn(move || {
        let mut section = F::Section::of(&seen);
        let done = filter.pass(&seen, &mut section);
        // The receiver may be gone; then the result is not needed.
        let _ = sender.send((done, section));
    });
    loop {
        match receiver.recv_timeout(left(until)) {
            Ok((done, section)) => {
                // A judge that fails keeps its findings; any other filter that fails passes the event on unchanged.
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
                return Ok(failed::<F>(event, Error::bug("the filter panicked: this is a bug")));
            }
            Err(RecvTimeoutError::Timeout) if pipes::is_output_closed() => {
                process::stop_all();
                return Err(Error::disconnected("standard output is closed: stopped"));
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
    let left = until.map_or(POLL_INTERVAL, Time::remaining);
    left.clamp(Duration::from_millis(1), POLL_INTERVAL)
}

/// Records a failure of a filter: as a verdict if the tool decides, else as a notice for the user.
fn failed<F: Filter>(mut event: Event, error: Error) -> (Event, Option<Error>) {
    if F::DECIDES {
        event.fail(F::STAGE, error.to_string());
    } else if let Ok(state) = State::of_event(&event) {
        let text = format!("{} failed: {error}", F::TOOL.name);
        // If the notice cannot be written, the error is still on standard error.
        let _ = state.notice(F::TOOL.name, event.task.as_deref(), &text, None);
    }
    (event, Some(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{CheckFields, Section};
    use crate::tool::cli::Form;

    struct Impostor;

    impl Filter for Impostor {
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
    fn a_filter_that_writes_as_another_stage_is_refused() {
        let error = check_stage::<Impostor>().unwrap_err();
        assert_eq!((error.exit(), error.to_string().contains("rg-guard")), (Exit::Bug, true));
    }
}
