//! The installs of hooks, for all repositories of the user: what was written into which file, and the programs at that time.

use crate::store::call_marks::changed_nanos;
use crate::store::journal::{self, JournalPath};
use crate::store::record::{Install, InstalledProgram, JournalKind};
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::wiring;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A program that a stage of hooks.json starts: without it, or with another one, rg-tamper reads no code.
const HELPER: &str = "rg-outline";

/// The journal of installs, in the user's state directory.
pub fn journal() -> Result<(State, JournalPath)> {
    let home = env::state_home().ok_or_else(|| Error::missing("neither XDG_STATE_HOME nor HOME is set"))?;
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

/// The programs that the hooks start, as they are now. A program that cannot be read is left out.
pub fn programs() -> BTreeMap<PathBuf, InstalledProgram> {
    let Some(bin) = env::bin_dir().map(wiring::nix_store::lasting) else { return BTreeMap::new() };
    let paths = wiring::tools().into_iter().chain([HELPER]).map(|name| bin.join(name));
    paths.filter_map(|path| Some((path.clone(), program(&path)?))).collect()
}

fn program(path: &Path) -> Option<InstalledProgram> {
    let mut file = files::open_following(path).ok().flatten()?;
    let meta = file.metadata().ok()?;
    let sha256 = digest::sha256_file(&mut file).ok()?;
    Some(InstalledProgram { sha256, inode: meta.ino(), size: meta.len(), changed_nanos: changed_nanos(&meta)? })
}

/// Whether a program is still the one that was recorded. A file that nothing has touched since is not read again: no program can set the
/// time of a file's last status change.
pub fn is_same(path: &Path, recorded: &InstalledProgram) -> bool {
    let Some(meta) = files::open_following(path).ok().flatten().and_then(|file| file.metadata().ok()) else {
        return false;
    };
    let is_untouched =
        (meta.ino(), meta.len(), changed_nanos(&meta)) == (recorded.inode, recorded.size, Some(recorded.changed_nanos));
    is_untouched
        || meta.len() == recorded.size && program(path).is_some_and(|program| program.sha256 == recorded.sha256)
}
