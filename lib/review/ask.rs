//! Asks other models through their command-line programs, with a deadline.

use super::client_output::{self, Form, Output};
use crate::donefile::AskSpec;
use crate::store::open_asks::OpenAsk;
use crate::store::record::Ask;
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::process::{self, Command};
use crate::sys::text::{cut_end, one_line, plain};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much of an answer is read, in bytes.
const ANSWER_LIMIT: usize = 1 << 20;

/// The default time limit of an answer, in seconds.
pub const PATIENCE: f64 = 300.0;

/// The known programs, in the order in which they are searched.
pub const KNOWN: [&str; 3] = ["codex", "gemini", "claude"];

/// The variables that make Claude Code read no instruction files: with an option, an older release would refuse to start.
const NO_MEMORY: [(&str, &str); 2] =
    [("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"), ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")];

/// A model that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name in records.
    pub name: String,
    /// The declared program with its arguments; None for a known program.
    declared: Option<Vec<String>>,
    /// The path of a known program.
    program: PathBuf,
}

/// A question.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// The prompt.
    pub prompt: &'a str,
    /// The system prompt.
    pub system: &'a str,
    /// The model that the program must use.
    pub model: Option<&'a str>,
    /// The effort that the program must make. Gemini CLI has no option for it.
    pub effort: Option<&'a str>,
    /// The time limit in seconds.
    pub within: f64,
}

/// The result of an ask.
#[derive(Clone, Debug)]
pub struct AskResult {
    /// Its record.
    pub ask: Ask,
    /// The answer; None if there is none.
    pub text: Option<String>,
}

/// The models to ask: those in `names`, else `ask.to` of DONE.md, else the first declared or installed one, or all of them with `all`.
/// Errors: usage, if a name is unknown; missing, if no program is found.
pub fn targets(spec: &AskSpec, names: &[String], all: bool) -> Result<Vec<Target>> {
    let names = if names.is_empty() { &spec.to } else { names };
    if !names.is_empty() {
        return names.iter().map(|name| target(spec, name)).collect();
    }
    let declared = spec.targets.keys().map(|name| target(spec, name));
    let known = KNOWN.iter().filter(|name| env::program(name).is_some()).map(|name| target(spec, name));
    let found: Vec<Target> = declared.chain(known).collect::<Result<_>>()?;
    match (found.is_empty(), all) {
        (true, _) => Err(Error::missing(format!(
            "no model to ask: none of {} is on PATH. Install one, or set `ask.to` in DONE.md",
            KNOWN.join(", ")
        ))),
        (_, true) => Ok(found),
        (_, false) => Ok(found.into_iter().take(1).collect()),
    }
}

fn target(spec: &AskSpec, name: &str) -> Result<Target> {
    if let Some(words) = spec.targets.get(name) {
        return Ok(Target { name: name.to_string(), declared: Some(words.clone()), program: PathBuf::new() });
    }
    if !KNOWN.contains(&name) {
        let declared: Vec<&str> = spec.targets.keys().map(String::as_str).collect();
        let all = [KNOWN.as_slice(), &declared].concat().join(", ");
        return Err(Error::usage(format!(
            "unknown model: {name:?}. Use one of {all}, or declare it under `ask.targets` in DONE.md"
        )));
    }
    // A program that is not installed is recorded as unavailable when it is asked.
    let program = env::program(name).unwrap_or_else(|| PathBuf::from(name));
    Ok(Target { name: name.to_string(), declared: None, program })
}

impl Target {
    /// A reviewer's program from DONE.md.
    pub fn declared(name: &str, words: &[String]) -> Target {
        Target { name: name.to_string(), declared: Some(words.to_vec()), program: PathBuf::new() }
    }

    /// The name of a known program; None for a declared one.
    pub fn program_name(&self) -> Option<&str> {
        self.declared.is_none().then_some(self.name.as_str())
    }

    /// The words of a declared program.
    pub fn declared_words(&self) -> Option<&[String]> {
        self.declared.as_deref()
    }

    /// The same model, with its program at this path.
    pub fn at(self, program: PathBuf) -> Target {
        Target { program, ..self }
    }

    /// The program and its arguments: without permission prompts, read-only, without hooks, without instruction files as far as the
    /// program has an option for that, and so that it reports what it spent. The prompt goes to standard input.
    fn argv(&self, question: &Question<'_>) -> Vec<String> {
        let mut words: Vec<String> = match &self.declared {
            Some(words) => return words.clone(),
            None => vec![self.program.to_string_lossy().into_owned()],
        };
        let mut push = |more: &[&str]| words.extend(more.iter().map(|word| word.to_string()));
        match self.name.as_str() {
            "codex" => {
                push(&["exec", "--sandbox", "read-only", "--skip-git-repo-check", "--color", "never", "--json"]);
                push(&["-c", "features.hooks=false", "-c", "project_doc_max_bytes=0"]);
                push(&["-c", "skills.include_instructions=false"]);
                if !question.system.is_empty() {
                    let text = serde_json::to_string(question.system).unwrap_or_default();
                    push(&["-c", &format!("developer_instructions={text}")]);
                }
            }
            "gemini" => {
                push(&["--approval-mode", "plan", "--skip-trust", "--extensions", "none", "--output-format", "json"])
            }
            _ => {
                push(&["-p", "--output-format", "json", "--tools", "Read,Grep,Glob", "--strict-mcp-config"]);
                // Settings of the project are left out: they may name an output style, which is a system prompt.
                push(&["--setting-sources", "user"]);
                push(&["--settings", "{\"disableAllHooks\":true,\"outputStyle\":\"default\"}"]);
                if !question.system.is_empty() {
                    push(&["--append-system-prompt", question.system]);
                }
            }
        }
        if let Some(model) = question.model {
            push(&["--model", model]);
        }
        match (self.name.as_str(), question.effort) {
            ("codex", Some(level)) => {
                let quoted = serde_json::to_string(level).unwrap_or_default();
                push(&["-c", &format!("model_reasoning_effort={quoted}")]);
            }
            ("claude", Some(level)) => push(&["--effort", level]),
            _ => {}
        }
        if self.name == "codex" {
            push(&["-"]);
        }
        words
    }

    /// How it reports.
    fn form(&self) -> Form {
        self.program_name().map_or(Form::Other, Form::of)
    }

    /// The standard input. A program without an option for a system prompt reads it before the prompt.
    fn input(&self, question: &Question<'_>) -> String {
        let has_option = self.declared.is_none() && self.name != "gemini";
        match has_option || question.system.is_empty() {
            true => question.prompt.to_string(),
            false => format!("{}\n\n{}", question.system, question.prompt),
        }
    }
}

/// Asks, and retries once after a quick failure. The program runs in `root`. A failure is part of the result.
pub fn ask(target: &Target, question: &Question<'_>, root: &Path) -> AskResult {
    let argv = target.argv(question);
    let input = target.input(question);
    let began = Instant::now();
    let deadline = Duration::from_secs_f64(question.within.clamp(0.1, crate::sys::clock::DAY));
    let mut ask = Ask {
        to: target.name.clone(),
        argv: argv.iter().map(|word| cut_end(&one_line(word), 200)).collect(),
        prompt_sha256: sha256(input.as_bytes()),
        answer_sha256: None,
        request: None,
        snapshot: None,
        seconds: 0.0,
        exit: None,
        decision: None,
        issues: Vec::new(),
        tokens: Some(0),
        cost: Some(0.0),
        unavailable: None,
    };
    let mut text = None;
    for last in [false, true] {
        let left = deadline.saturating_sub(began.elapsed());
        let Attempt { exit, answer, tokens, cost } = once(&argv, (&input, target.form()), root, left);
        ask.exit = exit;
        ask.tokens = ask.tokens.zip(tokens).and_then(|(sum, tokens)| sum.checked_add(tokens));
        ask.cost = ask.cost.zip(cost).map(|(sum, cost)| sum + cost);
        match answer {
            Ok(answer) => {
                ask.answer_sha256 = Some(sha256(answer.as_bytes()));
                ask.unavailable = None;
                text = Some(answer);
                break;
            }
            Err(why) => ask.unavailable = Some(why),
        }
        if last || began.elapsed() > deadline / 4 || exit == Some(126) || exit == Some(127) {
            break;
        }
    }
    ask.seconds =
        if crate::sys::clock::pinned().is_some() { 0.0 } else { (began.elapsed().as_secs_f64() * 10.0).round() / 10.0 };
    AskResult { ask, text }
}

/// One run of a program.
struct Attempt {
    /// Its exit status.
    exit: Option<i32>,
    /// Its answer, or the reason why there is none.
    answer: std::result::Result<String, String>,
    /// The tokens that it reported.
    tokens: Option<u64>,
    /// The cost that it reported.
    cost: Option<f64>,
}

/// Runs the program once.
fn once(argv: &[String], (input, form): (&str, Form), root: &Path, deadline: Duration) -> Attempt {
    let (mut output, mut errors, mut is_started) = (Output::default(), Output::default(), false);
    let mut run = || -> Result<process::Output> {
        let open = OpenAsk::begin()?;
        let (program, args) = argv.split_first().ok_or_else(|| Error::usage("empty program"))?;
        let mut command = Command::new(program);
        command.args(args).current_dir(root).envs(env::model_credentials()).env("RG_ASK", &open.id).envs(NO_MEMORY);
        if let Some(state) = env::state_override()? {
            command.env("RG_STATE", state);
        }
        if let Some(run) = env::budget_run() {
            command.env(env::RUN_BUDGET, run);
        }
        let started = |_| is_started = true;
        let input = input.as_bytes().to_vec();
        let ended = process::run_with_input(command, input, deadline, started, |from, bytes| match from {
            0 => output.add(bytes),
            _ => errors.add(bytes),
        })?;
        if ended.status.is_none() {
            return Err(Error::deadline(format!("{program} did not end within {} s", deadline.as_secs_f64().ceil())));
        }
        Ok(process::Output { status: ended.status, stdout: Vec::new(), stderr: errors.bytes() })
    };
    let ended = run();
    let told = client_output::read(form, &output.bytes());
    // A program that did not start has spent nothing.
    let (tokens, cost) = if is_started { (told.tokens, told.cost) } else { (Some(0), Some(0.0)) };
    let answer = match &ended {
        Err(error) => Err(error.to_string()),
        Ok(output) => {
            let answer = cut_end(told.message.trim(), ANSWER_LIMIT);
            let words = plain(&output.stderr);
            let words = words
                .lines()
                .rfind(|line| !line.trim().is_empty())
                .map_or(String::new(), |line| format!(": {}", cut_end(&one_line(line), 200)));
            match (output.success(), answer.is_empty()) {
                (true, false) => Ok(answer),
                (true, true) => Err(format!("empty answer{words}")),
                (false, _) => Err(match output.code() {
                    Some(code) => format!("failed with status {code}{words}"),
                    None => format!("{}{words}", output.how_it_ended()),
                }),
            }
        }
    };
    Attempt { exit: ended.ok().and_then(|output| output.code()), answer, tokens, cost }
}
