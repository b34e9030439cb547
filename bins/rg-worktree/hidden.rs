//! Changed files that git does not report, because they are marked assume-unchanged or skip-worktree.

use review_gate::git::{ObjectId, Repository};
use review_gate::sys::error::Result;
use review_gate::sys::files;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest marked file that is read, in bytes. A larger one counts as changed.
const LOOKED_AT: u64 = 256 << 20;

/// The marked files that differ from the index.
pub fn of(inside: &Repository) -> Result<Vec<PathBuf>> {
    let index = inside.tracked()?;
    let changed = |path: &Path, id: ObjectId| {
        let whole = inside.top.join(path);
        match fs::read_link(&whole) {
            Ok(target) => !id.names("blob", std::os::unix::ffi::OsStrExt::as_bytes(target.as_os_str())),
            Err(_) => files::try_read_following(&whole, LOOKED_AT).is_none_or(|bytes| !id.names("blob", &bytes)),
        }
    };
    let flagged = index.iter().filter(|entry| entry.is_unchecked && !entry.is_submodule);
    let there = flagged.filter(|entry| fs::symlink_metadata(inside.top.join(entry.path)).is_ok());
    let found: Vec<_> = there.filter(|entry| changed(entry.path, entry.id)).collect();
    let paths: Vec<PathBuf> = found.iter().map(|entry| entry.path.to_path_buf()).collect();
    if paths.is_empty() {
        return Ok(paths);
    }
    // Git's filters and line endings may explain the difference, so let git hash the files. Links have no filters.
    let asked: Vec<PathBuf> = paths
        .iter()
        .filter(|path| files::try_read_following(&inside.top.join(path), LOOKED_AT).is_some())
        .cloned()
        .collect();
    let said = if asked.is_empty() { Ok(Vec::new()) } else { inside.git_with_paths(&["hash-object", "--"], &asked) };
    let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    let names: HashMap<&Path, &str> = asked.iter().map(PathBuf::as_path).zip(said.lines()).collect();
    let is_changed = |path: &Path, id: ObjectId| {
        fs::read_link(inside.top.join(path)).is_ok() || names.get(path) != Some(&id.to_string().as_str())
    };
    Ok(found.iter().filter(|entry| is_changed(entry.path, entry.id)).map(|entry| entry.path.to_path_buf()).collect())
}
