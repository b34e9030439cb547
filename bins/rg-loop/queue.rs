//! The issues of a repository, as the loop of one session claims and leaves them.

use review_gate::event::{Event, Source};
use review_gate::git::Repository;
use review_gate::store::loops::stack::Frame;
use review_gate::store::task::Task;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::process::{self, Command, Output as Said};
use review_gate::sys::redact::redact;
use review_gate::sys::text::one_line;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::board::{Board, Issue};
use review_gate::talk::issue::change::{Fields, Holder, Status};
use review_gate::talk::issue::store::Store;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The mode of a frame that works on an issue.
pub const MODE: &str = "issue";

/// How long a claim holds without an event, in seconds: as long as a loop does.
const LEASE: f64 = 2.0 * 3600.0;

/// How long a worktree may take to be made.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// The reason of the end of a frame whose issue was given up.
pub const ABANDONED: &str = "abandoned";

/// The issues of a repository, as the loop of one session sees them.
pub struct Queue {
    store: Store,
    holder: Holder,
    root: PathBuf,
}

impl Queue {
    /// The issues of the repository at `root`.
    pub fn of(root: &Path, session: &str) -> Result<Queue> {
        let repository = Repository::find(root);
        let store = Store::of(TalkDir::of(root, repository.as_ref())?);
        let holder = Holder { from: "loop".to_string(), session: Some(session.to_string()) };
        Ok(Queue { store, holder, root: root.to_path_buf() })
    }

    /// The queue of a frame that works on an issue, and the issue's id.
    pub fn of_frame<'a>(task: &Task, frame: &'a Frame) -> Result<Option<(Queue, &'a str)>> {
        let Some(issue) = frame.begin.issue.as_deref() else { return Ok(None) };
        Ok(Some((Queue::of(&task.begin.root, &frame.session)?, issue)))
    }

    /// Extends the claim of an issue. False if the issue has ended, or another one has claimed it.
    pub fn renew(&self, id: &str) -> Result<bool> {
        let mut is_ours = false;
        let set = Fields { claim: Some(clock::now().plus(LEASE)), ..Fields::default() };
        self.change_if(id, set, |issue| {
            let claim = issue.claim_at(clock::now());
            is_ours = !issue.course.status.is_end() && claim.is_none_or(|claim| claim.holder == self.holder);
            is_ours
        })?;
        Ok(is_ours)
    }

    /// Ends the claim, so that another one can take the issue.
    pub fn release(&self, id: &str) -> Result<()> {
        let set = Fields { release: true, ..Fields::default() };
        self.change_if(id, set, |issue| self.is_held(issue))
    }

    /// Sets the issue aside with a comment.
    pub fn pause(&self, id: &str, comment: &str) -> Result<()> {
        let (status, comment) = (Some(Status::Paused), Some(redact(comment)));
        self.change_if(id, Fields { status, comment, ..Fields::default() }, |issue| self.is_held(issue))
    }

    /// All issues.
    pub fn board(&self) -> Result<Board> {
        self.store.read_all()
    }

    /// Whether the issue has ended.
    pub fn has_ended(&self, id: &str) -> Result<bool> {
        Ok(self.store.read_all()?.get(id).is_none_or(|issue| issue.course.status.is_end()))
    }

    fn is_held(&self, issue: &Issue) -> bool {
        issue.claim_at(clock::now()).is_some_and(|claim| claim.holder == self.holder)
    }

    fn change_if(&self, id: &str, set: Fields, mut wants: impl FnMut(&Issue) -> bool) -> Result<()> {
        self.store.change_if(&self.holder, |board| {
            let issue = board.get(id).filter(|issue| wants(issue));
            issue.map(|issue| (issue.id.clone(), set.clone()))
        })
    }

    /// Claims the next issue that is ready, and has a worktree made for it. None if nothing is ready.
    pub fn take(&self) -> Result<Option<(String, PathBuf)>> {
        let Some(id) = self.store.claim_ready(&self.holder, clock::now().plus(LEASE), |_| true)? else {
            return Ok(None);
        };
        let made = self.run("rg-worktree", &["create", &id], PATIENCE).and_then(|said| match said.success() {
            true => Ok(PathBuf::from(String::from_utf8_lossy(&said.stdout).trim_end())),
            false => Err(Error::child(first_line(&said.stderr))),
        });
        match made {
            Ok(path) => Ok(Some((id, path))),
            Err(error) => {
                self.release(&id)?;
                Err(error)
            }
        }
    }

    /// Runs a program of review-gate in the main worktree.
    pub fn run(&self, program: &str, args: &[&str], patience: Duration) -> Result<Said> {
        let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
        let mut command = Command::new(bin.join(program));
        command.args(args).current_dir(&self.root).envs(env::own_variables());
        process::output(command, patience)
    }
}

/// Lets the issue of a frame go that ended for another reason than its work.
pub fn let_go(task: &Task, frame: &Frame, why: &str) -> Result<()> {
    match Queue::of_frame(task, frame)? {
        Some(_) if why == "complete" || why.starts_with(ABANDONED) => Ok(()),
        Some((queue, issue)) if why == "cancelled" || why == "stopped" => {
            queue.pause(issue, &format!("The user ended the loop. The work is in {}.", frame.begin.worktree.display()))
        }
        Some((queue, issue)) => queue.release(issue),
        None => Ok(()),
    }
}

/// The event about the worktree of a frame that works on an issue.
pub fn event_of(event: &Event, frame: &Frame) -> Option<Event> {
    frame.begin.issue.as_ref()?;
    let source: &Source = event;
    let root = frame.begin.worktree.clone();
    Some(Event::new(Source { root, worktree: None, ..source.clone() }))
}

/// The first line of what a program printed.
pub fn first_line(bytes: &[u8]) -> String {
    one_line(String::from_utf8_lossy(bytes).lines().next().unwrap_or(""))
}
