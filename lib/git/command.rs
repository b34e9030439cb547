//! The only builder of git command lines. Every call has the same protective settings; the mode limits what it may do.

use crate::sys::process::Command;
use std::path::Path;

/// What a git call may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Only read: it takes no lock, does not refresh the index and fetches nothing.
    Read,
    /// Change the repository or contact a remote. It may run the user's hooks and fetch the missing objects of a partial clone.
    Act,
}

/// Settings of every call. Git reads the objects themselves, and no program that the repository configures reports changes.
const ALWAYS: [&str; 4] =
    ["core.quotePath=false", "core.commitGraph=false", "core.fsmonitor=false", "advice.graftFileDeprecated=false"];

/// Additional settings of [`Mode::Read`].
const READ: [&str; 1] = ["core.untrackedCache=false"];
/// Additional settings of [`Mode::Act`]. A background gc would be killed with its process group.
const ACT: [&str; 3] = ["gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false"];

/// A file that is not there, also where somebody replaced the device by a file.
const NOWHERE: &str = "/dev/null/none";

/// A git call in `dir`. `process` removes git's variables from the inherited environment; those that are set here stay.
pub(super) fn git(mode: Mode, dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "--no-replace-objects"]);
    command.current_dir(dir).env("GIT_GRAFT_FILE", NOWHERE).env("GIT_TERMINAL_PROMPT", "0");
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
