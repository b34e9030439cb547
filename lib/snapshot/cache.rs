//! The stat cache: what files held when they were last read, so that a look costs one walk.
//!
//! One binary file per work tree in cache/, replaced whole, safe to delete. An entry is believed only while device, inode, mode,
//! size and times are the same and its ctime is older than the look that wrote it; the file only while its own digest, the
//! machine and the tree are. An agent that may write the state directory can forge it all the same: what lands, CI and
//! `--fresh` do not use it.

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

/// Whether a look may believe the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It may, and leaves what it read there.
    Cache,
    /// It may, and leaves what it read only where that was much: for who needs the files and not their common name.
    Sparing,
    /// It reads every file, and leaves nothing.
    Fresh,
}

const MAGIC: &[u8; 8] = b"rgstat1\n";

/// A file's ctime must be older than the look by this, in nanoseconds: the kernel's clock for files ticks that coarsely.
const RACE: i64 = 10_000_000;
const COARSE: i64 = 2_000_000_000;

/// The largest cache that is read, in bytes.
const LIMIT: u64 = 1 << 30;

/// Magic, whose it is, when it was written, the snapshot, whether links leave, how many rows, how many work trees.
const HEADER: usize = 8 + 32 + 8 + 32 + 1 + 4 + 4;

/// A row: the stat, what it is, two digests, how long the second one is, where its name ends.
const ROW: usize = 8 + 8 + 4 + 8 + 8 + 8 + 1 + 32 + 32 + 1 + 4;

/// A cache that was read and is to be believed.
pub struct Cache {
    bytes: Vec<u8>,
    rows: usize,
    worktrees: Vec<PathBuf>,
}

/// What is known of one file.
pub struct Row<'a> {
    /// The bytes of its path.
    pub name: &'a [u8],
    /// What the file system said of it; never the same again where it was too young to be believed.
    pub stat: Stat,
    /// What it held.
    pub entry: Entry,
    /// Git's name for that.
    pub id: ObjectId,
}

impl Cache {
    /// Reads the cache of the tree at `top`. Cut, altered, of another tree, machine or time: none.
    pub fn load(path: &Path, top: &Path) -> Option<Cache> {
        let mut bytes = files::try_read(path, LIMIT)?;
        let end = bytes.len().checked_sub(32)?;
        if digest::raw(&bytes[..end]) != bytes[end..] || !bytes.starts_with(MAGIC) || bytes[8..40] != whose(top)[..] {
            return None;
        }
        bytes.truncate(end);
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

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at + N)?.try_into().ok()
    }

    /// When the look began that wrote it, in nanoseconds.
    fn written(&self) -> Option<i64> {
        self.array(40).map(i64::from_le_bytes)
    }

    /// Where the name of a row ends among the names.
    fn name_end(&self, row: usize) -> Option<usize> {
        Some(u32::from_le_bytes(self.array(HEADER + row * ROW + ROW - 4)?) as usize)
    }

    /// The name of the snapshot that it holds.
    pub fn snapshot(&self) -> String {
        hex(&self.bytes[48..80])
    }

    /// What it holds, in the order of the paths' bytes.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let written = self.written().unwrap_or(0);
        (0..self.rows).map_while(move |row| self.row(row, written))
    }

    fn row(&self, row: usize, written: i64) -> Option<Row<'_>> {
        let at = HEADER + row * ROW;
        let number = |offset: usize| self.array(at + offset).map(u64::from_le_bytes);
        let stat = Stat {
            device: number(0)?,
            inode: number(8)?,
            mode: u32::from_le_bytes(self.array(at + 16)?),
            size: number(20)?,
            mtime: number(28)? as i64,
            ctime: number(36)? as i64,
        };
        // A file system that counts in seconds says nothing of what happened within one.
        let race = if stat.ctime % 1_000_000_000 == 0 { COARSE } else { RACE };
        let young = stat.ctime > written.saturating_sub(race);
        let mark = *self.bytes.get(at + 44)?;
        let (what, _) = What::MARKS.into_iter().find(|(_, known)| *known == mark)?;
        let long = usize::from(*self.bytes.get(at + 109)?);
        let id = ObjectId::from_bytes(self.bytes.get(at + 77..at + 77 + long.min(32))?).unwrap_or_default();
        let names = HEADER + self.rows * ROW;
        let start = row.checked_sub(1).map_or(Some(0), |before| self.name_end(before))?;
        Some(Row {
            name: self.bytes.get(names + start..names + self.name_end(row)?)?,
            stat: if young { Stat { ctime: Stat::NEVER, ..stat } } else { stat },
            entry: Entry { what, sha256: self.array(at + 45)? },
            id,
        })
    }

    /// Whether it holds this very snapshot.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        let same =
            |(row, file): (Row<'_>, &File)| row.name == file.path.as_os_str().as_bytes() && row.entry == file.entry;
        self.rows == snapshot.files.len()
            && self.worktrees == snapshot.worktrees
            && self.bytes[80] == u8::from(snapshot.leaves)
            && self.rows().zip(&snapshot.files).all(same)
    }

    /// The snapshot that it holds, when that is its name.
    pub fn recall(&self, digest: &str) -> Option<Snapshot> {
        let file =
            |row: Row<'_>| File { path: PathBuf::from(OsStr::from_bytes(row.name)), entry: row.entry, id: row.id };
        (self.snapshot() == digest).then(|| Snapshot {
            files: self.rows().map(file).collect(),
            worktrees: self.worktrees.clone(),
            leaves: self.bytes[80] != 0,
            digest: OnceCell::from(digest.to_string()),
            ..Snapshot::default()
        })
    }
}

/// Replaces the cache by what a look found that began at `began`.
pub fn write(state: &State, top: &Path, snapshot: &Snapshot, stats: &[Stat], began: i64) -> Result<()> {
    let mut bytes = Vec::with_capacity(HEADER + snapshot.files.len() * (ROW + 48) + 32);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&whose(top));
    bytes.extend_from_slice(&began.to_le_bytes());
    bytes.extend_from_slice(&digest::unhex::<32>(snapshot.digest().as_bytes()).unwrap_or_default());
    bytes.push(u8::from(snapshot.leaves));
    bytes.extend_from_slice(&(snapshot.files.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(snapshot.worktrees.len() as u32).to_le_bytes());
    let mut end = 0u32;
    for (file, stat) in snapshot.files.iter().zip(stats) {
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
    let own = digest::raw(&bytes);
    bytes.extend_from_slice(&own);
    state.write_whole(&state.stat_cache(top), &bytes, false)
}

/// The machine and the tree that a cache is about.
fn whose(top: &Path) -> Raw {
    let machine = files::try_read_following(Path::new("/etc/machine-id"), 4096).unwrap_or_default();
    let place = fs::metadata(top).map(|meta| (meta.dev(), meta.ino())).unwrap_or_default();
    let mut parts = machine;
    parts.extend_from_slice(format!("\0{}\0{}\0", place.0, place.1).as_bytes());
    parts.extend_from_slice(top.as_os_str().as_bytes());
    digest::raw(&parts)
}
