//! The metadata of a backup that a git tree cannot hold: unusual permissions, empty directories, nested repositories, and paths that
//! did not exist or could not be copied.

use crate::git::ObjectId;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// What an entry records about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with unusual permissions.
    File,
    /// A directory that is empty or has unusual permissions.
    Directory,
    /// A nested repository. Its content is not in the backup.
    Repository,
    /// It was requested and did not exist.
    Absent,
    /// It could not be copied.
    NotCopied,
}

impl Kind {
    const MARKS: [(Kind, u8); 5] = [
        (Kind::File, b'f'),
        (Kind::Directory, b'd'),
        (Kind::Repository, b'r'),
        (Kind::Absent, b'-'),
        (Kind::NotCopied, b'!'),
    ];
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataEntry {
    /// What it records.
    pub kind: Kind,
    /// The permissions, for a file or a directory.
    pub mode: u32,
    /// The path below the top.
    pub path: PathBuf,
}

/// The metadata of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The usual permissions of files, of executable files and of directories.
    pub usual: [u32; 3],
    /// The exceptions.
    pub entries: Vec<MetadataEntry>,
}

impl Default for Metadata {
    fn default() -> Metadata {
        Metadata { usual: [0o644, 0o755, 0o755], entries: Vec::new() }
    }
}

impl Metadata {
    /// Serialises each entry as `<mark> <octal mode> <path> NUL`, after three entries with the usual modes and names instead of paths.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, mode) in ["file", "executable", "directory"].iter().zip(self.usual) {
            out.extend_from_slice(format!("= {mode:o} {name}\0").as_bytes());
        }
        for entries in &self.entries {
            let mark = Kind::MARKS.iter().find(|(kind, _)| *kind == entries.kind).map_or(b'!', |(_, mark)| *mark);
            out.push(mark);
            out.extend_from_slice(format!(" {:o} ", entries.mode).as_bytes());
            out.extend_from_slice(entries.path.as_os_str().as_bytes());
            out.push(0);
        }
        out
    }

    /// Parses the serialised form. Damaged entries are skipped.
    pub fn read(bytes: &[u8]) -> Metadata {
        let mut metadata = Metadata::default();
        let mut usual = 0;
        for line in bytes.split(|b| *b == 0) {
            let mut parts = line.splitn(3, |b| *b == b' ');
            let (Some([mark]), Some(mode), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let Some(mode) = std::str::from_utf8(mode).ok().and_then(|mode| u32::from_str_radix(mode, 8).ok()) else {
                continue;
            };
            if *mark == b'=' && usual < 3 {
                metadata.usual[usual] = mode & 0o7777;
                usual += 1;
            } else if let Some((kind, _)) = Kind::MARKS.iter().find(|(_, known)| known == mark) {
                let path = PathBuf::from(OsStr::from_bytes(path));
                if !is_below(&path) {
                    continue;
                }
                metadata.entries.push(MetadataEntry { kind: *kind, mode: mode & 0o7777, path });
            }
        }
        metadata
    }

    /// The entries of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &MetadataEntry> {
        self.entries.iter().filter(move |entries| entries.kind == kind)
    }

    /// The paths that could not be copied, and the nested repositories.
    pub fn not_copied(&self) -> impl Iterator<Item = &MetadataEntry> {
        self.entries.iter().filter(|entries| matches!(entries.kind, Kind::NotCopied | Kind::Repository))
    }

    /// Adds an entry.
    pub fn push(&mut self, kind: Kind, mode: u32, path: &Path) {
        self.entries.push(MetadataEntry { kind, mode: mode & 0o7777, path: path.to_path_buf() });
    }
}

/// Whether a path from an untrusted source is relative and has no `..`, so that it stays below the top.
pub fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// One file in the tree of a backup.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The path below the top.
    pub path: PathBuf,
    /// The mode, as in a git tree.
    pub mode: u32,
    /// The object id of its bytes; for a link those of its target, for a repository its commit.
    pub id: ObjectId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn serialised_metadata_reads_back(entries in proptest::collection::vec((0usize..5, 0u32..0o10000, "[^\0/.]{1,9}"), 0..6)) {
            let entries = entries.into_iter().map(|(kind, mode, path)| MetadataEntry { kind: Kind::MARKS[kind].0, mode, path: path.into() });
            let metadata = Metadata { usual: [0o600, 0o700, 0o700], entries: entries.collect() };
            prop_assert_eq!(Metadata::read(&metadata.write()), metadata);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..90)) {
            let _ = Metadata::read(&bytes);
        }
    }
}
