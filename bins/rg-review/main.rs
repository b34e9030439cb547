//! rg-review: start a reviewer and record its decision.
//!
//! Runs after rg-review-state in a pipeline, or alone: starts the reviewer that DONE.md names, sends it the review request, and
//! checks its decision. Writes the `asked` records of task journals.
//! man: rg-review(1)

mod accept;
mod arbiter;
mod canary;
mod launch;
mod model;
mod moderator;
mod scratch_copy;
mod settle;
mod trial;

use review_gate::donefile::{Daily, Starter};
use review_gate::event::outcome;
use review_gate::event::{Client, Event, Finding, Level, Review, ReviewState, Rule, Stage, Verdict};
use review_gate::review::ask::KNOWN;
use review_gate::review::judge::{DueReview, Output, judge};
use review_gate::review::posts::announce_decision;
use review_gate::review::record::ReviewRequest;
use review_gate::review::subject::Subject;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::daily::Spent;
use review_gate::store::record::{CheckedDecision, LaunchedReviewStep, ReviewStep, Standing};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use review_gate::tool::origin::is_from_client;
use std::process::ExitCode;

/// The time that is kept free for the stages after this one, in seconds.
const MARGIN: f64 = 15.0;

/// How long a model may take now, in seconds, out of that share of the time that is left; None if none is.
fn time_for_a_model(event: &Event, timeout: f64, share: f64) -> Option<f64> {
    let left = event.until.map_or(timeout, |until| until.remaining().as_secs_f64() * share - MARGIN);
    (left > 0.0).then(|| timeout.min(left))
}

const TOOL: Tool = Tool {
    name: "rg-review",
    about: "start a reviewer and record its decision",
    hint: "rg-review --now",
    forms: &[
        Form::BARE,
        Form { needs: &["now"], takes: &["against", "json"], ..Form::BARE },
        Form {
            verb: "accept",
            about: "Accept the reviewer's program and the instruction files as they are now.",
            takes: &["task"],
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
        Opt::flag("json", "With --now: print the verdict as one JSON object."),
        Opt::flag("now", "Get a review of the files as they are now and print the verdict."),
        Opt::with("task", "id", "The task; by default the open one."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgReview),
        "accept" => accept::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgReview;

impl Filter for RgReview {
    /// Gives rg-review-state's verdict anew; if it fails, its own.
    type Section = Output;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Review;
    const DECIDES: bool = true;
    const AGAINST_IS_NOW: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        event.is_sessions_stop()
            && event.is_open_stop()
            && (is_alone(event) || is_owed_by_us(event) || settle::may_be_disputed(event))
    }

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let workspace = Workspace::of(event)?;
        // In a pipeline rg-check reports an invalid DONE.md.
        if is_alone(event) {
            workspace.donefile(event)?;
        }
        let armed_by = is_alone(event).then_some(TOOL.name);
        // The verdict in the line is not trusted: another process may have written it.
        if let Some(DueReview { request: Some(request), .. }) = judge(event, &workspace, armed_by, output)? {
            return review(event, &workspace, request, (armed_by, true), output);
        }
        settle_disputes(event, &workspace, (armed_by, true), output)
    }
}

/// Starts a reviewer, records its decision, and judges by it.
fn review(
    event: &Event,
    workspace: &Workspace,
    request: ReviewRequest,
    (armed_by, may_repeat): (Option<&str>, bool),
    output: &mut Output,
) -> Result<()> {
    if let Some(why) = spent_budget(&workspace.state)? {
        output.judge(Verdict::Inconclusive, why);
        return Ok(());
    }
    // A reviewer need not raise again what a test still refutes.
    let is_in_task = workspace.task.is_some() && outcome::is_counted(event);
    let is_refuted_again = is_in_task && settle::refute_again(&event.with(output), workspace)?;
    let read_again = is_refuted_again.then(|| Workspace::of(event)).transpose()?;
    let workspace = read_again.as_ref().unwrap_or(workspace);
    let given = match launch::review(&event.with(output), workspace, request) {
        Ok(given) => given,
        Err(error) => {
            output.judge(Verdict::Inconclusive, error.to_string());
            return Ok(());
        }
    };
    // A manual event must not write to a task's journal.
    match workspace.task.as_ref().filter(|_| outcome::is_counted(event)) {
        Some(task) => {
            require_client(event)?;
            let given = CheckedDecision { session: event.session.clone(), ..given };
            task.append(TOOL.name, LaunchedReviewStep(ReviewStep::Decided(given.clone())))?;
            announce_decision(&event.root, &task.id, &given);
            let workspace = Workspace::of(event)?;
            judge(&event.with(output), &workspace, armed_by, output)?;
            settle_disputes(event, &workspace, (armed_by, may_repeat), output)
        }
        None => {
            judge_by(output, given);
            Ok(())
        }
    }
}

/// Lets the arbiter and the moderator settle what is in dispute, and judges anew. If tests refuted all issues, a reviewer that
/// review-gate starts reviews the same files again, once.
fn settle_disputes(
    event: &Event,
    workspace: &Workspace,
    (armed_by, may_repeat): (Option<&str>, bool),
    output: &mut Output,
) -> Result<()> {
    let judged = event.with(output);
    if !settle::may_be_disputed(&judged) {
        return Ok(());
    }
    let (tests, is_recorded) = settle::settle(&judged, workspace, output)?;
    if !is_recorded {
        return Ok(());
    }
    let workspace = Workspace::of(event)?;
    if event.snapshot() != Some(workspace.look(event)?.digest().as_str()) {
        output.clear_verdict();
        output.judge(Verdict::Inconclusive, "files changed while a dispute was settled");
        return Ok(());
    }
    let due = judge(&event.with(output), &workspace, armed_by, output)?;
    let subject = Subject::of(&event.with(output), &workspace)?;
    for test in tests {
        if let Err(error) = arbiter::place(&subject, &test) {
            output.tell(format!("review-gate: the test that confirms an issue could not be added: {error}"));
        }
    }
    match due {
        Some(DueReview { request: Some(request), by: Starter::Command }) if may_repeat => {
            review(event, &workspace, request, (armed_by, false), output)
        }
        _ => Ok(()),
    }
}

/// Fails if a client's session is judged by a pipeline that the client did not start.
pub fn require_client(event: &Event) -> Result<()> {
    if event.client != Client::Text && !is_from_client(event) {
        return Err(Error::unverified("the session's client did not start this pipeline"));
    }
    Ok(())
}

/// Why no reviewer may be started today; None if one may. rg-bounce reports a configuration that cannot be read.
fn spent_budget(state: &State) -> Result<Option<String>> {
    let Some(budget) = Daily::of_user().unwrap_or_default().reviews else { return Ok(None) };
    let is_spent = Spent::today(state)?.reviews >= budget;
    let text = || {
        format!(
            "the daily budget of {} over all tasks is spent: no reviewer was started",
            count(budget as usize, "review")
        )
    };
    Ok(is_spent.then(text))
}

/// Whether the tool runs without a pipeline: no stage before it wrote the event.
fn is_alone(event: &Event) -> bool {
    event.client == Client::Text && event.via().is_empty()
}

/// Whether rg-review-state left the review to this tool.
fn is_owed_by_us(event: &Event) -> bool {
    let is_owed = |review: &Review| matches!(review.state, ReviewState::Required | ReviewState::Stale);
    let left = event.has_verdict(&Stage::ReviewState, Verdict::Inconclusive);
    left && event.review().is_some_and(is_owed)
}

/// Without a task: the decision itself becomes the verdict.
fn judge_by(output: &mut Output, given: CheckedDecision) {
    output.clear_verdict();
    for issue in &given.issues {
        let level = if issue.blocks { Level::Error } else { Level::Warning };
        let path = Some(issue.path.as_str()).filter(|path| !path.is_empty());
        let text = format!("{}: {}", issue.severity, one_line(&issue.description));
        let mut finding = Finding::new(Stage::ReviewState, Rule::ReviewIssue, level, path, "", cut_end(&text, 600));
        finding.key = issue.key.clone();
        finding.line = issue.line;
        output.find(finding);
    }
    let why = if given.why.is_empty() { given.summary.clone() } else { given.why.clone() };
    let (state, verdict) = match given.standing {
        Standing::Approved => (ReviewState::Approved, Verdict::Pass),
        Standing::Rejected => (ReviewState::Rejected, Verdict::Fail),
        _ => (ReviewState::Inconclusive, Verdict::Inconclusive),
    };
    let why = match given.standing {
        Standing::Approved => format!("approved by {}", given.by),
        Standing::Rejected => format!("rejected by {}: {}", given.by, count(given.issues.len(), "issue")),
        _ => cut_end(&one_line(&why), 300),
    };
    output.judge(verdict, why);
    let suggestion = given.suggestion();
    output.own.review = Some(Review {
        state,
        suggestion,
        by: Some(given.by),
        trust: given.trust,
        request: given.request,
        snapshot: given.snapshot,
        summary: given.summary,
        message: given.message,
        second_opinion: given.second_opinion,
        definition: given.definition,
        ..Review::armed(TOOL.name)
    });
}

/// The error that no reviewer can be started, because there is no model to ask.
fn no_reviewer(error: &Error) -> Error {
    match error.kind() {
        ErrorKind::Missing => Error::missing(format!(
            "no reviewer found: none of {} is on PATH. Install one, or set `review.command` or `ask.to` in DONE.md",
            KNOWN.join(", ")
        )),
        _ => Error::missing(format!("no reviewer found: {error}")),
    }
}
