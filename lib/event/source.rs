//! The fields of the source: what the client reported, and what rg-event found. No stage changes them.

use super::table::{Field, source_fields};
use super::{
    Actor, Agent, Background, BudgetOwner, Client, DonefileRef, Kind, Loop, Marks, Origin, RunTurn, Stage, State, Tool,
    VERSION, Waiver, is_default,
};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

source_fields! {
    /// The fields that the source writes.
    Source {
        /// `VERSION`.
        quiet "v" v: u64,
        /// The id of the event, a ULID.
        quiet "id" id: String,
        /// When it was made.
        quiet "at" at: Time,
        /// The client; `text` for a manual event.
        quiet "client" client: Client,
        /// What happened; programs do nothing at an unknown kind.
        quiet "kind" kind: Kind,
        /// Who made this prompt or event.
        quiet "by" by: Actor,
        /// The client's id of the session.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "session" session: Option<String>,
        /// The subagent inside which it happened.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "agent" agent: Option<Agent>,
        /// The id of the task.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "task" task: Option<String>,
        /// The client's id of the prompt that this turn answers.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "turn" turn: Option<String>,
        /// The budget owner.
        #[serde(default)]
        quiet "budget_owner" budget_owner: BudgetOwner,
        /// The hook origin: whether the event arrived the way the session's start did.
        #[serde(default)]
        quiet "origin" origin: Origin,
        /// The client's process, if it is known. Budgets are counted for each process.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "pid" pid: Option<i32>,
        /// The client's current directory.
        quiet "cwd" cwd: PathBuf,
        /// The directory that is judged, fixed when the task begins.
        quiet "root" root: PathBuf,
        /// Another worktree of the repository, in which the session works now. It is judged, too.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "worktree" worktree: Option<PathBuf>,
        /// The state directory of the task, fixed when the task begins, even if the repository is moved.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "evidence" evidence: Option<PathBuf>,
        /// When the client stops waiting, less a margin.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "until" until: Option<Time>,
        /// The prompt.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "prompt" prompt: Option<String>,
        /// SHA-256 of the whole prompt, trimmed, because `prompt` may be cut.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "prompt_sha256" prompt_sha256: Option<String>,
        /// SHA-256 of each prompt that the client will submit by itself, and of each of their lines; None if the client gave no
        /// list.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "scheduled" scheduled: Option<Vec<String>>,
        /// The agent's last message.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "message" message: Option<String>,
        /// The marks of the whole message, if `message` is cut.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "marks" marks: Option<Marks>,
        /// The tool call, on tool events.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "tool" tool: Option<Tool>,
        /// The client's permission mode, before a tool call.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "permission_mode" permission_mode: Option<String>,
        /// Why a session started or ended, or where a prompt came from.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "source" source: Option<String>,
        /// The client's own log of the session.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "transcript" transcript: Option<PathBuf>,
        /// What still runs in the session.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "background" background: Vec<Background>,
        /// Whether the client reports that a hook has already kept this turn going.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "repeat" repeat: bool,
        /// The reference commit, if `--against` named one.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "against" against: Option<String>,
        /// The DONE.md that applies.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "donefile" donefile: Option<DonefileRef>,
        /// Whether there were records of the session when the task began.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "state" state: State,
        /// The required judges, as far as the source knows: see [`super::Event::required`].
        #[serde(default, skip_serializing_if = "is_default")]
        loud "required" required_at_intake: Vec<Stage>,
        /// What armed a review: `#review`, `RG_REVIEW`, or why one is required although the user did not request it.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "review_armed" review_armed: Option<String>,
        /// The agent's turn before this stop, if rg-run started the agent.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "run" run: Option<RunTurn>,
        /// The innermost loop of the session.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "loop" looping: Option<Loop>,
        /// The waivers of the task's journal: see [`super::Event::waivers`].
        #[serde(default, skip_serializing_if = "is_default")]
        loud "waivers" waivers_at_intake: Vec<Waiver>,
    }
}

impl Source {
    /// A new event of that kind; what the client did not report is absent.
    pub fn new(client: Client, kind: Kind, cwd: PathBuf) -> Source {
        Source {
            v: VERSION,
            id: crate::sys::ids::ulid(&["event", kind.name()]),
            at: crate::sys::clock::now(),
            client,
            kind,
            by: Actor::Client,
            session: None,
            agent: None,
            task: None,
            turn: None,
            budget_owner: BudgetOwner::Main,
            origin: Origin::Unknown,
            pid: None,
            root: cwd.clone(),
            cwd,
            worktree: None,
            evidence: None,
            until: None,
            prompt: None,
            prompt_sha256: None,
            scheduled: None,
            message: None,
            marks: None,
            tool: None,
            permission_mode: None,
            source: None,
            transcript: None,
            background: Vec::new(),
            repeat: false,
            against: None,
            donefile: None,
            state: State::Present,
            required_at_intake: Vec::new(),
            review_armed: None,
            run: None,
            looping: None,
            waivers_at_intake: Vec::new(),
        }
    }

    /// The session's id; None if it is empty or "null".
    pub fn session_key(&self) -> Option<&str> {
        self.session.as_deref().filter(|id| !id.trim().is_empty() && *id != "null")
    }

    /// The subagent; None if it has no role, because the client itself runs such agents, for example for compaction.
    pub fn subagent(&self) -> Option<&Agent> {
        self.agent.as_ref().filter(|agent| agent.role.as_deref().is_some_and(|role| !role.is_empty()))
    }

    /// Other agents that still run. Shells, monitors and servers are left out because they may never end. So is the agent itself, because
    /// the client lists a background agent among its own background tasks.
    pub fn helpers(&self) -> impl Iterator<Item = &Background> {
        let own = self.agent.as_ref().map(|agent| agent.id.as_str());
        let others = self.background.iter().filter(move |task| Some(task.id.as_str()) != own);
        others.filter(|task| task.is_running_agent())
    }

    /// Whether this is the stop of the session itself, not of a subagent.
    pub fn is_sessions_stop(&self) -> bool {
        self.kind == Kind::Stop && self.agent.is_none()
    }
}
