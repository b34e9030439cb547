//! The stat of a file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The fields of stat(2) that identify a version of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// Type and permissions.
    pub mode: u32,
    /// Its length in bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds; a program can set it.
    pub mtime: i64,
    /// When its content or metadata last changed, in nanoseconds; a program cannot set it.
    pub ctime: i64,
}

impl Stat {
    /// A ctime that no file has, so that the stat never matches.
    pub const NEVER: i64 = i64::MAX;

    /// For how long a second write may leave the ctime as it is, in nanoseconds: the resolution of the kernel's clock for files, or of
    /// a file system that stores seconds.
    pub fn resolution(&self) -> i64 {
        if self.ctime % 1_000_000_000 == 0 { 2_000_000_000 } else { 10_000_000 }
    }

    /// The stat of one file.
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
