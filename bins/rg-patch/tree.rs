//! The working tree: opens every path directory by directory, and never follows a link, leaves the top, or enters another repository or
//! a directory of git or of review-gate.

use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use rustix::fd::OwnedFd;
use rustix::fs::{self as sys, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest file that is patched, in bytes.
pub const LARGEST: u64 = 64 << 20;

/// The open top directory of a working tree.
pub struct Tree {
    fd: Rc<OwnedFd>,
    /// Directories of git and of review-gate, by device and inode.
    closed: Vec<(u64, u64)>,
    /// The directory that was opened last.
    last: RefCell<Option<(PathBuf, Rc<OwnedFd>)>>,
}

/// Why a path cannot be used.
#[derive(Debug)]
pub enum Stop {
    /// The patch must not name it.
    Refused(String),
    /// The system does not allow it now.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

/// Identifies one state of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    mtime: i64,
    mode: u32,
}

/// A file or a link on disk.
pub struct Found {
    /// Its state.
    pub identity: Identity,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// Its permissions.
    pub permissions: u32,
    /// Its bytes, or the target of the link.
    pub bytes: Vec<u8>,
}

/// The deepest existing directory on the way to a path.
pub struct Parent {
    /// The open directory.
    pub fd: Rc<OwnedFd>,
    /// Its path below the top.
    pub path: PathBuf,
    /// Whether it is the directory of the path itself.
    pub is_whole: bool,
}

impl Tree {
    /// Opens the tree. The directories in `closed` are never entered.
    pub fn open(top: &Path, closed: &[&Path]) -> Result<Tree> {
        let place = |dir: &&Path| std::fs::metadata(dir).ok().map(|meta| (meta.dev(), meta.ino()));
        Ok(Tree {
            fd: Rc::new(files::open_dir(top)?),
            closed: closed.iter().filter_map(place).collect(),
            last: RefCell::default(),
        })
    }

    /// Opens the deepest existing directory above a path.
    pub fn parent(&self, path: &Path) -> std::result::Result<Parent, Stop> {
        let dir = path.parent().unwrap_or(Path::new(""));
        if let Some((known, fd)) = &*self.last.borrow()
            && known == dir
        {
            return Ok(Parent { fd: fd.clone(), path: dir.to_path_buf(), is_whole: true });
        }
        let (mut fd, mut entered) = (self.fd.clone(), PathBuf::new());
        for part in dir {
            match self.step(&fd, part, &entered)? {
                Some(next) => fd = Rc::new(next),
                None => return Ok(Parent { fd, path: entered, is_whole: false }),
            }
            entered.push(part);
        }
        *self.last.borrow_mut() = Some((entered.clone(), fd.clone()));
        Ok(Parent { fd, path: entered, is_whole: true })
    }

    /// Forgets the open directory, because the directories may have changed.
    pub fn forget(&self) {
        self.last.take();
    }

    /// Enters one directory; None if it does not exist.
    fn step(&self, at: &OwnedFd, part: &OsStr, above: &Path) -> std::result::Result<Option<OwnedFd>, Stop> {
        let path = above.join(part);
        let shown = path.display();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = match sys::openat(at, part, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let is_link = sys::statat(at, part, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
                let what = if is_link { "a symbolic link" } else { "not a directory" };
                return Err(Stop::Refused(format!("{shown} is {what}")));
            }
            Err(e) => return Err(Stop::Failed(Error::io("enter", &path, &e.into()))),
        };
        let failed = |e: Errno| Stop::Failed(Error::io("enter", &path, &e.into()));
        let identity = identity(&sys::fstat(&fd).map_err(failed)?);
        if self.closed.contains(&(identity.device, identity.inode)) {
            return Err(Stop::Refused(format!("{shown} belongs to git or review-gate")));
        }
        let has = |name: &str| sys::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        // The second form is a bare repository, perhaps not complete.
        if has(".git") || has("HEAD") && (has("objects") || has("refs")) {
            return Err(Stop::Refused(format!("{shown} is another repository")));
        }
        same_name(at, part, identity).map_err(|other| renamed(&path, &other))?;
        Ok(Some(fd))
    }

    /// The state of a path without its content; None if it does not exist.
    pub fn identity(&self, dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<Option<Identity>> {
        match sys::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(identity(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(Error::io("look at", path, &e.into())),
        }
    }

    /// The file or the link at a path; None if it does not exist.
    pub fn find(&self, path: &Path) -> std::result::Result<Option<Found>, Stop> {
        let parent = self.parent(path)?;
        let name = path.file_name().unwrap_or_default();
        if !parent.is_whole {
            return Ok(None);
        }
        let stat = match sys::statat(&*parent.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(Stop::Failed(Error::io("look at", path, &e.into()))),
        };
        let found = identity(&stat);
        same_name(&parent.fd, name, found).map_err(|other| renamed(path, &other))?;
        let failed = |e: Errno| Stop::Failed(Error::io("read", path, &e.into()));
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                let bytes = sys::readlinkat(&*parent.fd, name, Vec::new()).map_err(failed)?.into_bytes();
                Ok(Some(Found { identity: found, is_link: true, permissions: 0o777, bytes }))
            }
            FileType::RegularFile => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let file = File::from(sys::openat(&*parent.fd, name, flags, Mode::empty()).map_err(failed)?);
                // The file may have been replaced since it was looked at.
                let opened = identity(&sys::fstat(&file).map_err(failed)?);
                if opened != found {
                    return Err(Stop::Failed(changed(path)));
                }
                let bytes = files::read_opened(&file, path, LARGEST)?;
                Ok(Some(Found { identity: found, is_link: false, permissions: found.mode & 0o777, bytes }))
            }
            FileType::Directory => Err(Stop::Refused("it is a directory".to_string())),
            _ => Err(Stop::Refused("only regular files and symbolic links are patched".to_string())),
        }
    }
}

/// The error for a file that another process changed.
pub fn changed(path: &Path) -> Error {
    Error::changed(format!(
        "{} changed while the patch was applied. Nothing was changed; run rg-patch again",
        path.display()
    ))
}

fn renamed(path: &Path, other: &OsStr) -> Stop {
    let other = other.to_string_lossy();
    Stop::Refused(format!("{} is called {other} on disk: this file system folds names", path.display()))
}

/// The state in a file status.
// Kernels do not agree on the types.
#[allow(clippy::unnecessary_cast)]
pub fn identity(stat: &sys::Stat) -> Identity {
    let mtime = (stat.st_mtime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64);
    Identity {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        size: stat.st_size as u64,
        mtime,
        mode: stat.st_mode as u32,
    }
}

impl Identity {
    /// Whether it is the same file, perhaps changed.
    pub fn is_same_file(&self, other: &Identity) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// On a file system that folds case or Unicode forms, a name may open a file with another name. The error is that name.
fn same_name(dir: &OwnedFd, name: &OsStr, found: Identity) -> std::result::Result<(), OsString> {
    let swapped: Vec<u8> = name
        .as_bytes()
        .iter()
        .map(|byte| if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() })
        .collect();
    let stat = sys::statat(dir, OsStr::from_bytes(&swapped), AtFlags::SYMLINK_NOFOLLOW);
    let folds = swapped != name.as_bytes() && stat.is_ok_and(|stat| identity(&stat).inode == found.inode);
    if !folds && !cfg!(target_os = "macos") {
        return Ok(());
    }
    let Ok(entries) = sys::Dir::read_from(dir) else { return Ok(()) };
    let mut other = None;
    for entry in entries.flatten() {
        match entry.file_name().to_bytes() {
            same if same == name.as_bytes() => return Ok(()),
            bytes if entry.ino() == found.inode => other = Some(OsString::from_vec(bytes.to_vec())),
            _ => {}
        }
    }
    other.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn why(tree: &Tree, path: &str) -> String {
        match tree.find(Path::new(path)) {
            Err(Stop::Refused(why)) => why,
            other => panic!("{path}: {:?}", other.map(|found| found.is_some())),
        }
    }

    #[test]
    fn no_link_is_followed_and_no_other_repository_is_entered() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("d/e")).unwrap();
        fs::create_dir_all(at("lib/.git")).unwrap();
        fs::create_dir_all(at("gate")).unwrap();
        fs::write(at("d/e/f"), "x").unwrap();
        symlink("d", at("link")).unwrap();
        symlink("/etc", at("out")).unwrap();
        let gate = at("gate");
        let tree = Tree::open(dir.path(), &[gate.as_path()]).unwrap();
        assert_eq!(tree.find(Path::new("d/e/f")).unwrap().unwrap().bytes, b"x");
        assert!(tree.find(Path::new("d/none/f")).unwrap().is_none());
        assert!(tree.find(Path::new("link")).unwrap().unwrap().is_link);
        assert_eq!(why(&tree, "link/e/f"), "link is a symbolic link");
        assert_eq!(why(&tree, "out/passwd"), "out is a symbolic link");
        assert_eq!(why(&tree, "d/e/f/g"), "d/e/f is not a directory");
        assert_eq!(why(&tree, "lib/a"), "lib is another repository");
        assert_eq!(why(&tree, "gate/a"), "gate belongs to git or review-gate");
        assert_eq!(why(&tree, "d/e"), "it is a directory");
    }

    /// A second name of a file counts only if the directory does not hold the first one.
    #[test]
    fn a_name_that_the_directory_holds_is_the_right_one() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("File"), "x").unwrap();
        fs::hard_link(dir.path().join("File"), dir.path().join("fILE")).unwrap();
        let fd = files::open_dir(dir.path()).unwrap();
        let found = identity(&sys::statat(&fd, "File", AtFlags::SYMLINK_NOFOLLOW).unwrap());
        assert_eq!(same_name(&fd, OsStr::new("File"), found), Ok(()));
        // As on a file system where this name opens the same file.
        fs::hard_link(dir.path().join("File"), dir.path().join("other")).unwrap();
        fs::remove_file(dir.path().join("fILE")).unwrap();
        fs::hard_link(dir.path().join("File"), dir.path().join("FILE")).unwrap();
        fs::remove_file(dir.path().join("File")).unwrap();
        assert!(same_name(&fd, OsStr::new("file"), found).is_err());
    }
}
