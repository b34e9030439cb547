//! What the source says of an event: the client's own words, and what rg-event found out about them. Fixed from then on.

use super::table::{Field, source_fields};
use super::{
    Actor, Agent, Background, BudgetOwner, Client, DonefileRef, Kind, Loop, Marks, Origin, Stage, State, Tool, VERSION,
    Waiver, is_default,
};
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

source_fields! {
    /// The part of an event that its source writes, and nobody after it.
    Source {
        /// `VERSION`.
        quiet "v" v: u64,
        /// ULID of this event.
        quiet "id" id: String,
        /// When it was made.
        quiet "at" at: Time,
        /// Who speaks: `claude`, or `text` when it was made by hand.
        quiet "client" client: Client,
        /// What happened; an unknown name passes as its own kind with nothing to do.
        quiet "kind" kind: Kind,
        /// Who made this prompt or event.
        quiet "by" by: Actor,
        /// The client's id of the session.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "session" session: Option<String>,
        /// The subagent inside which it happened.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "agent" agent: Option<Agent>,
        /// Our id of the task.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "task" task: Option<String>,
        /// The client's id of the prompt that this turn answers.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "turn" turn: Option<String>,
        /// Whose budget it concerns.
        #[serde(default)]
        quiet "budget_owner" budget_owner: BudgetOwner,
        /// How the event reached us, held against how this client calls us.
        #[serde(default)]
        quiet "origin" origin: Origin,
        /// The client's process, as far as it is known: budgets are kept apart per process.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "pid" pid: Option<i32>,
        /// Where the client was.
        quiet "cwd" cwd: PathBuf,
        /// What is judged: fixed at the task's first event.
        quiet "root" root: PathBuf,
        /// Where the task's records lie: fixed with the task, wherever the repository's own directory is now.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "evidence" evidence: Option<PathBuf>,
        /// When the client will stop listening, less a margin.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "until" until: Option<Time>,
        /// The prompt, as it was typed.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "prompt" prompt: Option<String>,
        /// SHA-256 of the whole prompt, trimmed: `prompt` may be cut.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "prompt_sha256" prompt_sha256: Option<String>,
        /// SHA-256 of each prompt that the client will submit by itself, where the client listed them.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "scheduled" scheduled: Option<Vec<String>>,
        /// The agent's last message.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "message" message: Option<String>,
        /// What the whole message says to the gate, where the message is not kept whole.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "marks" marks: Option<Marks>,
        /// The tool call, on tool events.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "tool" tool: Option<Tool>,
        /// Why a session started or ended, where a prompt came from.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "source" source: Option<String>,
        /// The client's own log of the session.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "transcript" transcript: Option<PathBuf>,
        /// What runs beside the turn that ends.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "background" background: Vec<Background>,
        /// The client says that a hook already kept this turn going.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "repeat" repeat: bool,
        /// The base that guards compare with, when a person or CI named one.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "against" against: Option<String>,
        /// The definition of done that judges: its path, and the digest of the bytes that count.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "donefile" donefile: Option<DonefileRef>,
        /// Whether the records of this task were there.
        #[serde(default, skip_serializing_if = "is_default")]
        quiet "state" state: State,
        /// Judges that must speak before the outcome can be done, as far as the source knows: see [`super::Event::required`].
        #[serde(default, skip_serializing_if = "is_default")]
        loud "required" required_at_intake: Vec<Stage>,
        /// What armed a review: `#review`, `RG_REVIEW`, or why one is required although nobody asked.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "review_armed" review_armed: Option<String>,
        /// The loop that keeps the agent at its task.
        #[serde(default, skip_serializing_if = "is_default")]
        loud "loop" looping: Option<Loop>,
        /// What a person let pass, as the task's journal has it: see [`super::Event::waivers`].
        #[serde(default, skip_serializing_if = "is_default")]
        loud "waivers" waivers_at_intake: Vec<Waiver>,
    }
}

impl Source {
    /// A fresh event of that kind; everything that the client did not say is absent.
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
            evidence: None,
            until: None,
            prompt: None,
            prompt_sha256: None,
            scheduled: None,
            message: None,
            marks: None,
            tool: None,
            source: None,
            transcript: None,
            background: Vec::new(),
            repeat: false,
            against: None,
            donefile: None,
            state: State::Present,
            required_at_intake: Vec::new(),
            review_armed: None,
            looping: None,
            waivers_at_intake: Vec::new(),
        }
    }

    /// The session that ids are looked up by; an empty or "null" id is none.
    pub fn session_key(&self) -> Option<&str> {
        self.session.as_deref().filter(|id| !id.trim().is_empty() && *id != "null")
    }

    /// The subagent that an event is about; one without a role is the client's own (compaction), and nobody's.
    pub fn subagent(&self) -> Option<&Agent> {
        self.agent.as_ref().filter(|agent| agent.role.as_deref().is_some_and(|role| !role.is_empty()))
    }

    /// Other agents whose work this turn may be waiting for. A shell, a monitor or a server never ends by itself, and a
    /// background agent lists itself.
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
