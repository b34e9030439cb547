//! What lies beside the tree of a copy, because a tree of git cannot say it: other permissions, directories that are empty,
//! repositories inside, what was not there, what could not be copied.

use crate::git::ObjectId;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// What is odd about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with these permissions.
    File,
    /// A directory that is empty, or has these permissions.
    Directory,
    /// A repository of its own; what is in it is not in the copy.
    Repository,
    /// It was asked for, and was not there.
    Absent,
    /// It could not be copied.
    Left,
}

impl Kind {
    const MARKS: [(Kind, u8); 5] = [
        (Kind::File, b'f'),
        (Kind::Directory, b'd'),
        (Kind::Repository, b'r'),
        (Kind::Absent, b'-'),
        (Kind::Left, b'!'),
    ];
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odd {
    /// What.
    pub kind: Kind,
    /// Its permissions, where that means anything.
    pub mode: u32,
    /// Below the top.
    pub path: PathBuf,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The permissions of most files, of those that may be run, of most directories.
    pub usual: [u32; 3],
    /// What is otherwise.
    pub odd: Vec<Odd>,
}

impl Default for Beside {
    fn default() -> Beside {
        Beside { usual: [0o644, 0o755, 0o755], odd: Vec::new() }
    }
}

impl Beside {
    /// `<mark> <octal mode> <path> NUL` each; the first three are the usual modes, with names for paths.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, mode) in ["file", "executable", "directory"].iter().zip(self.usual) {
            out.extend_from_slice(format!("= {mode:o} {name}\0").as_bytes());
        }
        for odd in &self.odd {
            let mark = Kind::MARKS.iter().find(|(kind, _)| *kind == odd.kind).map_or(b'!', |(_, mark)| *mark);
            out.push(mark);
            out.extend_from_slice(format!(" {:o} ", odd.mode).as_bytes());
            out.extend_from_slice(odd.path.as_os_str().as_bytes());
            out.push(0);
        }
        out
    }

    /// Reads it back; what is damaged is passed over.
    pub fn read(bytes: &[u8]) -> Beside {
        let mut beside = Beside::default();
        let mut usual = 0;
        for line in bytes.split(|b| *b == 0) {
            let mut parts = line.splitn(3, |b| *b == b' ');
            let (Some([mark]), Some(mode), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let Some(mode) = std::str::from_utf8(mode).ok().and_then(|mode| u32::from_str_radix(mode, 8).ok()) else {
                continue;
            };
            if *mark == b'=' && usual < 3 {
                beside.usual[usual] = mode & 0o7777;
                usual += 1;
            } else if let Some((kind, _)) = Kind::MARKS.iter().find(|(_, known)| known == mark) {
                let path = PathBuf::from(OsStr::from_bytes(path));
                if !is_below(&path) {
                    continue;
                }
                beside.odd.push(Odd { kind: *kind, mode: mode & 0o7777, path });
            }
        }
        beside
    }

    /// Those of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Odd> {
        self.odd.iter().filter(move |odd| odd.kind == kind)
    }

    /// What could not be copied, and the repositories inside.
    pub fn left(&self) -> impl Iterator<Item = &Odd> {
        self.odd.iter().filter(|odd| matches!(odd.kind, Kind::Left | Kind::Repository))
    }

    /// Notes one.
    pub fn push(&mut self, kind: Kind, mode: u32, path: &Path) {
        self.odd.push(Odd { kind, mode: mode & 0o7777, path: path.to_path_buf() });
    }
}

/// Whether a path that somebody wrote down leads to a place below the top, by its words.
pub fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// One file of a copy, as its tree has it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Below the top.
    pub path: PathBuf,
    /// As in a tree of git.
    pub mode: u32,
    /// Its bytes' name; a link's are its target, a repository's is its commit.
    pub id: ObjectId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back(odd in proptest::collection::vec((0usize..5, 0u32..0o10000, "[^\0/.]{1,9}"), 0..6)) {
            let odd = odd.into_iter().map(|(kind, mode, path)| Odd { kind: Kind::MARKS[kind].0, mode, path: path.into() });
            let beside = Beside { usual: [0o600, 0o700, 0o700], odd: odd.collect() };
            prop_assert_eq!(Beside::read(&beside.write()), beside);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..90)) {
            let _ = Beside::read(&bytes);
        }
    }
}
