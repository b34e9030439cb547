//! Snapshots: a digest that names the files as they lie on disk. Defined in review-gate-snapshot(5).
//!
//! In are all tracked files, and untracked ones that the given ignore rules do not hide; out are the repository's own `.git`,
//! the logs of the talk directory, other work trees of the repository, and what is neither a file, a link nor a submodule.

mod ignores;

pub use ignores::is_hidden_today;

use crate::digest;
use crate::error::{Error, Result};
use crate::git::Repository;
use ignores::Ignores;
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The directory of messages and issues, at the top of a work tree; its logs are out, nothing else in it is.
const TALK: &str = ".review-gate";

/// How deep submodules may nest.
const SUBMODULES: usize = 16;

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
    /// The character that stands before the path, as in the output of sha256sum(1).
    fn mark(self) -> char {
        match self {
            What::File => ' ',
            What::Executable => '*',
            What::Link => '@',
            What::Submodule => '+',
            What::Unreadable => '!',
        }
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub what: What,
    /// SHA-256 of its content.
    pub sha256: String,
}

/// The files of a work tree at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// By path below the top, in the order of its bytes.
    pub entries: BTreeMap<PathBuf, Entry>,
    /// The .gitignore files that were heeded.
    pub ignores: Vec<(PathBuf, Vec<u8>)>,
    /// Tracked files that those rules would hide.
    pub forced: Vec<PathBuf>,
    /// Other work trees of the repository that lie below.
    pub worktrees: Vec<PathBuf>,
    /// A link leads to what is not in.
    leaves: bool,
}

impl Snapshot {
    /// Whether something that a check may read can change without the digest: a link that leads to what is not in, a file or
    /// a directory that may not be read, another work tree below this one that was not there at the task's begin
    /// (`beside`). What was once found out about such a tree says nothing about it now.
    pub fn is_blind(&self, beside: Option<&[PathBuf]>) -> bool {
        let is_new = |path: &PathBuf| beside.is_some_and(|known| !known.contains(path));
        self.leaves
            || self.entries.values().any(|entry| entry.what == What::Unreadable)
            || self.worktrees.iter().any(is_new)
    }

    /// The digest of the manifest: the snapshot's name.
    pub fn digest(&self) -> String {
        digest::sha256(&self.manifest())
    }

    /// One line per file, `<sha256> <mark><path>`, sorted by the bytes of the paths. For a tree of plain files it is what
    /// sha256sum(1) prints, and what Go's dirhash and in-toto's `dirHash` are taken over.
    pub fn manifest(&self) -> Vec<u8> {
        let mut sorted: Vec<(&[u8], &Entry)> =
            self.entries.iter().map(|(path, entry)| (path.as_os_str().as_bytes(), entry)).collect();
        sorted.sort_by_key(|(path, _)| *path);
        let mut out = Vec::with_capacity(sorted.len() * 100);
        for (path, entry) in sorted {
            // A newline or a backslash in a name is escaped as sha256sum does, with a backslash before the line.
            let escaped = path.iter().any(|b| matches!(b, b'\n' | b'\r' | b'\\'));
            if escaped {
                out.push(b'\\');
            }
            out.extend_from_slice(entry.sha256.as_bytes());
            out.push(b' ');
            out.push(entry.what.mark() as u8);
            for byte in path {
                match byte {
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    b'\\' => out.extend_from_slice(b"\\\\"),
                    byte => out.push(*byte),
                }
            }
            out.push(b'\n');
        }
        out
    }

    /// The paths that differ from `other`, sorted.
    pub fn changed_since(&self, other: &Snapshot) -> Vec<PathBuf> {
        let paths: BTreeSet<&PathBuf> = self.entries.keys().chain(other.entries.keys()).collect();
        paths.into_iter().filter(|path| self.entries.get(*path) != other.entries.get(*path)).cloned().collect()
    }
}

/// The logs of messages and issues.
fn is_talk(path: &Path) -> bool {
    path.parent() == Some(Path::new(TALK)) && path.extension().is_some_and(|end| end == "jsonl")
}

/// The top of what is judged at `root`: the work tree's top, or `root` itself outside of a repository.
pub fn top_of(root: &Path) -> PathBuf {
    Repository::find(root).map_or_else(|| root.to_path_buf(), |repository| repository.top)
}

/// Walks the work tree that holds `root` once. `skip` is a directory left out whole (the state directory, should it lie
/// inside). Outside of a repository there are no ignore rules: every file is in.
pub fn take(root: &Path, rules: &Rules, skip: &Path) -> Result<Snapshot> {
    let Some(repository) = Repository::find(root) else {
        let mut walk = Walk {
            top: root,
            skip,
            repository: None,
            submodules: BTreeSet::new(),
            rules: Ignores::default(),
            closed: Vec::new(),
            worktrees: Vec::new(),
        };
        return walk.finish(BTreeSet::new());
    };
    let tracked = repository.tracked()?;
    let submodules: BTreeSet<PathBuf> =
        tracked.iter().filter(|tracked| tracked.submodule).map(|tracked| tracked.path.clone()).collect();
    let mut wanted: BTreeSet<PathBuf> =
        tracked.into_iter().filter(|tracked| !tracked.submodule).map(|tracked| tracked.path).collect();
    let mut ignores = Ignores::default();
    match rules {
        Rules::Today => ignores.from_disk = true,
        Rules::Fixed { ignores: files, forced } => {
            wanted.extend(forced.iter().cloned());
            for (path, bytes) in files {
                ignores.add(&repository.top, path, bytes.clone());
            }
        }
    }
    let top = repository.top.as_path();
    let repository = Some(&repository);
    Walk { top, skip, repository, submodules, rules: ignores, closed: Vec::new(), worktrees: Vec::new() }.finish(wanted)
}

struct Walk<'a> {
    top: &'a Path,
    skip: &'a Path,
    repository: Option<&'a Repository>,
    submodules: BTreeSet<PathBuf>,
    rules: Ignores,
    /// Directories that may not be listed.
    closed: Vec<PathBuf>,
    /// Other work trees that were met.
    worktrees: Vec<PathBuf>,
}

impl Walk<'_> {
    /// Walks, adds what is `wanted` although it is hidden, and digests everything.
    fn finish(&mut self, mut wanted: BTreeSet<PathBuf>) -> Result<Snapshot> {
        let mut entries = BTreeMap::new();
        for path in std::mem::take(&mut self.submodules) {
            self.submodule(&path, &mut entries, &mut wanted, 0)?;
        }
        let seen = self.seen()?;
        let forced: Vec<PathBuf> =
            wanted.into_iter().filter(|path| !seen.contains(path) && self.is_on_disk(path)).collect();
        let paths: Vec<PathBuf> = seen.into_iter().chain(forced.iter().cloned()).collect();
        entries.extend(digest_all(self.top, &paths)?);
        let unreadable = |path| (path, Entry { what: What::Unreadable, sha256: digest::sha256(b"") });
        entries.extend(std::mem::take(&mut self.closed).into_iter().map(unreadable));
        let leaves = self.leaves(&entries);
        let worktrees = std::mem::take(&mut self.worktrees);
        Ok(Snapshot { entries, ignores: std::mem::take(&mut self.rules.files), forced, worktrees, leaves })
    }

    /// A submodule that is checked out: its commit, and its tracked files; its untracked ones are met by the walk. One that is
    /// not checked out, or never was one, is walked like any directory.
    fn submodule(
        &mut self,
        path: &Path,
        entries: &mut BTreeMap<PathBuf, Entry>,
        wanted: &mut BTreeSet<PathBuf>,
        depth: usize,
    ) -> Result<()> {
        let Some(repository) = Repository::at(&self.top.join(path)).filter(|_| depth < SUBMODULES) else {
            return Ok(());
        };
        self.submodules.insert(path.to_path_buf());
        let head = repository.head().unwrap_or_default();
        entries.insert(path.to_path_buf(), Entry { what: What::Submodule, sha256: digest::sha256(head.as_bytes()) });
        for tracked in repository.tracked()? {
            let inner = path.join(&tracked.path);
            if tracked.submodule {
                self.submodule(&inner, entries, wanted, depth + 1)?;
            } else {
                wanted.insert(inner);
            }
        }
        Ok(())
    }

    /// Whether a link leads to something that is there and not in the tree's entries.
    fn leaves(&self, entries: &BTreeMap<PathBuf, Entry>) -> bool {
        let top = fs::canonicalize(self.top).unwrap_or_else(|_| self.top.to_path_buf());
        let is_in = |real: &Path| {
            let Ok(below) = real.strip_prefix(&top) else { return false };
            let next = entries.range(below.to_path_buf()..).next();
            next.is_some_and(|(path, _)| path.starts_with(below))
        };
        let mut links = entries.iter().filter(|(_, entry)| entry.what == What::Link);
        links.any(|(path, _)| fs::canonicalize(self.top.join(path)).is_ok_and(|real| !is_in(&real)))
    }

    /// Whether a tracked path can be read without passing through a link.
    fn is_on_disk(&self, path: &Path) -> bool {
        let through_link = path.ancestors().skip(1).any(|dir| {
            !dir.as_os_str().is_empty() && fs::symlink_metadata(self.top.join(dir)).is_ok_and(|meta| meta.is_symlink())
        });
        !through_link && fs::symlink_metadata(self.top.join(path)).is_ok_and(|meta| !meta.is_dir())
    }

    /// The files and links that no rule hides.
    fn seen(&mut self) -> Result<BTreeSet<PathBuf>> {
        let mut seen = BTreeSet::new();
        self.rules.enter(self.top, Path::new(""));
        let mut walk = WalkDir::new(self.top).min_depth(1).into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => match error.io_error() {
                    Some(e) if e.kind() == io::ErrorKind::NotFound => continue,
                    // It may not be listed; who knows a name below can still open it.
                    Some(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                        let closed = error.path().and_then(|path| path.strip_prefix(self.top).ok());
                        self.closed.extend(closed.map(Path::to_path_buf));
                        continue;
                    }
                    _ => return Err(Error::unjudged(format!("unable to walk {}: {error}", self.top.display()))),
                },
            };
            let path = entry.path().strip_prefix(self.top).unwrap_or(entry.path()).to_path_buf();
            let kind = entry.file_type();
            if kind.is_dir() && self.is_other_worktree(entry.path()) {
                self.worktrees.push(path);
                walk.skip_current_dir();
            } else if self.is_out(entry.path(), &path, kind.is_dir()) {
                if kind.is_dir() {
                    walk.skip_current_dir();
                }
            } else if kind.is_dir() {
                self.rules.enter(self.top, &path);
            } else if kind.is_file() || kind.is_symlink() {
                seen.insert(path);
            }
        }
        Ok(seen)
    }

    fn is_out(&self, whole: &Path, path: &Path, is_dir: bool) -> bool {
        path.file_name() == Some(OsStr::new(".git")) && self.is_repositorys(path)
            || whole == self.skip
            || is_talk(path)
            || self.rules.hide(self.top, path, is_dir)
    }

    /// The `.git` of the work tree itself and of its submodules. Any other thing of that name may hold whatever a check
    /// reads.
    fn is_repositorys(&self, path: &Path) -> bool {
        let place = path.parent().unwrap_or(Path::new(""));
        place.as_os_str().is_empty() || self.submodules.contains(place)
    }

    /// Another work tree of the same repository is its own tree, judged there; the repository must know it.
    fn is_other_worktree(&self, dir: &Path) -> bool {
        let Some(ours) = self.repository else { return false };
        let other = Repository::at(dir);
        other.is_some_and(|other| other.common_dir == ours.common_dir && other.is_linked_worktree())
    }
}

/// How many files are worth a thread of their own.
const PER_THREAD: usize = 256;

fn digest_all(top: &Path, paths: &[PathBuf]) -> Result<Vec<(PathBuf, Entry)>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len() / PER_THREAD + 1);
    let share = paths.len().div_ceil(threads).max(1);
    let digest_share = |share: &[PathBuf]| -> Result<Vec<(PathBuf, Entry)>> {
        let entries = share.iter().map(|path| Ok(entry(&top.join(path))?.map(|entry| (path.clone(), entry))));
        entries.filter_map(Result::transpose).collect()
    };
    if threads == 1 {
        return digest_share(paths);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = paths.chunks(share).map(|share| scope.spawn(move || digest_share(share))).collect();
        let mut all = Vec::with_capacity(paths.len());
        for worker in workers {
            all.extend(worker.join().map_err(|_| Error::unjudged("a thread that digests files died"))??);
        }
        Ok(all)
    })
}

/// What lies at `path`; None when it is gone, or has become something that is not in.
fn entry(path: &Path) -> Result<Option<Entry>> {
    let unreadable = || Ok(Some(Entry { what: What::Unreadable, sha256: digest::sha256(b"") }));
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return unreadable(),
        Err(e) => return Err(Error::io("look at", path, &e)),
    };
    if meta.is_symlink() {
        return match fs::read_link(path) {
            Ok(target) => Ok(Some(Entry { what: What::Link, sha256: digest::sha256(target.as_os_str().as_bytes()) })),
            Err(_) => Ok(None),
        };
    }
    if !meta.is_file() {
        return Ok(None);
    }
    // Neither a link nor a FIFO that was put there since is followed or waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return unreadable(),
        Err(e) => return Err(Error::io("read", path, &e)),
    };
    let meta = file.metadata().map_err(|e| Error::io("look at", path, &e))?;
    if !meta.is_file() {
        return Ok(None);
    }
    let what = if meta.permissions().mode() & 0o100 != 0 { What::Executable } else { What::File };
    // Most files are small: one read, one digest.
    let sha256 = if meta.len() <= 64 * 1024 {
        let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
        file.read_to_end(&mut bytes).map(|_| digest::sha256(&bytes))
    } else {
        digest::sha256_file(&mut file)
    };
    Ok(Some(Entry { what, sha256: sha256.map_err(|e| Error::io("read", path, &e))? }))
}
