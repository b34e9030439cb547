//! The labelled cases: commands for the guard, files before and after for rg-tamper, messages of reviewers.

use super::{Job, Run, hooks};
use crate::Failure;
use crate::change::Change;
use crate::place::Place;
use serde_json::{Value, json};
use std::fs;

/// The number of commands that one job sends to rg-guard's hook.
const CHUNK: usize = 60;
/// The text that replaces `MEBIBYTE` in a message, repeated.
const PROSE: &str = "lorem ipsum { dolor ";
const GREET: &str = "echo \"hello $1\"\n";
/// A reviewer that answers with the file message, with the id of the review request and the nonce that it was given.
const REVIEWER: &str = "in=$(cat)\n\
    word=$(echo \"$in\" | sed -n 's/^# Review \\([a-z]*\\) .*/\\1/p')\n\
    request=$(echo \"$in\" | sed -n 's/^# Review [a-z]* //p')\n\
    nonce=$(echo \"$in\" | sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p')\n\
    sed \"s/\\brequest\\b/$word/g; s/P1/$request/g; s/\\\"N\\\"/\\\"$nonce\\\"/g\" \"$T/message\"\n";

/// The jobs for one file of cases. The fields of its rows tell which kind it is.
pub fn jobs(jobs: &mut Vec<Job>, name: &str, text: &str) -> Result<(), Failure> {
    let rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    let rows = rows.map_err(|error| format!("{name}: {error}"))?;
    let has = |field: &str| rows.iter().all(|row| row.get(field).is_some());
    if has("cmd") {
        let all = text.to_string();
        jobs.push(Job::new(format!("commands {name}"), move |place| guard_test(place, &all)));
        // The hook judges the labelled families again, because `test` does not print the reasons.
        if has("family") {
            for (at, rows) in rows.chunks(CHUNK).enumerate() {
                let rows = rows.to_vec();
                let name = format!("calls {name} from line {}", at * CHUNK + 1);
                jobs.push(Job::new(name, move |place| guard_hook(place, &rows)));
            }
        }
    } else if has("before") && has("after") || has("files") {
        for row in rows {
            let name = format!("change {name} {}", row["id"].as_str().or(row["name"].as_str()).unwrap_or(""));
            jobs.push(Job::new(name, move |place| tamper(place, &row)));
        }
    } else if has("message") {
        for row in rows {
            let name = format!("review {name} {}", row["shape"].as_str().unwrap_or(""));
            jobs.push(Job::new(name, move |place| review(place, &row)));
        }
    } else if !has("commit") && !has("trips") {
        // Verdicts about commits of other repositories and the figures of languages are no inputs.
        return Err(format!("{name}: rows of no known kind").into());
    }
    Ok(())
}

/// Judges all commands in one process. Each command is one run.
fn guard_test(place: &Place, commands: &str) -> Result<Vec<Run>, Failure> {
    let file = place.top.join("commands.jsonl");
    fs::write(&file, commands)?;
    place.ok("git init -q")?;
    let args = ["test".into(), "--json".into(), file.display().to_string()];
    let said = place.run("rg-guard", &args, "")?;
    let mut runs = Vec::new();
    for (row, command) in said.out.lines().zip(commands.lines()) {
        let mut run = Run::new(command.into());
        run.push("ruling", row.into());
        runs.push(run);
    }
    let rows = said.out.lines().count();
    let mut run = Run::new("the whole file".into());
    run.push("status", said.status.to_string());
    run.push("rows", rows.to_string());
    run.push("error output", said.err);
    runs.push(run);
    Ok(runs)
}

fn guard_hook(place: &Place, rows: &[Value]) -> Result<Vec<Run>, Failure> {
    place.ok("git init -q")?;
    let mut runs = Vec::new();
    for row in rows {
        let command = row["cmd"].as_str().ok_or("a command that is no text")?;
        let payload = json!({
            "session_id": "s1", "cwd": place.repo(), "transcript_path": "/nowhere.jsonl", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command},
        });
        runs.extend(hooks::run(place, command, &payload)?);
    }
    Ok(runs)
}

/// Compares a file before and after a change, with the commit before and with the baseline of a session.
fn tamper(place: &Place, row: &Value) -> Result<Vec<Run>, Failure> {
    let change = Change::of(row)?;
    change.write_before(place)?;
    place.ok("git init -q && git add -A && git commit -qm start")?;
    let payload = |event: &str| {
        json!({
            "session_id": "s1", "cwd": place.repo(), "transcript_path": "/nowhere.jsonl", "hook_event_name": event,
            "prompt": "go on", "last_assistant_message": "I am done.", "background_tasks": [],
        })
    };
    let mut runs = hooks::run(place, "prompt", &payload("UserPromptSubmit"))?;
    change.write_after(place)?;
    runs.push(Run::of("rg-tamper --now".into(), &place.sh("rg-tamper --now --against HEAD", "")?));
    runs.extend(hooks::run(place, "stop", &payload("Stop"))?);
    Ok(runs)
}

/// Sends a reviewer's message through a reviewer that rg-review starts.
fn review(place: &Place, row: &Value) -> Result<Vec<Run>, Failure> {
    let message = row["message"].as_str().ok_or("a message that is no text")?;
    fs::write(place.top.join("message"), message.replace("MEBIBYTE", &PROSE.repeat(52_429)))?;
    fs::write(place.top.join("reviewer"), REVIEWER)?;
    place.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\nreview: {when: always, command: \"sh ../reviewer\"}\n```\n")?;
    place.write("a.txt", GREET)?;
    place.ok("git init -q && git add -A && git commit -qm start && echo more >>a.txt")?;
    let mut runs = vec![Run::of("rg-review --now".into(), &place.sh("rg-review --now --against HEAD", "")?)];
    let line = "rg-event stop --against HEAD --session s1 | rg-check | rg-review-state | rg-review | rg-bounce | rg-receipt | rg-answer --format json";
    runs.push(hooks::pipeline(place, "stop".into(), line, "")?);
    runs.push(Run::of("rg-review-state show".into(), &place.sh("rg-review-state show", "")?));
    Ok(runs)
}
