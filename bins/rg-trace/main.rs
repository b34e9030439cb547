//! rg-trace: record the events of a session and show them.
//!
//! Appends to trace/ in the state directory. Its failures never change an outcome.
//! man: rg-trace(1)

mod denials;
mod follow;
mod forget;
mod leases;
mod lines;
mod list;
mod page;
mod prune;
mod reviews;
mod search;
mod settings;
mod show;
mod stats;

use review_gate::donefile::{self, Donefile, TraceLevel};
use review_gate::event::{Event, Finding, Kind, Section, Stage, TraceFields, Verdict};
use review_gate::store::journal;
use review_gate::store::record::{Body, JournalHead, TracedEvent, TracedFinding, TracedTool};
use review_gate::store::state::State;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::limits;
use review_gate::sys::redact::redact;
use review_gate::sys::text::cut_middle;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use serde_json::Value;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-trace",
    about: "record the events of a session and show them",
    hint: "rg-trace show",
    forms: &[
        Form::BARE,
        Form { needs: &["hook"], takes: &["client"], ..Form::BARE },
        Form {
            verb: "follow",
            about: "Print a session as it happens, until it ends.",
            operands: "[session]",
            ..Form::BARE
        },
        Form {
            verb: "forget",
            about: "Remove the trace of a session; only for a user at a terminal.",
            operands: "session",
            ..Form::BARE
        },
        Form { verb: "list", about: "Print a line for each session.", takes: &["json"], ..Form::BARE },
        Form {
            verb: "search",
            about: "Print the events of all sessions that have all these words.",
            operands: "[word ...]",
            ..Form::BARE
        },
        Form {
            verb: "show",
            about: "Print a session; by default the last.",
            takes: &["html | json"],
            operands: "[session]",
            ..Form::BARE
        },
        Form {
            verb: "stats",
            about: "Count tool calls, failures, stops and bounces; by default of all sessions.",
            takes: &["json"],
            operands: "[session]",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("client", "name", "The client that calls: claude, codex, gemini or cursor."),
        Opt::flag("hook", "Read a hook call on standard input; work without a pipeline."),
        Opt::flag("html", "Print one self-contained HTML page."),
        Opt::flag("json", "Print JSON, one object a line."),
    ],
};

/// How many bytes of a text are recorded at the level `events`.
const CUT: usize = 8 << 10;

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgTrace),
        "follow" => follow::run(args),
        "forget" => forget::run(args),
        "list" => list::run(args),
        "search" => search::run(args),
        "show" => show::run(args),
        "stats" => stats::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgTrace;

impl Filter for RgTrace {
    type Section = Section<TraceFields>;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Trace;
    const DECIDES: bool = false;

    /// Leaves out stops at which nothing was required, and repositories without a state directory.
    fn concerns(&self, event: &Event) -> bool {
        let verdicts = event.verdicts();
        let all_not_required = verdicts.iter().all(|judged| judged.verdict == Verdict::NotRequired);
        let is_not_required = event.required().is_empty() || !verdicts.is_empty() && all_not_required;
        let is_unjudged_stop = event.kind == Kind::Stop
            && is_not_required
            && event.waivers().next().is_none()
            && event.findings().is_empty();
        event.session_key().is_some() && !is_unjudged_stop && State::of_event(event).is_ok_and(|state| state.exists())
    }

    fn pass(&self, event: &Event, section: &mut Section<TraceFields>) -> Result<()> {
        let state = State::of_event(event)?;
        let done = todays_definition(event);
        let level = done.as_ref().map_or(TraceLevel::Events, |done| done.trace);
        if level == TraceLevel::Off {
            return Ok(());
        }
        let session = event.session_key().unwrap_or_default();
        let limit = if level == TraceLevel::Full { limits::TEXT } else { CUT };
        let path = state.trace(session);
        leases::renew(event, &path)?;
        let changed = settings::changed(event, &path)?;
        if let Some(text) = &changed {
            section.tell(format!("review-gate: {text}"));
            section.context(format!("review-gate: {text}. {}", settings::REMEDY));
        }
        let event = &event.with(section);
        state.append_best_effort(&path, TOOL.name, traced(event, &state, limit)?)?;
        if event.kind == Kind::SessionEnd {
            prune::prune(&state, done.map(|done| done.trace_keep).unwrap_or_default(), &path);
        }
        Ok(())
    }
}

/// Today's DONE.md; None if it cannot be used. It only sets how much is recorded.
fn todays_definition(event: &Event) -> Option<Donefile> {
    let found = donefile::find(&event.root).ok()??;
    donefile::parse(found.name, &found.bytes, &found.root).ok()
}

/// The record of an event: its texts, what was decided, and the head of the task's journal, which shows a later truncation.
fn traced(event: &Event, state: &State, limit: usize) -> Result<TracedEvent> {
    let short = |text: &str| cut_middle(&redact(text), limit);
    let of_value = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(short(text)),
        other => Some(short(&other.to_string())),
    };
    let tool = event.tool.as_ref().map(|tool| TracedTool {
        name: tool.name.clone(),
        input: of_value(&tool.input),
        output: of_value(&tool.output),
        error: tool.error.as_deref().map(short),
    });
    let journal =
        event.task.as_ref().map(|task| head_of(state, task, event.session_key().unwrap_or_default())).transpose()?;
    let found = |f: &Finding| TracedFinding {
        by: f.by.to_string(),
        rule: f.rule.to_string(),
        level: f.level,
        text: redact(&f.text),
    };
    Ok(TracedEvent {
        event: event.kind.clone(),
        event_id: event.id.clone(),
        by: event.by,
        budget_owner: event.budget_owner.clone(),
        turn: event.turn.clone(),
        task: event.task.clone(),
        source: event.source.clone(),
        prompt: event.prompt.as_deref().map(short),
        message: event.message.as_deref().map(short),
        tool,
        outcome: event.outcome(),
        reply: event.reply().cloned(),
        bounce: event.bounce().map(|bounce| format!("{} of {}", bounce.n, bounce.of)),
        receipt: event.receipt().map(str::to_string),
        findings: event.findings().iter().map(found).collect(),
        tell: event.tell().iter().map(|notice| redact(&notice.text)).collect(),
        journal,
        at: clock::now(),
    })
}

/// The head of a task's journal. If the journal no longer has the one in the session's last record, that one: otherwise the next tool
/// call would hide that records were cut off.
fn head_of(state: &State, task: &str, session: &str) -> Result<JournalHead> {
    let path = state.task(task);
    let known = match journal::last(&state.trace(session))?.map(|record| record.body) {
        Some(Body::Event(traced)) if traced.task.as_deref() == Some(task) => traced.journal,
        _ => None,
    };
    let known = known.filter(|known| known.head.is_some());
    let position = known.as_ref().map_or(0, |known| known.length);
    let (head, earlier) = journal::head_and_earlier(&path, position)?;
    Ok(known.filter(|known| known.head != earlier).unwrap_or(head))
}
