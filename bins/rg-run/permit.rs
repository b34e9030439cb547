//! The permission to start a turn: what turns under way may spend is not spent twice.

use crate::budget::Room;
use review_gate::event::LastRound;
use review_gate::store::state::State;
use review_gate::sys::error::{ErrorKind, Result};
use review_gate::sys::lock::{self, Lock};
use std::path::PathBuf;
use std::time::Duration;

/// How long the lock is waited for before the limits are looked at again.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest pause before the records are read again.
const LONGEST: Duration = Duration::from_secs(1);

/// The answer to a run that asks.
pub enum Permit {
    /// The turn may start. No other turn starts before the lock is released.
    Granted(Lock),
    /// It may not.
    Refused(LastRound),
    /// It waits. The user is told so once, and the run asks again.
    Waits(String),
}

/// A run that asks until its turn may start.
pub struct Queue {
    path: PathBuf,
    pause: Duration,
    has_waited: bool,
}

impl Queue {
    /// The queue of all runs of the user: a limit of a day may hold in all repositories.
    pub fn new() -> Result<Queue> {
        let user = State::of_user()?;
        let path = user.turn_lock();
        user.make_parent(&path)?;
        Ok(Queue { path, pause: Duration::from_millis(50), has_waited: false })
    }

    /// Waits for an answer. `room` refuses a turn once the run's minutes are over, so that this ends.
    pub fn ask(&mut self, room: impl Fn() -> Result<Room>) -> Result<Permit> {
        loop {
            let lock = match lock::take(&self.path, PATIENCE) {
                Ok(lock) => Some(lock),
                Err(error) if matches!(error.kind(), ErrorKind::Locked { .. }) => None,
                Err(error) => return Err(error),
            };
            match (room()?, lock) {
                (Room::Over(last), _) => return Ok(Permit::Refused(last)),
                (Room::Free, Some(lock)) => return Ok(Permit::Granted(lock)),
                (Room::Full(why), _) if !self.has_waited => {
                    self.has_waited = true;
                    return Ok(Permit::Waits(why));
                }
                (Room::Free, None) if !self.has_waited => {
                    self.has_waited = true;
                    return Ok(Permit::Waits(format!("another process holds {}", self.path.display())));
                }
                _ => {}
            }
            std::thread::sleep(self.pause);
            self.pause = (self.pause * 2).min(LONGEST);
        }
    }
}
