//! The state directory: its size, who may write it, and the file system that it is on.

use crate::report::Report;
use review_gate::store::state::State;
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
        report.problem("state-remote", text, "set XDG_STATE_HOME to a local directory");
    }
}

fn is_remote(dir: &Path) -> bool {
    statfs(dir).is_ok_and(|found| u32::try_from(found.f_type).is_ok_and(|kind| REMOTE.contains(&kind)))
}
