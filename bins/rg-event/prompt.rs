//! Prompts: who wrote them, the task that they begin, and the commands in them.

use crate::sigils::{self, Loops, Sigil};
use crate::{TOOL, begin, repair, session, turns};
use review_gate::event::{Actor, Draft, Event, Origin, State as Presence};
use review_gate::store::record::{GateOff, GateOn, NewRecord, Prompt, Switch};
use review_gate::store::state::State;
use review_gate::store::task::{GATE_OFF_SECONDS, NEW_SESSION, Task};
use review_gate::sys::clock;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::limits;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, cut_middle};
use review_gate::tool::intake;
use std::collections::HashSet;

/// Records a prompt. A user's prompt begins a task if none is unfinished, and its commands are obeyed.
pub fn record(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let prompt = event.prompt.clone().unwrap_or_default();
    let not_typed = session::scheduled_digests(event)?;
    if event.by == Actor::User && is_echo(event, &prompt, &not_typed, task.as_ref()) {
        event.set().by = Actor::Client;
        refuse_sigils(event, &prompt, "it was scheduled by the agent");
    }
    if event.by == Actor::Agent && event.agent.is_none() {
        refuse_sigils(event, &prompt, "it comes from a client that an agent started");
    }
    // A prompt with another hook origin is not the user's.
    if event.by == Actor::User && event.origin == Origin::Manual {
        event.set().by = Actor::Client;
        refuse_sigils(event, &prompt, "the prompt did not come from this session's client");
    }
    let asked = if event.by == Actor::User { is_review_asked(&prompt, &not_typed) } else { None };
    // An unfinished task keeps its request for a review.
    let is_unfinished = task.as_ref().is_some_and(|task| !task.is_finished() && !task.awaits_user());
    let was_asked = task.as_ref().filter(|_| is_unfinished).and_then(|task| task.prompts.is_review_asked());
    event.set().review_armed = match asked.or(was_asked) {
        Some(true) => Some("#review".into()),
        None => intake::armed_by_environment(),
        _ => None,
    };
    if task.is_none() && event.by == Actor::User {
        session::report_lost_task(event)?;
    }
    let state = State::of_event(event)?;
    let old = task.as_ref().map(|task| task.id.clone());
    turns::report_others(&state, event, old.as_deref());
    if let Some(task) = &task {
        turns::report_own(task, event);
    }
    let repaired =
        task.as_ref().filter(|task| event.by == Actor::User && !ends_here(task, event)).and_then(repair::notice);
    let task = match task {
        // The repaired definition also judges the work that was done before the repair.
        Some(_) if repaired.is_some() => {
            event.tell(repaired.unwrap_or_default());
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, begin::REPAIRED)?
        }
        // Work that was done under a waiver of the whole gate was never judged.
        Some(task) if event.by == Actor::User && task.is_waived_without_judging() => {
            begin::begin(&state, event, Presence::Present, begin::Files::Unknown, "after a waiver")?
        }
        Some(task) if event.by != Actor::User || !ends_here(&task, event) => task,
        None if event.by != Actor::User => return Ok(()),
        _ => begin::begin(&state, event, Presence::Present, begin::Files::Known, "prompt")?,
    };
    // A task that replaces an unfinished one inherits its request for a review.
    let review = asked.or(was_asked.filter(|_| old.as_ref() != Some(&task.id)));
    if old.as_ref() != Some(&task.id) && event.set().looping.take().is_some() {
        event.tell("review-gate: the loop ended with its task. Begin it again with `#loop TEXT`");
    }
    let is_typed = |line: &str| !not_typed.contains(&sha256(line.as_bytes()));
    let loops = if event.by == Actor::User { sigils::loops(&prompt, is_typed) } else { Loops::default() };
    let keep = |text: &String| task.state.keep_blob(redact(text).as_bytes());
    let kept: Vec<String> = loops.tasks.iter().map(keep).collect::<Result<_>>()?;
    let text = redact(&prompt);
    // A long prompt is kept whole as a blob, because the lines of a journal stay small.
    let whole = Some(&text).filter(|text| text.len() > limits::TEXT);
    let blob = whole.map(|text| task.state.keep_blob(text.as_bytes())).transpose()?;
    let record = Prompt {
        by: event.by,
        turn: event.turn.clone(),
        sha256: sha256(prompt.as_bytes()),
        text: cut_middle(&text, limits::TEXT),
        blob,
        review: review.map(|asked| if asked { Switch::On } else { Switch::Off }),
        looping: (!kept.is_empty()).then_some(Switch::On).or(loops.has_stop.then_some(Switch::Off)),
        loops: kept,
        loop_ends: loops.has_stop,
        from: None,
    };
    task.append(TOOL.name, NewRecord::new(record).for_process(event.pid))?;
    if event.by == Actor::User {
        if let Some(text) = turns::close_own(&task, event, false)? {
            event.tell(format!("review-gate: {text}"));
        }
        if loops.has_empty {
            event.tell("review-gate: no loop was begun: the task is missing. Write `#loop TEXT`");
        }
        if let Some(at) = task.first_edited_record() {
            let effect = "no waiver, approval or command in it counts";
            event.tell(format!(
                "review-gate: the journal of this task was edited before record {at}: {effect}. {NEW_SESSION}"
            ));
        }
        obey_sigils(event, &task, &prompt, &not_typed)?;
    }
    Ok(())
}

/// Whether the user's prompt ends the task: it is finished, only changes between two tasks are open, which the prompt accepts, or no
/// turn of it changed anything. What the user changes after such a task is not charged to the agent.
fn ends_here(task: &Task, event: &Event) -> bool {
    task.is_finished() || task.awaits_user() || task.is_quiet() && event.looping.is_none()
}

/// Whether the user typed nothing of the prompt: every line was scheduled, or the whole is the reason of a bounce.
fn is_echo(event: &Event, prompt: &str, not_typed: &HashSet<String>, task: Option<&Task>) -> bool {
    let whole = event.prompt_sha256.clone().unwrap_or_else(|| sha256(prompt.trim().as_bytes()));
    let is_scheduled = |text: &str| not_typed.contains(&sha256(text.trim().as_bytes()));
    let mut lines = prompt.lines().filter(|line| !line.trim().is_empty()).peekable();
    let all_scheduled = lines.peek().is_some() && lines.all(is_scheduled);
    let is_reason = |task: &Task| task.ledger.sealed().any(|sealed| sealed.reason_sha256.as_ref() == Some(&whole));
    not_typed.contains(&whole) || all_scheduled || task.is_some_and(is_reason)
}

/// Tells the user about each refused sigil, because the user may have typed it after all.
fn refuse_sigils(event: &mut Draft, prompt: &str, why: &str) {
    for (sigil, line) in sigils::of(prompt) {
        let line = cut_end(line, 60);
        let remedy = if sigil == Sigil::GateOff { ". Waive from a terminal: `rg-bounce waive --why TEXT`" } else { "" };
        event.tell(format!("review-gate: {line} refused: {why}{remedy}"));
    }
}

/// Obeys the sigils of a user's prompt, except in lines that the agent scheduled.
fn obey_sigils(event: &mut Draft, task: &Task, prompt: &str, not_typed: &HashSet<String>) -> Result<()> {
    if let Some(line) = sigils::unknown(prompt) {
        let line = cut_end(line, 60);
        event.tell(format!(
            "review-gate: unknown command: {line:?}. Write #gate:off, #gate:on, #review:stop or #loop:stop alone on a line"
        ));
    }
    for (sigil, line) in sigils::of(prompt) {
        if not_typed.contains(&sha256(line.as_bytes())) {
            refuse_sigils(event, line, "it was scheduled by the agent");
            continue;
        }
        if task.first_edited_record().is_some() && matches!(sigil, Sigil::GateOff | Sigil::ReviewStop) {
            event.tell(format!("review-gate: {} refused: the journal of this task was edited", cut_end(line, 60)));
            continue;
        }
        let who = env::user();
        let text = match sigil {
            Sigil::GateOn => {
                task.append(TOOL.name, GateOn { who })?;
                "review-gate: on".to_string()
            }
            Sigil::GateOff => {
                let until = clock::now().plus(GATE_OFF_SECONDS);
                task.append(TOOL.name, GateOff { who, until })?;
                format!("review-gate: off for this session until {until} or `#gate:on`")
            }
            // The prompt's record holds the request.
            Sigil::Review => "review-gate: review requested. Withdraw it with `#review:stop`".to_string(),
            Sigil::ReviewStop => "review-gate: review request withdrawn".to_string(),
            Sigil::Loop | Sigil::LoopStop => continue,
        };
        event.tell(text);
    }
    Ok(())
}

/// Whether the prompt requests a review or withdraws the request; its last typed line about reviews decides.
fn is_review_asked(prompt: &str, not_typed: &HashSet<String>) -> Option<bool> {
    let is_typed = |line: &str| !not_typed.contains(&sha256(line.as_bytes()));
    sigils::of(prompt).into_iter().rev().filter(|(_, line)| is_typed(line)).find_map(|(sigil, _)| match sigil {
        Sigil::Review => Some(true),
        Sigil::ReviewStop => Some(false),
        _ => None,
    })
}
