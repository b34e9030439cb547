//! The state directory: its size, whether it can be written and by whom, and the file system that it is on.

use crate::report::Report;
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use rustix::fs::{Access, StatVfs, StatVfsMountFlags, access, statfs, statvfs};
use rustix::process::getuid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// File systems on which locks and renames of other machines may be seen late: NFS, SMB, CIFS, SMB2, AFS, 9P, Ceph, FUSE.
const REMOTE: [u32; 8] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x0102_1997, 0x00c3_6400, 0x6573_5546];

/// How many files are counted.
const COUNTED: usize = 100_000;

/// The least free space that records need, in bytes: a stop keeps a log, a receipt and some blobs.
const SPACE: u64 = 1 << 20;

/// Looks at the state directory.
pub fn look(state: &State, report: &mut Report) -> Result<()> {
    let dir = state.dir();
    report.state.path = dir.to_path_buf();
    // The sessions are in the directory of the user.
    let sessions = State::of_user()?.sessions();
    if let Some((text, mend)) = unwritable(dir).or_else(|| unwritable(&sessions)) {
        report.problem("state-unwritable", text, mend);
    }
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in
        walkdir::WalkDir::new(dir).into_iter().flatten().filter(|entry| entry.file_type().is_file()).take(COUNTED)
    {
        report.state.files += 1;
        report.state.bytes += entry.metadata().map_or(0, |meta| meta.len());
    }
    let shown = dir.display();
    if let Ok(meta) = fs::metadata(dir) {
        if meta.mode() & 0o022 != 0 {
            let text = format!("others can write the records in {shown}");
            report.problem("state-writable", text, format!("chmod go-w '{shown}'"));
        }
        if meta.uid() != getuid().as_raw() {
            let text = format!("the records in {shown} belong to another user");
            report.problem("state-owner", text, format!("chown -R \"$(id -u)\" '{shown}'"));
        }
    }
    if is_remote(dir) {
        let text = format!("{shown} is on a network file system, whose locks may not hold");
        report.problem(
            "state-remote",
            text,
            format!("set {} to a local directory", variable(env::has_state_override())),
        );
    }
    Ok(())
}

/// Why no record can be written below `dir`, and what mends it. Nothing is written to find out.
fn unwritable(dir: &Path) -> Option<(String, String)> {
    let elsewhere = format!("set {} to a directory that you can write", variable(env::has_state_override()));
    let there = dir.ancestors().find(|path| path.symlink_metadata().is_ok())?;
    let place = there.display();
    let found = statvfs(there).ok();
    let is_read_only = |found: &StatVfs| found.f_flag.contains(StatVfsMountFlags::RDONLY);
    // A file system without blocks does not say how much is free.
    let is_full = |found: &StatVfs| found.f_blocks > 0 && found.f_bavail.saturating_mul(found.f_frsize) < SPACE;
    let is_locked = |path: &PathBuf| access(path, Access::WRITE_OK | Access::EXEC_OK).is_err();
    let (why, mend) = if !there.is_dir() {
        (format!("{place} is not a directory"), format!("mv '{place}' '{place}.old'"))
    } else if found.as_ref().is_some_and(is_read_only) {
        ("the file system is read-only".to_string(), elsewhere)
    } else if let Some(locked) = directories(there, dir).find(is_locked) {
        let is_own = locked.metadata().is_ok_and(|meta| meta.uid() == getuid().as_raw());
        let mend = if is_own { format!("chmod u+rwx '{}'", locked.display()) } else { elsewhere };
        (format!("you may not write {}", locked.display()), mend)
    } else if found.as_ref().is_some_and(is_full) {
        ("the disk is full".to_string(), format!("free space on the file system of {place}, or {elsewhere}"))
    } else {
        return None;
    };
    Some((format!("the records in {} cannot be written, so no stop is judged: {why}", dir.display()), mend))
}

/// The nearest directory that exists, and, if it is the state directory, those in it.
fn directories(there: &Path, dir: &Path) -> impl Iterator<Item = PathBuf> {
    let inside = (there == dir).then(|| fs::read_dir(dir).into_iter().flatten().flatten()).into_iter().flatten();
    let inside = inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
    std::iter::once(there.to_path_buf()).chain(inside)
}

/// The variable that says where the records are. RG_STATE takes precedence: where it is set, another XDG_STATE_HOME changes nothing.
fn variable(is_named: bool) -> &'static str {
    if is_named { "RG_STATE" } else { "XDG_STATE_HOME" }
}

fn is_remote(dir: &Path) -> bool {
    statfs(dir).is_ok_and(|found| u32::try_from(found.f_type).is_ok_and(is_remote_kind))
}

fn is_remote_kind(kind: u32) -> bool {
    REMOTE.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_machines_are_remote() {
        // Magic numbers of statfs(2): NFS, SMB2, CEPH and FUSE, then ext4, tmpfs, btrfs and overlayfs.
        for kind in [0x6969, 0xfe53_4d42, 0x00c3_6400, 0x6573_5546] {
            assert!(is_remote_kind(kind), "{kind:x}");
        }
        for kind in [0xef53, 0x0102_1994, 0x9123_683e, 0x794c_7630] {
            assert!(!is_remote_kind(kind), "{kind:x}");
        }
    }

    #[test]
    fn the_mend_names_the_variable_that_counts() {
        assert_eq!((variable(true), variable(false)), ("RG_STATE", "XDG_STATE_HOME"));
    }
}
