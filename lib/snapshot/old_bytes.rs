//! Reads the bytes of files before they changed, from git's objects or from the copies of a baseline. All bytes are verified against a
//! digest.

use crate::git::{ObjectId, ObjectName, Piece, Repository};
use crate::snapshot::changes::Change;
use crate::store::state::State;
use crate::sys::digest::hex;
use crate::sys::error::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A part of an old file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldBytes<'a> {
    /// The file exists.
    Begin,
    /// The next bytes; verified only when `End` follows.
    Bytes(&'a [u8]),
    /// The file is complete and verified.
    End,
    /// The file cannot be read, or its bytes do not match the digest.
    Lost {
        /// Whether git does not have the object.
        missing: bool,
    },
}

/// Reads the old file of each change and passes it on in pieces; git's objects are never kept whole in memory.
pub fn read(top: &Path, state: &State, changes: &[Change], mut each: impl FnMut(usize, OldBytes<'_>)) -> Result<()> {
    let mut by_repository: BTreeMap<PathBuf, Vec<(usize, ObjectId)>> = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        let Some(then) = change.then.as_ref().filter(|then| then.what.is_file()) else { continue };
        if !then.id.is_none() {
            by_repository.entry(repository_of(top, &change.path)).or_default().push((at, then.id));
            continue;
        }
        match then.sha256.map(|sha256| state.read_blob(&hex(&sha256))) {
            Some(Ok(bytes)) => {
                each(at, OldBytes::Begin);
                each(at, OldBytes::Bytes(&bytes));
                each(at, OldBytes::End);
            }
            _ => each(at, OldBytes::Lost { missing: false }),
        }
    }
    for (top, wanted) in by_repository {
        let Some(repository) = Repository::at(&top) else {
            wanted.iter().for_each(|(at, _)| each(*at, OldBytes::Lost { missing: false }));
            continue;
        };
        let ids: Vec<ObjectId> = wanted.iter().map(|(_, id)| *id).collect();
        let mut open: Option<ObjectName> = None;
        repository.contents(&ids, |at, piece| {
            let (place, id) = wanted[at];
            match (piece, open.as_mut()) {
                (Piece::Begin(size), _) => {
                    open = Some(ObjectName::checked(id.format(), "blob", size));
                    each(place, OldBytes::Begin);
                }
                (Piece::Bytes(bytes), Some(name)) => {
                    name.update(bytes);
                    each(place, OldBytes::Bytes(bytes));
                }
                // Git does not verify an object when it reads it.
                (Piece::End, Some(_)) => match open.take().is_some_and(|name| name.finish() == id) {
                    true => each(place, OldBytes::End),
                    false => each(place, OldBytes::Lost { missing: false }),
                },
                _ => each(place, OldBytes::Lost { missing: true }),
            }
        })?;
    }
    Ok(())
}

/// The top of the work tree of a path: the innermost submodule, else `top`.
fn repository_of(top: &Path, path: &Path) -> PathBuf {
    let mut dirs = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()).map(|dir| top.join(dir));
    dirs.find(|dir| Repository::at(dir).is_some()).unwrap_or_else(|| top.to_path_buf())
}
