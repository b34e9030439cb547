//! Benchmarks: processor time of whole processes, static build, as ratios in one run, held against their budgets.
//!
//! Machines are noisy; ratios of medians over interleaved batches are what can be trusted.

use crate::stage::{paint, say};
use crate::{Failure, plugin};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xshell::{Shell, TempDir, cmd};

const TARGET: &str = "x86_64-unknown-linux-musl";

/// How many batches, and how many calls in each.
const BATCHES: usize = 15;
const CALLS: usize = 25;

/// What is measured: a shell line with that input.
struct Line {
    line: String,
    input: Vec<u8>,
    dir: PathBuf,
}

struct Bench {
    _keep: TempDir,
    top: PathBuf,
    bin: PathBuf,
}

/// Prints the table; fails when a ratio is over its budget.
pub fn run() -> Result<(), Failure> {
    say(&paint("2", "building static programs ..."));
    let bench = Bench::build()?;
    say(&format!(
        "{:<58} {:>9} {:>9} {:>7} {:>7}",
        "what (processor time per call)", "ours ms", "base ms", "ratio", "budget"
    ));
    let mut over = Vec::new();
    let hooks: serde_json::Value = serde_json::from_str(&fs::read_to_string(plugin::checkout().join("hooks.json"))?)?;
    let stop = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().ok_or("no Stop line")?.to_string();
    let stages = stop.matches(" | ").count() + 1;
    let empties = vec!["\"$EMPTY\""; stages].join(" | ");

    let bare = bench.repo("bare", false, 50)?;
    let gated = bench.repo("gated", true, 50)?;
    let large = bench.repo("large", true, 2_000)?;
    let nothing = |dir: &Path| Line { line: empties.clone(), input: payload("Stop", dir), dir: dir.to_path_buf() };
    let stop_in = |dir: &Path| Line { line: stop.clone(), input: payload("Stop", dir), dir: dir.to_path_buf() };
    let hook = |dir: &Path| Line {
        line: "exec \"$BIN\"/rg-trace --hook --client claude".into(),
        input: payload("PostToolUse", dir),
        dir: dir.to_path_buf(),
    };
    let one = |dir: &Path| Line {
        line: "exec \"$EMPTY\"".into(),
        input: payload("PostToolUse", dir),
        dir: dir.to_path_buf(),
    };
    let status = |dir: &Path| Line { line: "git status --porcelain".into(), input: Vec::new(), dir: dir.to_path_buf() };
    let rows: Vec<(String, Line, Line, Option<f64>)> = vec![
        (format!("stop, no DONE.md / {stages} empty programs"), stop_in(&bare), nothing(&bare), Some(1.5)),
        (format!("stop, DONE.md, 50 files unchanged / {stages} empty"), stop_in(&gated), nothing(&gated), None),
        ("stop, DONE.md, 2,000 files unchanged / git status".into(), stop_in(&large), status(&large), None),
        ("rg-trace --hook / one empty program".into(), hook(&bare), one(&bare), Some(4.0)),
    ];
    for (what, ours, base, budget) in rows {
        let (ours, base) = bench.compare(&ours, &base)?;
        let ratio = ours / base;
        let within = budget.is_none_or(|budget| ratio <= budget);
        let budget = budget.map_or("-".to_string(), |budget| format!("{budget:.1}"));
        let row = format!("{what:<58} {ours:>9.2} {base:>9.2} {ratio:>7.2} {budget:>7}");
        say(&if within { row.clone() } else { paint("31", &row) });
        if !within {
            over.push(what);
        }
    }
    bench.memory(&bare)?;
    if over.is_empty() { Ok(()) } else { Err(format!("over budget: {}", over.join("; ")).into()) }
}

/// A hook call of about the usual size.
fn payload(event: &str, dir: &Path) -> Vec<u8> {
    let call = serde_json::json!({
        "session_id": format!("53cd9293-7af6-4850-857f-{}", dir.file_name().unwrap_or_default().to_string_lossy()),
        "transcript_path": "/home/user/.claude/projects/-project/53cd9293.jsonl",
        "cwd": dir,
        "prompt_id": "4a8fee4c-90a1-4faa-bb1f-d40484fcac80",
        "permission_mode": "default",
        "hook_event_name": event,
        "prompt": "work",
        "stop_hook_active": false,
        "last_assistant_message": "I have finished the work that you asked for. ".repeat(10),
        "background_tasks": [],
        "session_crons": [],
        "tool_name": "Bash",
        "tool_input": {"command": "ls -la", "description": "look"},
        "tool_response": {"stdout": "total 0\n".repeat(50), "stderr": ""},
    });
    let mut call = call;
    if event == "Stop" {
        for name in ["prompt", "tool_name", "tool_input", "tool_response"] {
            call.as_object_mut().map(|fields| fields.remove(name));
        }
    }
    call.to_string().into_bytes()
}

impl Bench {
    fn build() -> Result<Bench, Failure> {
        let shell = Shell::new()?;
        shell.change_dir(plugin::checkout());
        cmd!(shell, "cargo build --quiet --locked --release --package review-gate --bins --target {TARGET}")
            .quiet()
            .run()?;
        let keep = shell.create_temp_dir()?;
        let top = fs::canonicalize(keep.path())?;
        let empty = top.join("empty.rs");
        fs::write(&empty, "fn main() {}\n")?;
        let out = top.join("empty");
        cmd!(shell, "rustc -O -C strip=symbols --target {TARGET} -o {out} {empty}").quiet().run()?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| plugin::checkout().join("target"), PathBuf::from);
        let bin = target.join(TARGET).join("release");
        plugin::lay_out(&top.join("plugin"), &bin)?;
        Ok(Bench { _keep: keep, top, bin })
    }

    fn repo(&self, name: &str, gated: bool, files: usize) -> Result<PathBuf, Failure> {
        let dir = self.top.join(name);
        fs::create_dir_all(&dir)?;
        for n in 0..files {
            let sub = dir.join(format!("d{}", n % 40));
            fs::create_dir_all(&sub)?;
            fs::write(sub.join(format!("f{n}.txt")), format!("file {n}\n").repeat(100))?;
        }
        if gated {
            fs::write(dir.join("DONE.md"), "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\n```\n")?;
        }
        let shell = Shell::new()?;
        shell.change_dir(&dir);
        for step in [
            vec!["init", "-q"],
            vec!["add", "-A"],
            vec!["-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-qm", "x"],
        ] {
            cmd!(shell, "git {step...}").quiet().run()?;
        }
        Ok(dir)
    }

    fn prompt(&self, dir: &Path) -> Result<(), Failure> {
        let line = "\"$BIN\"/rg-event --client claude >/dev/null";
        self.call(&Line { line: line.into(), input: payload("UserPromptSubmit", dir), dir: dir.to_path_buf() })
    }

    fn command(&self, shell: &str, script: &str, dir: &Path) -> Command {
        let mut command = Command::new(shell);
        command
            .args(["-c", script])
            .current_dir(dir)
            .env("BIN", &self.bin)
            .env("EMPTY", self.top.join("empty"))
            .env("CLAUDE_PLUGIN_ROOT", self.top.join("plugin"))
            .env("XDG_STATE_HOME", self.top.join("state"))
            .env("HOME", &self.top)
            .env_remove("RG_STATE");
        command
    }

    fn call(&self, line: &Line) -> Result<(), Failure> {
        use std::io::Write;
        let mut child = self
            .command("sh", &line.line, &line.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // An empty program reads nothing: that its pipe is closed is no failure.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(&line.input));
        child.wait()?;
        Ok(())
    }

    /// Milliseconds of processor time per call of each, medians of interleaved batches.
    fn compare(&self, ours: &Line, base: &Line) -> Result<(f64, f64), Failure> {
        let mut times = (Vec::new(), Vec::new());
        for _ in 0..BATCHES {
            times.0.push(self.batch(ours)?);
            times.1.push(self.batch(base)?);
        }
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        Ok((median(times.0), median(times.1)))
    }

    /// The calls of one batch, made by a shell that then says what they cost: its clock is finer than /proc's.
    fn batch(&self, line: &Line) -> Result<f64, Failure> {
        // Each batch is a task's first stops: a journal that grows from batch to batch would be measured along.
        let _ = fs::remove_dir_all(self.top.join("state"));
        self.prompt(&line.dir)?;
        let input = self.top.join("input");
        fs::write(&input, &line.input)?;
        let each = "sh -c \"$LINE\" <\"$INPUT\" >/dev/null 2>&1";
        let script = format!("for n in $(seq {CALLS}); do {each}; done; times");
        let out = self.command("bash", &script, &line.dir).env("LINE", &line.line).env("INPUT", &input).output()?;
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let children = said.lines().nth(1).ok_or("bash says no times")?;
        let seconds: Result<Vec<f64>, Failure> = children.split_whitespace().map(minutes_and_seconds).collect();
        Ok(seconds?.iter().sum::<f64>() * 1000.0 / CALLS as f64)
    }

    /// 100 MiB of input must be refused within 64 MiB of address space.
    fn memory(&self, dir: &Path) -> Result<(), Failure> {
        let mut input = payload("UserPromptSubmit", dir);
        input.pop();
        input.extend_from_slice(b",\"more\":\"");
        input.resize(100 << 20, b'x');
        let line = "ulimit -v 65536; \"$BIN\"/rg-event --client claude; [ $? = 100 ] && touch within";
        self.call(&Line { line: line.into(), input, dir: dir.to_path_buf() })?;
        let within = dir.join("within").exists();
        say(&format!("{:<58} {}", "rg-event at 100 MiB of input, within 64 MiB", if within { "yes" } else { "NO" }));
        if within { Ok(()) } else { Err("memory".into()) }
    }
}

/// `0m1.234s`, in seconds.
fn minutes_and_seconds(text: &str) -> Result<f64, Failure> {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').ok_or("not a time")?;
    Ok(minutes.parse::<f64>()? * 60.0 + seconds.parse::<f64>()?)
}
