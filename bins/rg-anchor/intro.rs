//! What the agent is told at a session's start: that work here is judged, and by what. Never how a stop is passed.

use review_gate::donefile::{self, Donefile, ReviewSpec};
use review_gate::event::Event;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};

/// How many checks are named.
const NAMED: usize = 5;

/// The maximum length of a name, in bytes.
const NAME: usize = 40;

/// At most two lines. None without a definition of done: rg-event tells the user about that.
pub fn of(event: &Event) -> Result<Option<String>> {
    let Some(found) = donefile::at(&event.root)?.filter(|_| event.donefile.is_some()) else { return Ok(None) };
    Ok(Some(match donefile::parse(found.name, &found.bytes, &found.root) {
        Ok(done) => format!(
            "review-gate judges the work here at each stop, as {} defines it: {}.\n`rg-doctor` shows how it is set up.",
            found.name,
            judges(&done).join(", ")
        ),
        Err(_) => format!(
            "review-gate judges the work here at each stop, but {} cannot be read.\n`rg-check --validate` shows why.",
            found.name
        ),
    }))
}

/// The judges that a definition names: its checks, the guards, a review.
fn judges(done: &Donefile) -> Vec<String> {
    let mut judges = Vec::new();
    if !done.checks.is_empty() {
        let mut names: Vec<String> =
            done.checks.iter().take(NAMED).map(|check| cut_end(&one_line(&check.name), NAME)).collect();
        if done.checks.len() > NAMED {
            names.push(format!("{} more", done.checks.len() - NAMED));
        }
        judges.push(format!("{} ({})", count(done.checks.len(), "check"), names.join(", ")));
    }
    if done.guards.any() {
        judges.push("the guards against skipped and weakened tests".into());
    }
    if done.review.when != ReviewSpec::default().when {
        judges.push("a review".into());
    }
    judges
}
