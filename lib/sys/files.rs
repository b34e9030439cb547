//! Access to files: opens them without following links or blocking on FIFOs, reads up to a limit, and writes atomically.
//!
//! No other module opens files; clippy.toml enforces it.
#![allow(clippy::disallowed_methods)]

use crate::sys::env;
use crate::sys::error::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::NamedTempFile;

/// Whether a path may be a symbolic link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// A link is an error.
    Refuse,
    /// The target of a link is opened.
    Follow,
}

/// Opens a regular file for reading. None if it does not exist. Errors: it is a link, a FIFO, a directory or a device.
pub fn open(path: &Path) -> Result<Option<File>> {
    open_regular(OpenOptions::new().read(true), path, "read", Links::Refuse)
}

/// Like [`open`], for a file of the user or of git, which may be a link.
pub fn open_following(path: &Path) -> Result<Option<File>> {
    open_regular(OpenOptions::new().read(true), path, "read", Links::Follow)
}

/// Like [`open`]; None for every error.
pub fn try_open(path: &Path) -> Option<File> {
    open(path).ok().flatten()
}

/// Opens a file of any type for reading, without following a link or blocking on a FIFO. The caller checks the type and the errors.
pub fn open_nofollow(path: &Path) -> io::Result<File> {
    // Without the C library, which may set the close-on-exec flag by a second system call.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    Ok(File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?))
}

/// Opens a directory, from which the caller continues with `openat` calls that follow no link.
pub fn open_dir(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|e| Error::io("enter", path, &e.into()))
}

/// Opens a regular file for appending and reading; creates it with mode 0600.
pub fn open_append(path: &Path) -> Result<File> {
    open_or_create(OpenOptions::new().create(true).read(true).append(true).mode(0o600), path, Links::Refuse)
}

/// Opens a regular file for writing and truncates it; creates it with mode 0600.
pub fn open_empty(path: &Path) -> Result<File> {
    let file =
        open_or_create(OpenOptions::new().create(true).truncate(false).write(true).mode(0o600), path, Links::Refuse)?;
    file.set_len(0).map_err(|e| Error::io("write", path, &e))?;
    Ok(file)
}

/// Creates a file with that mode. Errors: the path exists.
pub fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Copies a regular file to a path that is free, with its permissions and its time of change. Returns its length.
pub fn copy_new(from: &Path, to: &Path) -> io::Result<u64> {
    let mut source = open_nofollow(from)?;
    let meta = source.metadata()?;
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut target = create_new(to, 0o600)?;
    let length = io::copy(&mut source, &mut target)?;
    target.set_permissions(meta.permissions())?;
    target.set_modified(meta.modified()?)?;
    Ok(length)
}

/// Creates a file with those bytes and mode 0600. Errors: the path exists.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = create_new(path, 0o600);
    file.and_then(|mut file| file.write_all(bytes)).map_err(|e| Error::io("write", path, &e))
}

/// A file without a name that holds those bytes, read from its begin. For the standard input of another program.
pub fn unnamed(bytes: &[u8]) -> Result<File> {
    use std::io::Seek;
    #[cfg(target_os = "linux")]
    let file =
        rustix::fs::memfd_create("input", rustix::fs::MemfdFlags::CLOEXEC).map(File::from).map_err(io::Error::from);
    #[cfg(not(target_os = "linux"))]
    let file = tempfile::tempfile();
    let written = file.and_then(|mut file| {
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    });
    written.map_err(|e| Error::stream("keep standard input", e))
}

/// Appends to a file of git, which may be a link; creates it with mode 0666, as git does.
pub fn append_following(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = open_or_create(OpenOptions::new().create(true).append(true).mode(0o666), path, Links::Follow)?;
    file.write_all(bytes).map_err(|e| Error::io("write", path, &e))
}

/// Flushes a file to disk (fsync).
pub fn sync(path: &Path) -> Result<()> {
    let synced = open_nofollow(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Error::io("sync", path, &e))
}

/// The bytes of a regular file of at most `limit` bytes. None if it does not exist. Errors: it is larger.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    open(path)?.map(|file| read_opened(&file, path, limit)).transpose()
}

/// Like [`read`], for a file of the user or of git, which may be a link.
pub fn read_following(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    open_following(path)?.map(|file| read_opened(&file, path, limit)).transpose()
}

/// Like [`read`]; None for every error.
pub fn try_read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    read(path, limit).ok().flatten()
}

/// Like [`read_following`]; None for every error.
pub fn try_read_following(path: &Path, limit: u64) -> Option<Vec<u8>> {
    read_following(path, limit).ok().flatten()
}

/// The bytes of an open file of at most `limit` bytes; `path` names it in errors.
pub fn read_opened(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let failed = |e: io::Error| Error::io("read", path, &e);
    let length = file.metadata().map_err(failed)?.len();
    let size = if limit < 1 << 20 { format!("{} KiB", limit >> 10) } else { format!("{} MiB", limit >> 20) };
    let too_large = || Error::unreadable(path, format!("{} is larger than {size}", path.display()));
    if length > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(length as usize + 1);
    // The file may grow meanwhile: reading one byte past the limit detects that.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Writes a file atomically: to a temporary file in the same directory, which is then renamed. With `durable` the bytes and the name
/// are on disk before this returns. The directory must exist; the mode is 0600.
pub fn write_whole(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    write_temporary(path, bytes, durable)?.rename()
}

/// A file that is written under a temporary name. If it is dropped before [`Temporary::rename`], it is removed.
pub struct Temporary<'a> {
    file: NamedTempFile,
    path: &'a Path,
    is_durable: bool,
}

/// The first half of [`write_whole`]: everything that needs space on the disk.
pub fn write_temporary<'a>(path: &'a Path, bytes: &[u8], durable: bool) -> Result<Temporary<'a>> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = NamedTempFile::new_in(dir).and_then(|mut file| {
        let bytes = crash_point(file.as_file_mut(), bytes)?;
        file.write_all(bytes)?;
        if durable {
            file.as_file().sync_all()?;
        }
        Ok(Temporary { file, path, is_durable: durable })
    });
    written.map_err(|e| Error::io("write", path, &e))
}

impl Temporary<'_> {
    /// Gives it that mode.
    pub fn set_mode(&self, mode: u32) -> Result<()> {
        let set = self.file.as_file().set_permissions(fs::Permissions::from_mode(mode));
        set.map_err(|e| Error::io("set the mode of", self.path, &e))
    }

    /// Replaces the file at its path.
    pub fn rename(self) -> Result<()> {
        let renamed = self.file.persist(self.path).map_err(|e| e.error);
        let renamed = renamed.and_then(|_| if self.is_durable { sync_parent(self.path) } else { Ok(()) });
        renamed.map_err(|e| Error::io("write", self.path, &e))
    }
}

/// Appends `bytes` with one write. A short write is an error, because another process could append before a second one.
pub fn append_once(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let bytes = crash_point(file, bytes)?;
    loop {
        match file.write(bytes) {
            Ok(n) if n == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left for all of it")),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn flags(links: Links) -> i32 {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = if links == Links::Refuse { flags | OFlags::NOFOLLOW } else { flags };
    flags.bits() as i32
}

fn open_regular(options: &mut OpenOptions, path: &Path, doing: &str, links: Links) -> Result<Option<File>> {
    let file = match options.custom_flags(flags(links)).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(not_regular(path, links).unwrap_or_else(|| Error::io(doing, path, &e))),
    };
    let meta = file.metadata().map_err(|e| Error::io(doing, path, &e))?;
    match meta.is_file() {
        true => Ok(Some(file)),
        false => Err(not_regular(path, links).unwrap_or_else(|| not_a_file(path, "no file"))),
    }
}

/// Like [`open_regular`] with options that create the file, so NotFound means that its directory is missing.
fn open_or_create(options: &mut OpenOptions, path: &Path, links: Links) -> Result<File> {
    let file = open_regular(options, path, "open", links)?;
    file.ok_or_else(|| Error::io("open", path, &io::ErrorKind::NotFound.into()))
}

/// The error for a path that is not a regular file.
fn not_regular(path: &Path, links: Links) -> Option<Error> {
    use std::os::unix::fs::FileTypeExt;
    let meta = if links == Links::Follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
    let kind = meta.ok()?.file_type();
    let what = match () {
        _ if kind.is_symlink() => "a symbolic link",
        _ if kind.is_dir() => "a directory",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ if kind.is_block_device() || kind.is_char_device() => "a device",
        _ => return None,
    };
    Some(not_a_file(path, what))
}

fn not_a_file(path: &Path, what: &str) -> Error {
    Error::unreadable(path, format!("unable to open {}: it is {what}, not a regular file", path.display()))
}

fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// For tests of crash safety: `RG_CRASH` kills the process at its n-th write, after half of the bytes.
fn crash_point<'a>(file: &mut File, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
    static WRITES: AtomicU32 = AtomicU32::new(0);
    if let Some(at) = env::crash_at()
        && WRITES.fetch_add(1, Ordering::SeqCst) + 1 == at
    {
        file.write_all(&bytes[..bytes.len() / 2])?;
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, mknodat};
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened_and_a_fifo_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "x").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::create_dir(at("dir")).unwrap();
        mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(read(&at("file"), 9).unwrap().unwrap(), b"x");
        assert!(read(&at("absent"), 9).unwrap().is_none());
        assert_eq!(read_following(&at("link"), 9).unwrap().unwrap(), b"x");
        assert!(read_following(&at("dangling"), 9).unwrap().is_none());
        symlink(at("fifo"), at("led to a fifo")).unwrap();
        assert!(read_following(&at("led to a fifo"), 9).unwrap_err().to_string().contains("a FIFO"));
        for (name, what) in
            [("link", "a symbolic link"), ("dangling", "a symbolic link"), ("dir", "a directory"), ("fifo", "a FIFO")]
        {
            for error in [read(&at(name), 9).map(drop).unwrap_err(), open_append(&at(name)).map(drop).unwrap_err()] {
                let text = error.to_string();
                assert!(text.contains(what) && text.contains(name), "{text}");
            }
        }
    }

    #[test]
    fn writes_do_not_follow_links_and_new_files_do_not_replace_others() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "long before").unwrap();
        symlink(at("file"), at("link")).unwrap();
        assert!(open_empty(&at("link")).is_err() && open_append(&at("link")).is_err());
        assert!(write_new(&at("file"), b"x").is_err() && write_new(&at("link"), b"x").is_err());
        assert_eq!(fs::read(at("file")).unwrap(), b"long before");
        append_following(&at("link"), b", after").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"long before, after");
        open_empty(&at("file")).unwrap().write_all(b"now").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"now");
        assert!(sync(&at("file")).is_ok() && sync(&at("absent")).is_err());
    }

    #[test]
    fn a_file_past_the_limit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap().unwrap(), b"12345");
        assert!(read(&path, 4).unwrap_err().to_string().contains("larger"));
    }

    #[test]
    fn a_file_is_replaced_atomically() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write_whole(&path, b"one", true).unwrap();
        write_whole(&path, b"two", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write_whole(&dir.path().join("no/such"), b"x", false).is_err());
    }
}
