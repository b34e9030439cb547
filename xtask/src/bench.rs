//! Benchmarks: processor time of whole processes from static builds, compared with a base in the same run.
//!
//! Machines are noisy, so each row is a ratio of medians over interleaved batches.

use crate::stage::{paint, say};
use crate::{
    Failure, bench_against, bench_calls, bench_doctor, bench_guards, bench_review, bench_talk, bench_work, plugin,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xshell::{Shell, TempDir, cmd};

const TARGET: &str = "x86_64-unknown-linux-musl";

/// The number of batches, and of calls in each.
const BATCHES: usize = 15;
const CALLS: usize = 25;

/// A shell line to measure, with its input and directory.
pub struct Line {
    pub line: String,
    pub input: Vec<u8>,
    pub dir: PathBuf,
}

/// One row of the table: a line of review-gate, a line to compare it with, and the budget.
pub struct Row {
    what: String,
    ours: Line,
    base: Line,
    /// The largest ratio to the base.
    budget: Option<f64>,
    /// The longest time, in milliseconds.
    limit: Option<f64>,
    /// The most that it may take longer than the base, in milliseconds.
    added: Option<f64>,
    batches: usize,
    calls: usize,
    /// Each batch begins a new task, so that no journal grows from batch to batch.
    fresh: bool,
}

impl Row {
    pub fn new(what: String, ours: Line, base: Line, budget: Option<f64>) -> Row {
        Row { what, ours, base, budget, limit: None, added: None, batches: BATCHES, calls: CALLS, fresh: true }
    }

    /// Five batches of `calls` calls over the existing state: for a line that takes long.
    pub fn keeping(self, calls: usize) -> Row {
        Row { calls, batches: 5, fresh: false, ..self }
    }

    /// `batches` batches of one call, each over a state without tasks.
    pub fn beginning(self, batches: usize) -> Row {
        Row { calls: 1, batches, fresh: true, ..self }
    }

    /// Sets a limit in milliseconds.
    pub fn at_most(self, limit: f64) -> Row {
        Row { limit: Some(limit), ..self }
    }

    /// Sets a limit for the difference to the base, in milliseconds.
    pub fn adding_at_most(self, added: f64) -> Row {
        Row { added: Some(added), ..self }
    }
}

pub struct Bench {
    _keep: TempDir,
    pub top: PathBuf,
    bin: PathBuf,
    /// Only the rows whose names contain one of these texts are measured; all rows if there is none.
    only: Vec<String>,
}

/// Prints the table. Returns an error if a row exceeds its budget.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let mut only = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("only") => only.push(args.value()?.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    say(&paint("2", "building static programs ..."));
    let bench = Bench::build(only)?;
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
    let rows: Vec<Row> = vec![
        Row::new(format!("stop, no DONE.md / {stages} empty programs"), stop_in(&bare), nothing(&bare), Some(1.5)),
        Row::new(format!("stop, DONE.md, 50 files unchanged / {stages} empty"), stop_in(&gated), nothing(&gated), None),
        Row::new("stop, DONE.md, 2,000 files unchanged / git status".into(), stop_in(&large), status(&large), None),
        Row::new("rg-trace --hook / one empty program".into(), hook(&bare), one(&bare), Some(4.0)),
    ];
    for row in rows {
        over.extend(bench.print(row)?);
    }
    for row in bench_calls::rows(&bare, &gated) {
        over.extend(bench.print(row)?);
    }
    if bench.measures("memory") {
        over.extend(bench_calls::memory(&bench, &bare)?);
    }
    // These rows keep their state between calls; the rows above delete it.
    for row in bench_review::rows(&bench, &bare, &gated)? {
        over.extend(bench.print(row)?);
    }
    for row in bench_talk::rows(&bench)? {
        over.extend(bench.print(row)?);
    }
    for row in bench_work::rows(&bench, &stop)? {
        over.extend(bench.print(row)?);
    }
    for row in bench_guards::rows(&bench)? {
        over.extend(bench.print(row)?);
    }
    for row in bench_against::rows(&bench)? {
        over.extend(bench.print(row)?);
    }
    for row in bench_doctor::rows(&bench)? {
        over.extend(bench.print(row)?);
    }
    if bench.measures("memory") {
        bench.memory(&bare)?;
        over.extend(bench_guards::outline_memory(&bench)?);
    }
    if bench.measures("growth") {
        over.extend(bench_guards::growth(&bench)?);
    }
    if over.is_empty() { Ok(()) } else { Err(format!("over budget: {}", over.join("; ")).into()) }
}

/// A hook call of typical size.
pub fn payload(event: &str, dir: &Path) -> Vec<u8> {
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

/// Commits all files of `dir` to a new repository, with git's maintenance switched off.
pub fn commit_all(dir: &Path) -> Result<(), Failure> {
    let shell = Shell::new()?;
    shell.change_dir(dir);
    cmd!(shell, "git init -q").quiet().run()?;
    let settings =
        [("user.name", "b"), ("user.email", "b@example.invalid"), ("gc.auto", "0"), ("maintenance.auto", "false")];
    for (name, value) in settings {
        cmd!(shell, "git config {name} {value}").quiet().run()?;
    }
    cmd!(shell, "git add -A").quiet().run()?;
    cmd!(shell, "git commit -qm x").quiet().run()?;
    Ok(())
}

impl Bench {
    fn build(only: Vec<String>) -> Result<Bench, Failure> {
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
        Ok(Bench { _keep: keep, top, bin, only })
    }

    /// Whether a row is measured.
    fn measures(&self, what: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| what.contains(text))
    }

    pub fn repo(&self, name: &str, gated: bool, files: usize) -> Result<PathBuf, Failure> {
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
        commit_all(&dir)?;
        Ok(dir)
    }

    fn prompt(&self, dir: &Path) -> Result<(), Failure> {
        let line = "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper >/dev/null";
        self.call(&Line { line: line.into(), input: payload("UserPromptSubmit", dir), dir: dir.to_path_buf() })
    }

    /// A shell script with the variables of all lines.
    pub fn command(&self, shell: &str, script: &str, dir: &Path) -> Command {
        let mut command = Command::new(shell);
        command
            .args(["-c", script])
            .current_dir(dir)
            // Variables of the caller's tools decide whether a receipt counts for a landing.
            .env_clear()
            .envs(["PATH", "USER", "LANG"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env("BIN", &self.bin)
            .env("EMPTY", self.top.join("empty"))
            .env("CLAUDE_PLUGIN_ROOT", self.top.join("plugin"))
            .env("XDG_STATE_HOME", self.top.join("state"))
            .env("HOME", &self.top);
        command
    }

    pub fn call(&self, line: &Line) -> Result<(), Failure> {
        use std::io::Write;
        let mut child = self
            .command("sh", &line.line, &line.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // An empty program reads nothing, so a closed pipe is not an error.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(&line.input));
        child.wait()?;
        Ok(())
    }

    /// Measures a row and prints it. Returns its name if it exceeds its budget.
    fn print(&self, row: Row) -> Result<Option<String>, Failure> {
        if !self.measures(&row.what) {
            return Ok(None);
        }
        let (ours, base) = self.compare(&row)?;
        let ratio = ours / base;
        let within = row.budget.is_none_or(|budget| ratio <= budget) && row.limit.is_none_or(|limit| ours <= limit);
        let within = within && row.added.is_none_or(|added| ours - base <= added);
        let budget = match (row.budget, row.limit, row.added) {
            (Some(budget), ..) => format!("{budget:.1}"),
            (None, Some(limit), _) => format!("{limit:.0} ms"),
            (None, None, Some(added)) => format!("+{added} ms"),
            (None, None, None) => "-".to_string(),
        };
        let what = row.what;
        let line = format!("{what:<58} {ours:>9.2} {base:>9.2} {ratio:>7.2} {budget:>7}");
        say(&if within { line.clone() } else { paint("31", &line) });
        Ok((!within).then_some(what))
    }

    /// Milliseconds of processor time per call of both lines, as medians of interleaved batches.
    fn compare(&self, row: &Row) -> Result<(f64, f64), Failure> {
        let mut times = (Vec::new(), Vec::new());
        for _ in 0..row.batches {
            times.0.push(self.batch(&row.ours, row.calls, row.fresh)?);
            times.1.push(self.batch(&row.base, row.calls, row.fresh)?);
        }
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        Ok((median(times.0), median(times.1)))
    }

    /// Milliseconds per call of one batch. bash runs the calls and prints their time, because its clock is finer than /proc's.
    fn batch(&self, line: &Line, calls: usize, fresh: bool) -> Result<f64, Failure> {
        // A journal that grows from batch to batch would be part of the measurement. A batch of one call keeps the caches.
        if fresh && calls > 1 {
            let _ = fs::remove_dir_all(self.top.join("state"));
            self.prompt(&line.dir)?;
        } else if fresh {
            let shell = Shell::new()?;
            let state = self.top.join("state/review-gate");
            cmd!(shell, "sh -c 'rm -rf \"$0\"/sessions \"$0\"/*/tasks' {state}").quiet().run()?;
        }
        let input = self.top.join("input");
        fs::write(&input, &line.input)?;
        // A single program is started directly, as clients do; a shell would take most of the measured time.
        let each = match line.line.starts_with("exec ") {
            true => "(eval \"$LINE\") <\"$INPUT\" >/dev/null 2>&1",
            false => "sh -c \"$LINE\" <\"$INPUT\" >/dev/null 2>&1",
        };
        let script = format!("for n in $(seq {calls}); do {each}; done; times");
        let out = self.command("bash", &script, &line.dir).env("LINE", &line.line).env("INPUT", &input).output()?;
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let children = said.lines().nth(1).ok_or("bash printed no times")?;
        let seconds: Result<Vec<f64>, Failure> = children.split_whitespace().map(minutes_and_seconds).collect();
        Ok(seconds?.iter().sum::<f64>() * 1000.0 / calls as f64)
    }

    /// Milliseconds of processor time per call over the existing state: the median of three batches.
    pub fn time(&self, line: &Line, calls: usize) -> Result<f64, Failure> {
        let mut times =
            [self.batch(line, calls, false)?, self.batch(line, calls, false)?, self.batch(line, calls, false)?];
        times.sort_by(f64::total_cmp);
        Ok(times[1])
    }

    /// The smallest address space, in MiB, in which rg-tamper judges `event`.
    pub fn address_space(&self, event: &[u8], dir: &Path) -> Result<u64, Failure> {
        for space in [8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024] {
            let line = format!(
                "ulimit -v {}; \"$BIN\"/rg-tamper | grep -q '\"verdict\":\"pass\"' && touch \"$BIN\"/.within",
                space * 1024
            );
            let within = self.bin.join(".within");
            let _ = fs::remove_file(&within);
            self.call(&Line { line, input: event.to_vec(), dir: dir.to_path_buf() })?;
            if within.exists() {
                fs::remove_file(&within)?;
                return Ok(space);
            }
        }
        Err("rg-tamper did not judge within 1 GiB".into())
    }

    /// Requires that rg-event rejects 100 MiB of input within 64 MiB of address space.
    fn memory(&self, dir: &Path) -> Result<(), Failure> {
        let mut input = payload("UserPromptSubmit", dir);
        input.pop();
        input.extend_from_slice(b",\"more\":\"");
        input.resize(100 << 20, b'x');
        let line = "ulimit -v 65536; \"$BIN\"/rg-event --client claude; [ $? = 100 ] && touch within";
        self.call(&Line { line: line.into(), input, dir: dir.to_path_buf() })?;
        let within = dir.join("within").exists();
        say(&format!("{:<58} {}", "rg-event at 100 MiB of input, within 64 MiB", if within { "yes" } else { "NO" }));
        if within { Ok(()) } else { Err("rg-event needs more than 64 MiB for 100 MiB of input".into()) }
    }
}

/// `0m1.234s`, in seconds.
fn minutes_and_seconds(text: &str) -> Result<f64, Failure> {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').ok_or("not a time")?;
    Ok(minutes.parse::<f64>()? * 60.0 + seconds.parse::<f64>()?)
}
