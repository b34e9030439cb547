//! A lock between processes: flock(2) on a file that is never removed.

use crate::sys::clock;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest signature, in bytes.
const SIGNATURE: u64 = 64;

/// A lock that is released when it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Writes who holds the lock and since when, for those who wait. A failure is ignored, because the lock does not depend on it.
    pub fn sign(&mut self) {
        let _ = self.file.set_len(0);
        let _ = writeln!(self.file, "{} {}", std::process::id(), clock::now());
    }

    /// Lets children that are started from now on inherit the lock. If this process is killed, the lock is released when the last child
    /// has ended.
    pub fn inherit_to_children(&self) -> Result<()> {
        let passed = rustix::io::fcntl_setfd(&self.file, rustix::io::FdFlags::empty());
        passed.map_err(|e| Error::stream("inherit a lock", e))
    }
}

/// Who signed the lock at `path`: `process 7, since 2026-11-21T12:00:00.000Z`; None if the text is not a signature.
pub fn holder(path: &Path) -> Option<String> {
    let (pid, since) = signature(path)?;
    Some(format!("process {pid}, since {since}"))
}

/// The process that signed the lock at `path`.
pub fn signer(path: &Path) -> Option<i32> {
    Some(signature(path)?.0)
}

fn signature(path: &Path) -> Option<(i32, clock::Time)> {
    let text = String::from_utf8(files::try_read(path, SIGNATURE)?).ok()?;
    let (pid, since) = text.trim_end().split_once(' ')?;
    Some((pid.parse().ok().filter(|pid| *pid > 0)?, clock::Time::parse(since)?))
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
