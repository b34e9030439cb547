//! A temporary environment for the built programs: a repository, a home, a state directory, a pinned clock.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The pinned time of the tests.
pub const NOW: &str = "2026-11-21T12:00:00.000Z";

/// The Stop pipeline of hooks.json, with the programs found by PATH.
pub const STOP: &str = "rg-event --client claude --within 3560 | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop";

/// The stages of the Stop line of hooks.json, with the programs found by PATH.
pub fn stop_stages() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks.json");
    let hooks: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let line = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_string();
    line.replace("\"${CLAUDE_PLUGIN_ROOT}\"/bin/", "").split(" | ").map(str::to_string).collect()
}

pub struct Scratch {
    pub dir: tempfile::TempDir,
    pub env: BTreeMap<String, String>,
}

/// The result of running a program.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
    pub took: Duration,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The reason of a block; panics if the event was not blocked.
    pub fn reason(&self) -> String {
        let reply = self.json();
        assert_eq!(reply["decision"], "block", "{self:?}");
        reply["reason"].as_str().unwrap().to_string()
    }

    /// The message for the user.
    pub fn told(&self) -> String {
        if self.out.is_empty() {
            String::new()
        } else {
            self.json()["systemMessage"].as_str().unwrap_or("").to_string()
        }
    }
}

/// Reports a skipped test on standard error, bypassing the capture of the test runner.
pub fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}

/// Whether this process ignores a signal, as under nohup: then its children ignore it, too, and what it does is not tested.
pub fn ignores(signal: &str) -> bool {
    let numbers = [("HUP", 1), ("INT", 2), ("TERM", 15)];
    let number = numbers.iter().find(|(name, _)| *name == signal).map(|(_, number)| *number);
    let ignores = number.is_some_and(review_gate::sys::procfs::is_ignored);
    if ignores {
        skipped(&format!("SIG{signal} is ignored here"));
    }
    ignores
}

/// The directory of the built programs.
pub fn bin_dir() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_rg-check")).parent().unwrap().to_path_buf()
}

impl Scratch {
    /// An empty environment; programs run in its directory `repo`.
    pub fn new() -> Scratch {
        crate::watchdog::watch();
        let dir = tempfile::Builder::new().prefix("rg-").tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(top.join("repo")).unwrap();
        fs::create_dir_all(top.join("home")).unwrap();
        let text = |path: PathBuf| path.to_str().unwrap().to_string();
        let mut env = BTreeMap::new();
        let path = format!("{}:{}", bin_dir().display(), std::env::var("PATH").unwrap_or_default());
        for (name, value) in [
            ("PATH", path),
            ("HOME", text(top.join("home"))),
            ("XDG_STATE_HOME", text(top.join("home/.local/state"))),
            ("RG_STATE", text(top.join("state"))),
            ("RG_NOW", NOW.to_string()),
            ("TMPDIR", text(top.join("home"))),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC".into()),
            ("USER", "tester".into()),
            ("TERM", "dumb".into()),
            ("CLAUDE_PID", "42424242".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", text(top.join("home/.gitconfig"))),
        ] {
            env.insert(name.to_string(), value);
        }
        let config = "[user]\n\tname = Tester\n\temail = tester@example.invalid\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[core]\n\thooksPath = /dev/null\n";
        fs::write(top.join("home/.gitconfig"), config).unwrap();
        for who in ["AUTHOR", "COMMITTER"] {
            env.insert(format!("GIT_{who}_DATE"), "2026-11-20T12:00:00Z".into());
        }
        Scratch { dir, env }
    }

    /// A repository with a committed DONE.md that runs `sh test.sh`, which passes if src.txt contains `fixed`.
    pub fn repo() -> Scratch {
        Scratch::repo_with("checks:\n  - name: tests\n    run: sh test.sh\n")
    }

    /// A repository with a DONE.md that contains that YAML.
    pub fn repo_with(yaml: &str) -> Scratch {
        let scratch = Scratch::new();
        scratch.write("DONE.md", &format!("# Done\n\n```yaml\n{yaml}```\n"));
        scratch.write("test.sh", "grep -q fixed src.txt || { echo 'src.txt:1: not fixed'; exit 1; }\n");
        scratch.write("src.txt", "broken\n");
        scratch.ok("git init -q && git add -A && git commit -qm start");
        scratch
    }

    pub fn top(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub fn work(&self) -> PathBuf {
        self.top().join("repo")
    }

    pub fn state(&self) -> PathBuf {
        self.top().join("state")
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.env.insert(name.into(), value.into());
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn append(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.work()).env_clear().envs(&self.env);
        command
    }

    /// Runs a program with that input.
    pub fn run(&self, program: &str, args: &[&str], stdin: &[u8]) -> Said {
        let program = if program.starts_with("rg-") { bin_dir().join(program) } else { program.into() };
        feed(self.command(program).args(args), stdin)
    }

    /// Runs a shell line with that input.
    pub fn sh(&self, line: &str, stdin: &[u8]) -> Said {
        feed(self.command("sh").args(["-c", line]), stdin)
    }

    /// Runs a shell line that must succeed.
    pub fn ok(&self, line: &str) -> Said {
        let said = self.sh(line, b"");
        assert_eq!(said.status, 0, "{line}: {said:?}");
        said
    }

    /// Runs the prompt pipeline with a prompt of the user.
    pub fn prompt(&self, session: &str, text: &str) -> Said {
        let line = "rg-event --client claude --within 290 | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt";
        self.sh(line, &self.payload(session, json!({"hook_event_name": "UserPromptSubmit", "prompt": text})))
    }

    /// Runs the whole Stop pipeline.
    pub fn stop(&self, session: &str) -> Said {
        self.stop_saying(session, "I am done.")
    }

    pub fn stop_saying(&self, session: &str, message: &str) -> Said {
        self.stop_with(session, json!({"last_assistant_message": message}))
    }

    pub fn stop_with(&self, session: &str, fields: Value) -> Said {
        self.sh(STOP, &self.stop_payload(session, fields))
    }

    pub fn stop_payload(&self, session: &str, fields: Value) -> Vec<u8> {
        let mut payload =
            json!({"hook_event_name": "Stop", "stop_hook_active": false, "background_tasks": [], "session_crons": []});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.payload(session, payload)
    }

    pub fn payload(&self, session: &str, fields: Value) -> Vec<u8> {
        let mut payload = json!({
            "session_id": session,
            "transcript_path": "/nowhere.jsonl",
            "cwd": self.work(),
            "prompt_id": "p",
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        payload.to_string().into_bytes()
    }

    /// The records of that kind in all task journals.
    pub fn records(&self, kind: &str) -> Vec<Value> {
        let mut journals: Vec<PathBuf> = fs::read_dir(self.state().join("tasks"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        journals.sort();
        let lines = journals.iter().flat_map(|path| lines_of(path));
        lines.filter(|record| record["kind"] == kind).collect()
    }

    /// The outcomes of the receipts, in order.
    pub fn words(&self) -> Vec<String> {
        self.records("receipt").iter().map(|record| record["outcome"].as_str().unwrap().to_string()).collect()
    }

    /// The last receipt.
    pub fn receipt(&self) -> Value {
        let records = self.records("receipt");
        let file = records.last().expect("no receipt")["file"].as_str().unwrap().to_string();
        serde_json::from_slice(&fs::read(self.state().join(file)).unwrap()).unwrap()
    }

    /// Advances the pinned clock.
    pub fn later(&mut self, seconds: f64) {
        let now = review_gate::sys::clock::Time::parse(&self.env["RG_NOW"]).unwrap();
        self.set("RG_NOW", &now.plus(seconds).to_string());
    }
}

/// The lines of a journal that are JSON.
pub fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Runs a command with that input, and waits for it and its output.
pub fn feed(command: &mut Command, stdin: &[u8]) -> Said {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may not read all of its input.
        let _ = input.write_all(&bytes);
    });
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr), took: began.elapsed() }
}
