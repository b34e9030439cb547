//! rg-review-state: is a review owed, given, stale, refused?
//!
//! Judges a stop; opens the agent's call of the reviewer and writes its prompt; holds what the reviewer decides against what it was
//! given. Writes the `packet`, `review` and `approve` records of task journals.
//! man: rg-review-state(1)

mod call;
mod person;
mod seat;
mod show;
mod verbs;

use review_gate::event::outcome;
use review_gate::event::{Event, Kind, Stage};
use review_gate::review::is_reviewer;
use review_gate::review::judge::{Said, judge};
use review_gate::review::record::{Packet, Reviews};
use review_gate::snapshot::definition::Basis;
use review_gate::store::record::NewRecord;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: Stage::ReviewState.name(),
    about: "say whether a review is owed, given, stale or refused",
    usage: "rg-review-state [-C dir]\n\
            rg-review-state adopt --why text [-C dir] [--task id] file\n\
            rg-review-state approve --why text [-C dir] [--task id]\n\
            rg-review-state context [-C dir] [--prompts] [--question text] [--task id] [packet] [path ...]\n\
            rg-review-state history [-C dir] [--reviewers] [--task id]\n\
            rg-review-state packet [-C dir] [--files] [--task id] [packet]\n\
            rg-review-state show [-C dir] [--task id]\n\
            rg-review-state verify [-C dir] [--task id]",
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| {
        match args.verb(&["adopt", "approve", "context", "history", "packet", "show", "verify"])? {
            Some("adopt") => person::adopt(args),
            Some("approve") => person::approve(args),
            Some("context") => verbs::context(args),
            Some("history") => show::history(args),
            Some("packet") => verbs::packet(args),
            Some("show") => show::show(args),
            Some(_) => show::verify(args),
            None => filter::run(args, RgReviewState),
        }
    })
}

struct RgReviewState;

impl Filter for RgReviewState {
    type Section = Said;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::ReviewState;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Stop => {
                let may_be_armed = event.donefile.is_some() || event.requires(&Self::STAGE);
                event.is_open_stop() && event.agent.is_none() && may_be_armed
            }
            Kind::Prompt => event.task.is_some() && (event.review_armed.is_some() || event.donefile.is_some()),
            Kind::ToolBefore => event.task.is_some() && call::is_of_reviewer(event),
            Kind::SubagentStart => event.task.is_some() && is_reviewer(event),
            Kind::SubagentStop => event.task.is_some() && is_reviewer(event) && event.reply().is_none(),
            _ => false,
        }
    }

    fn pass(&self, event: &Event, said: &mut Said) -> Result<()> {
        let basis = Basis::of(event)?;
        match event.kind {
            Kind::Stop => stopped(event, &basis, said),
            Kind::Prompt => seat::pin(event, &basis),
            Kind::ToolBefore => call::open(event, &basis, said),
            Kind::SubagentStart => seat::began(event, &basis, said),
            _ => seat::decided(event, &basis, said),
        }
    }
}

/// A stop: judged; the packet that is owed a look is written down, so that whoever looks can name it.
fn stopped(event: &Event, basis: &Basis, said: &mut Said) -> Result<()> {
    let Some(judgement) = judge(event, basis, None, said)? else { return Ok(()) };
    let Some(packet) = judgement.packet else { return Ok(()) };
    let Some(task) = basis.task.as_ref().filter(|_| outcome::is_counted(event)) else { return Ok(()) };
    if Reviews::of(Some(task)).packet(&packet.id).is_none() {
        write_packet(task, &packet)?;
    }
    Ok(())
}

/// Writes a packet down; its record's id is the packet's.
fn write_packet(task: &Task, packet: &Packet) -> Result<()> {
    task.append(TOOL.name, NewRecord::new(packet.clone()).with_id(&packet.id)).map(drop)
}
