//! `show` and `list`: receipts as a person, a page or a program reads them.

use review_gate::answer::{self, Format, Style};
use review_gate::basis;
use review_gate::cli::{Args, Flag};
use review_gate::error::{Error, Result};
use review_gate::event::{Action, Event, Reply, Stage};
use review_gate::exit::Exit;
use review_gate::journal;
use review_gate::outcome::Row;
use review_gate::state::State;
use review_gate::text::{cut_end, one_line};
use review_gate::wire;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// What was asked for.
pub struct Query {
    /// Where the receipts lie.
    pub state: State,
    /// One receipt, by its id or any unique beginning of it.
    pub id: Option<String>,
    /// Those of one task.
    pub task: Option<String>,
    format: Option<Format>,
}

impl Query {
    /// Reads the arguments.
    pub fn parse(args: &mut Args) -> Result<Query> {
        let (mut id, mut task, mut format) = (None, None, None);
        while let Some(flag) = args.flag()? {
            match &flag {
                Flag::Long(name) if name == "task" => task = Some(args.value()?),
                Flag::Long(name) if name == "json" && format.is_none() => format = Some(Format::Json),
                Flag::Long(name) if name == "md" && format.is_none() => format = Some(Format::Markdown),
                Flag::Operand(word) if id.is_none() => id = Some(word.clone()),
                _ => return Err(args.unknown(&flag)),
            }
        }
        let state = State::of(&basis::root_of(&args.dir()?)?.0)?;
        Ok(Query { state, id: id.filter(|id| id != "last"), task, format })
    }

    /// The receipts that were asked for, oldest first.
    pub fn receipts(&self) -> Result<Vec<Receipt>> {
        let dir = self.state.dir().join("receipts");
        let mut found: Vec<Receipt> = Vec::new();
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("").to_string();
            let is_receipt = path.extension().is_some_and(|end| end == "json");
            if is_receipt && self.id.as_ref().is_none_or(|wanted| id.starts_with(wanted.as_str())) {
                found.push(Receipt { id, path });
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(task) = &self.task {
            let records = journal::read(&self.state.task(task))?;
            let ids: Vec<&str> = records.iter().filter(|r| r.kind == "receipt").map(|r| r.text("receipt")).collect();
            found.retain(|receipt| ids.contains(&receipt.id.as_str()));
        }
        Ok(found)
    }

    /// The one receipt that was asked for; the last one when none was named. A subagent's is never the last one while there is
    /// one of the session's own stops.
    pub fn one(&self) -> Result<Receipt> {
        let mut found = self.receipts()?;
        let is_own = |receipt: &Receipt| receipt.value().is_ok_and(|value| value["kind"] != "subagent-stop");
        if let Some(last) = found.iter().rposition(is_own).filter(|_| self.id.is_none()) {
            found.truncate(last + 1);
        }
        match (&self.id, found.len()) {
            (_, 1) | (None, 2..) => found.pop().ok_or_else(|| self.none()),
            (Some(id), 2..) => Err(Error::usage(format!("{id} is the beginning of {} receipts", found.len()))),
            (_, 0) => Err(self.none()),
        }
    }

    fn none(&self) -> Error {
        match &self.id {
            Some(id) => Error::usage(format!("no such receipt: {id}")),
            None => Error::usage(format!("no receipt yet in {}", self.state.dir().display())),
        }
    }
}

/// One receipt's file.
pub struct Receipt {
    /// Its id.
    pub id: String,
    /// Where it lies.
    pub path: PathBuf,
}

impl Receipt {
    /// Its bytes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        fs::read(&self.path).map_err(|e| Error::io("read", &self.path, &e))
    }

    /// Its fields.
    pub fn value(&self) -> Result<Value> {
        let parsed = serde_json::from_slice(&self.bytes()?);
        parsed.map_err(|e| Error::unjudged(format!("{} is damaged: {e}", self.path.display())))
    }
}

/// Shows one receipt. The status is 0 whatever it says: the question was what it says.
pub fn show(args: &mut Args) -> Result<Exit> {
    let query = Query::parse(args)?;
    let receipt = query.one()?;
    let out = match query.format {
        Some(Format::Json) => String::from_utf8_lossy(&receipt.bytes()?).into_owned(),
        format => told(&receipt, format)?,
    };
    wire::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A receipt in words: the same as the answer once was, and what only a receipt says.
fn told(receipt: &Receipt, format: Option<Format>) -> Result<String> {
    let value = receipt.value()?;
    let Value::Object(mut fields) = value.clone() else {
        return Err(Error::unjudged(format!("{} is no receipt", receipt.path.display())));
    };
    let reply = fields.remove("reply");
    let blocked = reply.as_ref().and_then(Value::as_str) == Some("block");
    fields.insert("id".into(), value["event"].clone());
    fields.insert("cwd".into(), value["root"].clone());
    let event: Event = serde_json::from_value(Value::Object(fields))
        .map_err(|e| Error::unjudged(format!("{} is damaged: {e}", receipt.path.display())))?;
    let reason = value["why"].as_str().unwrap_or("").to_string();
    let reply = match value["row"].as_str() {
        _ if blocked => Some(Reply { action: Action::Block, reason: String::new(), by: Stage::Bounce }),
        Some(row) if row == Row::Deferred.word() => Some(Reply { action: Action::Allow, reason, by: Stage::Event }),
        _ => None,
    };
    let event = event.replayed(&receipt.id, reply);
    let style = Style { format: Some(format.unwrap_or(Format::Text)), ..Style::person() };
    let mut out = answer::answer(event, &style).out;
    if format.is_none() {
        for waiver in value["waivers"].as_array().into_iter().flatten() {
            let text = |name: &str| one_line(waiver[name].as_str().unwrap_or(""));
            let (why, scope, who, until) = (text("why"), text("scope"), text("who"), text("until"));
            out.push_str(&format!("waived {scope}: {why} ({who}, until {until})\n"));
        }
        let not_judged: Vec<&str> =
            value["not_judged"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !not_judged.is_empty() {
            out.push_str(&format!("not judged by this release: {}\n", not_judged.join(", ")));
        }
        if let Some(kind) = value["base"]["kind"].as_str() {
            let text =
                |name: &str| value["base"][name].as_str().map_or(String::new(), |text| format!(" {}", one_line(text)));
            out.push_str(&format!("base {kind}{}{}\n", text("ref"), text("commit")));
        }
        for blessed in value["base"]["blessed"].as_array().into_iter().flatten() {
            let text = |name: &str| one_line(blessed[name].as_str().unwrap_or(""));
            out.push_str(&format!("blessed: {} ({}, {})\n", text("why"), text("who"), text("at")));
        }
        for name in ["at", "budget_owner", "task", "session", "head", "snapshot"] {
            if let Some(text) = value[name].as_str() {
                out.push_str(&format!("{name} {text}\n"));
            }
        }
    }
    Ok(out)
}

/// One line for each receipt, newest last.
pub fn list(args: &mut Args) -> Result<Exit> {
    let query = Query::parse(args)?;
    let mut out = String::new();
    for receipt in query.receipts()? {
        let line = match (receipt.value(), query.format) {
            (Ok(value), Some(Format::Json)) => format!("{value}\n"),
            (Ok(value), _) => {
                let text = |name: &str| value[name].as_str().unwrap_or("-").to_string();
                let at = text("at").get(..16).unwrap_or("").replace('T', " ") + "Z";
                let whose = if text("kind") == "subagent-stop" {
                    format!("({}) ", text("budget_owner"))
                } else {
                    String::new()
                };
                let why = cut_end(&one_line(&(whose + &text("why"))), 100);
                format!("{} {at} {:<10} {why}\n", receipt.id, text("outcome"))
            }
            (Err(error), _) => format!("{} damaged: {error}\n", receipt.id),
        };
        out.push_str(&line);
    }
    wire::write(out.as_bytes())?;
    Ok(Exit::Yes)
}
