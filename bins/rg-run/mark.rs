//! The records of a run while its agent works. Only the gate writes there, so they are the same before a turn and after it.

use review_gate::event::Client;
use review_gate::store::journal::{self, Journal, JournalPath};
use review_gate::store::record::{JournalHead, Record};
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};

/// How many records are named.
const NAMED: usize = 3;

/// The journals that the gate reads for a run: of its session, and of its task.
fn journals(run: &str) -> Result<Vec<JournalPath>> {
    let session = State::of_user()?.session(Client::Text, run);
    let task = task::task_of(Client::Text, run)?.map(|(state, task)| state.task(&task));
    Ok([Some(session), task].into_iter().flatten().collect())
}

/// The heads of these journals.
pub fn heads(run: &str) -> Result<Vec<JournalHead>> {
    journals(run)?.iter().map(|path| journal::head(path)).collect()
}

/// What was written there since; None if nothing was.
pub fn change(run: &str, before: &[JournalHead]) -> Result<Option<String>> {
    let now = heads(run)?;
    if now == before {
        return Ok(None);
    }
    let mut new = Vec::new();
    for (path, before) in journals(run)?.iter().zip(before) {
        let journal = Journal::open(path)?;
        let later = before.head.as_ref().and_then(|head| journal.records_after(head));
        let word = |record: &Record| format!("`{}` by {}", record.body.kind().word(), record.envelope.by_tool);
        new.extend(later.into_iter().flatten().map(word));
    }
    let names = new.iter().take(NAMED).map(|name| cut_end(&one_line(name), 60)).collect::<Vec<_>>().join(", ");
    let what = if new.is_empty() {
        "records are gone or were edited".to_string()
    } else {
        format!("{}: {names}", count(new.len(), "new record"))
    };
    Ok(Some(format!(
        "the records of the run changed while the agent worked ({what}). Only the gate writes there meanwhile"
    )))
}
