//! Running asks: while another model answers, review-gate's hooks ignore its session.

use crate::store::state::State;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::files;
use crate::sys::ids;
use rustix::process::{Pid, test_kill_process};
use std::fs;
use std::path::PathBuf;

/// A running ask. It ends when this value is dropped.
pub struct OpenAsk {
    /// Its id, which the model's program gets in `RG_ASK`.
    pub id: String,
    path: PathBuf,
}

impl OpenAsk {
    /// Records that this process is about to ask.
    pub fn begin() -> Result<OpenAsk> {
        let id = ids::ulid(&["ask", &rustix::process::getpid().as_raw_nonzero().to_string()]);
        let path = path_of(&id)?;
        let pid = rustix::process::getpid().as_raw_nonzero().to_string();
        State::of_user()?.write_whole(&path, pid.as_bytes(), false)?;
        Ok(OpenAsk { id, path })
    }
}

impl Drop for OpenAsk {
    fn drop(&mut self) {
        // A file that remains is ignored once its process has ended.
        let _ = fs::remove_file(&self.path);
    }
}

fn path_of(id: &str) -> Result<PathBuf> {
    Ok(State::of_user()?.dir().join("asks").join(ids::file_name(id)))
}

/// Whether this process descends from the program of a model that was asked, and the process that asked still runs.
pub fn is_within_ask() -> bool {
    let Some(id) = env::ask_id() else { return false };
    let read = || {
        let path = path_of(&id).ok()?;
        String::from_utf8(files::try_read(&path, 64)?).ok()
    };
    let pid = read().and_then(|text| Pid::from_raw(text.trim().parse().ok()?));
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}
