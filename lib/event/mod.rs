//! The event line: one hook call, or one request by hand, as a JSON object on one line. Manual: rg-event(5).

mod parts;
mod words;

pub use parts::*;
pub(crate) use words::words;
pub use words::*;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::text::cut_middle;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The version of the event line. A line with another one is refused.
pub const VERSION: u64 = 1;

/// One event. Fields that this version does not know are kept in `rest` and passed on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// `VERSION`.
    pub v: u64,
    /// ULID of this event.
    pub id: String,
    /// When it was made.
    pub at: Time,
    /// Who speaks: `claude`, or `text` when it was made by hand.
    pub client: Client,
    /// What happened; an unknown name passes as its own kind with nothing to do.
    pub kind: Kind,
    /// Who made this prompt or event.
    pub by: By,
    /// The client's id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent inside which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Our id of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The client's id of the prompt that this turn answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Whose ledger it concerns: `main`, `agent:<id>`, or `hand` for a stop that did not come from the client.
    #[serde(default = "main_seat")]
    pub seat: String,
    /// How the event reached us, held against how this client calls us.
    #[serde(default)]
    pub origin: Origin,
    /// The client's process, as far as it is known: budgets are kept apart per process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Where the client was.
    pub cwd: PathBuf,
    /// What is judged: fixed at the task's first event.
    pub root: PathBuf,
    /// Where the task's records lie: fixed with the task, wherever the repository's own directory is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<PathBuf>,
    /// When the client will stop listening, less a margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// The prompt, as it was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The agent's last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the whole message says to the gate, where the message is not kept whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// The tool call, on tool events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// Why a session started or ended, where a prompt came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The client's own log of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// What runs beside the turn that ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
    /// The client says that a hook already kept this turn going.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeat: bool,
    /// The base that guards compare with, when a person or CI named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// What the guards compared the files with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// The definition of done that judges: its path, and the digest of the bytes that count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub donefile: Option<DonefileRef>,
    /// Whether the records of this task were there.
    #[serde(default, skip_serializing_if = "State::is_present")]
    pub state: State,
    /// Judges that must speak before the word can be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<String>,
    /// What DONE.md asks for and this release cannot judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// Digest of the files, by the first filter that needed it; after the checks, of the last look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// What each judge said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// What each judge found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The checks that were run or answered from a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// How the review stands, where one is armed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The loop that keeps the agent at its task.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub looping: Option<Loop>,
    /// What a person let pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
    /// The count that rg-bounce kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounce: Option<Bounce>,
    /// Why the turn may end although the work is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// What the model should be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<Said>,
    /// What the person should be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tell: Vec<Said>,
    /// The reply that was chosen; once there, judges pass the line on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    /// The word, once it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The receipt that was sealed for this event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// The tools it passed through: `rg-check/0.1.0`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

fn main_seat() -> String {
    "main".into()
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Event {
    /// A fresh event of that kind; everything that the client did not say is absent.
    pub fn new(client: Client, kind: Kind, cwd: PathBuf) -> Event {
        Event {
            v: VERSION,
            id: crate::ids::ulid(&["event", kind.name()]),
            at: crate::clock::now(),
            client,
            kind,
            by: By::Client,
            session: None,
            agent: None,
            task: None,
            turn: None,
            seat: main_seat(),
            origin: Origin::Unknown,
            pid: None,
            root: cwd.clone(),
            cwd,
            evidence: None,
            until: None,
            prompt: None,
            message: None,
            marks: None,
            tool: None,
            source: None,
            transcript: None,
            background: Vec::new(),
            repeat: false,
            against: None,
            base: None,
            donefile: None,
            state: State::Present,
            owed: Vec::new(),
            not_judged: Vec::new(),
            snapshot: None,
            judged: Vec::new(),
            findings: Vec::new(),
            checks: Vec::new(),
            review: None,
            looping: None,
            waivers: Vec::new(),
            bounce: None,
            ended: None,
            context: Vec::new(),
            tell: Vec::new(),
            reply: None,
            outcome: None,
            receipt: None,
            via: Vec::new(),
            rest: Map::new(),
        }
    }

    /// Reads one line (without its newline). Malformed, or of another version: a usage error that says where.
    pub fn parse(line: &[u8]) -> Result<Event> {
        let event: Event =
            serde_json::from_slice(line).map_err(|e| Error::usage(format!("malformed event line: {e}")))?;
        if event.v != VERSION {
            return Err(Error::usage(format!("event line of version {}: this release reads {VERSION}", event.v)));
        }
        Ok(event)
    }

    /// Whether a line is, as we write it, a stop at which nothing was owed, judged, found, chosen or let pass, told without
    /// reading it. Inside a text every quotation mark is escaped, so that a field's name in its marks is a name; where one
    /// stands somewhere deeper, the line is read. Such a stop concerns no filter.
    pub fn is_quiet_stop(line: &[u8]) -> bool {
        const LOUD: [&[u8]; 10] =
            [b"owed", b"judged", b"findings", b"reply", b"waivers", b"ended", b"bounce", b"tell", b"tool", b"loop"];
        const KIND: &[u8] = b"\",\"kind\":\"stop\",";
        // v, id, at, client and kind come first and are short.
        let head = &line[..line.len().min(160)];
        let kind = find(head, KIND);
        let is_ours = kind.is_some_and(|at| line.starts_with(b"{\"v\":1,\"id\":\"") && !head[1..at].contains(&b'{'));
        is_ours && line.ends_with(b"}") && !line.split(|byte| *byte == b'"').any(|text| LOUD.contains(&text))
    }

    /// Whether a line, as we write it, is an event that was made by hand, told without reading it.
    pub fn is_by_hand(line: &[u8]) -> bool {
        find(&line[..line.len().min(160)], b"\",\"client\":\"text\",").is_some()
    }

    /// A line with one more tool in `via`, not read; None where that field is not as we write it.
    pub fn passed_on(line: &[u8], via: &str) -> Option<Vec<u8>> {
        let start = find(line, b"\"via\":[\"")?;
        let end = start + line[start..].iter().position(|b| *b == b']')?;
        let mut out = Vec::with_capacity(line.len() + via.len() + 8);
        out.extend_from_slice(&line[..end]);
        out.extend_from_slice(format!(",\"{via}\"").as_bytes());
        out.extend_from_slice(&line[end..]);
        out.push(b'\n');
        Some(out)
    }

    /// The line, with its newline.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self).map_err(|e| Error::stream("write event", e))?;
        line.push(b'\n');
        Ok(line)
    }

    /// The session that ids are looked up by; an empty or "null" id is none.
    pub fn session_key(&self) -> Option<&str> {
        self.session.as_deref().filter(|id| !id.trim().is_empty() && *id != "null")
    }

    /// Whether a judge still has something to decide here: a stop, of the main seat or a subagent's, that nobody answered
    /// yet and that is not waived whole.
    pub fn is_open_stop(&self) -> bool {
        self.kind.is_stop() && self.reply.is_none() && !self.gate_waived()
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
        others.filter(|task| matches!(task.kind.as_str(), "subagent" | "workflow") && task.status == "running")
    }

    /// Whether a person let the whole gate pass.
    pub fn gate_waived(&self) -> bool {
        self.waivers.iter().any(|waiver| waiver.scope == "gate")
    }

    /// Whether the line passed through that tool.
    pub fn passed(&self, tool: &str) -> bool {
        self.via.iter().any(|via| via.split('/').next() == Some(tool))
    }

    /// A judge speaks; what it said before of the same event is replaced.
    pub fn judge(&mut self, by: &str, verdict: Verdict, why: impl Into<String>) -> &mut Judged {
        self.judged.retain(|judged| judged.by != by);
        let snapshot = self.snapshot.clone();
        self.judged.push(Judged { by: by.into(), verdict, why: why.into(), snapshot, partial: false });
        let last = self.judged.len() - 1;
        &mut self.judged[last]
    }

    /// The prompt as a line of events holds it: a long one by its head and tail.
    pub fn cut_prompt(&mut self) {
        self.prompt = self.prompt.take().map(|text| cut_middle(&text, crate::limits::TEXT));
    }

    /// Something for the person.
    pub fn tell(&mut self, by: &str, text: impl Into<String>) {
        self.tell.push(Said { by: by.into(), text: text.into() });
    }
}

/// Where a text first stands. Lines are short and this is all that a quiet stage does: a search that prepares itself costs more.
fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    line.windows(text.len()).position(|bytes| bytes == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_and_kinds_pass_unchanged() {
        let line = br#"{"v":1,"id":"a","at":"2026-11-21T00:00:00.000Z","client":"claude","kind":"NewThing","by":"client","seat":"main","origin":"unknown","cwd":"/","root":"/","later":{"x":[1]}}"#;
        let event = Event::parse(line).unwrap();
        assert_eq!(event.kind, Kind::Other("NewThing".into()));
        assert_eq!(event.line().unwrap(), [line.as_slice(), b"\n"].concat());
    }

    #[test]
    fn another_version_is_refused() {
        let line = br#"{"v":2,"id":"a","at":"2026-11-21T00:00:00Z","client":"text","kind":"stop","by":"person","cwd":"/","root":"/"}"#;
        assert_eq!(Event::parse(line).unwrap_err().exit(), crate::exit::Exit::Usage);
    }

    #[test]
    fn an_empty_or_null_session_is_none() {
        let mut event = Event::new(Client::Claude, Kind::Stop, "/".into());
        for (id, want) in [("", None), (" ", None), ("null", None), ("x", Some("x"))] {
            event.session = Some(id.into());
            assert_eq!(event.session_key(), want);
        }
    }

    /// The short way round a quiet stop gives what the long one would, byte for byte.
    #[test]
    fn a_quiet_stop_is_passed_on_as_if_it_were_read() {
        let mut event = Event::new(Client::Claude, Kind::Stop, "/".into());
        event.message = Some("he said \"owed\": [\"via\":[\"x\"] and \\".into());
        event.via.push("rg-event/1".into());
        event.rest.insert("scheduled".into(), serde_json::json!([]));
        let line = event.line().unwrap();
        let line = &line[..line.len() - 1];
        assert!(Event::is_quiet_stop(line), "{}", String::from_utf8_lossy(line));
        let short = Event::passed_on(line, "rg-check/1").unwrap();
        let mut read = Event::parse(line).unwrap();
        read.via.push("rg-check/1".into());
        assert_eq!(String::from_utf8(short), String::from_utf8(read.line().unwrap()));
        for change in [
            |e: &mut Event| e.owed.push("x".into()),
            |e: &mut Event| e.kind = Kind::Prompt,
            |e: &mut Event| e.tell("x", "y"),
            |e: &mut Event| {
                e.looping = Some(Loop { frame: "f".into(), iteration: 1, of: 2, depth: 1, checkpoint: false })
            },
        ] {
            let mut loud = event.clone();
            change(&mut loud);
            let line = loud.line().unwrap();
            assert!(!Event::is_quiet_stop(&line[..line.len() - 1]));
        }
    }
}
