//! Disputes at a stop with a rejection: first the arbiter, then, if issues stay open, the moderator.

use crate::model::Case;
use crate::{TOOL, arbiter, moderator, require_client};
use review_gate::event::{Event, ReviewState, Stage, Verdict};
use review_gate::event::{Review, marks, outcome};
use review_gate::review::judge::Output;
use review_gate::review::record::{Ruled, Settled};
use review_gate::review::subject::Subject;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::Body;
use review_gate::sys::error::Result;
use review_gate::tool::cli;

/// Whether a stop may have a dispute: the reviewer rejected these files, and no other judge fails.
pub fn may_be_disputed(event: &Event) -> bool {
    let is_rejected = |review: &Review| review.state == ReviewState::Rejected;
    event.has_verdict(&Stage::ReviewState, Verdict::Fail)
        && event.review().is_some_and(is_rejected)
        && outcome::is_counted(event)
        && marks::marks(event).cannot.is_none()
}

/// Tries the proofs of the issues again that tests refuted in other files, and records those that hold. Returns whether one does.
pub fn refute_again(event: &Event, workspace: &Workspace) -> Result<bool> {
    let subject = Subject::of(event, workspace)?;
    let refuted = arbiter::refuted_before(&subject);
    if !refuted.is_empty() {
        require_client(event)?;
    }
    let mut is_recorded = false;
    for (issue, before) in refuted {
        let request = request_of(event, workspace, &subject)?;
        let case = Case { event, workspace, subject: &subject, request: &request };
        if let Some(settled) = arbiter::refute_again(&case, &before) {
            cli::progress(&format!("{}: the test of the arbiter {} refutes {} again", TOOL.name, before.by, issue.key));
            record(workspace, settled)?;
            is_recorded = true;
        }
    }
    Ok(is_recorded)
}

/// Settles what can be settled, and records it. Returns the tests that confirm issues, and whether anything was recorded.
pub fn settle(event: &Event, workspace: &Workspace, output: &mut Output) -> Result<(Vec<String>, bool)> {
    let is_refuted_again = refute_again(event, workspace)?;
    let read_again = is_refuted_again.then(|| Workspace::of(event)).transpose()?;
    let workspace = read_again.as_ref().unwrap_or(workspace);
    let subject = Subject::of(event, workspace)?;
    let mut tests = Vec::new();
    let disputed = arbiter::disputed(event, &subject);
    let is_recorded = is_refuted_again || !disputed.is_empty();
    if !disputed.is_empty() {
        require_client(event)?;
    }
    for (issue, contest) in &disputed {
        let request = request_of(event, workspace, &subject)?;
        let case = Case { event, workspace, subject: &subject, request: &request };
        let arbitration = arbiter::settle(&case, issue, contest.as_ref());
        tell(output, &arbitration.settled);
        record(workspace, arbitration.settled)?;
        tests.extend(arbitration.test);
    }
    let workspace = &Workspace::of(event)?;
    let subject = Subject::of(event, workspace)?;
    let open = subject.open_issues();
    let rounds = event.review().map_or((0, 0), |review| (review.round, review.of));
    let Some(why) = moderator::why_needed(&subject, &open, rounds).filter(|_| tests.is_empty()) else {
        return Ok((tests, is_recorded));
    };
    require_client(event)?;
    let request = request_of(event, workspace, &subject)?;
    let case = Case { event, workspace, subject: &subject, request: &request };
    let settled = moderator::decide(&case, &open, why);
    tell(output, &settled);
    record(workspace, settled)?;
    Ok((tests, true))
}

fn request_of(
    event: &Event,
    workspace: &Workspace,
    subject: &Subject,
) -> Result<review_gate::review::record::ReviewRequest> {
    match subject.reviews.request_of(&subject.now.digest()) {
        Some(request) => Ok(request.clone()),
        None => subject.request(event, workspace),
    }
}

fn record(workspace: &Workspace, settled: Settled) -> Result<()> {
    let Some(task) = &workspace.task else { return Ok(()) };
    task.append(TOOL.name, Body::Settled(settled)).map(drop)
}

/// What the user is told: every answer but one that changes nothing.
fn tell(output: &mut Output, settled: &Settled) {
    let text = match settled.ruled {
        Ruled::Confirmed => {
            format!("a test of the arbiter {} confirms the issue {}", settled.by, settled.keys.concat())
        }
        Ruled::Refuted => format!("a test of the arbiter {} refutes the issue {}", settled.by, settled.keys.concat()),
        Ruled::AcceptReviewer => format!("the moderator {} upholds the issues: {}", settled.by, settled.why),
        Ruled::AcceptBuilder => format!("the moderator {} accepts the work: {}", settled.by, settled.why),
        Ruled::Invalid => format!("the {} gave no usable answer: {}", settled.about, settled.why),
        _ => return,
    };
    cli::progress(&format!("{}: {text}", TOOL.name));
    output.tell(format!("review-gate: {text}"));
}
