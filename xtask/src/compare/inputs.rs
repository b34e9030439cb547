//! The inputs: every transcript, every captured hook payload, every labelled case.

use super::{Job, Options, Run, cases, hooks};
use crate::Failure;
use crate::place::Place;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A DONE.md whose check fails until the third change.
const DONE: &str = "# Done\n\n```yaml\nchecks:\n  - name: tests\n    run: sh test.sh\n```\n";
const TEST: &str = "test $(wc -l <src.txt) -ge 3 || { echo 'src.txt: too short'; exit 1; }\n";
/// The id that stands for `<uuid>` in captures.
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// All jobs whose name contains the text of `--only`.
pub fn jobs(options: &Options) -> Result<Vec<Job>, Failure> {
    let mut jobs = Vec::new();
    for script in files(&options.new.tree.join("tests/pipe"), "sh")? {
        jobs.push(transcript(&script));
    }
    // A file that is in two folders is one input.
    let mut known = Vec::new();
    for dir in &options.captures {
        for file in files(dir, "json")? {
            let text = fs::read_to_string(&file)?;
            if !known.contains(&text) {
                let name = file.strip_prefix(dir)?.with_extension("").display().to_string();
                captures(&mut jobs, &name, &text)?;
                known.push(text);
            }
        }
    }
    for dir in &options.cases {
        for file in files(dir, "jsonl")? {
            let text = fs::read_to_string(&file)?;
            if !known.contains(&text) {
                cases::jobs(&mut jobs, &stem(&file), &text)?;
                known.push(text);
            }
        }
    }
    jobs.retain(|job| job.name.contains(&options.only));
    if jobs.is_empty() { Err("no input contains the text of --only".into()) } else { Ok(jobs) }
}

/// The files below a folder with that ending, sorted.
fn files(dir: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut open) = (Vec::new(), vec![dir.to_path_buf()]);
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("lib") {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A transcript of tests/pipe. Each side runs the one of its own checkout.
fn transcript(script: &Path) -> Job {
    let (name, file) = (stem(script), script.file_name().unwrap_or_default().to_os_string());
    Job::new(format!("transcript {name}"), move |place| {
        let script = place.set.tree.join("tests/pipe").join(&file);
        let said = place.sh(&format!("exec sh '{}' 2>&1", script.display()), "")?;
        Ok(vec![Run::of("all of it".into(), &said)])
    })
}

/// A capture file: variants of one event, each run separately, or the events of a session, run in order.
fn captures(jobs: &mut Vec<Job>, name: &str, text: &str) -> Result<(), Failure> {
    let capture: Value = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
    if let Some(events) = capture.as_array() {
        let events: Vec<Value> = events.iter().map(|event| event["stdin"].clone()).collect();
        jobs.push(Job::new(format!("session {name}"), move |place| session(place, &events)));
        return Ok(());
    }
    for (at, variant) in capture["variants"].as_array().into_iter().flatten().enumerate() {
        let payload = variant["stdin"].clone();
        let begin = json!({
            "session_id": payload["session_id"], "cwd": "<project>", "transcript_path": "/nowhere.jsonl",
            "hook_event_name": "UserPromptSubmit", "prompt": "make src.txt longer",
        });
        let change = json!({
            "session_id": payload["session_id"], "cwd": "<project>", "transcript_path": "/nowhere.jsonl",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "echo more >>src.txt"},
        });
        // A prompt and a change come first, so that there is something to judge.
        let events = [begin, change, payload];
        jobs.push(Job::new(format!("payload {name} {}", at + 1), move |place| session(place, &events)));
    }
    Ok(())
}

/// Plays events in one repository. Each tool call appends to src.txt. An event without a hook runs nothing.
fn session(place: &Place, events: &[Value]) -> Result<Vec<Run>, Failure> {
    place.write("DONE.md", DONE)?;
    place.write("test.sh", TEST)?;
    place.write("src.txt", "one\n")?;
    place.ok("git init -q && git add -A && git commit -qm start")?;
    let (repo, home) = (place.repo().display().to_string(), place.top.join("home").display().to_string());
    let mut runs = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let text = event.to_string().replace("<project>", &repo).replace("<home>", &home).replace("<uuid>", SESSION);
        let text = text.replace("\"/project", &format!("\"{repo}")).replace("/home/user", &home);
        let payload: Value = serde_json::from_str(&text)?;
        let kind = payload["hook_event_name"].as_str().unwrap_or("no name");
        if kind == "PostToolUse" {
            place.ok(&format!("echo {at} >>src.txt"))?;
        }
        let done = hooks::run(place, &format!("event {} {kind}", at + 1), &payload)?;
        // An event without a hook is an input, too: neither side runs anything.
        runs.extend(if done.is_empty() { vec![Run::new(format!("event {} {kind}: no hook", at + 1))] } else { done });
    }
    Ok(runs)
}
