//! `show` and `verify`: how the review of a task stands, and whether its approval still holds.

use crate::verbs::{parse_options, task_and_event};
use review_gate::event::{Event, Part, ReviewState, Source, Trust};
use review_gate::review::judge::{Output, judge};
use review_gate::review::record::{CheckedDecision, Reviews, Standing};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// The reason for not-required if nothing requires a review.
pub const NOT_REQUIRED: &str =
    "no review is required. To require one, write #review in a prompt or set review.when in DONE.md";

/// The reason for not-required if the sample did not select the task.
pub const NOT_SAMPLED: &str = "the sample did not select this task";

/// `show`: prints the state of the review. The status is 0 if no review is outstanding, else 1.
pub fn show(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &[])?;
    let (event, workspace) = task_and_event(args, options.task)?;
    // A manual event carries neither the user's request for a review nor the task's client: take both from the task.
    let task = workspace.task.as_ref();
    let client = task.map_or(event.client, |task| task.begin.client);
    let review_armed =
        task.and_then(|task| task.prompts.is_review_asked()).filter(|asked| *asked).map(|_| "#review".to_string());
    let event = Event::new(Source { client, review_armed, ..Source::clone(&event) });
    let mut output = Output::of(&event);
    judge(&event, &workspace, None, &mut output)?;
    let reviews = Reviews::of(workspace.task.as_ref());
    let Some(review) = &output.own.review else {
        pipes::write(format!("{NOT_REQUIRED}\n").as_bytes())?;
        return Ok(Exit::Yes);
    };
    let why = output.verdict().map_or("", |judgement| judgement.why.as_str());
    let mut out = format!(
        "{}: {}\n{} by {}\n",
        review.state,
        if why.is_empty() { NOT_SAMPLED } else { why },
        if review.state == ReviewState::NotSampled { "sampled" } else { "required" },
        review.armed
    );
    if let Some(request) = &review.request {
        out.push_str(&format!("review request {request}\n"));
    }
    if review.round > 0 {
        out.push_str(&format!("rejections: {} of {}\n", review.round, review.of));
    }
    for issue in reviews.open_issues() {
        let place = if issue.path.is_empty() { String::new() } else { format!("{}: ", issue.path) };
        out.push_str(&format!(
            "{} {} {place}{}\n",
            issue.key,
            issue.severity,
            cut_end(&one_line(&issue.description), 200)
        ));
    }
    pipes::write(out.as_bytes())?;
    let is_settled = matches!(
        review.state,
        ReviewState::Approved | ReviewState::Waived | ReviewState::NotRequired | ReviewState::NotSampled
    );
    Ok(if is_settled { Exit::Yes } else { Exit::No })
}

/// `verify`: checks the approval of the current files and the task's journal. The status is 0 if both are valid.
pub fn verify(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &[])?;
    let (event, workspace) = task_and_event(args, options.task)?;
    let snapshot = workspace.look(&event)?.digest();
    let Some(task) = &workspace.task else { return Ok(Exit::Unjudged) };
    let (chain, records) = (task.journal.chain(), task.journal.lines().len());
    let reviews = Reviews::of(Some(task));
    let last = reviews
        .decisions
        .iter()
        .rfind(|given| given.snapshot.as_ref() == Some(&snapshot) && given.standing != Standing::Void);
    let mut lines = vec![match chain.broken.is_empty() {
        true => format!("ok: the journal of task {} ({})", task.id, count(records, "record")),
        false => format!("BROKEN: the journal of task {} at record {}", task.id, chain.broken[0]),
    }];
    let is_elsewhere = |given: &CheckedDecision| given.trust == Some(Trust::External);
    let has_request = |given: &CheckedDecision| {
        let request = given.request.as_deref().and_then(|id| reviews.request(id));
        let kept = given.snapshot.as_deref().is_some_and(|digest| workspace.state.read_blob(digest).is_ok());
        is_elsewhere(given) || request.is_some() && kept
    };
    let request = |given: &CheckedDecision| given.request.clone().unwrap_or_default();
    let stands = match last {
        Some(given) if given.standing == Standing::Approved && has_request(given) => {
            let trust = given.trust.map_or("void", |trust| trust.word());
            lines.push(format!("ok: approved ({trust}) by {}, review request {}", given.by, request(given)));
            true
        }
        Some(given) if given.standing == Standing::Approved => {
            lines.push(format!("BROKEN: review request {} of the approval is not recorded", request(given)));
            false
        }
        Some(given) => {
            lines.push(format!("not approved: {}", given.standing));
            false
        }
        None => {
            lines.push("not approved: no reviewer decided on these files".to_string());
            false
        }
    };
    pipes::write((lines.join("\n") + "\n").as_bytes())?;
    Ok(if stands && chain.broken.is_empty() { Exit::Yes } else { Exit::No })
}
