//! The time of rg-doctor and rg-install in a repository with hooks, and of `review-gate hook` compared with the line that it runs.

use crate::Failure;
use crate::bench::{Bench, Line, Row, payload};
use std::fs;

/// The limit of rg-doctor, in milliseconds.
const DOCTOR: f64 = 50.0;

/// The limit of `rg-install all`, in milliseconds; the row also removes the hooks.
const INSTALL: f64 = 200.0;

/// What `review-gate hook` may add to its line, in milliseconds.
const HOOK: f64 = 0.3;

/// The calls of a batch.
const CALLS: usize = 25;

/// The rows with budgets, in a repository of their own.
pub fn rows(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let dir = bench.repo("wired", true, 50)?;
    let line = |text: &str| Line { line: text.into(), input: payload("PostToolUse", &dir), dir: dir.clone() };
    bench.call(&line("\"$BIN\"/rg-install claude"))?;
    let hook = "exec \"$BIN\"/review-gate hook claude PostToolUse";
    let its_line = "exec sh -c \"'$BIN'/rg-trace --hook --client claude\"";
    let everywhere = bench.repo("everywhere", true, 50)?;
    for name in [".claude", ".codex", ".gemini", ".cursor"] {
        fs::create_dir_all(everywhere.join(name))?;
    }
    let install = "\"$BIN\"/rg-install all >/dev/null && exec \"$BIN\"/rg-install all --uninstall >/dev/null";
    let of_everywhere = |text: &str| Line { line: text.into(), input: Vec::new(), dir: everywhere.clone() };
    Ok(vec![
        Row::new(
            "rg-install all, and back / true".into(),
            of_everywhere(install),
            of_everywhere("exec /bin/true"),
            None,
        )
        .keeping(CALLS)
        .at_most(INSTALL),
        Row::new("rg-doctor, with hooks / true".into(), line("exec \"$BIN\"/rg-doctor"), line("exec /bin/true"), None)
            .keeping(CALLS)
            .at_most(DOCTOR),
        Row::new("review-gate hook / its line".into(), line(hook), line(its_line), None)
            .keeping(CALLS)
            .adding_at_most(HOOK),
    ])
}
