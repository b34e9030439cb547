//! The report files that exist before a check runs. One that the check does not write is no report of this run, whatever its times say.

use review_gate::sys::digest::sha256;
use review_gate::sys::files;
use review_gate::sys::watch::FileWatch;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most files that are remembered, and the most of their bytes.
const LIMITS: (usize, u64) = (2_000, 128 << 20);

/// One file: its device, its inode, and the digest of its bytes if it could be read.
struct Earlier {
    place: (u64, u64),
    digest: Option<String>,
}

/// The files that were there before the run.
#[derive(Default)]
pub struct EarlierReports {
    files: BTreeMap<PathBuf, Earlier>,
    watch: Option<FileWatch>,
}

impl EarlierReports {
    /// Remembers these files, and watches them while the check runs. A file has at most `limit` bytes.
    pub fn of(paths: Vec<PathBuf>, limit: u64) -> EarlierReports {
        let mut earlier = EarlierReports::default();
        let mut left = LIMITS.1;
        for path in paths.into_iter().take(LIMITS.0) {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let bytes = (meta.len() <= left).then(|| files::try_read(&path, limit)).flatten();
            left -= bytes.as_ref().map_or(0, |bytes| bytes.len() as u64).min(left);
            let digest = bytes.map(|bytes| sha256(&bytes));
            earlier.files.insert(path, Earlier { place: place(&meta), digest });
        }
        if !earlier.files.is_empty() {
            earlier.watch = FileWatch::start(earlier.files.keys().map(PathBuf::as_path));
        }
        earlier
    }

    /// After the run: without the files that were written or removed.
    pub fn unwritten(mut self) -> EarlierReports {
        for path in self.watch.take().map(FileWatch::finish).unwrap_or_default() {
            self.files.remove(&path);
        }
        self
    }

    /// Whether this is the earlier file, with the earlier bytes.
    pub fn has(&self, path: &Path, meta: &Metadata, bytes: &[u8]) -> bool {
        self.files.get(path).is_some_and(|earlier| {
            earlier.place == place(meta) && earlier.digest.as_ref().is_none_or(|digest| *digest == sha256(bytes))
        })
    }
}

fn place(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}
