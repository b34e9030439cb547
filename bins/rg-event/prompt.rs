//! Prompts: who wrote them, the task that they begin, and the commands in them.

use crate::schedule::{self, Schedule};
use crate::sigils::{self, Loops, Sigil};
use crate::{TOOL, authorship, begin, cut, repair, session, turns};
use review_gate::event::{Actor, Draft, Event, Origin, State as Presence};
use review_gate::store::record::{GateOff, GateOn, Limit, NewRecord, Prompt, Start, Switch};
use review_gate::store::state::State;
use review_gate::store::task::{GATE_OFF_SECONDS, NEW_SESSION, Task};
use review_gate::sys::clock;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::Result;
use review_gate::sys::limits;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, cut_middle};
use review_gate::tool::{authority, intake, origin};

/// What a prompt may do.
struct Rights {
    /// It may request a review and switch the gate on.
    arms: bool,
    /// It may begin a loop.
    loops: bool,
    /// Why it may not weaken the gate; None if it may.
    refusal: Option<String>,
    /// The same, if the reason is the client's process.
    limit: Option<Limit>,
    /// The client or a subagent wrote it, who may quote anything: a refusal is not reported.
    is_quoted: bool,
    /// The prompts that the client submits by itself.
    schedule: Schedule,
}

impl Rights {
    /// Why a sigil in that line is refused; None if it is obeyed.
    fn refuses(&self, sigil: Sigil, line: &str) -> Option<&str> {
        match sigil.weakens() {
            false if self.arms && (self.loops || sigil != Sigil::Loop) => None,
            true if self.schedule.ever_held(line) => Some(SCHEDULED),
            _ => self.refusal.as_deref(),
        }
    }

    /// Whether a line counts for a loop: the user typed it, and it ends no loop that it must not end.
    fn concerns_loops(&self, line: &str) -> bool {
        let is_refused = |(sigil, line): (Sigil, &str)| sigil.weakens() && self.refuses(sigil, line).is_some();
        !self.schedule.holds(line) && !sigils::of(line).into_iter().any(is_refused)
    }
}

const SCHEDULED: &str = "it was scheduled by the agent";

/// Records a prompt. A user's prompt begins a task if none is unfinished, and its commands are obeyed.
pub fn record(event: &mut Draft, task: Option<Task>) -> Result<()> {
    let task = task.map(|task| cut::record(event, task)).transpose()?;
    let prompt = event.prompt.clone().unwrap_or_default();
    let rights = rights(event, &prompt, task.as_ref())?;
    refuse_sigils(event, &prompt, &rights, task.as_ref());
    let asked = is_review_asked(&prompt, &rights);
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
    let survey = turns::report_others(&state, event, old.as_deref());
    if let Some(task) = &task {
        turns::report_own(task, event);
    }
    let repaired =
        task.as_ref().filter(|task| event.by == Actor::User && !ends_here(task, event)).and_then(repair::notice);
    let unfinished = task.clone().filter(|task| !task.is_finished());
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
        // The first prompt of a client that an agent started begins a task, too: its work is judged.
        None if event.by != Actor::User && rights.limit.is_none() => return Ok(()),
        _ => begin::begin_after(&state, survey, event, Presence::Present, begin::Files::Known, "prompt")?,
    };
    if old.is_none() {
        // Without the mark the session's stops are judged.
        let _ = authorship::begin(event);
    }
    // What the user asked for in a task that produced nothing, or nothing that could be judged, is asked for in the next one.
    if let Some(unfinished) = unfinished.filter(|unfinished| unfinished.id != task.id) {
        carry(&unfinished, &task, |prompt| Prompt { loops: Vec::new(), looping: None, loop_ends: false, ..prompt })?;
    }
    // A task that replaces an unfinished one inherits its request for a review.
    let review = asked.or(was_asked.filter(|_| old.as_ref() != Some(&task.id)));
    if old.as_ref() != Some(&task.id) && event.set().looping.take().is_some() {
        event.tell("review-gate: the loop ended with its task. Begin it again with `#loop TEXT`");
    }
    let loops = match rights.loops {
        true => sigils::loops(&prompt, |line| rights.concerns_loops(line)),
        false => Loops::default(),
    };
    let keep = |text: &String| task.state.keep_blob(redact(text).as_bytes());
    // A loop without a task has an empty one.
    let empty = String::new();
    let tasks = loops.tasks.iter().chain((loops.has_empty && loops.tasks.is_empty()).then_some(&empty));
    let kept: Vec<String> = tasks.map(keep).collect::<Result<_>>()?;
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
        limit: rights.limit,
        from: None,
    };
    task.append(TOOL.name, NewRecord::new(record).for_process(event.pid))?;
    if event.by == Actor::User {
        if let Some(text) = turns::close_own(&task, event, false)? {
            event.tell(format!("review-gate: {text}"));
        }
        if let Some(at) = task.first_edited_record() {
            let effect = "no waiver, approval or command in it counts";
            event.tell(format!(
                "review-gate: the journal of this task was edited before record {at}: {effect}. {NEW_SESSION}"
            ));
        }
    }
    if rights.loops {
        report_unknown_sigil(event, &prompt);
    }
    obey_sigils(event, &task, &prompt, &rights)
}

/// Copies the user's prompts of one task into another one, each as `change` leaves it.
pub fn carry(old: &Task, task: &Task, change: impl Fn(Prompt) -> Prompt) -> Result<()> {
    for (pid, prompt) in old.prompts.of_user() {
        if let Some(whole) = prompt.blob.as_ref().and_then(|blob| old.state.read_blob(blob).ok()) {
            task.state.keep_blob(&whole)?;
        }
        let carried = Prompt { from: Some(old.id.clone()), ..change(prompt.clone()) };
        task.append(TOOL.name, NewRecord::new(carried).for_process(*pid))?;
    }
    Ok(())
}

/// Whether the user's prompt ends the task: it is finished, only changes between two tasks are open, which the prompt accepts, or no
/// turn of it changed anything. What the user changes after such a task is not charged to the agent.
fn ends_here(task: &Task, event: &Event) -> bool {
    task.is_finished() || task.awaits_user() || task.is_quiet() && event.looping.is_none()
}

/// What the prompt may do, and who made it. A prompt is the user's if the session's client submitted it and no schedule or agent wrote it.
fn rights(event: &mut Draft, prompt: &str, task: Option<&Task>) -> Result<Rights> {
    let schedule = schedule::update(event)?;
    let is_quoted = event.by != Actor::User;
    let mut rights = Rights { arms: !is_quoted, loops: false, refusal: None, limit: None, is_quoted, schedule };
    if is_quoted {
        rights.refusal = Some("the user did not write it".to_string());
    } else if task.is_some_and(|task| is_reason(event, prompt, task)) {
        event.set().by = Actor::Client;
        rights.arms = false;
        rights.refusal = Some("it repeats the reason of a bounce".to_string());
    } else if is_scheduled(prompt, &rights.schedule) {
        event.set().by = Actor::Client;
        rights.refusal = Some(SCHEDULED.to_string());
    } else if event.origin == Origin::Manual {
        event.set().by = Actor::Client;
        rights.refusal = Some("the prompt did not come from this session's client".to_string());
    } else if let Some(why) = doubt(event, prompt)? {
        rights.loops = true;
        rights.refusal = Some(why);
    } else if let Some((limit, why)) = authority::limit(event)? {
        if is_guest(event, limit, task)? {
            event.set().by = Actor::Agent;
        }
        rights.loops = true;
        rights.limit = Some(limit);
        rights.refusal = Some(why);
    } else {
        rights.loops = true;
    }
    Ok(rights)
}

/// Why a prompt that would weaken the gate does not: the session's records are not intact.
fn doubt(event: &Event, prompt: &str) -> Result<Option<String>> {
    let weakens = sigils::of(prompt).iter().any(|(sigil, _)| sigil.weakens());
    if weakens { session::doubt(event) } else { Ok(None) }
}

/// Whether a client with that limit works in a task that is not its own, so that its prompts are not the user's requests.
fn is_guest(event: &Event, limit: Limit, task: Option<&Task>) -> Result<bool> {
    let is_of_other = |task: &Task| !task.is_finished() && Some(task.begin.session.as_str()) != event.session_key();
    Ok(match limit {
        Limit::Second => true,
        Limit::Nested => {
            let has_other = |start: &Start| start.calling.pid != event.pid;
            origin::starts(event)?.iter().any(has_other) || task.is_some_and(is_of_other)
        }
        Limit::Fork => task.is_some_and(is_of_other),
        Limit::Unattended => false,
    })
}

/// Whether the prompt is the reason of a bounce, which some clients submit as one.
fn is_reason(event: &Event, prompt: &str, task: &Task) -> bool {
    let whole = event.prompt_sha256.clone().unwrap_or_else(|| sha256(prompt.trim().as_bytes()));
    task.ledger.sealed().any(|sealed| sealed.reason_sha256.as_ref() == Some(&whole))
}

/// Whether the user typed nothing of the prompt: the whole or every line of it was scheduled.
fn is_scheduled(prompt: &str, schedule: &Schedule) -> bool {
    let mut lines = prompt.lines().filter(|line| !line.trim().is_empty()).peekable();
    schedule.holds(prompt) || lines.peek().is_some() && lines.all(|line| schedule.holds(line))
}

/// Tells the user about each refused sigil, because the user may have typed it after all.
fn refuse_sigils(event: &mut Draft, prompt: &str, rights: &Rights, task: Option<&Task>) {
    let task = task.map_or(String::new(), |task| format!(" --task {}", task.id));
    for (sigil, line) in sigils::of(prompt) {
        let Some(why) = rights.refuses(sigil, line).filter(|_| !rights.is_quoted) else { continue };
        let remedy = match sigil {
            Sigil::GateOff => format!(". Waive from a terminal: `rg-bounce waive --why TEXT{task}`"),
            Sigil::ReviewStop => format!(". Approve from a terminal: `rg-review-state approve --why TEXT{task}`"),
            Sigil::LoopStop => format!(". End it from a terminal: `rg-loop stop{task}`"),
            _ => String::new(),
        };
        let line = cut_end(line, 60);
        event.tell(format!("review-gate: {line} refused: {why}{remedy}"));
    }
}

/// Tells the user about a line that looks like a sigil and is not one.
fn report_unknown_sigil(event: &mut Draft, prompt: &str) {
    if let Some(line) = sigils::unknown(prompt) {
        let advice = match sigils::meant(line) {
            Some(meant) => format!("Did you mean {meant}? Then send the prompt again"),
            None => "Write #gate:off, #gate:on, #review:stop or #loop:stop alone on a line".to_string(),
        };
        event.tell(format!("review-gate: unknown command: {:?}. {advice}", cut_end(line, 60)));
    }
}

/// Obeys the sigils of a prompt that it may say.
fn obey_sigils(event: &mut Draft, task: &Task, prompt: &str, rights: &Rights) -> Result<()> {
    for (sigil, line) in sigils::of(prompt) {
        if rights.refuses(sigil, line).is_some() {
            continue;
        }
        if task.first_edited_record().is_some() && matches!(sigil, Sigil::GateOff | Sigil::ReviewStop) {
            event.tell(format!("review-gate: {} refused: the journal of this task was edited", cut_end(line, 60)));
            continue;
        }
        let who = review_gate::sys::user::name();
        let text = match sigil {
            Sigil::GateOn => {
                task.append(TOOL.name, GateOn { who })?;
                "review-gate: on".to_string()
            }
            Sigil::GateOff => {
                let until = clock::now().plus(GATE_OFF_SECONDS);
                task.append(TOOL.name, GateOff { who, origin: Some(event.origin), until })?;
                format!("review-gate: off for this session until {} or `#gate:on`", until.local())
            }
            // The prompt's record holds the request.
            Sigil::Review if rights.refusal.is_some() => "review-gate: review requested".to_string(),
            Sigil::Review => "review-gate: review requested. Withdraw it with `#review:stop`".to_string(),
            Sigil::ReviewStop => "review-gate: review request withdrawn".to_string(),
            Sigil::Loop | Sigil::LoopStop => continue,
        };
        event.tell(text);
    }
    Ok(())
}

/// Whether the prompt requests a review or withdraws the request; its last line about reviews that it may say decides.
fn is_review_asked(prompt: &str, rights: &Rights) -> Option<bool> {
    let lines = sigils::of(prompt).into_iter().rev();
    lines.filter(|(sigil, line)| rights.refuses(*sigil, line).is_none()).find_map(|(sigil, _)| match sigil {
        Sigil::Review => Some(true),
        Sigil::ReviewStop => Some(false),
        _ => None,
    })
}
