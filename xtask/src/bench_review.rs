//! The time of reviews: of the filters if no review is required, and of a review request for many changed files.

use crate::Failure;
use crate::bench::{Bench, Line, Row, commit_all, payload};
use std::fs;
use std::path::Path;

/// The rows with budgets: the filters on the event line of a stop that requires no review, and a review request.
pub fn rows(bench: &Bench, bare: &Path, gated: &Path) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (what, dir) in [("no DONE.md", bare), ("DONE.md", gated)] {
        let event = stop_of(bench, dir)?;
        let line = |text: &str| Line { line: text.into(), input: event.clone(), dir: dir.to_path_buf() };
        for tool in ["rg-review-state", "rg-review"] {
            let ours = line(&format!("exec \"$BIN\"/{tool}"));
            let name = format!("{tool}, {what}, none required / one empty program");
            rows.push(Row::new(name, ours, line("exec \"$EMPTY\""), Some(3.0)).keeping(25));
        }
    }
    let changed = many(bench)?;
    let line = |text: &str| Line { line: text.into(), input: Vec::new(), dir: changed.clone() };
    let request = Row::new(
        "a review request for 500 files / git diff --stat".into(),
        line("exec \"$BIN\"/rg-review-state request"),
        line("git diff --stat"),
        None,
    );
    rows.push(request.keeping(5).at_most(100.0));
    Ok(rows)
}

/// The event line of a stop after the stages before rg-review-state, in a task that has begun.
fn stop_of(bench: &Bench, dir: &Path) -> Result<Vec<u8>, Failure> {
    let out = dir.with_extension("stop");
    let stop =
        format!("\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper | \"$BIN\"/rg-check >'{}'", out.display());
    let prompt = "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper";
    for (event, line) in [("UserPromptSubmit", prompt), ("Stop", stop.as_str())] {
        bench.call(&Line { line: line.into(), input: payload(event, dir), dir: dir.to_path_buf() })?;
    }
    Ok(fs::read(&out)?)
}

/// A repository of 500 files. A review is requested, then every file changes.
fn many(bench: &Bench) -> Result<std::path::PathBuf, Failure> {
    let dir = bench.top.join("many");
    let path = |n: usize| dir.join(format!("d{}/f{n}.rs", n % 25));
    for n in 0..500 {
        fs::create_dir_all(path(n).parent().ok_or("no parent")?)?;
        fs::write(path(n), format!("fn number_{n}() {{}}\n").repeat(60))?;
    }
    commit_all(&dir)?;
    let prompt = String::from_utf8(payload("UserPromptSubmit", &dir))?.replace("\"work\"", "\"#review work\"");
    let line = "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper | \"$BIN\"/rg-review-state";
    bench.call(&Line { line: line.into(), input: prompt.into_bytes(), dir: dir.clone() })?;
    for n in 0..500 {
        fs::write(path(n), fs::read_to_string(path(n))? + "fn more() {}\n")?;
    }
    Ok(dir)
}
