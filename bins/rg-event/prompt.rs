//! Prompts: whose they are, what they begin, and what a person says in them to the gate.

use crate::sigils::{self, Loops, Sigil};
use crate::{TOOL, begin, session};
use review_gate::donefile;
use review_gate::event::{Actor, Draft, Event, Origin, State as Presence};
use review_gate::store::record::{GateOff, GateOn, NewRecord, Prompt, Switch};
use review_gate::store::state::State;
use review_gate::store::task::{GATE_OFF_SECONDS, Task};
use review_gate::sys::clock;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::limits;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, cut_middle};
use review_gate::tool::intake;
use std::collections::HashSet;

/// A prompt was submitted: a person's begins a task or restores its budget; every prompt is recorded.
pub fn submitted(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let prompt = event.prompt.clone().unwrap_or_default();
    let not_typed = session::scheduled(event)?;
    if event.by == Actor::User && is_echo(event, &prompt, &not_typed, task.as_ref()) {
        event.set().by = Actor::Client;
        refuse_sigils(event, &prompt, "it was scheduled, not typed");
    }
    if event.by == Actor::Agent && event.agent.is_none() {
        refuse_sigils(event, &prompt, "an agent's own client typed it");
    }
    // A prompt that came another way than this session's client calls is nobody's.
    if event.by == Actor::User && event.origin == Origin::Manual {
        event.set().by = Actor::Client;
        refuse_sigils(event, &prompt, "this prompt did not come from the client");
    }
    let asked = if event.by == Actor::User { asks_review(&prompt, &not_typed) } else { None };
    // A task that goes on stays armed; a new one begins without.
    let goes_on = task.as_ref().is_some_and(|task| !task.is_finished());
    let was_asked = task.as_ref().filter(|_| goes_on).and_then(|task| task.prompts.is_review_asked());
    event.set().review_armed = match asked.or(was_asked) {
        Some(true) => Some("#review".into()),
        None => intake::armed_by_environment(),
        _ => None,
    };
    if task.is_none() && event.by == Actor::User {
        session::tell_gone(event)?;
    }
    let state = State::of_event(event)?;
    let old = task.as_ref().map(|task| task.id.clone());
    let task = match task {
        // A definition that could never be read is taken as it stands now; what was done meanwhile is judged by it.
        Some(task) if event.by == Actor::User && is_mended(&task) => {
            let path = task.begin.donefile.map(|begun| begun.path.display().to_string()).unwrap_or_default();
            event.tell(format!("review-gate: {path} can be read now, and judges from here on: look who wrote it"));
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, "mended")?
        }
        // What was done under a waiver was never judged: it is no ground to start from.
        Some(task) if event.by == Actor::User && task.is_waived_unseen() => {
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, "after a waiver")?
        }
        Some(task) if event.by != Actor::User || !task.is_finished() => task,
        None if event.by != Actor::User => return Ok(()),
        _ => begin::begin(&state, event, Presence::Present, begin::Files::Known, "prompt")?,
    };
    // What was asked for in an unfinished task goes on in the one that takes its place.
    let review = asked.or(was_asked.filter(|_| old.as_ref() != Some(&task.id)));
    if old.as_ref() != Some(&task.id) && event.set().looping.take().is_some() {
        event.tell("review-gate: the loop ended with the task that it was in: ask for it again");
    }
    let is_typed = |line: &str| !not_typed.contains(&sha256(line.as_bytes()));
    let loops = if event.by == Actor::User { sigils::loops(&prompt, is_typed) } else { Loops::default() };
    let keep = |text: &String| task.state.keep_blob(redact(text).as_bytes());
    let kept: Vec<String> = loops.tasks.iter().map(keep).collect::<Result<_>>()?;
    let text = redact(&prompt);
    // A journal's lines stay small; not a word of what a person says is lost.
    let whole = Some(&text).filter(|text| text.len() > limits::TEXT);
    let blob = whole.map(|text| task.state.keep_blob(text.as_bytes())).transpose()?;
    let said = Prompt {
        by: event.by,
        turn: event.turn.clone(),
        sha256: sha256(prompt.as_bytes()),
        text: cut_middle(&text, limits::TEXT),
        blob,
        review: review.map(|asked| if asked { Switch::On } else { Switch::Off }),
        looping: (!kept.is_empty()).then_some(Switch::On).or(loops.ends.then_some(Switch::Off)),
        loops: kept,
        loop_ends: loops.ends,
        from: None,
    };
    task.append(TOOL.name, NewRecord::new(said).for_process(event.pid))?;
    if event.by == Actor::User {
        if let Some(text) = session::left_open(&task, false)? {
            event.tell(format!("review-gate: {text}"));
        }
        if loops.bare {
            event.tell("review-gate: no loop begins: say what is to be done, #loop TEXT");
        }
        heed(event, &task, &prompt, &not_typed)?;
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
    let whole = event.prompt_sha256.clone().unwrap_or_else(|| sha256(prompt.trim().as_bytes()));
    let is_scheduled = |text: &str| not_typed.contains(&sha256(text.trim().as_bytes()));
    let mut lines = prompt.lines().filter(|line| !line.trim().is_empty()).peekable();
    let all_scheduled = lines.peek().is_some() && lines.all(is_scheduled);
    let is_reason = |task: &Task| task.ledger.sealed().any(|sealed| sealed.reason_sha256.as_ref() == Some(&whole));
    not_typed.contains(&whole) || all_scheduled || task.is_some_and(is_reason)
}

/// A sigil that does not count is never passed over in silence: it may have been a person's after all.
fn refuse_sigils(event: &mut Draft, prompt: &str, why: &str) {
    for (sigil, line) in sigils::of(prompt) {
        let line = cut_end(line, 60);
        let way = if sigil == Sigil::GateOff { "; at a terminal: rg-bounce waive --why TEXT" } else { "" };
        event.tell(format!("review-gate: {line} not taken: {why}{way}"));
    }
}

/// What a person says to the gate, in lines that the client does not type for the agent.
fn heed(event: &mut Draft, task: &Task, prompt: &str, not_typed: &HashSet<String>) -> Result<()> {
    if let Some(line) = sigils::nearly(prompt) {
        let line = cut_end(line, 60);
        event.tell(format!(
            "review-gate: not understood: {line:?}; #gate:off, #gate:on, #review:stop, #loop:stop stand alone on a line"
        ));
    }
    for (sigil, line) in sigils::of(prompt) {
        if not_typed.contains(&sha256(line.as_bytes())) {
            refuse_sigils(event, line, "it was scheduled, not typed");
            continue;
        }
        let who = env::user();
        let said = match sigil {
            Sigil::GateOn => {
                task.append(TOOL.name, GateOn { who })?;
                "review-gate: on again".to_string()
            }
            Sigil::GateOff => {
                let until = clock::now().plus(GATE_OFF_SECONDS);
                task.append(TOOL.name, GateOff { who, until })?;
                format!("review-gate: off for this session until {until}, or #gate:on")
            }
            // The prompt's own record says so.
            Sigil::Review => "review-gate: an independent review is asked for, until #review:stop".to_string(),
            Sigil::ReviewStop => "review-gate: no review is asked for any more".to_string(),
            Sigil::Loop | Sigil::LoopStop => continue,
        };
        event.tell(said);
    }
    Ok(())
}

/// What a person's prompt says of a review, by the last of its lines that says anything.
fn asks_review(prompt: &str, not_typed: &HashSet<String>) -> Option<bool> {
    let is_typed = |line: &str| !not_typed.contains(&sha256(line.as_bytes()));
    sigils::of(prompt).into_iter().rev().filter(|(_, line)| is_typed(line)).find_map(|(sigil, _)| match sigil {
        Sigil::Review => Some(true),
        Sigil::ReviewStop => Some(false),
        _ => None,
    })
}
