//! The content of the walked files, from the cache or by reading them.

use super::cache::Cache;
use super::stat::Stat;
use super::walk::Seen;
use super::{Entry, File, What};
use crate::git::{Format, Index, ObjectId, ObjectName};
use crate::sys::digest::{self, Raw};
use crate::sys::dir_chain::DirChain;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use rustix::fs::{FileType, RawMode};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The files with their content.
pub struct Contents {
    /// Sorted by the bytes of their paths.
    pub files: Vec<File>,
    /// The stat of each file; all zero for an entry of the walk without one.
    pub stats: Vec<Stat>,
    /// How many files were not in the cache.
    pub unknown: usize,
    /// How many bytes were read.
    pub read: u64,
}

/// The largest total of untracked files that may be read, in bytes, and the index.
pub struct ReadLimit<'a>(pub u64, pub &'a Index);

impl ReadLimit<'_> {
    /// Refuses more than that, before a file is read.
    fn allow(&self, unknown: &[Unknown], files: &[File], stats: &[Stat]) -> Result<()> {
        if unknown.iter().map(|(at, _)| stats[*at].size).sum::<u64>() <= self.0 {
            return Ok(());
        }
        let tracked: HashSet<&Path> = self.1.iter().map(|row| row.path).collect();
        let others = unknown.iter().filter(|(at, _)| !tracked.contains(files[*at].path.as_path()));
        let bytes = others.map(|(at, _)| stats[*at].size).sum();
        if bytes > self.0 { Err(copy_too_large(bytes, self.0)) } else { Ok(()) }
    }
}

/// The error for an automatic backup that would be too large.
pub fn copy_too_large(bytes: u64, most: u64) -> Error {
    Error::refused(format!(
        "the backup is too large: {} MiB, and an automatic backup may have {} MiB. Run `rg-rescue save`",
        bytes >> 20,
        most >> 20
    ))
}

/// One file that must be read: its index, and its stat in the walk.
type Unknown = (usize, Option<Stat>);

/// What is known of the walk that found the files.
#[derive(Clone, Copy)]
pub struct Walked {
    /// The digest of git's object ids.
    pub format: Format,
    /// When it began, in nanoseconds.
    pub began: i64,
}

/// Reads the files that are not in the cache, in several threads if there are many.
pub fn look(
    top: &Path,
    seen: Vec<Seen>,
    fixed: Vec<File>,
    cache: Option<&Cache>,
    walked: Walked,
    most: Option<ReadLimit<'_>>,
) -> Result<Contents> {
    let (mut files, mut stats) = (Vec::with_capacity(seen.len() + fixed.len()), Vec::with_capacity(seen.len()));
    let mut unknown: Vec<Unknown> = Vec::new();
    let mut known = cache.map(Cache::rows).into_iter().flatten().peekable();
    for (path, stat) in seen {
        let name = path.as_os_str().as_bytes();
        while known.next_if(|row| row.name < name).is_some() {}
        let same = known.next_if(|row| row.name == name).filter(|row| Some(row.stat) == stat);
        let (entry, id) = same.map_or_else(
            || {
                unknown.push((files.len(), stat));
                (Entry::unreadable(), ObjectId::default())
            },
            |row| (row.entry, row.id),
        );
        files.push(File { path, entry, id });
        stats.push(stat.unwrap_or_default());
    }
    if let Some(most) = most {
        most.allow(&unknown, &files, &stats)?;
    }
    let mut gone = Vec::new();
    let (count, mut bytes) = (unknown.len(), 0);
    for (at, read) in read_all(top, &files, &unknown, walked)?.into_iter().flatten() {
        match read {
            Some((entry, id, stat)) => {
                (files[at].entry, files[at].id) = (entry, id);
                stats[at] = stat;
                bytes += stat.size;
            }
            // Removed, or replaced by something that is not part of a snapshot.
            None => gone.push(at),
        }
    }
    if !gone.is_empty() || !fixed.is_empty() {
        gone.sort_unstable();
        let is_here = |at: &usize| gone.binary_search(at).is_err();
        let looked_at = files.into_iter().zip(stats).enumerate().filter(|(at, _)| is_here(at)).map(|(_, row)| row);
        let mut all: Vec<(File, Stat)> =
            looked_at.chain(fixed.into_iter().map(|file| (file, Stat::default()))).collect();
        all.sort_by(|a, b| a.0.path.as_os_str().as_bytes().cmp(b.0.path.as_os_str().as_bytes()));
        all.dedup_by(|a, b| a.0.path == b.0.path);
        (files, stats) = all.into_iter().unzip();
    }
    Ok(Contents { files, stats, unknown: count, read: bytes })
}

/// The number of files for which another thread is started.
const PER_THREAD: usize = 256;

type Content = (Entry, ObjectId, Stat);

/// What one thread read: the index of each file, and its content; None if it is gone.
type Share = Vec<(usize, Option<Content>)>;

/// What each thread read.
fn read_all(top: &Path, files: &[File], unknown: &[Unknown], walked: Walked) -> Result<Vec<Share>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(unknown.len() / PER_THREAD + 1);
    let share = unknown.len().div_ceil(threads).max(1);
    let read_share = |share: &[Unknown]| -> Result<Share> {
        let mut reader = Reader { top, chain: DirChain::new(top), buffer: vec![0; SMALL + 1], walked };
        let mut all = Vec::with_capacity(share.len());
        for (at, seen) in share {
            all.push((*at, reader.content(&files[*at].path, *seen)?));
        }
        Ok(all)
    };
    if threads == 1 {
        return Ok(vec![read_share(unknown)?]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = unknown.chunks(share).map(|share| scope.spawn(move || read_share(share))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err(Error::bug("a thread that reads files panicked")))
        };
        workers.into_iter().map(join).collect()
    })
}

/// A file of at most so many bytes is read at once.
const SMALL: usize = 64 * 1024;

/// Reads files in the order of their paths.
struct Reader<'a> {
    top: &'a Path,
    chain: DirChain,
    buffer: Vec<u8>,
    walked: Walked,
}

impl Reader<'_> {
    /// The content at `path`; None if it was removed or replaced by something that is not part of a snapshot.
    fn content(&mut self, path: &Path, seen: Option<Stat>) -> Result<Option<Content>> {
        if let Some(same) = self.steady_content(path, seen) {
            return Ok(Some(same));
        }
        let path = self.top.join(path);
        let unreadable = |stat: Stat| Ok(Some((Entry::unreadable(), ObjectId::default(), stat)));
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return unreadable(Stat::default()),
            Err(e) => return Err(Error::io("look at", &path, &e)),
        };
        if meta.is_symlink() {
            let Ok(target) = fs::read_link(&path) else { return Ok(None) };
            let entry = Entry { what: What::Link, sha256: digest::raw(target.as_os_str().as_bytes()) };
            return Ok(Some((entry, ObjectId::default(), Stat::of(&meta))));
        }
        if !meta.is_file() {
            return Ok(None);
        }
        match files::open_nofollow(&path) {
            Ok(file) => content_of(file, &path, self.walked.format),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => unreadable(Stat::of(&meta)),
            Err(e) => Err(Error::io("read", &path, &e)),
        }
    }

    /// The content of a small regular file that nobody changed since the walk began. This needs the fewest system calls.
    fn steady_content(&mut self, path: &Path, seen: Option<Stat>) -> Option<Content> {
        let may_be_small = |seen: Stat| {
            FileType::from_raw_mode(seen.mode as RawMode).is_file()
                && usize::try_from(seen.size).is_ok_and(|n| n <= SMALL)
        };
        if !seen.is_none_or(may_be_small) {
            return None;
        }
        let mut file = self.chain.open(path).ok()?;
        let stat_of = |file: &fs::File| file.metadata().ok().map(|meta| Stat::of(&meta));
        // Whatever is written after this has a later time than the stat, and the next look reads the file again.
        let stat = match seen {
            Some(seen) => seen,
            None => stat_of(&file).filter(|stat| may_be_small(*stat))?,
        };
        // A read that leaves room in the buffer met the end of a regular file.
        let length = file.read(&mut self.buffer).ok().filter(|length| *length as u64 == stat.size)?;
        let is_steady = match seen {
            Some(seen) => stat_of(&file)? == seen,
            None => stat.ctime <= self.walked.began.saturating_sub(stat.resolution()),
        };
        if !is_steady {
            return None;
        }
        let bytes = &self.buffer[..length];
        let mut id = ObjectName::new(self.walked.format, "blob", stat.size);
        id.update(bytes);
        let what = if stat.mode & 0o100 != 0 { What::Executable } else { What::File };
        Some((Entry { what, sha256: digest::raw(bytes) }, id.finish(), stat))
    }
}

/// The size of a file above which it is not read if nearly all of it is holes, in bytes.
const HOLLOW: u64 = 16 << 30;

/// Which part of a hollow file has blocks on the disk at most.
const SOLID_PART: u64 = 64;

/// Whether a file is so large and so hollow that to read it takes hours and tells nothing: `truncate -s 8T`.
fn is_hollow(meta: &fs::Metadata) -> bool {
    meta.len() > HOLLOW && meta.blocks().saturating_mul(512) < meta.len() / SOLID_PART
}

/// The content of an open file; None if it is no regular file.
fn content_of(mut file: fs::File, path: &Path, format: Format) -> Result<Option<Content>> {
    let failed = |e: io::Error| Error::io("read", path, &e);
    let before = file.metadata().map_err(failed)?;
    if !before.is_file() {
        return Ok(None);
    }
    if is_hollow(&before) {
        return Ok(Some((Entry::unreadable(), ObjectId::default(), Stat::of(&before))));
    }
    let what = if before.mode() & 0o100 != 0 { What::Executable } else { What::File };
    let (sha256, id, length) = read(&mut file, before.len(), format).map_err(failed)?;
    let (before, after) = (Stat::of(&before), Stat::of(&file.metadata().map_err(failed)?));
    // A file that changed while it was read is read again next time, and has no object id.
    let steady = before == after && length == before.size;
    let stat = if steady { before } else { Stat { ctime: Stat::NEVER, ..before } };
    let id = if length == before.size { id } else { ObjectId::default() };
    Ok(Some((Entry { what, sha256 }, id, stat)))
}

/// Computes both digests of a file in one pass; also returns its length.
fn read(file: &mut impl Read, length: u64, format: Format) -> io::Result<(Raw, ObjectId, u64)> {
    let mut id = ObjectName::new(format, "blob", length);
    let mut hash = digest::Stream::default();
    let mut buffer = [0u8; 32 * 1024];
    let mut total = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((hash.finish_raw(), id.finish(), total)),
            Ok(n) => {
                hash.update(&buffer[..n]);
                id.update(&buffer[..n]);
                total += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn content_and_stats_do_not_depend_on_how_a_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        fs::create_dir_all(top.join("d/e")).unwrap();
        for (name, size) in [("a", 0), ("d/b", 1), ("d/c", SMALL), ("d/e/f", SMALL + 1), ("z", 5 * SMALL)] {
            fs::write(top.join(name), "x".repeat(size)).unwrap();
        }
        fs::set_permissions(top.join("d/b"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("a", top.join("l")).unwrap();
        let paths = ["a", "d/b", "d/c", "d/e/f", "gone", "l", "z"];
        let read = |with_stats: bool, began: i64| {
            let seen = paths.map(|path| {
                let meta = fs::symlink_metadata(top.join(path)).ok().filter(|meta| with_stats || meta.is_symlink());
                (path.into(), meta.map(|meta| Stat::of(&meta)))
            });
            let contents = look(top, seen.into(), Vec::new(), None, Walked { format: Format::Sha1, began }, None);
            let contents = contents.unwrap();
            (contents.files, contents.stats)
        };
        let (files, stats) = read(true, i64::MAX);
        assert_eq!(files.len(), paths.len() - 1);
        assert_eq!(files[1].entry.what, What::Executable);
        assert_eq!(files[2].entry.sha256, digest::raw("x".repeat(SMALL).as_bytes()));
        // A file from before the walk is read once; one from after its begin is read with a stat before and one behind.
        for (with_stats, began) in [(true, 0), (false, i64::MAX), (false, 0)] {
            assert_eq!(read(with_stats, began), (files.clone(), stats.clone()), "{with_stats}, {began}");
        }
    }
}
