//! `request` and `context`: print a review request and what it refers to.

use crate::TOOL;
use crate::call::ask_line;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::review::record::{ReviewRequest, Reviews};
use review_gate::review::request::{self, Extras};
use review_gate::review::subject::Subject;
use review_gate::snapshot::workspace::{self, Workspace};
use review_gate::store::state::State;
use review_gate::store::task::{self, Task};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// The options and operands of a verb.
#[derive(Default)]
pub struct Options {
    /// `--task`: the id of the task.
    pub task: Option<String>,
    /// `--why`: the reason; empty if it is not given.
    pub why: String,
    /// `--question`: the question for another model.
    pub question: Option<String>,
    /// Whether `--files`, `--prompts` or `--reviewers` is given.
    pub has_part: bool,
    /// `--json`
    pub json: bool,
    /// Operands.
    pub names: Vec<String>,
}

/// Parses the arguments of a verb. Every verb takes `--task`; `allowed` names its others, and "" stands for operands.
pub fn parse_options(args: &mut Args, allowed: &[&str]) -> Result<Options> {
    let mut options = Options::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(name) if allowed.contains(&"") => options.names.push(name.clone()),
            Flag::Long(name) if name == "task" => options.task = Some(args.value()?),
            Flag::Long(name) if allowed.contains(&name.as_str()) => match name.as_str() {
                "why" => options.why = args.value()?.trim().to_string(),
                "json" => options.json = true,
                "question" => options.question = Some(args.value()?),
                _ => options.has_part = true,
            },
            _ => return Err(args.unknown(&flag)),
        }
    }
    Ok(options)
}

/// The task with that id, else the open one, and an event about its current files.
pub fn task_and_event(args: &Args, id: Option<String>) -> Result<(Event, Workspace)> {
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let task = task::named_or_open(&state, id)?;
    about(&state, &task)
}

fn about(state: &State, task: &Task) -> Result<(Event, Workspace)> {
    let mut source = Source::new(Client::Text, Kind::Stop, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.session = Some(task.begin.session.clone());
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let workspace = Workspace::of(&event)?;
    Ok((event, workspace))
}

/// The task whose journal holds the named review request, and the request's id: a reviewer knows the request, not the task.
fn of_request(args: &Args, options: &Options) -> Result<(Event, Workspace, Option<String>)> {
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    if let Some(name) =
        options.names.first().filter(|name| name.len() >= 6 && name.bytes().all(|b| b.is_ascii_alphanumeric()))
        && let Some(task) = task::find_by_record(&state, name)
    {
        let (event, workspace) = about(&state, &task)?;
        return Ok((event, workspace, Some(name.clone())));
    }
    let (event, workspace) = task_and_event(args, options.task.clone())?;
    Ok((event, workspace, None))
}

/// The review request with that id, else the one for the current files.
fn request_of(event: &Event, workspace: &Workspace, subject: &Subject, id: Option<&str>) -> Result<ReviewRequest> {
    let reviews = Reviews::of(workspace.task.as_ref());
    match id {
        Some(id) => reviews.request(id).cloned().ok_or_else(|| Error::usage(format!("no such review request: {id}"))),
        None => match reviews.request_of(&subject.now.digest()) {
            Some(request) => Ok(request.clone()),
            None => subject.request(event, workspace),
        },
    }
}

/// `request`: prints the request; with `--files` every changed file.
pub fn request(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &["files", ""])?;
    let (event, workspace, id) = of_request(args, &options)?;
    if id.is_none() && !options.names.is_empty() || options.names.len() > 1 {
        return Err(Error::usage(format!("no such review request: {}", options.names.join(" "))));
    }
    let subject = Subject::of_verb(&event, &workspace)?;
    let request = request_of(&event, &workspace, &subject, id.as_deref())?;
    let mut out = changed_since(&subject, &request);
    if options.has_part {
        for file in subject.changed(&workspace, false)? {
            let hunks = file.hunks.map_or(file.withheld.to_string(), |hunks| count(hunks, "hunk"));
            out.push_str(&format!("{} {} ({hunks}) {}\n", file.mark, one_line(&file.path), file.sha256));
        }
    } else {
        let extra = Extras { ask: ask_line(&subject, &request), can_run: true, ..Extras::default() };
        out.push_str(&request::text(&event, &workspace, &subject, &request, &extra)?);
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn changed_since(subject: &Subject, request: &ReviewRequest) -> String {
    match subject.now.digest() == request.snapshot {
        true => String::new(),
        false => {
            format!("(files changed since review request {} was created: these are the current ones)\n", request.id)
        }
    }
}

/// `context`: prints what a request refers to; with `--question` what another model needs to answer the question.
pub fn context(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &["prompts", "question", ""])?;
    let (event, workspace, id) = of_request(args, &options)?;
    let subject = Subject::of_verb(&event, &workspace)?;
    let request = request_of(&event, &workspace, &subject, id.as_deref())?;
    let paths = &options.names[usize::from(id.is_some())..];
    let paths: Vec<String> = paths.iter().map(|path| below_root(path, &subject)).collect::<Result<_>>()?;
    let mut out = changed_since(&subject, &request);
    if let Some(question) = &options.question {
        out.push_str(&format!("# A question about work in progress\n\n{question}\n\n"));
        out.push_str("Answer it for the user whose prompts follow. Change nothing. ");
    }
    out.push_str(&request::context(&event, &workspace, &subject, &request, &paths, options.has_part)?.0);
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A named path, relative to the root as the request lists it. A path that did not change is an error.
fn below_root(path: &str, subject: &Subject) -> Result<String> {
    let root = format!("{}/", subject.root.display());
    let path = path.trim_start_matches(root.as_str()).trim_start_matches("./").trim_end_matches('/');
    let below = format!("{path}/");
    let is_there = subject.paths().iter().any(|known| known == path || known.starts_with(&below));
    match is_there || path.is_empty() {
        true => Ok(path.to_string()),
        false => Err(Error::usage(format!("no such review request or changed path: {path:?}"))),
    }
}

/// The tool's name, for the records that its verbs write.
pub const NAME: &str = TOOL.name;
