//! rg-review-state: judge whether a required review approved the files.
//!
//! Judges a stop; writes the prompt when the agent calls the reviewer; checks the reviewer's decision against the review request.
//! Writes the `request`, `review` and `approve` records of task journals.
//! man: rg-review-state(1)

mod call;
mod list;
mod show;
mod subagent;
mod user;
mod verbs;

use review_gate::event::outcome;
use review_gate::event::{Client, Event, Kind, Stage, Verdict};
use review_gate::review::is_reviewer;
use review_gate::review::judge::{Output, judge};
use review_gate::review::record::{ReviewRequest, Reviews};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::NewRecord;
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: Stage::ReviewState.name(),
    about: "judge whether a required review approved the files",
    hint: "rg-review-state show",
    forms: &[
        Form::BARE,
        Form { needs: &["now"], takes: &["against", "json"], ..Form::BARE },
        Form {
            verb: "adopt",
            about: "Accept a receipt of another machine as a review.",
            needs: &["why"],
            takes: &["task"],
            operands: "file",
        },
        Form {
            verb: "approve",
            about: "Approve the files as they are now.",
            needs: &["why"],
            takes: &["task"],
            ..Form::BARE
        },
        Form {
            verb: "context",
            about: "Print everything that a review request points to.",
            takes: &["prompts", "question", "task"],
            operands: "[request] [path ...]",
            ..Form::BARE
        },
        Form {
            verb: "list",
            about: "Print a line for each decision.",
            takes: &["json", "reviewers", "task"],
            ..Form::BARE
        },
        Form {
            verb: "request",
            about: "Print a review request; by default that of the files as they are now.",
            takes: &["files", "task"],
            operands: "[request]",
            ..Form::BARE
        },
        Form { verb: "show", about: "Print how the review stands.", takes: &["task"], ..Form::BARE },
        Form { verb: "verify", about: "Check that the approval of these files holds.", takes: &["task"], ..Form::BARE },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
        Opt::flag("files", "Print only the changed files."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::flag("now", "Judge the files as they are now and print the verdict."),
        Opt::flag("prompts", "Print only the user's prompts."),
        Opt::with("question", "text", "A question for another model to answer."),
        Opt::flag("reviewers", "Print a line for each reviewer instead."),
        Opt::with("task", "id", "The task; by default the open one."),
        Opt::with("why", "text", "The reason; the receipt shows it."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgReviewState),
        "adopt" => user::adopt(args),
        "approve" => user::approve(args),
        "context" => verbs::context(args),
        "list" => list::run(args),
        "request" => verbs::request(args),
        "show" => show::show(args),
        "verify" => show::verify(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgReviewState;

impl Filter for RgReviewState {
    type Section = Output;
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

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let workspace = Workspace::of(event)?;
        match event.kind {
            Kind::Stop => judge_stop(event, &workspace, output),
            Kind::Prompt => subagent::pin(event, &workspace),
            Kind::ToolBefore => call::open(event, &workspace, output),
            Kind::SubagentStart => subagent::begin(event, &workspace, output),
            _ => subagent::end(event, &workspace, output),
        }
    }
}

/// Judges a stop, and records the review request if a review is required, so that a reviewer can name it.
fn judge_stop(event: &Event, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let Some(judgement) = judge(event, workspace, None, output)? else {
        // With --now no other stage says why there is no outcome.
        if event.via().is_empty() && event.client == Client::Text {
            output.judge(
                Verdict::NotRequired,
                if output.own.review.is_some() { show::NOT_SAMPLED } else { show::NOT_REQUIRED },
            );
        }
        return Ok(());
    };
    let Some(request) = judgement.request else { return Ok(()) };
    let Some(task) = workspace.task.as_ref().filter(|_| outcome::is_counted(event)) else { return Ok(()) };
    if Reviews::of(Some(task)).request(&request.id).is_none() {
        write_request(task, &request)?;
    }
    Ok(())
}

/// Records a review request; the record's id is the id of the request.
fn write_request(task: &Task, request: &ReviewRequest) -> Result<()> {
    task.append(TOOL.name, NewRecord::new(request.clone()).with_id(&request.id)).map(drop)
}
