//! `mark`, before the judges: an agent that does not say that it is done goes on; what it says then opens the gate, no more.

use crate::frame::Step;
use crate::said::{self, Said};
use crate::{Steps, TOOL, frame, prompt, words};
use review_gate::answer;
use review_gate::event::outcome::{self, Tally};
use review_gate::event::{Action, Actor, BudgetOwner, EndedWhy, Event, Finding, Kind, Level, Stage, Verdict};
use review_gate::snapshot::definition::Basis;
use review_gate::store::loops;
use review_gate::store::loops::stack::{Frame, OFF_FILE, Seen, Stack, has_off_file};
use review_gate::store::open_findings;
use review_gate::store::record::OpenFinding;
use review_gate::store::task::{self, Task};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// After so many iterations in which nothing changed it is stuck.
const STUCK_AFTER: usize = 3;

/// How many open findings a record of a loop holds.
const MOST_OPEN: usize = 50;

/// The filter.
pub struct Mark;

impl Filter for Mark {
    type Section = Steps;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Loop;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Prompt => event.task.is_some() && (event.by == Actor::User || event.looping.is_some()),
            _ => is_loops_stop(event),
        }
    }

    fn pass(&self, event: &Event, steps: &mut Steps) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        match event.kind {
            Kind::Prompt => prompt::submitted(event, &task, steps),
            _ => {
                is_open(event, &task)?;
                stopped(event, task, steps)
            }
        }
    }
}

/// A stop of the session's own, within a loop, that nobody answered yet.
pub fn is_loops_stop(event: &Event) -> bool {
    event.kind == Kind::Stop
        && event.budget_owner == BudgetOwner::Main
        && event.looping.is_some()
        && event.is_open_stop()
}

/// The stop must have been opened for this session, and nobody closed it: a line can be written by anybody.
pub fn is_open(event: &Event, task: &Task) -> Result<()> {
    let mut unclosed = task.ledger.unclosed();
    match unclosed.any(|stop| stop.open.event == event.id && stop.open.budget_owner == event.budget_owner) {
        true => Ok(()),
        false => Err(Error::unverified(format!("this stop is not open in task {}", task.id))),
    }
}

fn stopped(event: &Event, task: Task, steps: &mut Steps) -> Result<()> {
    let stack = loops::of_event(&task, event)?;
    if let Some(why) = wrong(&task, &stack) {
        frame::set_aside(&task, &why)?;
        return let_go(steps, &task, &format!("its records make no sense ({why}): set aside"));
    }
    let Some(top) = stack.frames.last() else { return Ok(()) };
    if frame::is_off(&task.state)? {
        frame::end_all(&task, &stack, "off")?;
        return let_go(steps, &task, "loops are off");
    }
    if is_stale(&task, &stack, steps)? {
        return Ok(());
    }
    if !top.begin.worktree.is_dir() {
        frame::end_all(&task, &stack, "its worktree is gone")?;
        return let_go(
            steps,
            &task,
            &format!("its worktree {} is gone", one_line(&top.begin.worktree.to_string_lossy())),
        );
    }
    let basis = Basis::of(event)?;
    match has_off_file(&event.root) {
        true if frame::was_off(&event.root, &task)? => {
            frame::end_all(&task, &stack, "off")?;
            return let_go(steps, &task, &format!("there is a file {OFF_FILE}, as there was when the task began"));
        }
        true => {
            let text = format!("{OFF_FILE} was not there when the task began: remove it");
            steps.find(Finding::new(Stage::Loop, "loop-disabled", Level::Tampered, Some(OFF_FILE), "", text));
        }
        false => {}
    }
    let said = said::of(event);
    if said == Said::Complete {
        return Ok(());
    }
    let now = seen(event, &basis, &task)?;
    match said {
        Said::GaveUp(why) => give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, steps),
        _ if words::unchanged(top, &now) >= STUCK_AFTER => {
            let why = format!("stuck: nothing changed in {STUCK_AFTER} iterations");
            give_up(event, &task, &stack.frames, (EndedWhy::Stuck, &why), &now, steps)
        }
        _ if is_checkpoint(event, &basis, top) => {
            steps.own.is_checkpoint = true;
            Ok(())
        }
        _ if top.iteration >= top.begin.max => {
            give_up(event, &task, &stack.frames, (EndedWhy::Budget, &spent(top)), &now, steps)
        }
        said => {
            let twice = "Your marks contradict each other; one of them alone counts.\n";
            go_on(event, &task, top, (&now, if said == Said::Both { twice } else { "" }), steps)
        }
    }
}

/// In words, that its iterations are.
pub fn spent(frame: &Frame) -> String {
    format!("{} iterations, and it is not said to be done", frame.begin.max)
}

/// Why what stands there of loops cannot be believed.
fn wrong(task: &Task, stack: &Stack) -> Option<String> {
    let unreadable = || stack.frames.iter().find_map(|frame| frame::text(task, frame).err());
    stack.wrong.clone().or_else(|| unreadable().map(|error| error.to_string()))
}

/// Whether nothing happened in the innermost loop for too long: then all of them end.
pub fn is_stale(task: &Task, stack: &Stack, steps: &mut Steps) -> Result<bool> {
    let Some(quiet) = stack.frames.last().and_then(|top| loops::quiet(task, top)) else { return Ok(false) };
    frame::end_all(task, stack, "stale")?;
    let_go(steps, task, &format!("nothing happened for {}: stale", clock::human(quiet)))?;
    Ok(true)
}

/// A loop that is over, or never was, holds nobody; and that is said aloud.
fn let_go(steps: &mut Steps, task: &Task, why: &str) -> Result<()> {
    let text = format!("the loop ended, it is not known to be done: {why}");
    steps.tell(format!("review-gate: {text}"));
    task.state.notice(TOOL.name, Some(&task.id), &text, None).map(drop)
}

/// How things stand: the files, and what the last judgement left open.
pub fn seen(event: &Event, basis: &Basis, task: &Task) -> Result<Seen> {
    let has_helpers = event.helpers().next().is_some();
    Ok(Seen { snapshot: basis.look(event)?.digest(), keys: open_findings::keys(task), has_helpers })
}

/// Whether everything is to be judged at this iteration, though nobody says that it is done.
fn is_checkpoint(event: &Event, basis: &Basis, top: &Frame) -> bool {
    let every = frame::spec(basis, event).checkpoint;
    every > 0 && top.iteration < top.begin.max && top.iteration.is_multiple_of(every)
}

/// The next iteration, where nobody judged.
pub fn go_on(event: &Event, task: &Task, top: &Frame, (now, before): (&Seen, &str), steps: &mut Steps) -> Result<()> {
    let event = event.with(steps);
    let here = answer::open_findings(&event).map(|finding| finding.text.clone());
    let open = here.chain(open_findings::open(task).into_iter().map(|open| open.text)).collect();
    step(task, top, before, Stand { seen: now.clone(), open, judged: None }, steps)
}

/// The next iteration after a judgement of which no receipt will say anything: what it left open stands in the record.
pub fn go_on_judged(
    event: &Event,
    task: &Task,
    top: &Frame,
    (now, before): (&Seen, &str),
    steps: &mut Steps,
) -> Result<()> {
    let Tally { fail, tampered, inconclusive, .. } = outcome::tally(event);
    if inconclusive > 0 && fail + tampered == 0 {
        return go_on(event, task, top, (now, before), steps);
    }
    let found = |finding: &Finding| OpenFinding {
        key: finding.key.clone(),
        text: cut_end(&open_findings::placed(finding.path.as_deref().unwrap_or(""), finding.line, &finding.text), 300),
    };
    let open: Vec<OpenFinding> = answer::open_findings(event).map(found).take(MOST_OPEN).collect();
    let seen = Seen { keys: answer::open_keys(event), ..now.clone() };
    // What is red stands before it already.
    step(task, top, before, Stand { seen, open: Vec::new(), judged: Some(open) }, steps)
}

fn step(task: &Task, top: &Frame, before: &str, stand: Stand, steps: &mut Steps) -> Result<()> {
    let reason = words::next(task, top, &stand.seen, before, &stand.open)?;
    if frame::next(task, top, &stand.seen, stand.judged.as_deref())? == Step::Over {
        steps.tell("review-gate: the loop was ended meanwhile");
        return Ok(());
    }
    steps.tell(format!(
        "review-gate: loop, iteration {} of {} (to end it: #loop:stop)",
        top.iteration + 1,
        top.begin.max
    ));
    steps.reply(Action::Block, reason);
    Ok(())
}

/// How things stand as an iteration ends.
struct Stand {
    seen: Seen,
    /// What is open, in words.
    open: Vec<String>,
    /// What a judgement just now left open.
    judged: Option<Vec<OpenFinding>>,
}

/// The innermost loop is given up. One that is around it goes on, and has an iteration less; where none has any left, the work
/// is given up, whatever the judges say.
pub fn give_up(
    event: &Event,
    task: &Task,
    frames: &[Frame],
    (why, text): (EndedWhy, &str),
    now: &Seen,
    steps: &mut Steps,
) -> Result<()> {
    let inner = frames.len().saturating_sub(1);
    match frames[..inner].iter().rposition(|frame| frame.iteration < frame.begin.max) {
        Some(at) => {
            frame::end(task, &frames[at + 1], text)?;
            go_on(event, task, &frames[at], (now, &format!("The loop inside was given up: {text}.\n")), steps)
        }
        None => {
            let Some(first) = frames.first() else { return Ok(()) };
            if frame::end(task, first, text)? == Step::Over {
                return Ok(());
            }
            steps.judge(Verdict::Fail, "the loop was given up");
            steps.end(why, text);
            Ok(())
        }
    }
}
