//! The prompt for a second opinion: the review request and what it refers to. The caller cannot add to it.

use review_gate::donefile::Floor;
use review_gate::event::{Client, Event, Kind, Source};
use review_gate::review::record::{ReviewRequest, Reviews};
use review_gate::review::request::{self, Extras};
use review_gate::review::subject::Subject;
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::error::{Error, Result};

/// What is asked about a review request.
pub struct Asked {
    /// The prompt.
    pub prompt: String,
    /// The review request.
    pub request: ReviewRequest,
    /// Which issues block.
    pub floor: Floor,
    /// The task of the review request.
    pub task: String,
}

/// What is asked about the review request with that id. Its files must be those in the working tree.
pub fn asked(state: &State, id: &str, nonce: &str) -> Result<Asked> {
    let no_such = || Error::usage(format!("no such review request: {id}"));
    let task = task::find_by_record(state, id).filter(|_| id.len() >= 6).ok_or_else(no_such)?;
    let request = Reviews::of(Some(&task)).request(id).cloned().ok_or_else(no_such)?;
    let mut source = Source::new(Client::Text, Kind::Stop, task.begin.root.clone());
    source.task = Some(task.id.clone());
    source.evidence = Some(state.dir().to_path_buf());
    let event = Event::new(source);
    let workspace = Workspace::of(&event)?;
    let subject = Subject::of_verb(&event, &workspace)?;
    if subject.now.digest() != request.snapshot {
        return Err(Error::usage(format!(
            "review request {} is about other files than those in the working tree",
            request.id
        )));
    }
    let extra = Extras { nonce: Some(nonce), ..Extras::default() };
    let (whole, left_out) = request::with_material(&event, &workspace, &subject, &request, &extra)?;
    if !left_out.is_empty() {
        return Err(Error::usage(format!("the change is too large for one prompt: {}", left_out.join(", "))));
    }
    let prompt = format!("You review a change as an independent second reader.\n\n{whole}");
    Ok(Asked { prompt, request, floor: subject.spec.floor, task: task.id })
}
