//! Prompts: whose they are, what they begin, and what a person says in them to the gate.

use crate::{TOOL, begin, session};
use review_gate::clock;
use review_gate::dialect::claude::PROMPT_DIGEST;
use review_gate::digest::sha256;
use review_gate::donefile;
use review_gate::env;
use review_gate::error::Result;
use review_gate::event::{By, Event, Origin, State as Presence};
use review_gate::state::State;
use review_gate::task::{GATE_OFF_SECONDS, Task};
use serde_json::json;
use std::collections::HashSet;

/// A prompt was submitted: a person's begins a task or restores its budget; every prompt is recorded.
pub fn submitted(event: &mut Event, task: Option<Task>) -> Result<()> {
    let prompt = event.prompt.clone().unwrap_or_default();
    let not_typed = session::scheduled(event)?;
    if event.by == By::Person && is_echo(event, &prompt, &not_typed, task.as_ref()) {
        event.by = By::Client;
        refuse_sigils(event, &prompt, "it was scheduled, not typed");
    }
    // A prompt that came another way than this session's client calls is nobody's.
    if event.by == By::Person && event.origin == Origin::Hand {
        event.by = By::Client;
        refuse_sigils(event, &prompt, "this prompt did not come from the client");
    }
    let state = State::of_event(event)?;
    let task = match task {
        // A definition that could never be read is taken as it stands now; what was done meanwhile is judged by it.
        Some(task) if event.by == By::Person && is_mended(&task) => {
            let path = task.begin.donefile.map(|begun| begun.path.display().to_string()).unwrap_or_default();
            event.tell(
                TOOL.name,
                format!("review-gate: {path} can be read now, and judges from here on: look who wrote it"),
            );
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, "mended")?
        }
        // What was done under a waiver was never judged: it is no ground to start from.
        Some(task) if event.by == By::Person && task.is_waived_unseen() => {
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, "after a waiver")?
        }
        Some(task) if event.by != By::Person || !task.is_finished() => task,
        None if event.by != By::Person => return Ok(()),
        _ => begin::begin(&state, event, Presence::Present, begin::Files::Known, "prompt")?,
    };
    let journal = task.state.task(&task.id);
    let said = json!({
        "by": event.by,
        "turn": event.turn,
        "pid": event.pid,
        "sha256": sha256(prompt.as_bytes()),
        "text": review_gate::redact::redact(&prompt),
    });
    task.state.append(&journal, TOOL.name, "prompt", said)?;
    if event.by == By::Person {
        if let Some(text) = session::left_open(&task, false)? {
            event.tell(TOOL.name, format!("review-gate: {text}"));
        }
        sigils(event, &task, &prompt, &not_typed)?;
    }
    Ok(())
}

/// Whether the task began with a definition of done that could not be read, and there is one now that can.
fn is_mended(task: &Task) -> bool {
    let was_broken = task.begin.donefile.as_ref().is_some_and(|begun| !begun.valid);
    let found =
        || donefile::find(&task.begin.root).ok()?.filter(|f| donefile::parse(f.name, &f.bytes, &f.root).is_ok());
    was_broken && found().is_some()
}

/// Whether nothing in the prompt was typed: every line was scheduled, or the whole is a reason that we sent.
fn is_echo(event: &Event, prompt: &str, not_typed: &HashSet<String>, task: Option<&Task>) -> bool {
    let whole = event.rest.get(PROMPT_DIGEST).and_then(|digest| digest.as_str()).map(str::to_string);
    let whole = whole.unwrap_or_else(|| sha256(prompt.trim().as_bytes()));
    let is_scheduled = |text: &str| not_typed.contains(&sha256(text.trim().as_bytes()));
    let mut lines = prompt.lines().filter(|line| !line.trim().is_empty()).peekable();
    let all_scheduled = lines.peek().is_some() && lines.all(is_scheduled);
    let is_reason = |task: &Task| task.sealed().iter().any(|sealed| sealed.reason_sha256.as_ref() == Some(&whole));
    not_typed.contains(&whole) || all_scheduled || task.is_some_and(is_reason)
}

/// The lines that say something to the gate: whole lines, outside of what a client wraps in its tags.
fn sigil_lines(prompt: &str) -> Vec<&str> {
    let mut inside: Option<&str> = None;
    let mut found = Vec::new();
    for line in prompt.lines().map(str::trim) {
        match inside {
            Some(tag) if line.contains(&format!("</{tag}")) => inside = None,
            Some(_) => {}
            None => {
                let opened = ["task-notification", "agent-message", "subagent_notification"];
                let tag = opened.into_iter().find(|tag| line.contains(&format!("<{tag}")));
                inside = tag.filter(|tag| !line.contains(&format!("</{tag}")));
                if matches!(line, "#gate:off" | "#gate:on") {
                    found.push(line);
                }
            }
        }
    }
    found
}

/// A sigil that does not count is never passed over in silence: it may have been a person's after all.
fn refuse_sigils(event: &mut Event, prompt: &str, why: &str) {
    for line in sigil_lines(prompt) {
        event.tell(
            TOOL.name,
            format!("review-gate: {line} not taken: {why}; at a terminal: rg-bounce waive --why TEXT"),
        );
    }
}

/// What a person says to the gate, in lines that the client does not type for the agent.
fn sigils(event: &mut Event, task: &Task, prompt: &str, not_typed: &HashSet<String>) -> Result<()> {
    let nearly =
        |line: &&str| line.trim_start().starts_with("#gate") && !matches!(line.trim(), "#gate:off" | "#gate:on");
    if let Some(line) = prompt.lines().find(nearly) {
        let line = review_gate::text::cut_end(line.trim(), 60);
        event.tell(
            TOOL.name,
            format!("review-gate: not understood: {line:?}; #gate:off and #gate:on stand alone on a line"),
        );
    }
    for line in sigil_lines(prompt) {
        if not_typed.contains(&sha256(line.as_bytes())) {
            refuse_sigils(event, line, "it was scheduled, not typed");
            continue;
        }
        let (kind, fields, said) = if line == "#gate:on" {
            ("gate-on", json!({"who": env::user()}), "review-gate: on again".to_string())
        } else {
            let until = clock::now().plus(GATE_OFF_SECONDS);
            let said = format!("review-gate: off for this session until {until}, or #gate:on");
            ("gate-off", json!({"who": env::user(), "until": until}), said)
        };
        task.state.append(&task.state.task(&task.id), TOOL.name, kind, fields)?;
        event.tell(TOOL.name, said);
    }
    Ok(())
}
