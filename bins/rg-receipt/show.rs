//! `rg-receipt show` and `rg-receipt list`: receipts as text, Markdown or JSON.

use review_gate::answer::{self, Format, Style};
use review_gate::event::{Blessed, Kind, Waiver};
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::{Integrity, Receipt, ReceiptFile};
use review_gate::store::record::SealedReceipt;
use review_gate::store::state::State;
use review_gate::store::task::{self, Task};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// The receipts that the arguments select.
pub struct Query {
    /// The state directory.
    pub state: State,
    /// The id of a receipt, or a unique beginning of it.
    pub id: Option<String>,
    /// Only receipts of this task.
    pub task: Option<String>,
    /// The task of the session whose shell this is: by default no other session's receipt is shown.
    caller: Option<String>,
    /// The commit that the receipt must cover.
    pub commit: Option<String>,
    /// The exported receipt to verify.
    pub file: Option<PathBuf>,
    /// The file of allowed signers.
    pub allowed_signers: Option<PathBuf>,
    /// Whether a waived outcome does not count.
    pub strict: bool,
    /// The directory of `-C`.
    pub dir: PathBuf,
    format: Option<Format>,
}

impl Query {
    /// Parses the arguments.
    pub fn parse(args: &mut Args) -> Result<Query> {
        let (mut id, mut task, mut commit, mut format) = (None, None, None, None);
        let (mut allowed_signers, mut strict) = (None, false);
        while let Some(flag) = args.flag()? {
            match &flag {
                Flag::Long(name) if name == "task" => task = Some(args.value()?),
                Flag::Long(name) if name == "commit" => commit = Some(args.value()?),
                Flag::Long(name) if name == "allowed-signers" => allowed_signers = Some(args.value()?),
                Flag::Long(name) if name == "strict" => strict = true,
                Flag::Long(name) if name == "json" && format.is_none() => format = Some(Format::Json),
                Flag::Long(name) if name == "md" && format.is_none() => format = Some(Format::Markdown),
                Flag::Operand(word) if id.is_none() => id = Some(word.clone()),
                _ => return Err(args.unknown(&flag)),
            }
        }
        let dir = args.dir()?;
        // No id has a dot or a slash.
        let is_path = id.as_ref().is_some_and(|name: &String| name.contains(['.', '/']));
        let is_file = is_path || allowed_signers.is_some();
        let file = id.take_if(|_| is_file).map(|name| dir.join(name));
        if file.is_none() && (allowed_signers.is_some() || strict) {
            return Err(args.wrong("--allowed-signers and --strict are for `rg-receipt verify FILE --commit REV`"));
        }
        if id.is_some() && commit.is_some() {
            return Err(args.wrong("verify takes an id or --commit. The name of a file has a dot or a slash"));
        }
        if file.is_some() && task.is_some() {
            return Err(args.wrong("--task is not for an exported receipt"));
        }
        let allowed_signers = allowed_signers.map(|name| dir.join(name));
        let state = State::of(&workspace::root_of(&dir)?.0)?;
        Ok(Query {
            state,
            id: id.filter(|id| id != "last"),
            task,
            caller: None,
            commit,
            file,
            allowed_signers,
            strict,
            dir,
            format,
        })
    }

    /// The selected receipts, oldest first.
    pub fn receipts(&self) -> Result<Vec<ReceiptFile>> {
        let mut found = ReceiptFile::all(&self.state);
        if let Some(id) = &self.id {
            found.retain(|filed| filed.id.starts_with(id.as_str()));
        }
        if let Some(task) = self.task.as_ref().filter(|task| !self.state.task(task).exists()) {
            return Err(Error::usage(format!("no such task: {task}")));
        }
        if let Some(task) = self.task.as_ref().or(self.caller.as_ref()) {
            let journal = Journal::open(&self.state.task(task))?;
            let ids: HashSet<&String> = journal.of::<SealedReceipt>().map(|sealed| &sealed.receipt).collect();
            found.retain(|filed| ids.contains(&filed.id));
        }
        Ok(found)
    }

    /// The selected receipt; by default the last one of a session's own stop, else the last one of a subagent's.
    pub fn one(&mut self) -> Result<ReceiptFile> {
        if self.id.is_none() && self.task.is_none() {
            self.caller = task::of_caller(&self.state)?.map(|task| task.id);
        }
        let mut found = self.receipts()?;
        let is_own = |filed: &ReceiptFile| filed.receipt().is_ok_and(|receipt| receipt.kind != Kind::SubagentStop);
        if let Some(last) = found.iter().rposition(is_own).filter(|_| self.id.is_none()) {
            found.truncate(last + 1);
        }
        match (&self.id, found.len()) {
            (_, 1) | (None, 2..) => found.pop().ok_or_else(|| self.none()),
            (Some(id), 2..) => {
                Err(Error::usage(format!("ambiguous receipt id: {id} is the beginning of {}", found.len())))
            }
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

/// Shows one receipt. The status does not depend on its outcome.
pub fn show(args: &mut Args) -> Result<Exit> {
    let mut query = Query::parse(args)?;
    let filed = query.one()?;
    let out = match query.format {
        Some(Format::Json) => String::from_utf8_lossy(&filed.bytes()?).into_owned(),
        format => text_of(&query.state, &filed, format)?,
    };
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A receipt as text; if it was edited after it was sealed, what the journal holds of it.
fn text_of(state: &State, filed: &ReceiptFile, format: Option<Format>) -> Result<String> {
    let receipt = filed.receipt()?;
    let integrity = filed.integrity(state, &receipt)?;
    if let Integrity::Edited(sealed) = &integrity {
        return Ok(text_of_edited(filed, sealed));
    }
    let style = Style { format: Some(format.unwrap_or(Format::Text)), ..Style::for_user() };
    let mut out = answer::recorded_report(&receipt.to_event(), receipt.ruling(), &style);
    if format.is_none() {
        out.push_str(&details(&receipt));
    }
    if let Integrity::Unrecorded { task } = integrity {
        out.push_str(&format!(
            "not sealed in task {}. Check it with `rg-receipt verify {}`\n",
            one_line(&task),
            filed.id
        ));
    }
    Ok(out)
}

/// What the journal holds of a receipt whose file was edited.
fn text_of_edited(filed: &ReceiptFile, sealed: &SealedReceipt) -> String {
    let mut out = format!("receipt {} was edited after it was sealed. The journal holds:\n", filed.id);
    let mut put = |name: &str, text: &str| out.push_str(&format!("{name} {}\n", one_line(text)));
    put("outcome", sealed.outcome.word());
    put("reply", sealed.reply.word());
    if let Some(ended) = &sealed.ended {
        put("ended", &ended.text);
    }
    if !sealed.keys.is_empty() {
        put("open", &sealed.keys.join(" "));
    }
    if let Some(snapshot) = &sealed.snapshot {
        put("snapshot", snapshot);
    }
    put("event", &sealed.event);
    put("sha256", &sealed.sha256);
    out
}

/// The lines that only a receipt has.
fn details(receipt: &Receipt) -> String {
    let mut out = String::new();
    for Waiver { why, scope, who, at, origin, until, .. } in &receipt.waivers {
        let (why, scope, who) = (one_line(why), one_line(&scope.to_string()), one_line(who));
        let at = at.map_or(String::new(), |at| format!(", {}", at.local()));
        let origin = origin.map_or(String::new(), |origin| format!(", hook origin {origin}"));
        out.push_str(&format!("waived {scope}: {why} ({who}{at}{origin}, until {})\n", until.local()));
    }
    if !receipt.not_judged.is_empty() {
        out.push_str(&format!("not judged by this release: {}\n", receipt.not_judged.join(", ")));
    }
    if let Some(base) = &receipt.base {
        let text = |text: &Option<String>| text.as_ref().map_or(String::new(), |text| format!(" {}", one_line(text)));
        out.push_str(&format!("base {}{}{}\n", base.kind, text(&base.name), text(&base.commit)));
        for Blessed { why, who, at } in &base.blessed {
            out.push_str(&format!("blessed: {} ({}, {})\n", one_line(why), one_line(who), at.local()));
        }
    }
    let mut put = |name: &str, text: Option<&str>| {
        if let Some(text) = text {
            out.push_str(&format!("{name} {text}\n"));
        }
    };
    put("at", Some(&receipt.at.local()));
    put("budget_owner", Some(&receipt.budget_owner.to_string()));
    put("task", receipt.task.as_deref());
    put("session", receipt.session.as_deref());
    put("head", receipt.head.as_deref());
    put("snapshot", receipt.snapshot.as_deref());
    out
}

/// Lists receipts, a line for each, oldest first.
pub fn list(args: &mut Args) -> Result<Exit> {
    let query = Query::parse(args)?;
    let mut tasks: HashMap<String, Option<Task>> = HashMap::new();
    let mut out = String::new();
    for filed in query.receipts()? {
        let line = match filed.receipt() {
            Ok(receipt) if query.format == Some(Format::Json) => {
                let line = serde_json::to_string(&receipt);
                line.map_err(|e| Error::stream("write receipt", e))? + "\n"
            }
            Ok(receipt) => {
                let integrity = match receipt.journal() {
                    None => Integrity::Manual,
                    Some(id) => {
                        let load = || Task::load(&query.state, id).ok().flatten();
                        let task = tasks.entry(id.to_string()).or_insert_with(load);
                        filed.integrity_in(task.as_ref(), id)?
                    }
                };
                summary(&filed, &receipt, &integrity)
            }
            Err(error) if query.format == Some(Format::Json) => {
                serde_json::json!({"id": filed.id, "damaged": error.to_string()}).to_string() + "\n"
            }
            Err(error) => format!("{} damaged: {error}\n", filed.id),
        };
        out.push_str(&line);
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn summary(filed: &ReceiptFile, receipt: &Receipt, integrity: &Integrity) -> String {
    let at = receipt.at.local_minute_and_zone();
    let (outcome, why) = match integrity {
        Integrity::Edited(sealed) => {
            (sealed.outcome, format!("edited after it was sealed: `rg-receipt show {}`", filed.id))
        }
        Integrity::Sealed { .. } | Integrity::Unrecorded { .. } | Integrity::Manual => {
            (receipt.outcome, receipt.why.clone())
        }
    };
    let owner = match receipt.kind {
        Kind::SubagentStop => format!("({}) ", receipt.budget_owner),
        _ => String::new(),
    };
    format!("{} {at} {:<10} {}\n", filed.id, outcome.word(), cut_end(&one_line(&(owner + &why)), 100))
}
