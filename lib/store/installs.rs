//! The installs of hooks, for all repositories of the user: what was written into which file, and the programs at that time.

use crate::store::call_marks::changed_nanos;
use crate::store::journal::{self, JournalPath};
use crate::store::record::{Install, InstalledProgram, JournalKind};
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::files;
use crate::wiring;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A program that a stage of hooks.json starts: without it, or with another one, rg-tamper reads no code.
const HELPER: &str = "rg-outline";

/// The journal of installs, in the user's state directory.
pub fn journal() -> Result<(State, JournalPath)> {
    let home = match env::state_home() {
        Some(home) => home,
        None => env::require_home("XDG_STATE_HOME is not set")?.join(".local/state"),
    };
    let state = State::at(home.join("review-gate/installed"));
    let path = JournalPath::new(state.dir().join("installs.jsonl"), JournalKind::Installs);
    Ok((state, path))
}

/// The recorded installs into that file, the oldest first. None if they cannot be read.
pub fn of_file(path: &Path) -> Option<Vec<Install>> {
    let (_, memory) = journal().ok()?;
    let installs: Vec<Install> = journal::search(&memory, path.to_str()?).ok()?;
    Some(installs.into_iter().filter(|install| install.path == path).collect())
}

/// The programs that the hooks start, as they are now. A program that cannot be read is left out. One that nothing has touched since the
/// last install, into any file, is not read again: there are 130 MB of them, and `rg-install all` asks for each client.
pub fn programs() -> BTreeMap<PathBuf, InstalledProgram> {
    let Some(bin) = env::bin_dir().map(wiring::nix_store::lasting) else { return BTreeMap::new() };
    let last = last_with(&bin.join(HELPER)).map(|install| install.programs).unwrap_or_default();
    let paths = wiring::tools().into_iter().chain([HELPER]).map(|name| bin.join(name));
    paths.filter_map(|path| Some((path.clone(), program(&path, last.get(&path))?))).collect()
}

/// The last install that recorded that program.
fn last_with(program: &Path) -> Option<Install> {
    let (_, memory) = journal().ok()?;
    let installs: Vec<Install> = journal::search(&memory, program.to_str()?).ok()?;
    installs.into_iter().rfind(|install| install.programs.contains_key(program))
}

/// A program as it is now. It is read unless it is untouched since it was recorded: no program can set the time of a file's last status
/// change.
fn program(path: &Path, recorded: Option<&InstalledProgram>) -> Option<InstalledProgram> {
    let mut file = files::open_following(path).ok().flatten()?;
    let meta = file.metadata().ok()?;
    let (inode, size, changed_nanos) = (meta.ino(), meta.len(), changed_nanos(&meta)?);
    let is_untouched =
        |known: &&InstalledProgram| (known.inode, known.size, known.changed_nanos) == (inode, size, changed_nanos);
    let sha256 = match recorded.filter(is_untouched) {
        Some(known) => known.sha256.clone(),
        None => digest::sha256_file(&mut file).ok()?,
    };
    Some(InstalledProgram { sha256, inode, size, changed_nanos })
}

/// Whether a program is still the one that was recorded. One of another size is not read.
pub fn is_same(path: &Path, recorded: &InstalledProgram) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() == recorded.size)
        && program(path, Some(recorded)).is_some_and(|now| now.sha256 == recorded.sha256)
}
