//! What a run prints: a line for each round at a terminal, otherwise a JSON object for each step.

use crate::TOOL;
use crate::agent::Builder;
use crate::amount::Spent;
use crate::settings::Place;
use review_gate::answer::Style;
use review_gate::store::record::{RunStart, RunStep, RunWait};
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli;
use review_gate::tool::pipes;
use review_gate::wiring;
use serde_json::Value;
use std::cell::Cell;

/// Prints the steps of one run. If they cannot be printed, the run continues: runs.jsonl holds them, too.
pub struct Progress {
    form: Form,
    /// Whether a step could not be printed.
    is_lost: Cell<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Lines,
    Json,
    Nothing,
}

impl Progress {
    /// JSON if it was asked for, or if standard output is no terminal.
    pub fn new(json: bool) -> Progress {
        Progress::of(if json || !Style::for_user().is_terminal { Form::Json } else { Form::Lines })
    }

    /// Prints nothing.
    pub fn silent() -> Progress {
        Progress::of(Form::Nothing)
    }

    fn of(form: Form) -> Progress {
        Progress { form, is_lost: Cell::new(false) }
    }

    fn print(&self, text: &str) {
        if self.is_lost.get() {
            return;
        }
        if let Err(error) = pipes::write(text.as_bytes()) {
            self.is_lost.set(true);
            cli::print_error(
                &TOOL,
                &format!(
                    "{}. The run goes on: see runs.jsonl in the state directory",
                    error.to_string().trim_end_matches(": stopped")
                ),
            );
        }
    }

    /// Prints a step as JSON.
    pub fn step(&self, step: &RunStep) {
        match (step, self.form) {
            (RunStep::Waits(wait), Form::Lines) => cli::progress(&waits(wait)),
            (_, Form::Json) => {
                let mut value = serde_json::to_value(step).unwrap_or_default();
                clean(&mut value);
                // These are for rg-run itself.
                value.as_object_mut().map(|fields| fields.remove("journals"));
                self.print(&format!("{value}\n"));
            }
            _ => {}
        }
    }

    /// Prints who works.
    pub fn begin(&self, round: u32, start: &RunStart, name: &str) {
        if self.form == Form::Lines {
            let of = start.rounds.map_or(String::new(), |rounds| format!(" of {rounds}"));
            cli::progress(&format!("round {round}{of}: {name} is at work"));
        }
    }

    /// Prints what a round came to.
    pub fn round(&self, round: u32, summary: &str, seconds: f64, spent: &Spent) {
        if self.form == Form::Lines {
            self.print(&(round_line(round, summary, seconds, spent) + "\n"));
        }
    }

    /// Prints a step of one run of a batch, which its process printed as JSON.
    pub fn relay(&self, name: &str, line: &str, seconds: f64, spent: &Spent) {
        if self.form == Form::Json {
            return self.print(&format!("{line}\n"));
        }
        match serde_json::from_str(line) {
            // The end of the item follows the last round.
            Ok(RunStep::Judged(verdict)) if verdict.ending.is_none() => {
                let words = round_line(verdict.round, &verdict.summary, seconds, spent);
                self.end(&format!("{name}: {words}\n"));
            }
            Ok(RunStep::Waits(wait)) => self.end(&format!("{name}: {}\n", waits(&wait))),
            _ => {}
        }
    }

    /// Prints the report of the run.
    pub fn end(&self, report: &str) {
        if self.form == Form::Lines {
            self.print(report);
        }
    }
}

/// What a round waits for, in a line.
fn waits(wait: &RunWait) -> String {
    format!("round {} waits: {}", wait.round, one_line(&wait.why))
}

/// What a round came to, in a line.
fn round_line(round: u32, summary: &str, seconds: f64, spent: &Spent) -> String {
    format!("round {round}: {} ({}, {})", one_line(summary), clock::human(seconds), spent.words())
}

/// Leaves out what is not set, and hides secrets.
fn clean(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(clean);
        }
        Value::String(text) => *text = redact(text),
        _ => {}
    }
}

/// Prints what a run, or each run of a batch, would start.
pub fn plan(place: &Place, start: &RunStart, subject: &[String], branch: Option<&str>) -> Result<Exit> {
    let mut lines = vec![format!("root: {}", place.root.display())];
    lines.extend(subject.iter().cloned());
    lines.extend([
        format!("builder: {}", Builder::of(start)?.line()),
        format!("judges: {}", wiring::filters("Stop")?.join(" | ")),
    ]);
    lines.extend(start.reviewer.as_ref().map(|name| format!("reviewer: {name}")));
    lines.extend(branch.map(|name| format!("worktree: {name}")));
    if start.land {
        lines.push("landing: rg-land".to_string());
    }
    lines.extend(start.rounds.map(|rounds| format!("limit: {}", count(rounds as usize, "round"))));
    lines.push(format!("limit: {} minutes", start.minutes));
    let tokens = |tokens: u64| count(tokens as usize, "token");
    lines.extend(start.tokens.map(|limit| format!("limit: {}", tokens(limit))));
    lines.extend(start.cost.map(|limit| format!("limit: ${limit:.2}")));
    lines.extend(start.tokens_per_day.map(|limit| format!("limit: {} a day", tokens(limit))));
    lines.extend(start.cost_per_day.map(|limit| format!("limit: ${limit:.2} a day")));
    pipes::write((lines.join("\n") + "\n").as_bytes())?;
    Ok(Exit::Yes)
}

/// A request in a line, for a plan.
pub fn brief(request: &str) -> String {
    cut_end(&one_line(request), 100)
}
