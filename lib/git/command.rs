//! The one builder of git's command lines. Every call is hardened in the same way; what it may do is its mode.

use crate::sys::process::Command;
use std::path::Path;

/// What a call may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Answer a question: no lock is taken, no index refreshed, nothing fetched.
    Read,
    /// Change the repository, or speak with a remote. The user's hooks and a partial clone's missing objects are part of that.
    Act,
}

/// Settings of every call: what is read is what is named, in the objects themselves, and no program of the repository's says
/// what changed.
const ALWAYS: [&str; 4] =
    ["core.quotePath=false", "core.commitGraph=false", "core.fsmonitor=false", "advice.graftFileDeprecated=false"];

/// What one mode adds to them.
const READ: [&str; 1] = ["core.untrackedCache=false"];
/// What tidies up in the background would be killed with its process group.
const ACT: [&str; 3] = ["gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false"];

/// A call of git in `dir`. Its environment loses git's own variables when `child` starts it; those set here stay.
pub(super) fn git(mode: Mode, dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "--no-replace-objects"]);
    command.current_dir(dir).env("GIT_GRAFT_FILE", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    let more: &[&str] = match mode {
        Mode::Read => {
            command.arg("--no-optional-locks").env("GIT_NO_LAZY_FETCH", "1");
            &READ
        }
        Mode::Act => &ACT,
    };
    ALWAYS.iter().chain(more).for_each(|setting| {
        command.args(["-c", setting]);
    });
    command
}
