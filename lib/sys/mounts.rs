//! The mounts that a process sees, as the kernel lists them in /proc/self/mountinfo.

use crate::sys::env;
use crate::sys::files;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The largest table that is read, in bytes.
const LIMIT: u64 = 4 << 20;

/// The table of mounts at the time of the last look.
pub struct MountTable {
    file: File,
    known: BTreeSet<(u64, PathBuf)>,
}

impl MountTable {
    /// Reads the table; None without /proc.
    pub fn open() -> Option<MountTable> {
        let file = files::try_open(&env::proc_dir().join("self/mountinfo"))?;
        let mut table = MountTable { file, known: BTreeSet::new() };
        table.known = table.read()?;
        Some(table)
    }

    /// The mount points that came or went since the last look.
    pub fn changed(&mut self) -> BTreeSet<PathBuf> {
        let Some(now) = self.read() else { return BTreeSet::new() };
        let changed = now.symmetric_difference(&self.known).map(|(_, point)| point.clone()).collect();
        self.known = now;
        changed
    }

    /// Each mount's id and mount point.
    fn read(&mut self) -> Option<BTreeSet<(u64, PathBuf)>> {
        let mut bytes = Vec::new();
        self.file.rewind().ok()?;
        Read::by_ref(&mut self.file).take(LIMIT).read_to_end(&mut bytes).ok()?;
        Some(bytes.split(|b| *b == b'\n').filter_map(mount).collect())
    }
}

/// poll(2) reports a change of the table as a priority event.
impl AsFd for MountTable {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The id and the mount point of one line of the table: the first and the fifth field, see proc_pid_mountinfo(5).
fn mount(line: &[u8]) -> Option<(u64, PathBuf)> {
    let mut fields = line.split(|b| *b == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    Some((id, PathBuf::from(OsString::from_vec(unescaped(fields.nth(3)?)))))
}

/// The kernel writes white space and backslashes as three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|_| *first == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_mount_point() {
        let line = b"36 35 98:0 /mnt1 /a\\040b\\134c rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mount(line), Some((36, PathBuf::from("/a b\\c"))));
        for line in [&b""[..], b"x 35 98:0 / /a", b"36 35 98:0 /mnt1"] {
            assert_eq!(mount(line), None);
        }
        assert_eq!(unescaped(b"\\9\\04"), b"\\9\\04");
    }
}
