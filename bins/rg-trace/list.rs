//! `rg-trace list`: the recorded sessions, sorted by their last event.

use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::json;
use std::path::Path;

/// Prints a line for each session.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut as_json = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "json" => as_json = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let traces = files_by_age(&state.dir().join("trace"));
    let out: String = traces.iter().map(|(_, path)| line(path, as_json) + "\n").collect();
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// The line of one session. A trace that cannot be read is listed with its error.
fn line(path: &Path, as_json: bool) -> String {
    let session = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let journal = match Journal::open(path) {
        Ok(journal) => journal,
        Err(error) if as_json => return json!({"session": session, "error": error.to_string()}).to_string(),
        Err(error) => return format!("{} {}", one_line(&session), one_line(&error.to_string())),
    };
    let traced: Vec<&TracedEvent> = journal.of::<TracedEvent>().collect();
    let (first, last) = (traced.first().map(|traced| traced.at), traced.last().map(|traced| traced.at));
    let prompt = traced.iter().find_map(|traced| traced.prompt.as_deref());
    let outcome = traced.iter().rev().find_map(|traced| traced.outcome);
    if as_json {
        let fields = json!({
            "session": session,
            "first": first,
            "last": last,
            "events": traced.len(),
            "prompt": prompt,
            "outcome": outcome,
        });
        return fields.to_string();
    }
    let at = last.map_or("-".to_string(), |at| at.local_minute_and_zone());
    let outcome = outcome.map_or(String::new(), |outcome| format!(", {outcome}"));
    let prompt = prompt.map_or(String::new(), |prompt| format!(": {}", cut_end(&one_line(prompt), 100)));
    format!("{} {at} {}{outcome}{prompt}", one_line(&session), count(traced.len(), "event"))
}
