//! Marks about the tool calls of a session: that rg-guard sees them, and that none of them can have written a file.
//!
//! rg-event creates the mark `unwritten` when the session's first task begins, and records which file it is. rg-guard removes it before the
//! first call that can write. A file that is created or linked again has another time of its last status change, so it does not count.

use crate::event::Client;
use crate::store::record::{Guarded, NewRecord, Unwritten};
use crate::store::state::State;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The marks of one session.
#[derive(Clone, Debug)]
pub struct CallMarks {
    user: State,
    client: Client,
    session: String,
    unwritten: PathBuf,
    guarded: PathBuf,
}

impl CallMarks {
    /// The marks of a client's session.
    pub fn of(client: Client, session: &str) -> Result<CallMarks> {
        let user = State::of_user()?;
        let name = ids::file_name(&format!("{client}-{session}"));
        let at = |mark: &str| user.calls().join(format!("{name}.{mark}"));
        let (unwritten, guarded) = (at("unwritten"), at("guarded"));
        Ok(CallMarks { user, client, session: session.to_string(), unwritten, guarded })
    }

    /// Marks a session that made no call yet, and records the mark.
    pub fn begin(&self, by_tool: &str) -> Result<()> {
        self.user.make_parent(&self.unwritten)?;
        files::write_new(&self.unwritten, b"")?;
        let meta = fs::symlink_metadata(&self.unwritten).map_err(|e| Error::io("read", &self.unwritten, &e))?;
        let mark = Unwritten {
            session: self.session.clone(),
            inode: meta.ino(),
            changed_nanos: changed_nanos(&meta).unwrap_or(u64::MAX),
        };
        self.append(by_tool, mark)
    }

    /// Whether a mark says that the session wrote nothing yet. It may be forged.
    pub fn may_be_unwritten(&self) -> bool {
        fs::symlink_metadata(&self.unwritten).is_ok()
    }

    /// Whether the recorded mark is still there.
    pub fn is_unwritten(&self, mark: &Unwritten) -> bool {
        let is_same = |meta: Metadata| {
            meta.is_file() && meta.ino() == mark.inode && changed_nanos(&meta) == Some(mark.changed_nanos)
        };
        mark.session == self.session && fs::symlink_metadata(&self.unwritten).is_ok_and(is_same)
    }

    /// Removes the mark before a call that can write.
    pub fn end(&self) {
        // A mark that is absent already means the same.
        let _ = fs::remove_file(&self.unwritten);
    }

    /// Records, at the session's first call, that rg-guard sees its calls. `record` makes the record.
    pub fn guard(&self, by_tool: &str, record: impl FnOnce(String) -> Guarded) -> Result<()> {
        match files::create_new(&self.guarded, 0o600) {
            Ok(_) => self.append(by_tool, record(self.session.clone())),
            // It is on record.
            Err(_) => Ok(()),
        }
    }

    fn append(&self, by_tool: &str, record: impl Into<NewRecord>) -> Result<()> {
        self.user.append(&self.user.session(self.client, &self.session), by_tool, record).map(drop)
    }
}

/// When a file's status changed last, in nanoseconds since 1970. No program can set it.
pub fn changed_nanos(meta: &Metadata) -> Option<u64> {
    let seconds = u64::try_from(meta.ctime()).ok()?.checked_mul(1_000_000_000)?;
    seconds.checked_add(u64::try_from(meta.ctime_nsec()).ok()?)
}
