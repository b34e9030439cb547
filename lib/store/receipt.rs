//! Receipts: the outcome of one stop with everything that it depends on. Each is a JSON file that a record in the task's journal seals.
//! Schema: schema/receipt.json.

use crate::event::outcome::{Row, Ruling};
use crate::event::{
    Action, Actor, Agent, Base, Bounce, BudgetOwner, Check, CheckEnvironment, Client, DonefileRef, Ended, Event,
    Finding, Judgement, Kind, Note, Origin, Outcome, Reply, Results, Review, RunTurn, Source, Stage, State as Presence,
    Waiver, is_default,
};
use crate::store::record::SealedReceipt;
use crate::store::state::State;
use crate::store::task::Task;
use crate::sys::clock::{self, Time};
use crate::sys::digest::sha256;
use crate::sys::error::{Error, Result};
use crate::sys::exit::Exit;
use crate::sys::files;
use crate::sys::limits;
use crate::sys::redact::redact;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The version of every receipt.
const VERSION: u64 = 1;

/// One receipt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// `VERSION`.
    pub v: u64,
    /// Its ULID.
    pub id: String,
    /// When it was sealed.
    pub at: Time,
    /// The program that sealed it.
    pub by_tool: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The row of the decision table.
    pub row: Row,
    /// The exit status that goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
    /// `block` or `allow`.
    pub reply: Action,
    /// Why, in a sentence.
    #[serde(default)]
    pub why: String,
    /// The event.
    pub event: String,
    /// What happened.
    pub kind: Kind,
    /// Whose protocol it came in.
    pub client: Client,
    /// Who made the event.
    pub by: Actor,
    /// The hook origin.
    #[serde(default)]
    pub origin: Origin,
    /// The client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The budget owner.
    pub budget_owner: BudgetOwner,
    /// The subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The client's id of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The agent's turn, if rg-run started the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunTurn>,
    /// The root.
    pub root: PathBuf,
    /// `missing` if the task began at a stop for which there were no records.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: Presence,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The reference commit that `--against` named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// What the files were compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// The snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The DONE.md that applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub donefile: Option<DonefileRef>,
    /// The required judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Stage>,
    /// The verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Judgement>,
    /// Keys of DONE.md that have no effect in this release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// The checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The environment of the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<CheckEnvironment>,
    /// The state of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The waivers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
    /// The count of bounces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounce: Option<Bounce>,
    /// Why the turn could end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// What the user was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tell: Vec<Note>,
    /// Whether a judge covered only a part.
    #[serde(default)]
    pub partial: bool,
    /// Digests of the files that decided the outcome.
    #[serde(default)]
    pub policy: Policy,
    /// The programs that the event passed through.
    #[serde(default)]
    pub via: Vec<String>,
}

/// SHA-256 of the files that decided the outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The definition of done.
    #[serde(default)]
    pub donefile: Option<String>,
    /// The plugin's hooks.
    #[serde(default)]
    pub hooks: Option<String>,
    /// The programs that the event passed through, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
}

impl Receipt {
    /// The receipt of an event with this outcome, for the reason `why`.
    pub fn of(
        event: &Event,
        id: &str,
        by_tool: String,
        (outcome, why): (Outcome, String),
        ruling: Ruling,
        policy: Policy,
    ) -> Receipt {
        Receipt {
            v: VERSION,
            id: id.to_string(),
            at: clock::now(),
            by_tool,
            outcome,
            row: ruling.row,
            status: Some(ruling.status as u8),
            reply: if ruling.is_blocked { Action::Block } else { Action::Allow },
            why,
            event: event.id.clone(),
            kind: event.kind.clone(),
            client: event.client,
            by: event.by,
            origin: event.origin,
            session: event.session.clone(),
            budget_owner: event.budget_owner.clone(),
            agent: event.agent.clone(),
            task: event.task.clone(),
            turn: event.turn.clone(),
            run: event.run.clone(),
            root: event.root.clone(),
            state: event.state,
            head: crate::git::Repository::find(&event.root).and_then(|repository| repository.head()),
            against: event.against.clone(),
            base: event.base().cloned(),
            snapshot: event.snapshot().map(str::to_string),
            donefile: event.donefile.clone(),
            required: event.required().into_iter().cloned().collect(),
            verdicts: event.verdicts().to_vec(),
            not_judged: event.not_judged().to_vec(),
            checks: event.checks().to_vec(),
            environment: event.environment().cloned(),
            review: event.review().cloned().or_else(|| event.review_armed.clone().map(Review::armed)),
            findings: event.findings().to_vec(),
            waivers: event.waivers().cloned().collect(),
            bounce: event.bounce().cloned(),
            ended: event.ended().cloned(),
            tell: event.tell().to_vec(),
            partial: event.verdicts().iter().any(|judgement| judgement.partial),
            policy,
            via: event.via().to_vec(),
        }
    }

    /// The bytes of its file: one JSON object, indented, without secrets.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let failed = |e: serde_json::Error| Error::stream("write receipt", e);
        let mut value = serde_json::to_value(self).map_err(failed)?;
        redact_all(&mut value);
        let mut bytes = serde_json::to_vec_pretty(&value).map_err(failed)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Parses a receipt; `path` is for errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Receipt> {
        serde_json::from_slice(bytes).map_err(|e| Error::damaged(path, format!("{} is damaged: {e}", path.display())))
    }

    /// The receipt of that id. Errors: it is missing or damaged.
    pub fn load(state: &State, id: &str) -> Result<Receipt> {
        ReceiptFile::at(state.receipt(id)).receipt()
    }

    /// The task whose journal must hold it; None if the event is manual and has no session.
    pub fn journal(&self) -> Option<&str> {
        let is_manual = self.client == Client::Text && self.session.is_none();
        self.task.as_deref().filter(|_| !is_manual)
    }

    /// The recorded ruling.
    pub fn ruling(&self) -> Ruling {
        let known = [Exit::Yes, Exit::No, Exit::Tampered, Exit::Usage, Exit::Unjudged];
        let status = known.into_iter().find(|exit| Some(*exit as u8) == self.status);
        Ruling {
            row: self.row,
            outcome: Some(self.outcome),
            status: status.unwrap_or(Exit::Unjudged),
            is_blocked: self.reply == Action::Block,
            notify: false,
        }
    }

    /// The event at the time of the outcome, with all that a receipt keeps of it.
    pub fn to_event(&self) -> Event {
        let source = Source {
            id: self.event.clone(),
            at: self.at,
            by: self.by,
            origin: self.origin,
            session: self.session.clone(),
            budget_owner: self.budget_owner.clone(),
            agent: self.agent.clone(),
            task: self.task.clone(),
            turn: self.turn.clone(),
            run: self.run.clone(),
            state: self.state,
            against: self.against.clone(),
            donefile: self.donefile.clone(),
            required_at_intake: self.required.clone(),
            waivers_at_intake: self.waivers.clone(),
            ..Source::new(self.client, self.kind.clone(), self.root.clone())
        };
        // The reason depends on the stage that replied.
        let by = match self.row {
            Row::Deferred => Some(Stage::Event),
            Row::Continued => Some(Stage::Loop),
            _ => (self.reply == Action::Block).then_some(Stage::Bounce),
        };
        let results = Results {
            base: self.base.clone(),
            snapshot: self.snapshot.clone(),
            verdicts: self.verdicts.clone(),
            not_judged: self.not_judged.clone(),
            checks: self.checks.clone(),
            environment: self.environment.clone(),
            review: self.review.clone(),
            findings: self.findings.clone(),
            bounce: self.bounce.clone(),
            ended: self.ended.clone(),
            tell: self.tell.clone(),
            outcome: Some(self.outcome),
            receipt: Some(self.id.clone()),
            reply: by.map(|by| Reply { action: self.reply, reason: self.why.clone(), by }),
            ..Results::default()
        };
        Event::restored(source, results, self.via.clone())
    }
}

/// A receipt's file.
#[derive(Clone, Debug)]
pub struct ReceiptFile {
    /// The id in its name.
    pub id: String,
    /// Its path.
    pub path: PathBuf,
}

/// Whether a receipt's file still has the sealed bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Integrity {
    /// The journal records this digest.
    Sealed {
        /// SHA-256 of its bytes.
        sha256: String,
    },
    /// The journal records another digest, because the file was edited. This is the journal's record.
    Edited(Box<SealedReceipt>),
    /// The journal that must record it does not.
    Unrecorded {
        /// The task.
        task: String,
    },
    /// The event is manual: no journal records it.
    Manual,
}

impl ReceiptFile {
    /// The file at a path.
    pub fn at(path: PathBuf) -> ReceiptFile {
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_string();
        ReceiptFile { id, path }
    }

    /// The receipts of a state directory, the oldest first.
    pub fn all(state: &State) -> Vec<ReceiptFile> {
        let entries = fs::read_dir(state.receipts()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        let mut all: Vec<ReceiptFile> = paths.map(ReceiptFile::at).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Its bytes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let gone = || Error::io("read", &self.path, &std::io::ErrorKind::NotFound.into());
        files::read(&self.path, limits::RECEIPT)?.ok_or_else(gone)
    }

    /// The receipt in it. Errors: the file is missing, unreadable or damaged.
    pub fn receipt(&self) -> Result<Receipt> {
        Receipt::parse(&self.bytes()?, &self.path)
    }

    /// Whether the file still has the sealed bytes.
    pub fn integrity(&self, state: &State, receipt: &Receipt) -> Result<Integrity> {
        match receipt.journal() {
            None => Ok(Integrity::Manual),
            Some(id) => self.integrity_in(Task::load(state, id)?.as_ref(), id),
        }
    }

    /// The same, for a loaded task.
    pub fn integrity_in(&self, task: Option<&Task>, id: &str) -> Result<Integrity> {
        let sealed = task.and_then(|task| task.ledger.sealed().find(|sealed| sealed.receipt == self.id).cloned());
        Ok(match sealed {
            None => Integrity::Unrecorded { task: id.to_string() },
            Some(sealed) if sealed.sha256 == sha256(&self.bytes()?) => Integrity::Sealed { sha256: sealed.sha256 },
            Some(sealed) => Integrity::Edited(Box::new(sealed)),
        })
    }
}

fn redact_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            let clean = redact(text);
            if clean != *text {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_all),
        Value::Object(fields) => fields.values_mut().for_each(redact_all),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
