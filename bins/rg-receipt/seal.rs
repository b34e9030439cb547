//! Sealing: the receipt is written and on disk before its record says so; a stop that was opened is closed.

use crate::TOOL;
use review_gate::answer;
use review_gate::basis::Basis;
use review_gate::clock;
use review_gate::digest;
use review_gate::donefile::ReviewSpec;
use review_gate::error::{Error, Result};
use review_gate::event::{Check, CheckEnd, Event, Outcome, ReceiptFields, Review, Section, Stage, Verdict};
use review_gate::git::Repository;
use review_gate::journal;
use review_gate::outcome::{self, Row, Ruling};
use review_gate::redact::redact;
use review_gate::review::record::{Given, Reviews, Standing};
use review_gate::state::{State, prune};
use review_gate::task::{self, Task};
use review_gate::{env, ids};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How many receipts are kept at least, and for how long at least.
const KEPT: usize = 200;
const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// What this tool says.
pub type Said = Section<ReceiptFields>;

/// Seals what was decided about this event, or closes it where nothing was owed. What was decided for a task must be about a
/// stop that was opened there and is not closed yet, and a `done` about files over which a run is on record.
pub fn seal(event: &Event, said: &mut Said) -> Result<()> {
    let state = State::of_event(event)?;
    // A look at somebody's task by hand leaves nothing in its journal.
    let task = if outcome::is_counted(event) { task::of_event(event)? } else { None };
    if let Some(task) = &task {
        held_against_journal(event, task)?;
    }
    let ruling = outcome::ruling(event);
    let Some(word) = ruling.word else {
        return task.map_or(Ok(()), |task| close(event, &task));
    };
    if let Some(task) = task.as_ref().filter(|_| word == Outcome::Done) {
        held_against_runs(event, &state)?;
        held_against_reviews(event, task)?;
    }
    let id = ids::ulid(&["receipt", &event.id]);
    let sealed = ReceiptFields { outcome: Some(word), receipt: Some(id.clone()) };
    let unsealed = std::mem::replace(&mut said.own, sealed);
    let event = &event.with(said);
    let reason = answer::reason_digest(event);
    let bytes = receipt(event, &id, ruling)?;
    let sha256 = digest::sha256(&bytes);
    let path = state.receipt(&id);
    let sealed = state.write_whole(&path, &bytes, true).and_then(|()| match &task {
        None => Ok(()),
        Some(task) => {
            let record = record(event, &id, &sha256, ruling, reason);
            state.append(&state.task(&task.id), TOOL.name, "receipt", record).map(drop)
        }
    });
    if sealed.is_err() {
        said.own = unsealed;
    } else {
        prune(&state.dir().join("receipts"), KEPT, KEPT_FOR);
        // A task goes whole, when nobody has written to it for as long.
        prune(&state.dir().join("tasks"), KEPT, KEPT_FOR);
    }
    sealed
}

/// The stop must have been opened for this seat, and not be closed.
fn held_against_journal(event: &Event, task: &Task) -> Result<()> {
    let open = task.unclosed().into_iter().find(|open| open.text("event") == event.id);
    match open {
        Some(open) if open.text("seat") == event.budget_owner.to_string() => Ok(()),
        _ => Err(Error::unjudged(format!("this stop is not open in task {}: not sealed", task.id))),
    }
}

/// Green checks must be on record for these very files.
fn held_against_runs(event: &Event, state: &State) -> Result<()> {
    let passed = event.has_verdict(&Stage::Check, Verdict::Pass);
    let snapshot = event.snapshot().unwrap_or("");
    let runs = journal::read_matching(&state.checks(&event.root), snapshot)?;
    let is_green = |record: &journal::Record| {
        let checks: Vec<Check> = record.get("checks").unwrap_or_default();
        let wrote: Vec<String> = record.get("wrote").unwrap_or_default();
        wrote.is_empty() && !checks.is_empty() && checks.iter().all(|check| check.ended == CheckEnd::Passed)
    };
    let last = runs.iter().rfind(|record| record.kind == "run" && record.text("snapshot") == snapshot);
    if passed && !last.is_some_and(is_green) {
        return Err(Error::unjudged("no green run of the checks over these files is on record: not sealed"));
    }
    if !event.passed(&Stage::Bounce) {
        return Err(Error::unjudged("rg-bounce did not run: not sealed"));
    }
    Ok(())
}

/// An approval must be on record for these very files where the person asked for one, or a judge says that there is one.
fn held_against_reviews(event: &Event, task: &Task) -> Result<()> {
    let passed = event.has_verdict(&Stage::ReviewState, Verdict::Pass);
    let is_approved =
        |given: &Given| given.standing == Standing::Approved && Some(given.snapshot.as_str()) == event.snapshot();
    if passed && !Reviews::of(Some(task)).given.iter().any(is_approved) {
        return Err(Error::unjudged("no approval of these files is on record: not sealed"));
    }
    let by_definition = || {
        let done = Basis::of(event).and_then(|basis| basis.donefile(event)).ok().flatten();
        done.is_some_and(|done| done.review != ReviewSpec::default()) && task.is_review_asked() != Some(false)
    };
    if !event.passed(&Stage::ReviewState) && (task.is_review_asked() == Some(true) || by_definition()) {
        return Err(Error::unjudged(format!(
            "{} did not run, and a review may be owed: not sealed",
            Stage::ReviewState
        )));
    }
    Ok(())
}

/// Nothing was owed after all: the stop that was opened ends without a word.
fn close(event: &Event, task: &Task) -> Result<()> {
    let why = event.verdicts().first().map_or("nothing owed", |judged| judged.why.as_str());
    task.state.append(&task.state.task(&task.id), TOOL.name, "close", json!({"event": event.id, "why": why}))?;
    Ok(())
}

fn record(event: &Event, id: &str, sha256: &str, ruling: Ruling, reason_sha256: Option<String>) -> Value {
    json!({
        "event": event.id,
        "seat": event.budget_owner,
        "pid": event.pid,
        "outcome": event.outcome(),
        "reply": if ruling.block { "block" } else { "allow" },
        "reason_sha256": reason_sha256,
        "score": event.bounce().map(|bounce| &bounce.score),
        "bounce": event.bounce(),
        "keys": answer::open_keys(event),
        "snapshot": event.snapshot(),
        "receipt": id,
        "file": format!("receipts/{}.json", ids::file_name(id)),
        "sha256": sha256,
        "ended": event.ended(),
        "deferred": (ruling.row == Row::Deferred).then_some(true),
    })
}

/// The receipt: everything that the decision rested on, without secrets. One JSON object, one key a line at the top level.
fn receipt(event: &Event, id: &str, ruling: Ruling) -> Result<Vec<u8>> {
    let whole = serde_json::to_value(event).map_err(|e| Error::unjudged(format!("unable to write receipt: {e}")))?;
    let Value::Object(mut from) = whole else { return Err(Error::unjudged("unable to write receipt")) };
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_string(), value);
        }
    };
    put("v", json!(1));
    put("id", json!(id));
    put("at", json!(clock::now()));
    put("by_tool", json!(format!("{}/{}", TOOL.name, review_gate::cli::VERSION)));
    put("outcome", json!(event.outcome()));
    put("row", json!(ruling.row));
    put("reply", json!(if ruling.block { "block" } else { "allow" }));
    let why = event.outcome().map(|word| answer::why(event, word));
    put("why", json!(why));
    put("event", json!(event.id));
    for name in ["kind", "client", "by", "origin", "session", "budget_owner", "agent", "task", "turn", "root", "state"]
    {
        put(name, from.remove(name).unwrap_or(Value::Null));
    }
    // As all stages together have it.
    let review = || event.review_armed.clone().map(Review::armed);
    from.insert("review".into(), json!(event.review().cloned().or_else(review)));
    from.insert("required".into(), json!(Some(event.required()).filter(|all| !all.is_empty())));
    let waivers: Vec<_> = event.waivers().collect();
    from.insert("waivers".into(), json!(Some(waivers).filter(|all| !all.is_empty())));
    from.insert("ended".into(), json!(event.ended()));
    put("head", json!(Repository::find(&event.root).and_then(|repository| repository.head())));
    for name in [
        "against",
        "base",
        "snapshot",
        "donefile",
        "required",
        "verdicts",
        "not_judged",
        "checks",
        "review",
        "findings",
        "waivers",
        "bounce",
        "ended",
        "tell",
    ] {
        put(name, from.remove(name).unwrap_or(Value::Null));
    }
    put("partial", json!(event.verdicts().iter().any(|judged| judged.partial)));
    put("policy", policy(event));
    put("via", from.remove("via").unwrap_or(Value::Null));
    let mut value = Value::Object(fields);
    redact_all(&mut value);
    let mut bytes =
        serde_json::to_vec_pretty(&value).map_err(|e| Error::unjudged(format!("unable to write receipt: {e}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Digests of what decided: the definition of done, the hooks, the programs that the event passed through.
fn policy(event: &Event) -> Value {
    let of_file = |path: PathBuf| fs::File::open(path).ok().and_then(|mut file| digest::sha256_file(&mut file).ok());
    // Under a pinned clock a receipt is the same every time, whatever was built.
    let bin = env::bin_dir().filter(|_| clock::pinned().is_none());
    let mut tools = Map::new();
    for via in event.via() {
        let name = via.split('/').next().unwrap_or("");
        if let Some(sha256) = bin.as_ref().and_then(|bin| of_file(bin.join(ids::file_name(name)))) {
            tools.insert(name.to_string(), sha256.into());
        }
    }
    json!({
        "donefile": event.donefile.as_ref().map(|done| &done.sha256),
        "hooks": env::plugin_root().and_then(|root| of_file(root.join("hooks.json"))),
        "tools": tools,
    })
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
