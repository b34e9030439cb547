//! Files of JSON lines that several programs append to and that git merges: appends with one write, reads whatever there is.

use crate::sys::clock::{self, Time};
use crate::sys::error::{Error, ErrorKind, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::sys::lock::{self, Lock};
use crate::sys::text::count;
use serde::Deserialize;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for the lock.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a writer waits that needs the lock.
const LONG_PATIENCE: Duration = Duration::from_secs(10);

/// The bytes at the end of a file in which a writer looks for the last id.
const TAIL: u64 = 16 << 10;

/// The longest line: a body of 16 MiB whose characters are all written as six bytes, and the other fields.
const LINE: u64 = 100 << 20;

/// How often a line is written again because its file was replaced meanwhile.
const RETRIES: usize = 8;

/// The start of each line that the writers make. The id is at a fixed place, so that a reader finds it without JSON.
const HEAD: &[u8] = b"{\"id\":\"";

/// What a reader skipped, and what it warns of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that cannot be read.
    pub damaged: usize,
    /// Records of a later release.
    pub newer: usize,
    /// Records from more than a day ahead. They are not skipped.
    pub ahead: usize,
}

impl Skipped {
    /// One sentence about what was skipped; None if nothing was. The records have that name.
    pub fn warning(&self, noun: &str) -> Option<String> {
        let mut words = Vec::new();
        if self.damaged > 0 {
            words.push(format!("skipped {} that cannot be read", count(self.damaged, "line")));
        }
        if self.newer > 0 {
            words.push(format!("skipped {} of a later release", count(self.newer, "record")));
        }
        if self.ahead > 0 {
            words.push(format!("{} dated more than a day ahead", count(self.ahead, noun)));
        }
        (!words.is_empty()).then(|| format!("warning: {}", words.join("; ")))
    }

    /// Counts a record that is read, by its id.
    pub fn note_time(&mut self, id: &str, now: Time) {
        self.note_moment(ids::time_of(id).unwrap_or_default(), now);
    }

    /// Counts a record that is read, by the time of its id.
    pub fn note_moment(&mut self, time: Time, now: Time) {
        self.ahead += usize::from(is_ahead(time, now));
    }
}

/// What a writer does if another process holds the lock for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It writes without the lock: one write does not mix with another.
    Briefly,
    /// It fails, because what it writes depends on what is there.
    ForTheLock,
}

/// The end of a file before a line is appended.
pub struct End {
    /// The length of the file, in bytes.
    pub length: u64,
    tail: Vec<u8>,
}

impl End {
    /// The time of the next id: after the last one, so that the ids of a file are in the order of its lines. A record from more than a
    /// day ahead does not count: its clock was wrong.
    pub fn next_time(&self, now: Time) -> Time {
        let times = self.tail.split(|byte| *byte == b'\n').filter_map(id_of).filter_map(|id| ids::time_of(&id));
        let after = times.filter(|time| !is_ahead(*time, now)).map(|time| Time(time.0 + 1)).max();
        after.map_or(now, |time| time.max(now))
    }
}

/// Whether a time is more than a day after `now`.
fn is_ahead(time: Time, now: Time) -> bool {
    time.since(now) > clock::DAY
}

/// Appends what `make` returns, in one write: whole lines, or nothing if it is empty. `make` is called again if the file was replaced
/// meanwhile. The directory must exist.
pub fn append(path: &Path, waiting: Waiting, mut make: impl FnMut(&End) -> Result<Vec<u8>>) -> Result<()> {
    for _ in 0..RETRIES {
        let lock = take_lock(path, waiting)?;
        let mut file = files::open_append(path)?;
        let (length, tail) = read_tail(&file, TAIL).map_err(|e| Error::io("read", path, &e))?;
        let is_torn = tail.last().is_some_and(|byte| *byte != b'\n');
        let mut bytes = make(&End { length, tail })?;
        if bytes.is_empty() {
            return Ok(());
        }
        if is_torn {
            // A writer was killed; its half line ends here.
            bytes.insert(0, b'\n');
        }
        if let Err(e) = files::append_once(&mut file, &bytes) {
            if lock.is_some() {
                remove_part(&file, length, &bytes);
            }
            return Err(Error::io("write", path, &e));
        }
        if is_at(&file, path) {
            return Ok(());
        }
    }
    Err(Error::changed(format!("unable to write {}: it is replaced again and again", path.display())))
}

/// Appends the lines that are not in the file at `path`, and not in the other files of `known`. Returns how many. The directory must
/// exist.
pub fn append_missing<'a>(
    path: &Path,
    known: &[impl AsRef<Path>],
    lines: impl Iterator<Item = &'a [u8]> + Clone,
) -> Result<usize> {
    let missing = || -> Result<Vec<u8>> {
        let mut here: HashSet<Vec<u8>> = HashSet::new();
        for path in known.iter().map(AsRef::as_ref).chain([path]) {
            each_line(path, |line| {
                here.insert(line.to_vec());
            })?;
        }
        let new = lines.clone().filter(|line| !here.contains(*line));
        Ok(new.flat_map(|line| line.iter().copied().chain([b'\n'])).collect())
    };
    let mut added = 0;
    if !missing()?.is_empty() {
        append(path, Waiting::ForTheLock, |_| {
            let bytes = missing()?;
            added = memchr::memchr_iter(b'\n', &bytes).count();
            Ok(bytes)
        })?;
    }
    Ok(added)
}

/// The lock of a file, which is the file itself.
pub fn take_lock(path: &Path, waiting: Waiting) -> Result<Option<Lock>> {
    let patience = if waiting == Waiting::Briefly { PATIENCE } else { LONG_PATIENCE };
    match lock::take(path, patience) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if waiting == Waiting::Briefly && matches!(error.kind(), ErrorKind::Locked { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether `file` is still the file at `path`. A checkout of git replaces it.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

/// Removes the part of a line that was written before the disk was full, unless another writer's bytes follow.
fn remove_part(file: &File, before: u64, line: &[u8]) {
    let mut written = vec![0; line.len() + 1];
    let Ok(n) = file.read_at(&mut written, before) else { return };
    if n > 0 && line.starts_with(&written[..n]) {
        let _ = file.set_len(before);
    }
}

/// The length of a file and its last bytes, at most `limit`.
fn read_tail(file: &File, limit: u64) -> std::io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(limit);
    let mut bytes = vec![0; (length - start) as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    bytes.truncate(filled);
    Ok((length, bytes))
}

/// Calls `each` with every line of the file at `path`, without the spaces around it. Nothing happens if there is no such file.
pub fn each_line(path: &Path, mut each: impl FnMut(&[u8])) -> Result<()> {
    each_placed_line(path, |_, line| each(line))
}

/// Like [`each_line`], with the place in the file at which each line begins, behind spaces.
pub fn each_placed_line(path: &Path, each: impl FnMut(u64, &[u8])) -> Result<()> {
    match files::open(path)? {
        Some(file) => each_line_from(&file, path, 0, each),
        None => Ok(()),
    }
}

/// The same for the file at `path` that is open, from `start` on.
pub fn each_line_from(mut file: &File, path: &Path, start: u64, mut each: impl FnMut(u64, &[u8])) -> Result<()> {
    file.seek(SeekFrom::Start(start)).map_err(|e| Error::io("read", path, &e))?;
    let mut reader = BufReader::with_capacity(64 << 10, file);
    // The part of a line that the buffer ends in, and the place of the next line.
    let (mut part, mut offset) = (Vec::new(), start);
    let mut pass = |line: &[u8]| {
        for piece in line.chunks(LINE as usize) {
            let text = piece.trim_ascii_start();
            each(offset + (piece.len() - text.len()) as u64, text.trim_ascii_end());
            offset += piece.len() as u64;
        }
    };
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(Error::io("read", path, &e)),
        };
        let length = buffer.len();
        if length == 0 {
            pass(&part);
            return Ok(());
        }
        let mut rest = buffer;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end + 1);
            if part.is_empty() {
                // Most lines are whole in the buffer, and are not copied.
                pass(line);
            } else {
                part.extend_from_slice(line);
                pass(&part);
                part.clear();
            }
            rest = after;
        }
        part.extend_from_slice(rest);
        let whole = part.len() - part.len() % LINE as usize;
        pass(&part[..whole]);
        part.drain(..whole);
        reader.consume(length);
    }
}

/// Calls `each` with the lines of the file at `path` that begin at those places. Returns whether there is such a file.
pub fn each_line_at(path: &Path, places: &[u64], mut each: impl FnMut(&[u8])) -> Result<bool> {
    let Some(file) = files::open(path)? else { return Ok(false) };
    let mut reader = BufReader::with_capacity(4 << 10, file);
    let mut line = Vec::new();
    for place in places {
        line.clear();
        let read =
            reader.seek(SeekFrom::Start(*place)).and_then(|_| (&mut reader).take(LINE).read_until(b'\n', &mut line));
        read.map_err(|e| Error::io("read", path, &e))?;
        each(line.trim_ascii());
    }
    Ok(true)
}

/// The id of a line. The rest of the line may be damaged.
pub fn id_of(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Form {
        id: String,
    }
    let found = line.strip_prefix(HEAD).and_then(|rest| rest.get(..26)).and_then(|id| std::str::from_utf8(id).ok());
    match found.filter(|id| ids::time_of(id).is_some()) {
        Some(id) => Some(id.to_string()),
        None => serde_json::from_slice::<Form>(line).ok().map(|form| form.id).filter(|id| ids::time_of(id).is_some()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Each line is passed on once, with its place, also where the buffer ends inside it.
        #[test]
        fn lines_are_those_of_the_file(lengths in proptest::collection::vec(0usize..40_000, 0..12), is_torn in any::<bool>()) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (at, length) in lengths.iter().enumerate() {
                let line = vec![b'a' + at as u8; *length];
                expected.push((bytes.len() as u64, line.clone()));
                bytes.extend(line);
                bytes.push(b'\n');
            }
            if is_torn && bytes.pop().is_some() && expected.last().is_some_and(|(_, line)| line.is_empty()) {
                expected.pop();
            }
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), &bytes).unwrap();
            let mut found = Vec::new();
            each_placed_line(file.path(), |place, line| found.push((place, line.to_vec()))).unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
