//! Prompts that the client submits by itself because somebody scheduled them. An agent can schedule, so they are not the user's.

use crate::session;
use review_gate::dialect;
use review_gate::event::{Event, Kind};
use review_gate::snapshot;
use review_gate::store::record::ScheduledPrompts;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// The digests of a session's scheduled prompts, each of a whole prompt or of one of its lines.
#[derive(Default)]
pub struct Schedule {
    /// Those that the client's last list held, or that were scheduled since.
    listed: HashSet<String>,
    /// Those that the client may submit although it no longer lists them.
    lasting: HashSet<String>,
    /// All that there ever were.
    ever: HashSet<String>,
}

impl Schedule {
    /// The schedule on record.
    fn recorded(event: &Event) -> Result<Schedule> {
        let mut all = Schedule::default();
        for record in session::journal(event)?.of::<ScheduledPrompts>() {
            if record.all {
                all.listed.clear();
            }
            let kept = if record.lasting { &mut all.lasting } else { &mut all.listed };
            kept.extend(record.digests.iter().cloned());
            all.ever.extend(record.digests.iter().cloned());
        }
        Ok(all)
    }

    /// Whether the client may submit this prompt or line by itself.
    pub fn holds(&self, text: &str) -> bool {
        let digest = sha256(text.trim().as_bytes());
        self.listed.contains(&digest) || self.lasting.contains(&digest)
    }

    /// Whether this prompt or line was ever scheduled in the session, or in the project while the session ran.
    pub fn ever_held(&self, text: &str) -> bool {
        self.ever.contains(&sha256(text.trim().as_bytes()))
    }
}

/// Records what the event says about scheduled prompts, and the client's file of lasting ones; returns the schedule. A stop lists all
/// prompts that end with the client, a tool call adds one.
pub fn update(event: &Event) -> Result<Schedule> {
    let mut known = Schedule::recorded(event)?;
    let is_list = event.kind == Kind::Stop;
    if let Some(digests) = event.scheduled.clone() {
        let lasting = event.tool.as_ref().is_some_and(dialect::schedules_for_long);
        let told: HashSet<String> = digests.iter().cloned().collect();
        let kept = if lasting { &known.lasting } else { &known.listed };
        if (is_list && told != *kept) || !told.is_subset(kept) {
            session::append(event, ScheduledPrompts { digests, all: is_list, lasting })?;
            if is_list {
                known.listed.clear();
            }
            known.ever.extend(told.iter().cloned());
            if lasting { known.lasting.extend(told) } else { known.listed.extend(told) }
        }
    }
    let filed = in_file(event);
    if !filed.is_subset(&known.lasting) {
        let digests = filed.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        session::append(event, ScheduledPrompts { digests, all: false, lasting: true })?;
        known.ever.extend(filed.iter().cloned());
        known.lasting.extend(filed);
    }
    Ok(known)
}

/// Whether the client has a file of lasting prompts here.
pub fn has_file(event: &Event) -> bool {
    files(event).iter().any(|path| path.exists())
}

/// The digests of the prompts in the client's file.
fn in_file(event: &Event) -> HashSet<String> {
    files(event).iter().flat_map(|path| dialect::scheduled_in(path)).collect()
}

/// Where the client may keep that file: in the directory in which it was started.
fn files(event: &Event) -> BTreeSet<PathBuf> {
    let dirs = [event.root.clone(), snapshot::top_of(&event.root), event.cwd.clone()];
    dirs.into_iter().chain(env::project_dir()).map(|dir| dir.join(dialect::SCHEDULE_FILE)).collect()
}
