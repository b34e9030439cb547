//! What surrounds a process besides its files and variables: the mounts that it sees, and its limits. A command that passes with other programs
//! mounted over the usual ones, or with other limits, says nothing about a run without them.

use crate::sys::env;
use rustix::process::{Resource, getrlimit};
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// The limits that decide whether programs work. More open files than this are as good as any number: clients raise the limit for their commands.
const LIMITS: [(Resource, u64); 7] = [
    (Resource::Nofile, 1024),
    (Resource::As, u64::MAX),
    (Resource::Cpu, u64::MAX),
    (Resource::Data, u64::MAX),
    (Resource::Fsize, u64::MAX),
    (Resource::Nproc, u64::MAX),
    (Resource::Stack, u64::MAX),
];

/// The surroundings as bytes: the same for two processes of one session, different in another mount namespace or below lower limits.
pub fn bytes() -> Vec<u8> {
    let mounts = fs::read_link(env::proc_dir().join("self/ns/mnt")).unwrap_or_default();
    let mut all = mounts.as_os_str().as_bytes().to_vec();
    for (resource, enough) in LIMITS {
        let current = getrlimit(resource).current.unwrap_or(u64::MAX);
        all.extend_from_slice(&current.min(enough).to_le_bytes());
    }
    all
}
