//! Exit statuses: one table for every endpoint, verb and action (DESIGN.md, "Exit statuses").

use std::process::ExitCode;

/// What a program says with its status. Never 2: shells and clients give that number meanings of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: yes, done, allowed, nothing found.
    Yes = 0,
    /// 1: no, not done, denied, found something.
    No = 1,
    /// 3: it would be done, but the bar was lowered to get there.
    Lowered = 3,
    /// 100: asked wrongly: usage, malformed record, broken DONE.md.
    Usage = 100,
    /// 101: a bug in the program itself.
    Bug = 101,
    /// 111: could not judge: input, output, lock, dead upstream.
    Unjudged = 111,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
