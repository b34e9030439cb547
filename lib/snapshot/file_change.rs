//! One changed path: the file before and after.

use crate::git::ObjectId;
use crate::snapshot::{File, What};
use crate::sys::digest::Raw;
use std::path::PathBuf;

/// A file before a change.
#[derive(Clone, Debug)]
pub struct OldFile {
    /// Its type.
    pub what: What,
    /// Its git object id, if git has the object.
    pub id: ObjectId,
    /// SHA-256 of its bytes on disk, if known.
    pub sha256: Option<Raw>,
}

/// One changed path.
#[derive(Clone, Debug)]
pub struct Change {
    /// Relative to the top of the work tree.
    pub path: PathBuf,
    /// The file before; None if it was added.
    pub then: Option<OldFile>,
    /// The file now; None if it was removed.
    pub now: Option<File>,
}

impl Change {
    /// Whether only the mode changed.
    pub fn is_mode_only(&self) -> bool {
        let (Some(then), Some(now)) = (&self.then, &self.now) else { return false };
        then.what.is_file()
            && now.entry.what.is_file()
            && then.sha256.is_none_or(|sha256| sha256 == now.entry.sha256)
            && (then.sha256.is_some() || then.id == now.id)
    }
}
