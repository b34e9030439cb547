//! Receipts: what was decided at one stop, and everything that the decision rested on. One JSON file each, sealed by a record in the
//! task's journal. Schema: schema/receipt.json.

use crate::event::outcome::{Row, Ruling};
use crate::event::{
    Action, Actor, Agent, Base, Bounce, BudgetOwner, Check, Client, DonefileRef, Ended, Event, Finding, Judgement,
    Kind, Note, Origin, Outcome, Reply, Results, Review, Source, Stage, State as Presence, Waiver, is_default,
};
use crate::store::record::Sealed;
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
    /// How it reached us.
    #[serde(default)]
    pub origin: Origin,
    /// The client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Whose budget it concerns.
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
    /// What was judged.
    pub root: PathBuf,
    /// Whether the records of the task were there.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: Presence,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The reference that somebody named to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// What the guards compared the files with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// The files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The definition of done that judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub donefile: Option<DonefileRef>,
    /// The judges that had to give a verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Stage>,
    /// Their verdicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Judgement>,
    /// What DONE.md asks for and this release cannot judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// The checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// How the review stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What the user waived.
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
    /// A judge looked at a part only.
    #[serde(default)]
    pub partial: bool,
    /// Digests of what decided.
    #[serde(default)]
    pub policy: Policy,
    /// The programs that the event passed through.
    #[serde(default)]
    pub via: Vec<String>,
}

/// SHA-256 of what decided.
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
    /// The receipt of an event that was decided so, for the reason `why`.
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

    /// The bytes of its file: one JSON object, one key a line at the top level, without secrets.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let failed = |e: serde_json::Error| Error::stream("write receipt", e);
        let mut value = serde_json::to_value(self).map_err(failed)?;
        redact_all(&mut value);
        let mut bytes = serde_json::to_vec_pretty(&value).map_err(failed)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads one; `path` names it in errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Receipt> {
        serde_json::from_slice(bytes).map_err(|e| Error::damaged(path, format!("{} is damaged: {e}", path.display())))
    }

    /// The receipt of that id. Gone or damaged: an error.
    pub fn load(state: &State, id: &str) -> Result<Receipt> {
        Filed::at(state.receipt(id)).receipt()
    }

    /// Whether some journal must hold it: not where it was made by hand without a session.
    pub fn journal(&self) -> Option<&str> {
        let is_manual = self.client == Client::Text && self.session.is_none();
        self.task.as_deref().filter(|_| !is_manual)
    }

    /// What was decided, as it was sealed.
    pub fn ruling(&self) -> Ruling {
        let known = [Exit::Yes, Exit::No, Exit::Tampered, Exit::Usage, Exit::Unjudged];
        let said = known.into_iter().find(|exit| Some(*exit as u8) == self.status);
        Ruling {
            row: self.row,
            outcome: Some(self.outcome),
            status: said.unwrap_or(Exit::Unjudged),
            is_blocked: self.reply == Action::Block,
            notify: false,
        }
    }

    /// The event as it was when it was decided, as far as a receipt keeps it.
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
            state: self.state,
            against: self.against.clone(),
            donefile: self.donefile.clone(),
            required_at_intake: self.required.clone(),
            waivers_at_intake: self.waivers.clone(),
            ..Source::new(self.client, self.kind.clone(), self.root.clone())
        };
        // What the reply's words need of it.
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
pub struct Filed {
    /// The id that its name says.
    pub id: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// Whether a receipt's file is what was sealed.
#[derive(Clone, Debug, PartialEq)]
pub enum Integrity {
    /// The journal holds this digest of it.
    Sealed {
        /// SHA-256 of its bytes.
        sha256: String,
    },
    /// The journal holds another digest: it was edited since, and this is what the journal still knows.
    Edited(Box<Sealed>),
    /// The journal that must hold it does not.
    Unrecorded {
        /// The task.
        task: String,
    },
    /// It was made by hand: no journal holds it.
    Manual,
}

impl Filed {
    /// The file at a path.
    pub fn at(path: PathBuf) -> Filed {
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_string();
        Filed { id, path }
    }

    /// Every receipt of a state directory, the oldest first.
    pub fn all(state: &State) -> Vec<Filed> {
        let entries = fs::read_dir(state.receipts()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        let mut all: Vec<Filed> = paths.map(Filed::at).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Its bytes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let gone = || Error::io("read", &self.path, &std::io::ErrorKind::NotFound.into());
        files::read(&self.path, limits::RECEIPT)?.ok_or_else(gone)
    }

    /// What it says. Gone, unreadable or damaged: an error.
    pub fn receipt(&self) -> Result<Receipt> {
        Receipt::parse(&self.bytes()?, &self.path)
    }

    /// Whether it is what was sealed.
    pub fn integrity(&self, state: &State, receipt: &Receipt) -> Result<Integrity> {
        match receipt.journal() {
            None => Ok(Integrity::Manual),
            Some(id) => self.integrity_in(Task::load(state, id)?.as_ref(), id),
        }
    }

    /// The same, with the task that must hold it.
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
