//! The reviews of a task: a fold over its journal.

use crate::store::journal::{Fold, Line};
pub use crate::store::record::{
    Approval, CheckedDecision, Dispute, FollowUpRequest, OpenedCall, Proof, RaisedIssue, ReviewPins, ReviewRequest,
    Ruled, Settled, Standing, StartedReviewer,
};
use crate::store::record::{Body, Damaged, Kind, LaunchedReviewStep, Record, ReviewStep, Unknown};
use crate::store::task::Task;

/// The kinds of records that may be a rejection or may say that a reviewer is not to be trusted.
const STEPS: [Kind; 3] = [Kind::Review, Kind::Asked, Kind::Settled];

/// The reviews of one task. All lists are in journal order.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    /// The review requests.
    pub requests: Vec<ReviewRequest>,
    /// The opened calls.
    pub opened: Vec<OpenedCall>,
    /// The reviewers that began.
    pub began: Vec<StartedReviewer>,
    /// Agents with the reviewer's role that began without an opened call, and why they do not count.
    pub uninvited: Vec<(String, String)>,
    /// What reviews, as it was at the task's first prompt.
    pub pins: Option<ReviewPins>,
    /// What reviewers were asked for because their decisions lacked it.
    pub follow_ups: Vec<FollowUpRequest>,
    /// The decisions.
    pub decisions: Vec<CheckedDecision>,
    /// The user's approvals.
    pub approvals: Vec<Approval>,
    /// What rg-review settled.
    pub settled: Vec<Settled>,
    /// The numbers of unreadable lines that may be steps of a review.
    unreadable: Vec<usize>,
}

impl Fold for Reviews {
    fn record(&mut self, line: &Line, record: &Record) {
        match &record.body {
            Body::ReviewRequest(request) => self.requests.push(request.clone()),
            // The user accepted the programs and the instruction files; the prompt of the client's reviewer stays.
            Body::Asked(LaunchedReviewStep(ReviewStep::Pinned(now))) => {
                let definition = self.pins.take().and_then(|pins| pins.definition);
                self.pins = Some(ReviewPins { definition, ..now.clone() });
            }
            Body::Review(step) | Body::Asked(LaunchedReviewStep(step)) => self.take(line.number, step),
            Body::Settled(settled) => {
                self.settled.push(Settled { place: line.number, at: record.envelope.at, ..settled.clone() })
            }
            Body::Approve(approval) => self.approvals.push(approval.clone()),
            _ => {}
        }
    }

    fn unknown(&mut self, line: &Line, unknown: &Unknown) {
        if STEPS.iter().any(|kind| unknown.may_be(*kind)) {
            self.unreadable.push(line.number);
        }
    }

    // An unreadable line approves nothing, and it may have been a rejection.
    fn damaged(&mut self, line: &Line, damaged: &Damaged) {
        if STEPS.iter().any(|kind| damaged.may_be(*kind)) {
            self.unreadable.push(line.number);
        }
    }
}

impl Reviews {
    /// The reviews of a task; none for a manual event.
    pub fn of(task: Option<&Task>) -> Reviews {
        task.map(|task| task.journal.fold()).unwrap_or_default()
    }

    fn take(&mut self, place: usize, step: &ReviewStep) {
        match step {
            ReviewStep::Pinned(pins) => self.pins = self.pins.take().or(Some(pins.clone())),
            ReviewStep::Opened(opened) => self.opened.push(opened.clone()),
            ReviewStep::Began(began) => self.began.push(began.clone()),
            ReviewStep::Uninvited { agent, why } => self.uninvited.push((agent.clone(), why.clone())),
            ReviewStep::SentBack(sent) => self.follow_ups.push(sent.clone()),
            ReviewStep::Decided(given) => self.decisions.push(CheckedDecision { place, ..given.clone() }),
        }
    }

    /// The review request with that id, or with an id that begins with it.
    pub fn request(&self, id: &str) -> Option<&ReviewRequest> {
        self.requests.iter().rfind(|request| request.id == id || id.len() >= 6 && request.id.starts_with(id))
    }

    /// The last review request for a snapshot.
    pub fn request_of(&self, snapshot: &str) -> Option<&ReviewRequest> {
        self.requests.iter().rfind(|request| request.snapshot == snapshot)
    }

    /// The decisions that count: those that are not void.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = &CheckedDecision> {
        self.decisions.iter().filter(|given| given.standing != Standing::Void)
    }

    /// The blocking issues that no later decision found resolved.
    pub fn open_issues(&self) -> Vec<RaisedIssue> {
        self.open_issues_with_places().into_iter().map(|(_, issue)| issue).collect()
    }

    /// The same, each with the line of the journal that raised it last.
    pub fn open_issues_with_places(&self) -> Vec<(usize, RaisedIssue)> {
        let mut open: Vec<(usize, RaisedIssue)> = Vec::new();
        let decided = |given: &&CheckedDecision| matches!(given.standing, Standing::Approved | Standing::Rejected);
        for given in self.counting().filter(decided) {
            open.retain(|(_, issue)| !given.settled.contains(&issue.key));
            for issue in given.issues.iter().filter(|issue| issue.blocks && given.standing == Standing::Rejected) {
                open.retain(|(_, known)| known.key != issue.key);
                open.push((given.place, issue.clone()));
            }
        }
        open
    }

    /// How many rejections raised an issue that blocks.
    pub fn times_raised(&self, key: &str) -> usize {
        let raises = |given: &&CheckedDecision| given.issues.iter().any(|issue| issue.blocks && issue.key == key);
        self.counting().filter(|given| given.standing == Standing::Rejected).filter(raises).count()
    }

    /// What an arbiter, a moderator or a planted defect showed.
    pub fn settled_about(&self, about: Dispute) -> impl DoubleEndedIterator<Item = &Settled> {
        self.settled.iter().filter(move |settled| settled.about == about)
    }

    /// Whether a reviewer approved a planted defect.
    pub fn missed_a_defect(&self, by: &str) -> bool {
        self.settled_about(Dispute::Canary).any(|settled| settled.ruled == Ruled::Missed && settled.by == by)
    }

    /// How often the work was rejected since that line of the journal. An unreadable step counts as a rejection. A rejection whose issues
    /// were all refuted does not count, up to half of the rejections.
    pub fn rejections_since(&self, line: usize) -> u32 {
        let rejected = || self.counting().filter(|given| given.place >= line && given.standing == Standing::Rejected);
        let is_refuted = |given: &CheckedDecision, key: &str| {
            self.settled_about(Dispute::Arbiter).any(|settled| {
                settled.ruled == Ruled::Refuted
                    && settled.place > given.place
                    && Some(&settled.snapshot) == given.snapshot.as_ref()
                    && settled.keys.iter().any(|known| known == key)
            })
        };
        let is_mistaken = |given: &&CheckedDecision| {
            let mut blocking = given.issues.iter().filter(|issue| issue.blocks).peekable();
            blocking.peek().is_some() && blocking.all(|issue| is_refuted(given, &issue.key))
        };
        let unreadable = self.unreadable.iter().filter(|at| **at >= line).count();
        let all = rejected().count();
        (all - rejected().filter(is_mistaken).count().min(all / 2) + unreadable) as u32
    }

    /// How often a reviewer was asked for `about`.
    pub fn times_asked(&self, agent: &str, about: &str) -> usize {
        self.follow_ups.iter().filter(|sent| sent.agent == agent && sent.about == about).count()
    }
}
