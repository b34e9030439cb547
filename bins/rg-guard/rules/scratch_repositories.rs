//! Repositories below a temporary directory that hold no work of a session.

use super::context::Context;
use crate::command::path::Class;
use crate::command::{Call, marks};
use review_gate::git::Repository;
use review_gate::sys::files::try_read;
use std::path::Path;

/// The largest configuration of a repository that is read, in bytes.
const LARGEST_CONFIG: u64 = 1 << 20;

/// Whether a command of git works in such a repository: the same text made it, or it exists and has no DONE.md.
pub fn is_scratch(call: &Call, context: &Context) -> bool {
    if call.is_remote || call.git.is_elsewhere || context.class(call, ".") != Class::Temp {
        return false;
    }
    if !context.looks {
        return call.git.is_made;
    }
    let is_known = !call.cwd.contains(marks::is_mark);
    (is_known || call.git.is_made) && !(is_known && holds_work(Path::new(&call.cwd), context))
}

/// Whether a directory that exists leads out of the temporary ones, is a project with a DONE.md, or a working tree of another
/// repository.
fn holds_work(dir: &Path, context: &Context) -> bool {
    let Ok(real) = std::fs::canonicalize(dir) else { return false };
    let Some(repository) = Repository::find(&real) else { return false };
    let top = &repository.top;
    let is_temp = |path: &Path| context.local_class(&path.to_string_lossy()) == Class::Temp;
    // `core.worktree` names another working tree.
    let config = try_read(&top.join(".git/config"), LARGEST_CONFIG).unwrap_or_default();
    let names_another = memchr::memmem::find(&config.to_ascii_lowercase(), b"worktree").is_some();
    !is_temp(&real) || names_another || !is_temp(top) || !top.join(".git").is_dir() || top.join("DONE.md").exists()
}
