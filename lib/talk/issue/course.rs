//! The status and the claim of an issue, as its changes set them one after the other. What contradicts a claim has no effect.

use super::change::Status;
use crate::sys::clock::Time;

/// A claim: one holder works on the issue for a while. `H` names a holder, `I` a change.
#[derive(Clone, Debug)]
pub struct Claim<H, I> {
    /// The id of its change.
    pub id: I,
    /// Who works on it.
    pub holder: H,
    /// When the claim runs out.
    pub until: Time,
    /// For how long it was made or last extended, in seconds.
    pub length: f64,
    /// The number of the claim among those of the issue. A later one has a larger number.
    pub fence: u64,
}

impl<H, I> Claim<H, I> {
    /// Whether it holds at that time.
    pub fn holds(&self, at: Time) -> bool {
        at < self.until
    }
}

/// What a change says about status and claim.
pub struct Step<H, I> {
    /// The id of the change.
    pub id: I,
    /// When it was made.
    pub at: Time,
    /// Who made it.
    pub by: H,
    /// The new status.
    pub status: Option<Status>,
    /// The sender claims the issue until then.
    pub claim: Option<Time>,
    /// The claim ends.
    pub release: bool,
    /// The claim under which the sender works.
    pub under: Option<I>,
    /// It counts although another one has claimed the issue.
    pub force: bool,
}

/// Where an issue stands and who has it.
#[derive(Clone, Debug)]
pub struct Course<H, I> {
    /// Where it stands.
    pub status: Status,
    /// The last claim. It may have run out.
    pub claim: Option<Claim<H, I>>,
    /// How many changes had no effect, because another holder had claimed the issue.
    pub void: usize,
    /// How many claims it has had.
    fence: u64,
}

impl<H, I> Course<H, I> {
    /// A course without a claim.
    pub fn new(status: Status) -> Course<H, I> {
        Course { status, claim: None, void: 0, fence: 0 }
    }
}

impl<H: Clone + PartialEq, I: Clone + PartialEq> Course<H, I> {
    /// Takes the next step. Returns the status that it set, if it set one.
    pub fn take(&mut self, step: &Step<H, I>) -> Option<Status> {
        let is_void = step.status.is_some_and(|to| to.is_end() && !step.force && !self.may_end(step));
        self.void += usize::from(is_void);
        let set = step.status.filter(|_| !is_void);
        if let Some(status) = set {
            self.status = status;
            if status.is_end() || status == Status::Open || status == Status::Paused {
                self.claim = None;
            }
        }
        if let Some(until) = step.claim {
            self.take_claim(step, until);
        }
        let is_holder = |claim: &Claim<H, I>| claim.holder == step.by;
        if step.release && (step.force || self.claim.as_ref().is_some_and(is_holder)) {
            self.claim = None;
            if self.status == Status::InProgress {
                self.status = Status::Open;
            }
        }
        set
    }

    /// Whether the sender may end the issue: nobody else has claimed it, and a claim of their own that they name has not run out.
    fn may_end(&self, step: &Step<H, I>) -> bool {
        match (&self.claim, &step.under) {
            (Some(claim), Some(under)) => claim.id == *under && claim.holds(step.at),
            (None, Some(_)) => false,
            (Some(claim), None) => claim.holder == step.by || !claim.holds(step.at),
            (None, None) => true,
        }
    }

    fn take_claim(&mut self, step: &Step<H, I>, until: Time) {
        if self.status.is_end() {
            return;
        }
        let length = until.since(step.at);
        match &mut self.claim {
            Some(claim) if claim.holds(step.at) && claim.holder == step.by => {
                (claim.until, claim.length) = (until, length)
            }
            Some(claim) if claim.holds(step.at) => {
                self.void += 1;
                return;
            }
            claim => {
                self.fence += 1;
                let (id, holder, fence) = (step.id.clone(), step.by.clone(), self.fence);
                *claim = Some(Claim { id, holder, until, length, fence });
            }
        }
        self.status = Status::InProgress;
    }

    /// Whether somebody can begin to work on it: it is open, or its holder has not come back.
    pub fn is_free(&self, now: Time) -> bool {
        let is_free = match self.status {
            Status::Open => true,
            Status::InProgress => self.claim.is_some(),
            Status::Paused | Status::Duplicate | Status::Closed => false,
        };
        is_free && self.claim.as_ref().is_none_or(|claim| !claim.holds(now))
    }
}
