//! Limits that the process sets on itself, because a grammar's scanner can run forever and cannot be interrupted.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

/// The address space, in bytes.
const MEMORY: u64 = 1 << 30;

/// The processor time for one file, in seconds.
const SECONDS: u64 = 8;

/// The processor time of this thread by which a file must be read. Other work on the machine does not shorten it.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Timespec);

impl Deadline {
    /// So much processor time from now.
    pub fn after(time: Duration) -> Deadline {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let nanoseconds = now.tv_nsec + i64::from(time.subsec_nanos());
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX / 2) + nanoseconds / 1_000_000_000;
        Deadline(Timespec { tv_sec: now.tv_sec + seconds, tv_nsec: nanoseconds % 1_000_000_000 })
    }

    /// Whether it has passed.
    pub fn is_over(&self) -> bool {
        clock_gettime(ClockId::ThreadCPUTime) >= self.0
    }
}

/// Limits the address space.
pub fn limit_memory() {
    lower(Resource::As, MEMORY);
    // A process that is killed here leaves no image of its memory behind.
    lower(Resource::Core, 0);
}

/// Limits the processor time from now on.
pub fn limit_time() {
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    lower(Resource::Cpu, u64::try_from(used).unwrap_or(0) + SECONDS);
}

/// Sets the soft limit. A stricter one that was set before the start stays.
fn lower(resource: Resource, limit: u64) {
    let known = getrlimit(resource);
    let current = known.maximum.map_or(limit, |maximum| maximum.min(limit));
    let _ = setrlimit(resource, Rlimit { current: Some(current), maximum: known.maximum });
}
