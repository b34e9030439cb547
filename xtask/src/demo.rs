//! The demo: two scripted agents in a scratch repository, judged by the very lines of hooks.json. No client, no network.
//! It ends well only if every expected word came.

use crate::stage::{line, paint, say, title};
use crate::{Failure, plugin};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, TempDir, cmd};

/// A scratch repository, a home, a plugin folder, and how to call the hooks.
struct Scene {
    shell: Shell,
    _keep: TempDir,
    repo: PathBuf,
    home: PathBuf,
    plugin: PathBuf,
    hooks: Value,
    session: String,
}

/// What the hooks answered at a stop.
enum Answer {
    SentBack(String),
    MayStop { told: String },
}

/// Plays all scenes, with a plugin folder that is there (`--plugin DIR`) or with what is built here.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let mut ready = None;
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("plugin") => ready = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let mut scene = Scene::set(ready)?;
    honest_in_the_end(&mut scene)?;
    never_fixes_it(&mut scene)?;
    evidence(&scene)?;
    say("");
    say(&paint("1;32", "Every expected word came."));
    Ok(())
}

fn honest_in_the_end(scene: &mut Scene) -> Result<(), Failure> {
    title("1  An agent leaves a test failing, says it is done, and is held to it");
    scene.session = "demo-1".into();
    scene.prompt("Make the greeting say hello to whoever is named.")?;
    scene.write("greet.sh", "echo \"hello\"\n")?;
    line("agent", "(edits greet.sh)  Done! All tests pass.");
    scene.sent_back("All tests pass.", "round 1 of 3")?;
    line("agent", "(changes nothing)  It is done, really.");
    scene.sent_back("It is done, really.", "nothing changed")?;
    scene.write("greet.sh", "echo \"hello $1\"\n")?;
    line("agent", "(fixes greet.sh)  Now it greets whoever is named.");
    scene.may_stop("Now it greets whoever is named.", "")?;
    scene.expect_words(&["not-done", "not-done", "done"])
}

fn never_fixes_it(scene: &mut Scene) -> Result<(), Failure> {
    title("2  Another one never fixes it, and waits the gate out");
    scene.session = "demo-2".into();
    scene.prompt("Greet in French, too.")?;
    scene.write("greet.sh", "echo bonjour\n")?;
    for round in ["round 1 of 3", "round 2 of 3", "round 3 of 3"] {
        line("agent", "Finished.");
        scene.sent_back("Finished.", round)?;
    }
    line("agent", "Finished.");
    scene.may_stop("Finished.", "abandoned")?;
    scene.expect_words(&["not-done", "not-done", "done", "not-done", "not-done", "not-done", "abandoned"])
}

fn evidence(scene: &Scene) -> Result<(), Failure> {
    title("What remains: receipts, readable with cat, verifiable");
    let Scene { shell, plugin, .. } = scene;
    let receipt = plugin.join("bin/rg-receipt");
    let list = cmd!(shell, "{receipt} list").quiet().read()?;
    for row in list.lines() {
        say(&format!("  {row}"));
    }
    let state = fs::read_dir(scene.home.join("state/review-gate"))?.flatten().map(|entry| entry.path());
    for dir in state.filter(|dir| dir.join("tasks").is_dir()) {
        let mut names: Vec<String> = walk(&dir)?
            .iter()
            .map(|path| path.strip_prefix(&dir).map(|p| p.display().to_string()))
            .collect::<Result<_, _>>()?;
        names.sort();
        say(&format!("  the state directory holds {} files:", names.len()));
        for name in names {
            say(&format!("    {}", paint("2", &name)));
        }
    }
    let verified = cmd!(shell, "{receipt} verify").quiet().read()?;
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
    fn set(ready: Option<PathBuf>) -> Result<Scene, Failure> {
        let shell = Shell::new()?;
        let keep = shell.create_temp_dir()?;
        let top = fs::canonicalize(keep.path())?;
        let (repo, home) = (top.join("repo"), top.join("home"));
        let plugin = match ready {
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
        let hooks = serde_json::from_str(&fs::read_to_string(plugin.join("hooks.json"))?)?;
        let scene = Scene { shell, _keep: keep, repo, home, plugin, hooks, session: String::new() };
        scene.write("greet.sh", "echo hi\n")?;
        scene.write("test.sh", "out=$(sh greet.sh Ada)\n[ \"$out\" = 'hello Ada' ] || { echo \"test.sh:2: expected 'hello Ada', got '$out'\"; exit 1; }\n")?;
        scene.write("DONE.md", "# Done means\n\n```yaml\nchecks:\n  - name: tests\n    run: sh test.sh\n```\n")?;
        let shell = &scene.shell;
        for step in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-q", "-m", "start"]] {
            cmd!(shell, "git {step...}").quiet().run()?;
        }
        title("The repository says when it is done: DONE.md");
        for row in fs::read_to_string(scene.repo.join("DONE.md"))?.lines().skip(2) {
            say(&format!("      {}", paint("2", row)));
        }
        Ok(scene)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        Ok(fs::write(self.repo.join(path), text)?)
    }

    /// Calls a hook as the client does: its line through `sh -c`, the payload on standard input.
    fn hook(&self, event: &str, mut payload: Value) -> Result<String, Failure> {
        let hook = &self.hooks["hooks"][event][0]["hooks"][0]["command"];
        let hook = hook.as_str().ok_or("hooks.json has no such line")?;
        payload["hook_event_name"] = event.into();
        payload["session_id"] = self.session.clone().into();
        payload["cwd"] = self.repo.to_string_lossy().into();
        let Scene { shell, .. } = self;
        Ok(cmd!(shell, "sh -c {hook}").quiet().stdin(payload.to_string()).read()?)
    }

    fn prompt(&self, text: &str) -> Result<(), Failure> {
        line("person", text);
        let said = self.hook("UserPromptSubmit", json!({"prompt": text}))?;
        if said.is_empty() { Ok(()) } else { Err(format!("a prompt was answered: {said}").into()) }
    }

    fn stop(&self, message: &str) -> Result<Answer, Failure> {
        let said = self.hook("Stop", json!({"last_assistant_message": message, "background_tasks": []}))?;
        if said.is_empty() {
            return Ok(Answer::MayStop { told: String::new() });
        }
        let reply: Value = serde_json::from_str(&said)?;
        let text = |name: &str| reply[name].as_str().unwrap_or("").to_string();
        match reply["decision"].as_str() {
            Some("block") => Ok(Answer::SentBack(text("reason"))),
            _ => Ok(Answer::MayStop { told: text("systemMessage") }),
        }
    }

    fn sent_back(&self, message: &str, want: &str) -> Result<(), Failure> {
        match self.stop(message)? {
            Answer::SentBack(reason) if reason.contains(want) => {
                line("gate", &paint("31", &reason));
                Ok(())
            }
            Answer::SentBack(reason) => Err(format!("expected {want:?} in: {reason}").into()),
            Answer::MayStop { .. } => Err(format!("it could stop; expected {want:?}").into()),
        }
    }

    fn may_stop(&self, message: &str, want: &str) -> Result<(), Failure> {
        match self.stop(message)? {
            Answer::SentBack(reason) => Err(format!("it was sent back: {reason}").into()),
            Answer::MayStop { told } if !told.contains(want) || told.is_empty() != want.is_empty() => {
                Err(format!("expected {want:?}, the person was told {told:?}").into())
            }
            Answer::MayStop { told } if told.is_empty() => {
                line("gate", &paint("32", "(silent: it may stop)"));
                Ok(())
            }
            Answer::MayStop { told } => {
                line("gate", &format!("to the person: {}", paint("31", &told)));
                Ok(())
            }
        }
    }

    /// The words of all receipts so far.
    fn expect_words(&self, want: &[&str]) -> Result<(), Failure> {
        let Scene { shell, plugin, .. } = self;
        let receipt = plugin.join("bin/rg-receipt");
        let list = cmd!(shell, "{receipt} list").quiet().read()?;
        let words: Vec<&str> = list.lines().filter_map(|row| row.split_whitespace().nth(3)).collect();
        if words == want { Ok(()) } else { Err(format!("expected the words {want:?}, sealed were {words:?}").into()) }
    }
}
