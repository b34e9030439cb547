//! Claims of issues that last as long as their session works: the first event in each quarter of an hour extends them.

use review_gate::event::{Event, Kind};
use review_gate::git::Repository;
use review_gate::store::journal::{self, JournalPath};
use review_gate::store::record::Body;
use review_gate::store::{loops, task};
use review_gate::sys::clock::{self, Time};
use review_gate::sys::error::Result;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::store::Store;

/// How often the file of issues is read, in milliseconds. Tool calls in between cost nothing more.
const INTERVAL: u64 = 15 * 60 * 1000;

/// Extends the claims of the event's session, if its trace has no event of this quarter of an hour yet.
pub fn renew(event: &Event, trace: &JournalPath) -> Result<()> {
    let Some(session) = event.session_key().filter(|_| event.kind != Kind::SessionEnd) else { return Ok(()) };
    let quarter = |at: Time| at.0 / INTERVAL;
    if let Some(Body::Event(last)) = journal::last(trace)?.map(|record| record.body)
        && quarter(last.at) == quarter(clock::now())
    {
        return Ok(());
    }
    let repository = Repository::find(&event.root);
    let talk = TalkDir::of(&event.root, repository.as_ref())?;
    // A change of an issue would be a change of the work.
    if talk.is_judged(repository.as_ref()) {
        return Ok(());
    }
    let store = Store::of(talk);
    if !store.has_issues() {
        return Ok(());
    }
    // After `/clear` a loop still works under the id of the session that began it.
    let task = task::of_event(event)?;
    let owner = task.and_then(|task| loops::owning_session(&task, event.client, Some(session)).ok());
    for session in [Some(session.to_string()), owner.filter(|owner| owner != session)].into_iter().flatten() {
        // If this fails, no event is lost: the next quarter of an hour extends the claim, or it runs out.
        let _ = store.renew_session(&session);
    }
    Ok(())
}
