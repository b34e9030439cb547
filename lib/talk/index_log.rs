//! A log as the index sees it: the version of its file, its complete lines and their digest.

use crate::sys::clock;
use crate::sys::digest::Stream;
use crate::sys::files;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// The bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// The longest line, as in a scan. A log with a longer one is not indexed.
const LINE: usize = 100 << 20;

/// For how long a second write may leave the ctime as it is, in nanoseconds.
const TICK: i64 = 10_000_000;

/// An open log. All that is read of it is read from this file, even if another file takes its place meanwhile.
pub struct IndexLog {
    file: File,
    /// The bytes of its file name.
    pub name: Vec<u8>,
    /// Its length when it was opened.
    pub size: u64,
    /// Its version when it was opened.
    pub version: String,
    /// Whether every later write changes the version: the last one is long enough ago.
    pub is_settled: bool,
    window: Vec<u8>,
    window_start: u64,
}

impl IndexLog {
    /// Opens the log at `path`. None if it cannot be opened.
    pub fn open(path: &Path) -> Option<IndexLog> {
        let file = files::try_open(path)?;
        let now = clock::file_nanos();
        let meta = file.metadata().ok()?;
        let changed = meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec());
        // Some file systems store seconds only.
        let tick = if changed % 1_000_000_000 == 0 { 2_000_000_000 } else { TICK };
        Some(IndexLog {
            file,
            name: path.file_name()?.as_bytes().to_vec(),
            size: meta.len(),
            version: version(&meta),
            is_settled: changed.saturating_add(tick) < now,
            window: Vec::new(),
            window_start: 0,
        })
    }

    /// The digest of the first `length` bytes, to which more may be added. None if there are fewer.
    pub fn digest(&mut self, length: u64) -> Option<Stream> {
        let mut digest = Stream::default();
        let mut at = 0;
        while at < length {
            let part = self.bytes(at, (length - at).min(CHUNK as u64) as usize)?;
            digest.update(part);
            at += part.len() as u64;
        }
        Some(digest)
    }

    /// Calls `each` with the offset and the bytes of every complete line from `from` on, and adds the lines to `digest`. Returns where the
    /// last one ends. None if a line is too long, or the file became shorter.
    pub fn each_line(&mut self, from: u64, digest: &mut Stream, mut each: impl FnMut(u64, &[u8])) -> Option<u64> {
        let (mut lines, mut start, mut end) = (Vec::new(), from, from);
        while end < self.size {
            let part = self.bytes(end, (self.size - end).min(CHUNK as u64) as usize)?;
            end += part.len() as u64;
            let last = memchr::memrchr(b'\n', part).map(|at| lines.len() + at + 1);
            lines.extend_from_slice(part);
            let Some(last) = last else {
                if lines.len() > LINE {
                    return None;
                }
                continue;
            };
            let mut at = 0;
            for next in memchr::memchr_iter(b'\n', &lines[..last]) {
                each(start + at as u64, &lines[at..next]);
                at = next + 1;
            }
            digest.update(&lines[..last]);
            lines.drain(..last);
            start += last as u64;
        }
        Some(start)
    }

    /// The bytes of one place. Places that follow each other are read together. None if the file is shorter.
    pub fn bytes(&mut self, start: u64, length: usize) -> Option<&[u8]> {
        let is_inside = start >= self.window_start
            && start.checked_add(length as u64)? <= self.window_start + self.window.len() as u64;
        if !is_inside {
            let wanted = length.max(CHUNK).min(usize::try_from(self.size.checked_sub(start)?).ok()?);
            self.window.resize(wanted, 0);
            self.window_start = start;
            if self.file.read_exact_at(&mut self.window, start).is_err() {
                self.window.clear();
                return None;
            }
        }
        let at = (start - self.window_start) as usize;
        self.window.get(at..at.checked_add(length)?)
    }
}

/// What identifies a version of a file: every write changes the ctime, and a program cannot set it.
pub fn version(meta: &Metadata) -> String {
    let parts = [meta.dev() as i64, meta.ino() as i64, meta.len() as i64, meta.mtime(), meta.mtime_nsec()];
    let parts = parts.into_iter().chain([meta.ctime(), meta.ctime_nsec()]);
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(" ")
}
