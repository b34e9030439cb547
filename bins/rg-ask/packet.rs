//! The prompt for a second opinion: the review request and what it refers to. The caller cannot add to it.

use review_gate::event::{Client, Event, Kind, Source};
use review_gate::review::packet::{self, Extras};
use review_gate::review::record::{Packet, Reviews};
use review_gate::review::subject::Subject;
use review_gate::snapshot::definition::Basis;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::error::{Error, Result};

/// The prompt about the review request with that id. Its files must be those in the working tree.
pub fn prompt(state: &State, id: &str, nonce: &str) -> Result<(String, Packet)> {
    let no_such = || Error::usage(format!("no such review request: {id}"));
    let task = task::find_by_record(state, id).filter(|_| id.len() >= 6).ok_or_else(no_such)?;
    let packet = Reviews::of(Some(&task)).packet(id).cloned().ok_or_else(no_such)?;
    let mut source = Source::new(Client::Text, Kind::Stop, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let basis = Basis::of(&event)?;
    let subject = Subject::of_verb(&event, &basis)?;
    if subject.now.digest() != packet.snapshot {
        return Err(Error::usage(format!(
            "review request {} is about other files than those in the working tree",
            packet.id
        )));
    }
    let extra = Extras { nonce: Some(nonce), ..Extras::default() };
    let (whole, left_out) = packet::with_material(&event, &basis, &subject, &packet, &extra)?;
    if !left_out.is_empty() {
        return Err(Error::usage(format!("the change is too large for one prompt: {}", left_out.join(", "))));
    }
    Ok((format!("You review a change as an independent second reader.\n\n{whole}"), packet))
}
