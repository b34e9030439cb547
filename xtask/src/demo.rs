//! The demo: scripted agents in a scratch repository, judged by the pipelines of hooks.json, without a client or a network.
//! It fails if an outcome is not the expected one.

use crate::stage::{line, paint, say, title};
use crate::{Failure, demo_calls, demo_review, demo_work, plugin};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, TempDir, cmd};

/// A scratch repository, a home, a plugin folder, and how to call the hooks.
pub struct Scene {
    pub shell: Shell,
    _keep: TempDir,
    pub repo: PathBuf,
    pub home: PathBuf,
    plugin: PathBuf,
    hooks: Value,
    pub session: String,
}

/// The reply of the hooks at a stop, with the notice to the user.
enum Reply {
    Blocked { reason: String, notice: String },
    Allowed { notice: String },
}

/// Plays all scenes, with the plugin folder of `--plugin DIR` or with programs that it builds.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let mut plugin = None;
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("plugin") => plugin = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let mut scene = Scene::create(plugin)?;
    fixes_the_test(&mut scene)?;
    never_fixes_the_test(&mut scene)?;
    skips_the_test(&mut scene)?;
    demo_review::play(&mut scene)?;
    demo_calls::play(&mut scene)?;
    demo_work::play(&mut scene)?;
    show_evidence(&scene)?;
    say("");
    say(&paint("1;32", "The demo passed: every outcome was the expected one."));
    Ok(())
}

fn fixes_the_test(scene: &mut Scene) -> Result<(), Failure> {
    title("1  An agent leaves a test failing and reports that it is done. Its stop is blocked until the test passes");
    scene.session = "demo-1".into();
    scene.prompt("Make the greeting greet by name.", |_| Ok(()))?;
    scene.write("greet.sh", "echo \"hello\"\n")?;
    line("agent", "(edits greet.sh)  Done! All tests pass.");
    scene.expect_bounce("All tests pass.", "bounce 1 of 3")?;
    line("agent", "(changes nothing)  It is done, really.");
    scene.expect_bounce("It is done, really.", "nothing changed")?;
    scene.write("greet.sh", "echo \"hello $1\"\n")?;
    line("agent", "(fixes greet.sh)  Now it greets by name.");
    scene.expect_end("Now it greets by name.", "")?;
    scene.expect_outcomes(&["not-done", "not-done", "done"])
}

fn never_fixes_the_test(scene: &mut Scene) -> Result<(), Failure> {
    title("2  An agent never fixes the test. The outcome is abandoned");
    scene.session = "demo-2".into();
    scene.prompt("Greet in French, too.", |_| Ok(()))?;
    scene.write("greet.sh", "echo bonjour\n")?;
    for round in ["bounce 1 of 3", "bounce 2 of 3", "bounce 3 of 3"] {
        line("agent", "Finished.");
        scene.expect_bounce("Finished.", round)?;
    }
    line("agent", "Finished.");
    scene.expect_end("Finished.", "abandoned")?;
    scene.expect_outcomes(&["not-done", "not-done", "done", "not-done", "not-done", "not-done", "abandoned"])
}

fn skips_the_test(scene: &mut Scene) -> Result<(), Failure> {
    title("3  An agent skips a test. Then the user waives the removal of another test");
    scene.write("greet.sh", "echo \"hello $1\"\n")?;
    scene.session = "demo-3".into();
    scene.prompt("Say bye with -q; there is a test for it now: test/bye.test.t.", |scene| {
        scene.write("test/bye.test.t", "it 'says bye' 'bye Ada' \"$(sh greet.sh -q Ada)\"\n")?;
        scene.write("test/french.test.t", "it 'knows French' 'hello' \"$(sh greet.sh '' | tr -d ' ')\"\n")
    })?;
    scene.write("test/bye.test.t", "xit 'says bye' 'bye Ada' \"$(sh greet.sh -q Ada)\"\n")?;
    line("agent", "(skips the test: it -> xit)  All tests pass.");
    scene.expect_bounce("All tests pass.", "test/bye.test.t:1: tampered")?;
    scene.write("test/bye.test.t", "it 'says bye' 'bye Ada' \"$(sh greet.sh -q Ada)\"\n")?;
    scene.write("greet.sh", "if [ \"$1\" = -q ]; then echo \"bye $2\"; else echo \"hello $1\"; fi\n")?;
    line("agent", "(restores the test, and does the work)  It says bye.");
    scene.expect_end("It says bye.", "")?;
    scene.expect_outcomes(&[
        "not-done",
        "not-done",
        "done",
        "not-done",
        "not-done",
        "not-done",
        "abandoned",
        "not-done",
        "done",
    ])?;
    say("");
    scene.prompt("French is no longer needed: remove it and its test.", |_| Ok(()))?;
    fs::remove_file(scene.repo.join("test/french.test.t"))?;
    line("agent", "(removes the test file, as asked)  Done.");
    let notice = scene.expect_bounce("Done.", "this test file was removed")?;
    // The notice to the user holds the command that waives the finding.
    let (_, waive) =
        notice.split_once("To let the turn end, run `").ok_or("the notice names no command that waives the finding")?;
    let (waive, _) = waive.split_once('`').ok_or("the command in the notice has no end")?;
    line("gate", &format!("to the user: {notice}"));
    if !scene.run_at_terminal(&waive.replace("TEXT", "'French is gone'"))? {
        say("  (skipped the waiver: no script(1) to simulate a terminal)");
        return Ok(());
    }
    line("agent", "Done.");
    scene.expect_end("Done.", "waived: French is gone")
}

fn show_evidence(scene: &Scene) -> Result<(), Failure> {
    title("The receipts: plain files that rg-receipt verifies");
    let Scene { shell, plugin, .. } = scene;
    let receipt = plugin.join("bin/rg-receipt");
    let list = cmd!(shell, "{receipt} list").quiet().read()?;
    for row in list.lines() {
        say(&format!("  {row}"));
    }
    let state = fs::read_dir(scene.home.join("state/review-gate"))?.flatten().map(|entry| entry.path());
    for dir in state.filter(|dir| dir.join("tasks").is_dir()) {
        let files = walk(&dir)?;
        say(&format!("  the state directory has {} files:", files.len()));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in &files {
            let first = path.strip_prefix(&dir)?.components().next().map(|part| part.as_os_str().to_string_lossy());
            *counts.entry(first.unwrap_or_default().into_owned()).or_default() += 1;
        }
        for (name, count) in counts {
            let text = if dir.join(&name).is_dir() { format!("{name}/ ({count})") } else { name };
            say(&format!("    {}", paint("2", &text)));
        }
    }
    let verified = cmd!(shell, "{receipt} verify").quiet().ignore_status().read()?;
    for row in verified.lines() {
        say(&format!("  {}", paint("2", row)));
    }
    Ok(())
}

/// The files below a directory.
fn walk(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(walk(&path)?) } else { files.push(path) }
    }
    Ok(files)
}

impl Scene {
    fn create(plugin: Option<PathBuf>) -> Result<Scene, Failure> {
        let shell = Shell::new()?;
        let keep = shell.create_temp_dir()?;
        let top = fs::canonicalize(keep.path())?;
        let (repo, home) = (top.join("repo"), top.join("home"));
        let plugin = match plugin {
            Some(plugin) => fs::canonicalize(plugin)?,
            None => {
                say(&paint("2", "building ..."));
                plugin::lay_out(&top.join("plugin"), &plugin::build()?)?;
                top.join("plugin")
            }
        };
        fs::create_dir_all(&home)?;
        fs::create_dir_all(&repo)?;
        shell.change_dir(&repo);
        for (name, value) in [("HOME", &home), ("XDG_STATE_HOME", &home.join("state")), ("CLAUDE_PLUGIN_ROOT", &plugin)]
        {
            shell.set_var(name, value);
        }
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "demo"),
            ("GIT_AUTHOR_EMAIL", "demo@example.invalid"),
            ("GIT_COMMITTER_NAME", "demo"),
            ("GIT_COMMITTER_EMAIL", "demo@example.invalid"),
        ] {
            shell.set_var(name, value);
        }
        shell.set_var("CLAUDE_PROJECT_DIR", &repo);
        shell.set_var("RG_STATE", "");
        shell.set_var("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let hooks = serde_json::from_str(&fs::read_to_string(plugin.join("hooks.json"))?)?;
        let scene = Scene { shell, _keep: keep, repo, home, plugin, hooks, session: String::new() };
        scene.write("greet.sh", "echo hi\n")?;
        let runner = "it() { [ \"$2\" = \"$3\" ] || { echo \"$t: $1: expected '$2', got '$3'\"; failed=1; }; }\n\
                      xit() { :; }\n\
                      for t in test/*.test.t; do . \"./$t\"; done\n\
                      exit ${failed:-0}\n";
        scene.write("run-tests.sh", runner)?;
        scene.write("test/greet.test.t", "it 'greets' 'hello Ada' \"$(sh greet.sh Ada)\"\n")?;
        scene.write("DONE.md", "# Done means\n\n```yaml\nchecks:\n  - name: tests\n    run: sh run-tests.sh\n```\n")?;
        let shell = &scene.shell;
        for step in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-q", "-m", "start"]] {
            cmd!(shell, "git {step...}").quiet().run()?;
        }
        title("The repository defines when work is done: DONE.md");
        for row in fs::read_to_string(scene.repo.join("DONE.md"))?.lines().skip(2) {
            say(&format!("      {}", paint("2", row)));
        }
        Ok(scene)
    }

    /// The path of a program.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.plugin.join("bin").join(name)
    }

    pub fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.repo.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.repo))?;
        Ok(fs::write(path, text)?)
    }

    /// Runs a command as a user at a terminal. Returns false if there is no script(1) to simulate one.
    fn run_at_terminal(&self, typed: &str) -> Result<bool, Failure> {
        let Scene { shell, plugin, .. } = self;
        if cmd!(shell, "script --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
            return Ok(false);
        }
        line("user", &format!("$ {typed}"));
        let typed = format!("'{}'/{typed}", plugin.join("bin").display());
        let agents = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"];
        let mut typing = cmd!(shell, "script -qec {typed} /dev/null").quiet();
        for name in agents {
            typing = typing.env_remove(name);
        }
        let said = typing.read()?;
        line("", said.trim());
        Ok(true)
    }

    /// Calls a hook as the client does: its command through `sh -c`, the payload on standard input.
    pub fn hook(&self, event: &str, payload: Value) -> Result<String, Failure> {
        self.call(&self.command_of(event)?, event, payload)
    }

    /// Calls a hook from the agent's shell. Returns the notice to the user.
    pub fn call_manually(&self, event: &str, payload: Value) -> Result<String, Failure> {
        let said = self.call(&format!("cat | {}", self.command_of(event)?), event, payload)?;
        let reply: Value = serde_json::from_str(&said)?;
        Ok(reply["systemMessage"].as_str().unwrap_or("").to_string())
    }

    fn command_of(&self, event: &str) -> Result<String, Failure> {
        let groups = self.hooks["hooks"][event].as_array().ok_or("hooks.json has no such event")?;
        // rg-guard is called as a program with arguments, not through the shell.
        let line = groups.iter().map(|group| &group["hooks"][0]).find(|hook| hook["args"].is_null());
        Ok(line
            .and_then(|hook| hook["command"].as_str())
            .ok_or("hooks.json has no command for this event")?
            .to_string())
    }

    /// Asks rg-guard about a command, as the client does. Returns the reason if it is denied.
    pub fn denial_of(&self, command: &str) -> Result<Option<String>, Failure> {
        let groups = self.hooks["hooks"]["PreToolUse"].as_array().ok_or("hooks.json has no such event")?;
        let hook = groups.iter().map(|group| &group["hooks"][0]).find(|hook| hook["args"].is_array());
        let hook = hook.ok_or("hooks.json does not call the guard")?;
        let place = self.plugin.to_string_lossy();
        let program = hook["command"].as_str().unwrap_or("").replace("${CLAUDE_PLUGIN_ROOT}", &place);
        let args: Vec<&str> = hook["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": self.session, "cwd": self.repo.to_string_lossy(),
            "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command}});
        let Scene { shell, .. } = self;
        let said = cmd!(shell, "{program} {args...}").quiet().stdin(payload.to_string()).read()?;
        if said.is_empty() {
            return Ok(None);
        }
        let reply: Value = serde_json::from_str(&said)?;
        Ok(reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().map(String::from))
    }

    fn call(&self, hook: &str, event: &str, mut payload: Value) -> Result<String, Failure> {
        payload["hook_event_name"] = event.into();
        payload["session_id"] = self.session.clone().into();
        payload["cwd"] = self.repo.to_string_lossy().into();
        let log = self.home.join("log").join(&self.session).with_extension("jsonl");
        payload["transcript_path"] = log.to_string_lossy().into();
        let Scene { shell, .. } = self;
        Ok(cmd!(shell, "sh -c {hook}").quiet().stdin(payload.to_string()).read()?)
    }

    /// Prepares the files, then submits a prompt of the user.
    pub fn prompt(&self, text: &str, prepare: impl Fn(&Scene) -> Result<(), Failure>) -> Result<(), Failure> {
        prepare(self)?;
        line("user", text);
        let said = self.hook("UserPromptSubmit", json!({"prompt": text}))?;
        let answers = [("#review", "review requested"), ("#loop", "a loop of at most")];
        let is_answer = |(word, answer): &(&str, &str)| text.starts_with(word) && said.contains(answer);
        // The scenes share a repository: a later one is told how an earlier one ended, and what changed in between.
        let told = ["left the files here", "changed between the last task", "never judged"];
        let is_told = told.iter().any(|text| said.contains(text));
        let is_expected = said.is_empty() || is_told || answers.iter().any(is_answer);
        if is_expected { Ok(()) } else { Err(format!("unexpected answer to a prompt: {said}").into()) }
    }

    fn stop(&self, message: &str) -> Result<Reply, Failure> {
        let said = self.hook("Stop", json!({"last_assistant_message": message, "background_tasks": []}))?;
        if said.is_empty() {
            return Ok(Reply::Allowed { notice: String::new() });
        }
        let reply: Value = serde_json::from_str(&said)?;
        let text = |name: &str| reply[name].as_str().unwrap_or("").to_string();
        match reply["decision"].as_str() {
            Some("block") => Ok(Reply::Blocked { reason: text("reason"), notice: text("systemMessage") }),
            _ => Ok(Reply::Allowed { notice: text("systemMessage") }),
        }
    }

    /// Requires that the stop is blocked for a reason that holds `want`. Returns the notice to the user.
    pub fn expect_bounce(&self, message: &str, want: &str) -> Result<String, Failure> {
        match self.stop(message)? {
            Reply::Blocked { reason, notice } if reason.contains(want) => {
                line("gate", &paint("31", &reason));
                Ok(notice)
            }
            Reply::Blocked { reason, .. } => Err(format!("expected {want:?} in the reason: {reason}").into()),
            Reply::Allowed { .. } => Err(format!("the stop was allowed; expected a reason with {want:?}").into()),
        }
    }

    /// Requires that the stop is allowed, with a notice that holds `want`, or without one if `want` is empty.
    pub fn expect_end(&self, message: &str, want: &str) -> Result<(), Failure> {
        match self.stop(message)? {
            Reply::Blocked { reason, .. } => Err(format!("the stop was blocked: {reason}").into()),
            Reply::Allowed { notice } if !notice.contains(want) || notice.is_empty() != want.is_empty() => {
                Err(format!("expected the notice {want:?}, got {notice:?}").into())
            }
            Reply::Allowed { notice } if notice.is_empty() => {
                line("gate", &paint("32", "(no output: the turn ends)"));
                Ok(())
            }
            Reply::Allowed { notice } => {
                line("gate", &format!("to the user: {}", paint("31", &notice)));
                Ok(())
            }
        }
    }

    /// Requires these outcomes in all receipts so far.
    pub fn expect_outcomes(&self, want: &[&str]) -> Result<(), Failure> {
        let Scene { shell, plugin, .. } = self;
        let receipt = plugin.join("bin/rg-receipt");
        let list = cmd!(shell, "{receipt} list").quiet().read()?;
        let outcomes: Vec<&str> = list.lines().filter_map(|row| row.split_whitespace().nth(3)).collect();
        if outcomes == want { Ok(()) } else { Err(format!("expected the outcomes {want:?}, got {outcomes:?}").into()) }
    }
}
