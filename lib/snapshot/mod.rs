//! Snapshots: the digest of the files in the working tree. Manual: review-gate-snapshot(5).
//!
//! A snapshot contains all tracked files, and the untracked ones that the ignore rules do not hide. It does not contain the
//! repository's `.git`, the logs in `.review-gate`, other work trees of the repository, FIFOs, sockets and devices.

pub mod baseline;
mod cache;
pub mod changes;
pub mod client_settings;
mod codex_config;
pub mod commit;
mod content;
mod file_change;
mod frontmatter_hooks;
pub mod handover;
pub mod history;
mod ignores;
mod manifest;
pub mod old_bytes;
mod stat;
mod walk;
pub mod workspace;

pub use cache::{Cache, Use};
pub use content::copy_too_large;
pub use ignores::{CurrentIgnores, RecordedIgnores};
pub use manifest::{differences, read_manifest};
pub use stat::Stat;
pub use walk::is_talk;

use self::content::{Contents, ReadLimit, Walked};
use crate::git::{Index, ObjectId, Repository};
use crate::store::state::State;
use crate::sys::digest::{self, Raw};
use crate::sys::error::Result;
use std::cell::OnceCell;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Which untracked files are hidden.
#[derive(Clone, Debug)]
pub enum Rules {
    /// Those that recorded .gitignore files hide, except for files that were tracked.
    Fixed {
        /// The .gitignore files: path below the top, and bytes.
        ignores: Vec<(PathBuf, Vec<u8>)>,
        /// Tracked files that they would hide. They are included even if they are not tracked any more.
        forced: Vec<PathBuf>,
    },
    /// Those that the .gitignore files on disk hide.
    Today,
    /// None.
    None,
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A regular file.
    File,
    /// A regular file that its owner may execute.
    Executable,
    /// A symbolic link; its digest is that of the target's bytes.
    Link,
    /// A submodule; its digest is that of the id of the commit that is checked out there.
    Submodule,
    /// A file that could not be read; its digest is that of an empty file.
    Unreadable,
}

impl What {
    /// Each type with the character before the path in a manifest, as in the output of sha256sum(1).
    const MARKS: [(What, u8); 5] = [
        (What::File, b' '),
        (What::Executable, b'*'),
        (What::Link, b'@'),
        (What::Submodule, b'+'),
        (What::Unreadable, b'!'),
    ];

    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        matches!(self, What::File | What::Executable)
    }
}

/// The type and the digest of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its type.
    pub what: What,
    /// SHA-256 of its content.
    pub sha256: Raw,
}

impl Entry {
    fn unreadable() -> Entry {
        Entry { what: What::Unreadable, sha256: digest::raw(b"") }
    }
}

/// One file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the top of the work tree.
    pub path: PathBuf,
    /// Its type and its digest.
    pub entry: Entry,
    /// Its git object id; none if it is not a regular file, and in a manifest that was read.
    pub id: ObjectId,
}

/// The files of a work tree at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Sorted by the bytes of their paths.
    pub files: Vec<File>,
    /// The .gitignore files that were applied.
    pub ignores: Vec<(PathBuf, Vec<u8>)>,
    /// Tracked files that those rules would hide.
    pub forced: Vec<PathBuf>,
    /// Other work trees of the repository below this one.
    pub worktrees: Vec<PathBuf>,
    /// The stat of each file when it was read; all zero for a submodule or an unreadable directory.
    pub stats: Vec<Stat>,
    /// Whether a link leads to an existing file that is not in the snapshot.
    leaves: bool,
    digest: OnceCell<String>,
}

impl Snapshot {
    /// The entry of a path.
    pub fn get(&self, path: &Path) -> Option<&Entry> {
        let key = path.as_os_str().as_bytes();
        let at = self.files.binary_search_by(|file| file.path.as_os_str().as_bytes().cmp(key)).ok()?;
        Some(&self.files[at].entry)
    }

    /// Whether files that a check may read can change without changing the digest: a link leads outside of the snapshot, a file or a
    /// directory is unreadable, or there is a work tree below this one that did not exist when the task began (`beside`). Earlier
    /// results for such a snapshot cannot be reused.
    pub fn is_blind(&self, beside: Option<&[PathBuf]>) -> bool {
        let is_new = |path: &PathBuf| beside.is_some_and(|known| !known.contains(path));
        self.leaves
            || self.files.iter().any(|file| file.entry.what == What::Unreadable)
            || self.worktrees.iter().any(is_new)
    }

    /// The digest of the manifest, which identifies the snapshot.
    pub fn digest(&self) -> String {
        self.digest.get_or_init(|| digest::sha256(&self.manifest())).clone()
    }

    /// One line for each file, `<sha256> <mark><path>`, sorted by the bytes of the paths. For regular files it is the output of
    /// sha256sum(1), and the input of Go's dirhash and in-toto's `dirHash`.
    pub fn manifest(&self) -> Vec<u8> {
        manifest::write(&self.files)
    }

    /// The paths that differ from `other`, sorted.
    pub fn changed_since(&self, other: &Snapshot) -> Vec<PathBuf> {
        let path = |(then, now): (Option<&File>, Option<&File>)| now.or(then).map(|file| file.path.clone());
        differences(&other.files, &self.files).into_iter().filter_map(path).collect()
    }

    /// The paths that were written or replaced since `other` and have the same content again.
    pub fn restored_since(&self, other: &Snapshot) -> Vec<PathBuf> {
        let mut then = other.files.iter().zip(&other.stats).peekable();
        let mut restored = Vec::new();
        for (file, stat) in self.files.iter().zip(&self.stats) {
            while then.next_if(|(old, _)| old.path.as_os_str().as_bytes() < file.path.as_os_str().as_bytes()).is_some()
            {
            }
            let Some((old, before)) = then.next_if(|(old, _)| old.path.as_os_str() == file.path.as_os_str()) else {
                continue;
            };
            // A file that changed while it was read may have been written at any time since.
            if old.entry == file.entry && (before != stat || stat.ctime == Stat::NEVER) {
                restored.push(file.path.clone());
            }
        }
        restored
    }
}

/// The top of the work tree that contains `root`, or `root` itself outside of a repository.
pub fn top_of(root: &Path) -> PathBuf {
    Repository::find(root).map_or_else(|| root.to_path_buf(), |repository| repository.top)
}

/// Takes a snapshot of the work tree that contains `root`, without the state directory. Outside of a repository there are no ignore
/// rules and every file is included.
pub fn take(root: &Path, rules: &Rules, state: &State, cached: Use) -> Result<Snapshot> {
    look(root, rules, &[], state, cached, None).map(|look| look.snapshot)
}

/// Takes a snapshot without the stat cache, and the time when its walk began. The files in `read` that did not change since are not
/// read again.
pub fn take_fresh(root: &Path, rules: &Rules, state: &State, read: Option<&Cache>) -> Result<(Snapshot, i64)> {
    let repository = Repository::find(root);
    let top = repository.as_ref().map_or(root, |repository| &repository.top);
    let began = crate::sys::clock::file_nanos();
    let found = walk::walk(top, repository.as_ref(), rules, &[], state.dir(), read.is_none())?;
    let format = repository.as_ref().map(Repository::format).unwrap_or_default();
    let looked = content::look(top, found.seen, found.fixed, read, Walked { format, began }, None)?;
    Ok((assemble(top, looked, found.ignores, found.forced, found.worktrees), began))
}

/// With `Use::Sparing`, the cache is updated only after more than this number of files or bytes was read.
const SPARED: usize = 256;
const SPARED_BYTES: u64 = 1 << 20;

/// A snapshot and other results of the walk.
pub struct Look {
    /// The files.
    pub snapshot: Snapshot,
    /// The directories that no rule hides.
    pub dirs: Vec<PathBuf>,
    /// Git's index.
    pub index: Index,
}

/// Like [`take`], with all results of the walk. Rules do not hide the paths in `also`. Errors: more than `most` bytes of untracked
/// files would have to be read.
pub fn look(
    root: &Path,
    rules: &Rules,
    also: &[PathBuf],
    state: &State,
    cached: Use,
    most: Option<u64>,
) -> Result<Look> {
    let repository = Repository::find(root);
    let top = repository.as_ref().map_or(root, |repository| &repository.top);
    let began = crate::sys::clock::file_nanos();
    let cache = match cached {
        Use::Cache | Use::Sparing => cache::Cache::load(&state.stat_cache(top), top),
        Use::Fresh => None,
    };
    let is_read_whole = cache.is_none() && most.is_none();
    let found = walk::walk(top, repository.as_ref(), rules, also, state.dir(), is_read_whole)?;
    let format = repository.as_ref().map(Repository::format).unwrap_or_default();
    let most = most.map(|most| ReadLimit(most, &found.index));
    let looked = content::look(top, found.seen, found.fixed, cache.as_ref(), Walked { format, began }, most)?;
    let unknown = looked.unknown;
    let is_much = unknown > SPARED || looked.read > SPARED_BYTES;
    let mut snapshot = assemble(top, looked, found.ignores, found.forced, found.worktrees);
    // A snapshot with unusual rules would replace entries that the usual snapshots need.
    let is_usual = also.is_empty() && !matches!(rules, Rules::None);
    let is_kept = is_usual && (cached == Use::Cache || cached == Use::Sparing && is_much);
    let known = cache.filter(|cache| cached == Use::Cache && unknown == 0 && cache.is_of(&snapshot));
    match known {
        Some(cache) => snapshot.digest = OnceCell::from(cache.snapshot()),
        // A failed write only makes the next snapshot slower.
        None if is_kept => drop(cache::write(state, top, &snapshot, began)),
        None => {}
    }
    Ok(Look { snapshot, dirs: found.dirs, index: found.index })
}

/// The snapshot of the files that were walked.
fn assemble(
    top: &Path,
    looked: Contents,
    ignores: Vec<(PathBuf, Vec<u8>)>,
    forced: Vec<PathBuf>,
    worktrees: Vec<PathBuf>,
) -> Snapshot {
    let (files, stats) = (looked.files, looked.stats);
    let mut snapshot = Snapshot { files, ignores, forced, worktrees, stats, ..Snapshot::default() };
    snapshot.leaves = walk::leaves(top, &snapshot);
    snapshot
}

/// The snapshot with that digest from the cache, without the ignore rules; None if the cache has another one.
pub fn recall(root: &Path, digest: &str, state: &State) -> Option<Snapshot> {
    let top = top_of(root);
    cache::Cache::load(&state.stat_cache(&top), &top)?.recall(digest)
}
