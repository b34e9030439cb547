//! rg-review: start a reviewer and record its decision.
//!
//! Runs after rg-review-state in a pipeline, or alone: starts the reviewer that DONE.md names, sends it the review request, and
//! checks its decision. Writes the `asked` records of task journals.
//! man: rg-review(1)

mod accept;
mod launch;

use review_gate::donefile::Daily;
use review_gate::event::outcome;
use review_gate::event::{Client, Event, Finding, Level, Review, ReviewState, Rule, Stage, Verdict};
use review_gate::review::judge::{DueReview, Output, judge};
use review_gate::review::record::announce_approval;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::daily::Spent;
use review_gate::store::record::{CheckedDecision, LaunchedReviewStep, ReviewStep, Standing};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use review_gate::tool::origin::is_from_client;
use std::process::ExitCode;

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
        event.is_sessions_stop() && event.is_open_stop() && (is_alone(event) || is_owed_by_us(event))
    }

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let workspace = Workspace::of(event)?;
        // In a pipeline rg-check reports an invalid DONE.md.
        if is_alone(event) {
            workspace.donefile(event)?;
        }
        let armed_by = is_alone(event).then_some(TOOL.name);
        // The verdict in the line is not trusted: another process may have written it.
        let Some(DueReview { request: Some(request), .. }) = judge(event, &workspace, armed_by, output)? else {
            return Ok(());
        };
        if let Some(why) = spent_budget(&workspace.state)? {
            output.judge(Verdict::Inconclusive, why);
            return Ok(());
        }
        let given = match launch::review(&event.with(output), &workspace, request) {
            Ok(given) => given,
            Err(error) => {
                output.judge(Verdict::Inconclusive, error.to_string());
                return Ok(());
            }
        };
        // A manual event must not write to a task's journal.
        match workspace.task.as_ref().filter(|_| outcome::is_counted(event)) {
            Some(task) => {
                if event.client != Client::Text && !is_from_client(event) {
                    return Err(Error::unverified("the session's client did not start this pipeline"));
                }
                let given = CheckedDecision { session: event.session.clone(), ..given };
                task.append(TOOL.name, LaunchedReviewStep(ReviewStep::Decided(given.clone())))?;
                announce_approval(&event.root, &task.id, &given);
                judge(&event.with(output), &Workspace::of(event)?, armed_by, output).map(drop)
            }
            None => {
                judge_by(output, given);
                Ok(())
            }
        }
    }
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

/// The error that no reviewer can be started.
fn no_reviewer(why: &str) -> Error {
    Error::missing(format!("no reviewer found: {why}. Set `review.command` or `ask.to` in DONE.md"))
}
