//! The walk: finds the paths of a work tree that belong to a snapshot.

use super::ignores::Ignores;
use super::stat::Stat;
use super::{Entry, File, Rules, Snapshot, What};
use crate::git::{Index, ObjectId, Repository};
use crate::sys::digest;
use crate::sys::dir_chain::DirChain;
use crate::sys::error::{Error, Result};
use crate::talk;
use rustix::io::Errno;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The longest name of a place that is too deep to be walked, in bytes: that of a directory above it.
const LONGEST: usize = 300;

/// The maximum nesting of submodules.
const SUBMODULES: usize = 16;

/// A file or a link: its path and its stat.
pub type Seen = (PathBuf, Option<Stat>);

/// The result of a walk.
pub struct WalkResult {
    /// Files and links, sorted by the bytes of their paths. A regular file whose content will be read may have no stat.
    pub seen: Vec<Seen>,
    /// Entries that need not be read: submodules and unreadable directories.
    pub fixed: Vec<File>,
    /// The .gitignore files that were applied.
    pub ignores: Vec<(PathBuf, Vec<u8>)>,
    /// Tracked files that those rules hide.
    pub forced: Vec<PathBuf>,
    /// Other work trees of the repository that were found.
    pub worktrees: Vec<PathBuf>,
    /// The directories that were walked.
    pub dirs: Vec<PathBuf>,
    /// Git's index.
    pub index: Index,
}

struct Walk<'a> {
    top: &'a Path,
    skip: &'a Path,
    repository: Option<&'a Repository>,
    submodules: BTreeSet<PathBuf>,
    /// Git directories in the tree with names other than `.git`.
    own: Vec<PathBuf>,
    /// Every regular file will be read: its stat is taken then.
    is_read_whole: bool,
    rules: Ignores,
    fixed: Vec<File>,
    worktrees: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
}

/// Walks the work tree at `top` without the directory `skip`. Rules do not hide the paths in `also`. If the caller reads every regular file
/// (`is_read_whole`), their stats are left out.
pub fn walk(
    top: &Path,
    repository: Option<&Repository>,
    rules: &Rules,
    also: &[PathBuf],
    skip: &Path,
    is_read_whole: bool,
) -> Result<WalkResult> {
    let mut walk = Walk {
        top,
        skip,
        repository,
        submodules: BTreeSet::new(),
        own: repository.map(|repository| repository.git_dirs_below(top)).unwrap_or_default(),
        is_read_whole,
        rules: Ignores::default(),
        fixed: Vec::new(),
        worktrees: Vec::new(),
        dirs: Vec::new(),
    };
    // Paths that are included even if a rule hides them.
    let mut wanted: Vec<Cow<'_, Path>> = also.iter().map(|path| Cow::from(path.as_path())).collect();
    let index = repository.map(Repository::tracked).transpose()?.unwrap_or_default();
    if repository.is_some() {
        match rules {
            Rules::Today => walk.rules.from_disk = true,
            Rules::None => {}
            Rules::Fixed { ignores, forced } => {
                wanted.extend(forced.iter().map(|path| Cow::from(path.as_path())));
                for (path, bytes) in ignores {
                    walk.rules.add(path, bytes.clone());
                }
            }
        }
        wanted.extend(index.iter().filter(|tracked| !tracked.is_submodule).map(|tracked| Cow::from(tracked.path)));
        for tracked in index.iter().filter(|tracked| tracked.is_submodule) {
            walk.submodule(tracked.path, &mut wanted, 0)?;
        }
    }
    let found = walk.finish(wanted)?;
    Ok(WalkResult { index, ..found })
}

impl Walk<'_> {
    /// Walks, removes hidden paths that are not wanted, and adds wanted paths in hidden directories.
    fn finish(mut self, mut wanted: Vec<Cow<'_, Path>>) -> Result<WalkResult> {
        sort(&mut wanted, |path| path);
        wanted.dedup_by(|next, kept| key(next) == key(kept));
        let mut seen = self.seen(&wanted)?;
        sort(&mut seen, |(path, _)| path);
        let mut tracked = wanted.iter().peekable();
        // Both lists are sorted, so one pass over both is enough.
        seen.retain(|(path, _)| {
            while tracked.next_if(|known| key(known) < key(path)).is_some() {}
            tracked.peek().is_some_and(|known| key(known) == key(path)) || !self.rules.hide(path, false)
        });
        let mut met = seen.iter().map(|(path, _)| path).peekable();
        wanted.retain(|path| {
            while met.next_if(|known| key(known) < key(path)).is_some() {}
            met.peek().is_none_or(|known| key(known) != key(path))
        });
        let missing: Vec<PathBuf> = wanted.into_iter().map(Cow::into_owned).collect();
        let mut seen = self.with_stats(seen)?;
        let mut forced = Vec::new();
        for path in missing {
            if let Some(stat) = self.on_disk(&path) {
                seen.push((path.clone(), Some(stat)));
                forced.push(path);
            }
        }
        sort(&mut seen, |(path, _)| path);
        if self.rules.from_disk {
            // The start of a task records which files are included only because they are tracked.
            let hidden = seen.iter().filter(|(path, _)| self.rules.hide(path, false));
            forced.extend(hidden.map(|(path, _)| path.clone()));
            sort(&mut forced, |path| path);
            forced.dedup();
        }
        let Walk { rules, fixed, worktrees, dirs, .. } = self;
        Ok(WalkResult { seen, fixed, ignores: rules.files, forced, worktrees, dirs, index: Index::default() })
    }

    /// Adds a submodule that is checked out: its commit and its tracked files. The walk finds its untracked files. One that is not checked
    /// out is walked like any directory.
    fn submodule(&mut self, path: &Path, wanted: &mut Vec<Cow<'_, Path>>, depth: usize) -> Result<()> {
        let Some(repository) = Repository::at(&self.top.join(path)).filter(|_| depth < SUBMODULES) else {
            return Ok(());
        };
        self.submodules.insert(path.to_path_buf());
        let head = repository.head().unwrap_or_default();
        let entry = Entry { what: What::Submodule, sha256: digest::raw(head.as_bytes()) };
        self.fixed.push(File {
            path: path.to_path_buf(),
            entry,
            id: ObjectId::parse(head.as_bytes()).unwrap_or_default(),
        });
        for tracked in repository.tracked()?.iter() {
            let inner = path.join(tracked.path);
            if tracked.is_submodule {
                self.submodule(&inner, wanted, depth + 1)?;
            } else {
                wanted.push(inner.into());
            }
        }
        Ok(())
    }

    /// The stat of a wanted path, if no directory above it is a link.
    fn on_disk(&self, path: &Path) -> Option<Stat> {
        let through_link = path.ancestors().skip(1).any(|dir| {
            !dir.as_os_str().is_empty() && fs::symlink_metadata(self.top.join(dir)).is_ok_and(|meta| meta.is_symlink())
        });
        let meta = fs::symlink_metadata(self.top.join(path)).ok()?;
        let is_own = self.own.iter().any(|own| path.starts_with(own));
        (!through_link && !is_own && !meta.is_dir()).then(|| Stat::of(&meta))
    }

    /// Adds the stats of files and links, which are sorted by their paths.
    fn with_stats(&mut self, seen: Vec<(PathBuf, FileType)>) -> Result<Vec<Seen>> {
        let mut chain = DirChain::new(self.top);
        let mut all = Vec::with_capacity(seen.len());
        for (path, kind) in seen {
            if kind.is_file() && self.is_read_whole {
                all.push((path, None));
                continue;
            }
            let stat = match chain.stat(&path) {
                Ok(raw) => Ok(Stat::of_raw(&raw)),
                // A path may be too deep for the chain.
                Err(_) => fs::symlink_metadata(self.top.join(&path)).map(|meta| Stat::of(&meta)),
            };
            match stat {
                Ok(stat) => all.push((path, Some(stat))),
                Err(error) => self.closed(&self.top.join(&path), error)?,
            }
        }
        Ok(all)
    }

    /// The files and links outside of hidden directories. The wanted paths are sorted.
    fn seen(&mut self, wanted: &[Cow<'_, Path>]) -> Result<Vec<(PathBuf, FileType)>> {
        let mut seen = Vec::new();
        // `.git` and `.gitignore` come first in a directory, because they determine how the rest is read.
        let follows = |path: &[u8]| !path.ends_with(b"/.git") && !path.ends_with(b"/.gitignore");
        // Entries of one directory are ordered by their whole paths as by their names.
        let order = move |a: &DirEntry, b: &DirEntry| {
            let (a, b) = (key(a.path()), key(b.path()));
            follows(a).cmp(&follows(b)).then_with(|| a.cmp(b))
        };
        let mut walk = WalkDir::new(self.top).min_depth(1).sort_by(order).into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(self.top).to_path_buf();
                    let code = error.io_error().and_then(io::Error::raw_os_error);
                    // The error of the walk names its path, and has no code of the system.
                    let named = || io::Error::from(error);
                    self.closed(&path, code.filter(is_code_too_long).map_or_else(named, io::Error::from_raw_os_error))?;
                    continue;
                }
            };
            let path = below(self.top, entry.path());
            let kind = entry.file_type();
            match name_of(path) {
                b".git" if entry.depth() > 1 => {
                    let dir = entry.path().parent().unwrap_or(self.top);
                    // One that was put over files of this work tree hides nothing.
                    if !holds(wanted, path.parent().unwrap_or(path)) && self.is_other_worktree(dir) {
                        self.worktrees.extend(path.parent().map(Path::to_path_buf));
                        walk.skip_current_dir();
                        continue;
                    }
                }
                b".gitignore" if kind.is_file() => self.rules.enter(self.top, path.parent().unwrap_or(path)),
                _ => {}
            }
            if kind.is_dir() {
                if self.is_out(entry.path(), path) || self.rules.hide(path, true) {
                    walk.skip_current_dir();
                } else {
                    self.dirs.push(path.to_path_buf());
                }
            } else if (kind.is_file() || kind.is_symlink()) && !self.is_out(entry.path(), path) {
                seen.push((path.to_path_buf(), kind));
            }
        }
        Ok(seen)
    }

    /// Handles a path that could not be walked, because it was removed or is unreadable.
    fn closed(&mut self, path: &Path, error: io::Error) -> Result<()> {
        match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            io::ErrorKind::PermissionDenied => {
                self.fixed.push(unreadable(below(self.top, path)));
                Ok(())
            }
            // A tree that is deeper than a path may be long is not judged further down, but the rest is.
            _ if is_too_long(&error) => {
                let mut above = below(self.top, path).ancestors();
                self.fixed.push(unreadable(above.find(|dir| key(dir).len() <= LONGEST).unwrap_or(Path::new(""))));
                Ok(())
            }
            _ => {
                let text = format!("unable to walk {}: {error}", self.top.display());
                Err(Error::unreadable(self.top, text).caused_by(error))
            }
        }
    }

    fn is_out(&self, whole: &Path, path: &Path) -> bool {
        name_of(path) == b".git" && self.is_repositorys(path)
            || key(whole) == key(self.skip)
            || self.own.iter().any(|own| key(own) == key(path))
            || is_talk(path)
    }

    /// Whether a path is the `.git` of the work tree or of a submodule. Any other `.git` may contain files that a check reads.
    fn is_repositorys(&self, path: &Path) -> bool {
        let place = path.parent().unwrap_or(Path::new(""));
        place.as_os_str().is_empty() || self.submodules.contains(place)
    }

    /// Whether a directory is another work tree that the same repository has a record of. It has its own snapshot.
    fn is_other_worktree(&self, dir: &Path) -> bool {
        let Some(ours) = self.repository else { return false };
        let other = Repository::at(dir);
        other.is_some_and(|other| other.common_dir == ours.common_dir && other.is_linked_worktree())
    }
}

fn unreadable(path: &Path) -> File {
    File { path: path.into(), entry: Entry::unreadable(), id: ObjectId::default() }
}

/// Whether a path is longer than the system takes.
fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error().as_ref().is_some_and(is_code_too_long)
}

fn is_code_too_long(code: &i32) -> bool {
    *code == Errno::NAMETOOLONG.raw_os_error()
}

/// Whether a directory holds one of these paths, which are sorted.
fn holds(paths: &[Cow<'_, Path>], dir: &Path) -> bool {
    let first = paths.partition_point(|path| key(path) < key(dir));
    let mut near = paths[first..].iter().take_while(|path| key(path).starts_with(key(dir)));
    near.any(|path| path.starts_with(dir))
}

/// A path of the walk relative to the top.
fn below<'a>(top: &Path, path: &'a Path) -> &'a Path {
    let bytes = path.as_os_str().as_bytes().get(top.as_os_str().len()..).unwrap_or_default();
    Path::new(OsStr::from_bytes(bytes.strip_prefix(b"/").unwrap_or(bytes)))
}

/// The bytes after the last slash.
fn name_of(path: &Path) -> &[u8] {
    let bytes = key(path);
    &bytes[memchr::memrchr(b'/', bytes).map_or(0, |at| at + 1)..]
}

fn key(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Sorts by the bytes of the paths. The lists are nearly sorted already.
fn sort<T>(list: &mut [T], path: impl Fn(&T) -> &Path) {
    list.sort_by(|a, b| key(path(a)).cmp(key(path(b))));
}

/// Whether a path below the top is a log of messages or issues.
pub fn is_talk(path: &Path) -> bool {
    let inside = key(path).strip_prefix(talk::directory::NAME.as_bytes()).and_then(|rest| rest.strip_prefix(b"/"));
    inside.is_some_and(|name| name.ends_with(b".jsonl") && !name.contains(&b'/'))
}

/// Whether a link leads to an existing file that is not in the snapshot.
pub fn leaves(top: &Path, snapshot: &Snapshot) -> bool {
    let mut links = snapshot.files.iter().filter(|file| file.entry.what == What::Link).peekable();
    if links.peek().is_none() {
        return false;
    }
    let real_top = fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
    let is_in = |real: &Path| {
        let Ok(below) = real.strip_prefix(&real_top) else { return false };
        let first = snapshot.files.partition_point(|file| key(&file.path) < key(below));
        snapshot.files[first..]
            .iter()
            .take_while(|file| key(&file.path).starts_with(key(below)))
            .any(|file| file.path.starts_with(below))
    };
    links.any(|file| fs::canonicalize(top.join(&file.path)).is_ok_and(|real| !is_in(&real)))
}
