//! rg-anchor: restore context after compaction.
//!
//! Before a compaction it appends an `anchor` record to the task's journal. When the session starts again, it summarizes the task from
//! the journal and the working tree, never from the client's log. When a session begins without a task, it says what judges the work.
//! man: rg-anchor(1)

mod intro;
mod layout;
mod show;
mod summary;
mod tree;

use review_gate::event::{AnchorFields, Event, Kind, Section, Stage};
use review_gate::store::record::Anchor;
use review_gate::store::task;
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;
use summary::Summary;

const TOOL: Tool = Tool {
    name: "rg-anchor",
    about: "restore context after compaction",
    hint: "rg-anchor show",
    forms: &[
        Form::BARE,
        Form { verb: "show", about: "Print where the task stands.", takes: &["prompts", "task"], ..Form::BARE },
    ],
    options: &[
        Opt::flag("prompts", "Print only the user's prompts, in full."),
        Opt::with("task", "id", "The task; by default the open one."),
    ],
};

/// The sources of a session's start at which the agent has lost context.
const LOSSES: [&str; 3] = ["compact", "resume", "clear"];

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgAnchor),
        "show" => show::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

/// Whether the agent had context at this start of a session and has lost it.
fn has_lost(event: &Event) -> bool {
    event.source.as_deref().is_some_and(|source| LOSSES.contains(&source))
}

/// Whether the agent has read nothing of this session yet. Cursor names no source.
fn is_new(event: &Event) -> bool {
    event.kind == Kind::SessionStart
        && event.source.as_deref().is_none_or(|source| ["startup", "clear"].contains(&source))
}

struct RgAnchor;

impl Filter for RgAnchor {
    type Section = Section<AnchorFields>;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Anchor;
    const DECIDES: bool = false;

    fn concerns(&self, event: &Event) -> bool {
        let concerns = match event.kind {
            Kind::CompactBefore => event.task.is_some(),
            Kind::SessionStart => is_new(event) || event.task.is_some() && has_lost(event),
            _ => false,
        };
        concerns && event.agent.is_none()
    }

    fn pass(&self, event: &Event, section: &mut Self::Section) -> Result<()> {
        let task = task::of_event(event)?.filter(|_| event.kind == Kind::CompactBefore || has_lost(event));
        let Some(task) = task else {
            if let Some(intro) = intro::of(event)?.filter(|_| is_new(event)) {
                section.context(intro);
            }
            return Ok(());
        };
        if event.kind == Kind::CompactBefore {
            // If the working tree cannot be read, the record only marks the compaction.
            let tree = tree::now(&task).unwrap_or_default();
            return task.append(TOOL.name, Anchor { trigger: event.source.clone(), tree }).map(drop);
        }
        // A finished task needs no context.
        if !task.is_finished() {
            section.context(layout::short(&Summary::of(&task), event.source.as_deref().unwrap_or_default()));
        }
        Ok(())
    }
}
