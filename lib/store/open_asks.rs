//! Models that we ask: while one is at work, our own hooks leave its session alone.

use crate::store::state::State;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::files;
use crate::sys::ids;
use rustix::process::{Pid, test_kill_process};
use std::fs;
use std::path::PathBuf;

/// An ask that is under way; it ends with this value.
pub struct Open {
    /// Its id: what the model finds in `RG_ASK`.
    pub id: String,
    path: PathBuf,
}

impl Open {
    /// Says that this process is about to ask.
    pub fn begin() -> Result<Open> {
        let id = ids::ulid(&["ask", &rustix::process::getpid().as_raw_nonzero().to_string()]);
        let path = place(&id)?;
        let pid = rustix::process::getpid().as_raw_nonzero().to_string();
        State::of_user()?.write_whole(&path, pid.as_bytes(), false)?;
        Ok(Open { id, path })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // One that stays behind is closed by the end of its process.
        let _ = fs::remove_file(&self.path);
    }
}

fn place(id: &str) -> Result<PathBuf> {
    Ok(State::of_user()?.dir().join("asks").join(ids::file_name(id)))
}

/// Whether this process runs below a model that we asked, while whoever asked it lives.
pub fn is_within_one() -> bool {
    let Some(id) = env::ask_id() else { return false };
    let read = || {
        let path = place(&id).ok()?;
        String::from_utf8(files::try_read(&path, 64)?).ok()
    };
    let pid = read().and_then(|text| Pid::from_raw(text.trim().parse().ok()?));
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}
