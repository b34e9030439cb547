//! The one room for files: opened without following a link and without waiting for a FIFO, read up to a limit, written whole.
//!
//! Nothing else opens files; clippy.toml holds that.
#![allow(clippy::disallowed_methods)]

use crate::sys::env;
use crate::sys::error::{Error, Result};
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::NamedTempFile;

/// What becomes of a symbolic link in a file's place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// It is an error.
    Refuse,
    /// The file that it leads to is meant.
    Follow,
}

/// Opens a regular file for reading. None where there is no such file; an error for a link, a FIFO, a directory or a device.
pub fn open(path: &Path) -> Result<Option<File>> {
    opened(OpenOptions::new().read(true), path, "read", Links::Refuse)
}

/// The same for a file of the user's or of git's, which may be a link to one.
pub fn open_following(path: &Path) -> Result<Option<File>> {
    opened(OpenOptions::new().read(true), path, "read", Links::Follow)
}

/// The same as `open` for callers to whom it does not matter why there is nothing to read.
pub fn try_open(path: &Path) -> Option<File> {
    open(path).ok().flatten()
}

/// The system call alone, for a walk that tells its errors apart and looks at what it opened: no link is followed, no FIFO waited for.
pub fn open_whatever(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(flags(Links::Refuse)).open(path)
}

/// Opens a directory, to go on from there by steps that follow no link.
pub fn open_dir(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|e| Error::io("enter", path, &e.into()))
}

/// Opens a regular file for appending (and for reading what it ends with), mode 0600 where it is made.
pub fn open_append(path: &Path) -> Result<File> {
    made(OpenOptions::new().create(true).read(true).append(true).mode(0o600), path, Links::Refuse)
}

/// Opens a regular file for writing and empties it, mode 0600 where it is made.
pub fn open_empty(path: &Path) -> Result<File> {
    let file = made(OpenOptions::new().create(true).truncate(false).write(true).mode(0o600), path, Links::Refuse)?;
    file.set_len(0).map_err(|e| Error::io("write", path, &e))?;
    Ok(file)
}

/// Makes a file of that mode, where nothing of its name is there yet.
pub fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Makes a file of those bytes, where nothing of its name is there yet; mode 0600.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let made = create_new(path, 0o600);
    made.and_then(|mut file| file.write_all(bytes)).map_err(|e| Error::io("write", path, &e))
}

/// Appends to a file of git's, which may be a link to one; where it is made it is as open as git's files are.
pub fn append_following(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = made(OpenOptions::new().create(true).append(true).mode(0o666), path, Links::Follow)?;
    file.write_all(bytes).map_err(|e| Error::io("write", path, &e))
}

/// Waits until what was written to a file is on disk.
pub fn sync(path: &Path) -> Result<()> {
    let synced = open_whatever(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Error::io("sync", path, &e))
}

/// The bytes of a regular file, at most `limit` of them. None where there is no such file; a larger one is an error.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    open(path)?.map(|file| read_opened(&file, path, limit)).transpose()
}

/// The same for a file of the user's or of git's, which may be a link to one.
pub fn read_following(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    open_following(path)?.map(|file| read_opened(&file, path, limit)).transpose()
}

/// The same as `read` for callers to whom it does not matter why there is nothing to read.
pub fn try_read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    read(path, limit).ok().flatten()
}

/// The same as `read_following` for callers to whom it does not matter why there is nothing to read.
pub fn try_read_following(path: &Path, limit: u64) -> Option<Vec<u8>> {
    read_following(path, limit).ok().flatten()
}

/// The bytes of a file that was opened, at most `limit` of them; `path` names it in errors.
pub fn read_opened(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let failed = |e: io::Error| Error::io("read", path, &e);
    let length = file.metadata().map_err(failed)?.len();
    let too_large = || Error::unreadable(path, format!("{} is larger than {} MiB", path.display(), limit >> 20));
    if length > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(length as usize + 1);
    // It may grow meanwhile: one byte more than the limit says that it did.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Writes a file whole: to a temporary name beside it, then renamed. With `durable` the bytes and the name are on disk before this
/// returns. The directory must exist; the mode is 0600.
pub fn write_whole(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Dropped before it is renamed, the temporary file goes.
    let written = NamedTempFile::new_in(dir).and_then(|mut file| {
        let bytes = crash_point(file.as_file_mut(), bytes)?;
        file.write_all(bytes)?;
        if durable {
            file.as_file().sync_all()?;
        }
        file.persist(path).map_err(|e| e.error)?;
        if durable { sync_parent(path) } else { Ok(()) }
    });
    written.map_err(|e| Error::io("write", path, &e))
}

/// Appends `bytes` with one write; a short one is an error, because a second one could land behind another writer's.
pub fn append_once(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let bytes = crash_point(file, bytes)?;
    loop {
        match file.write(bytes) {
            Ok(n) if n == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::StorageFull, "short write")),
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

fn opened(options: &mut OpenOptions, path: &Path, doing: &str, links: Links) -> Result<Option<File>> {
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

/// The same where it is made when it is not there: only its directory can be missing.
fn made(options: &mut OpenOptions, path: &Path, links: Links) -> Result<File> {
    let file = opened(options, path, "open", links)?;
    file.ok_or_else(|| Error::io("open", path, &io::ErrorKind::NotFound.into()))
}

/// The error for what lies there and is no regular file.
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

/// Tests of crash safety: the process dies at its n-th write, with half of it done.
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
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
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
    fn what_is_written_is_never_written_through_a_link_or_over_a_file_unasked() {
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
    fn a_file_is_replaced_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write_whole(&path, b"one", true).unwrap();
        write_whole(&path, b"two", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write_whole(&dir.path().join("no/such"), b"x", false).is_err());
    }
}
