//! `--reset`: puts the records of this repository aside. Nothing is deleted.

use review_gate::store::state::State;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::wiring::shell_quoted;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What stays: the backups, and the lock that is held here.
const STAYS: [&str; 2] = ["rescue", "lock"];

/// Moves the records into a directory beside their own, and returns what was done.
pub fn run(state: &State) -> Result<String> {
    let dir = state.dir();
    if !state.exists() {
        return Ok(format!("there are no records in {}\n", dir.display()));
    }
    let _lock = state.lock()?;
    let entries = fs::read_dir(dir).map_err(|e| Error::io("read", dir, &e))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<_> = names.filter(|name| !STAYS.iter().any(|stays| name == stays)).collect();
    if names.is_empty() {
        return Ok(format!("there are no records in {}\n", dir.display()));
    }
    let archive = new_archive(dir)?;
    for name in names {
        let (from, to) = (dir.join(&name), archive.join(&name));
        fs::rename(&from, &to).map_err(|e| Error::io("move", &from, &e))?;
    }
    let quoted = |path: &Path| shell_quoted(&path.display().to_string());
    Ok(format!(
        "moved the records of this repository to {}\nthe backups stay. Start new sessions: the running ones have no task any more\nput the records back, before a session writes new ones, with `mv {}/* {}`\n",
        archive.display(),
        quoted(&archive),
        quoted(dir)
    ))
}

/// A new directory beside the records, named after the time.
fn new_archive(dir: &Path) -> Result<PathBuf> {
    let time: String = clock::now().to_string().chars().take(19).filter(char::is_ascii_alphanumeric).collect();
    let base = dir.file_name().unwrap_or_default().to_string_lossy();
    for number in 0..100 {
        let suffix = if number == 0 { String::new() } else { format!("-{number}") };
        let path = dir.with_file_name(format!("{base}.archive-{time}{suffix}"));

        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("make", &path, &error)),
        }
    }
    Err(Error::missing(format!("too many archives of {}", dir.display())))
}
