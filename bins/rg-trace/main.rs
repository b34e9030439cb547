//! rg-trace: write down what happened; show it.
//!
//! Appends to trace/ in the state directory. A recorder: whatever fails here, nobody is stopped.
//! man: rg-trace(1)

mod prune;
mod show;

use review_gate::cli::{self, Tool};
use review_gate::donefile::{self, Donefile, TraceLevel};
use review_gate::error::Result;
use review_gate::event::{Event, Kind, Stage, TEXT_LIMIT, Verdict};
use review_gate::filter::{self, Filter};
use review_gate::journal;
use review_gate::redact::redact;
use review_gate::state::State;
use review_gate::text::cut_middle;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-trace",
    about: "write down what happened, show it",
    usage: "rg-trace [-C dir]\n\
            rg-trace --hook [-C dir] [--client name]\n\
            rg-trace show [-C dir] [session]",
};

/// How much of one text is written down at the level `events`, in bytes.
const CUT: usize = 8 << 10;

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb(&["show"])? {
        Some(_) => show::run(args),
        None => filter::run(args, RgTrace),
    })
}

struct RgTrace;

impl Filter for RgTrace {
    /// It only reads.
    type Section = ();
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Trace;
    const DECIDES: bool = false;
    const HOOK: bool = true;

    /// A stop at which nothing was owed is not worth a write; a session whose repository was never written about is not
    /// ours.
    fn concerns(&self, event: &Event) -> bool {
        let spoke = |verdict: Verdict| event.verdicts().iter().all(|judged| judged.verdict == verdict);
        let none_owed = event.required().is_empty() || !event.verdicts().is_empty() && spoke(Verdict::NotRequired);
        let nothing_owed =
            event.kind == Kind::Stop && none_owed && event.waivers().next().is_none() && event.findings().is_empty();
        event.session_key().is_some() && !nothing_owed && State::of_event(event).is_ok_and(|state| state.exists())
    }

    fn pass(&self, event: &Event, _: &mut ()) -> Result<()> {
        let state = State::of_event(event)?;
        let done = todays_definition(event);
        let level = done.as_ref().map_or(TraceLevel::Events, |done| done.trace);
        if level == TraceLevel::Off {
            return Ok(());
        }
        let session = event.session_key().unwrap_or_default();
        let limit = if level == TraceLevel::Full { TEXT_LIMIT } else { CUT };
        let path = state.trace(session);
        state.append_anyway(&path, TOOL.name, "event", record(event, &state, limit)?)?;
        if event.kind == Kind::SessionEnd {
            prune::prune(&state, done.map(|done| done.trace_keep).unwrap_or_default(), &path);
        }
        Ok(())
    }
}

/// How much is written down is not part of what judges: today's file says it, and a broken one changes nothing.
fn todays_definition(event: &Event) -> Option<Donefile> {
    let found = donefile::find(&event.root).ok()??;
    donefile::parse(found.name, &found.bytes, &found.root).ok()
}

/// What is kept of an event: what was said and done, what was decided, and where the task's journal stood, so that a later
/// truncation of it shows here.
fn record(event: &Event, state: &State, limit: usize) -> Result<Value> {
    let mut kept = Map::new();
    let mut put = |name: &str, value: Value| {
        let nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !nothing {
            kept.insert(name.to_string(), value);
        }
    };
    put("event", json!(event.kind));
    put("event_id", json!(event.id));
    put("by", json!(event.by));
    put("seat", json!(event.budget_owner));
    put("turn", json!(event.turn));
    put("task", json!(event.task));
    put("source", json!(event.source));
    for (name, text) in [("prompt", &event.prompt), ("message", &event.message)] {
        put(name, json!(text.as_ref().map(|text| cut_middle(&redact(text), limit))));
    }
    if let Some(tool) = &event.tool {
        let text = |value: &Value| match value {
            Value::Null => Value::Null,
            Value::String(text) => json!(cut_middle(&redact(text), limit)),
            other => json!(cut_middle(&redact(&other.to_string()), limit)),
        };
        let error = tool.error.as_ref().map(|error| cut_middle(&redact(error), limit));
        put(
            "tool",
            json!({"name": tool.name, "input": text(&tool.input), "output": text(&tool.output), "error": error}),
        );
    }
    put("outcome", json!(event.outcome()));
    put("reply", json!(event.reply()));
    put("bounce", json!(event.bounce().map(|bounce| format!("{} of {}", bounce.n, bounce.of))));
    put("receipt", json!(event.receipt()));
    put(
        "findings",
        event.findings().iter().map(|f| json!({"by": f.by, "rule": f.rule, "text": redact(&f.text)})).collect(),
    );
    put("tell", event.tell().iter().map(|said| json!(redact(&said.text))).collect());
    if let Some(task) = &event.task {
        let (length, head) = journal::head(&state.task(task))?;
        put("journal", json!({"length": length, "head": head}));
    }
    Ok(Value::Object(kept))
}
