//! Prompts: whose they are, what they begin, and what a person says in them to the gate.

use crate::begin;
use review_gate::clock;
use review_gate::dialect::claude::SCHEDULED;
use review_gate::digest::sha256;
use review_gate::error::Result;
use review_gate::event::{By, Event, Origin, State as Presence};
use review_gate::journal;
use review_gate::state::State;
use review_gate::task::{GATE_OFF_SECONDS, Task};
use serde_json::json;

/// A prompt was submitted: a person's begins a task or restores its budget; every prompt is recorded.
pub fn submitted(event: &mut Event, task: Option<Task>) -> Result<()> {
    scheduled(event)?;
    let state = State::of(&event.root)?;
    let prompt = event.prompt.clone().unwrap_or_default();
    let not_typed = scheduled_digests(&state, event)?;
    if event.by == By::Person && is_echo(&prompt, &not_typed, task.as_ref()) {
        event.by = By::Client;
    }
    let task = match task {
        Some(task) if event.by != By::Person || !task.is_finished() => task,
        None if event.by != By::Person => return Ok(()),
        _ => begin::begin(&state, event, Presence::Present, "prompt")?,
    };
    let said = json!({
        "by": event.by,
        "turn": event.turn,
        "pid": event.pid,
        "sha256": sha256(prompt.as_bytes()),
        "text": review_gate::redact::redact(&prompt),
    });
    let journal = state.task(&task.id);
    state.append(&journal, crate::TOOL.name, "prompt", said)?;
    if event.by == By::Person {
        sigils(&state, event, &task, &prompt, &not_typed)?;
    }
    Ok(())
}

/// Notes the prompts that the client will submit by itself: when they come, they are nobody's.
pub fn scheduled(event: &Event) -> Result<()> {
    let prompts = event.rest.get(SCHEDULED).and_then(|list| list.as_array());
    let Some(prompts) = prompts.filter(|_| event.session_key().is_some()) else { return Ok(()) };
    let state = State::of(&event.root)?;
    let known = scheduled_digests(&state, event)?;
    for prompt in prompts.iter().filter_map(|prompt| prompt.as_str()) {
        // A prompt may come merged with others, line by line.
        for digest in digests(prompt).filter(|digest| !known.contains(digest)) {
            let fields = json!({"session": event.session, "prompt_sha256": digest});
            state.append(&state.sessions(), crate::TOOL.name, "scheduled", fields)?;
        }
    }
    Ok(())
}

/// The digests of a prompt: of its whole, and of each line that says something.
fn digests(prompt: &str) -> impl Iterator<Item = String> {
    let whole = prompt.trim();
    let lines = whole.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut all: Vec<String> = std::iter::once(whole).chain(lines).map(|text| sha256(text.as_bytes())).collect();
    all.dedup();
    all.into_iter()
}

fn scheduled_digests(state: &State, event: &Event) -> Result<Vec<String>> {
    let session = event.session_key().unwrap_or("");
    let records = journal::read_matching(&state.sessions(), session)?;
    let of_session = records.iter().filter(|r| r.kind == "scheduled" && r.text("session") == session);
    Ok(of_session.map(|record| record.text("prompt_sha256").to_string()).collect())
}

/// Whether nothing in the prompt was typed: every line was scheduled, or the whole is a reason that we sent.
fn is_echo(prompt: &str, not_typed: &[String], task: Option<&Task>) -> bool {
    let is_scheduled = |text: &str| not_typed.contains(&sha256(text.trim().as_bytes()));
    let mut lines = prompt.lines().filter(|line| !line.trim().is_empty()).peekable();
    let all_scheduled = lines.peek().is_some() && lines.all(is_scheduled);
    let digest = sha256(prompt.trim().as_bytes());
    let is_reason = |task: &Task| task.sealed().iter().any(|sealed| sealed.reason_sha256.as_ref() == Some(&digest));
    is_scheduled(prompt) || all_scheduled || task.is_some_and(is_reason)
}

/// What a person says to the gate: whole lines only, and none that the client types for the agent.
fn sigils(state: &State, event: &mut Event, task: &Task, prompt: &str, not_typed: &[String]) -> Result<()> {
    for line in prompt.lines().map(str::trim) {
        let verb = match line {
            "#gate:off" => "gate-off",
            "#gate:on" => "gate-on",
            _ => continue,
        };
        if not_typed.contains(&sha256(line.as_bytes())) {
            continue;
        }
        if event.origin == Origin::Hand {
            event.tell(
                crate::TOOL.name,
                format!("review-gate: {line} not taken: this prompt did not come from the client"),
            );
            continue;
        }
        let until = clock::now().plus(GATE_OFF_SECONDS);
        let fields = match verb {
            "gate-off" => json!({"who": review_gate::env::user(), "until": until}),
            _ => json!({"who": review_gate::env::user()}),
        };
        state.append(&state.task(&task.id), crate::TOOL.name, verb, fields)?;
        event.tell(
            crate::TOOL.name,
            match verb {
                "gate-off" => format!("review-gate: off for this session until {until}, or #gate:on"),
                _ => "review-gate: on again".to_string(),
            },
        );
    }
    Ok(())
}
