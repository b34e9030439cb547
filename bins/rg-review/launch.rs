//! One review by a program that the gate starts: the program receives the review request, everything that the request refers to and
//! a nonce on standard input, and decides on standard output before a deadline. It is asked again only for what its decision lacks.

use crate::{TOOL, canary, no_reviewer, time_for_a_model};
use review_gate::event::outcome;
use review_gate::event::{BudgetOwner, Client, Event, Trust};
use review_gate::git::Repository;
use review_gate::review::ask::{self, Question, Target};
use review_gate::review::command_files::{self, SCRIPTS};
use review_gate::review::diagnostics;
use review_gate::review::instructions;
use review_gate::review::model_call;
use review_gate::review::programs;
use review_gate::review::record::{CheckedDecision, ReviewRequest, Standing};
use review_gate::review::request::{self, Extras};
use review_gate::review::settle::{FollowUp, Speaker, settle};
use review_gate::review::subject::Subject;
use review_gate::snapshot;
use review_gate::snapshot::baseline;
use review_gate::snapshot::workspace::Workspace;
use review_gate::sys::digest::{hex, sha256};
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::sys::limits;
use review_gate::sys::process;
use review_gate::tool::cli;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The reviewer's prompt that is part of review-gate.
const REVIEWER: &str = include_str!("../../agents/reviewer.md");

/// Starts the reviewer, again and again until it decides or may not be asked again.
pub fn review(event: &Event, workspace: &Workspace, request: ReviewRequest) -> Result<CheckedDecision> {
    process::end_children_on_signal();
    process::adopt_orphans();
    let subject = Subject::of(event, workspace)?;
    let target = target(event, &subject, subject.spec.command.as_ref())?;
    if subject.reviews.missed_a_defect(&target.name) {
        return Err(Error::unverified(format!("the reviewer {} approved a planted defect in this task", target.name)));
    }
    let place = place(workspace, &subject, &target)?;
    let (system, definition) = prompt_of(event, workspace, &subject)?;
    if let Some(task) = workspace.task.as_ref().filter(|_| outcome::is_counted(event))
        && canary::is_chosen(&subject, workspace, task, &request)?
    {
        canary::probe((event, workspace, task), &subject, &request, (&target, &system))?;
    }
    let asked: RefCell<Vec<&'static str>> = RefCell::new(Vec::new());
    let mut wanted_before = String::new();
    let mut diagnostics_output = String::new();
    cli::progress(&format!("{}: {} works on review request {} ...", TOOL.name, target.name, request.id));
    let (model, effort) = (env::reviewer_model(), env::reviewer_effort());
    loop {
        let nonce = ids::ulid(&["nonce", &request.id, &asked.borrow().len().to_string()]);
        let extra = Extras { nonce: Some(&nonce), diagnostics: &diagnostics_output, ..Extras::default() };
        let (whole, left_out) = request::with_material(event, workspace, &subject, &request, &extra)?;
        if !left_out.is_empty() {
            let names = review_gate::sys::text::cut_end(&left_out.join(", "), 200);
            return Err(Error::unverified(format!("the change is too large for a started reviewer: {names}")));
        }
        let prompt = whole + &wanted_before;
        let Some(within) = time_for_a_model(event, subject.spec.timeout, 1.0) else {
            return Err(Error::deadline("no time left for a reviewer"));
        };
        let question = Question {
            prompt: &prompt,
            system: &system,
            model: model.as_deref().or(subject.spec.model.as_deref()),
            effort: effort.as_deref().or(subject.spec.effort.as_deref()),
            within,
        };
        let dir = place.as_ref().map_or(event.root.as_path(), |place| place.path());
        let spender = (&workspace.state, TOOL.name);
        let answer = model_call::ask(spender, "reviewer", &target, &question, dir)?;
        let Some(message) = answer.text else {
            let why = answer.ask.unavailable.unwrap_or_default();
            return Err(Error::child(format!("the reviewer {} is unavailable: {why}", target.name)));
        };
        let times = |about: &str| asked.borrow().iter().filter(|known| **known == about).count();
        let speaker = Speaker {
            by: &target.name,
            vendor: &target.name,
            trust: Trust::Gate,
            nonce_sha256: &sha256(nonce.as_bytes()),
            asked: &times,
            transcript: None,
        };
        let (mut given, wanted) = settle(&message, &request, &speaker, &subject, workspace)?;
        given.definition = Some(definition.clone());
        let now = workspace.look(event)?;
        // A file that was put back may have been another one when the reviewer read it.
        if now.digest() != request.snapshot || !now.restored_since(&subject.now).is_empty() {
            given.standing = Standing::Void;
            given.why = "files changed during the review".to_string();
            return Ok(given);
        }
        let Some(wanted) = wanted else {
            if is_agents_own(event, &target) {
                let more = if given.why.is_empty() { "" } else { ", " };
                given.why += &format!("{more}by the agent's own program {}", target.name);
            }
            return Ok(given);
        };
        asked.borrow_mut().push(wanted.about());
        match &wanted {
            FollowUp::Form(why) => {
                wanted_before = format!("# Your last answer cannot be used: {why}. Answer again, completely.\n")
            }
            FollowUp::SecondOpinion => second_opinion(event, &subject, &target, &request, within)?,
            FollowUp::Diagnostics(names) => {
                let done = subject.done.as_ref();
                diagnostics_output.push_str(
                    &done.map(|done| diagnostics::run(done, names, &event.root, event.until)).unwrap_or_default(),
                );
            }
        }
    }
}

/// The program to start: the declared one, else the first target of rg-ask. It must be the one that the task began with.
pub fn target(event: &Event, subject: &Subject, declared: Option<&Vec<String>>) -> Result<Target> {
    let changed = |what: String| {
        let how = "If you changed it yourself, run `rg-review accept`";
        Error::changed(format!("the reviewer's program changed in this task: {what}. {how}"))
    };
    let pins = subject.reviews.pins.as_ref();
    // A client's task without pins has lost its records, or its first prompt was not seen.
    let is_unknown = pins.is_none() && event.task.is_some() && event.client != Client::Text;
    let unknown = || {
        let how = "Accept it with `rg-review accept`";
        Error::changed(format!("the reviewer's program was not recorded when the task began. {how}"))
    };
    if let Some(words) = declared {
        let path = match pins {
            _ if is_unknown => return Err(unknown()),
            Some(pins) => programs::changed_in(words, pins, &event.root),
            None => changed_file_of(words, subject),
        };
        if let Some(path) = path {
            return Err(changed(path));
        }
        // The name of a shell command is its text, not the name of the shell.
        let name = words.last().filter(|_| words.get(1).is_some_and(|word| word == "-c")).unwrap_or(&words[0]);
        return Ok(Target::declared(&review_gate::sys::text::cut_end(name, 60), words));
    }
    let spec = subject.done.as_ref().map(|done| done.ask.clone()).unwrap_or_default();
    let named: Vec<String> = env::reviewer().into_iter().collect();
    let mut found = ask::targets(&spec, &named, true).map_err(|error| no_reviewer(&error))?;
    found.sort_by_key(|target| is_agents_own(event, target));
    match pins {
        _ if is_unknown => Err(unknown()),
        Some(pins) => programs::choose(found, pins, &event.root).map_err(changed),
        None => found.into_iter().next().ok_or_else(|| no_reviewer(&Error::missing("no program"))),
    }
}

/// Whether it is the program whose work is judged: another one is chosen before it.
fn is_agents_own(event: &Event, target: &Target) -> bool {
    let agent = env::builder().unwrap_or_else(|| event.client.to_string());
    target.program_name() == Some(agent.as_str())
}

/// Without a task: a file that the reviewer's command names or runs, and that differs from the base.
fn changed_file_of(words: &[String], subject: &Subject) -> Option<String> {
    let named = command_files::of(words, &subject.root).files;
    subject.paths().into_iter().find(|path| named.contains(path) || named.contains(&format!("{path}{SCRIPTS}")))
}

/// An empty directory to start the program in, if it would read a changed instruction file in the root, and no option prevents that.
pub fn place(workspace: &Workspace, subject: &Subject, target: &Target) -> Result<Option<TempDir>> {
    let Some(program) = target.program_name() else { return Ok(None) };
    if let Some(path) = instructions::changed_of_user(subject, program) {
        let why = format!("{program} reads {} as instructions, and the file changed in this task", path.display());
        return Err(Error::changed(format!("{why}. Restore it; if you changed it yourself, run `rg-review accept`")));
    }
    if program != "gemini" || !instructions::changes_any(subject, "GEMINI.md") {
        return Ok(None);
    }
    // Nobody's instruction files lie beside the records.
    let state = workspace.state.dir();
    let made = if state.is_dir() { tempfile::tempdir_in(state) } else { tempfile::tempdir() };
    made.map(Some).map_err(|e| Error::io("create a directory in", state, &e))
}

/// The reviewer's prompt and its digest: `review.agent` as it was when the task began, else review-gate's own.
fn prompt_of(event: &Event, workspace: &Workspace, subject: &Subject) -> Result<(String, String)> {
    let text = match &subject.spec.agent {
        None => REVIEWER.to_string(),
        Some(name) => {
            let bytes = as_begun(event, workspace, name)?
                .ok_or_else(|| Error::usage(format!("review.agent: no such file when the task began: {name}")))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let digest = sha256(text.as_bytes());
    // The head is for the client; the rest is the prompt.
    let body =
        text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text.as_str(), |(_, body)| body);
    Ok((body.trim().to_string(), digest))
}

/// A file as it was when the task began; without a task, as in the commit of `--against`, else in HEAD.
fn as_begun(event: &Event, workspace: &Workspace, name: &str) -> Result<Option<Vec<u8>>> {
    let top = snapshot::top_of(&event.root);
    let whole: PathBuf = event.root.join(name);
    let path = whole.strip_prefix(&top).unwrap_or(Path::new(name));
    if let Some(baseline) = workspace.task.as_ref().and_then(|task| baseline::last(task, &BudgetOwner::Main)) {
        let files = baseline.files(&workspace.state)?;
        let Some(file) = files.into_iter().find(|file| file.path == path) else { return Ok(None) };
        // Read the file if it did not change, else its stored bytes.
        let now = files::try_read(&whole, limits::DEFINITION)
            .filter(|bytes| review_gate::sys::digest::raw(bytes) == file.entry.sha256);
        if now.is_some() {
            return Ok(now);
        }
        if let Ok(kept) = workspace.state.read_blob(&hex(&file.entry.sha256)) {
            return Ok(Some(kept));
        }
        let repository = Repository::find(&event.root);
        return repository.filter(|_| !file.id.is_none()).map(|repository| repository.blob(file.id)).transpose();
    }
    let Some(repository) = Repository::find(&event.root) else {
        return Ok(files::try_read(&whole, limits::DEFINITION));
    };
    let commit = match &event.against {
        Some(name) => Some(repository.resolve(name)?),
        None => repository.head(),
    };
    let Some(commit) = commit else { return Ok(files::try_read(&whole, limits::DEFINITION)) };
    Ok(repository.first_file_of(&commit, Path::new(""), &[path])?.map(|(_, bytes)| bytes))
}

/// Runs rg-ask with another model than the reviewer; rg-ask's record is the proof.
fn second_opinion(event: &Event, subject: &Subject, first: &Target, request: &ReviewRequest, left: f64) -> Result<()> {
    let spec = subject.done.as_ref().map(|done| done.ask.clone()).unwrap_or_default();
    let mut all = ask::targets(&spec, &[], true).unwrap_or_default();
    all.retain(|target| target.name != first.name);
    all.sort_by_key(|target| is_agents_own(event, target));
    let other = match &subject.reviews.pins {
        // rg-ask searches PATH again.
        Some(pins) => programs::choose(all.clone(), pins, &event.root).ok().filter(|other| all.contains(other)),
        None => all.into_iter().next(),
    };
    let Some(other) = other else { return Ok(()) };
    let place = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = process::Command::new(place.join("rg-ask"));
    command.args(["--request", &request.id, "--to", &other.name, "--within", &format!("{left:.0}")]);
    command.current_dir(&event.root).envs(env::own_variables()).envs(env::model_credentials());
    // rg-ask records a missing answer, too.
    process::output(command, Duration::from_secs_f64(left + 5.0)).map(drop)
}
