//! Calls each wired hook as its client does: one event of each kind, a dangerous command, and a stop with a failing check.
//!
//! The hooks write their records below a temporary directory, so nothing of this is kept.

use crate::clients;
use crate::live_calls::{Call, DANGEROUS, HARMLESS, is_block};
use crate::report::{LiveLine, Report};
use review_gate::donefile::{self, TraceLevel};
use review_gate::event::{Client, Kind};
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, one_line};
use review_gate::wiring::clients::{HookForm, Wired};
use review_gate::wiring::settings::OwnHook;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a hook may take, in seconds, if its client waits longer: the failing check ends at once.
const LIMIT: f64 = 60.0;

/// How much of a reply is read, in bytes.
const OUTPUT: usize = 1 << 20;

/// The definition of done of the scratch repository.
const DEFINITION: &str = "```yaml\nchecks:\n  - {name: rg-doctor, run: 'echo failing on purpose; exit 1'}\n```\n";

/// Calls the hooks that are wired for the working tree at `top`; the clients would run in `dir`.
pub fn look(top: &Path, dir: &Path, report: &mut Report) -> Result<()> {
    process::end_children_on_signal();
    for (client, path, own) in clients::wired(top) {
        let trial = Trial::begin(client, &path, dir)?;
        let mut hooks = Vec::new();
        for hook in &own.hooks {
            match trial.call(hook, &trial.session).kind(dir) {
                Ok(kind) => hooks.push((rank(&kind), kind, hook)),
                Err(error) => trial.report(report, hook, 0.0, Err(error.to_string())),
            }
        }
        hooks.sort_by_key(|(rank, ..)| *rank);
        for (_, kind, hook) in &hooks {
            let prompt = hooks.iter().find(|(_, kind, _)| *kind == Kind::Prompt).map(|(_, _, hook)| *hook);
            trial.hook(report, hook, kind, prompt)?;
        }
    }
    Ok(())
}

/// Whether DONE.md says that no event is recorded.
fn is_trace_off(dir: &Path) -> bool {
    let found = workspace::root_of(dir).ok().and_then(|(root, _)| donefile::find(&root).ok()?);
    let definition = found.and_then(|found| donefile::parse(found.name, &found.bytes, &found.root).ok());
    definition.is_some_and(|definition| definition.trace == TraceLevel::Off)
}

/// The order of the events in a session.
fn rank(kind: &Kind) -> usize {
    let order = [
        Kind::SessionStart,
        Kind::Prompt,
        Kind::ToolBefore,
        Kind::ToolAfter,
        Kind::ToolFailed,
        Kind::SubagentStart,
        Kind::SubagentStop,
        Kind::CompactBefore,
        Kind::Stop,
    ];
    order.iter().position(|known| known == kind).unwrap_or(order.len())
}

/// The hooks of one settings file, with a state directory and a repository of their own.
struct Trial<'a> {
    client: &'static Wired,
    path: &'a Path,
    /// Where the client runs.
    dir: &'a Path,
    scratch: TempDir,
    session: String,
}

/// What a hook printed.
struct Reply {
    value: Value,
    is_empty: bool,
}

impl<'a> Trial<'a> {
    fn begin(client: &'static Wired, path: &'a Path, dir: &'a Path) -> Result<Trial<'a>> {
        let scratch = tempfile::Builder::new().prefix("rg-doctor-").tempdir();
        let scratch = scratch.map_err(|e| Error::io("make a directory in", &std::env::temp_dir(), &e))?;
        let session = format!("rg-doctor-{}", ids::ulid(&["session"]));
        let trial = Trial { client, path, dir, scratch, session };
        // A repository of its own, wherever the temporary directory is.
        let git = trial.repository().join(".git");
        // rg-trace records only where a state directory is.
        for dir in [git.join("objects"), git.join("refs"), trial.state().dir().to_path_buf()] {
            fs::create_dir_all(&dir).map_err(|e| Error::io("make", &dir, &e))?;
        }
        files::write_whole(&git.join("HEAD"), b"ref: refs/heads/main\n", false)?;
        files::write_whole(&trial.repository().join("DONE.md"), DEFINITION.as_bytes(), false)?;
        Ok(trial)
    }

    fn repository(&self) -> PathBuf {
        self.scratch.path().join("repository")
    }

    fn state(&self) -> State {
        State::at(self.scratch.path().join("state"))
    }

    fn call<'b>(&self, hook: &'b OwnHook, session: &'b str) -> Call<'b> {
        Call { client: self.client.client, event: &hook.line.event, matcher: hook.line.matcher.as_deref(), session }
    }

    /// Calls one hook, and reports what it did.
    fn hook(&self, report: &mut Report, hook: &OwnHook, kind: &Kind, prompt: Option<&OwnHook>) -> Result<()> {
        match kind {
            Kind::Stop => self.stop(report, hook, prompt),
            Kind::ToolBefore if self.call(hook, &self.session).is_of_shell() => {
                self.reply(report, hook, kind);
                self.denial(report, hook);
                Ok(())
            }
            _ => {
                self.reply(report, hook, kind);
                Ok(())
            }
        }
    }

    /// Calls a hook that has to reply. One that records events has to leave a record.
    fn reply(&self, report: &mut Report, hook: &OwnHook, kind: &Kind) {
        // A subagent's stop may run the commands of DONE.md, so it is tried in the scratch repository.
        let is_of_subagent = matches!(kind, Kind::SubagentStart | Kind::SubagentStop);
        let dir = if is_of_subagent { self.repository() } else { self.dir.to_path_buf() };
        let before = self.recorded(kind);
        let began = Instant::now();
        let reply = self.run(hook, &dir, self.call(hook, &self.session).input(kind, &dir, HARMLESS));
        let seconds = began.elapsed().as_secs_f64();
        let records = hook.line.line.contains("rg-trace") && !is_trace_off(&dir);
        let outcome = reply.and_then(|_| match records && self.recorded(kind) <= before {
            true => Err("it left no record of the event".to_string()),
            false => Ok("replied".to_string()),
        });
        self.report(report, hook, seconds, outcome);
    }

    /// Sends a command that has to be denied.
    fn denial(&self, report: &mut Report, hook: &OwnHook) {
        let dir = self.repository();
        let began = Instant::now();
        let reply = self.run(hook, &dir, self.call(hook, &self.session).input(&Kind::ToolBefore, &dir, DANGEROUS));
        let seconds = began.elapsed().as_secs_f64();
        self.report_block(report, hook, seconds, &format!("`{DANGEROUS}`"), reply);
    }

    /// Ends a turn whose check fails. The stop has to be blocked.
    fn stop(&self, report: &mut Report, hook: &OwnHook, prompt: Option<&OwnHook>) -> Result<()> {
        let dir = self.repository();
        let session = format!("{}-stop", self.session);
        if let Some(prompt) = prompt {
            // If it fails, its own line in the report says so.
            let _ = self.run(prompt, &dir, self.call(prompt, &session).input(&Kind::Prompt, &dir, HARMLESS));
        }
        files::write_whole(&dir.join("work.txt"), b"changed\n", false)?;
        let began = Instant::now();
        let reply = self.run(hook, &dir, self.call(hook, &session).input(&Kind::Stop, &dir, HARMLESS));
        let seconds = began.elapsed().as_secs_f64();
        self.report_block(report, hook, seconds, "a stop with a failing check", reply);
        Ok(())
    }

    fn report_block(
        &self,
        report: &mut Report,
        hook: &OwnHook,
        seconds: f64,
        what: &str,
        reply: std::result::Result<Reply, String>,
    ) {
        let reply = match reply {
            Err(why) => return self.report(report, hook, seconds, Err(why)),
            Ok(reply) => reply,
        };
        if is_block(&reply.value) {
            return self.report(report, hook, seconds, Ok(format!("blocked {what}")));
        }
        let said = if reply.is_empty { "it printed nothing" } else { "its reply blocks nothing" };
        let text = format!("did not block {what}: {said}");
        self.add(report, hook, seconds, false, text.clone());
        let text = format!("{}: the hook of {} {text}", self.path.display(), hook.line.event);
        report.problem("not-blocked", text, clients::install_command(self.client, self.path));
    }

    fn report(&self, report: &mut Report, hook: &OwnHook, seconds: f64, outcome: std::result::Result<String, String>) {
        match outcome {
            Ok(text) => self.add(report, hook, seconds, true, text),
            Err(why) => {
                self.add(report, hook, seconds, false, format!("failed: {why}"));
                let text = format!("{}: the hook of {} failed: {why}", self.path.display(), hook.line.event);
                report.problem("no-reply", text, clients::install_command(self.client, self.path));
            }
        }
    }

    fn add(&self, report: &mut Report, hook: &OwnHook, seconds: f64, is_good: bool, text: String) {
        report.live.push(LiveLine {
            client: self.client.client.word(),
            path: self.path.to_path_buf(),
            event: hook.line.event.clone(),
            matcher: hook.line.matcher.clone(),
            seconds,
            is_good,
            text,
        });
    }

    /// How many events of this kind the session's trace has.
    fn recorded(&self, kind: &Kind) -> usize {
        let Ok(trace) = Journal::open(&self.state().trace(&self.session)) else { return 0 };
        trace.of::<TracedEvent>().filter(|traced| traced.event == *kind).count()
    }

    /// Runs a hook with that input in the client's shell. The error says why there is no reply.
    fn run(&self, hook: &OwnHook, dir: &Path, input: Vec<u8>) -> std::result::Result<Reply, String> {
        let mut command = match hook.args.is_empty() {
            true => {
                let mut command = Command::new(self.shell());
                command.arg("-c").arg(&hook.command);
                command
            }
            false => {
                let root = env::plugin_root().unwrap_or_default();
                let placed = |word: &str| word.replace("${CLAUDE_PLUGIN_ROOT}", &root.to_string_lossy());
                let mut command = Command::new(placed(&hook.command));
                command.args(hook.args.iter().map(|word| placed(word)));
                command
            }
        };
        command.current_dir(dir).env("RG_STATE", self.state().dir()).env("XDG_STATE_HOME", self.scratch.path());
        command.env("CLAUDE_PROJECT_DIR", dir);
        if self.client.client == Client::Gemini {
            command.env("GEMINI_PROJECT_DIR", dir).env("GEMINI_CWD", dir).env("GEMINI_SESSION_ID", &self.session);
        }
        if let Some(root) = env::plugin_root() {
            command.env("CLAUDE_PLUGIN_ROOT", root);
        }
        let limit = self.limit(hook);
        let output = process::output_with_input(command, input, Duration::from_secs_f64(limit), OUTPUT)
            .map_err(|error| one_line(&error.to_string()))?;
        if !output.success() {
            let said = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("").to_string();
            return Err(cut_end(&one_line(&format!("{} {said}", output.how_it_ended())), 200));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        if text.trim().is_empty() {
            return Ok(Reply { value: Value::Null, is_empty: true });
        }
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.is_object() => Ok(Reply { value, is_empty: false }),
            _ => Err("it printed something that is no JSON object".to_string()),
        }
    }

    /// How long the hook may take, in seconds: as long as its client waits, and at most `LIMIT`.
    fn limit(&self, hook: &OwnHook) -> f64 {
        let unit = if self.client.form == HookForm::Gemini { 1000.0 } else { 1.0 };
        let own = hook.timeout.map_or(LIMIT, |timeout| timeout / unit);
        if own > 0.0 { own.min(LIMIT) } else { LIMIT }
    }

    /// The shell in which the client runs its hooks.
    fn shell(&self) -> PathBuf {
        match self.client.form {
            HookForm::Claude | HookForm::Cursor => PathBuf::from("/bin/sh"),
            HookForm::Codex => env::shell().unwrap_or_else(|| PathBuf::from("/bin/sh")),
            HookForm::Gemini => env::program("bash").unwrap_or_else(|| PathBuf::from("/bin/sh")),
        }
    }
}
