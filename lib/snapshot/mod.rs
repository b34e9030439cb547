//! Snapshots: a digest that names the files as they lie on disk. Defined in review-gate-snapshot(5).
//!
//! In are all tracked files, and untracked ones that the given ignore rules do not hide; out are the repository's own `.git`,
//! the logs of the talk directory, other work trees of the repository, and what is neither a file, a link nor a submodule.

pub mod baseline;
mod cache;
pub mod changes;
mod content;
pub mod definition;
mod ignores;
mod manifest;
pub mod old_bytes;
mod stat;
mod walk;

pub use cache::Use;
pub use content::too_much;
pub use ignores::{HiddenThen, HiddenToday};
pub use manifest::{differences, read_manifest};
pub use stat::Stat;

use self::content::Most;
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
    /// By the .gitignore files as they stood at some moment (path below the top, bytes), and which tracked files those
    /// rules would hide; these stay in even when they are tracked no more.
    Fixed {
        /// The files.
        ignores: Vec<(PathBuf, Vec<u8>)>,
        /// The tracked ones among what they hide.
        forced: Vec<PathBuf>,
    },
    /// By the .gitignore files as they stand on disk now.
    Today,
    /// None is.
    None,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A regular file.
    File,
    /// A regular file that its owner may execute.
    Executable,
    /// A symbolic link; its digest is over the target's bytes.
    Link,
    /// A submodule; its digest is over the commit that is checked out there.
    Submodule,
    /// A file that could not be read; its digest is of nothing.
    Unreadable,
}

impl What {
    /// Each with the character that stands before the path, as in the output of sha256sum(1).
    const MARKS: [(What, u8); 5] = [
        (What::File, b' '),
        (What::Executable, b'*'),
        (What::Link, b'@'),
        (What::Submodule, b'+'),
        (What::Unreadable, b'!'),
    ];

    /// Whether it has bytes of its own.
    pub fn is_file(self) -> bool {
        matches!(self, What::File | What::Executable)
    }
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
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
    /// Below the top of the work tree.
    pub path: PathBuf,
    /// What it is, and its content's digest.
    pub entry: Entry,
    /// The name that git would give to its bytes; none for what is no regular file, and in a manifest that was read back.
    pub id: ObjectId,
}

/// The files of a work tree at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Sorted by the bytes of their paths.
    pub files: Vec<File>,
    /// The .gitignore files that were heeded.
    pub ignores: Vec<(PathBuf, Vec<u8>)>,
    /// Tracked files that those rules would hide.
    pub forced: Vec<PathBuf>,
    /// Other work trees of the repository that lie below.
    pub worktrees: Vec<PathBuf>,
    /// A link leads to what is not in.
    leaves: bool,
    digest: OnceCell<String>,
}

impl Snapshot {
    /// What lies at a path.
    pub fn get(&self, path: &Path) -> Option<&Entry> {
        let key = path.as_os_str().as_bytes();
        let at = self.files.binary_search_by(|file| file.path.as_os_str().as_bytes().cmp(key)).ok()?;
        Some(&self.files[at].entry)
    }

    /// Whether something that a check may read can change without the digest: a link that leads to what is not in, a file or
    /// a directory that may not be read, another work tree below this one that was not there at the task's begin
    /// (`beside`). What was once found out about such a tree says nothing about it now.
    pub fn is_blind(&self, beside: Option<&[PathBuf]>) -> bool {
        let is_new = |path: &PathBuf| beside.is_some_and(|known| !known.contains(path));
        self.leaves
            || self.files.iter().any(|file| file.entry.what == What::Unreadable)
            || self.worktrees.iter().any(is_new)
    }

    /// The digest of the manifest: the snapshot's name.
    pub fn digest(&self) -> String {
        self.digest.get_or_init(|| digest::sha256(&self.manifest())).clone()
    }

    /// One line per file, `<sha256> <mark><path>`, sorted by the bytes of the paths. For a tree of plain files it is what
    /// sha256sum(1) prints, and what Go's dirhash and in-toto's `dirHash` are taken over.
    pub fn manifest(&self) -> Vec<u8> {
        manifest::write(&self.files)
    }

    /// The paths that differ from `other`, sorted.
    pub fn changed_since(&self, other: &Snapshot) -> Vec<PathBuf> {
        let path = |(then, now): (Option<&File>, Option<&File>)| now.or(then).map(|file| file.path.clone());
        differences(&other.files, &self.files).into_iter().filter_map(path).collect()
    }
}

/// The top of what is judged at `root`: the work tree's top, or `root` itself outside of a repository.
pub fn top_of(root: &Path) -> PathBuf {
    Repository::find(root).map_or_else(|| root.to_path_buf(), |repository| repository.top)
}

/// Walks the work tree that holds `root` once. The state directory is left out whole, should it lie inside. Outside of a
/// repository there are no ignore rules: every file is in.
pub fn take(root: &Path, rules: &Rules, state: &State, cached: Use) -> Result<Snapshot> {
    look(root, rules, &[], state, cached, None).map(|look| look.snapshot)
}

/// How many files, and bytes, are read again rather than noted.
const SPARED: usize = 256;
const SPARED_BYTES: u64 = 1 << 20;

/// A snapshot, and what else the walk saw.
pub struct Look {
    /// The files.
    pub snapshot: Snapshot,
    /// Beside each file what the file system said of it; all zero for what was not looked at.
    pub stats: Vec<Stat>,
    /// The directories that no rule hides.
    pub dirs: Vec<PathBuf>,
    /// What git's index held.
    pub index: Index,
}

/// The same, with all that was seen on the way; `also` are paths that no rule hides. Where more than `most` bytes of what git
/// does not track would have to be read, none is.
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
    let found = walk::walk(top, repository.as_ref(), rules, also, state.dir())?;
    let cache = match cached {
        Use::Cache | Use::Sparing => cache::Cache::load(&state.stat_cache(top), top),
        Use::Fresh => None,
    };
    let format = repository.as_ref().map(Repository::format).unwrap_or_default();
    let most = most.map(|most| Most(most, &found.index));
    let looked = content::look(top, found.seen, found.fixed, cache.as_ref(), format, most)?;
    let (unknown, stats) = (looked.unknown, looked.stats);
    let is_much = unknown > SPARED || looked.read > SPARED_BYTES;
    let mut snapshot = Snapshot {
        files: looked.files,
        ignores: found.ignores,
        forced: found.forced,
        worktrees: found.worktrees,
        ..Snapshot::default()
    };
    snapshot.leaves = walk::leaves(top, &snapshot);
    // What is hidden otherwise is no help to the looks that are cheap by it.
    let is_usual = also.is_empty() && !matches!(rules, Rules::None);
    let is_kept = is_usual && (cached == Use::Cache || cached == Use::Sparing && is_much);
    let known = cache.filter(|cache| cached == Use::Cache && unknown == 0 && cache.is_of(&snapshot));
    match known {
        Some(cache) => snapshot.digest = OnceCell::from(cache.snapshot()),
        // That it cannot be written costs time, and nothing else.
        None if is_kept => drop(cache::write(state, top, &snapshot, &stats, began)),
        None => {}
    }
    Ok(Look { snapshot, stats, dirs: found.dirs, index: found.index })
}

/// The snapshot of that name as the last look left it in the cache, without the ignore rules; None where the cache holds
/// another one.
pub fn recall(root: &Path, digest: &str, state: &State) -> Option<Snapshot> {
    let top = top_of(root);
    cache::Cache::load(&state.stat_cache(&top), &top)?.recall(digest)
}
