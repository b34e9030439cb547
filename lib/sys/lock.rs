//! A lock between processes: flock(2) on a file that is never removed.

use crate::sys::clock;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// A lock that is released when it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Lets children that are started from now on inherit the lock. If this process is killed, the lock is released when the last child
    /// has ended.
    pub fn inherit_to_children(&self) -> Result<()> {
        let passed = rustix::io::fcntl_setfd(&self.file, rustix::io::FdFlags::empty());
        passed.map_err(|e| Error::stream("inherit a lock", e))
    }
}

/// Takes the lock at `path`, waiting at most `patience`. Errors (111): the wait is over, or the file cannot be opened.
pub fn take(path: &Path, patience: Duration) -> Result<Lock> {
    let file = files::open_append(path)?;
    let began = Instant::now();
    let mut nap = Duration::from_millis(1);
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Lock { file }),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(e) => return Err(Error::io("lock", path, &e.into())),
        }
        let waited = began.elapsed();
        if waited >= patience {
            let waited = clock::human(waited.as_secs_f64());
            return Err(Error::locked(
                path,
                format!("unable to lock {}: another process still holds it after {waited}", path.display()),
            ));
        }
        std::thread::sleep(nap.min(patience - waited));
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}
