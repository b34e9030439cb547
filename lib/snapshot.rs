//! Snapshots: a digest that names the files as they lie on disk. Defined in review-gate-snapshot(5).
//!
//! In are all tracked files, and untracked ones that the given ignore rules do not hide; out are `.git`, the talk
//! directory, other work trees of the repository, and what is neither a file, a link nor a submodule.

use crate::digest;
use crate::error::{Error, Result};
use crate::git::Repository;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The directory of messages and issues, at the top of a work tree.
const TALK: &str = ".review-gate";

/// The largest .gitignore that is heeded, in bytes.
const IGNORE_LIMIT: u64 = 1 << 20;

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
}

impl Snapshot {
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

/// The top of what is judged at `root`: the work tree's top, or `root` itself outside of a repository.
pub fn top_of(root: &Path) -> PathBuf {
    Repository::find(root).map_or_else(|| root.to_path_buf(), |repository| repository.top)
}

/// Walks the work tree that holds `root` once. `skip` is a directory left out whole (the state directory, should it lie
/// inside). Outside of a repository there are no ignore rules: every file is in.
pub fn take(root: &Path, rules: &Rules, skip: &Path) -> Result<Snapshot> {
    let Some(repository) = Repository::find(root) else {
        let mut walk =
            Walk { top: root, skip, repository: None, submodules: BTreeSet::new(), rules: Ignores::default() };
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
    Walk { top: &repository.top, skip, repository: Some(&repository), submodules, rules: ignores }.finish(wanted)
}

/// Ignore rules by the directory that their file stands in.
#[derive(Default)]
struct Ignores {
    from_disk: bool,
    by_dir: BTreeMap<PathBuf, Gitignore>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Ignores {
    fn add(&mut self, top: &Path, path: &Path, bytes: Vec<u8>) {
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut builder = GitignoreBuilder::new(top.join(&dir));
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that is no pattern hides nothing, as in git.
            let _ = builder.add_line(None, line);
        }
        if let Ok(matcher) = builder.build() {
            self.by_dir.insert(dir, matcher);
        }
        self.files.push((path.to_path_buf(), bytes));
    }

    /// Reads the .gitignore of a directory that the walk enters. A link is not followed, as in git.
    fn enter(&mut self, top: &Path, dir: &Path) {
        let path = dir.join(".gitignore");
        let plain =
            fs::symlink_metadata(top.join(&path)).is_ok_and(|meta| meta.is_file() && meta.len() <= IGNORE_LIMIT);
        if self.from_disk
            && plain
            && let Ok(bytes) = fs::read(top.join(&path))
        {
            self.add(top, &path, bytes);
        }
    }

    /// The nearest file with a pattern that matches decides.
    fn hide(&self, top: &Path, path: &Path, is_dir: bool) -> bool {
        let whole = top.join(path);
        path.ancestors().skip(1).find_map(|dir| {
            let found = self.by_dir.get(dir)?.matched(&whole, is_dir);
            (!found.is_none()).then(|| found.is_ignore())
        }) == Some(true)
    }
}

struct Walk<'a> {
    top: &'a Path,
    skip: &'a Path,
    repository: Option<&'a Repository>,
    submodules: BTreeSet<PathBuf>,
    rules: Ignores,
}

impl Walk<'_> {
    /// Walks, adds what is `wanted` although it is hidden, and digests everything.
    fn finish(&mut self, wanted: BTreeSet<PathBuf>) -> Result<Snapshot> {
        let seen = self.seen()?;
        let forced: Vec<PathBuf> =
            wanted.into_iter().filter(|path| !seen.contains(path) && self.is_on_disk(path)).collect();
        let mut paths: Vec<PathBuf> = seen.into_iter().chain(forced.iter().cloned()).collect();
        let mut entries = BTreeMap::new();
        for path in &self.submodules {
            submodule(self.top, path, &mut entries, &mut paths, 0)?;
        }
        entries.extend(digest_all(self.top, &paths)?);
        Ok(Snapshot { entries, ignores: std::mem::take(&mut self.rules.files), forced })
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
                    // It vanished, or may not be looked into: what lies below cannot reach a check either.
                    Some(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                        continue;
                    }
                    _ => return Err(Error::unjudged(format!("unable to walk {}: {error}", self.top.display()))),
                },
            };
            let path = entry.path().strip_prefix(self.top).unwrap_or(entry.path()).to_path_buf();
            let kind = entry.file_type();
            if self.is_out(entry.path(), &path, kind.is_dir()) {
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
        path.file_name() == Some(OsStr::new(".git"))
            || path == Path::new(TALK)
            || whole == self.skip
            || self.submodules.contains(path)
            || self.rules.hide(self.top, path, is_dir)
            || is_dir && self.is_other_worktree(whole)
    }

    /// Another work tree of the same repository is its own tree, judged there.
    fn is_other_worktree(&self, dir: &Path) -> bool {
        let Some(ours) = self.repository else { return false };
        Repository::at(dir).is_some_and(|other| other.common_dir == ours.common_dir)
    }
}

/// How deep submodules may nest.
const SUBMODULES: usize = 16;

/// A submodule that is checked out: its commit, and its tracked files among the paths.
fn submodule(
    top: &Path,
    path: &Path,
    entries: &mut BTreeMap<PathBuf, Entry>,
    paths: &mut Vec<PathBuf>,
    depth: usize,
) -> Result<()> {
    let Some(repository) = Repository::at(&top.join(path)).filter(|_| depth < SUBMODULES) else { return Ok(()) };
    let head = repository.head().unwrap_or_default();
    entries.insert(path.to_path_buf(), Entry { what: What::Submodule, sha256: digest::sha256(head.as_bytes()) });
    for tracked in repository.tracked()? {
        let inner = path.join(&tracked.path);
        if tracked.submodule {
            submodule(top, &inner, entries, paths, depth + 1)?;
        } else {
            paths.push(inner);
        }
    }
    Ok(())
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
