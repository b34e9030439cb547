//! Writes to the worktree: opens every path directory by directory, and never follows a link, leaves the top, or enters git's own
//! directories.

use review_gate::rescue::{TEMPORARY_PREFIX, is_git_internal};
use review_gate::snapshot::Stat;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self as sys, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// The open top directory of a worktree.
pub struct Top {
    fd: OwnedFd,
    /// The permissions of new directories.
    usual: u32,
    /// Directories that must not be written to, by device and inode, because a path may reach them under any name.
    closed: Vec<(u64, u64)>,
    /// The permissions that new directories, and directories that were made writable, get at the end.
    owed: RefCell<BTreeMap<PathBuf, u32>>,
}

/// Why a directory cannot be entered.
enum Stopped {
    By(Errno),
    /// It must not be written to.
    Closed,
}

impl From<Errno> for Stopped {
    fn from(e: Errno) -> Stopped {
        Stopped::By(e)
    }
}

impl Stopped {
    fn words(&self, path: &Path) -> String {
        match self {
            Stopped::By(e) => words(path, "enter or make the directory of", *e),
            Stopped::Closed => format!("{} belongs to git or review-gate and is not written", path.display()),
        }
    }
}

/// The result of one step; the error is its text.
pub type Step<T> = std::result::Result<T, String>;

fn words(path: &Path, doing: &str, e: impl Into<io::Error>) -> String {
    Error::io(doing, path, &e.into()).to_string()
}

impl Top {
    /// Opens the top. New directories get the permissions `usual`; the directories in `closed` are never written to.
    pub fn open(top: &Path, usual: u32, closed: &[&Path]) -> Result<Top> {
        let fd = files::open_dir(top)?;
        let place = |dir: &&Path| fs::metadata(dir).ok().map(|meta| (meta.dev(), meta.ino()));
        Ok(Top { fd, usual, closed: closed.iter().filter_map(place).collect(), owed: RefCell::default() })
    }

    /// Opens the parent directory of a path; with `make` creates missing directories.
    fn parent<'a>(&self, path: &'a Path, make: bool) -> Step<(OwnedFd, &'a OsStr)> {
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => parts.push(name),
                _ => return Err(format!("{} leads out of the worktree", path.display())),
            }
        }
        let Some(name) = parts.pop().filter(|_| !is_git_internal(path)) else {
            return Err(format!("{} belongs to git or review-gate and is not written", path.display()));
        };
        let dir = self.enter(&parts, make).map_err(|why| why.words(path))?;
        self.open_up(&dir, &parts);
        Ok((dir, name))
    }

    /// Opens a directory, one part at a time; with `make` creates missing ones.
    fn enter(&self, parts: &[&OsStr], make: bool) -> std::result::Result<OwnedFd, Stopped> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut at = sys::openat(&self.fd, ".", flags, Mode::empty())?;
        for (depth, part) in parts.iter().enumerate() {
            at = match sys::openat(&at, *part, flags, Mode::empty()) {
                Err(Errno::NOENT) if make => {
                    self.open_up(&at, &parts[..depth]);
                    sys::mkdirat(&at, *part, Mode::from_raw_mode(0o700))?;
                    self.owed.borrow_mut().insert(parts[..=depth].iter().collect(), self.usual);
                    sys::openat(&at, *part, flags, Mode::empty())?
                }
                opened => opened?,
            };
            self.may_enter(&at)?;
        }
        Ok(at)
    }

    /// Makes a directory writable for its owner until `settle`.
    // Kernels do not agree on the types.
    #[allow(clippy::unnecessary_cast)]
    fn open_up(&self, dir: &OwnedFd, parts: &[&OsStr]) {
        let Ok(stat) = sys::fstat(dir) else { return };
        let mode = stat.st_mode as u32 & 0o7777;
        if mode & 0o300 != 0o300 && sys::fchmod(dir, Mode::from_raw_mode((mode | 0o700) as _)).is_ok() {
            self.owed.borrow_mut().entry(parts.iter().collect()).or_insert(mode);
        }
    }

    /// Sets the final permissions of directories, the deepest first, because the outer ones may become inaccessible.
    pub fn settle(&self) -> Vec<String> {
        let owed = self.owed.take();
        let set = |(path, mode): (&PathBuf, &u32)| {
            let parts: Vec<&OsStr> = path.iter().collect();
            let failed = |why: Stopped| match why {
                // The directory was removed or replaced in the meantime.
                Stopped::By(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => None,
                why => Some(why.words(path)),
            };
            let done =
                self.enter(&parts, false).and_then(|dir| Ok(sys::fchmod(&dir, Mode::from_raw_mode(*mode as _))?));
            done.err().and_then(failed)
        };
        owed.iter().rev().filter_map(set).collect()
    }

    /// An error for the directories of git and of review-gate.
    // Kernels do not agree on the types.
    #[allow(clippy::unnecessary_cast)]
    fn may_enter(&self, dir: &OwnedFd) -> std::result::Result<(), Stopped> {
        let stat = sys::fstat(dir)?;
        match self.closed.contains(&(stat.st_dev as u64, stat.st_ino as u64)) {
            true => Err(Stopped::Closed),
            false => Ok(()),
        }
    }

    /// The state of a file; None if it does not exist.
    fn stat(&self, at: &OwnedFd, name: &OsStr, path: &Path) -> Step<Option<sys::Stat>> {
        match sys::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(words(path, "look at", e)),
        }
    }

    /// An error unless the file is still in the state in which it was backed up.
    // Kernels do not agree on the types.
    #[allow(clippy::unnecessary_cast)]
    fn is_still(&self, at: &OwnedFd, name: &OsStr, path: &Path, was: Option<Stat>) -> Step<()> {
        let now = self.stat(at, name, path)?;
        let same = match (&now, was) {
            (None, _) => true,
            (Some(now), Some(was)) => {
                let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
                (now.st_dev as u64, now.st_ino as u64, now.st_size as u64) == (was.device, was.inode, was.size)
                    && nanos(now.st_mtime as i64, now.st_mtime_nsec as i64) == was.mtime
                    && now.st_mode as u32 == was.mode
            }
            (Some(_), None) => false,
        };
        let kind = now.map_or(FileType::Unknown, |now| FileType::from_raw_mode(now.st_mode));
        let why = match kind {
            _ if same => return Ok(()),
            FileType::Directory => "it is now a directory that is not empty",
            FileType::RegularFile | FileType::Symlink => "it changed during the restore",
            _ => "it is now neither a file nor a link",
        };
        Err(format!("{}: {why}", path.display()))
    }

    /// Removes a file, if it is still as it was backed up.
    pub fn remove(&self, path: &Path, was: Stat) -> Step<()> {
        let (at, name) = self.parent(path, false)?;
        self.is_still(&at, name, path, Some(was))?;
        match sys::unlinkat(&at, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(words(path, "remove", e)),
        }
    }

    /// Removes a directory if it is empty.
    pub fn remove_dir(&self, path: &Path) -> Step<()> {
        let Ok((at, name)) = self.parent(path, false) else { return Ok(()) };
        match sys::unlinkat(&at, name, AtFlags::REMOVEDIR) {
            Err(e) if !matches!(e, Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Err(words(path, "remove", e)),
            _ => Ok(()),
        }
    }

    /// Makes a directory that gets these permissions at the end.
    pub fn dir(&self, path: &Path, mode: u32) -> Step<()> {
        let (at, name) = self.parent(path, true)?;
        match sys::mkdirat(&at, name, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(words(path, "make", e)),
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = sys::openat(&at, name, flags, Mode::empty()).map_err(|e| words(path, "enter", e))?;
        self.may_enter(&dir).map_err(|why| why.words(path))?;
        self.owed.borrow_mut().insert(path.to_path_buf(), mode);
        Ok(())
    }

    /// Starts a temporary file beside a path.
    pub fn begin(&self, path: &Path, token: &str) -> Step<TemporaryFile> {
        let (at, name) = self.parent(path, true)?;
        let temporary = format!("{TEMPORARY_PREFIX}{token}.tmp");
        let _ = sys::unlinkat(&at, temporary.as_str(), AtFlags::empty());
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = sys::openat(&at, temporary.as_str(), flags, Mode::from_raw_mode(0o600));
        let file = File::from(file.map_err(|e| words(path, "write", e))?);
        Ok(TemporaryFile { at, name: name.into(), temporary, file })
    }

    /// Renames a complete file into its place, if the file there is still as it was backed up.
    pub fn finish(&self, new: &TemporaryFile, path: &Path, mode: u32, over: Option<Stat>) -> Step<()> {
        let done = self.is_still(&new.at, &new.name, path, over).and_then(|()| {
            let placed = new.file.set_permissions(Permissions::from_mode(mode));
            placed.map_err(|e| words(path, "set the permissions of", e))?;
            review_gate::sys::env::crash_point();
            sys::renameat(&new.at, new.temporary.as_str(), &new.at, &new.name).map_err(|e| words(path, "write", e))
        });
        done.inspect_err(|_| new.discard())
    }

    /// Puts a symbolic link into its place, under the same condition.
    pub fn link(&self, new: &TemporaryFile, path: &Path, target: &OsStr, over: Option<Stat>) -> Step<()> {
        let done = self.is_still(&new.at, &new.name, path, over).and_then(|()| {
            new.discard();
            sys::symlinkat(target, &new.at, new.temporary.as_str()).map_err(|e| words(path, "write", e))?;
            review_gate::sys::env::crash_point();
            sys::renameat(&new.at, new.temporary.as_str(), &new.at, &new.name).map_err(|e| words(path, "write", e))
        });
        done.inspect_err(|_| new.discard())
    }
}

/// A temporary file that is being written.
pub struct TemporaryFile {
    at: OwnedFd,
    name: std::ffi::OsString,
    temporary: String,
    pub file: File,
}

impl TemporaryFile {
    /// Removes the temporary file.
    pub fn discard(&self) {
        let _ = sys::unlinkat(self.at.as_fd(), self.temporary.as_str(), AtFlags::empty());
    }
}

/// Writes the index through its lock file, as git does, and sets its old time: git re-reads files that are not older than the index.
pub fn index(git_dir: &Path, bytes: &[u8], at: Option<i64>) -> Step<()> {
    let (path, lock) = (git_dir.join("index"), git_dir.join("index.lock"));
    if files::try_read_following(&path, bytes.len() as u64).is_some_and(|there| there == bytes) {
        return Ok(());
    }
    let made = files::create_new(&lock, 0o666);
    let mut file = made.map_err(|e| words(&lock, "make", e))?;
    let times = at.and_then(|at| u64::try_from(at).ok()).map(|at| UNIX_EPOCH + Duration::from_nanos(at));
    let written = io::Write::write_all(&mut file, bytes).and_then(|()| {
        times.map_or(Ok(()), |at| file.set_times(FileTimes::new().set_modified(at)))?;
        review_gate::sys::env::crash_point();
        fs::rename(&lock, &path)
    });
    written.map_err(|e| {
        let _ = fs::remove_file(&lock);
        words(&path, "write", e)
    })
}
