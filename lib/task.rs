//! Tasks: what is true now, as a fold over one journal.

use crate::clock::{self, Time};
use crate::error::{Error, Result};
use crate::event::{Actor, Bounce, Client, Ended, Event, Outcome, Scope, State as Presence, Waiver};
use crate::frames;
use crate::journal::{self, Record};
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How long `#gate:off` holds, in seconds.
pub const GATE_OFF_SECONDS: f64 = 24.0 * 3600.0;

/// A task and its records.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// Where its records lie.
    pub state: State,
    /// How it began.
    pub begin: Begin,
    /// Its journal, in file order.
    pub records: Vec<Record>,
    /// Some line of its journal, whether it can be read or not, speaks of a loop.
    pub speaks_of_loops: bool,
    /// Its session once scheduled prompts: it is to be looked at whether they still are.
    pub has_scheduled: bool,
    /// Its session may be a copy of another one, and nobody has looked yet: no start of it was seen, or one that says so.
    pub may_be_fork: bool,
}

/// The record that a task begins with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// The client's session.
    pub session: String,
    /// The client.
    pub client: Client,
    /// What is judged.
    pub root: PathBuf,
    /// The top of its work tree.
    pub worktree: PathBuf,
    /// The commit that was checked out.
    #[serde(default)]
    pub head: Option<String>,
    /// The files as they were; None where nothing asked for them.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// The definition of done as it was.
    #[serde(default)]
    pub donefile: Option<BegunWith>,
    /// The .gitignore files as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<Kept>,
    /// Tracked files that those rules hide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<PathBuf>,
    /// `missing` where it was begun by a stop of which no record stood.
    #[serde(default)]
    pub state: Presence,
    /// Other work trees of the repository that lay below this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<PathBuf>,
    /// The task before, where nothing that was done in it since its own begin was judged: its baseline goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The file that turns loops off lay there; where that is not said, what was committed then tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_file: Option<bool>,
    /// What a person let pass in the task before, and still holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
}

/// A definition of done as it was at the begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunWith {
    /// Its name below the root.
    pub path: PathBuf,
    /// SHA-256 of its bytes, which are kept.
    pub sha256: String,
    /// It was a symbolic link.
    #[serde(default)]
    pub is_link: bool,
    /// It could be read as a definition of done.
    #[serde(default)]
    pub valid: bool,
}

/// A file that is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Below the work tree's top.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// What was decided at one stop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sealed {
    /// The event.
    pub event: String,
    /// Whose ledger.
    pub seat: String,
    /// The client's process.
    #[serde(default)]
    pub pid: Option<i32>,
    /// The word.
    pub outcome: Outcome,
    /// `block` or `allow`.
    pub reply: String,
    /// The count, where it was kept.
    #[serde(default)]
    pub bounce: Option<Bounce>,
    /// The open findings' keys.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The files.
    #[serde(default)]
    pub snapshot: Option<String>,
    /// Why the turn could end.
    #[serde(default)]
    pub ended: Option<Ended>,
    /// SHA-256 of the reason that was sent.
    #[serde(default)]
    pub reason_sha256: Option<String>,
    /// When.
    #[serde(default)]
    pub at: Time,
}

impl Task {
    /// The task of that id; None where there is no such journal or it has no beginning.
    pub fn load(state: &State, id: &str) -> Result<Option<Task>> {
        let lines = journal::lines(&state.task(id))?;
        let records: Vec<Record> = lines.iter().filter_map(|line| journal::parse(line)).collect();
        let begin = records.iter().find(|record| record.kind == "begin");
        let begin = begin.and_then(|record| Begin::deserialize(&serde_json::Value::Object(record.fields.clone())).ok());
        Ok(begin.map(|begin| Task {
            id: id.to_string(),
            state: state.clone(),
            begin,
            speaks_of_loops: lines.iter().any(|line| frames::speaks(line)),
            records,
            has_scheduled: false,
            may_be_fork: false,
        }))
    }

    /// The task that a session of that client is at; None where none began.
    pub fn of_session(client: Client, session: &str) -> Result<Option<Task>> {
        let records = journal::read(&State::of_user()?.session(client, session))?;
        let last = records.iter().rfind(|record| record.kind == "alias" && record.text("session") == session);
        let Some(record) = last else { return Ok(None) };
        let task = Task::load(&State::at(PathBuf::from(record.text("dir"))), record.text("task"))?;
        let has_scheduled = records.iter().any(|record| record.kind == "scheduled");
        let start = records.iter().rfind(|record| record.kind == "start");
        let may_be_fork = start.is_none_or(|start| start.text("source") == "fork")
            && !records.iter().any(|record| record.kind == "looked");
        Ok(task.map(|task| Task { has_scheduled, may_be_fork, ..task }))
    }

    /// Whether the last decision at the main seat was a person's that nobody need judge: no file was looked at.
    pub fn is_waived_unseen(&self) -> bool {
        let last = self.sealed().into_iter().rfind(|sealed| sealed.seat == "main");
        last.is_some_and(|sealed| sealed.outcome == Outcome::Waived && sealed.snapshot.is_none())
    }

    /// Whether that seat's own baseline is on record.
    pub fn has_baseline(&self, seat: &str) -> bool {
        self.records.iter().any(|record| record.kind == "baseline" && record.text("seat") == seat)
    }

    /// Whether a person's word arms a review: the last one that said anything of it counts.
    pub fn is_review_asked(&self) -> Option<bool> {
        let said = |record: &&Record| record.kind == "prompt" && !record.text("review").is_empty();
        self.records.iter().rfind(said).map(|record| record.text("review") == "on")
    }

    /// Whether a review was ever asked for, or spoken of, here.
    pub fn knows_reviews(&self) -> bool {
        let is_of_review = |record: &Record| {
            matches!(record.kind.as_str(), "packet" | "review" | "approve" | "asked")
                || !record.text("review").is_empty()
        };
        self.records.iter().any(is_of_review)
    }

    /// The first record before which the journal is not what it was when that was written; a task's records are always
    /// written under the lock, so that one that claims otherwise is none of ours.
    pub fn edited(&self) -> Result<Option<usize>> {
        let chain = journal::verify(&self.state.task(&self.id))?;
        let unlocked =
            || self.records.iter().position(|record| record.fields.contains_key("unlocked")).map(|at| at + 1);
        Ok(chain.broken.first().copied().or_else(unlocked))
    }

    /// What was said at a prompt, whole: a long one lies beside the journal. Where that is gone, its head and its tail.
    pub fn prompt_text(&self, prompt: &Record) -> String {
        let blob = Some(prompt.text("blob")).filter(|blob| !blob.is_empty());
        let whole = blob.and_then(|blob| String::from_utf8(self.state.read_blob(blob).ok()?).ok());
        whole.unwrap_or_else(|| prompt.text("text").to_string())
    }

    /// Whether something was red since the last person's prompt to that client process.
    pub fn is_red(&self, pid: Option<i32>) -> bool {
        let red = |word| matches!(word, Outcome::NotDone | Outcome::Abandoned);
        self.sealed_since_person("main", pid).iter().any(|sealed| red(sealed.outcome))
    }

    /// What was decided so far, in order.
    pub fn sealed(&self) -> Vec<Sealed> {
        self.records.iter().filter(|record| record.kind == "receipt").filter_map(sealed).collect()
    }

    /// Whether its last decision at the main seat ended it.
    pub fn is_finished(&self) -> bool {
        let last = self.sealed().into_iter().rfind(|sealed| sealed.seat == "main");
        last.is_some_and(|sealed| matches!(sealed.outcome, Outcome::Done | Outcome::Waived))
    }

    /// The records since the last prompt that a person gave to that client process.
    pub fn since_person(&self, pid: Option<i32>) -> &[Record] {
        let last = self.records.iter().rposition(|record| {
            record.kind == "prompt" && record.text("by") == Actor::User.word() && record.get::<i32>("pid") == pid
        });
        &self.records[last.map_or(0, |at| at + 1)..]
    }

    /// Where the journal goes on after the last time that work was given up and a person spoke again; its begin otherwise.
    pub fn since_given_up(&self) -> usize {
        let gave_up = |record: &Record| {
            let is_main = record.text("seat") == "main";
            record.kind == "receipt" && is_main && record.text("outcome") == Outcome::Abandoned.word()
        };
        let is_person = |record: &Record| record.kind == "prompt" && record.text("by") == Actor::User.word();
        let Some(last) = self.records.iter().rposition(gave_up) else { return 0 };
        let next = self.records[last..].iter().position(is_person);
        let before = || self.records[..last].iter().rposition(gave_up).unwrap_or(0);
        next.map_or_else(before, |next| last + next)
    }

    /// What was decided for that seat and client process since the last person's prompt.
    pub fn sealed_since_person(&self, seat: &str, pid: Option<i32>) -> Vec<Sealed> {
        let since = self.since_person(pid).iter().filter(|record| record.kind == "receipt").filter_map(sealed);
        since.filter(|sealed| sealed.seat == seat && sealed.pid == pid).collect()
    }

    /// What a person let pass and still holds at `now`.
    pub fn waivers(&self, now: Time) -> Vec<Waiver> {
        let mut waivers = self.begin.waivers.clone();
        for record in &self.records {
            match record.kind.as_str() {
                "waive" => waivers.extend(Waiver::deserialize(&serde_json::Value::Object(record.fields.clone())).ok()),
                "gate-off" => waivers.push(Waiver {
                    id: record.text("id").to_string(),
                    scope: Scope::Gate,
                    why: "#gate:off".into(),
                    who: record.text("who").to_string(),
                    until: record.get("until").unwrap_or_default(),
                }),
                "gate-on" => waivers.retain(|waiver| waiver.why != "#gate:off"),
                _ => {}
            }
        }
        waivers.retain(|waiver| waiver.until > now);
        waivers
    }

    /// The last stop, when it was deferred and nothing was said of it since.
    pub fn deferred(&self) -> Option<&Record> {
        let ends = |record: &&Record| matches!(record.kind.as_str(), "receipt" | "close");
        self.records.iter().rfind(ends).filter(|record| record.get::<bool>("deferred") == Some(true))
    }

    /// The records of the stops that were opened and never closed.
    pub fn unclosed(&self) -> Vec<&Record> {
        let closed: Vec<&str> = self
            .records
            .iter()
            .filter(|record| matches!(record.kind.as_str(), "receipt" | "close"))
            .map(|record| record.text("event"))
            .collect();
        let opened = self.records.iter().filter(|record| record.kind == "open");
        opened.filter(|record| !closed.contains(&record.text("event"))).collect()
    }
}

fn sealed(record: &Record) -> Option<Sealed> {
    Sealed::deserialize(&serde_json::Value::Object(record.fields.clone())).ok()
}

/// The task of an event; None for an event made by hand.
pub fn of_event(event: &Event) -> Result<Option<Task>> {
    match &event.task {
        Some(id) => Task::load(&State::of_event(event)?, id),
        None => Ok(None),
    }
}

/// What holds for an event right now.
pub fn waivers_now(task: &Task) -> Vec<Waiver> {
    task.waivers(clock::now())
}

/// The task that a person named, else the one that is open in a state directory.
pub fn named_or_open(state: &State, id: Option<String>) -> Result<Task> {
    let id = match id {
        Some(id) => id,
        None => open(state)?,
    };
    Task::load(state, &id)?.ok_or_else(|| Error::usage(format!("no such task: {id}")))
}

/// The task whose journal holds a record of that id, or of an id that begins so.
pub fn that_holds(state: &State, id: &str) -> Option<Task> {
    let journals =
        std::fs::read_dir(state.dir().join("tasks")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut names: Vec<String> =
        journals.filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_string())).collect();
    names.sort();
    let tasks = names.iter().rev().filter_map(|name| Task::load(state, name).ok()?);
    tasks.into_iter().find(|task| task.records.iter().any(|record| record.text("id").starts_with(id)))
}

/// The task that is open; where there are several, the person must say which.
fn open(state: &State) -> Result<String> {
    let dir = state.dir().join("tasks");
    let journals = std::fs::read_dir(&dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let ids = journals.filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_string()));
    let tasks = ids.filter_map(|id| Task::load(state, &id).ok()?);
    // What nobody touched for a day is not what a person means.
    let yesterday = clock::now().plus(-86_400.0);
    let is_recent = |task: &Task| task.records.last().and_then(|record| record.at()).is_some_and(|at| at > yesterday);
    let mut open: Vec<Task> = tasks.filter(|task| !task.is_finished() && is_recent(task)).collect();
    // A task that was sent back is what a person means; one that only asked a question is not.
    if open.iter().any(|task| !task.sealed().is_empty()) {
        open.retain(|task| !task.sealed().is_empty());
    }
    open.sort_by(|a, b| a.id.cmp(&b.id));
    match open.len() {
        1 => Ok(open.remove(0).id),
        0 => Err(Error::usage(format!("no open task in {}: name one with --task", dir.display()))),
        _ => {
            let names: Vec<String> =
                open.iter().map(|task| format!("{} (session {})", task.id, task.begin.session)).collect();
            Err(Error::usage(format!("several tasks are open, name one with --task: {}", names.join(", "))))
        }
    }
}
