//! The stat cache: digests of the files that were read last, so that an unchanged file need not be read again.
//!
//! It is one binary file for each work tree in cache/, replaced atomically, safe to delete. An entry is used only if device, inode,
//! mode, size and times are unchanged and its ctime is older than the walk that wrote it. The cache is used only if its digest, the
//! machine and the work tree match. An agent that can write to the state directory can forge it, so landing, CI and `--fresh` do
//! not use it.

use super::stat::Stat;
use super::{Entry, File, Snapshot, What};
use crate::git::ObjectId;
use crate::store::state::State;
use crate::sys::clock;
use crate::sys::digest::{self, Raw, hex};
use crate::sys::error::Result;
use crate::sys::files;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Whether a snapshot uses the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It reads and updates the cache.
    Cache,
    /// It reads the cache, and updates it only after it read many bytes. For callers that need the files but not the digest.
    Sparing,
    /// It reads every file and does not update the cache.
    Fresh,
}

const MAGIC: &[u8; 8] = b"rgstat1\n";

/// The largest cache that is read, in bytes.
const LIMIT: u64 = 1 << 30;

/// Magic, machine and tree, time, snapshot, whether links lead outside, number of rows, number of work trees.
const HEADER: usize = 8 + 32 + 8 + 32 + 1 + 4 + 4;

/// A row: the stat, the type, two digests, the length of the second one, the end of the name.
const ROW: usize = 8 + 8 + 4 + 8 + 8 + 8 + 1 + 32 + 32 + 1 + 4;

/// A cache that was read and validated.
pub struct Cache {
    bytes: Vec<u8>,
    rows: usize,
    worktrees: Vec<PathBuf>,
}

/// The cached entry of one file.
pub struct Row<'a> {
    /// The bytes of its path.
    pub name: &'a [u8],
    /// Its stat; if the file must be read again, a stat that matches no file.
    pub stat: Stat,
    /// Its type and digest.
    pub entry: Entry,
    /// Its git object id.
    pub id: ObjectId,
}

impl Cache {
    /// Reads the cache of the tree at `top`. None if it is truncated, changed, of another tree or machine, or from the future.
    pub fn load(path: &Path, top: &Path) -> Option<Cache> {
        Cache::parse(files::try_read(path, LIMIT)?, top)
    }

    fn parse(mut bytes: Vec<u8>, top: &Path) -> Option<Cache> {
        let end = bytes.len().checked_sub(32)?;
        if digest::raw(&bytes[..end]) != bytes[end..] {
            return None;
        }
        bytes.truncate(end);
        Cache::parse_verified(bytes, top)
    }

    /// The cache with these bytes, whose digest was verified; None as for [`Cache::load`].
    pub fn parse_verified(bytes: Vec<u8>, top: &Path) -> Option<Cache> {
        if !bytes.starts_with(MAGIC) || bytes.get(8..40)? != identity(top).as_slice() {
            return None;
        }
        let mut cache = Cache { rows: 0, worktrees: Vec::new(), bytes };
        if cache.written()? > clock::file_nanos() {
            return None;
        }
        cache.rows = u32::from_le_bytes(cache.array(81)?) as usize;
        let worktrees = u32::from_le_bytes(cache.array(85)?) as usize;
        // The names: of all rows, then of the work trees, each of these ended by a NUL.
        let last = cache.rows.checked_sub(1).map_or(Some(0), |last| cache.name_end(last))?;
        let rest = cache.bytes.get(HEADER + cache.rows * ROW + last..)?;
        let names = rest.split(|b| *b == 0).take(worktrees);
        cache.worktrees = names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
        (cache.worktrees.len() == worktrees).then_some(cache)
    }

    /// The cache of a walk that began at `began`.
    pub fn of(top: &Path, snapshot: &Snapshot, began: i64) -> Cache {
        let bytes = encode(top, snapshot, began);
        Cache { bytes, rows: snapshot.files.len(), worktrees: snapshot.worktrees.clone() }
    }

    /// Its bytes, as [`Cache::parse_verified`] reads them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at + N)?.try_into().ok()
    }

    /// When the walk that wrote it began, in nanoseconds.
    fn written(&self) -> Option<i64> {
        self.array(40).map(i64::from_le_bytes)
    }

    /// The end of a row's name in the names.
    fn name_end(&self, row: usize) -> Option<usize> {
        Some(u32::from_le_bytes(self.array(HEADER + row * ROW + ROW - 4)?) as usize)
    }

    /// The digest of the cached snapshot.
    pub fn snapshot(&self) -> String {
        hex(&self.bytes[48..80])
    }

    /// The rows, sorted by the bytes of their paths.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let written = self.written().unwrap_or(0);
        (0..self.rows).map_while(move |row| self.row(row, written))
    }

    /// The stat of a row.
    fn stat(&self, row: usize) -> Option<Stat> {
        let at = HEADER + row * ROW;
        let number = |offset: usize| self.array(at + offset).map(u64::from_le_bytes);
        Some(Stat {
            device: number(0)?,
            inode: number(8)?,
            mode: u32::from_le_bytes(self.array(at + 16)?),
            size: number(20)?,
            mtime: number(28)? as i64,
            ctime: number(36)? as i64,
        })
    }

    fn row(&self, row: usize, written: i64) -> Option<Row<'_>> {
        let at = HEADER + row * ROW;
        let stat = self.stat(row)?;
        let race = stat.resolution();
        let mark = *self.bytes.get(at + 44)?;
        let (what, _) = What::MARKS.into_iter().find(|(_, known)| *known == mark)?;
        // Whether a file can be read depends on more than its stat.
        let is_read_again = what == What::Unreadable || stat.ctime > written.saturating_sub(race);
        let long = usize::from(*self.bytes.get(at + 109)?);
        let id = ObjectId::from_bytes(self.bytes.get(at + 77..at + 77 + long.min(32))?).unwrap_or_default();
        let names = HEADER + self.rows * ROW;
        let start = row.checked_sub(1).map_or(Some(0), |before| self.name_end(before))?;
        Some(Row {
            name: self.bytes.get(names + start..names + self.name_end(row)?)?,
            stat: if is_read_again { Stat { ctime: Stat::NEVER, ..stat } } else { stat },
            entry: Entry { what, sha256: self.array(at + 45)? },
            id,
        })
    }

    /// Whether it contains exactly this snapshot.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        let same =
            |(row, file): (Row<'_>, &File)| row.name == file.path.as_os_str().as_bytes() && row.entry == file.entry;
        self.rows == snapshot.files.len()
            && self.worktrees == snapshot.worktrees
            && self.bytes[80] == u8::from(snapshot.leaves)
            && self.rows().zip(&snapshot.files).all(same)
    }

    /// The cached snapshot, if it has this digest.
    pub fn recall(&self, digest: &str) -> Option<Snapshot> {
        let file =
            |row: Row<'_>| File { path: PathBuf::from(OsStr::from_bytes(row.name)), entry: row.entry, id: row.id };
        (self.snapshot() == digest).then(|| Snapshot {
            files: self.rows().map(file).collect(),
            stats: (0..self.rows).map_while(|row| self.stat(row)).collect(),
            worktrees: self.worktrees.clone(),
            leaves: self.bytes[80] != 0,
            digest: OnceCell::from(digest.to_string()),
            ..Snapshot::default()
        })
    }
}

/// Replaces the cache with the result of a walk that began at `began`.
pub fn write(state: &State, top: &Path, snapshot: &Snapshot, began: i64) -> Result<()> {
    let mut bytes = Cache::of(top, snapshot, began).bytes;
    let sealed = digest::raw(&bytes);
    bytes.extend_from_slice(&sealed);
    state.write_whole(&state.stat_cache(top), &bytes, false)
}

/// The bytes of a cache, without their digest.
fn encode(top: &Path, snapshot: &Snapshot, began: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + snapshot.files.len() * (ROW + 48) + 32);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&identity(top));
    bytes.extend_from_slice(&began.to_le_bytes());
    bytes.extend_from_slice(&digest::unhex::<32>(snapshot.digest().as_bytes()).unwrap_or_default());
    bytes.push(u8::from(snapshot.leaves));
    bytes.extend_from_slice(&(snapshot.files.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(snapshot.worktrees.len() as u32).to_le_bytes());
    let mut end = 0u32;
    for (file, stat) in snapshot.files.iter().zip(&snapshot.stats) {
        bytes.extend_from_slice(&stat.device.to_le_bytes());
        bytes.extend_from_slice(&stat.inode.to_le_bytes());
        bytes.extend_from_slice(&stat.mode.to_le_bytes());
        bytes.extend_from_slice(&stat.size.to_le_bytes());
        bytes.extend_from_slice(&stat.mtime.to_le_bytes());
        bytes.extend_from_slice(&stat.ctime.to_le_bytes());
        let mark = What::MARKS.iter().find(|(what, _)| *what == file.entry.what);
        bytes.push(mark.map_or(b'!', |(_, mark)| *mark));
        bytes.extend_from_slice(&file.entry.sha256);
        let id = file.id.as_bytes();
        bytes.extend_from_slice(id);
        bytes.resize(bytes.len() + 32 - id.len(), 0);
        bytes.push(id.len() as u8);
        end += file.path.as_os_str().len() as u32;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    for file in &snapshot.files {
        bytes.extend_from_slice(file.path.as_os_str().as_bytes());
    }
    for path in &snapshot.worktrees {
        bytes.extend_from_slice(path.as_os_str().as_bytes());
        bytes.push(0);
    }
    bytes
}

/// The digest of the machine and the tree that a cache belongs to.
fn identity(top: &Path) -> Raw {
    let machine = files::try_read_following(Path::new("/etc/machine-id"), 4096).unwrap_or_default();
    let place = fs::metadata(top).map(|meta| (meta.dev(), meta.ino())).unwrap_or_default();
    let mut parts = machine;
    parts.extend_from_slice(format!("\0{}\0{}\0", place.0, place.1).as_bytes());
    parts.extend_from_slice(top.as_os_str().as_bytes());
    digest::raw(&parts)
}
