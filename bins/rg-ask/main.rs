//! rg-ask: ask another model and record its answer.
//!
//! Reads the prompt from standard input, or takes a review request as the prompt; prints the answer. Writes asks.jsonl in the state
//! directory.
//! man: rg-ask(1)

mod request;

use request::Asked;
use review_gate::donefile::AskSpec;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::review::ask::{self, AskResult, PATIENCE, Question, Target};
use review_gate::review::decision::{Issue, Reading, read};
use review_gate::review::diff::DenyList;
use review_gate::review::model_call;
use review_gate::review::posts::announce_second_opinion;
use review_gate::review::settle::effective_word;
use review_gate::snapshot;
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::store::state::State;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::sys::limits;
use review_gate::sys::process;
use review_gate::sys::text::cut_end;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::seconds;
use review_gate::tool::pipes;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const TOOL: Tool = Tool {
    name: "rg-ask",
    about: "ask another model and record its answer",
    hint: "rg-ask --check",
    forms: &[
        Form { takes: &["agree", "all", "json", "model", "request", "system", "to", "within"], ..Form::BARE },
        Form { needs: &["check"], takes: &["all", "json", "to", "within"], ..Form::BARE },
    ],
    options: &[
        Opt::with("agree", "n", "Exit with 0 only where n models give the same decision."),
        Opt::flag("all", "Ask every model that is available."),
        Opt::flag("check", "Test that each model answers."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::with("model", "name", "The model that the program shall use."),
        Opt::with("request", "id", "Ask for a decision on this review request."),
        Opt::with("system", "file", "A file with the system prompt."),
        Opt::with("to", "name", "The program to ask; several with commas."),
        Opt::with("within", "seconds", "How long each model may take."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

/// The parsed options.
#[derive(Default)]
struct Options {
    to: Vec<String>,
    all: bool,
    agree: Option<usize>,
    check: bool,
    json: bool,
    model: Option<String>,
    request: Option<String>,
    system: Option<PathBuf>,
    within: Option<f64>,
}

fn run(args: &mut Args) -> Result<Exit> {
    let mut options = Options::default();
    while let Some(flag) = args.flag()? {
        let Flag::Long(name) = &flag else { return Err(args.unknown(&flag)) };
        match name.as_str() {
            "to" => options.to.extend(args.value()?.split(',').map(|name| name.trim().to_string())),
            "all" => options.all = true,
            "agree" => {
                let word = args.value()?;
                let number = word.parse().ok().filter(|n| *n > 0);
                options.agree =
                    Some(number.ok_or_else(|| args.wrong(&format!("--agree needs a number of at least 1: {word:?}")))?);
            }
            "check" => options.check = true,
            "json" => options.json = true,
            "model" => options.model = Some(args.value()?),
            "request" => options.request = Some(args.value()?),
            "system" => options.system = Some(PathBuf::from(args.value()?)),
            "within" => options.within = Some(seconds(args)?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    process::end_children_on_signal();
    process::adopt_orphans();
    let dir = args.dir()?;
    let (root, _) = workspace::root_of(&dir)?;
    let state = State::of(&root)?;
    let spec = spec(&root)?;
    let targets = ask::targets(&spec, &options.to, options.all || options.agree.is_some())?;
    let within = options.within.or(spec.timeout).unwrap_or(PATIENCE);
    if options.check {
        return check(&state, &targets, within, &root, options.json);
    }
    let system = match &options.system {
        None => String::new(),
        Some(path) => text_of(&dir.join(path), &root)?,
    };
    let nonce = ids::ulid(&["nonce", "ask"]);
    let asked = options.request.as_ref().map(|id| request::asked(&state, id, &nonce)).transpose()?;
    let prompt = match &asked {
        Some(asked) => asked.prompt.clone(),
        None => {
            let deadline = Instant::now() + Duration::from_secs_f64(within);
            pipes::read_text(limits::LINE, Some(deadline))?
        }
    };
    if prompt.trim().is_empty() {
        return Err(args.wrong("the prompt on standard input is empty"));
    }
    let question =
        Question { prompt: &prompt, system: &system, model: options.model.as_deref(), within, ..Question::default() };
    let mut answers = Vec::new();
    for target in &targets {
        let role = if asked.is_some() { "second-opinion" } else { "question" };
        let mut answer = model_call::ask((&state, TOOL.name), role, target, &question, &root)?;
        if let Some(Asked { request, floor, .. }) = &asked {
            answer.ask.request = Some(request.id.clone());
            answer.ask.snapshot = Some(request.snapshot.clone());
            // Without the nonce the decision may be quoted from elsewhere: it is not recorded.
            if let Some(Reading::Decision(decision)) = answer.text.as_deref().map(|text| read(text, &request.id))
                && sha256(decision.nonce.as_bytes()) == sha256(nonce.as_bytes())
            {
                answer.ask.decision = Some(effective_word(&decision, *floor));
                answer.ask.issues = decision.issues.into_iter().take(20).map(shortened).collect();
            }
        }
        state.append(&state.asks(), TOOL.name, answer.ask.clone())?;
        if let Some(asked) = &asked {
            announce_second_opinion(&root, &asked.task, &answer.ask);
        }
        answers.push(answer);
    }
    print(&options, &answers)
}

/// An issue whose texts fit into a record.
fn shortened(issue: Issue) -> Issue {
    let cut = |text: &str| cut_end(text, 1_000);
    Issue {
        path: cut(&issue.path),
        description: cut(&issue.description),
        how_to_verify: cut(&issue.how_to_verify),
        key: cut(&issue.key),
        ..issue
    }
}

/// `ask` in DONE.md; its defaults without a DONE.md. An unreadable DONE.md is an error.
fn spec(root: &Path) -> Result<AskSpec> {
    let event = Event::new(Source::new(Client::Text, Kind::Stop, root.to_path_buf()));
    Ok(Workspace::of(&event)?.donefile(&event)?.map(|done| done.ask).unwrap_or_default())
}

/// Reads the file of `--system`: it must be in the repository, and must not be secret or denied.
fn text_of(path: &Path, root: &Path) -> Result<String> {
    let real = std::fs::canonicalize(path).map_err(|e| Error::io("read", path, &e))?;
    let top = snapshot::top_of(root);
    let below = real
        .strip_prefix(&top)
        .map_err(|_| Error::usage(format!("--system: file outside of the repository: {}", path.display())))?;
    let event = Event::new(Source::new(Client::Text, Kind::Stop, root.to_path_buf()));
    let done = Workspace::of(&event)?.donefile(&event)?;
    let deny = done.map(|done| done.guards.deny).unwrap_or_default();
    let why = DenyList::new(&deny).why(&below.to_string_lossy());
    if !why.is_empty() {
        return Err(Error::usage(format!("--system: the file is not sent to a model ({why}): {}", path.display())));
    }
    let bytes = files::try_read(path, limits::DEFINITION)
        .ok_or_else(|| Error::usage(format!("unable to read {}", path.display())))?;
    String::from_utf8(bytes).map_err(|_| Error::usage(format!("{} is not UTF-8", path.display())))
}

/// Tests each target: it must repeat a random word.
fn check(state: &State, targets: &[Target], within: f64, root: &Path, as_json: bool) -> Result<Exit> {
    let mut exit = Exit::Yes;
    for target in targets {
        let word = ids::ulid(&["check"]);
        let prompt = format!("Reply with this word and nothing else: {word}\n");
        let question = Question { prompt: &prompt, within, ..Question::default() };
        let answer = model_call::ask((state, TOOL.name), "check", target, &question, root)?;
        let (name, seconds) = (&target.name, answer.ask.seconds);
        let wrong = match (&answer.text, &answer.ask.unavailable) {
            (Some(text), _) if text.contains(&word) => None,
            (Some(_), _) => Some("failed: the answer does not repeat the word".to_string()),
            (None, why) => Some(format!("unavailable: {}", why.as_deref().unwrap_or(""))),
        };
        if wrong.is_some() {
            exit = Exit::Unjudged;
        }
        let line = match &wrong {
            _ if as_json => json!({"to": name, "ok": wrong.is_none(), "seconds": seconds, "error": wrong}).to_string(),
            None => format!("{name}: ok, {seconds} s"),
            Some(wrong) => format!("{name}: {wrong}"),
        };
        pipes::write((line + "\n").as_bytes())?;
    }
    Ok(exit)
}

/// Prints the answers and returns the exit status.
fn print(options: &Options, answers: &[AskResult]) -> Result<Exit> {
    let as_records = options.json || options.all || options.agree.is_some();
    for answer in answers {
        match &answer.text {
            _ if as_records => {
                let mut record = json!(answer.ask);
                record["answer"] = json!(answer.text);
                pipes::write(format!("{record}\n").as_bytes())?;
            }
            Some(text) => pipes::write(format!("{text}\n").as_bytes())?,
            None => {}
        }
        if let Some(why) = &answer.ask.unavailable {
            cli::print_error(&TOOL, &format!("{} is unavailable: {why}", answer.ask.to));
        }
    }
    let answered: Vec<&AskResult> = answers.iter().filter(|answer| answer.text.is_some()).collect();
    let Some(wanted) = options.agree else {
        return Ok(if answered.is_empty() { Exit::Unjudged } else { Exit::Yes });
    };
    // Compare decisions, and answers without a decision by their text.
    let said = |answer: &AskResult| match answer.ask.decision {
        Some(word) => word.word().to_string(),
        None => answer.text.as_deref().unwrap_or("").trim().to_lowercase(),
    };
    let most =
        answered.iter().map(|one| answered.iter().filter(|other| said(other) == said(one)).count()).max().unwrap_or(0);
    Ok(match (most >= wanted, answered.len() >= wanted) {
        (true, _) => Exit::Yes,
        (false, true) => Exit::No,
        (false, false) => Exit::Unjudged,
    })
}
