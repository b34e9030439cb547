//! The agent: its command line, and one turn of it.

use review_gate::review::ask::KNOWN;
use review_gate::review::client_output::{self, ClientAnswer, Form, Output};
use review_gate::store::record::RunStart;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::{self, Command};
use review_gate::sys::shell;
use review_gate::sys::signal;
use review_gate::sys::text::{cut_end, cut_middle, one_line, plain};
use std::path::Path;
use std::time::Duration;

/// The longest prompt that is passed as an argument, in bytes: Linux allows 128 KiB for each.
const LONGEST_ARGUMENT: usize = 120 << 10;

/// An agent that can be started.
pub struct Builder {
    /// Its name in messages.
    pub name: String,
    form: Form,
    words: Vec<String>,
    is_argument: bool,
}

/// One turn.
#[derive(Debug)]
pub struct Turn {
    /// How it ended.
    pub how: String,
    /// Its exit status.
    pub exit: Option<i32>,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// What it answered.
    pub answer: ClientAnswer,
}

impl Builder {
    /// The builder of a run. Errors: usage, if the program has no option for what was asked.
    pub fn of(start: &RunStart) -> Result<Builder> {
        let name = start.agent.first().map_or("", String::as_str);
        let is_known = start.agent.len() == 1 && KNOWN.contains(&name);
        let form = if is_known { Form::of(name) } else { Form::Other };
        let mut words = start.agent.clone();
        let mut push = |more: &[&str]| words.extend(more.iter().map(|word| word.to_string()));
        match (form, start.patch) {
            (Form::Claude, false) => push(&["-p", "--output-format", "json", "--permission-mode", "acceptEdits"]),
            (Form::Claude, true) => push(&["-p", "--output-format", "json", "--tools", "Read,Grep,Glob"]),
            (Form::Codex, is_patch) => {
                let sandbox = if is_patch { "read-only" } else { "workspace-write" };
                push(&["exec", "--sandbox", sandbox, "--skip-git-repo-check", "--color", "never", "--json"]);
            }
            (Form::Gemini, is_patch) => {
                let mode = if is_patch { "plan" } else { "auto_edit" };
                push(&["--approval-mode", mode, "--skip-trust", "--output-format", "json"]);
            }
            (Form::Other, _) => {}
        }
        let effort = start.effort.as_deref();
        match (form, &start.model) {
            (Form::Other, Some(_)) => return Err(Error::usage("--model is only for claude, codex and gemini")),
            (_, Some(model)) => push(&["--model", model]),
            (_, None) => {}
        }
        match (form, effort) {
            (_, None) => {}
            (Form::Claude, Some(level)) => push(&["--effort", level]),
            (Form::Codex, Some(level)) => {
                let quoted = serde_json::to_string(level).unwrap_or_default();
                push(&["-c", &format!("model_reasoning_effort={quoted}")]);
            }
            (_, Some(_)) => return Err(Error::usage("--effort is only for claude and codex")),
        }
        if form == Form::Codex {
            push(&["-"]);
        }
        // The name of a shell command is its text, not the name of the shell.
        let named = match start.agent.as_slice() {
            [shell, flag, line] if shell == "sh" && flag == "-c" => line,
            _ => &start.agent[0],
        };
        let is_argument = start.argument && form == Form::Other;
        Ok(Builder { name: cut_end(&one_line(named), 60), form, words, is_argument })
    }

    /// The known program that it starts, also as the first word of a command; None if it is another one.
    pub fn program(&self) -> Option<&'static str> {
        let words: Vec<&str> = match self.words.as_slice() {
            [shell, flag, line] if shell == "sh" && flag == "-c" => line.split_whitespace().collect(),
            words => words.iter().map(String::as_str).collect(),
        };
        let first = words.into_iter().find(|word| !word.contains('=') && !matches!(*word, "exec" | "env"))?;
        KNOWN.into_iter().find(|name| *name == shell::program_name(first))
    }

    /// The command line, as a plan shows it.
    pub fn line(&self) -> String {
        let quoted: Vec<String> = self.words.iter().map(|word| review_gate::wiring::shell_quoted(word)).collect();
        quoted.join(" ") + if self.is_argument { " PROMPT" } else { " <PROMPT" }
    }

    /// The command without its prompt. It runs in the background of a terminal, where a question would stop it for ever: with these signals
    /// ignored it gets an error instead.
    fn command(&self, root: &Path) -> Result<Command> {
        let (program, args) = self.words.split_first().ok_or_else(|| Error::usage("the builder has no program"))?;
        let is_found =
            if program.contains('/') { root.join(program).is_file() } else { env::program(program).is_some() };
        let mut command = Command::new(if is_found { "sh" } else { program });
        if is_found {
            command.args(["-c", "trap '' TTIN TTOU; exec \"$0\" \"$@\"", program]);
        }
        command.args(args);
        Ok(command)
    }

    /// Runs one turn of that run in `root` with this prompt. `started` gets its process group.
    pub fn turn(
        &self,
        run: &str,
        prompt: &str,
        root: &Path,
        deadline: Duration,
        started: impl FnOnce(i32),
    ) -> Result<Turn> {
        let mut command = self.command(root)?;
        command.current_dir(root).envs(env::model_credentials()).env(env::RUN, run);
        let input = match self.is_argument {
            true => {
                command.arg(cut_middle(prompt, LONGEST_ARGUMENT).replace('\0', ""));
                Vec::new()
            }
            false => prompt.as_bytes().to_vec(),
        };
        let (mut output, mut errors) = (Output::default(), Output::default());
        let ended = process::run_with_input(command, input, deadline, started, |from, bytes| match from {
            0 => output.add(bytes),
            _ => errors.add(bytes),
        })?;
        let answer = client_output::read(self.form, &output.bytes());
        let mut how = match ended.status {
            Some(status) => signal::how_it_ended(status),
            None => "timed out".to_string(),
        };
        if !ended.status.is_some_and(|status| status.success()) {
            let words = plain(&errors.bytes());
            let last = words.lines().rfind(|line| !line.trim().is_empty());
            how += &last.map_or(String::new(), |line| format!(": {}", cut_end(&one_line(line), 200)));
        }
        let seconds = (ended.duration.as_secs_f64() * 10.0).round() / 10.0;
        let seconds = if clock::pinned().is_some() { 0.0 } else { seconds };
        Ok(Turn { how, exit: ended.status.and_then(|status| status.code()), seconds, answer })
    }
}
