//! What is removed of the records, and when: the rules of the programs that prune as they write, and of `rg-doctor --prune`.

use crate::store::state::{State, files_by_age};
use crate::sys::clock;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many receipts, tasks and sessions stay, however old they are.
pub const KEPT: usize = 200;

/// The age below which no receipt, task or session is removed.
pub const KEPT_FOR: Duration = Duration::from_secs(90 * 86_400);

/// How many logs of checks stay for each root.
pub const LOGS: usize = 100;

/// The total size below which no blob is removed, in bytes.
const BLOBS: u64 = 256 << 20;

/// The age below which no blob is removed.
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// The files of a directory that are older than `age`, except the last `keep` by name.
pub fn expired(dir: &Path, keep: usize, age: Duration) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.truncate(paths.len().saturating_sub(keep));
    paths.retain(|path| {
        let modified = fs::metadata(path).and_then(|meta| meta.modified());
        modified.is_ok_and(|at| clock::age(at) >= age)
    });
    paths
}

/// Removes the files of a directory that are older than `age`, except the last `keep` by name.
pub fn prune(dir: &Path, keep: usize, age: Duration) {
    remove(expired(dir, keep, age));
}

/// The traces that are older than `age`, and those before the newest `keep`.
pub fn expired_traces(state: &State, age: Option<Duration>, keep: Option<usize>) -> Vec<PathBuf> {
    let traces = files_by_age(&state.dir().join("trace"));
    let beyond = keep.map_or(0, |keep| traces.len().saturating_sub(keep));
    let is_expired = |at: usize, modified| at < beyond || age.is_some_and(|age| clock::age(modified) > age);
    traces
        .into_iter()
        .enumerate()
        .filter(|(at, (modified, _))| is_expired(*at, *modified))
        .map(|(_, (_, path))| path)
        .collect()
}

/// The blobs that were not used for a week, the oldest first, until the rest is within `BLOBS`.
pub fn expired_blobs(state: &State) -> Vec<PathBuf> {
    let files = files_by_age(&state.dir().join("blobs"));
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |meta| meta.len());
    let mut all: u64 = files.iter().map(|(_, path)| size(path)).sum();
    let mut expired = Vec::new();
    for (at, path) in files {
        if all <= BLOBS || clock::age(at) < WEEK {
            break;
        }
        all -= size(&path);
        expired.push(path);
    }
    expired
}

/// Removes files, and returns how many and how many bytes they had. A file that cannot be removed stays.
pub fn remove(paths: Vec<PathBuf>) -> (usize, u64) {
    let (mut files, mut bytes) = (0, 0);
    for path in paths {
        let size = fs::symlink_metadata(&path).map_or(0, |meta| meta.len());
        if fs::remove_file(path).is_ok() {
            files += 1;
            bytes += size;
        }
    }
    (files, bytes)
}
