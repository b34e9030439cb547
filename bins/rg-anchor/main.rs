//! rg-anchor: keep the thread over a compaction, and hand it back.
//!
//! Before a compaction it writes an `anchor` record into the task's journal; when the session starts again it says what stands, from
//! the journal and the work tree, never from the client's log.
//! man: rg-anchor(1)

mod layout;
mod show;
mod thread;
mod tree;

use review_gate::event::{AnchorFields, Event, Kind, Section, Stage};
use review_gate::store::record::Anchor;
use review_gate::store::task;
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;
use thread::Thread;

const TOOL: Tool = Tool {
    name: "rg-anchor",
    about: "keep the thread over a compaction, hand it back",
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

/// When a session starts so, its agent has lost what it knew.
const LOST: [&str; 3] = ["compact", "resume", "clear"];

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgAnchor),
        "show" => show::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgAnchor;

impl Filter for RgAnchor {
    type Section = Section<AnchorFields>;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Anchor;
    const DECIDES: bool = false;

    fn concerns(&self, event: &Event) -> bool {
        let is_its = match event.kind {
            Kind::CompactBefore => true,
            Kind::SessionStart => event.source.as_deref().is_some_and(|source| LOST.contains(&source)),
            _ => false,
        };
        is_its && event.agent.is_none() && event.task.is_some()
    }

    fn pass(&self, event: &Event, section: &mut Self::Section) -> Result<()> {
        let Some(task) = task::of_event(event)? else { return Ok(()) };
        if event.kind == Kind::CompactBefore {
            // A work tree that cannot be looked at leaves what the journal knows.
            let tree = tree::now(&task).unwrap_or_default();
            return task.append(TOOL.name, Anchor { trigger: event.source.clone(), tree }).map(drop);
        }
        // What is done needs no thread.
        if !task.is_finished() {
            section.context(layout::short(&Thread::of(&task), event.source.as_deref().unwrap_or_default()));
        }
        Ok(())
    }
}
