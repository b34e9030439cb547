//! What the file system reports of a file without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// What the file system says of a file without its being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// The device, the inode.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// Kind and permissions.
    pub mode: u32,
    /// Its length in bytes.
    pub size: u64,
    /// When its bytes last changed, in nanoseconds; a program can set it.
    pub mtime: i64,
    /// When anything of it last changed, in nanoseconds; no program can set it.
    pub ctime: i64,
}

impl Stat {
    /// A stat that no later look will take for the same.
    pub const NEVER: i64 = i64::MAX;

    /// What was said of one file.
    pub fn of(meta: &Metadata) -> Stat {
        let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        Stat {
            device: meta.dev(),
            inode: meta.ino(),
            mode: meta.mode(),
            size: meta.size(),
            mtime: nanos(meta.mtime(), meta.mtime_nsec()),
            ctime: nanos(meta.ctime(), meta.ctime_nsec()),
        }
    }
}
