//! Open directories, from a top down to the last file that was asked for: the kernel then looks up one name for a file, and not its path.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, statat};
use rustix::io::retry_on_intr;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How many directories below each other are kept open.
const DEPTH: usize = 64;

/// Open directories. Files in the order of their paths open each directory about once.
pub struct DirChain {
    top: PathBuf,
    opened: Option<OwnedFd>,
    /// The path of the last directory below the top.
    dir: Vec<u8>,
    /// The directories on the way to it, each with the length of its path.
    open: Vec<(usize, OwnedFd)>,
}

impl DirChain {
    /// A chain that begins at `top`.
    pub fn new(top: &Path) -> DirChain {
        DirChain { top: top.to_path_buf(), opened: None, dir: Vec::new(), open: Vec::new() }
    }

    /// Opens a file below the top for reading, without following a link below the top or blocking on a FIFO.
    pub fn open(&mut self, path: &Path) -> io::Result<File> {
        let (dir, name) = self.enter(path)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        Ok(File::from(retry_on_intr(|| openat(dir, name, flags, Mode::empty()))?))
    }

    /// The stat of a file below the top. No link below the top is followed.
    pub fn stat(&mut self, path: &Path) -> io::Result<Stat> {
        let (dir, name) = self.enter(path)?;
        Ok(statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The directory of a path, and the name in it.
    fn enter<'p>(&mut self, path: &'p Path) -> io::Result<(BorrowedFd<'_>, &'p OsStr)> {
        let bytes = path.as_os_str().as_bytes();
        let (dir, name) = match memchr::memrchr(b'/', bytes) {
            Some(slash) => (&bytes[..slash], &bytes[slash + 1..]),
            None => (&bytes[..0], bytes),
        };
        if self.opened.is_none() {
            self.opened = Some(directory(CWD, self.top.as_os_str(), OFlags::empty())?);
        }
        if dir != self.dir {
            self.change_to(dir)?;
        }
        let last = self.open.last().map(|(_, dir)| dir).or(self.opened.as_ref());
        last.map(|last| (last.as_fd(), OsStr::from_bytes(name))).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn change_to(&mut self, dir: &[u8]) -> io::Result<()> {
        let is_above = |length: usize, path: &[u8]| {
            dir.get(..length) == path.get(..length) && matches!(dir.get(length), None | Some(b'/'))
        };
        while self.open.last().is_some_and(|(length, _)| !is_above(*length, &self.dir)) {
            self.open.pop();
        }
        let mut at = self.open.last().map_or(0, |(length, _)| *length);
        self.dir.truncate(at);
        while at < dir.len() {
            if self.open.len() == DEPTH {
                return Err(io::ErrorKind::Unsupported.into());
            }
            let start = if at == 0 { 0 } else { at + 1 };
            let end = memchr::memchr(b'/', &dir[start..]).map_or(dir.len(), |slash| start + slash);
            let around = self.open.last().map(|(_, dir)| dir).or(self.opened.as_ref());
            let Some(around) = around else { return Err(io::ErrorKind::NotFound.into()) };
            let next = directory(around.as_fd(), OsStr::from_bytes(&dir[start..end]), OFlags::NOFOLLOW)?;
            self.open.push((end, next));
            self.dir.clear();
            self.dir.extend_from_slice(&dir[..end]);
            at = end;
        }
        Ok(())
    }
}

fn directory(around: BorrowedFd<'_>, name: &OsStr, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | more;
    Ok(retry_on_intr(|| openat(around, name, flags, Mode::empty()))?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    fn text(chain: &mut DirChain, path: &str) -> Option<String> {
        let mut text = String::new();
        chain.open(Path::new(path)).ok()?.read_to_string(&mut text).ok()?;
        Some(text)
    }

    #[test]
    fn a_link_is_not_followed_and_an_error_leaves_the_chain_usable() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("a/b/c"), "c").unwrap();
        fs::write(dir.path().join("a/d"), "d").unwrap();
        symlink("a", dir.path().join("l")).unwrap();
        symlink("d", dir.path().join("a/m")).unwrap();
        let mut chain = DirChain::new(dir.path());
        assert_eq!(text(&mut chain, "a/b/c").as_deref(), Some("c"));
        for path in ["l/d", "a/m", "a/b/c/d", "none/e", "a/none/e"] {
            assert!(text(&mut chain, path).is_none(), "{path}");
            assert_eq!(text(&mut chain, "a/d").as_deref(), Some("d"), "after {path}");
        }
        assert!(chain.stat(Path::new("a/m")).is_ok() && chain.stat(Path::new("l/d")).is_err());
        let deep = "x/".repeat(DEPTH + 1);
        fs::create_dir_all(dir.path().join(&deep)).unwrap();
        assert!(chain.open(&Path::new(&deep).join("f")).is_err());
        assert_eq!(text(&mut chain, "a/b/c").as_deref(), Some("c"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// In any order, each file is the one at its path.
        #[test]
        fn files_are_those_at_their_paths(paths in proptest::collection::vec("[ab](/[ab]{1,2}){0,4}", 1..20)) {
            let dir = tempfile::tempdir().unwrap();
            for path in &paths {
                let path = dir.path().join(path);
                let _ = fs::create_dir_all(path.parent().unwrap());
                let _ = fs::write(&path, path.as_os_str().as_bytes());
            }
            let mut chain = DirChain::new(dir.path());
            for path in &paths {
                let whole = dir.path().join(path);
                prop_assert_eq!(text(&mut chain, path), fs::read_to_string(&whole).ok(), "{}", path);
                prop_assert_eq!(chain.stat(Path::new(path)).is_ok(), fs::symlink_metadata(&whole).is_ok(), "{}", path);
            }
        }
    }
}
