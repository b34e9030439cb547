//! What `mark` and `next` do with a loop: let it go on, give it up, end what nobody works on any more.

use crate::frame::Step;
use crate::{Steps, TOOL, frame, words};
use review_gate::answer;
use review_gate::event::outcome::{self, Tally};
use review_gate::event::{Action, BudgetOwner, EndedWhy, Event, Finding, Kind, Verdict};
use review_gate::snapshot::definition::Basis;
use review_gate::store::loops::stack::{Frame, Seen, Stack};
use review_gate::store::record::OpenFinding;
use review_gate::store::task::Task;
use review_gate::store::{loops, open_findings};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::cut_end;

/// How many open findings a record of a loop holds.
const MOST_OPEN: usize = 50;

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

/// In words, that its iterations are.
pub fn spent(frame: &Frame) -> String {
    format!("{} iterations, and it is not said to be done", frame.begin.max)
}

/// Whether nothing happened in the innermost loop for too long: then all of them end.
pub fn is_stale(task: &Task, stack: &Stack, steps: &mut Steps) -> Result<bool> {
    let Some(quiet) = stack.frames.last().and_then(|top| loops::quiet(task, top)) else { return Ok(false) };
    frame::end_all(task, stack, "stale")?;
    let_go(steps, task, &format!("nothing happened for {}: stale", clock::human(quiet)))?;
    Ok(true)
}

/// A loop that is over, or never was, holds nobody; and that is said aloud.
pub fn let_go(steps: &mut Steps, task: &Task, why: &str) -> Result<()> {
    let text = format!("the loop ended, it is not known to be done: {why}");
    steps.tell(format!("review-gate: {text}"));
    task.state.notice(TOOL.name, Some(&task.id), &text, None).map(drop)
}

/// How things stand: the files, and what the last judgement left open.
pub fn seen(event: &Event, basis: &Basis, task: &Task) -> Result<Seen> {
    let has_helpers = event.helpers().next().is_some();
    Ok(Seen { snapshot: basis.look(event)?.digest(), keys: open_findings::keys(task), has_helpers })
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
