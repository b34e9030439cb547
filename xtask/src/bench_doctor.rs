//! The time of rg-doctor in a repository with hooks, and of `review-gate hook` compared with the line that it runs.

use crate::Failure;
use crate::bench::{Bench, Line, Row, payload};

/// The limit of rg-doctor, in milliseconds.
const DOCTOR: f64 = 50.0;

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
    Ok(vec![
        Row::new("rg-doctor, with hooks / true".into(), line("exec \"$BIN\"/rg-doctor"), line("exec /bin/true"), None)
            .keeping(CALLS)
            .at_most(DOCTOR),
        Row::new("review-gate hook / its line".into(), line(hook), line(its_line), None)
            .keeping(CALLS)
            .adding_at_most(HOOK),
    ])
}
