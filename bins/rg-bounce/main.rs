//! rg-bounce: may the agent be sent back once more?
//!
//! Counts consecutive bounces without progress from the task's receipts; the verb `waive` writes a person's waiver.
//! man: rg-bounce(1)

mod score;
mod waive;

use review_gate::answer;
use review_gate::basis::Basis;
use review_gate::cli::{self, Tool};
use review_gate::clock;
use review_gate::donefile::{Gate, OnError};
use review_gate::error::{Error, Result};
use review_gate::event::{Action, Bounce, Ended, EndedWhy, Event, Outcome, Reply};
use review_gate::filter::{self, Filter};
use review_gate::outcome::{self, Tally};
use review_gate::record::Sealed;
use review_gate::said;
use review_gate::task::Task;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-bounce",
    about: "decide whether the agent may be sent back once more",
    usage: "rg-bounce [-C dir]\n\
            rg-bounce waive --why text [-C dir] [--for duration] [--scope scope] [--task id]",
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["waive"])? {
        Some(_) => waive::run(args),
        None => filter::run(args, RgBounce),
    })
}

struct RgBounce;

impl Filter for RgBounce {
    const TOOL: Tool = TOOL;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        let Tally { fail, gamed, unverified, .. } = outcome::tally(event);
        // What is red at a loop's checkpoint is its next iteration's work.
        let is_checkpoint = event.looping.as_ref().is_some_and(|top| top.checkpoint);
        event.is_open_stop() && outcome::is_counted(event) && fail + gamed + unverified > 0 && !is_checkpoint
    }

    fn pass(&self, event: &mut Event) -> Result<()> {
        if let Some(text) = said::marks(event).cannot {
            event.ended = Some(Ended { why: EndedWhy::Cannot, text });
            return Ok(());
        }
        let basis = Basis::of(event)?;
        let gate = basis.gate_or_default(event);
        let Some(task) = &basis.task else {
            return Err(Error::missing("no record of this task: bounces cannot be counted"));
        };
        // The reviewer's rounds are spent.
        if event.ended.is_some() {
            return Ok(());
        }
        let Tally { fail, gamed, .. } = outcome::tally(event);
        if fail + gamed > 0 {
            count(event, task, &gate)
        } else {
            unjudged(event, task, &gate)
        }
        Ok(())
    }
}

/// Nothing is red, but somebody could not judge: the policy decides, at most once per person's prompt.
fn unjudged(event: &mut Event, task: &Task, gate: &Gate) {
    if gate.on_error == OnError::Allow {
        return;
    }
    let since = task.ledger.since_user(&event.seat, event.pid);
    let was_blocked = |sealed: &Sealed| sealed.outcome == Outcome::Unverified && sealed.reply == Action::Block;
    // A decision that cannot be read may have been that block.
    if since.iter().any(|decision| decision.sealed.as_ref().is_none_or(was_blocked)) {
        end(event, EndedWhy::Budget, "it could not be judged, twice".into());
        return;
    }
    event.bounce =
        Some(Bounce { n: 1, of: 1, score: score::now(event), now: answer::open_keys(event), ..Bounce::default() });
    block(event);
}

/// Something is red: sent back while there is budget left.
fn count(event: &mut Event, task: &Task, gate: &Gate) {
    let all = task.ledger.sealed_of(&event.seat);
    let since = task.ledger.since_user(&event.seat, event.pid);
    let sealed = || since.iter().filter_map(|decision| decision.sealed.as_ref());
    let given_up = sealed().filter(|sealed| sealed.outcome == Outcome::Abandoned).last();
    if let Some(ended) = given_up.and_then(|sealed| sealed.ended.clone())
        && !sealed().any(|sealed| sealed.outcome == Outcome::Done)
    {
        event.ended =
            Some(Ended { why: EndedWhy::Budget, text: format!("given up before: {}", before_colon(&ended.text)) });
        return;
    }
    let score = score::now(event);
    let now = answer::open_keys(event);
    // Where a decision cannot be read nobody knows what was reached before.
    let progress = task.ledger.is_whole() && score::is_progress(&score, &all);
    let spent = if progress { 0 } else { score::consecutive(&since) };
    let same = all.iter().rposition(|sealed| sealed.snapshot == event.snapshot && sealed.keys == now);
    event.bounce = Some(Bounce {
        n: spent + 1,
        of: gate.max_bounces,
        score,
        before: all.last().map(|sealed| sealed.keys.clone()).unwrap_or_default(),
        now,
        same_as: same.map(|at| at as u32 + 1),
        unchanged: same.is_some_and(|at| at + 1 == all.len()),
        progress,
    });
    let minutes = score::first_bounce(&since).map_or(0.0, |first| clock::now().since(first) / 60.0);
    if spent >= gate.max_bounces {
        if let Some(bounce) = &mut event.bounce {
            bounce.n = spent;
        }
        let text = format!("sent back {spent} times without progress");
        end(event, EndedWhy::Budget, text);
    } else if minutes > gate.max_minutes {
        end(event, EndedWhy::Minutes, format!("{minutes:.0} minutes since it was first sent back"));
    } else {
        block(event);
    }
}

/// The reason that was given first, without what was put before it.
fn before_colon(text: &str) -> &str {
    text.strip_prefix("given up before: ").unwrap_or(text)
}

fn end(event: &mut Event, why: EndedWhy, text: String) {
    event.ended = Some(Ended { why, text });
}

fn block(event: &mut Event) {
    let (n, of) = event.bounce.as_ref().map_or((1, 1), |bounce| (bounce.n, bounce.of));
    event.reply = Some(Reply { action: Action::Block, reason: format!("round {n} of {of}"), by: TOOL.name.into() });
}
