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

    /// The stat of one file, as the kernel gives it. Systems differ in the widths of its fields.
    #[allow(clippy::unnecessary_cast)]
    pub fn of_raw(raw: &rustix::fs::Stat) -> Stat {
        Stat {
            device: raw.st_dev as u64,
            inode: raw.st_ino as u64,
            mode: raw.st_mode as u32,
            size: raw.st_size as u64,
            mtime: nanos(raw.st_mtime as i64, raw.st_mtime_nsec as i64),
            ctime: nanos(raw.st_ctime as i64, raw.st_ctime_nsec as i64),
        }
    }

    /// The stat of one file.
    pub fn of(meta: &Metadata) -> Stat {
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

fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_stat_are_the_same() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let raw = rustix::fs::stat(file.path()).unwrap();
        assert_eq!(Stat::of_raw(&raw), Stat::of(&file.path().metadata().unwrap()));
    }
}
