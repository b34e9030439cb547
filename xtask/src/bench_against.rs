//! The time of a line with `--against`, where the stat cache is not used, compared with git and with donegate on the same tree.

use crate::Failure;
use crate::bench::{Bench, Line, Row, commit_all};
use std::fs;
use std::path::{Path, PathBuf};

/// The whole line, as in CI.
const LINE: &str = "\"$BIN\"/rg-event stop --against HEAD | \"$BIN\"/rg-tamper | \"$BIN\"/rg-check | \"$BIN\"/rg-bounce | \
                    \"$BIN\"/rg-receipt | \"$BIN\"/rg-answer";

/// donegate's processor time, as a multiple of git's, as measured at 2,000 and at 20,000 files: for machines without donegate.
const RECORDED: [f64; 2] = [10.0, 4.0];

/// The rows with budgets. The variable DONEGATE names donegate's built `cli.js`, if it is there.
pub fn rows(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let donegate = std::env::var("DONEGATE").ok();
    let mut rows = Vec::new();
    for (files, recorded) in [2_000, 20_000].into_iter().zip(RECORDED) {
        let dir = work(bench, files)?;
        let line = |line: &str, input: Vec<u8>| Line { line: line.into(), input, dir: dir.clone() };
        let git = || line("git status --porcelain; git diff HEAD", Vec::new());
        let out = dir.with_extension("event");
        bench.call(&line(&format!("\"$BIN\"/rg-event stop --against HEAD >'{}'", out.display()), Vec::new()))?;
        let event = fs::read(&out)?;
        rows.push(
            Row::new(
                format!("rg-tamper --against, {files} files / git status, git diff"),
                line("exec \"$BIN\"/rg-tamper", event),
                git(),
                Some(3.0),
            )
            .keeping(3),
        );
        let whole = line(LINE, Vec::new());
        let row = match &donegate {
            Some(cli) => {
                let other = line(&format!("node '{cli}' check --quiet --against HEAD"), Vec::new());
                Row::new(format!("the line --against, {files} files / donegate"), whole, other, Some(1.0))
            }
            None => {
                let what = format!("the line --against, {files} files / git status, git diff");
                Row::new(what, whole, git(), Some(recorded))
            }
        };
        rows.push(row.keeping(3));
    }
    Ok(rows)
}

/// A repository of source files, of which a hundredth is changed.
fn work(bench: &Bench, files: usize) -> Result<PathBuf, Failure> {
    let dir = bench.top.join(format!("against{files}"));
    for n in 0..files {
        let path = path(&dir, files, n);
        fs::create_dir_all(path.parent().ok_or("no parent")?)?;
        fs::write(&path, body(n, 40))?;
    }
    fs::write(dir.join("DONE.md"), "```yaml\nchecks:\n  - name: tests\n    run: \"true\"\n```\n")?;
    fs::write(dir.join(".gitignore"), "*.log\n.donegate/\n")?;
    commit_all(&dir)?;
    for n in 0..files / 100 {
        let path = path(&dir, files, n);
        fs::write(&path, body(n, 50))?;
    }
    // A file that was just written is read again by the next judge.
    std::thread::sleep(std::time::Duration::from_millis(50));
    Ok(dir)
}

fn path(dir: &Path, files: usize, n: usize) -> PathBuf {
    let ends = ["js", "py", "ts", "go", "test.js"];
    dir.join(format!("d{}/f{n}.{}", n % (files / 50), ends[n % ends.len()]))
}

/// Lines that are valid in the language of the file.
fn body(n: usize, lines: usize) -> String {
    let line = |line: usize| match n % 5 {
        1 => format!("value_{line} = compute({n}, {line})  # line {line}\n"),
        3 => format!("var value{line} = compute({n}, {line}) // line {line}\n"),
        _ => format!("const value{line} = compute({n}, {line}); // line {line}\n"),
    };
    let head = if n % 5 == 3 { "package main\n\n" } else { "" };
    head.to_string() + &(0..lines).map(line).collect::<String>()
}
