//! The files of commits, and the bytes of many objects.

use super::{ObjectId, Repository};
use crate::sys::error::{Error, Result};
use crate::sys::process;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long git may print nothing; it reconstructs a large object before it prints the first byte.
const SILENCE: Duration = Duration::from_secs(300);

/// One path of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the top.
    pub path: PathBuf,
    /// `100644`, `100755`, `120000` (a link) or `160000` (a submodule).
    pub mode: u32,
    /// The id of its blob; of a submodule, the commit id.
    pub id: ObjectId,
}

/// The cached tree: the repository, the commit, its files.
type Remembered = (PathBuf, String, Arc<[TreeFile]>);

impl TreeFile {
    /// Whether it is a submodule.
    pub fn is_submodule(&self) -> bool {
        self.mode == 0o160000
    }

    /// Whether it is a regular file.
    pub fn is_regular(&self) -> bool {
        matches!(self.mode, 0o100644 | 0o100755 | 0o100664)
    }
}

/// A part of git's output for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The object exists; its length in bytes.
    Begin(u64),
    /// The next bytes.
    Bytes(&'a [u8]),
    /// The object is complete.
    End,
    /// Git does not have it.
    Missing,
}

impl Repository {
    /// Every file, link and submodule of a commit, sorted by the bytes of their paths. The commit and each tree are verified against
    /// their ids, because git does not notice an object that was replaced by another one.
    ///
    /// The last result is cached: a verified tree cannot change, and a judge reads it several times.
    pub fn tree(&self, commit: &str) -> Result<Arc<[TreeFile]>> {
        static LAST: Mutex<Option<Remembered>> = Mutex::new(None);
        let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, tree)) = last().as_ref().filter(|(dir, id, _)| *dir == self.common_dir && id == commit) {
            return Ok(tree.clone());
        }
        let tree: Arc<[TreeFile]> = self.read_tree(commit)?.into();
        *last() = Some((self.common_dir.clone(), commit.to_string(), tree.clone()));
        Ok(tree)
    }

    /// Reads objects in the order of `ids` and passes them on in pieces; none is kept whole in memory.
    pub fn contents(&self, ids: &[ObjectId], each: impl FnMut(usize, Piece<'_>)) -> Result<()> {
        let names: Vec<String> = ids.iter().map(ObjectId::to_string).collect();
        self.ask(&names, each)
    }

    /// Like [`Repository::contents`], through a git process of its own, with a limit for the time without output instead of a deadline.
    pub fn contents_with_idle_timeout(&self, ids: &[ObjectId], each: impl FnMut(usize, Piece<'_>)) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let mut reader = Reader::new(each);
        let command = self.command(&["cat-file", "--batch"]);
        process::feed_with_idle_timeout(command, input.into_bytes(), SILENCE, |bytes| reader.take(bytes))?;
        match reader.at == ids.len() {
            true => Ok(()),
            false => Err(Error::child(format!("git cat-file printed too few objects in {}", self.top.display()))),
        }
    }
}

/// Reads the output of `cat-file --batch`: `<id> <kind> <size>`, the bytes, a newline; or `<id> missing`.
pub(super) struct Reader<F> {
    at: usize,
    state: ReadState,
    each: F,
}

enum ReadState {
    Header(Vec<u8>),
    Body(u64),
    Newline,
}

impl<F: FnMut(usize, Piece<'_>)> Reader<F> {
    pub fn new(each: F) -> Reader<F> {
        Reader { at: 0, state: ReadState::Header(Vec::new()), each }
    }

    /// How many objects are complete or missing.
    pub fn count(&self) -> usize {
        self.at
    }

    pub fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match &mut self.state {
                ReadState::Header(line) => {
                    let end = bytes.iter().position(|b| *b == b'\n');
                    line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
                    bytes = end.map_or(&[], |end| &bytes[end + 1..]);
                    if end.is_some() {
                        let header = String::from_utf8_lossy(line).into_owned();
                        self.begin(&header);
                    }
                }
                ReadState::Body(left) => {
                    let part = (*left).min(bytes.len() as u64) as usize;
                    (self.each)(self.at, Piece::Bytes(&bytes[..part]));
                    bytes = &bytes[part..];
                    *left -= part as u64;
                    if *left == 0 {
                        self.state = ReadState::Newline;
                    }
                }
                ReadState::Newline => {
                    bytes = &bytes[1..];
                    self.end(Piece::End);
                }
            }
        }
    }

    fn begin(&mut self, header: &str) {
        match header.rsplit_once(' ').and_then(|(_, size)| size.parse().ok()) {
            Some(size) => {
                (self.each)(self.at, Piece::Begin(size));
                self.state = if size == 0 { ReadState::Newline } else { ReadState::Body(size) };
            }
            None => self.end(Piece::Missing),
        }
    }

    fn end(&mut self, piece: Piece<'_>) {
        (self.each)(self.at, piece);
        self.at += 1;
        self.state = ReadState::Header(Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The objects do not depend on how the output is cut into pieces.
        #[test]
        fn objects_are_the_same_however_the_output_is_cut(bodies in proptest::collection::vec(proptest::option::of("[a\n ]{0,9}"), 0..6), step in 1usize..7) {
            let text: String = bodies.iter().map(|body| match body {
                Some(body) => format!("{:040} blob {}\n{body}\n", 1, body.len()),
                None => format!("{:040} missing\n", 1),
            }).collect();
            let mut found: Vec<Option<String>> = Vec::new();
            let mut open = String::new();
            let each = |_: usize, piece: Piece<'_>| match piece {
                Piece::Begin(_) => {}
                Piece::Bytes(bytes) => open.push_str(&String::from_utf8_lossy(bytes)),
                Piece::End => found.push(Some(std::mem::take(&mut open))),
                Piece::Missing => found.push(None),
            };
            let mut reader = Reader::new(each);
            text.as_bytes().chunks(step).for_each(|bytes| reader.take(bytes));
            prop_assert_eq!(reader.at, bodies.len());
            prop_assert_eq!(found, bodies);
        }
    }
}
