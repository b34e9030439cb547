//! The screen: facts first, then what does not protect, each with what mends it.

use crate::report::{LiveLine, Report, WiredFile};
use review_gate::sys::clock::{self, Time};
use review_gate::sys::text::{count, one_line};
use std::fmt::Write;

/// One screen.
pub fn whole(report: &Report) -> String {
    let mut out = format!("review-gate {} in {}\n", report.version, report.root.display());
    section(&mut out, "hooks", report.wired.iter().map(|file| wired(file, report)));
    section(&mut out, "live", report.live.iter().map(live));
    section(&mut out, "definition", [definition(report)].into_iter());
    let reviews = report.definition.iter().filter(|definition| !definition.review.is_empty()).map(|definition| {
        let found = match definition.reviewers.is_empty() {
            true => "no program that can review was found".to_string(),
            false => format!("found {}", definition.reviewers.join(", ")),
        };
        format!("{}; {found}", when(&definition.review))
    });
    section(&mut out, "review", reviews);
    let outcome =
        |task: &crate::report::TaskLine| task.outcome.map_or("not judged yet".to_string(), |word| word.to_string());
    section(
        &mut out,
        "tasks",
        report
            .tasks
            .iter()
            .map(|task| format!("{} {} began {}: {}", task.id, task.client, ago(task.at), outcome(task))),
    );
    section(
        &mut out,
        "loops",
        report.loops.iter().map(|one| {
            let end = format!("; its client has ended: resume the session, or `rg-loop stop --task {}`", one.task);
            let end = if one.has_ended { end } else { String::new() };
            format!("task {}: iteration {} of {}{end}", one.task, one.iteration, one.of)
        }),
    );
    section(
        &mut out,
        "waivers",
        report.waivers.iter().map(|one| format!("{}: {} ({}, until {})", one.scope, one.why, one.who, one.until)),
    );
    section(
        &mut out,
        "denied",
        report.denials.iter().map(|one| format!("{} {} {}: {}", ago(one.at), one.tool, one.input, one.rule)),
    );
    section(
        &mut out,
        "receipts",
        report.receipts.iter().map(|one| format!("{} {} {}: {}", one.id, ago(one.at), one.outcome, one.why)),
    );
    let size = format!(
        "{} in {}: {}",
        megabytes(report.state.bytes),
        count(report.state.files, "file"),
        report.state.path.display()
    );
    section(&mut out, "records", [size].into_iter());
    section(&mut out, "notes", report.notes.iter().cloned());
    out + &problems(report)
}

/// A line for each client, for DONE.md and for the last receipt, and the problems.
pub fn brief(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.wired {
        let _ = writeln!(out, "{}", wired(file, report));
    }
    for line in &report.live {
        let _ = writeln!(out, "{}", one_line(&live(line)));
    }
    let _ = writeln!(out, "{}", definition(report));
    if let Some(last) = report.receipts.first() {
        let _ = writeln!(out, "last receipt {}, {}: {}", ago(last.at), last.outcome, last.why);
    }
    out + &problems(report)
}

/// When a review is required, in words.
fn when(word: &str) -> &str {
    match word {
        "asked" => "required if a prompt asks for it with #review",
        "always" => "required for each task",
        "unattended" => "required for each task without a user at the client",
        _ => word,
    }
}

fn section(out: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    for (at, line) in lines.enumerate() {
        let name = if at == 0 { name } else { "" };
        let _ = writeln!(out, "{name:<11} {}", one_line(&line));
    }
}

fn wired(file: &WiredFile, report: &Report) -> String {
    let seen = report.seen.iter().find(|seen| seen.client.word() == file.client);
    let seen =
        seen.map_or("no hook has left a record here yet".to_string(), |seen| format!("last record {}", ago(seen.at)));
    format!("{}: {} for {}; {seen}", file.client, file.path.display(), count(file.events.len(), "event"))
}

/// What a hook did that was called.
fn live(line: &LiveLine) -> String {
    let matcher = line.matcher.as_ref().map_or(String::new(), |matcher| format!(" ({matcher})"));
    format!("{} {}{matcher}: {} ({:.2} s)", line.client, line.event, line.text, line.seconds)
}

fn definition(report: &Report) -> String {
    match &report.definition {
        None => "no DONE.md".to_string(),
        Some(known) if known.error.is_some() => format!("{}: it cannot be used", known.path.display()),
        Some(known) => format!("{}: {}", known.path.display(), known.checks.join(", ")),
    }
}

/// What does not protect, each with what mends it.
pub fn problems(report: &Report) -> String {
    if report.problems.is_empty() {
        return "nothing is wrong\n".to_string();
    }
    let mut out = String::new();
    for problem in &report.problems {
        let _ = writeln!(out, "problem: {}\n   mend: {}", one_line(&problem.text), one_line(&problem.mend));
    }
    out
}

/// How long ago a time was.
fn ago(at: Time) -> String {
    format!("{} ago", clock::human(clock::now().since(at).max(0.0)))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
