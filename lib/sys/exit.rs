//! Exit statuses: one table for all programs. Manual: review-gate(7), "Exit status".

use std::process::ExitCode;

/// The exit status of a program. It is never 2, because shells and clients use that number for other purposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: yes, done, allowed, nothing found.
    Yes = 0,
    /// 1: no, not done, denied, found something.
    No = 1,
    /// 3: everything passes, except that there is tampering.
    Tampered = 3,
    /// 100: usage error, malformed input, or a DONE.md that is missing or invalid.
    Usage = 100,
    /// 101: a bug in the program.
    Bug = 101,
    /// 111: could not be judged: input, output, lock, time or a dead stage.
    Unjudged = 111,
}

impl Exit {
    /// The exit of a recorded status; any that is no outcome's could not be judged.
    pub fn of(status: u8) -> Exit {
        let known = [Exit::Yes, Exit::No, Exit::Tampered, Exit::Usage];
        known.into_iter().find(|exit| *exit as u8 == status).unwrap_or(Exit::Unjudged)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
