//! The state directory: its size, who may write it, and the file system that it is on.

use crate::report::Report;
use review_gate::store::state::State;
use review_gate::sys::env;
use rustix::fs::statfs;
use rustix::process::getuid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// File systems on which locks and renames of other machines may be seen late: NFS, SMB, CIFS, SMB2, AFS, 9P, Ceph, FUSE.
const REMOTE: [u32; 8] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x0102_1997, 0x00c3_6400, 0x6573_5546];

/// How many files are counted.
const COUNTED: usize = 100_000;

/// Looks at the state directory.
pub fn look(state: &State, report: &mut Report) {
    let dir = state.dir();
    report.state.path = dir.to_path_buf();
    if !dir.is_dir() {
        return;
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
        report.problem("state-remote", text, remote_mend(env::has_state_override()));
    }
}

/// RG_STATE takes precedence: where it is set, another XDG_STATE_HOME changes nothing.
fn remote_mend(is_named: bool) -> &'static str {
    if is_named { "set RG_STATE to a local directory" } else { "set XDG_STATE_HOME to a local directory" }
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
        assert!(remote_mend(true).contains("RG_STATE"));
        assert!(remote_mend(false).contains("XDG_STATE_HOME"));
    }
}
