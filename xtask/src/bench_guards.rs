//! The time of rg-tamper in a large working tree with few changes, compared with git on the same tree.

use crate::Failure;
use crate::bench::{Bench, Line, Row, commit_all, payload};
use crate::bench_calls;
use crate::stage::say;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The memory limit of a hook, in MiB.
const MEMORY: u64 = 64;

/// A test of five lines.
const TEST: &str =
    "it('adds', () => {\n  const sum = add(1, 2)\n  expect(sum).toBe(3)\n  expect(add()).not.toThrow()\n})\n";

/// A working tree with changes since its task began, and the event line of its stop.
struct ChangedTree {
    dir: PathBuf,
    event: Vec<u8>,
}

/// The rows with budgets.
pub fn rows(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let large = work(bench, "20k", 20_000, 200, 10)?;
    let long = work(bench, "long", 200, 200, 2_000)?;
    let (one, none) = (work(bench, "one", 50, 1, 460)?, work(bench, "none", 50, 0, 0)?);
    let git = |dir: &Path, line: &str| Line { line: line.into(), input: Vec::new(), dir: dir.to_path_buf() };
    let guards = |worked: &ChangedTree, before: &str| Line {
        line: format!("{before}exec \"$BIN\"/rg-tamper"),
        input: worked.event.clone(),
        dir: worked.dir.clone(),
    };
    let hook = |event: &str| Line {
        line: "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper".into(),
        input: payload(event, &large.dir),
        dir: large.dir.clone(),
    };
    let both = "git status --porcelain; git diff";
    // A task that has just begun and has no baseline yet.
    let begun = large.dir.with_extension("begun");
    let begin = format!("\"$BIN\"/rg-event --client claude >'{}'", begun.display());
    let mut prompt = payload("UserPromptSubmit", &large.dir);
    let session = String::from_utf8_lossy(&prompt).replace("53cd9293-", "64de0304-");
    prompt = session.into_bytes();
    bench.call(&Line { line: begin, input: prompt, dir: large.dir.clone() })?;
    let drop_baseline = "sed -i '/\"kind\":\"baseline\"/d' \"$XDG_STATE_HOME\"/review-gate/*/tasks/*; ";
    let baseline = Line {
        line: format!("{drop_baseline}exec \"$BIN\"/rg-tamper"),
        input: fs::read(&begun)?,
        dir: large.dir.clone(),
    };
    let cold = "rm -f \"$XDG_STATE_HOME\"/review-gate/*/cache/*; ";
    let copy = |before: &str| git(&large.dir, &format!("{before}exec \"$BIN\"/rg-rescue save"));
    let risky = Line {
        line: "echo $$ >new0.js; exec \"$BIN\"/rg-guard --hook".into(),
        input: bench_calls::call(&large.dir, "rm new1.js"),
        dir: large.dir.clone(),
    };
    let status = || git(&large.dir, "git status --porcelain");
    // 500 lines, which rg-tamper gives rg-outline for a changed test file, and 1 MB.
    let sources = large.dir.with_extension("outline");
    fs::create_dir_all(&sources)?;
    fs::write(sources.join("short.test.js"), TEST.repeat(100))?;
    fs::write(sources.join("long.test.js"), TEST.repeat(10_000))?;
    let outline = |name: &str| {
        Row::new(
            format!("rg-outline, {name} / cat"),
            git(&sources, &format!("exec \"$BIN\"/rg-outline --json {name}")),
            git(&sources, &format!("exec cat {name}")),
            None,
        )
        .keeping(5)
    };
    let what = |text: &str| format!("{text}, 20,000 files");
    Ok(vec![
        Row::new(what("guards only, 200 changed, warm"), guards(&large, ""), git(&large.dir, both), Some(2.5))
            .keeping(5),
        Row::new(what("guards only, 200 changed, cold"), guards(&large, cold), git(&large.dir, both), Some(6.0))
            .keeping(3),
        Row::new(what("a prompt's baseline, warm / git status"), baseline, status(), Some(1.5)).keeping(1),
        Row::new(what("the whole prompt, warm / git status"), hook("UserPromptSubmit"), status(), None).beginning(5),
        Row::new(what("session-start, warm / git status"), hook("SessionStart"), status(), Some(1.5)).keeping(5),
        Row::new(
            what("rg-rescue save, one more changed / git status"),
            copy("echo $$ >new0.js; "),
            status(),
            Some(2.0),
        )
        .keeping(5),
        Row::new(what("rg-rescue save, nothing changed / git status"), copy(""), status(), Some(2.0)).keeping(5),
        Row::new(what("rg-guard, a copy before rm / git status"), risky, status(), None).keeping(5),
        Row::new("guards only, 200 files of 2,000 changed lines".into(), guards(&long, ""), git(&long.dir, both), None)
            .keeping(5)
            .at_most(500.0),
        Row::new("rg-tamper, a changed file of 500 lines / none".into(), guards(&one, ""), guards(&none, ""), None)
            .keeping(20),
        outline("short.test.js").at_most(6.0),
        outline("long.test.js").at_most(350.0),
    ])
}

/// Prints how the time grows with the tree. Only the memory at 20,000 files has a limit.
pub fn growth(bench: &Bench) -> Result<Option<String>, Failure> {
    say("");
    say("growth, guards only, a hundredth changed: processor time per call, and the address space that suffices");
    say(&format!("{:>9} {:>9} {:>9} {:>11} {:>9}", "files", "warm ms", "cold ms", "git ms", "MiB"));
    let mut over = None;
    for files in [10, 100, 1_000, 20_000, 200_000] {
        let worked = work(bench, &format!("grow{files}"), files, files.div_ceil(100), 10)?;
        let line = |text: &str| Line { line: text.into(), input: worked.event.clone(), dir: worked.dir.clone() };
        let calls = if files > 1_000 { 3 } else { 20 };
        let warm = bench.time(&line("exec \"$BIN\"/rg-tamper"), calls)?;
        let cold = bench
            .time(&line("rm -f \"$XDG_STATE_HOME\"/review-gate/*/cache/*; exec \"$BIN\"/rg-tamper"), calls.min(3))?;
        let git = bench.time(&line("git status --porcelain; git diff"), calls)?;
        let space = bench.address_space(&worked.event, &worked.dir)?;
        say(&format!("{files:>9} {warm:>9.1} {cold:>9.1} {git:>11.1} {space:>9}"));
        if files == 20_000 && space > MEMORY {
            over = Some(format!("memory at 20,000 files: {space} MiB"));
        }
        fs::remove_dir_all(&worked.dir)?;
    }
    Ok(over)
}

/// The most memory of rg-outline for a file of 5 MB, in MiB: of ordinary code, and of tests, which have three times as many nodes.
const OUTLINE_MEMORY: [(&str, usize); 2] = [("code.js", 288), ("dense.test.js", 704)];

/// Measures the memory of rg-outline for files of the largest size. Returns a name if it exceeds the limit.
pub fn outline_memory(bench: &Bench) -> Result<Option<String>, Failure> {
    let mut over = None;
    for (name, limit) in OUTLINE_MEMORY {
        let path = bench.top.join(name);
        let text = match name.ends_with(".test.js") {
            true => TEST.repeat((5 << 20) / TEST.len()),
            false => {
                let mut text = source(&path, 7, 0..(5 << 20) / 24, "value");
                text.truncate(5 << 20);
                text
            }
        };
        fs::write(&path, text)?;
        let script = format!("exec \"$BIN\"/rg-outline --json {name}");
        let mut child = bench.command("sh", &script, &bench.top).stdout(Stdio::piped()).spawn()?;
        // It writes when it has read everything, and waits until the rest is read.
        let mut out = child.stdout.take().ok_or("no output")?;
        out.read_exact(&mut [0])?;
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
        std::io::copy(&mut out, &mut std::io::sink())?;
        child.wait()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        let peak = peak.ok_or("no VmHWM")?.parse::<usize>()? >> 10;
        say(&format!("{:<58} {peak} MiB, at most {limit}", format!("rg-outline, 5 MB of {name}, memory")));
        if peak > limit {
            over = Some(format!("memory of rg-outline for {name}: {peak} MiB"));
        }
    }
    Ok(over)
}

/// A repository of `files` files. Its task begins, then `changed` files get `lines` new lines each, and twenty files are added.
/// Lines of source in the language of a file: a function, or a test, for every four of them.
fn source(path: &Path, file: usize, lines: Range<usize>, name: &str) -> String {
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or("");
    let is_test = path.to_string_lossy().ends_with(".test.js");
    let body = |n: usize| match end {
        "py" => {
            format!("def {name}_{n}(items):\n    total = sum(items) + {file}\n    return total * {n}  # line {n}\n\n")
        }
        "go" => format!(
            "func {name}{n}(items []int) int {{\n\ttotal := len(items) + {file}\n\treturn total * {n} // line {n}\n}}\n"
        ),
        "ts" => format!(
            "export function {name}_{n}(items: number[]): number {{\n  const total = items.length + {file};\n  return total * {n}; // line {n}\n}}\n"
        ),
        _ if is_test => format!(
            "it('{name} {n}', () => {{\n  const total = compute({file}, {n});\n  expect(total).toBe({n}); // line {n}\n}});\n"
        ),
        _ => format!(
            "export function {name}_{n}(items) {{\n  const total = items.length + {file};\n  return total * {n}; // line {n}\n}}\n"
        ),
    };
    let head = if end == "go" && lines.start == 0 && name == "value" { "package main\n\n" } else { "" };
    head.to_string() + &lines.step_by(4).map(body).collect::<String>()
}

fn work(bench: &Bench, name: &str, files: usize, changed: usize, lines: usize) -> Result<ChangedTree, Failure> {
    let dir = bench.top.join(name);
    let ends = ["js", "py", "ts", "go", "test.js"];
    let path = |n: usize| dir.join(format!("d{}/f{n}.{}", n % (files / 50).max(1), ends[n % ends.len()]));
    for n in 0..files {
        let path = path(n);
        fs::create_dir_all(path.parent().ok_or("no parent")?)?;
        fs::write(&path, source(&path, n, 0..40, "value"))?;
    }
    fs::write(dir.join("DONE.md"), "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\n```\n")?;
    fs::write(dir.join(".gitignore"), "*.log\n/target/\nnode_modules/\n")?;
    commit_all(&dir)?;
    // The stat cache does not trust a walk that follows a write too closely.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let prompt = "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper >/dev/null";
    bench.call(&Line { line: prompt.into(), input: payload("UserPromptSubmit", &dir), dir: dir.clone() })?;
    for n in 0..changed {
        let path = path(n);
        fs::write(&path, fs::read_to_string(&path)? + &source(&path, n, 0..lines, "added"))?;
    }
    for n in 0..20 {
        fs::write(dir.join(format!("new{n}.js")), "const x = 1;\n".repeat(10))?;
    }
    std::thread::sleep(std::time::Duration::from_millis(50));
    let out = dir.with_extension("event");
    let stop = format!("\"$BIN\"/rg-event --client claude >'{}'", out.display());
    bench.call(&Line { line: stop, input: payload("Stop", &dir), dir: dir.clone() })?;
    let event = fs::read(&out)?;
    // The first stop reads the changed files; later stops use the cache.
    bench.call(&Line { line: "exec \"$BIN\"/rg-tamper".into(), input: event.clone(), dir: dir.clone() })?;
    Ok(ChangedTree { dir, event })
}
