//! The issues that a batch works on: claimed one after the other, and set aside if their work does not land.

use crate::settings::Place;
use review_gate::git::Repository;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_middle, one_line, plain};
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::board::Issue;
use review_gate::talk::issue::change::{Fields, Holder, Status};
use review_gate::talk::issue::store::Store;
use std::collections::HashSet;

/// How long a claim holds beyond the minutes of a run, in seconds: for its judges and its landing.
const MARGIN: f64 = 3.0 * 3600.0;

/// The longest text of an issue that an agent gets, in bytes.
const TEXT: usize = 16_000;

/// The issues of a repository, as one batch sees them.
pub struct Issues {
    store: Store,
    holder: Holder,
    lease: f64,
    /// Those that had not ended when the batch began, without those that it took.
    wanted: HashSet<String>,
}

/// An issue that the batch has claimed.
pub struct Claimed {
    /// Its id.
    pub id: String,
    /// Its title, in a line.
    pub title: String,
    /// What the agent is asked.
    pub request: String,
}

impl Issues {
    /// The issues of the repository of a place, for a batch whose runs take so many minutes.
    pub fn of(place: &Place, batch: &str, minutes: f64, wanted: HashSet<String>) -> Result<Issues> {
        let repository = Repository::find(&place.root);
        let store = Store::of(TalkDir::of(&place.root, repository.as_ref())?);
        let holder = Holder { from: "run".to_string(), session: Some(batch.to_string()) };
        Ok(Issues { store, holder, lease: minutes * 60.0 + MARGIN, wanted })
    }

    /// The ids of the issues that have not ended, in a line each.
    pub fn open(&self) -> Result<String> {
        let board = self.store.read_all()?;
        let open = board.issues().filter(|issue| !issue.course.status.is_end());
        Ok(open.map(|issue| format!("{}\n", issue.id)).collect())
    }

    /// An issue is worked on once in a batch, even if somebody opens it again.
    pub fn leave_out(&mut self, id: &str) {
        self.wanted.remove(id);
    }

    /// How many issues are ready that the batch leaves to the next one.
    pub fn later(&self) -> Result<u32> {
        let board = self.store.read_all()?;
        let ready = review_gate::talk::issue::order::ready(&board, clock::now());
        Ok(ready.into_iter().filter(|issue| !self.wanted.contains(&issue.id)).count() as u32)
    }

    /// The issues that are ready, as `id: title`.
    pub fn ready(&self) -> Result<Vec<String>> {
        let board = self.store.read_all()?;
        let ready = review_gate::talk::issue::order::ready(&board, clock::now());
        Ok(ready.iter().map(|issue| format!("{}: {}", issue.id, one_line(&issue.title))).collect())
    }

    /// The ids of the issues that this batch has claimed.
    pub fn claimed(&self) -> Result<Vec<String>> {
        let board = self.store.read_all()?;
        let of = |issue: &&Issue| !issue.course.status.is_end() && self.is_held(issue);
        Ok(board.issues().filter(of).map(|issue| issue.id.clone()).collect())
    }

    /// Claims the next issue that is ready. None if there is none.
    pub fn take(&mut self) -> Result<Option<Claimed>> {
        let until = clock::now().plus(self.lease);
        let is_wanted = |issue: &Issue| self.wanted.contains(&issue.id);
        let Some(id) = self.store.claim_ready(&self.holder, until, is_wanted)? else { return Ok(None) };
        self.leave_out(&id);
        self.get(&id).map(Some)
    }

    /// Gives an issue back whose run did not begin.
    pub fn release(&self, id: &str) -> Result<()> {
        self.change(id, Fields { release: true, ..Fields::default() }, |issue| self.is_held(issue))
    }

    /// An issue that was claimed.
    pub fn get(&self, id: &str) -> Result<Claimed> {
        let board = self.store.read_all()?;
        let issue = board.get(id).ok_or_else(|| Error::changed(format!("issue {id} is gone")))?;
        Ok(Claimed { id: issue.id.clone(), title: one_line(&issue.title), request: text(issue) })
    }

    /// Extends the claim of an issue.
    pub fn renew(&self, id: &str) -> Result<()> {
        let set = Fields { claim: Some(clock::now().plus(self.lease)), ..Fields::default() };
        self.change(id, set, |issue| {
            !issue.course.status.is_end()
                && issue.claim_at(clock::now()).is_none_or(|claim| claim.holder == self.holder)
        })
    }

    /// Sets an issue aside with a comment, if this batch has claimed it. An issue that was closed meanwhile gets the comment alone:
    /// its agent or the user closed it.
    pub fn pause(&self, id: &str, comment: &str) -> Result<()> {
        let (status, comment) = (Some(Status::Paused), Some(redact(comment)));
        self.change(id, Fields { comment: comment.clone(), ..Fields::default() }, |issue| {
            issue.course.status.is_end()
        })?;
        self.change(id, Fields { status, comment, ..Fields::default() }, |issue| {
            !issue.course.status.is_end() && self.is_held(issue)
        })
    }

    /// Whether an issue has ended.
    pub fn has_ended(&self, id: &str) -> Result<bool> {
        Ok(self.store.read_all()?.get(id).is_some_and(|issue| issue.course.status.is_end()))
    }

    fn is_held(&self, issue: &Issue) -> bool {
        issue.claim_at(clock::now()).is_some_and(|claim| claim.holder == self.holder)
    }

    fn change(&self, id: &str, set: Fields, wants: impl Fn(&Issue) -> bool) -> Result<()> {
        self.store.change_if(&self.holder, |board| {
            board.get(id).filter(|issue| wants(issue)).map(|issue| (issue.id.clone(), set.clone()))
        })
    }
}

/// What the agent is asked about an issue.
fn text(issue: &Issue) -> String {
    let body = cut_middle(plain(issue.body.as_bytes()).trim(), TEXT);
    let comments = match issue.comments.len() {
        0 => String::new(),
        n => format!("\n\n{}: `rg-issue brief {}`", count(n, "comment"), issue.id),
    };
    format!("{}\n\n{body}{comments}\n\nThis is issue {}.", one_line(&issue.title), issue.id).replace("\n\n\n\n", "\n\n")
}
