//! rg-bounce: block the stop while budget is left, record waivers.
//!
//! Counts consecutive bounces without progress in the task's receipts. The verb `waive` records a user's waiver.
//! man: rg-bounce(1)

mod daily;
mod score;
mod waive;

use review_gate::answer;
use review_gate::donefile::{Gate, OnError};
use review_gate::event::marks;
use review_gate::event::outcome::{self, Tally};
use review_gate::event::{Action, Bounce, BounceFields, Client, EndedWhy, Event, Outcome, Section, Stage};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::SealedReceipt;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-bounce",
    about: "block the stop while budget is left, record waivers",
    hint: "rg-bounce waive --why text",
    forms: &[
        Form::BARE,
        Form {
            verb: "waive",
            about: "Let the task end although something is open.",
            needs: &["why"],
            takes: &["for", "scope", "task"],
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("for", "duration", "How long the waiver holds."),
        Opt::with("scope", "scope", "What is waived: gate, rule:NAME or key:KEY."),
        Opt::with("task", "id", "The task; by default the open one."),
        Opt::with("why", "text", "The reason; every later receipt shows it."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgBounce),
        "waive" => waive::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgBounce;

type BounceSection = Section<BounceFields>;

impl Filter for RgBounce {
    type Section = BounceSection;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Bounce;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        let Tally { fail, tampered, inconclusive, .. } = outcome::tally(event);
        // Findings at a loop's checkpoint are work for its next iteration.
        event.is_open_stop()
            && outcome::is_counted(event)
            && fail + tampered + inconclusive > 0
            && !event.is_checkpoint()
    }

    fn pass(&self, event: &Event, section: &mut BounceSection) -> Result<()> {
        if let Some(text) = marks::marks(event).cannot {
            section.end(EndedWhy::Cannot, text);
            return Ok(());
        }
        let workspace = Workspace::of(event)?;
        let gate = workspace.gate_or_default(event);
        let Some(task) = &workspace.task else {
            return Err(Error::missing("bounces cannot be counted: the task has no records"));
        };
        // The rounds of the review are spent, or the loop ended.
        if event.ended().is_some() {
            return Ok(());
        }
        let Tally { fail, tampered, .. } = outcome::tally(event);
        if fail + tampered > 0 {
            bounce_failed(event, task, &gate, section)
        } else {
            bounce_unjudged(event, task, &gate, section)
        }
        Ok(())
    }
}

/// Bounces a stop that could not be judged, if the policy says so, at most once per user's prompt.
fn bounce_unjudged(event: &Event, task: &Task, gate: &Gate, section: &mut BounceSection) {
    // After the last round of a run nobody reads a reason.
    let is_last = event.run.as_ref().is_some_and(|run| run.last.is_some());
    if gate.on_error == OnError::Allow || is_last {
        return;
    }
    let since = task.ledger.since_user(&event.budget_owner, event.pid);
    let was_blocked = |sealed: &SealedReceipt| sealed.outcome == Outcome::Unverified && sealed.reply == Action::Block;
    // A decision that cannot be read may have been that bounce.
    if since.iter().any(|decision| decision.sealed.as_ref().is_none_or(was_blocked)) {
        section.end(EndedWhy::Budget, "two stops could not be judged");
        return;
    }
    let (score, now) = (score::now(event), answer::open_keys(event));
    block(section, Bounce { n: 1, of: 1, score, now, ..Bounce::default() });
}

/// Bounces a stop that failed or was tampered with, while there is budget left.
fn bounce_failed(event: &Event, task: &Task, gate: &Gate, section: &mut BounceSection) {
    let all = task.ledger.sealed_of(&event.budget_owner);
    let since = task.ledger.since_user(&event.budget_owner, event.pid);
    let sealed = || since.iter().filter_map(|decision| decision.sealed.as_ref());
    let abandoned = sealed().rfind(|sealed| sealed.outcome == Outcome::Abandoned);
    if let Some(ended) = abandoned.and_then(|sealed| sealed.ended.clone())
        && !sealed().any(|sealed| sealed.outcome == Outcome::Done)
    {
        section.end(EndedWhy::Budget, format!("{ABANDONED_BEFORE}{}", first_reason(&ended.text)));
        return;
    }
    let max_bounces = allowed_bounces(event, gate);
    let score = score::now(event);
    let now = answer::open_keys(event);
    // A decision that cannot be read may have been better than this one, so there is no progress.
    let progress = task.ledger.is_whole() && score::is_progress(&score, &all);
    let spent = if progress { 0 } else { score::consecutive(&since) };
    let same = all.iter().rposition(|sealed| sealed.snapshot.as_deref() == event.snapshot() && sealed.keys == now);
    let mut bounce = Bounce {
        n: spent + 1,
        of: max_bounces,
        score,
        before: all.last().map(|sealed| sealed.keys.clone()).unwrap_or_default(),
        now,
        same_as: same.map(|at| at as u32 + 1),
        unchanged: same.is_some_and(|at| at + 1 == all.len()),
        progress,
    };
    let day = daily::reached(&task.state, &bounce.score).unwrap_or_else(|error| {
        section.tell(format!("review-gate: no daily budget: {error}"));
        None
    });
    let minutes = score::first_bounce(&since).map_or(0.0, |first| clock::now().since(first) / 60.0);
    let last = event.run.as_ref().and_then(|run| run.last.clone());
    if let Some(last) = last {
        bounce.n = spent;
        section.end(last.why, last.text);
    } else if spent >= max_bounces {
        bounce.n = spent;
        section.end(EndedWhy::Budget, format!("bounced {spent} times without progress"));
    } else if let Some(text) = day {
        bounce.n = spent;
        section.end(EndedWhy::Daily, text);
    } else if minutes > gate.max_minutes {
        section.end(EndedWhy::Minutes, format!("{minutes:.0} minutes since the first bounce"));
    } else {
        return block(section, bounce);
    }
    section.own.bounce = Some(bounce);
}

/// How many bounces in a row the client allows at most: past its own limit it ends the turn whatever the hook replies.
fn allowed_bounces(event: &Event, gate: &Gate) -> u32 {
    let limit = match event.client {
        Client::Claude => match env::claude_block_cap() {
            Some(0) => None,
            cap => Some(cap.unwrap_or(CLAUDE_BLOCKS)),
        },
        Client::Codex | Client::Gemini | Client::Cursor | Client::Text => None,
    };
    limit.map_or(gate.max_bounces, |limit| gate.max_bounces.min(limit))
}

/// How many blocks of consecutive stops Claude Code honours by default.
const CLAUDE_BLOCKS: u32 = 8;

/// The prefix of the reason at stops after the one that was abandoned first.
const ABANDONED_BEFORE: &str = "since an earlier stop: ";

/// The reason of the stop that was abandoned first.
fn first_reason(text: &str) -> &str {
    text.strip_prefix(ABANDONED_BEFORE).unwrap_or(text)
}

fn block(section: &mut BounceSection, bounce: Bounce) {
    section.reply(Action::Block, format!("bounce {} of {}", bounce.n, bounce.of));
    section.own.bounce = Some(bounce);
}
