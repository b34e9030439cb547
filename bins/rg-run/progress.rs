//! What a run prints: a line for each round at a terminal, otherwise a JSON object for each step.

use crate::agent::Builder;
use crate::amount::Spent;
use crate::settings::Place;
use review_gate::answer::Style;
use review_gate::store::record::{RunStart, RunStep};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli;
use review_gate::tool::pipes;
use review_gate::wiring;
use serde_json::Value;

/// Prints the steps of one run.
pub struct Progress {
    is_json: bool,
}

impl Progress {
    /// JSON if it was asked for, or if standard output is no terminal.
    pub fn new(json: bool) -> Progress {
        Progress { is_json: json || !Style::for_user().is_terminal }
    }

    /// Prints a step as JSON.
    pub fn step(&self, step: &RunStep) -> Result<()> {
        if !self.is_json {
            return Ok(());
        }
        let mut value = serde_json::to_value(step).map_err(|e| Error::stream("write a step", e))?;
        if let Value::Object(fields) = &mut value {
            fields.retain(|_, value| !value.is_null());
            for value in fields.values_mut() {
                if let Value::String(text) = value {
                    *text = redact(text);
                }
            }
        }
        pipes::write(format!("{value}\n").as_bytes())
    }

    /// Prints who works.
    pub fn begin(&self, round: u32, start: &RunStart, name: &str) {
        if !self.is_json {
            let of = start.rounds.map_or(String::new(), |rounds| format!(" of {rounds}"));
            cli::progress(&format!("round {round}{of}: {name} is at work"));
        }
    }

    /// Prints what a round came to.
    pub fn round(&self, round: u32, summary: &str, seconds: f64, spent: &Spent) -> Result<()> {
        if self.is_json {
            return Ok(());
        }
        let line = format!("round {round}: {summary} ({}, {})\n", clock::human(seconds), spent.words());
        pipes::write(line.as_bytes())
    }

    /// Prints the report of the run.
    pub fn end(&self, report: &str) -> Result<()> {
        if self.is_json { Ok(()) } else { pipes::write(report.as_bytes()) }
    }
}

/// Prints what a run would start.
pub fn plan(place: &Place, start: &RunStart, request: &str) -> Result<Exit> {
    let mut lines = vec![
        format!("root: {}", place.root.display()),
        format!("request: {}", cut_end(&one_line(request), 100)),
        format!("builder: {}", Builder::of(start)?.line()),
        format!("judges: {}", wiring::filters("Stop")?.join(" | ")),
    ];
    lines.extend(start.reviewer.as_ref().map(|name| format!("reviewer: {name}")));
    lines.extend(start.rounds.map(|rounds| format!("limit: {}", count(rounds as usize, "round"))));
    lines.push(format!("limit: {} minutes", start.minutes));
    lines.extend(start.tokens.map(|tokens| format!("limit: {}", count(tokens as usize, "token"))));
    lines.extend(start.cost.map(|cost| format!("limit: ${cost:.2}")));
    pipes::write((lines.join("\n") + "\n").as_bytes())?;
    Ok(Exit::Yes)
}
