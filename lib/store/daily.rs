//! What was spent today, by the UTC date, in all tasks of all repositories of the user.

use crate::event::Action;
use crate::store::journal::Journal;
use crate::store::record::{Body, ReviewStep};
use crate::store::state::{State, files_by_age};
use crate::sys::clock::{self, Time};
use crate::sys::error::Result;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What was spent today.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Bounces.
    pub bounces: u32,
    /// Decisions of reviewers.
    pub reviews: u32,
    /// Minutes from each bounce to the next stop of its task.
    pub minutes: f64,
}

/// A journal that was not written since then holds no record of today.
const RECENT: Duration = Duration::from_secs(2 * 86_400);

impl Spent {
    /// Counts the records of today. A journal that cannot be read is left out.
    pub fn today(own: &State) -> Result<Spent> {
        let mut spent = Spent::default();
        for dir in dirs(own)? {
            let journals = files_by_age(&dir.join("tasks")).into_iter();
            let recent = journals.filter(|(modified, _)| clock::age(*modified) < RECENT);
            for journal in recent.filter_map(|(_, path)| Journal::open(&path).ok()) {
                spent.add(&journal, clock::now());
            }
        }
        Ok(spent)
    }

    fn add(&mut self, journal: &Journal, now: Time) {
        let mut bounced_at: Option<Time> = None;
        for (line, record) in journal.records().filter(|(line, _)| day(line.at) == day(now)) {
            match &record.body {
                Body::Open(_) => {
                    self.minutes += bounced_at.take().map_or(0.0, |at| line.at.since(at) / 60.0);
                }
                Body::Receipt(sealed) if sealed.reply == Action::Block => {
                    self.bounces += 1;
                    bounced_at = Some(line.at);
                }
                Body::Review(ReviewStep::Decided(_)) => self.reviews += 1,
                Body::Asked(step) if matches!(step.0, ReviewStep::Decided(_)) => self.reviews += 1,
                _ => {}
            }
        }
    }
}

/// The state directories of all repositories of the user.
pub fn dirs(own: &State) -> Result<Vec<PathBuf>> {
    let user = State::of_user()?;
    let below = fs::read_dir(user.dir()).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut dirs: Vec<PathBuf> = below.chain([user.dir().to_path_buf(), own.dir().to_path_buf()]).collect();
    dirs.sort();
    dirs.dedup();
    Ok(dirs)
}

/// The UTC date of a time.
pub fn day(at: Time) -> String {
    at.to_string().chars().take(10).collect()
}
