//! What was found: the facts, and the problems with the command that mends each.

use review_gate::event::{Client, Outcome};
use review_gate::sys::clock::Time;
use serde::Serialize;
use std::path::PathBuf;

/// Everything that is shown, in the order of the screen.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// The version of this program.
    pub version: &'static str,
    /// The root.
    pub root: PathBuf,
    /// The settings files with hooks of review-gate.
    pub wired: Vec<WiredFile>,
    /// DONE.md; None if there is none.
    pub definition: Option<Definition>,
    /// The state directory.
    pub state: StateDir,
    /// When a client was here last, by client.
    pub seen: Vec<Seen>,
    /// What each hook replied; empty without `--live`.
    pub live: Vec<LiveLine>,
    /// The newest tasks, the newest first.
    pub tasks: Vec<TaskLine>,
    /// The open loops.
    pub loops: Vec<LoopLine>,
    /// The waivers that apply now.
    pub waivers: Vec<WaiverLine>,
    /// The last calls that rg-guard denied, the newest first.
    pub denials: Vec<DenialLine>,
    /// The last receipts, the newest first.
    pub receipts: Vec<ReceiptLine>,
    /// How many notices no session start has shown yet.
    pub unread_notices: usize,
    /// What could be better, and protects all the same.
    pub notes: Vec<String>,
    /// What does not protect.
    pub problems: Vec<Problem>,
}

/// A settings file with hooks of review-gate.
#[derive(Debug, Serialize)]
pub struct WiredFile {
    /// The client.
    pub client: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The client's names of the events.
    pub events: Vec<String>,
    /// The programs that the lines start.
    pub programs: Vec<ProgramLine>,
}

/// A program on a hook's line.
#[derive(Debug, Serialize)]
pub struct ProgramLine {
    /// Its path.
    pub path: PathBuf,
    /// Whether it can be started.
    pub is_found: bool,
    /// Whether it is statically linked.
    pub is_static: bool,
}

/// A hook that was called.
#[derive(Debug, Serialize)]
pub struct LiveLine {
    /// The client.
    pub client: &'static str,
    /// The settings file.
    pub path: PathBuf,
    /// The client's name of the event.
    pub event: String,
    /// The tools that the hook is for; None if it is for all.
    pub matcher: Option<String>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether it replied as it should.
    pub is_good: bool,
    /// What it did.
    pub text: String,
}

/// DONE.md.
#[derive(Debug, Default, Serialize)]
pub struct Definition {
    /// The file.
    pub path: PathBuf,
    /// The names of its checks.
    pub checks: Vec<String>,
    /// When a review is required.
    pub review: String,
    /// The programs that can review.
    pub reviewers: Vec<String>,
    /// Its first error.
    pub error: Option<String>,
}

/// The state directory.
#[derive(Debug, Default, Serialize)]
pub struct StateDir {
    /// Its path.
    pub path: PathBuf,
    /// The size of its files, in bytes.
    pub bytes: u64,
    /// How many files it has.
    pub files: usize,
}

/// When a client was here last.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// The client.
    pub client: Client,
    /// When one of its hooks left a record.
    pub at: Time,
}

/// A task.
#[derive(Debug, Serialize)]
pub struct TaskLine {
    /// Its id.
    pub id: String,
    /// The client.
    pub client: Client,
    /// When it began.
    pub at: Time,
    /// The outcome of its last receipt; None if nothing was judged.
    pub outcome: Option<Outcome>,
}

/// A loop.
#[derive(Debug, Serialize)]
pub struct LoopLine {
    /// The task.
    pub task: String,
    /// The current iteration.
    pub iteration: u32,
    /// How many there may be.
    pub of: u32,
    /// Whether the client of the task has ended, so that only a resumed session continues it.
    pub has_ended: bool,
}

/// A waiver.
#[derive(Debug, Serialize)]
pub struct WaiverLine {
    /// What it covers.
    pub scope: String,
    /// The reason.
    pub why: String,
    /// Who gave it.
    pub who: String,
    /// When it ends.
    pub until: Time,
}

/// A denied call.
#[derive(Debug, Serialize)]
pub struct DenialLine {
    /// When.
    pub at: Time,
    /// The tool.
    pub tool: String,
    /// Its input, cut.
    pub input: String,
    /// The rule.
    pub rule: String,
}

/// A receipt.
#[derive(Debug, Serialize)]
pub struct ReceiptLine {
    /// Its id.
    pub id: String,
    /// When it was sealed.
    pub at: Time,
    /// The outcome.
    pub outcome: Outcome,
    /// Why.
    pub why: String,
}

/// Something that does not protect.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// Its stable name.
    pub name: &'static str,
    /// What is so.
    pub text: String,
    /// What mends it: a command, or what a person does.
    pub mend: String,
}

impl Report {
    /// Adds a problem.
    pub fn problem(&mut self, name: &'static str, text: impl Into<String>, mend: impl Into<String>) {
        self.problems.push(Problem { name, text: text.into(), mend: mend.into() });
    }
}
