//! The hooks of hooks.json, run as the client runs them. The event lines between the stages are recorded.

use super::Run;
use crate::Failure;
use crate::place::{Place, Said};
use serde_json::Value;
use std::fs;

/// Runs the hooks of hooks.json for this payload, one after the other. Returns no runs if there is none.
pub fn run(place: &Place, input: &str, payload: &Value) -> Result<Vec<Run>, Failure> {
    let hooks: Value = serde_json::from_slice(&fs::read(place.set.tree.join("hooks.json"))?)?;
    let text = |name: &str| payload[name].as_str().unwrap_or("");
    let groups = hooks["hooks"][text("hook_event_name")].as_array().cloned().unwrap_or_default();
    let wanted = groups.iter().filter(|group| {
        group["matcher"].as_str().is_none_or(|tools| tools.split('|').any(|tool| tool == text("tool_name")))
    });
    let mut runs = Vec::new();
    for hook in wanted.flat_map(|group| group["hooks"].as_array().into_iter().flatten()) {
        let command = hook["command"].as_str().ok_or("hooks.json: a hook without a command")?;
        let name = format!("{input}, hook {}", runs.len() + 1);
        runs.push(match hook["args"].as_array() {
            Some(args) => {
                let program = command.replace("${CLAUDE_PLUGIN_ROOT}", &place.top.join("plugin").display().to_string());
                let args: Vec<String> = args.iter().filter_map(|arg| Some(arg.as_str()?.to_string())).collect();
                Run::of(name, &place.run(&program, &args, &payload.to_string())?)
            }
            None => pipeline(place, name, command, &payload.to_string())?,
        });
    }
    Ok(runs)
}

/// Runs a pipeline and records each stage's status and the event line that the last stage reads.
pub fn pipeline(place: &Place, name: String, command: &str, stdin: &str) -> Result<Run, Failure> {
    let seen = place.top.join("seen");
    fs::create_dir_all(&seen)?;
    let stages: Vec<&str> = command.split(" | ").collect();
    let mut line = String::new();
    for (at, stage) in stages.iter().enumerate() {
        if at > 0 {
            line.push_str(" | ");
        }
        if at > 0 && at + 1 == stages.len() {
            line.push_str("tee \"$T/seen/line\" | ");
        }
        line.push_str(&format!("{{ {stage}; echo $? >\"$T/seen/{at}\"; }}"));
    }
    let Said { out, err, .. } = place.sh(&line, stdin)?;
    let status = |at: usize| fs::read_to_string(seen.join(at.to_string())).unwrap_or_else(|_| "none".into());
    let statuses: Vec<String> = (0..stages.len()).map(|at| status(at).trim().to_string()).collect();
    let event = fs::read(seen.join("line")).unwrap_or_default();
    fs::remove_dir_all(&seen)?;
    let mut run = Run::new(name);
    run.push("statuses", statuses.join(" "));
    run.push("output", out);
    run.push("error output", err);
    run.push_line(String::from_utf8_lossy(&event).into_owned());
    Ok(run)
}
