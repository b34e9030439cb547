//! The gate: the request as a prompt event, and each stop with the filters of hooks.json.

use crate::agent::Builder;
use crate::settings::Place;
use review_gate::answer::{self, Style};
use review_gate::event::outcome::Ruling;
use review_gate::event::{Event, Outcome, RunTurn, Verdict as JudgeVerdict};
use review_gate::review::PERSON_MUST_DECIDE;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::limits;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, cut_middle, one_line, plain};
use review_gate::wiring;
use std::time::Duration;

/// How long the filters of one event may take, in seconds, as in hooks.json.
const WITHIN: u64 = 3560;

/// How much of what is open a user is shown, in characters.
const OPEN: usize = 4000;

/// The longest message of an agent that is kept, in bytes. rg-event gets it as an argument.
const LONGEST_MESSAGE: usize = 48 << 10;

/// The words of rg-event for a stop that is not judged.
const CLOSE: &str = "stop --run \"$3\"";

/// What follows a stop.
pub enum Verdict {
    /// The agent is started again, with this reason.
    Again {
        /// The reason.
        reason: String,
        /// The outcome of this stop; None if a loop goes on.
        outcome: Option<Outcome>,
        /// The same in a sentence.
        summary: String,
        /// The receipt.
        receipt: Option<String>,
    },
    /// The run ends.
    Final(Ending),
    /// Nothing was decided.
    Undecided(String),
    /// Only the user can decide about these files. Without an answer, the run ends like that.
    Person(Box<Case>, Ending),
}

/// What the user decides.
pub struct Case {
    /// The task.
    pub task: String,
    /// The files.
    pub snapshot: String,
    /// What is open.
    pub open: String,
}

/// How a run ends.
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// The exit status.
    pub status: u8,
    /// Why, in a sentence.
    pub why: String,
    /// The receipt.
    pub receipt: Option<String>,
    /// The report for people.
    pub report: String,
}

impl Ending {
    /// The end of that run. Nothing has landed yet.
    pub fn of_run(&self, run: &str) -> RunEnd {
        let Ending { outcome, status, why, receipt, .. } = self;
        RunEnd {
            run: run.to_string(),
            outcome: *outcome,
            status: *status,
            receipt: receipt.clone(),
            why: why.clone(),
            commit: None,
            landed: false,
        }
    }
}

/// The part of a message that is kept.
pub fn kept(message: &str) -> String {
    cut_middle(message.trim(), LONGEST_MESSAGE).replace('\0', "")
}

/// Sends the request through the filters of a prompt. Returns what the model is told beside it.
pub fn prompt(place: &Place, start: &RunStart, request: &str) -> Result<Vec<String>> {
    let filters = wiring::filters("UserPromptSubmit")?;
    let event = run(place, start, "prompt --prompt \"$2\"", &filters, [request, ""])?;
    Ok(event.context().iter().map(|note| note.text.clone()).collect())
}

/// Judges the files after a turn with this message.
pub fn judge(place: &Place, start: &RunStart, turn: &RunTurn, message: &str) -> Result<Verdict> {
    let filters = wiring::filters("Stop")?;
    let event = run(place, start, "stop --message \"$2\" --run \"$3\"", &filters, [message, &json(turn)?])?;
    let answer = answer::answer(event.clone(), &Style::default());
    let Some(Ruling { outcome, is_blocked, status, .. }) = answer.ruling else {
        return Err(Error::bug("a stop without a ruling"));
    };
    let receipt = event.receipt().map(str::to_string);
    let summary = |word: Outcome| cut_end(&one_line(&answer::why(&event, word)), 300);
    Ok(match outcome {
        _ if is_blocked => {
            let words = outcome.map_or("the loop goes on".to_string(), |word| format!("{word}: {}", summary(word)));
            Verdict::Again { reason: answer::reason(&event), outcome, summary: words, receipt }
        }
        // Without a receipt nothing was sealed.
        Some(_) if receipt.is_none() => Verdict::Undecided("the receipt was not sealed".to_string()),
        Some(outcome) => {
            let why = summary(outcome);
            if let Some(case) = case_of(&event) {
                let status = status as u8;
                return Ok(Verdict::Person(
                    Box::new(case),
                    Ending { outcome, status, why, receipt, report: answer.out },
                ));
            }
            Verdict::Final(Ending { outcome, status: status as u8, why, receipt, report: answer.out })
        }
        None => Verdict::Undecided("nothing was judged, because no file changed".to_string()),
    })
}

/// What only the user can decide; None if nothing is.
fn case_of(event: &Event) -> Option<Case> {
    let is_for_person = |judged: &review_gate::event::Judgement| {
        judged.verdict == JudgeVerdict::Inconclusive && judged.why.starts_with(PERSON_MUST_DECIDE)
    };
    event.verdicts().iter().find(|judged| is_for_person(judged))?;
    let (task, snapshot) = (event.task.clone()?, event.snapshot()?.to_string());
    let findings = event.findings().iter().map(|finding| format!("  {}\n", one_line(&finding.text)));
    Some(Case { task, snapshot, open: cut_end(&findings.collect::<String>(), OPEN) })
}

/// Seals that the run could not be judged.
pub fn close(place: &Place, start: &RunStart, turn: &RunTurn) -> Result<Ending> {
    let filters = ["rg-receipt", "rg-trace"].map(str::to_string);
    let event = run(place, start, CLOSE, &filters, ["", &json(turn)?])?;
    let outcome = event.outcome().unwrap_or(Outcome::Unverified);
    let why = turn.failure.clone().unwrap_or_default();
    let receipt = event.receipt().map(str::to_string);
    let report = format!("{outcome}: {why}\n");
    Ok(Ending { outcome, status: unjudged(), why, receipt, report })
}

/// The status of what could not be judged.
pub fn unjudged() -> u8 {
    review_gate::sys::exit::Exit::Unjudged as u8
}

fn json(turn: &RunTurn) -> Result<String> {
    serde_json::to_string(turn).map_err(|e| Error::stream("write --run", e))
}

/// Runs `rg-event` with these words and the filters as one shell pipeline, and reads the event at its end.
fn run(place: &Place, start: &RunStart, words: &str, filters: &[String], values: [&str; 2]) -> Result<Event> {
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut line = format!("\"$0\"/rg-event {words} --session \"$1\" --within {WITHIN}");
    for filter in filters {
        line += &format!(" | \"$0\"/{filter}");
    }
    let mut command = Command::new("sh");
    command.args(["-c", &line]).arg(&bin).arg(&start.run).args(values);
    // An agent may have removed the root. The end of its run is sealed all the same.
    let dir = place.root.ancestors().find(|dir| dir.is_dir()).unwrap_or(&place.root);
    command.current_dir(dir);
    command.envs(env::own_variables()).envs(env::model_credentials());
    // Whatever git finds there now, the records are those of the run. Named needlessly, the directory would hold a second session.
    if words == CLOSE && State::of(dir).is_ok_and(|found| found.dir() != place.state.dir()) {
        command.env("RG_STATE", place.state.dir());
    }
    if let Some(reviewer) = &start.reviewer {
        command.env("RG_REVIEW", "1").env("RG_REVIEWER", reviewer);
    }
    command.env(env::RUN_BUDGET, &start.run);
    // A reviewer or an arbiter is another program, if there is one.
    command.env("RG_BUILDER", Builder::of(start)?.program().unwrap_or_default());
    let own = [("RG_REVIEWER_MODEL", &start.reviewer_model), ("RG_REVIEWER_EFFORT", &start.reviewer_effort)];
    command.envs(own.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
    let deadline = Duration::from_secs(WITHIN + 30);
    let said = process::output_with_input(command, Vec::new(), deadline, limits::LINE)?;
    Event::parse(said.stdout.trim_ascii_end()).map_err(|error| {
        let words = plain(&said.stderr);
        let first = words.lines().next().map_or_else(|| error.to_string(), |line| cut_end(&one_line(line), 300));
        Error::child(format!("the gate gave no event: {first}"))
    })
}
