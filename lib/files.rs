//! Files: opened without following a link and without waiting for a FIFO, read up to a limit, written whole.

use crate::env;
use crate::error::{Error, Result};
use crate::ids;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Opens a regular file for reading. None where there is no such file; an error for a link, a FIFO, a directory or a device.
pub fn open(path: &Path) -> Result<Option<File>> {
    opened(OpenOptions::new().read(true), path)
}

/// Opens a regular file for appending (and for reading what it ends with), mode 0600 where it is made.
pub fn open_append(path: &Path) -> Result<File> {
    let file = opened(OpenOptions::new().create(true).read(true).append(true).mode(0o600), path)?;
    file.ok_or_else(|| Error::io("append to", path, &io::ErrorKind::NotFound.into()))
}

/// The bytes of a regular file, at most `limit` of them. None where there is no such file; a larger one is an error.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    open(path)?.map(|file| read_opened(&file, path, limit)).transpose()
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
    let temporary = path.with_extension(format!("{}.tmp", ids::ulid(&["tmp"])));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| {
            let bytes = crash_point(&mut file, bytes)?;
            file.write_all(bytes)?;
            if durable { file.sync_all() } else { Ok(()) }
        })
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| if durable { sync_parent(path) } else { Ok(()) });
    written.map_err(|e| {
        // The temporary file is nobody's: one that cannot be removed harms nothing.
        let _ = fs::remove_file(&temporary);
        Error::io("write", path, &e)
    })
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

fn opened(options: &mut OpenOptions, path: &Path) -> Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = match options.custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(not_regular(path).unwrap_or_else(|| Error::io("open", path, &e))),
    };
    let meta = file.metadata().map_err(|e| Error::io("open", path, &e))?;
    if meta.is_file() { Ok(Some(file)) } else { Err(not_regular(path).unwrap_or_else(|| not_a_file(path, "no file"))) }
}

/// The error for what lies there and is no regular file.
fn not_regular(path: &Path) -> Option<Error> {
    use std::os::unix::fs::FileTypeExt;
    let kind = fs::symlink_metadata(path).ok()?.file_type();
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
    use rustix::fs::{CWD, FileType, Mode, mknodat};
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
