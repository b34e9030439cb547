//! `--validate`: reads a definition of done and prints its settings, or its first error. Runs nothing.

use crate::quarantine;
use review_gate::donefile::{self, CheckSpec, Donefile, Gate, ProofSpec, Quarantine, ReportSpec, ReviewMode};
use review_gate::event::Level;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::limits::DEFINITION;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A definition of done that was read, and where its checks would run.
struct Source {
    root: PathBuf,
    name: String,
    bytes: Vec<u8>,
}

/// Reads the file, or the definition that applies in the directory, and prints what it means.
pub fn run(args: &Args, file: Option<&str>, as_json: bool) -> Result<Exit> {
    let dir = args.dir()?;
    let source = match file {
        Some(file) => named(&dir.join(file), file)?,
        None => found(&dir)?,
    };
    let parsed = donefile::parse(&source.name, &source.bytes, &source.root);
    let text = match (&parsed, as_json) {
        (Ok(done), false) => report(&source, done),
        (Ok(done), true) => format!("{}\n", object(&source, done)),
        (Err(error), true) => format!("{}\n", failure(&source, error)),
        (Err(error), false) => {
            let text = format!("{error}. DONE.md(5) lists every key and its values");
            return Err(error.clone().with_text(text));
        }
    };
    pipes::write(text.as_bytes())?;
    parsed.map_or_else(|error| Ok(error.exit()), |_| Ok(Exit::Yes))
}

/// The definition that applies in a directory.
fn found(dir: &Path) -> Result<Source> {
    match donefile::find(dir)? {
        Some(found) => Ok(Source { root: found.root, name: found.name.to_string(), bytes: found.bytes }),
        None => Err(Error::usage(donefile::absence(dir))),
    }
}

/// The file that an operand names. Its checks would run in its directory.
fn named(path: &Path, shown: &str) -> Result<Source> {
    let missing = || Error::usage(format!("no such file: {shown}"));
    let bytes = files::read_following(path, DEFINITION)?.ok_or_else(missing)?;
    let parent = path.parent().unwrap_or(Path::new("/"));
    let mut root = std::fs::canonicalize(parent).map_err(|e| Error::io("enter", parent, &e))?;
    // The file stands below the root in this case only.
    if root.file_name() == Some(OsStr::new(".donegate")) {
        root.pop();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Source { root, name, bytes })
}

/// What a user may want to change although the definition is valid.
fn warnings(done: &Donefile) -> Vec<String> {
    let cut = done.checks.iter().filter(|check| check.is_timeout_cut);
    let mut all: Vec<String> = cut
        .map(|check| format!("check \"{}\": `timeout` is cut to {} seconds, the maximum", check.name, check.timeout))
        .collect();
    let is_check = |name: &str| done.checks.iter().any(|check| check.name == name);
    let missing = done.land.require.iter().filter(|name| !is_check(name));
    all.extend(missing.map(|name| format!("land.require names \"{name}\", which is no check: nothing can land")));
    all.extend(review_warnings(done));
    if !done.not_judged.is_empty() {
        all.push(format!("without effect in this release: {}", done.not_judged.join(", ")));
    }
    all
}

/// Keys of `review` that cannot work together with the rest of the definition.
fn review_warnings(done: &Donefile) -> Vec<String> {
    let review = &done.review;
    let is_check = |name: &String| done.checks.iter().any(|check| check.name == *name);
    let mut all = Vec::new();
    if let Some(name) = review.arbiter_check.as_ref().filter(|name| !is_check(name)) {
        all.push(format!("review.arbiter_check names \"{name}\", which is no check: the arbiter settles nothing"));
    } else if review.arbiter.is_some() && done.checks.is_empty() {
        all.push("review.arbiter needs a check that runs its test: it settles nothing".to_string());
    }
    if review.arbiter.is_some() && done.guards.test_globs.is_empty() {
        all.push("review.arbiter needs guards.test_globs: no test can be added".to_string());
    }
    if review.moderator.is_some() && review.rounds == 1 {
        all.push("review.rounds is 1: the moderator is asked only at the last round".to_string());
    }
    if review.mode != ReviewMode::Always && done.looping.checkpoint == 0 {
        all.push(format!("review.mode is {}, and loop.checkpoint is 0: no loop has a stop to leave out", review.mode));
    }
    all
}

/// The settings, for a user.
fn report(source: &Source, done: &Donefile) -> String {
    let mut out = format!(
        "{} is valid: {}. They run in {}\n",
        one_line(&source.name),
        count(done.checks.len(), "check"),
        one_line(&source.root.display().to_string())
    );
    done.checks.iter().for_each(|check| out.push_str(&check_lines(check)));
    for (key, text) in settings(done) {
        out.push_str(&format!("{key:9} {}\n", one_line(&text)));
    }
    for warning in warnings(done) {
        out.push_str(&format!("warning: {}\n", one_line(&warning)));
    }
    out
}

/// A check: its name, its limits and its command.
fn check_lines(check: &CheckSpec) -> String {
    let mut parts = vec![format!("at most {} s", check.timeout)];
    parts.extend(check.kind.map(|kind| format!("kind {kind}")));
    parts.extend(check.report.as_ref().map(|report| match report {
        ReportSpec::Runner(runner) => format!("report of {runner} in the output"),
        ReportSpec::Files(pattern) => format!("report in {pattern}"),
    }));
    parts.extend((check.retries > 0).then(|| format!("retries {}", check.retries)));
    parts.extend(check.is_parallel.then(|| "parallel".to_string()));
    parts.extend(check.cwd.as_ref().map(|cwd| format!("in {cwd}")));
    if !check.env.is_empty() {
        parts.push(format!("sets {}", check.env.keys().cloned().collect::<Vec<_>>().join(" ")));
    }
    if !check.writes.is_empty() {
        parts.push(format!("may write {}", check.writes.join(" ")));
    }
    let mut out = format!("check     {}: {}\n", one_line(&check.name), one_line(&parts.join(", ")));
    for line in check.run.lines() {
        out.push_str(&format!("            {}\n", one_line(line)));
    }
    out
}

/// The other settings, a line for each key.
fn settings(done: &Donefile) -> Vec<(&'static str, String)> {
    let (gate, review, commands, land) = (&done.gate, &done.review, &done.commands, &done.land);
    let Gate { max_bounces, max_minutes, on_error } = gate;
    let mut reviews = format!("when {}, floor {}, rounds {}", review.when, review.floor, review.rounds);
    for (what, is_set) in [("arbiter", review.arbiter.is_some()), ("moderator", review.moderator.is_some())] {
        reviews.push_str(if is_set { ", " } else { "" });
        reviews.push_str(if is_set { what } else { "" });
    }
    reviews.extend(review.by.map(|by| format!(", by {by}")));
    reviews.extend(review.require.map(|trust| format!(", require {trust}")));
    if !review.paths.is_empty() {
        reviews.push_str(&format!(", paths {}", review.paths.join(" ")));
    }
    let (deny, ask, allow) = (commands.deny.len(), commands.ask.len(), commands.allow.len());
    let required = if land.require.is_empty() { "none".to_string() } else { land.require.join(", ") };
    let mut lines = vec![
        ("gate", format!("max_bounces {max_bounces}, max_minutes {max_minutes}, on_error {on_error}")),
        ("review", reviews),
        ("commands", format!("preset {}, deny {deny}, ask {ask}, allow {allow}", commands.preset)),
        ("land", format!("require {required}, retries {}", land.retries)),
        ("proof", proof(&done.proof)),
    ];
    for entry in &done.quarantine {
        let what = entry.test.as_ref().or(entry.check.as_ref()).map_or("", String::as_str);
        let scope = if entry.test.is_some() { "test" } else { "check" };
        lines.push(("quarantine", format!("{scope} {what} until {}: {}", entry.until, entry.why)));
    }
    for check in done.checks.iter().filter(|check| !quarantine::is_one_command(&check.run)) {
        let is_of =
            |entry: &Quarantine| entry.test.is_some() && entry.check.as_ref().is_none_or(|name| *name == check.name);
        if done.quarantine.iter().any(is_of) {
            let text = format!("not of tests in \"{}\": it runs several commands. Make a check of each", check.name);
            lines.push(("quarantine", text));
        }
    }
    if !done.guards.protect.is_empty() {
        lines.push(("protect", done.guards.protect.join(" ")));
    }
    lines
}

/// What rg-prove does.
fn proof(spec: &ProofSpec) -> String {
    let word = |level| match level {
        Some(Level::Error) => "fail",
        Some(_) => "warn",
        None => "off",
    };
    let levels: String = spec.levels().map(|(key, level)| format!("{key} {}, ", word(level))).concat();
    let ProofSpec { when, changes, minutes, jobs, .. } = spec;
    let checks = if spec.checks.is_empty() { String::new() } else { format!(", checks {}", spec.checks.join(", ")) };
    format!("when {when}, {levels}changes {changes}, minutes {minutes}, jobs {jobs}{checks}")
}

/// The settings as one JSON object.
fn object(source: &Source, done: &Donefile) -> Value {
    let checks: Vec<Value> = done
        .checks
        .iter()
        .map(|check| {
            let mut value = json!(check);
            value["kind"] = json!(check.kind);
            value
        })
        .collect();
    let entry =
        |entry: &Quarantine| json!({"test": entry.test, "check": entry.check, "until": entry.until, "why": entry.why});
    let quarantine: Vec<Value> = done.quarantine.iter().map(entry).collect();
    let (gate, review, commands, land) = (&done.gate, &done.review, &done.commands, &done.land);
    let mut proof = json!({"when": done.proof.when, "checks": done.proof.checks, "changes": done.proof.changes,
        "minutes": done.proof.minutes, "jobs": done.proof.jobs});
    for (key, level) in done.proof.levels() {
        proof[key] = json!(level);
    }
    json!({
        "file": source.name,
        "root": source.root,
        "valid": true,
        "line": null,
        "error": null,
        "checks": checks,
        "quarantine": quarantine,
        "gate": {
            "max_bounces": gate.max_bounces,
            "max_minutes": gate.max_minutes,
            "on_error": gate.on_error,
        },
        "review": {"when": review.when, "by": review.by, "require": review.require, "floor": review.floor,
            "rounds": review.rounds, "paths": review.paths},
        "commands": {"preset": commands.preset, "deny": commands.deny.len(), "ask": commands.ask.len(),
            "allow": commands.allow.len()},
        "land": {"require": land.require, "retries": land.retries},
        "proof": proof,
        "warnings": warnings(done),
    })
}

/// An invalid definition as one JSON object.
fn failure(source: &Source, error: &Error) -> Value {
    let (line, words) = match error.kind() {
        ErrorKind::Definition { line, words, .. } => (*line, words.clone()),
        _ => (None, error.to_string()),
    };
    json!({"file": source.name, "root": source.root, "valid": false, "line": line, "error": words})
}
